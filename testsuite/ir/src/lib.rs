//! File tests on LLVM IR as text: one hand-written kernel a file, and beside each line what an analysis says of it.
//!
//! A file is exact: the facts that it shows are all that the analyses find. Without steps they stand in the file's own
//! lines; after steps, which make another function, that function stands in comments at the file's end. `OXCL_BLESS=1`
//! writes what is found into the files; whoever does so reads the difference.

pub mod directive;
pub mod plans;

use std::fs;
use std::path::Path;

use directive::{IrTest, parse};
use oxcl_ir::report::{self, Listing};
use oxcl_ir::{Context, Function, Module, module as ir_module, read_module};
use oxcl_workgroup::analysis::{Analysis, analyse, run_step};
use oxcl_workgroup::{Options, PoclAbi, Target, Vectors};

/// The target that steps make code for: no processor in particular, so that no machine changes what comes of it.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// Its data layout.
const LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
/// What its vectors can do: as AVX2's.
const VECTORS: Vectors =
    Vectors { bits: 256, gathers: true, scatters: false, masks: true, masks_bytes: false };
/// Where what came of steps begins.
const RESULT: &str = "; ---- after the steps:";

/// Checks the file at `path`.
///
/// # Errors
/// What differs from what the file says, ready to be printed.
pub fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let test = parse(&text).map_err(|e| e.to_string())?;
    let context = Context::create();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let module = read_module(&context, text.as_bytes(), &name).map_err(|e| e.to_string())?;
    ir_module::set_target(&module, TRIPLE, LAYOUT);
    ir_module::verify(&module).map_err(|e| e.to_string())?;
    let kernel = kernel(&module, &test)?;
    let Found { given, found, blessed } = if test.steps.is_empty() {
        beside_lines(&text, &module, kernel, &test)?
    } else {
        match at_the_end(&text, &module, kernel, &test)? {
            Some(found) => found,
            None => return Ok(()),
        }
    };
    if given == found {
        return Ok(());
    }
    if std::env::var_os("OXCL_BLESS").is_some_and(|value| value == "1") {
        return fs::write(path, blessed.join("\n") + "\n").map_err(|e| e.to_string());
    }
    Err(differences(&given, &found))
}

/// What a file says, what is so, and the file that would say so; line by line.
struct Found {
    given: Vec<String>,
    found: Vec<String>,
    blessed: Vec<String>,
}

fn kernel<'c>(module: &Module<'c>, test: &IrTest) -> Result<Function<'c>, String> {
    if let Some(name) = &test.kernel {
        let found = Function::find(module, name).filter(|function| !function.is_declaration());
        return found.ok_or_else(|| format!("'kernel: {name}', but the file defines no such function"));
    }
    let defined: Vec<Function<'c>> =
        Function::all(module).into_iter().filter(|function| !function.is_declaration()).collect();
    match defined[..] {
        [only] => Ok(only),
        _ => Err(format!("defines {} functions: say which one with 'kernel:'", defined.len())),
    }
}

fn options(test: &IrTest) -> Options {
    Options {
        width: test.width,
        plan: None,
        local_size: test.local_size,
        uniform: test.uniform,
        variables: Vec::new(),
        pocl: PoclAbi::Context112,
        large_ids: test.large_ids,
        sub_group_size: 8,
        hinted_bits: None,
        target: Target {
            triple: TRIPLE.to_owned(),
            data_layout: LAYOUT.to_owned(),
            cpu: String::new(),
            features: String::new(),
            vectors: VECTORS,
        },
        remarks: false,
        strict: true,
    }
}

/// The names of all analyses: comments that begin with one of them are facts, so that none can be left behind when a
/// file's `analysis:` line changes.
fn names() -> Vec<&'static str> {
    Analysis::ALL.iter().map(|analysis| analysis.name()).collect()
}

fn beside_lines<'c>(
    text: &str,
    module: &Module<'c>,
    kernel: Function<'c>,
    test: &IrTest,
) -> Result<Found, String> {
    let listing = Listing::read(text, kernel, &names()).map_err(|e| e.to_string())?;
    // Some analyses change the function.
    let places = listing.places(kernel);
    let facts = analyse(module, &kernel.name(), &options(test), &test.analyses, test.among)
        .map_err(|e| e.to_string())?;
    if facts.is_empty() {
        return Err("the analyses say nothing of this kernel".to_owned());
    }
    Ok(Found {
        given: listing.given(),
        found: listing.annotated(&facts, &places, false),
        blessed: listing.annotated(&facts, &places, true),
    })
}

