//! Compiler options as compilers take them: `-cl-fast-relaxed-math`, `-Werror` and the like have one dash and many
//! letters, which clap would read as many options of one letter. They are turned into `--build-option=...` before clap
//! sees them. Nothing behind `--` is touched.

use std::ffi::{OsStr, OsString};

/// Commands that take build options, and those of them that have a `-g` of their own.
const COMPILING: [(&str, bool); 3] = [("compile", false), ("run", true), ("check", false)];

/// The arguments as clap shall see them; the first is the program's name.
pub(crate) fn prepare(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut compiling = None;
    let mut rest = false;
    args.enumerate()
        .map(|(index, arg)| {
            rest |= arg == "--";
            if rest || index == 0 {
                return arg;
            }
            let text = arg.to_str().unwrap_or_default();
            if compiling.is_none() && !text.starts_with('-') {
                compiling = Some(COMPILING.iter().find(|(name, _)| *name == text));
            }
            if let Some(Some((_, own_g))) = compiling
                && is_build_option(text)
                && !(*own_g && text == "-g")
            {
                let mut long = OsString::from("--build-option=");
                long.push(OsStr::new(text));
                return long;
            }
            arg
        })
        .collect()
}

/// Whether this process was asked for JSON, where what clap makes of its arguments is not at hand. What follows `--` is for others.
pub(crate) fn asks_for_json() -> bool {
    std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

fn is_build_option(text: &str) -> bool {
    text.starts_with("-cl-") || text.starts_with("-W") || matches!(text, "-w" | "-g")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(args: &[&str]) -> Vec<String> {
        prepare(args.iter().map(OsString::from)).into_iter().filter_map(|a| a.into_string().ok()).collect()
    }

    #[test]
    fn single_dash_words_are_build_options_before_the_dashes() {
        assert_eq!(
            prepared(&[
                "oxcl",
                "-v",
                "compile",
                "-cl-std=CL1.2",
                "a.cl",
                "-Werror",
                "-DX=1",
                "--",
                "-cl-opt-disable"
            ]),
            [
                "oxcl",
                "-v",
                "compile",
                "--build-option=-cl-std=CL1.2",
                "a.cl",
                "--build-option=-Werror",
                "-DX=1",
                "--",
                "-cl-opt-disable"
            ]
        );
        assert_eq!(prepared(&["oxcl", "compile", "-g"]), ["oxcl", "compile", "--build-option=-g"]);
        assert_eq!(prepared(&["oxcl", "run", "-g", "4"]), ["oxcl", "run", "-g", "4"]);
        assert_eq!(prepared(&["oxcl", "devices", "-w"]), ["oxcl", "devices", "-w"]);
    }
}
