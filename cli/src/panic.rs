//! A fault of ours ends in a short report and exit code 70, never in a raw panic.

use crate::argv;
use crate::ui;
use std::any::Any;
use std::panic::{self, PanicHookInfo};

/// What the user can do about a fault of ours.
pub(crate) const REPORT: &str =
    "this is a fault of oxcl; please report it with the command line and the input files";

/// Replaces the default hook: one line that says what and where, without a backtrace.
pub(crate) fn install() {
    panic::set_hook(Box::new(|info| {
        report(info);
    }));
}

#[expect(clippy::print_stderr, reason = "nothing else is sure to work while the program falls")]
fn report(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    let message = format!("internal error: {}{place}", message(info.payload()));
    match ui::fault(&message, REPORT).filter(|_| argv::asks_for_json()) {
        Some(object) => eprintln!("{object}"),
        None => eprintln!("oxcl: {message}\nhelp: {REPORT}"),
    }
}

fn message(payload: &dyn Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}