/// What comes of the steps; none where they were to fail, and did.
fn at_the_end<'c>(
    text: &str,
    module: &Module<'c>,
    kernel: Function<'c>,
    test: &IrTest,
) -> Result<Option<Found>, String> {
    let (name, options) = (kernel.name(), options(test));
    let done = test.steps.iter().try_for_each(|&step| run_step(module, &name, &options, step));
    match (done, &test.fails_with) {
        (Ok(()), None) => {}
        (Ok(()), Some(code)) => return Err(format!("is not refused, but should fail with {code}")),
        (Err(error), Some(code)) if error.code() == code => return Ok(None),
        (Err(error), Some(code)) => {
            return Err(format!("fails with {} instead of {code}: {error}", error.code()));
        }
        (Err(error), None) => return Err(format!("{}: {error}", error.code())),
    }
    let shown = if test.analyses.is_empty() {
        without_boilerplate(module, &name)
    } else {
        let facts =
            analyse(module, &name, &options, &test.analyses, test.among).map_err(|e| e.to_string())?;
        let kernel = Function::find(module, &name).ok_or("the kernel is gone")?;
        report::print(kernel, &facts).map_err(|e| e.to_string())?
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let end = lines.iter().position(|line| line == RESULT).unwrap_or(lines.len());
    let mut found: Vec<String> = lines[..end].to_vec();
    while found.last().is_some_and(String::is_empty) {
        found.pop();
    }
    found.extend([String::new(), RESULT.to_owned()]);
    found.extend(shown.trim_end().lines().map(|line| format!("; {line}").trim_end().to_owned()));
    Ok(Some(Found { given: lines, blessed: found.clone(), found }))
}

/// The functions of a module, but for the kernel that others were made of, and its metadata: without what every module has
/// (names of files, the target, declarations, attributes) and without LLVM's comments.
fn without_boilerplate(module: &Module<'_>, kernel: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    for function in Function::all(module) {
        if function.is_declaration() || function.name() == kernel {
            continue;
        }
        let text = function.to_string();
        let lines = text.lines().filter(|line| !line.starts_with(';') && !line.is_empty());
        kept.extend(lines.map(without_attributes));
        kept.push(String::new());
    }
    let text = ir_module::print(module);
    kept.extend(text.lines().filter(|line| line.starts_with('!')).map(str::to_owned));
    kept.join("\n")
}

/// A line without LLVM's comment and without numbers of attribute groups.
fn without_attributes(line: &str) -> String {
    let mut line = line.split(" ; preds = ").next().unwrap_or_default().trim_end().to_owned();
    while let Some(at) = line.find(" #") {
        let end = line[at + 2..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |n| at + 2 + n);
        line.replace_range(at..end, "");
    }
    line
}

/// The lines that are not as they should be, for people.
fn differences(given: &[String], found: &[String]) -> String {
    let mut text = String::from("what is found (+) is not what the file says (-):\n");
    let common = given.iter().zip(found).take_while(|(a, b)| a == b).count();
    let (given_rest, found_rest) = (&given[common..], &found[common..]);
    let tail = given_rest.iter().rev().zip(found_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let given_rest = &given_rest[..given_rest.len() - tail];
    let found_rest = &found_rest[..found_rest.len() - tail];
    if given_rest.len() == found_rest.len() {
        for (index, (a, b)) in given_rest.iter().zip(found_rest).enumerate().filter(|(_, (a, b))| a != b) {
            text.push_str(&format!("line {}\n- {a}\n+ {b}\n", common + index + 1));
        }
    } else {
        text.push_str(&format!("from line {}\n", common + 1));
        given_rest.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
        found_rest.iter().for_each(|line| text.push_str(&format!("+ {line}\n")));
    }
    text.push_str("OXCL_BLESS=1 writes what is found into the file; read the difference then.");
    text
}
