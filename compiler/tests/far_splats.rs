//! Numbers that a loop over rows of work-items uses are not kept as whole vectors on the stack.

use oxcl_compiler::{BuildOptions, Emit, Quality, Request, SourceFile, compile};

/// The assembly of a kernel in which each of four rows of 16 work-items multiplies by 64 numbers, one after the other.
fn assembly(cpu: &str, numbers: &str) -> String {
    let text = format!(
        "#define FOUR(F, k) F(k) F(k + 1) F(k + 2) F(k + 3)
         #define ALL(F, k) FOUR(F, k) FOUR(F, k + 4) FOUR(F, k + 8) FOUR(F, k + 12)
         #define MULTIPLY(k) sum[(k) % 8] += row[(k) / 8] * numbers[k];
         __attribute__((reqd_work_group_size(16, 4, 1)))
         kernel void k(global float *a, {numbers}, int n) {{
             int x = get_local_id(0), y = get_local_id(1);
             float sum[8] = {{0}}, row[8];
             for (int i = 0; i < n; i++) {{
                 for (int j = 0; j < 8; j++)
                     row[j] = a[(i * 8 + j) * 64 + y * 16 + x];
                 barrier(CLK_LOCAL_MEM_FENCE);
                 ALL(MULTIPLY, 0) ALL(MULTIPLY, 16) ALL(MULTIPLY, 32) ALL(MULTIPLY, 48)
                 barrier(CLK_LOCAL_MEM_FENCE);
             }}
             for (int j = 0; j < 8; j++)
                 a[j * 64 + y * 16 + x] = sum[j];
         }}"
    );
    let sources = vec![SourceFile { name: "k.cl".into(), text }];
    let request = Request {
        cpus: vec![cpu.to_owned()],
        options: BuildOptions::parse("-cl-mad-enable").unwrap(),
        quality: Quality::Full,
        ..Request::new(sources)
    };
    let compiled = compile(&request, Emit::Assembly, Some("k")).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(compiled.bytes).unwrap()
}

/// Multiplications that take a number from memory and spread it by themselves.
fn spreads(assembly: &str) -> usize {
    assembly.lines().filter(|line| line.contains("vfmadd") && line.contains("{1to16}")).count()
}

#[test]
fn numbers_in_local_memory_are_spread_where_they_are_used() {
    let text = assembly("x86-64-v4", "local float *numbers");
    assert!(spreads(&text) >= 32, "{text}");
}

#[test]
fn so_are_constants() {
    let text = assembly("x86-64-v4", "constant float *numbers");
    assert!(spreads(&text) >= 32, "{text}");
}
