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
