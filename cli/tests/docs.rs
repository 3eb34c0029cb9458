//! The documentation against the program: every command that a page shows is run and counted, what it is said to print is looked
//! for, commands and options that sentences name exist, and no link or picture is missing.
//!
//! A page is read from its beginning, in a folder of its own. A block of `c`, `toml` or `python` whose first line is a comment
//! with a file's name becomes that file. The lines of a block of `sh` are run; a block of `text` behind it has lines that must
//! have been printed, in this order. A comment before a block says otherwise: `<!-- not run: WHY -->`, `<!-- exit code N -->`,
//! `<!-- any exit code -->`. Lines that call a program of `NOT_RUN` are counted and not run.
#![cfg(feature = "compiler")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that build, install or test this repository, or that another test runs.
const NOT_RUN: [(&str, &str); 9] = [
    ("cargo", "builds"),
    ("make", "builds"),
    ("mutate.py", "builds"),
    ("./mutate.py", "builds"),
    ("sudo", "changes the system"),
    ("clinfo", "needs the library: testsuite/dist.sh"),
    ("target/release/oxcl-campaign", "takes minutes"),
    ("target/clients/random_calls", "takes minutes"),
    ("testsuite/heat.sh", "measures"),
];

/// Each folder here is an example with a page.
const EXAMPLES: &str = "testsuite/examples/";

/// Options that help does not show: they are for our own tests.
const HIDDEN: [&str; 2] = ["--quick", "--fault"];

/// Folders of the repository that commands of a page may name.
const FOLDERS: [&str; 3] = ["testsuite/workloads", "testsuite/custom_operation", "compiler/tta/machines"];

/// A kernel for pages that speak of one and show none.
const KERNEL: &str = "kernel void f(global const float *in, global float *out) { size_t i = get_global_id(0); out[i] = 2 * in[i]; }\n";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// What a comment before a block says of it.
#[derive(Debug, Clone, PartialEq)]
enum Directive {
    None,
    NotRun(String),
    Exit(i32),
    AnyExit,
}

/// A fenced block.
#[derive(Debug)]
struct Block {
    language: String,
    text: String,
    directive: Directive,
    /// The line that it begins in, from 1.
    line: usize,
    /// Nothing stands between it and the block before.
    follows: bool,
}

fn directive(line: &str) -> Directive {
    let inner = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).map(str::trim);
    match inner {
        Some("any exit code") => Directive::AnyExit,
        Some(text) => match (text.strip_prefix("not run: "), text.strip_prefix("exit code ")) {
            (Some(why), _) => Directive::NotRun(why.to_owned()),
            (_, Some(code)) => Directive::Exit(code.parse().unwrap()),
            _ => Directive::None,
        },
        None => Directive::None,
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut before = "";
    let mut follows = false;
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            let mut text = inside.join("\n");
            text.push('\n');
            let directive = directive(before);
            found.push(Block { language: language.to_owned(), text, directive, line: at + 1, follows });
            follows = true;
        } else if !line.is_empty() {
            follows = false;
        }
        before = line;
    }
    found
}

/// The file that a block's first line names in a comment.
fn file_of(block: &Block) -> Option<&str> {
    let first = block.text.lines().next()?;
    let name = first.strip_prefix("// ").or_else(|| first.strip_prefix("# "))?;
    let known = matches!(block.language.as_str(), "c" | "toml" | "python");
    (known && name.contains('.') && !name.contains(' ')).then_some(name)
}

/// Commands: lines, those that end with a backslash joined to the next.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    joined
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            if entry.file_name() != "out" {
                copy(&entry.path(), &target);
            }
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// How many commands of a page were run, and why others were not.
#[derive(Debug, Default)]
struct Count {
    run: usize,
    not_run: BTreeMap<String, usize>,
}

impl Count {
    fn left_out(&self) -> usize {
        self.not_run.values().sum()
    }
}

