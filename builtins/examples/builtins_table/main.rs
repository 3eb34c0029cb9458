//! Makes the page `docs/builtins.md`: for each function of the mathematics the largest error and nanoseconds an element at each
//! width, beside libmvec's.
//!
//! `--step N` looks at every N-th float (1: all, which takes about a minute of one core a function), `--samples N` draws so many
//! inputs for functions of several values and of doubles, `--runs N` takes the best of so many times, `--threads N` counts errors with
//! so many threads, `--only NAME,NAME` looks at these functions alone, and `--without errors` or `--without times` leaves out a part. The
//! page goes to the standard output; what goes wrong, and how far it is, to the standard error. Ends with 1 if a function
//! exceeds its limit or gives other bits at another width.

#[path = "../../tests/support/mod.rs"]
mod support;

mod errors;
mod functions;
mod page;
mod times;

use std::process::ExitCode;

use errors::{Drawn, Floats, is_exhaustive};
use functions::{Compiled, Element, functions};
use page::{Made, Row};
use times::Mvec;

struct Arguments {
    step: u32,
    samples: usize,
    runs: u32,
    threads: usize,
    only: Vec<String>,
    errors: bool,
    times: bool,
}

/// What was asked for, or what is wrong with it.
fn arguments() -> Result<Arguments, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut asked = Arguments {
        step: 1,
        samples: 48 * 3000,
        runs: 15,
        threads,
        only: Vec::new(),
        errors: true,
        times: true,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number =
            || value.parse::<u32>().ok().filter(|&n| n > 0).ok_or(format!("{word} {value}: no such number"));
        match word.as_str() {
            "--step" => asked.step = number()?,
            "--samples" => asked.samples = number()? as usize,
            "--runs" => asked.runs = number()?,
            "--threads" => asked.threads = number()? as usize,
            "--only" => asked.only = value.split(',').map(str::to_owned).collect(),
            "--without" if value == "errors" => asked.errors = false,
            "--without" if value == "times" => asked.times = false,
            _ => return Err(format!("{word} {value}: not known; see the head of main.rs")),
        }
    }
    Ok(asked)
}

/// The processor's name.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let vectors = if std::is_x86_feature_detected!("avx512dq") {
        "AVX-512"
    } else if std::is_x86_feature_detected!("avx2") {
        "AVX2"
    } else {
        "SSE"
    };
    format!("{} with {vectors}", name.map_or("a processor", |(_, name)| name.trim()))
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the page is what one runs it for")]
fn main() -> ExitCode {
    let asked = match arguments() {
        Ok(asked) => asked,
        Err(message) => {
            eprintln!("builtins_table: {message}");
            return ExitCode::from(2);
        }
    };
    let mut all = functions();
    all.retain(|function| asked.only.is_empty() || asked.only.iter().any(|name| name == function.name));
    let floats = Floats::new(asked.step, asked.threads);
    let drawn = Drawn::new(asked.samples);
    let mvec = Mvec::new(&all);
    let (mut rows, mut failed) = (Vec::new(), false);
    let of_floats = Compiled::new(&all, Element::Float);
    for element in Element::ALL {
        let of_element = (element != Element::Float).then(|| Compiled::new(&all, element));
        let compiled = of_element.as_ref().unwrap_or(&of_floats);
        for function in &all {
            let is_of_all = is_exhaustive(function, element)
                || element == Element::Half && function.shape == support::cases::Shape::One;
            // Times first, while no other thread of this program is at work.
            let beside = match element {
                Element::Half => Some((of_floats.entry(function, 16), Element::Float)),
                _ => mvec.entry(function, element).map(|entry| (entry, element)),
            };
            let (times, beside) = if asked.times {
                times::times(compiled, function, element, beside, asked.runs)
            } else {
                (vec![f64::NAN; support::WIDTHS.len()], None)
            };
            let found = match (asked.errors, element) {
                (false, _) => None,
                (true, Element::Half) => drawn.largest_of_half(compiled, function),
                (true, Element::Float) if is_of_all => Some(floats.largest(compiled, function)),
                (true, _) => drawn.largest(compiled, function, element == Element::Float),
            };
            if let Some(found) = found {
                let limit = function.limit(element);
                eprintln!(
                    "{} of {}: {:.4} (limit {limit}) at {:#x}",
                    function.name,
                    element.name(),
                    found.largest,
                    found.input
                );
                if found.largest > limit {
                    eprintln!("{}: exceeds its limit", function.name);
                    failed = true;
                }
                if let Some(bits) = found.differs {
                    eprintln!("{} of {bits:#x}: other bits at another width", function.name);
                    failed = true;
                }
            }
            rows.push(Row {
                function: *function,
                element,
                largest: found.map(|found| found.largest),
                is_of_all,
                times,
                beside,
            });
        }
    }
    let made = Made {
        step: asked.step,
        samples: drawn.samples,
        runs: asked.runs,
        machine: machine(),
        width: [mvec.width(Element::Float), mvec.width(Element::Double)],
    };
    print!("{}", page::page(&rows, &made));
    ExitCode::from(u8::from(failed))
}
