//! The directives of an IR file test: `; key: value` lines before the first line that is no comment.
//!
//! | key | meaning |
//! | --- | --- |
//! | `analysis` | what is shown beside the IR, of [`Analysis`]; one or several words |
//! | `kernel` | the function that is looked at; default: the only one that is defined |
//! | `among` | the work-items that shapes are asked among: `group` (every id differs, the default) or `row` (neighbours in dimension 0), `row 1` |
//! | `step` | done first, repeatable: `prepare`, `emit` or `launch`. What came of it then stands in comments at the file's end |
//! | `width` | W, default 1; `chosen`: by what the plans cost |
//! | `local` | the only local size, `X,Y,Z`; default any |
//! | `uniform` | `yes`: every group is whole |
//! | `expect` | `fail CODE`: a step refuses the kernel with this code |
//!
//! Any other `; word:` line there whose word is all lower case and directly followed by a colon is an error, so that a
//! misspelt key cannot switch a test off.

use oxcl_workgroup::Width;
use oxcl_workgroup::analysis::{Among, Analysis, Step};

/// A parsed IR file test.
#[derive(Debug, Clone)]
pub struct IrTest {
    /// What is shown.
    pub analyses: Vec<Analysis>,
    /// The function that is looked at.
    pub kernel: Option<String>,
    /// The work-items that shapes are asked among.
    pub among: Among,
    /// What is done first.
    pub steps: Vec<Step>,
    /// W.
    pub width: Width,
    /// The only local size.
    pub local_size: Option<[u64; 3]>,
    /// Every group is whole.
    pub uniform: bool,
    /// Launches with global ids of 2^31 and more are served.
    pub large_ids: bool,
    /// Code of the expected refusal.
    pub fails_with: Option<String>,
}

/// A directive that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct DirectiveError {
    /// Line in the file, 1-based.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// The directive in a line, where one stands behind `comment` and a blank: a word in small letters, a colon, and its value.
#[must_use]
pub fn directive<'t>(line: &'t str, comment: &str) -> Option<(&'t str, &'t str)> {
    let (key, value) = line.strip_prefix(comment)?.strip_prefix(' ')?.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase());
    is_key.then(|| (key, value.trim()))
}

/// The code in the value of `expect: fail CODE`.
///
/// # Errors
/// The value is another.
pub fn expected_failure(value: &str) -> Result<String, String> {
    let code = value.strip_prefix("fail ").ok_or("expected 'fail CODE'")?;
    Ok(code.trim().to_owned())
}

/// Reads the directives of `text`.
///
/// # Errors
/// A key that is unknown, a value that cannot be parsed, or a file that checks nothing.
pub fn parse(text: &str) -> Result<IrTest, DirectiveError> {
    let mut test = IrTest {
        analyses: Vec::new(),
        kernel: None,
        among: Among::Group,
        steps: Vec::new(),
        width: Width::Fixed(1),
        local_size: None,
        uniform: false,
        large_ids: false,
        fails_with: None,
    };
    for (index, line) in text.lines().enumerate() {
        let fail = |message: String| DirectiveError { line: index + 1, message };
        if line.trim().is_empty() {
            continue;
        }
        if !line.starts_with(';') {
            break;
        }
        if let Some((key, value)) = directive(line, ";") {
            test.set(key, value).map_err(fail)?;
        }
    }
    let message = if test.analyses.is_empty() && test.steps.is_empty() {
        "neither 'analysis:' nor 'step:': the file checks nothing"
    } else if !test.analyses.is_empty()
        && test.steps.iter().any(|step| !matches!(step, Step::Prepare | Step::Narrow | Step::Guards))
    {
        "an analysis needs a kernel that is not emitted yet"
    } else if test.fails_with.is_some() && (test.steps.is_empty() || !test.analyses.is_empty()) {
        "'expect: fail' needs a step, and no analysis"
    } else {
        return Ok(test);
    };
    Err(DirectiveError { line: 1, message: message.to_owned() })
}

impl IrTest {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "analysis" => {
                for word in value.split_whitespace() {
                    let analysis =
                        Analysis::by_name(word).ok_or_else(|| format!("there is no analysis '{word}'"))?;
                    self.analyses.push(analysis);
                }
            }
            "kernel" => self.kernel = Some(value.to_owned()),
            "among" => {
                self.among = match value {
                    "group" => Among::Group,
                    "row" => Among::Row(0),
                    "row 1" => Among::Row(1),
                    "sub-group 8" => Among::SubGroup(8),
                    other => return Err(format!("'{other}' is not group, row or row 1")),
                }
            }
            "step" => self.steps.push(match value {
                "prepare" => Step::Prepare,
                "narrow" => Step::Narrow,
                "guards" => Step::Guards,
                "emit" => Step::Emit,
                "launch" => Step::Launch,
                other => return Err(format!("'{other}' is not prepare, narrow, guards, emit or launch")),
            }),
            "width" if value == "chosen" => self.width = Width::Chosen,
            "width" => {
                let width = value.parse().map_err(|_| format!("'{value}' is not a whole number"))?;
                self.width = Width::Fixed(width);
            }
            "local" => {
                let sizes: Result<Vec<u64>, _> = value.split(',').map(str::parse).collect();
                let sizes: Option<[u64; 3]> = sizes.ok().and_then(|sizes| sizes.try_into().ok());
                self.local_size = Some(sizes.ok_or_else(|| format!("'{value}' is not X,Y,Z"))?);
            }
            "uniform" if value == "yes" => self.uniform = true,
            "ids" if value == "any" => self.large_ids = true,
            "uniform" => return Err(format!("'{value}' is not yes")),
            "ids" => return Err(format!("'{value}' is not any")),
            "expect" => self.fails_with = Some(expected_failure(value)?),
            other => return Err(format!("unknown directive '{other}'")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use oxcl_workgroup::Width;

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_understood_is_an_error() {
        assert_eq!(refusal("; analyses: shape\n"), "line 1: unknown directive 'analyses'");
        assert_eq!(refusal("; analysis: shapes\n"), "line 1: there is no analysis 'shapes'");
        assert_eq!(refusal("; Two loops.\n; local: 4,4\n"), "line 2: '4,4' is not X,Y,Z");
    }

    #[test]
    fn a_file_that_checks_nothing_is_an_error() {
        assert!(refusal("; Prose: not a directive.\ndefine void @k() {\n").contains("checks nothing"));
        assert!(refusal("; analysis: cfg\n; step: emit\n").contains("not emitted yet"));
    }

    #[test]
    fn directives_end_where_the_module_begins() {
        let test = parse("; analysis: cfg shape\n; among: row\ndefine void @k() {\n; width: 4\n").unwrap();
        assert_eq!((test.analyses.len(), test.width), (2, Width::Fixed(1)));
    }
}
