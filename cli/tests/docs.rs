//! The documentation against the program: every command that a page shows is run, what it is said to print is looked for, and
//! no link or picture is missing.
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

fn follow(page: &str) -> Count {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = |path: &str| folder.path().join(path);
    for needed in ["testsuite/workloads", "compiler/tta/machines"] {
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

/// One test for each page with commands, and how many of these are run.
macro_rules! pages {
    ($($name:ident $page:literal $commands:literal)*) => {
        $(#[test]
        fn $name() {
            let count = follow($page);
            println!("{}: {} commands were run, not: {:?}", $page, count.run, count.not_run);
            assert_eq!(count.run, $commands, "{count:?}");
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
    readme "README.md" 7
    add_a_driver "docs/add-a-driver.md" 2
    architecture "docs/architecture.md" 1
    first_kernel "docs/first-kernel.md" 12
    install "docs/install.md" 2
    scheduler "docs/scheduler.md" 0
    testing "docs/testing.md" 0
    vectoriser "docs/vectoriser.md" 5
    example_fft "testsuite/examples/fft/README.md" 2
    example_neural_network "testsuite/examples/neural-network/README.md" 0
    example_numpy "testsuite/examples/numpy/README.md" 0
    example_pyopencl "testsuite/examples/pyopencl/README.md" 0
    example_n_body "testsuite/examples/n-body/README.md" 2
    workloads "docs/workloads.md" 6
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

#[test]
fn the_contents_name_every_page_once() {
    let text = fs::read_to_string(repository().join("docs/SUMMARY.md")).unwrap();
    let mut named: Vec<String> = text
        .lines()
        .filter_map(|line| line.split("](").nth(1)?.strip_suffix(')'))
        .map(|name| format!("docs/{name}"))
        .chain(["README.md".to_owned(), "docs/SUMMARY.md".to_owned()])
        .collect();
    named.sort();
    let pages: Vec<String> = pages().into_iter().filter(|page| !page.starts_with(EXAMPLES)).collect();
    assert_eq!(named, pages);
}
