//! The documentation against the program: every command that a page shows is run and counted, what it is said to print is looked
//! for, commands and options that sentences name exist, and no link or picture is missing.
//!
//! A page is read from its beginning, in a folder of its own. A block of `c`, `toml` or `python` whose first line is a comment
//! with a file's name becomes that file. The lines of a block of `sh` are run; a block of `text` behind it has lines that must
//! have been printed, in this order. A comment before a block says otherwise: `<!-- exit code N -->`, `<!-- any exit code -->`, and
//! of a block of `text` `<!-- not run: WHY -->`. `instead.rs` has what is run in place of what would take too long.
#![cfg(feature = "compiler")]

mod instead;
mod markdown;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use instead::{INSTEAD, Instead, with_built_tests};
use markdown::{Directive, blocks, commands, file_of};
use place::{Place, repository};

/// Each folder here is an example with a page.
const EXAMPLES: &str = "testsuite/examples/";

/// Options that help does not show: they are for our own tests.
const HIDDEN: [&str; 2] = ["--quick", "--fault"];

/// How many commands of a page were run here, or are run by a script or another test.
#[derive(Debug, Default, PartialEq)]
struct Count {
    run: usize,
    there: usize,
}

/// The row of the table for a command.
fn row(line: &str) -> Option<Instead> {
    INSTEAD.iter().find(|(command, _)| *command == line).map(|(_, instead)| *instead)
}

fn follow(page: &str) -> Count {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let file = repository().join(page);
    // An example's commands are run in its folder.
    let place = Place::new(&text, page.starts_with(EXAMPLES).then(|| file.parent().unwrap()));
    let mut count = Count::default();
    let mut printed = String::new();
    for block in blocks(&text) {
        let at = format!("{page}:{}", block.line);
        if let Some(name) = file_of(&block) {
            fs::write(place.path(name), &block.text).unwrap();
        }
        match block.language.as_str() {
            "text" if block.follows && block.directive != Directive::NotRun && !printed.is_empty() => {
                let mut lines = printed.lines();
                for want in block.text.lines() {
                    assert!(
                        lines.any(|line| line == want),
                        "{at}: nothing prints `{want}` there, but:\n{printed}"
                    );
                }
            }
            "sh" => {
                printed.clear();
                for line in commands(&block.text) {
                    let line = match row(&line) {
                        Some(Instead::Run(line)) => line.to_owned(),
                        Some(Instead::There(file, text)) => {
                            let there = fs::read_to_string(repository().join(file)).unwrap();
                            assert!(there.contains(text), "{at}: `{line}`: {file} has no `{text}`");
                            count.there += 1;
                            continue;
                        }
                        None => line,
                    };
                    let line = with_built_tests(&line, &place);
                    let output = place.shell(&line).output().unwrap();
                    printed += &String::from_utf8_lossy(&output.stdout);
                    printed += &String::from_utf8_lossy(&output.stderr);
                    let want = match block.directive {
                        Directive::AnyExit => output.status.code(),
                        Directive::Exit(code) => Some(code),
                        Directive::None | Directive::NotRun => Some(0),
                    };
                    assert_eq!(output.status.code(), want, "{at}: `{line}` prints\n{printed}");
                    count.run += 1;
                }
            }
            _ => printed.clear(),
        }
    }
    count
}

/// One test for each page with commands: how many of these are run, and are run elsewhere.
macro_rules! pages {
    ($($name:ident $page:literal $run:literal $there:literal)*) => {
        $(#[test]
        fn $name() {
            let count = follow($page);
            println!("{}: {count:?}", $page);
            assert_eq!(count, Count { run: $run, there: $there });
        })*

        #[test]
        fn every_page_with_commands_has_its_test() {
            let tested: BTreeSet<&str> = BTreeSet::from([$($page),*]);
            let shown: Vec<String> = pages();
            let shown: BTreeSet<&str> = shown
                .iter()
                .filter(|page| {
                    let text = fs::read_to_string(repository().join(page)).unwrap();
                    blocks(&text).iter().any(|block| block.language == "sh")
                })
                .map(String::as_str)
                .collect();
            assert_eq!(shown, tested);
        }
    };
}

