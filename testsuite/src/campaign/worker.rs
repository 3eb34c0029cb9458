//! A worker: reads orders as JSON lines, writes a verdict line for each configuration.

use std::io::{BufRead, Write};
use std::panic::catch_unwind;

use super::engine;
use super::trial::{Order, Trial, Verdict};
use crate::opencl::{self, Job};

/// Serves until its input ends. With a platform's name the programs are run by an OpenCL client instead: as source,
/// through the system's loader.
///
/// # Errors
/// Input or output fails, or an order cannot be read.
pub fn serve(platform: Option<&str>) -> std::io::Result<()> {
    // Kept, so that a loader that is asked again and again stays in memory.
    let loader = platform.map(|_| opencl::keep("libOpenCL.so.1"));
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let order: Order = serde_json::from_str(&line?)?;
        for configuration in &order.configurations {
            let trial = &order.trial;
            let verdict = match platform {
                Some(platform) => through_client(platform, trial),
                None => catch_unwind(|| engine::run(trial, *configuration)).unwrap_or_else(|panic| {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                    Verdict::Crashed(format!("panic: {}", text.unwrap_or_default()))
                }),
            };
            serde_json::to_writer(&mut out, &verdict)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
    }
    drop(loader);
    Ok(())
}

fn through_client(platform: &str, trial: &Trial) -> Verdict {
    let job = Job {
        platform: platform.to_owned(),
        program: Some(opencl::Program::Source(trial.source.clone())),
        // The client asks for the names of parameters.
        options: format!("{} -cl-kernel-arg-info", trial.options),
        launches: trial.launches.clone(),
        want_binary: false,
    };
    match opencl::run("libOpenCL.so.1", &job) {
        Err(error) => match error.to_string() {
            text if text.contains("doesn't support that OpenCL C version") => Verdict::NotFor(text),
            text => Verdict::Rejected(text),
        },
        Ok(answer) => {
            for (number, (want, have)) in trial.expected.iter().zip(&answer.launches).enumerate() {
                if let Some(difference) = engine::difference(want, have) {
                    return Verdict::Wrong(format!("launch {number}: {difference}"));
                }
            }
            Verdict::Same
        }
    }
}
