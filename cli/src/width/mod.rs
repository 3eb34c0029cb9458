//! How well the compiler chooses W: kernels from seeds, timed at every W that is forced and at the chosen one.
//!
//! In: a kernel of [`generate`]. Out: [`Times`], where all results are the same bytes, but for those of a NaN. Widths take turns, so that what else the
//! machine does falls on all alike.

pub(crate) mod generate;

use crate::error::CliError;
use crate::launching;
use generate::Made;
use oxcl_compiler::{BuildOptions, CompileError, Emit, FormError, Request, SourceFile, compile};
use oxcl_runtime::{ArgValue, Buffer, Device, Launch, Program};
use std::time::Duration;

/// The widths that are forced.
pub(crate) const WIDTHS: [u32; 4] = [1, 4, 8, 16];

/// Stands for the chosen width where its code is none of the forced ones'.
const CHOSEN: u32 = 0;

/// The least time of what is measured: launches are repeated until they take that long.
const LEAST: Duration = Duration::from_millis(2);

/// Best times of one launch.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    /// At [`WIDTHS`]; none where lanes cannot run the kernel.
    pub(crate) forced: [Option<Duration>; 4],
    /// As the compiler has it.
    pub(crate) chosen: Duration,
    /// W of that.
    pub(crate) width: u32,
    /// How often it was launched for one time.
    pub(crate) launches: u32,
    /// Widths whose results are not those of W = 1; 0 is the chosen one.
    pub(crate) wrong: Vec<u32>,
}

impl Times {
    /// The chosen one's time over the best of all.
    pub(crate) fn ratio(&self) -> f64 {
        let best = self.forced.iter().flatten().copied().fold(self.chosen, Duration::min);
        self.chosen.as_secs_f64() / best.as_secs_f64().max(1e-9)
    }
}

/// A kernel at one width, ready to run on buffers of its own.
struct Ready {
    launch: Launch,
    result: Buffer,
    best: Duration,
    width: u32,
}

/// Times a kernel: the best of several `runs`. `cpu`: LLVM's name of the CPU to make code for.
pub(crate) fn measure(made: &Made, device: &Device, runs: u32, cpu: Option<&str>) -> Result<Times, CliError> {
    let data = made.buffers();
    let mut ready: Vec<(u32, Ready)> = Vec::new();
    let mut archives: Vec<Vec<u8>> = Vec::new();
    for width in WIDTHS {
        if let Some(archive) = archive(made, Some(width), cpu)? {
            ready.push((width, prepare(made, &data, &archive, device)?));
            archives.push(archive);
        }
    }
    let chosen = archive(made, None, cpu)?.unwrap_or_default();
    // The same code takes the same time, whatever the clock says.
    let chosen = match archives.iter().position(|archive| *archive == chosen) {
        Some(known) => known,
        None => {
            ready.push((CHOSEN, prepare(made, &data, &chosen, device)?));
            ready.len() - 1
        }
    };
    // Once without a clock: pages, caches, threads.
    for (_, one) in &mut ready {
        one.width = one.launch.run().map_err(|e| launching::launch_error(&e))?.width;
    }
    let wanted = ready.first().map(|(_, one)| one.result.to_vec()).unwrap_or_default();
    let differs = |one: &Ready| !made.is_same(&one.result.to_vec(), &wanted);
    let wrong = ready.iter().filter(|(_, one)| differs(one)).map(|(width, _)| *width).collect();
    let mut launches = 1;
    while time(&ready[chosen].1, launches)? < LEAST && launches < 1 << 14 {
        launches *= 2;
    }
    for _ in 0..runs {
        for (_, one) in &mut ready {
            one.best = one.best.min(time(one, launches)?);
        }
    }
    let of =
        |wanted: u32| ready.iter().find(|(width, _)| *width == wanted).map(|(_, one)| one.best / launches);
    let (forced, chosen) = (WIDTHS.map(of), &ready[chosen].1);
    Ok(Times { forced, chosen: chosen.best / launches, width: chosen.width, launches, wrong })
}

/// The time of several launches.
fn time(one: &Ready, launches: u32) -> Result<Duration, CliError> {
    let mut all = Duration::ZERO;
    for _ in 0..launches {
        all += one.launch.run().map_err(|e| launching::launch_error(&e))?.elapsed;
    }
    Ok(all)
}

/// The code of a kernel; none where lanes cannot run it.
fn archive(made: &Made, width: Option<u32>, cpu: Option<&str>) -> Result<Option<Vec<u8>>, CliError> {
    let mut request = Request::new(vec![SourceFile { name: "k.cl".to_owned(), text: made.source.clone() }]);
    request.options = BuildOptions::default();
    request.width = width;
    request.cpus = cpu.map(str::to_owned).into_iter().collect();
    match compile(&request, Emit::Archive, None) {
        Ok(compiled) => Ok(Some(compiled.bytes)),
        Err(CompileError::Kernel { error: FormError::CannotVectorise { .. }, .. }) if width.is_some() => {
            Ok(None)
        }
        Err(error) => Err(CliError::Internal { message: format!("{error} [{}]", error.code()) }),
    }
}

fn prepare(made: &Made, data: &[Vec<u8>], archive: &[u8], device: &Device) -> Result<Ready, CliError> {
    let internal = |message: String| CliError::Internal { message };
    let program = Program::from_archive(archive).map_err(|error| internal(error.to_string()))?;
    let kernel = program.kernel("k").map_err(|error| internal(error.to_string()))?;
    let range = launching::range(&made.global, Some(&made.local), None)?;
    let buffers = data.iter().map(|bytes| Buffer::from_bytes(bytes));
    let buffers = buffers.collect::<Result<Vec<_>, _>>().map_err(|e| launching::buffer_error(&e))?;
    let values = made.values.map(i32::to_le_bytes);
    let arguments: Vec<ArgValue<'_>> = buffers
        .iter()
        .map(ArgValue::Buffer)
        .chain(values.iter().map(|value| ArgValue::Value(value)))
        .collect();
    let launch = device.prepare(&kernel, &range, &arguments).map_err(|e| launching::launch_error(&e))?;
    let result = buffers.into_iter().nth(2).ok_or_else(|| internal("there is no result".to_owned()))?;
    Ok(Ready { launch, result, best: Duration::MAX, width: 1 })
}