pages! {
    readme "README.md" 13 1
    add_a_driver "docs/add-a-driver.md" 5 1
    architecture "docs/architecture.md" 1 0
    builtins "docs/builtins.md" 1 0
    embedding "docs/embedding.md" 5 0
    first_kernel "docs/first-kernel.md" 12 0
    from_cuda "docs/from-cuda.md" 3 0
    from_pocl "docs/from-pocl.md" 5 0
    images "docs/images.md" 1 0
    install "docs/install.md" 4 5
    own_processor "docs/own-processor.md" 18 0
    performance "docs/performance.md" 21 0
    scheduler "docs/scheduler.md" 2 0
    spirv "docs/spirv.md" 3 0
    testing "docs/testing.md" 22 0
    vectoriser "docs/vectoriser.md" 5 0
    example_conjugate_gradient "testsuite/examples/conjugate-gradient/README.md" 3 0
    example_embedding "testsuite/examples/embedding/README.md" 2 0
    example_fft "testsuite/examples/fft/README.md" 2 0
    example_image_filter "testsuite/examples/image-filter/README.md" 2 0
    example_n_body "testsuite/examples/n-body/README.md" 2 0
    example_neural_network "testsuite/examples/neural-network/README.md" 1 0
    example_numpy "testsuite/examples/numpy/README.md" 1 0
    example_opencl_c "testsuite/examples/opencl-c/README.md" 2 0
    example_opencl_rust "testsuite/examples/opencl-rust/README.md" 3 0
    example_pyopencl "testsuite/examples/pyopencl/README.md" 0 2
    workloads "docs/workloads.md" 6 0
}

/// Every command of the pages.
fn all_commands() -> Vec<String> {
    let text = |page: &String| fs::read_to_string(repository().join(page)).unwrap();
    let of = |text: String| -> Vec<String> {
        let blocks = blocks(&text).into_iter().filter(|block| block.language == "sh");
        blocks.flat_map(|block| commands(&block.text)).collect()
    };
    pages().iter().map(text).flat_map(of).collect()
}

#[test]
fn what_is_run_instead_stands_on_a_page() {
    let shown: BTreeSet<String> = all_commands().into_iter().collect();
    let unused: Vec<&str> =
        INSTEAD.iter().map(|(command, _)| *command).filter(|command| !shown.contains(*command)).collect();
    assert!(unused.is_empty(), "no page shows {unused:#?}");
}

#[test]
fn the_page_on_tests_has_their_number() {
    let text = fs::read_to_string(repository().join("docs/testing.md")).unwrap();
    let said = format!("each of the {} commands", all_commands().len());
    assert!(text.replace('\n', " ").contains(&said), "docs/testing.md does not say `{said}`");
}

/// The pages.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.ends_with(".md"));
    let mut found: Vec<String> = names.map(|name| format!("docs/{name}")).collect();
    found.push("README.md".to_owned());
    for entry in fs::read_dir(repository().join(EXAMPLES)).unwrap() {
        found.push(format!("{EXAMPLES}{}/README.md", entry.unwrap().file_name().to_string_lossy()));
    }
    found.sort();
    found
}

