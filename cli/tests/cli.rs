//! The command line as a whole: help, usage errors, exit codes, closed pipes, colour.

mod common;

use common::{Sandbox, words};
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn help_is_as_written() {
    let sandbox = Sandbox::new();
    for command in ["", "run", "devices", "check", "gen"] {
        let ran = sandbox.run(&words(&format!("{command} --help")));
        assert_eq!(ran.code, Some(0), "{command}");
        let name = if command.is_empty() { "help".to_owned() } else { format!("help_{command}") };
        // Without the compiler the list of commands is shorter.
        if cfg!(feature = "compiler") {
            insta::assert_snapshot!(name, ran.out);
        }
    }
}

#[test]
fn usage_errors_are_code_2_and_go_to_standard_error() {
    let sandbox = Sandbox::new();
    for line in ["", "frobnicate", "run", "devices --frob", "run a.cl f --global 0", "-v -q devices"] {
        let ran = sandbox.run(&words(line));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{line}: {ran:?}");
    }
}

#[test]
fn version_and_help_are_results() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["--version"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "oxcl 0.1.0\n"));
}

#[test]
fn devices_are_listed() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["devices"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let names: Vec<&str> =
        ran.out.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["cpu", "basic", "ref"]);
    let json: serde_json::Value = serde_json::from_str(&sandbox.run(&["devices", "--json"]).out).unwrap();
    assert_eq!((json["schema"].as_u64(), json["kind"].as_str()), (Some(1), Some("devices")));
    assert_eq!(json["data"][2]["name"], "ref");
    let ran = sandbox.command(&["devices"]).env("OXCL_DEVICES", "cpu cpu basic").output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let names: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["cpu", "cpu", "basic"]);
    let ran = sandbox.command(&["devices"]).env("OXCL_DEVICES", "cpu abacus").output().unwrap();
    assert_eq!(ran.status.code(), Some(5));
    assert!(String::from_utf8(ran.stderr).unwrap().contains("OX0501"));
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let sandbox = Sandbox::new();
    for line in ["devices", "gen completions bash", "--help", "gen man run"] {
        let mut child =
            sandbox.command(&words(line)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn colour_only_where_it_is_wanted() {
    let sandbox = Sandbox::new();
    let err = |args: &[&str], name: &str| {
        let mut command = sandbox.command(args);
        if !name.is_empty() {
            command.env(name, "1");
        }
        sandbox.finished(command.output().unwrap()).err
    };
    let plain = ["check", "none.toml"];
    assert!(!err(&plain, "").contains('\x1b'));
    assert!(err(&plain, "CLICOLOR_FORCE").contains('\x1b'));
    assert!(!err(&plain, "NO_COLOR").contains('\x1b'));
    assert!(err(&["--color", "always", "check", "none.toml"], "NO_COLOR").contains('\x1b'));
    assert!(!err(&["--color", "never", "check", "none.toml"], "CLICOLOR_FORCE").contains('\x1b'));
}

#[test]
fn errors_can_be_json() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["--json", "check", "none.toml"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(6), ""));
    let json: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!((json["kind"].as_str(), json["data"]["exit"].as_u64()), (Some("error"), Some(6)));
}

#[test]
fn errors_of_the_command_line_are_json_too() {
    let sandbox = Sandbox::new();
    let error = |line: &str| {
        let ran = sandbox.run(&words(line));
        assert_eq!(ran.out, "", "{line}");
        let json: serde_json::Value = serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(json["data"]["exit"].as_i64(), ran.code.map(i64::from), "{line}");
        json["data"].clone()
    };
    let usage = error("--json run a.cl f --gloabl 8");
    assert_eq!((usage["exit"].as_u64(), usage["code"].as_str()), (Some(2), Some("OX0101")));
    assert!(usage["message"].as_str().unwrap().contains("--gloabl"), "{usage}");
    assert!(usage["help"].as_str().unwrap().contains("--global"), "{usage}");
    assert_eq!(error("devcies --json")["exit"], 2);
    sandbox.write("cut.poclbin", b"poclbin\0");
    let damaged = error("--json run cut.poclbin f -g 8");
    assert_eq!((damaged["exit"].as_u64(), damaged["code"].as_str()), (Some(4), Some("OX0601")), "{damaged}");
}

