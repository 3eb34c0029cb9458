//! The page `docs/builtins.md`: what was measured, as tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oxcl_builtins::catalog::{Accuracy, catalogue};

use crate::functions::{Element, Function};
use crate::support::WIDTHS;

/// What was measured of one function.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) function: Function,
    pub(crate) element: Element,
    /// The largest error, and whether it is of all inputs of every N-th one.
    pub(crate) largest: Option<f64>,
    pub(crate) is_of_all: bool,
    /// At each width.
    pub(crate) times: Vec<f64>,
    /// Of libmvec's function, or of the function of float at 16 where this is half.
    pub(crate) beside: Option<f64>,
}

/// How the measurement was made.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) step: u32,
    pub(crate) samples: usize,
    pub(crate) runs: u32,
    pub(crate) machine: String,
    /// The elements of a vector of floats of the machine, and of doubles.
    pub(crate) width: [usize; 2],
}

fn number(value: f64, digits: usize) -> String {
    if value.is_infinite() { "∞".to_owned() } else { format!("{value:.digits$}") }
}

/// The page.
pub(crate) fn page(rows: &[Row], made: &Made) -> String {
    let mut page = String::from(HEAD);
    let every = match made.step {
        1 => "all 2^32 floats".to_owned(),
        step => format!("one float in {step} (the option step)"),
    };
    let _ = write!(
        page,
        "Made on {}, over {every}, {} drawn inputs and the best of {} runs, by\n\n\
         ```sh\ncargo run --release -p oxcl-builtins --example builtins_table > builtins.md\n```\n",
        made.machine, made.samples, made.runs
    );
    for element in Element::ALL {
        table(&mut page, rows, element, made);
    }
    others(&mut page, rows);
    page
}

fn table(page: &mut String, rows: &[Row], element: Element, made: &Made) {
    let of_element: Vec<&Row> = rows.iter().filter(|row| row.element == element).collect();
    if of_element.is_empty() {
        return;
    }
    let _ = write!(page, "\n## {}\n\n", element.name());
    let widths: String = WIDTHS.iter().map(|width| format!(" {width} |")).collect();
    let beside = if element == Element::Half {
        " float at 16 | half over float |"
    } else {
        " libmvec | ours over libmvec |"
    };
    let _ = writeln!(page, "| function | limit | largest error |{widths}{beside}");
    let _ = writeln!(page, "| --- | --- | --- |{}", " --- |".repeat(WIDTHS.len() + 2));
    for row in of_element {
        let limit = row.function.limit(element);
        let limit = if limit.is_infinite() { "none".to_owned() } else { limit.to_string() };
        let error = match row.largest {
            Some(error) => format!("{}{}", number(error, 3), if row.is_of_all { "" } else { " (drawn)" }),
            None => "not measured".to_owned(),
        };
        let times: String = row.times.iter().map(|&time| format!(" {} |", number(time, 2))).collect();
        let at = |width: usize| WIDTHS.iter().position(|&w| w == width).map(|index| row.times[index]);
        let beside = match element {
            Element::Half => pair(row.beside, row.times.last().copied()),
            _ => pair(row.beside, at(made.width[usize::from(element == Element::Double)])),
        };
        let _ = writeln!(page, "| `{}` | {limit} | {error} |{times}{beside}", row.function.name);
    }
}

/// A time to compare with, and ours over it.
fn pair(other: Option<f64>, ours: Option<f64>) -> String {
    match (other, ours) {
        (Some(other), Some(ours)) => format!(" {} | {} |", number(other, 2), number(ours / other, 2)),
        _ => "  |  |".to_owned(),
    }
}

/// The functions that no table has, by the source that defines them.
fn others(page: &mut String, rows: &[Row]) {
    let mut by_source: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for function in catalogue() {
        if rows.iter().any(|row| row.function.name == function.name) {
            continue;
        }
        let limit = match function.accuracy {
            Accuracy::Exact => String::new(),
            Accuracy::Ulp { single, .. } => format!(" ({single})"),
            Accuracy::Unbounded => " (none)".to_owned(),
        };
        by_source.entry(function.source).or_default().push(format!("`{}`{limit}", function.name));
    }
    page.push_str(OTHERS);
    for (source, names) in by_source {
        let _ = writeln!(page, "| `{source}` | {} |", names.join(", "));
    }
}

const HEAD: &str = "# The library's functions

This page is generated; `builtins/examples/builtins_table` says how.

- *Limit* and *largest error* are in units of the last place; 0.5 is correctly rounded. The limit is that of OpenCL C for the full
  profile. Functions of one float are compared with double precision, at widths 1, 8 and 16, which must give the same bits; functions of
  one half with quadruple precision for all of them. Where the error is of drawn inputs, the word is there.
- The numbers below widths are nanoseconds an element, of a loop that loads from arrays in the nearest cache, calls the function
  on vectors of that width, and stores; inputs are of the range that the accuracy tests draw most of theirs from, as far as results
  neither overflow nor are subnormal. The libmvec beside
  them is that of the C library, called in the same loop at the width of the machine's vectors, and the ratio is of ours at that width. What
  stands beside a function is timed in turns with it.
- `native_` functions, `half_recip`, `half_powr` and the logarithms among the `half_` ones take fewer operations and are less exact:
  `builtins/src/cl/native_functions.inc` says how much, and a test holds the native ones to it. `native_rsqrt`, `native_sqrt` and the other `half_`
  functions are those without the prefix; `half_rsqrt` is the processor's estimate where it has one.

";

const OTHERS: &str = "
## Others

Exact where nothing stands behind the name; else the limit in units of the last place, or *none* where the specification sets none or
has a formula. Conversions are exact by their rounding mode.

| source | functions |
| --- | --- |
";
