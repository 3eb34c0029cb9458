//! Tests of `options.rs`.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::{BuildOptions, ExtensionToggle, Macro, OptLevel, OptionError, Standard, Switch, Warnings};

fn error(text: &str) -> String {
    BuildOptions::parse(text).expect_err("these options are wrong").to_string()
}

#[test]
fn reads_what_applications_give() {
    let options = BuildOptions::parse(
        "-D N=4 -DNAME='a b' -D \"STR=\\\"x\\\"\" -I /inc -Ilib -cl-std=CL2.0 -cl-fast-relaxed-math -w -O2",
    )
    .unwrap();
    let defined = |text: &str| Macro::Define(text.to_owned());
    assert_eq!(options.macros, [defined("N=4"), defined("NAME=a b"), defined("STR=\"x\"")]);
    assert_eq!(options.include_dirs, ["/inc", "lib"]);
    assert_eq!(options.standard(), Standard::Cl20);
    assert!(options.switches.has(Switch::FastRelaxedMath));
    assert!(!options.switches.has(Switch::MadEnable));
    assert_eq!(options.warnings, Warnings::Off);
    assert_eq!(options.opt_level(), OptLevel::O2);
}

#[test]
fn empty_options_mean_opencl_c_1_2_at_full_optimisation() {
    let options = BuildOptions::parse("  \t ").unwrap();
    assert_eq!(options, BuildOptions::default());
    assert_eq!(options.standard(), Standard::Cl12);
    assert_eq!(options.opt_level(), OptLevel::O3);
}

#[test]
fn opt_disable_wins_over_a_level() {
    assert_eq!(BuildOptions::parse("-cl-opt-disable -O3").unwrap().opt_level(), OptLevel::O0);
}

#[test]
fn errors_name_the_option_and_what_would_do() {
    insta::assert_snapshot!(
        [
            "-cl-fast-relaxed-maths",
            "-cl-std=CL1.3",
            "-frobnicate",
            "-D",
            "-D 3=4",
            "-x spir",
            "-x c++",
            "-cl-ext=fp64",
            "-I 'unclosed",
            "kernel.cl",
        ]
        .map(error)
        .join("\n"),
        @r"
    unknown build option '-cl-fast-relaxed-maths'; the nearest known one is '-cl-fast-relaxed-math'
    build option '-cl-std=' does not take 'CL1.3': it takes CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 or CL3.1
    unknown build option '-frobnicate'
    build option '-D' needs a value: NAME or NAME=VALUE
    build option '-D' does not take '3=4': it takes a macro's name, then '=VALUE' if it has one
    build option '-x spir' is not supported: programs are given as OpenCL C or as pocl-binary
    build option '-x' does not take 'c++': it takes cl
    build option '-cl-ext=' does not take 'fp64': it takes +NAME or -NAME, separated by commas
    the build options end inside a quote that begins with ' at byte 3
    unknown build option 'kernel.cl'
    "
    );
    assert!(matches!(BuildOptions::parse("-cl-mad"), Err(OptionError::Unknown { .. })));
}

fn options() -> impl Strategy<Value = BuildOptions> {
    let name = "[a-zA-Z_][a-zA-Z0-9_]{0,6}";
    let value = "[^\0]{0,8}";
    let definition = prop_oneof![
        name.prop_map(Macro::Define),
        (name, value).prop_map(|(n, v)| Macro::Define(format!("{n}={v}"))),
        name.prop_map(Macro::Undefine),
    ];
    let standard = prop_oneof![Just(None), prop::sample::select(&Standard::ALL[..]).prop_map(Some)];
    let level = prop_oneof![
        Just(None),
        prop::sample::select(&[OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3][..]).prop_map(Some)
    ];
    let warnings = prop::sample::select(&[Warnings::Report, Warnings::Off, Warnings::Error][..]);
    let toggle = ("[a-z_]{1,8}", any::<bool>()).prop_map(|(name, on)| ExtensionToggle { name, on });
    (
        prop::collection::vec(definition, 0..4),
        prop::collection::vec("[^\0]{1,8}", 0..3),
        standard,
        prop::collection::vec(prop::sample::select(&super::SWITCHES[..]), 0..5),
        level,
        warnings,
        prop::collection::vec("(no-)?[a-df-z]{1,6}", 0..3),
        prop::collection::vec(toggle, 0..3),
    )
        .prop_map(
            |(macros, include_dirs, standard, set, optimisation, warnings, warning_names, extensions)| {
                let mut options = BuildOptions {
                    macros,
                    include_dirs,
                    standard,
                    optimisation,
                    warnings,
                    warning_names,
                    extensions,
                    ..BuildOptions::default()
                };
                for (_, switch) in set {
                    options.switches.set(switch);
                }
                options
            },
        )
}

proptest! {
    #[test]
    fn printing_and_parsing_gives_the_same_options(options in options()) {
        prop_assert_eq!(BuildOptions::parse(&options.to_string()), Ok(options.clone()));
        prop_assert_eq!(BuildOptions::from_arguments(options.to_arguments()), Ok(options));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,40}") {
        let _ = BuildOptions::parse(&text);
    }
}