fn follow(page: &str) -> Count {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = |path: &str| folder.path().join(path);
    for needed in FOLDERS {
        if text.contains(needed) {
            copy(&repository().join(needed), &place(needed));
        }
    }
    // An example's commands are run in its folder.
    if page.starts_with(EXAMPLES) {
        copy(repository().join(page).parent().unwrap(), folder.path());
    }
    fs::create_dir_all(place("target/release")).unwrap();
    symlink(env!("CARGO_BIN_EXE_oxcl"), place("target/release/oxcl")).unwrap();
    fs::write(place("kernel.cl"), KERNEL).unwrap();
    // Programs of OpenCL's see our platform alone, where `cargo test --workspace` has built the library.
    let compiler = Path::new(env!("CARGO_BIN_EXE_oxcl"));
    let library = compiler.parent().unwrap().join("deps/liboxcl.so");
    let vendors = tempfile::tempdir().unwrap();
    fs::write(vendors.path().join("oxcl.icd"), format!("{}\n", library.display())).unwrap();
    let path = format!("{}:{}", place("target/release").display(), std::env::var("PATH").unwrap_or_default());
    let mut count = Count::default();
    let mut printed = String::new();
    for block in blocks(&text) {
        let at = format!("{page}:{}", block.line);
        if let Some(name) = file_of(&block) {
            fs::write(place(name), &block.text).unwrap();
        }
        match block.language.as_str() {
            "text" if block.follows && !printed.is_empty() => {
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
                    let program = line
                        .split_whitespace()
                        .find_map(|word| NOT_RUN.iter().find(|(name, _)| *name == word));
                    let reason = match (&block.directive, program) {
                        (Directive::NotRun(why), _) => Some(why.as_str()),
                        (_, Some((_, why))) => Some(*why),
                        _ => None,
                    };
                    if let Some(why) = reason {
                        *count.not_run.entry(why.to_owned()).or_default() += 1;
                        continue;
                    }
                    let mut shell = Command::new("bash");
                    shell
                        .args(["-c", &line])
                        .current_dir(folder.path())
                        .env("PATH", &path)
                        .env("OCL_ICD_VENDORS", vendors.path())
                        .env("OXCL_COMPILER", compiler)
                        .env("OXCL_CACHE", "off");
                    let output = shell.output().unwrap();
                    printed += &String::from_utf8_lossy(&output.stdout);
                    printed += &String::from_utf8_lossy(&output.stderr);
                    let want = match block.directive {
                        Directive::AnyExit => output.status.code(),
                        Directive::Exit(code) => Some(code),
                        _ => Some(0),
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

/// One test for each page with commands: how many of these are run, and how many are marked as such that are not.
macro_rules! pages {
    ($($name:ident $page:literal $run:literal $left_out:literal)*) => {
        $(#[test]
        fn $name() {
            let count = follow($page);
            println!("{}: {} commands were run, not: {:?}", $page, count.run, count.not_run);
            assert_eq!((count.run, count.left_out()), ($run, $left_out), "{count:?}");
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
    readme "README.md" 7 7
    add_a_driver "docs/add-a-driver.md" 2 4
    architecture "docs/architecture.md" 1 0
    embedding "docs/embedding.md" 3 2
    first_kernel "docs/first-kernel.md" 12 0
    from_cuda "docs/from-cuda.md" 3 0
    from_pocl "docs/from-pocl.md" 3 2
    images "docs/images.md" 1 0
    install "docs/install.md" 2 10
    own_processor "docs/own-processor.md" 17 1
    performance "docs/performance.md" 21 0
    scheduler "docs/scheduler.md" 0 2
    testing "docs/testing.md" 0 35
    vectoriser "docs/vectoriser.md" 5 0
    example_conjugate_gradient "testsuite/examples/conjugate-gradient/README.md" 3 0
    example_embedding "testsuite/examples/embedding/README.md" 1 1
    example_fft "testsuite/examples/fft/README.md" 2 0
    example_image_filter "testsuite/examples/image-filter/README.md" 2 0
    example_n_body "testsuite/examples/n-body/README.md" 2 0
    example_neural_network "testsuite/examples/neural-network/README.md" 0 1
    example_numpy "testsuite/examples/numpy/README.md" 0 1
    example_opencl_c "testsuite/examples/opencl-c/README.md" 2 0
    example_opencl_rust "testsuite/examples/opencl-rust/README.md" 0 3
    example_pyopencl "testsuite/examples/pyopencl/README.md" 0 2
    workloads "docs/workloads.md" 6 0
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
            if command.is_empty() || command[0].starts_with('-') {
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
