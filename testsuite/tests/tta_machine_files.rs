//! Machine files of other projects, where checkouts are at hand: `OXCL_ADF_DIRS` names folders, separated by colons.
//!
//! Every file loads or is refused for a reason that names a place in it; what loads is drawn. Little-endian machines of 32 bits
//! with guards run two kernels to the right result; of big-endian ones the twins do, and they themselves run assembly that
//! was printed and read back; the others say why nothing is compiled for them. Where a program does not fit, the message gives
//! the figures. Without the variable the test says that it did not run.
#![expect(clippy::print_stderr, reason = "the verdict on each file is what a person runs this test for")]

use oxcl_compiler::tta::kernel::compile_kernel;
use oxcl_compiler::tta::launch::Argument;
use oxcl_compiler::{BuildOptions, SourceFile};
use oxcl_tta::adf::{AdfProblem, read};
use oxcl_tta::image::Image;
use oxcl_tta::lift::Ability;
use oxcl_tta::model::Machine;
use oxcl_tta::validate::{Severity, compile_obstacles, validate};
use oxcl_tta::{asm, draw, sample, twin};
use oxcl_ttasim::{Engine, Stop, System};
use std::sync::Arc;

#[path = "../../compiler/tta/tests/support/machine_files.rs"]
mod machine_files;

const ADD: &str = "kernel void add(global const int *a, global const int *b, global int *c, int k) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i] * k;
}";

const SUM: &str = "kernel void sum(global const uint *in, global uint *out, local uint *part) {
    uint l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_size(0) / 2; k > 0; k /= 2) {
        if (l < k) part[l] += part[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}";

/// The cycles of a kernel whose last buffer must hold `expected` afterwards.
fn run(machine: &Machine, source: &str, arguments: &[Argument], expected: &[u32]) -> Result<u64, String> {
    let sources = [SourceFile { name: "kernel.cl".into(), text: source.into() }];
    let compiled =
        compile_kernel(&sources, &BuildOptions::default(), None, machine).map_err(|e| e.to_string())?;
    let launch = compiled.launch(2, 8, arguments).map_err(|e| e.to_string())?;
    let image = Arc::new(compiled.program.image);
    let system = System::with_own_memories(std::slice::from_ref(&image), Engine::Strict);
    let mut system = system.map_err(|e| e.to_string())?;
    for (space, address, bytes) in &launch.writes {
        let written = system.memory_mut(0, *space).write(u64::from(*address), bytes);
        written.map_err(|e| format!("{e:?}"))?;
    }
    let stop = system.run(2_000_000).map_err(|e| e.to_string())?;
    let (space, at) = *launch.buffers.last().ok_or("there is no buffer")?;
    let mut bytes = vec![0; 4 * expected.len()];
    system.memory(0, space).read(u64::from(at), &mut bytes).map_err(|e| format!("{e:?}"))?;
    let found: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    match stop {
        Stop::Ended if found == expected => Ok(system.cycle()),
        Stop::Ended => Err(format!("WRONG: {found:?}, not {expected:?}")),
        Stop::Limit => Err("WRONG: it has not ended".to_owned()),
    }
}

/// The cycles of both kernels.
fn kernels(machine: &Machine) -> Result<(u64, u64), String> {
    let (a, b): (Vec<u32>, Vec<u32>) =
        ((0..16).map(|i| i * 77).collect(), (0..16).map(|i| i * i + 7).collect());
    let added: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_sub(b * 5)).collect();
    let sums: Vec<u32> = b.chunks(8).map(|c| c.iter().sum()).collect();
    let factor = Argument::Word(5_u32.wrapping_neg());
    let buffers = [Argument::Buffer(a), Argument::Buffer(b.clone()), Argument::Buffer(vec![0; 16]), factor];
    let first = run(machine, ADD, &buffers, &added)?;
    let buffers = [Argument::Buffer(b), Argument::Buffer(vec![0; 2]), Argument::Local(32)];
    Ok((first, run(machine, SUM, &buffers, &sums)?))
}

/// The cycles of random assembly, printed and read back, in both engines.
fn assembly(machine: &Machine) -> Result<u64, String> {
    let mut cycles = 0;
    for seed in 0..3 {
        let made = sample::program(machine, seed, 60);
        let text = asm::print(machine, &made);
        let program = asm::parse(machine, &text).map_err(|e| format!("WRONG: {e}"))?;
        let image = Arc::new(Image { machine: machine.clone().into(), program });
        let mut states = Vec::new();
        for engine in [Engine::Strict, Engine::Fast] {
            let system = System::with_own_memories(std::slice::from_ref(&image), engine);
            let mut system = system.map_err(|e| format!("WRONG: {e}"))?;
            system.run(100_000).map_err(|e| format!("WRONG: {e}"))?;
            states.push((system.cycle(), system.state(0).to_vec()));
        }
        if states[0] != states[1] {
            return Err("WRONG: the engines differ".to_owned());
        }
        cycles += states[0].0;
    }
    Ok(cycles)
}

fn verdict(machine: &Machine) -> String {
    let kernels = |machine: &Machine| match kernels(machine) {
        Ok((add, sum)) => format!("vector add {add} cycles, sum over local memory {sum}"),
        Err(why) => why,
    };
    let assembly = match assembly(machine) {
        Ok(cycles) => format!("assembly {cycles} cycles"),
        Err(why) => why,
    };
    match Ability::of(machine) {
        Ok(_) => format!("{}; {assembly}", kernels(machine)),
        Err(why) => {
            let twin = twin::little_endian(machine);
            let of_twin = Ability::of(&twin).map_or_else(|why| why.to_string(), |_| kernels(&twin));
            if machine.little_endian {
                format!("{why}; {assembly}")
            } else {
                format!("{why}; {assembly}; its twin: {of_twin}")
            }
        }
    }
}

#[test]
fn every_machine_file_runs_or_says_why_not() {
    let Some(files) = machine_files::machine_files() else { return };
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(file).expect("a listed file can be read");
        let machine = match read(&String::from_utf8_lossy(&bytes)) {
            Ok(loaded) => loaded.machine,
            Err(error) => {
                eprintln!("{name}: refused: {error}");
                if matches!(error.problem, AdfProblem::UnknownElement { .. } | AdfProblem::Xml { .. }) {
                    wrong.push(name);
                }
                continue;
            }
        };
        if let Some(error) = validate(&machine).iter().find(|f| f.severity == Severity::Error) {
            eprintln!("{name}: refused: {}: {}", error.subject, error.message);
            continue;
        }
        let drawn = draw::draw(&machine);
        let verdict = verdict(&machine);
        eprintln!("{name}: {verdict}");
        let says_why = Ability::of(&machine).is_ok() || !compile_obstacles(&machine).is_empty();
        if verdict.contains("WRONG") || !drawn.starts_with("<svg") || !says_why {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
