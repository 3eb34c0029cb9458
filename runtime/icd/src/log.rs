//! What `OXCL_LOG=build` prints on standard error: builds, what is promoted and why, and what comes of it. Words with commas
//! between them are read; those that nobody knows say nothing.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use oxcl_runtime::{Better, Built, Improvement, ImprovementObserver, Quality, Why};

/// Whether `text` asks for lines about builds.
pub(crate) fn wants_builds(text: &str) -> bool {
    text.split(',').any(|word| word.trim() == "build")
}

/// Prints what becomes of improvements.
pub(crate) fn observer() -> ImprovementObserver {
    Arc::new(|improvement| print(&told(improvement)))
}

/// Prints what came of a build.
pub(crate) fn built(built: &Built, kernels: usize) {
    let how = match built.quality {
        Quality::First => "in a hurry",
        Quality::Full => "in full quality",
    };
    let whence = if built.cached { "from the cache, made in" } else { "in" };
    print(&format!(
        "a program of {kernels} kernels {how}, {whence} {} of processor time",
        shown(built.processor)
    ));
}

fn print(text: &str) {
    // A process whose standard error is closed goes on without.
    let _ = writeln!(std::io::stderr(), "oxcl: build: {text}");
}

fn told(improvement: &Improvement) -> String {
    let what = match &improvement.better {
        Better::Kernel(kernel) => format!("'{kernel}'"),
        Better::Function { kernel, local: [x, y, z], known } => {
            let formats = if known.is_empty() { "" } else { " and the formats and samplers that it gets" };
            format!("'{kernel}' for local size {x},{y},{z}{formats}")
        }
    };
    let Some(end) = &improvement.end else {
        return match improvement.why {
            Why::Idle => format!("{what} is made at idle priority"),
            Why::LargeIds => {
                format!("{what} and the rest are made: a launch with global ids of 2^31 and more waits")
            }
            Why::Hot { heat, expected } => format!(
                "{what} is promoted: {} in {} launches, and a compiler is expected to take {}",
                shown(heat.spent),
                heat.launches,
                shown(expected)
            ),
        };
    };
    let took = format!("{} ({} of processor time)", shown(end.elapsed), shown(end.processor));
    match &end.outcome {
        Ok(()) if end.cached => format!("{what} was in the cache"),
        Ok(()) => format!("{what} is in use after {took}"),
        Err(reason) => format!("{what} stays as it is: {reason}"),
    }
}

/// Milliseconds with one digit behind the point.
fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use oxcl_runtime::{Ended, Heat, KnownArguments};

    use super::*;

    #[test]
    fn words() {
        assert!(wants_builds("build") && wants_builds("other, build"));
        assert!(!wants_builds("") && !wants_builds("builds"));
    }

    #[test]
    fn what_is_promoted_and_why() {
        let heat = Heat { spent: Duration::from_micros(24_120), launches: 2 };
        let why = Why::Hot { heat, expected: Duration::from_millis(98) };
        let better = Better::Function { kernel: "k".into(), local: [16, 4, 1], known: KnownArguments::NONE };
        let begun = Improvement { better, why, begun: Instant::now(), end: None };
        assert_eq!(
            told(&begun),
            "'k' for local size 16,4,1 is promoted: 24.1 ms in 2 launches, and a compiler is expected to take 98.0 ms"
        );
        let (elapsed, processor) = (Duration::from_millis(110), Duration::from_millis(95));
        let end = Ended { elapsed, processor, cached: false, outcome: Ok(()) };
        let better = Better::Kernel("k".into());
        let over = Improvement { better, why: Why::Idle, end: Some(end), ..begun };
        assert_eq!(told(&over), "'k' is in use after 110.0 ms (95.0 ms of processor time)");
    }
}
