//! `oxcl run FILE KERNEL`: one kernel on data from the command line. Everything that the options name is checked
//! before the kernel runs.

use super::run::RunArgs;
use crate::arguments::{self, Memory};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::launching;
use crate::program::{self, How};
use crate::propose;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::{cycles, duration, figure, sizes};
use oxcl_runtime::{Kernel, LaunchReport, Program};
use oxcl_workload::data::HostData;
use oxcl_workload::data::compare::{self, Comparison};
use oxcl_workload::data::file::FileTarget;
use oxcl_workload::data::show::{self, Slice};
use oxcl_workload::device::Device;
use oxcl_workload::host;
use oxcl_workload::param::{BindProblem, Bound, Parameter, ParameterKind};
use serde_json::{Map, Value as Json, json};
use std::path::PathBuf;
use std::time::Duration;

/// What is done with the buffers afterwards, by the parameters' positions.
struct Afterwards {
    print: Vec<(usize, Slice)>,
    save: Vec<(usize, FileTarget)>,
    expect: Vec<(usize, HostData)>,
}

/// Runs it.
pub(crate) fn run(args: &RunArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let kernel_name = match args.rest.as_slice() {
        [] => None,
        [name] => Some(name.as_str()),
        [_, stray, ..] => return Err(CliError::usage(format!("`{stray}` follows the kernel's name"))),
    };
    let given = args
        .args
        .iter()
        .map(|text| {
            let (name, text) = arguments::split("--arg", text)?;
            Ok((name.to_owned(), arguments::value("--arg", name, text)?))
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    if args.tolerance.is_nan() || args.tolerance < 0.0 {
        return Err(CliError::usage("--tolerance is a number from 0 on"));
    }
    let chosen = args.device.unwrap_or(Device::Cpu);
    let device = launching::device(chosen)?;
    let options = args.build.options();
    let (width, plan) = (args.build.width, args.build.plan.as_deref());
    let how = How { options: &options, width, plan, local_sizes: &[], cache: !args.no_cache };
    let launches = |known: &Program| {
        let name = kernel_name.or_else(|| known.kernel_names().next());
        let launch = name.zip(args.local.as_ref());
        Vec::from_iter(launch.map(|(name, local)| (name.to_owned(), program::padded(&local.0))))
    };
    let loaded = program::load_for(&args.file, how, launches, &[chosen], ui)?;
    let kernel = program::kernel(&loaded.program, &args.file, kernel_name)?;
    let parameters = Parameter::of(&kernel);
    let missing = arguments::missing(&kernel, &parameters, &given)?;
    let (Some(global), true) = (&args.global, missing.is_empty()) else {
        return Err(incomplete(args, &kernel, &parameters, &missing)?);
    };
    let bound = arguments::bind(&kernel, &parameters, &given)?;
    let range = launching::range(
        &global.0,
        args.local.as_ref().map(|l| l.0.as_slice()),
        args.offset.as_ref().map(|o| o.0.as_slice()),
    )?;
    let afterwards = afterwards(args, &global.0, &kernel, &parameters, &bound)?;
    let memory = Memory::new(&bound)?;
    let prepare =
        || device.prepare(&kernel, &range, &memory.values(&bound)).map_err(|e| launching::launch_error(&e));
    let mut launch = prepare()?;
    let mut times = Vec::new();
    let mut report = None;
    let progress = Progress::new(ui);
    for run in 0..args.repeat {
        let text = format!("running {}", kernel.name());
        if args.repeat > 1 {
            progress.part(&text, run.into(), args.repeat.into());
        } else {
            progress.step(&text);
        }
        // Every run begins with the same data, so that one that works in place gives the same result.
        memory.reset()?;
        if launch.is_outdated() {
            launch = prepare()?;
        }
        let done = launch.run().map_err(|e| launching::launch_error(&e))?;
        times.push(done.elapsed);
        report = Some(done);
    }
    drop(progress);
    let Some(report) = report else {
        return Err(CliError::Internal { message: "a kernel ran no times".to_owned() });
    };
    let result = Run {
        kernel: &kernel,
        device: chosen,
        global: &global.0,
        report: &report,
        times: Times::new(&times),
        bytes: traffic(&kernel, &memory),
    };
    let mut stages = loaded.stages;
    stages.push(("run".to_owned(), times.iter().sum()));
    let contents = |position: usize| -> HostData {
        match &memory.buffers[position] {
            Some((data, buffer)) => {
                launching::download(buffer, arguments::element_of(&parameters[position], data), data)
            }
            None => HostData::new(oxcl_workload::param::BYTE, Vec::new()),
        }
    };
    for (position, target) in &afterwards.save {
        target.save(&contents(*position))?;
        ui.detail(&format!("saved {}", target.path.display()));
    }
    let compared: Vec<(usize, Comparison)> = afterwards
        .expect
        .iter()
        .map(|(position, want)| (*position, compare::compare(&contents(*position), want, args.tolerance)))
        .collect();
    let outcome = if compared.iter().all(|(_, c)| c.wrong == 0) { Outcome::Ok } else { Outcome::Negative };
    let printed: Vec<(&Slice, HostData)> =
        afterwards.print.iter().map(|(position, slice)| (slice, contents(*position))).collect();
    if ui.json {
        ui.json("run", &as_json(&result, &parameters, &printed, &compared, &stages))?;
        return Ok(outcome);
    }
    ui.result_bytes(&report.printed)?;
    launching::tell_dropped(ui, &report);
    for (slice, data) in &printed {
        // `afterwards` has checked the range.
        let range = slice.start..slice.end.unwrap_or(data.len());
        ui.result(&format!("{}: {}\n", label(slice, &range), show::elements(data, range.clone())))?;
    }
    for (position, comparison) in &compared {
        ui.result(&format!("{}: {}\n", parameters[*position].name_or_position(), verdict(comparison)))?;
    }
    if args.repeat > 1 {
        ui.result(&result.line())?;
    } else {
        ui.note(&result.line());
    }
    ui.times(&stages);
    Ok(outcome)
}

/// What is missing of a command line, and a whole one that runs.
fn incomplete(
    args: &RunArgs,
    kernel: &Kernel,
    parameters: &[Parameter],
    missing: &[&Parameter],
) -> Result<CliError, CliError> {
    // What no command line sets is not proposed.
    let unsupported = parameters.iter().find_map(|parameter| match parameter.kind {
        ParameterKind::Unsupported(what) => Some((parameter, what)),
        _ => None,
    });
    if let Some((parameter, what)) = unsupported {
        let error = parameter.error(BindProblem::Unsupported { what });
        return Ok(CliError::Bind { error, option: String::new() });
    }
    let mut wants = Vec::new();
    if args.global.is_none() {
        wants.push("a global size".to_owned());
    }
    if !missing.is_empty() {
        let list = missing.iter().map(|p| format!("{} ({})", p.label(), p.type_name)).collect::<Vec<_>>();
        wants.push(format!("a value for {}", list.join(", ")));
    }
    let mut words = vec![args.file.display().to_string()];
    words.extend(args.rest.iter().cloned());
    if let Some(device) = args.device {
        words.extend(["--device".to_owned(), device.name().to_owned()]);
    }
    words.extend(args.build.options());
    let mut given = Vec::new();
    for text in &args.args {
        let (name, _) = arguments::split("--arg", text)?;
        given.push((arguments::find(kernel, parameters, name)?.position, text.as_str()));
    }
    let option = |name: &str, value: Option<String>| {
        value.map(|value| [name.to_owned(), value]).into_iter().flatten().collect::<Vec<_>>()
    };
    let all = |name: &str, values: &[String]| {
        values.iter().flat_map(|value| [name.to_owned(), value.clone()]).collect::<Vec<_>>()
    };
    let path = |path: &PathBuf| path.display().to_string();
    let others = [
        option("--offset", args.offset.as_ref().map(|sizes| propose::sizes(&sizes.0))),
        option("--width", args.build.width.map(|width| width.to_string())),
        option("--plan", args.build.plan.as_ref().map(path)),
        option("--repeat", (args.repeat > 1).then(|| args.repeat.to_string())),
        option("--trace", args.trace.as_ref().map(path)),
        args.stats.then(|| "--stats".to_owned()).into_iter().collect(),
        args.no_cache.then(|| "--no-cache".to_owned()).into_iter().collect(),
        option("--tolerance", (args.tolerance != 0.0).then(|| args.tolerance.to_string())),
    ];
    let looked_at =
        [all("--print", &args.print), all("--save", &args.save), all("--expect", &args.expect)].concat();
    let said = propose::Said {
        words,
        global: args.global.as_ref().map(|sizes| sizes.0.clone()),
        local: args.local.as_ref().map(|sizes| sizes.0.clone()),
        given,
        others: others.concat(),
        looked_at,
    };
    Ok(CliError::usage_with_help(
        format!("kernel `{}` needs {}", kernel.name(), wants.join(", and ")),
        format!("for example: {}", propose::command(kernel, parameters, &said)),
    ))
}

/// Checks what `--print`, `--save` and `--expect` name, and reads what is expected.
fn afterwards(
    args: &RunArgs,
    global: &[u64],
    kernel: &Kernel,
    parameters: &[Parameter],
    bound: &[Bound],
) -> Result<Afterwards, CliError> {
    let buffer = |option: &str, name: &str| -> Result<(usize, HostData), CliError> {
        let parameter = arguments::find(kernel, parameters, name)?;
        match &bound[parameter.position] {
            Bound::Buffer(data) | Bound::Image(data, _) => {
                let element = arguments::element_of(parameter, data);
                Ok((
                    parameter.position,
                    HostData { element, bytes: data.bytes.clone(), picture: data.picture },
                ))
            }
            _ => {
                Err(CliError::usage(format!("{option} {name}: parameter {} is no buffer", parameter.label())))
            }
        }
    };
    let mut afterwards = Afterwards { print: Vec::new(), save: Vec::new(), expect: Vec::new() };
    for text in &args.print {
        let slice = Slice::parse(text).map_err(|e| CliError::usage(format!("--print: {e}")))?;
        let (position, data) = buffer("--print", &slice.name)?;
        slice.range(data.len()).map_err(|e| CliError::usage(format!("--print: {e}")))?;
        afterwards.print.push((position, slice));
    }
    for text in &args.save {
        let (name, file) = arguments::split("--save", text)?;
        let (position, mut data) = buffer("--save", name)?;
        let mut target = FileTarget::parse(file);
        let pictures = bound.iter().filter_map(|b| match b {
            Bound::Buffer(data) | Bound::Image(data, _) => data.picture,
            _ => None,
        });
        data.picture = data.picture.or_else(|| picture_size(&data, pictures, global));
        target.picture = target.picture.or(data.picture);
        target.check(data.extent())?;
        afterwards.save.push((position, target));
    }
    for text in &args.expect {
        let (name, value) = arguments::split("--expect", text)?;
        let (position, data) = buffer("--expect", name)?;
        let value = arguments::value("--expect", name, value)?;
        let option = format!("--expect {name}=");
        let parameter = &parameters[position];
        let want = match parameter.bind(&value).map_err(|error| CliError::Bind { error, option })? {
            Bound::Buffer(want) | Bound::Image(want, _) => want,
            _ => continue,
        };
        if want.bytes.len() > data.bytes.len() {
            return Err(CliError::usage_with_help(
                format!(
                    "--expect {name}: {} elements are expected, and the buffer has {}",
                    want.bytes.len() / data.element.size(),
                    data.len()
                ),
                "give a larger buffer",
            ));
        }
        afterwards.expect.push((position, want));
    }
    Ok(afterwards)
}

/// The size of a picture that says none itself: that of another picture with as many pixels, or the global size.
fn picture_size(
    data: &HostData,
    pictures: impl Iterator<Item = (u32, u32)>,
    global: &[u64],
) -> Option<(u32, u32)> {
    let lanes = data.len() * usize::from(data.element.lanes);
    let fits = |(width, height): (u32, u32)| {
        let pixels = width as usize * height as usize;
        pixels > 0 && [1, 3, 4].iter().any(|samples| lanes == pixels * samples)
    };
    let grid = match global {
        [width, height] => u32::try_from(*width).ok().zip(u32::try_from(*height).ok()),
        _ => None,
    };
    pictures.chain(grid).find(|size| fits(*size))
}

/// The bytes that the kernel moves at least, if its archive says what it does with each buffer.
fn traffic(kernel: &Kernel, memory: &Memory) -> Option<u64> {
    kernel.meta()?;
    let one = |(position, buffer): (usize, &Option<(HostData, oxcl_runtime::Buffer)>)| {
        let (reads, writes) = host::reads_writes(host::access(kernel, position));
        let size = buffer.as_ref().map_or(0, |(_, b)| b.size());
        size * (u64::from(reads) + u64::from(writes))
    };
    Some(memory.buffers.iter().enumerate().map(one).sum())
}

/// The best and the median of several times.
struct Times {
    all: Vec<Duration>,
    best: Duration,
    median: Duration,
}

impl Times {
    fn new(all: &[Duration]) -> Self {
        let mut sorted = all.to_vec();
        sorted.sort_unstable();
        let best = sorted.first().copied().unwrap_or_default();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        Self { all: all.to_vec(), best, median }
    }
}

/// What is reported about a run.
struct Run<'a> {
    kernel: &'a Kernel,
    device: Device,
    global: &'a [u64],
    report: &'a LaunchReport,
    times: Times,
    bytes: Option<u64>,
}

impl Run<'_> {
    fn bandwidth(&self) -> Option<f64> {
        let seconds = self.times.best.as_secs_f64();
        let known = |bytes: &u64| *bytes > 0 && seconds > 0.0 && self.report.cycles.is_none();
        self.bytes.filter(known).map(|bytes| bytes as f64 / seconds / 1e9)
    }

    fn local(&self) -> &[u64] {
        &self.report.local[..self.global.len()]
    }

    fn line(&self) -> String {
        let time = match (self.report.cycles, self.times.all.len()) {
            // Its times say how long the simulation took.
            (Some(count), _) => cycles(count),
            (None, 1) => duration(self.times.best),
            (None, n) => {
                format!("best {}, median {} of {n}", duration(self.times.best), duration(self.times.median))
            }
        };
        let bandwidth = self.bandwidth().map(|b| format!(", {} GB/s", figure(b))).unwrap_or_default();
        format!(
            "{} on {}: global {}, local {}: {time}{bandwidth}\n",
            self.kernel.name(),
            self.device.name(),
            sizes(self.global),
            sizes(self.local()),
        )
    }
}