/// A heading as links name it.
fn anchor(heading: &str) -> String {
    let plain = heading.trim_start_matches('#').trim().to_lowercase();
    plain
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn no_link_or_picture_is_missing() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let path = repository().join(&page);
        let text = fs::read_to_string(&path).unwrap();
        for (_, rest) in text.match_indices("](").map(|(at, _)| (at, &text[at + 2..])) {
            let Some(target) = rest.split([')', '\n']).next() else { continue };
            if target.contains("://") || target.contains(' ') {
                continue;
            }
            count += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let place = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let has_heading = || {
                let text = fs::read_to_string(&place).unwrap_or_default();
                text.lines().any(|line| line.starts_with('#') && anchor(line) == heading)
            };
            if !place.exists() || (!heading.is_empty() && !has_heading()) {
                broken.push(format!("{page}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(count > 50, "only {count} links were found");
}

/// A page's name below the repository, for a link from `docs`.
fn named_from_docs(target: &str) -> String {
    target.strip_prefix("../").map_or_else(|| format!("docs/{target}"), str::to_owned)
}

#[test]
fn the_contents_name_every_page_once() {
    let text = fs::read_to_string(repository().join("docs/SUMMARY.md")).unwrap();
    let mut named: Vec<String> = text
        .lines()
        .filter_map(|line| line.split("](").nth(1)?.strip_suffix(')'))
        .map(named_from_docs)
        .chain(["docs/SUMMARY.md".to_owned()])
        .collect();
    named.sort();
    assert_eq!(named, pages());
}

/// Words in backquotes that begin with the program's name: command lines in sentences and tables.
fn named_command_lines(text: &str) -> Vec<Vec<&str>> {
    let outside: Vec<&str> = text.split("\n```").step_by(2).collect();
    let quoted = outside.iter().flat_map(|part| part.split('`').skip(1).step_by(2));
    quoted
        .filter_map(|code| code.strip_prefix("oxcl "))
        .map(|rest| rest.split_whitespace().collect())
        .collect()
}

/// Commands that only programs built with MPI have.
const WITH_MPI: [&[&str]; 2] = [&["node"], &["bench", "nodes"]];

/// The help of a command, or nothing where there is no such command.
fn help(command: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_oxcl")).args(command).arg("--help").output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn commands_and_options_in_sentences_exist() {
    let mut helps: BTreeMap<Vec<String>, Option<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(repository().join(&page)).unwrap();
        for words in named_command_lines(&text) {
            let plain = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            // `oxcl cache stats|prune`, `oxcl K.cl`: no words of commands.
            let mut command: Vec<&str> = words.iter().take_while(plain).take(2).copied().collect();
            let has_parts = |word: &&str| ["bench", "cache", "gen", "tta"].contains(word);
            command.truncate(if command.first().is_some_and(has_parts) { 2 } else { 1 });
            if command.is_empty() || command[0].starts_with('-') || WITH_MPI.contains(&command.as_slice()) {
                continue;
            }
            count += 1;
            let key = command.iter().map(|word| (*word).to_owned()).collect();
            let Some(help) = helps.entry(key).or_insert_with(|| help(&command)) else {
                wrong.push(format!("{page}: there is no `oxcl {}`", command.join(" ")));
                continue;
            };
            for option in words.iter().take_while(|word| **word != "--").filter(|word| word.starts_with("--"))
            {
                let name = option.split(['=', '[', ']', ',']).next().unwrap();
                if !HIDDEN.contains(&name) && !help.contains(name) {
                    wrong.push(format!("{page}: `oxcl {}` has no {name}", command.join(" ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 50, "only {count} commands were found");
}

/// The packages of the workspace and where they are.
fn packages() -> BTreeMap<String, PathBuf> {
    let text = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let members = text.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let folders = members.split('"').skip(1).step_by(2).map(|member| repository().join(member));
    let named = folders.map(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let name =
            manifest.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
        (name, folder)
    });
    named.collect()
}

#[test]
fn packages_tests_and_targets_of_make_exist() {
    let packages = packages();
    let makefile = fs::read_to_string(repository().join("Makefile")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(repository().join(&page)).unwrap();
        for line in
            text.split(['`', '\n']).filter(|line| line.contains("cargo ") || line.starts_with("make "))
        {
            let words: Vec<&str> = line.split_whitespace().collect();
            let mut folders: Vec<&PathBuf> = Vec::new();
            for pair in words.windows(2) {
                let is = match *pair {
                    ["-p" | "--package", name] => {
                        folders.extend(packages.get(name));
                        packages.contains_key(name)
                    }
                    ["--test", name] => {
                        let names = [format!("tests/{name}.rs"), format!("tests/{name}/main.rs")];
                        names.iter().any(|name| folders.iter().any(|folder| folder.join(name).exists()))
                    }
                    ["--bench", name] => {
                        folders.iter().any(|folder| folder.join(format!("benches/{name}.rs")).exists())
                    }
                    ["make", target]
                        if words[0] == "make" && target.starts_with(|c: char| c.is_lowercase()) =>
                    {
                        makefile.contains(&format!("\n{target}:"))
                    }
                    _ => continue,
                };
                count += 1;
                if !is {
                    wrong.push(format!("{page}: `{line}` has {pair:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 50, "only {count} were found");
}
