//! A command line that runs a kernel, from its signature: for who does not know yet what it takes.
//!
//! In: a kernel and what was given, all of which stays. Out: `oxcl run …` with a value for every parameter. Buffers that the
//! kernel reads have numbers in them, those that it only writes have zeros and are printed; images are blank, and those that
//! it writes are saved as pictures.

use oxcl_binary::archive::AccessQualifier;
use oxcl_runtime::{ImageKind, Kernel};
use oxcl_workload::host;
use oxcl_workload::param::{Parameter, ParameterKind};
use std::fmt::Write as _;

/// Work-items, where nothing says how many; buffers have an element for each, and no fewer than these.
const COUNT: u64 = 1024;
/// The bit of a pointer to what is `const`.
const CONST: u64 = 1;
/// The width and the height of an image, where nothing says them.
const SIDE: u64 = 256;
/// The most elements.
const MOST: u64 = 1 << 24;
/// The elements that are printed.
const SHOWN: &str = "[0..8]";

/// What the user has said.
#[derive(Debug)]
pub(crate) struct Said<'a> {
    /// The file, and everything that belongs to the build, as it was written.
    pub(crate) words: Vec<String>,
    /// The global size.
    pub(crate) global: Option<Vec<u64>>,
    /// The local size.
    pub(crate) local: Option<Vec<u64>>,
    /// `NAME=VALUE`, as they were written, by the parameters' positions.
    pub(crate) given: Vec<(usize, &'a str)>,
    /// Other options and their values, as they were written.
    pub(crate) others: Vec<String>,
    /// What is printed, saved or compared, in the same way.
    pub(crate) looked_at: Vec<String>,
}

/// The command line.
pub(crate) fn command(kernel: &Kernel, parameters: &[Parameter], said: &Said<'_>) -> String {
    let mut line = "oxcl run".to_owned();
    let mut add = |word: &str| {
        // A text takes everything.
        let _ = write!(line, " {}", quoted(word));
    };
    for word in &said.words {
        add(word);
    }
    let required = kernel.record().reqd_wg_size;
    let dimensions = required.iter().rposition(|size| *size > 1).map_or(1, |last| last + 1);
    let has_pictures = parameters
        .iter()
        .any(|parameter| matches!(parameter.kind, ParameterKind::Image(ImageKind::Image2d, _)));
    let global = match (&said.global, required) {
        (Some(given), _) => given.clone(),
        (None, [0, ..]) if has_pictures => vec![SIDE, SIDE],
        (None, [0, ..]) => vec![COUNT],
        // Whole groups: several along one line, one of more dimensions.
        (None, [line, 1, 1]) => vec![COUNT.next_multiple_of(line)],
        (None, _) => required[..dimensions].to_vec(),
    };
    add("--global");
    add(&sizes(&global));
    if let Some(local) = &said.local {
        add("--local");
        add(&sizes(local));
    } else if required[0] != 0 {
        add("--local");
        add(&sizes(&required[..dimensions]));
    }
    for word in &said.others {
        add(word);
    }
    let count = global.iter().fold(1_u64, |all, size| all.saturating_mul(*size)).clamp(COUNT, MOST);
    let picture = match global[..] {
        [width, height] => (width, height),
        _ => (SIDE, SIDE),
    };
    let mut looked_at = Vec::new();
    for parameter in parameters {
        add("--arg");
        if let Some((_, text)) = said.given.iter().find(|(position, _)| *position == parameter.position) {
            add(text);
            continue;
        }
        let (reads, writes) = host::reads_writes(host::access(kernel, parameter.position));
        let name = parameter.name_or_position();
        add(&format!("{name}={}", value(parameter, reads, count, picture)));
        let argument = &kernel.record().args[parameter.position];
        match parameter.kind {
            ParameterKind::Buffer(Some(_)) if writes && argument.type_qualifier & CONST == 0 => {
                looked_at.extend(["--print".to_owned(), format!("{name}{SHOWN}")]);
            }
            ParameterKind::Image(ImageKind::Image2d, false)
                if argument.access != AccessQualifier::ReadOnly =>
            {
                looked_at.extend(["--save".to_owned(), format!("{name}={name}.png")]);
            }
            _ => {}
        }
    }
    for word in if said.looked_at.is_empty() { &looked_at } else { &said.looked_at } {
        add(word);
    }
    line
}

/// A value for a parameter; `picture` has the width and the height of images.
fn value(parameter: &Parameter, reads: bool, count: u64, picture: (u64, u64)) -> String {
    match &parameter.kind {
        ParameterKind::Image(ImageKind::Image2d, is_depth) => {
            let element = if *is_depth { ":float" } else { "" };
            format!("image:{}x{}{element}", picture.0, picture.1)
        }
        ParameterKind::Buffer(Some(element)) if reads => format!("range:{element}:{count}"),
        ParameterKind::Buffer(Some(element)) => format!("zeros:{element}:{count}"),
        // Of a structure's size nothing is known here; this is enough for one of 64 bytes.
        ParameterKind::Buffer(None) => format!("zeros:uchar:{}", 64 * count),
        ParameterKind::Local(element) => {
            format!("local:{}", count * element.map_or(4, |element| element.size() as u64))
        }
        _ => parameter.example(),
    }
}

/// Sizes as options take them.
pub(crate) fn sizes(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_shells() {
        for (word, want) in
            [("a=1,2", "a=1,2"), ("out[0..8]", "'out[0..8]'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), want);
        }
    }
}
