//! What somebody does first: a kernel without arguments, which proposes a command line that runs, and `oxcl new`.
#![cfg(feature = "compiler")]

mod common;

use common::{Ran, Sandbox};

const KERNELS: &str = "
typedef struct { float x[3]; int n; } body;
kernel void scale(global const float *in, global float *out, float k) { out[get_global_id(0)] = k * in[get_global_id(0)]; }
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void tile(global float4 *image, local float4 *rows) {
  size_t l = get_local_id(1) * 16 + get_local_id(0);
  rows[l] = image[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  image[l] = rows[255 - l];
}
kernel __attribute__((reqd_work_group_size(96, 1, 1))) void line(global uchar *bytes) { bytes[get_global_id(0)]++; }
kernel void move(global body *bodies, body by, int2 steps) { bodies[get_global_id(0)].n += by.n + steps.y; }
kernel void sum(global const int *numbers, uint count, global int *total) {
  int all = 0;
  for (uint i = 0; i < count; i++) all += numbers[i];
  if (get_global_id(0) == 0) total[0] = all;
}
kernel void nothing() {}
constant sampler_t nearby = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void blur(read_only image2d_t in, write_only image2d_t out, sampler_t by, global float *sums) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = read_imagef(in, by, at - 1) + read_imagef(in, nearby, at + 1);
  sums[at.x] = sum.x;
  write_imagef(out, at, sum / 2);
}
kernel void far(read_only image2d_depth_t depths, read_only image1d_t colours, global float *out) {
  out[get_global_id(0)] = read_imagef(depths, nearby, (int2)(0, 0)) + read_imagef(colours, nearby, 1).x;
}
kernel void volume(read_only image3d_t in, global float *out) { out[0] = read_imagef(in, nearby, (int4)(0)).x; }
";

/// Runs what a message proposes, as a shell does.
fn follow(sandbox: &Sandbox, ran: &Ran) -> Ran {
    let line = ran.err.split("help: for example: oxcl ").nth(1).unwrap_or_else(|| panic!("{ran:?}"));
    let program = env!("CARGO_BIN_EXE_oxcl");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{program} {line}")]).current_dir(sandbox.path()).env("OXCL_CACHE", "off");
    sandbox.finished(shell.output().unwrap())
}

#[test]
fn what_is_proposed_runs() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", KERNELS);
    for (given, proposal) in [
        (
            vec!["scale"],
            "run k.cl scale --global 1024 --arg in=range:float:1024 --arg out=zeros:float:1024 --arg k=1.5 --print 'out[0..8]'",
        ),
        (
            vec!["scale", "-g", "64", "-a", "k=7", "-p", "out[1]"],
            "run k.cl scale --global 64 --arg in=range:float:1024 --arg out=zeros:float:1024 --arg k=7 --print 'out[1]'",
        ),
        (
            vec![
                "scale",
                "--offset",
                "0",
                "--width",
                "1",
                "--repeat",
                "2",
                "-e",
                "out=zeros:float:4",
                "--tolerance",
                "1e9",
            ],
            "run k.cl scale --global 1024 --offset 0 --width 1 --repeat 2 --tolerance 1000000000 --arg in=range:float:1024 --arg out=zeros:float:1024 --arg k=1.5 --expect out=zeros:float:4",
        ),
        (
            vec!["tile"],
            "run k.cl tile --global 16,16 --local 16,16 --arg image=range:float4:1024 --arg rows=local:16384 --print 'image[0..8]'",
        ),
        (
            vec!["line"],
            "run k.cl line --global 1056 --local 96 --arg bytes=range:uchar:1056 --print 'bytes[0..8]'",
        ),
        (
            vec!["move", "-DUNUSED=1 2"],
            "run k.cl move '-DUNUSED=1 2' --global 1024 --arg bodies=zeros:uchar:65536 --arg by=hex:00000000000000000000000000000000 --arg steps=3,3",
        ),
        (
            vec!["sum", "--device", "ref", "-g", "1"],
            "run k.cl sum --device ref --global 1 --arg numbers=range:int:1024 --arg count=3 --arg total=range:int:1024 --print 'total[0..8]'",
        ),
        (vec!["nothing"], "run k.cl nothing --global 1024"),
        (
            vec!["blur"],
            "run k.cl blur --global 256,256 --arg in=image:256x256 --arg out=image:256x256 --arg by=sampler:clamp_to_edge+linear --arg sums=zeros:float:65536 --save out=out.png --print 'sums[0..8]'",
        ),
        (
            vec!["blur", "-g", "40,30", "-s", "out=x.png"],
            "run k.cl blur --global 40,30 --arg in=image:40x30 --arg out=image:40x30 --arg by=sampler:clamp_to_edge+linear --arg sums=zeros:float:1200 --save out=x.png",
        ),
        (
            vec!["far"],
            "run k.cl far --global 256,256 --arg depths=image:256x256:float --arg colours=zeros:float4:1024 --arg out=zeros:float:65536 --print 'out[0..8]'",
        ),
    ] {
        let ran = sandbox.run(&[&["run", "k.cl"], &given[..]].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.ends_with(&format!("help: for example: oxcl {proposal}\n")), "{}", ran.err);
        let ran = follow(&sandbox, &ran);
        assert_eq!(ran.code, Some(0), "{proposal}: {ran:?}");
    }
    assert!(sandbox.path().join("out.png").is_file());
    let ran = sandbox.run(&["run", "k.cl", "volume"]);
    let said = "image array and volume parameters cannot be set from the command line";
    assert!(ran.code == Some(2) && ran.err.contains(said) && !ran.err.contains("for example"), "{ran:?}");
    let ran = sandbox.run(&["run", "k.cl", "scale", "-a", "q=1"]);
    assert!(ran.code == Some(2) && ran.err.contains("has no parameter `q`"), "{ran:?}");
}

#[test]
fn a_new_kernel_runs_and_is_tested() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["new", "my-blur"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (
            Some(0),
            "my-blur/my_blur.cl    the kernel\nmy-blur/my_blur.toml    oxcl run my-blur/my_blur.toml\n\
             my-blur/test.toml    oxcl run my-blur/test.toml\n"
        )
    );
    assert_eq!(sandbox.run(&["check", "my-blur/my_blur.cl", "my-blur/my_blur.toml"]).code, Some(0));
    let ran = sandbox.run(&["run", "my-blur/my_blur.toml", "my-blur/test.toml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(sandbox.path().join("my-blur/out/my_blur.npy").is_file());
    // The test notices when the kernel is wrong.
    let text = String::from_utf8(sandbox.read("my-blur/my_blur.cl")).unwrap();
    sandbox.write("my-blur/my_blur.cl", text.replace("if (i < count)", ""));
    assert_ne!(sandbox.run(&["run", "my-blur/test.toml"]).code, Some(0));
    for (name, want) in
        [("my-blur", "is there already"), ("2d", "no kernel can be called"), ("float", "a word of OpenCL C")]
    {
        let ran = sandbox.run(&["new", name]);
        assert!(ran.code == Some(2) && ran.err.contains(want), "{name}: {ran:?}");
    }
}
