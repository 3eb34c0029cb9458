//! Compiler options as compilers take them: `-cl-fast-relaxed-math`, `-Werror` and the like have one dash and many
//! letters, which clap would read as many options of one letter. They are turned into `--build-option=...` before clap
//! sees them. Nothing behind `--` is touched. And the other way: what clap takes for wrong is given the word that was meant,
//! where clap's own measure has missed it (letters that are swapped in a short word).

use clap::error::{ContextKind, ContextValue};
use oxcl_workload::nearest::nearest;
use std::ffi::{OsStr, OsString};

/// Commands that take build options, and those of them that have a `-g` of their own.
const COMPILING: [(&str, bool); 3] = [("compile", false), ("run", true), ("check", false)];

/// The arguments as clap shall see them; the first is the program's name.
pub(crate) fn prepare(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut compiling = None;
    let mut rest = false;
    let mut is_value = false;
    args.enumerate()
        .map(|(index, arg)| {
            rest |= arg == "--";
            let was_value = std::mem::replace(&mut is_value, arg == "--build-option");
            if rest || was_value || index == 0 {
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

/// A parser's error with the subcommand or the value that was meant.
pub(crate) fn with_meant(
    mut error: clap::Error,
    args: impl Iterator<Item = OsString>,
    command: &clap::Command,
) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    if let Some(word) = text(ContextKind::InvalidSubcommand)
        && error.get(ContextKind::SuggestedSubcommand).is_none()
    {
        // The command whose subcommand it should be.
        let mut parent = command;
        for arg in args.skip(1).take_while(|arg| *arg != *word) {
            parent = arg.to_str().and_then(|arg| parent.find_subcommand(arg)).unwrap_or(parent);
        }
        if let Some(meant) = nearest(&word, parent.get_subcommands().map(clap::Command::get_name)) {
            let meant = ContextValue::Strings(vec![meant.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, meant);
        }
    } else if let Some(word) = text(ContextKind::InvalidValue)
        && error.get(ContextKind::SuggestedValue).is_none()
        && let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue)
        && let Some(meant) = nearest(&word, valid.iter().map(String::as_str))
    {
        let meant = ContextValue::String(meant.to_owned());
        error.insert(ContextKind::SuggestedValue, meant);
    }
    error
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
        let spelt_out = ["oxcl", "compile", "--build-option", "-cl-opt-disable", "a.cl"];
        assert_eq!(prepared(&spelt_out), spelt_out);
        assert_eq!(prepared(&["oxcl", "compile", "-g"]), ["oxcl", "compile", "--build-option=-g"]);
        assert_eq!(prepared(&["oxcl", "run", "-g", "4"]), ["oxcl", "run", "-g", "4"]);
        assert_eq!(prepared(&["oxcl", "devices", "-w"]), ["oxcl", "devices", "-w"]);
    }
}