#[test]
fn every_error_under_json_has_a_code() {
    const SCALE: &str = "kernel void scale(global float *data, float k) { data[get_global_id(0)] *= k; }";
    let sandbox = Sandbox::new();
    sandbox.write("scale.cl", SCALE);
    sandbox.write("wrong.cl", "kernel void f(global float *a) { a[0] = b; }");
    sandbox.write("calls.cl", "void g(int); kernel void f(global int *a) { g(a[0]); }");
    sandbox.write("cut.npy", b"\x93NUMPY");
    sandbox.write("seven.bin", b"seven b");
    sandbox.write("workload.toml", "title = \"w\"\nnothing = 1\n");
    for (line, exit, code) in [
        ("run scale.cl", 2, "OX0101"),
        ("run scale.cl scale -g 4,x", 2, "OX0101"),
        ("check none.toml", 6, "OX0102"),
        ("run scale.cl -g 4 -a data=@none.npy -a k=2", 6, "OX0102"),
        ("run scale.cl -g 4 -a data=range:float:4 -a k=2 --save data=no/such/folder.npy", 6, "OX0103"),
        ("run cut.npy f -g 4", 4, "OX0104"),
        ("run scale.cl -g 4 -a data=@cut.npy -a k=2", 4, "OX0105"),
        ("run scale.cl -g 4 -a data=@seven.bin:float -a k=2", 4, "OX0106"),
        ("run workload.toml", 4, "OX0107"),
        ("run scale.cl -g 4 -a data=range:float:4 -a k=1,2", 2, "OX0108"),
        ("run wrong.cl -g 4 -a a=range:float:4", 3, "OX0201"),
        ("compile calls.cl -o calls.poclbin", 3, "OX0207"),
        ("run scale.cl -g 64 -a data=range:float:4 -a k=2", 5, "OX0560"),
    ] {
        let mut words = words(line);
        words.push("--json");
        let ran = sandbox.run(&words);
        assert_eq!(ran.code, Some(exit), "{line}: {ran:?}");
        let last: serde_json::Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
        let found = (last["kind"].as_str(), last["data"]["exit"].as_i64(), last["data"]["code"].as_str());
        assert_eq!(found, (Some("error"), Some(exit.into()), Some(code)), "{line}: {ran:?}");
    }
}

#[test]
fn the_nearest_word_is_proposed() {
    let sandbox = Sandbox::new();
    sandbox.write("blur.toml", "");
    sandbox.write("a.cl", "kernel void f() {}");
    for (line, want) in [
        ("devcies", "devices"),
        ("run a.cl f --gloabl 8", "--global"),
        ("run a.cl f --device bsaic", "did you mean basic?"),
        ("bench tasks --only bth", "did you mean both?"),
        ("gen man dcotor", "did you mean `doctor`?"),
        ("rnu a.cl", "a similar subcommand exists: 'run'"),
        ("tta ams x", "a similar subcommand exists: 'asm'"),
        ("compile a.cl --emit mri", "a similar value exists: 'mir'"),
        ("run a.cl f -g 1 -a x=zeros:flota4:8", "did you mean `float4`?"),
        ("run a.cl --build-option -cl-opt-disabel", "nearest known one is '-cl-opt-disable'"),
        ("gen completions bsah", "bash"),
        ("check bulr.toml", "did you mean 'blur.toml'?"),
        ("run bulr.toml", "did you mean 'blur.toml'?"),
    ] {
        let ran = sandbox.run(&words(line));
        assert!(ran.code != Some(0) && ran.err.contains(want), "{line}: {ran:?}");
    }
}

#[test]
fn an_interrupt_is_code_130() {
    let sandbox = Sandbox::new();
    sandbox.write("kernel.cl", "kernel void f() {}");
    // A command that runs until it is interrupted: it waits for what it runs itself.
    let line = ["reduce", "kernel.cl", "--status", "1", "--", "sh", "-c", "touch begun; exec sleep 20"];
    for (json, want) in [(false, "oxcl: interrupted\n"), (true, r#""exit":130"#)] {
        let mut command = sandbox.command(&line);
        if json {
            command = sandbox.command(&[&["--json"], &line[..]].concat());
        }
        // Tests that run in a shell's background have interrupts ignored, and so would what they start.
        let mut plain = std::process::Command::new("env");
        plain.arg("--default-signal=INT").arg(command.get_program()).args(command.get_args());
        plain.current_dir(sandbox.path()).env("OXCL_CACHE", "off").stdin(Stdio::null());
        let child = plain.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begun = sandbox.path().join("begun");
        while !begun.exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::fs::remove_file(begun).unwrap();
        let number = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &number]).status().unwrap().success());
        let ran = sandbox.finished(child.wait_with_output().unwrap());
        assert!(ran.code == Some(130) && ran.err.contains(want), "{ran:?}");
    }
}

#[test]
fn the_line_for_the_loader() {
    let sandbox = Sandbox::new();
    let library = sandbox.write("liboxcl.so", "").canonicalize().unwrap().display().to_string();
    let ran = sandbox.run(&["icd", "oxcl.icd", "--library", "liboxcl.so"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert_eq!(sandbox.read("oxcl.icd"), format!("{library}\n").into_bytes());
    for (line, file) in
        [("icd --json --library liboxcl.so", None), ("icd --json a.icd --library liboxcl.so", Some("a.icd"))]
    {
        let output = sandbox.command(&words(line)).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (json["data"]["library"].as_str(), json["data"]["file"].as_str()),
            (Some(&*library), file)
        );
    }
}

#[test]
fn completions_and_manual_pages_exist() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = sandbox.run(&["gen", "completions", shell]);
        assert!(ran.code == Some(0) && ran.out.contains("oxcl"), "{shell}");
    }
    assert!(sandbox.run(&["gen", "man"]).out.contains(".TH oxcl"));
    assert!(sandbox.run(&["gen", "man", "run"]).out.contains("oxcl\\-run"));
    let unknown = sandbox.run(&["gen", "man", "frob"]);
    assert_eq!((unknown.code, unknown.err.as_str()), (Some(2), "oxcl: there is no command called `frob`\n"));
}
