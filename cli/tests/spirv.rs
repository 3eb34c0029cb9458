//! Modules of SPIR-V on command lines: made, shown, run on each device, linked with others, and what is said of damaged ones.

mod common;

use common::{Sandbox, words};

const SCALE: &str = "kernel void scale(global float *data, float by) { data[get_global_id(0)] *= by; }\n";

/// A sandbox with `scale.spv`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("scale.cl", SCALE);
    let made = sandbox.run(&words("compile scale.cl --emit spirv -o scale.spv"));
    assert_eq!(made.code, Some(0), "{made:?}");
    sandbox
}

#[test]
fn modules_run_as_their_sources_do() {
    let sandbox = sandbox();
    // What a file is, its first word says and not its name.
    sandbox.write("module.cl", sandbox.read("scale.spv"));
    for file in ["scale.cl", "scale.spv", "module.cl"] {
        for device in ["cpu", "basic", "ref", "discrete"] {
            let line = format!(
                "run {file} scale -g 4 -l 2 -a data=1,2,3,4 -a by=2.5 --print data --device {device} --no-cache"
            );
            let ran = sandbox.run(&words(&line));
            assert_eq!(
                (ran.code, ran.out.as_str()),
                (Some(0), "data[0..4]: 2.5 5 7.5 10\n"),
                "{line}: {ran:?}"
            );
        }
    }
    let line = "run scale.spv scale -g 4 -a data=1,2,3,4 -a by=2.5 --expect data=2.5,5,7.5,11";
    assert_eq!(sandbox.run(&words(line)).code, Some(1));
}

#[test]
fn modules_link_with_sources_and_archives_run() {
    let sandbox = Sandbox::new();
    sandbox.write("twist.cl", "uint twist(uint x) { return x ^ 5; }\n");
    sandbox.write(
        "all.cl",
        "uint twist(uint x);\nkernel void all(global uint *out) { out[get_global_id(0)] = twist(get_global_id(0)); }\n",
    );
    for line in [
        "compile twist.cl --emit spirv -o twist.spv",
        "compile all.cl --emit spirv -o all.spv",
        "compile all.cl twist.spv -o one.poclbin",
        "compile all.spv twist.cl -o two.poclbin",
        "compile all.spv twist.spv -o three.poclbin",
    ] {
        let made = sandbox.run(&words(line));
        assert_eq!(made.code, Some(0), "{line}: {made:?}");
    }
    for file in ["one.poclbin", "two.poclbin", "three.poclbin"] {
        let line = format!("run {file} all -g 4 -a out=zeros:uint:4 --print out");
        let ran = sandbox.run(&words(&line));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "out[0..4]: 5 4 7 6\n"), "{line}: {ran:?}");
    }
    // Alone it lacks a function.
    assert_ne!(sandbox.run(&words("compile all.spv -o alone.poclbin")).code, Some(0));
}

#[test]
fn listings_and_errors_name_what_is_in_the_module() {
    let sandbox = sandbox();
    let shown = sandbox.run(&words("inspect scale.spv"));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for part in ["OpEntryPoint Kernel %scale \"scale\"", "%data = OpFunctionParameter", "; SPIR-V 1."] {
        assert!(shown.out.contains(part), "no {part} in\n{}", shown.out);
    }
    let whole = sandbox.read("scale.spv");
    sandbox.write("cut.spv", &whole[..200]);
    let mut other = whole.clone();
    // The first capability is another one: Shader.
    let capability = whole.chunks(4).position(|word| word == (2_u32 << 16 | 17).to_le_bytes()).unwrap();
    other[4 * (capability + 1)] = 1;
    sandbox.write("shader.spv", other);
    for (file, code, said) in [("cut.spv", "OX0231", "word "), ("shader.spv", "OX0233", "capability Shader")]
    {
        for command in ["compile", "run"] {
            let rest = if command == "run" { "scale -g 4 -a data=1,2,3,4 -a by=2" } else { "-o x.poclbin" };
            let ran = sandbox.run(&words(&format!("{command} {file} {rest}")));
            assert_eq!(ran.code, Some(3), "{ran:?}");
            assert!(ran.err.contains(code) && ran.err.contains(said), "{}", ran.err);
        }
    }
}