fn label(slice: &Slice, range: &std::ops::Range<usize>) -> String {
    format!("{}[{}..{}]", slice.name, range.start, range.end)
}

/// A comparison in words.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let worst = oxcl_workload::data::number::float_text(comparison.worst);
    match &comparison.first {
        None if comparison.worst == 0.0 => format!("{} values agree", comparison.lanes),
        None => format!("{} values agree, the worst by {worst}", comparison.lanes),
        Some(first) => format!(
            "{} of {} values differ; the first at element {}: got {}, want {}",
            comparison.wrong, comparison.lanes, first.element, first.got, first.want
        ),
    }
}

/// A comparison as JSON.
pub(crate) fn comparison_json(buffer: &str, comparison: &Comparison) -> Json {
    json!({
        "buffer": buffer,
        "ok": comparison.wrong == 0,
        "compared": comparison.lanes,
        "wrong": comparison.wrong,
        "worst": oxcl_workload::data::number::float_text(comparison.worst),
        "first": comparison.first.as_ref().map(|m| json!({
            "element": m.element, "lane": m.lane, "got": m.got, "want": m.want,
        })),
    })
}

fn as_json(
    run: &Run<'_>,
    parameters: &[Parameter],
    printed: &[(&Slice, HostData)],
    compared: &[(usize, Comparison)],
    stages: &[(String, Duration)],
) -> Json {
    let printed: Map<String, Json> = printed
        .iter()
        .map(|(slice, data)| {
            let range = slice.start..slice.end.unwrap_or(data.len());
            (label(slice, &range), show::json(data, range))
        })
        .collect();
    let compared: Vec<Json> =
        compared.iter().map(|(p, c)| comparison_json(&parameters[*p].name_or_position(), c)).collect();
    let stages: Map<String, Json> =
        stages.iter().map(|(name, time)| (name.clone(), json!(time.as_nanos() as u64))).collect();
    json!({
        "kernel": run.kernel.name(),
        "device": run.device.name(),
        "global": run.global,
        "local": run.local(),
        "cpu": run.report.cpu,
        "width": run.report.width,
        "cycles": run.report.cycles,
        "times_ns": run.times.all.iter().map(|t| t.as_nanos() as u64).collect::<Vec<_>>(),
        "best_ns": run.times.best.as_nanos() as u64,
        "median_ns": run.times.median.as_nanos() as u64,
        "bytes": run.bytes,
        "printf": String::from_utf8_lossy(&run.report.printed),
        "values": printed,
        "expectations": compared,
        "stages_ns": stages,
    })
}
