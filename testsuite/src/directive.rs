//! The directives of a file test: `// key: value` lines anywhere at the start of a line of the source.
//!
//! | key | meaning |
//! | --- | --- |
//! | `test` | kinds, of [`Kind`]; every file has this line |
//! | `run` | one launch: `KERNEL global=… [local=…] [offset=…] (NAME=VALUE, …) [-> NAME=EXPECTED, …]`; repeatable |
//! | `options` | build options |
//! | `targets` | devices to run on, default `ref cpu basic` |
//! | `bits` | `64`, or `64, REASON`: the file is not for 32-bit devices; default: it also runs on transport-triggered processors |
//! | `memories` | `one`: the file has generic pointers, so it is not for devices whose address spaces are memories of their own |
//! | `ulp` | distance allowed between devices for floating-point data; default 0 |
//! | `width` | `1`: the vectoriser declines this file's kernels, which is checked; `any`: it may; default: they also run at 4 and 16 |
//! | `prints` | a line that the kernels print; repeatable. The order counts where no launch has several work-items |
//! | `compare` | the buffers to compare between devices; default all |
//! | `expect` | `fail CODE`: the source is rejected with this code |
//!
//! Any other `// word:` line whose word is all lower case and directly followed by a colon is an error, so that a
//! misspelt key cannot switch a test off.

pub use oxcl_irtest::directive::DirectiveError;

use oxcl_irtest::directive::{directive, expected_failure};

use crate::value::{Expected, Value, parse_expected, parse_value, split_top_level};

/// What a file test renders or runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Executes the `run` lines on every target and compares.
    Run,
    /// Snapshot of the regions report.
    Regions,
    /// Snapshot of the argument table.
    Args,
    /// Snapshot of the normalised work-group function.
    WorkGroup,
    /// Snapshot of the rendered diagnostics.
    Diagnostics,
}

/// One `run` line.
#[derive(Debug, Clone)]
pub struct Run {
    /// Kernel name.
    pub kernel: String,
    /// Global size; its length is the number of dimensions.
    pub global: Vec<u64>,
    /// Local size, or none.
    pub local: Option<Vec<u64>>,
    /// Global offset.
    pub offset: Vec<u64>,
    /// Arguments by name.
    pub args: Vec<(String, Value)>,
    /// Expected contents by argument name.
    pub expected: Vec<(String, Expected)>,
    /// Line in the file, 1-based.
    pub line: usize,
}

impl Run {
    /// Whether the launch has global ids of 2^31 and more.
    #[must_use]
    pub fn has_large_ids(&self) -> bool {
        let offset = |d: usize| self.offset.get(d).copied().unwrap_or(0);
        self.global.iter().enumerate().any(|(d, size)| offset(d).saturating_add(*size) > 1 << 31)
    }
}

/// The lane counts that a file's kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Widths {
    /// 1, 4 and 16.
    All,
    /// Only 1: the vectoriser declines the others.
    One,
    /// 1, and others unless the vectoriser declines them.
    Any,
}

/// A parsed file test.
#[derive(Debug, Clone)]
pub struct FileTest {
    /// Kinds asked for.
    pub kinds: Vec<Kind>,
    /// Launches.
    pub runs: Vec<Run>,
    /// Build options.
    pub options: String,
    /// Devices.
    pub targets: Vec<String>,
    /// Allowed distance in units in the last place.
    pub ulp: u64,
    /// What the vectoriser is expected to do.
    pub widths: Widths,
    /// It is not for 32-bit devices.
    pub wide_only: bool,
    /// It is not for devices with several memories.
    pub one_memory: bool,
    /// Buffers to compare; empty means all.
    pub compare: Vec<String>,
    /// Lines that all launches together print.
    pub prints: Vec<String>,
    /// Code of the expected rejection.
    pub fails_with: Option<String>,
}

/// Reads the directives of `source`.
///
/// # Errors
/// A key that is unknown, a value that cannot be parsed, or a file without `test:`.
pub fn parse(source: &str) -> Result<FileTest, DirectiveError> {
    let mut test = FileTest {
        kinds: Vec::new(),
        runs: Vec::new(),
        options: String::new(),
        targets: ["ref", "cpu", "basic"].map(String::from).to_vec(),
        ulp: 0,
        widths: Widths::All,
        wide_only: false,
        one_memory: false,
        compare: Vec::new(),
        prints: Vec::new(),
        fails_with: None,
    };
    for (index, text) in source.lines().enumerate() {
        let line = index + 1;
        let fail = |message: String| DirectiveError { line, message };
        let Some((key, value)) = directive(text, "//") else { continue };
        match key {
            "test" => {
                for word in value.split_whitespace() {
                    test.kinds.push(match word {
                        "run" => Kind::Run,
                        "regions" => Kind::Regions,
                        "args" => Kind::Args,
                        "workgroup" => Kind::WorkGroup,
                        "diagnostics" => Kind::Diagnostics,
                        other => return Err(fail(format!("unknown test kind '{other}'"))),
                    });
                }
            }
            "run" => test.runs.push(parse_run(value, line).map_err(fail)?),
            "options" => test.options = value.to_owned(),
            "targets" => test.targets = value.split_whitespace().map(String::from).collect(),
            "memories" if value == "one" => test.one_memory = true,
            "memories" => return Err(fail(format!("'{value}' is not one"))),
            "bits" if value == "64" || value.starts_with("64, ") => test.wide_only = true,
            "bits" => return Err(fail(format!("'{value}' is not 64, or 64 and a reason behind a comma"))),
            "width" if value == "1" => test.widths = Widths::One,
            "width" if value == "any" => test.widths = Widths::Any,
            "width" => return Err(fail(format!("'{value}' is not 1 or any"))),
            "compare" => test.compare = value.split_whitespace().map(String::from).collect(),
            // Blanks at the ends count: they are between the bars.
            "prints" => {
                let line = value.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
                test.prints.push(line.ok_or_else(|| fail("expected '|LINE|'".into()))?.to_owned());
            }
            "ulp" => {
                test.ulp = value.parse().map_err(|_| fail(format!("'{value}' is not a whole number")))?
            }
            "expect" => test.fails_with = Some(expected_failure(value).map_err(fail)?),
            other => return Err(fail(format!("unknown directive '{other}'"))),
        }
    }
    if test.kinds.is_empty() {
        return Err(DirectiveError { line: 1, message: "no 'test:' directive".into() });
    }
    if test.kinds.contains(&Kind::Run) && test.runs.is_empty() {
        return Err(DirectiveError { line: 1, message: "'test: run' without a 'run:' line".into() });
    }
    Ok(test)
}

fn parse_run(text: &str, line: usize) -> Result<Run, String> {
    let (head, rest) = text.split_once('(').ok_or("a run line needs '(arguments)'")?;
    let close = closing_parenthesis(rest).ok_or("the argument list is not closed")?;
    let (arguments, tail) = (&rest[..close], rest[close + 1..].trim());
    let mut words = head.split_whitespace();
    let kernel = words.next().ok_or("a run line begins with the kernel's name")?.to_owned();
    let mut run = Run {
        kernel,
        global: Vec::new(),
        local: None,
        offset: Vec::new(),
        args: Vec::new(),
        expected: Vec::new(),
        line,
    };
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is not KEY=VALUE"))?;
        let sizes = value
            .split(',')
            .map(|n| n.parse().map_err(|_| format!("'{n}' is not a size")))
            .collect::<Result<Vec<u64>, String>>()?;
        match key {
            "global" => run.global = sizes,
            "local" => run.local = Some(sizes),
            "offset" => run.offset = sizes,
            other => return Err(format!("unknown size '{other}'")),
        }
    }
    if run.global.is_empty() {
        return Err("a run line needs global=…".into());
    }
    for part in split_top_level(arguments) {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("'{part}' is not NAME=VALUE"))?;
        run.args.push((name.trim().to_owned(), parse_value(value.trim())?));
    }
    if let Some(expectations) = tail.strip_prefix("->") {
        for part in split_top_level(expectations) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("'{part}' is not NAME=VALUE"))?;
            run.expected.push((name.trim().to_owned(), parse_expected(value.trim())?));
        }
    } else if !tail.is_empty() {
        return Err(format!("'{tail}' after the argument list"));
    }
    Ok(run)
}

fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_run_line() {
        let test = parse("// test: run\n// run: f global=4,2 local=2,1 (a=[1,2], v=(1,2), n=3) -> a=[2,4]\n")
            .unwrap();
        let run = &test.runs[0];
        assert_eq!((run.kernel.as_str(), run.global.as_slice()), ("f", &[4, 2][..]));
        assert_eq!(run.args.len(), 3);
        assert_eq!(run.expected.len(), 1);
    }

    #[test]
    fn a_misspelt_key_is_an_error() {
        let error = parse("// test: run\n// rum: f global=1 ()\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2: unknown directive 'rum'");
    }

    #[test]
    fn prose_with_a_colon_is_no_directive() {
        assert!(parse("// test: args\n// Mind the order: it matters.\n").is_ok());
    }
}
