//! Runs one file test: compiles the source for every target, executes its `run` lines, compares, and renders what is
//! to be kept as a snapshot.
//!
//! The reference executor is the judge: where a file runs on `ref`, every other target's buffers are compared with
//! its. Expectations in the file are checked on every target.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use oxcl_binary::archive::{Archive, Arg, ArgKind};
use oxcl_compiler::{
    BuildOptions, CompileError, Devices, Emit, FormError, IlFile, Quality, Request, SourceFile, compile,
};
use oxcl_runtime::{ArgValue, Buffer, Device, Image, NdRange, Program, Sampler};
use oxcl_workload::data::half;

use crate::directive::{FileTest, Kind, Run, Widths, parse};
use crate::known;
use crate::processors;
use crate::render;
use crate::value::{Expected, Scalar, Value, to_bytes};

/// Checks the file at `path`; `snapshot` is given a name and a text for each kind that is kept.
///
/// # Errors
/// What differs from what the file says, ready to be printed.
pub fn check(path: &Path, snapshot: &mut dyn FnMut(&str, &str)) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let test = parse(&text).map_err(|e| e.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = Input { name, text, test: &test };
    if let Some(code) = &test.fails_with {
        return match source.compile(Emit::Archive, &[]) {
            Ok(_) => Err(format!("was compiled, but should fail with {code}")),
            Err(error) if error.code() == code => {
                snapshot("diagnostics", &source.rendered(&error));
                Ok(())
            }
            Err(error) => Err(format!("fails with {} instead of {code}: {error}", error.code())),
        };
    }
    for kind in &test.kinds {
        match kind {
            Kind::Run => source.run()?,
            Kind::Regions => snapshot("regions", &source.text(Emit::Regions)?),
            Kind::WorkGroup => snapshot("workgroup", &render::normalised_ir(&source.text(Emit::WorkGroup)?)),
            Kind::Args => snapshot("args", &source.arguments()?),
            Kind::Diagnostics => return Err("'diagnostics' needs 'expect: fail CODE'".into()),
        }
    }
    Ok(())
}

/// What became of a file test by way of SPIR-V.
#[derive(Debug, PartialEq, Eq)]
pub enum ByWay {
    /// It runs as from its source.
    Same,
    /// LLVM makes no module of it, or one that breaks a rule.
    NoModule(String),
}

/// Compiles the file at `path` to SPIR-V and that to code, and runs its lines from both, on `ref` and, one and several work-items
/// at a time, on `cpu`.
///
/// # Errors
/// What differs, ready to be printed; a file that is refused, or runs on none of these devices.
pub fn check_by_way_of_spirv(path: &Path) -> Result<ByWay, String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let test = parse(&text).map_err(|e| e.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Where products and sums become one operation is not said in SPIR-V as it is in C.
    let text = not_contracted(&text);
    Input { name, text, test: &test }.run_by_way_of_spirv()
}

/// A source in which products and sums do not become one operation.
pub(crate) fn not_contracted(text: &str) -> String {
    format!("#pragma OPENCL FP_CONTRACT OFF\n{text}")
}

/// What is not made for this processor: its mathematics may be within the limits in another way.
const OTHER_LEVEL: &str = "W = 8 with AVX2";

/// Build options that let the order of operations change.
const REORDERING: [&str; 3] = ["-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations", "-cl-mad-enable"];

/// The most cycles that a launch may take on a processor.
const LONGEST_LAUNCH: u64 = 2_000_000_000;

/// A device, ready to run the file.
struct Processor {
    name: String,
    device: Device,
    program: Program,
}

pub(crate) struct Input<'t> {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) test: &'t FileTest,
}

/// The contents of a run's buffers, by argument name.
pub(crate) type Contents = Vec<(String, Scalar, Vec<u8>)>;

impl Input<'_> {
    fn compile(&self, emit: Emit, local_sizes: &[[u64; 3]]) -> Result<Vec<u8>, CompileError> {
        self.compile_as(emit, local_sizes, Some(1), Quality::Full, None)
    }

    fn compile_as(
        &self,
        emit: Emit,
        local_sizes: &[[u64; 3]],
        width: Option<u32>,
        quality: Quality,
        cpu: Option<&str>,
    ) -> Result<Vec<u8>, CompileError> {
        let on_ref = self.test.targets.iter().any(|target| target == "ref")
            && emit == Emit::Archive
            && width == Some(1);
        let mut request = self.request().map_err(CompileError::Request)?;
        request.devices = Devices { cpu: true, reference: on_ref };
        request.local_sizes = local_sizes.to_vec();
        request.width = width;
        request.strict = true;
        request.quality = quality;
        request.cpus = cpu.map(str::to_owned).into_iter().collect();
        Ok(compile(&request, emit, None)?.bytes)
    }

    pub(crate) fn request(&self) -> Result<Request<'static>, String> {
        let sources = vec![SourceFile { name: self.name.clone(), text: self.text.clone() }];
        let mut request = Request::new(sources);
        request.options = BuildOptions::parse(&self.test.options).map_err(|error| error.to_string())?;
        Ok(request)
    }

    fn text(&self, emit: Emit) -> Result<String, String> {
        let bytes = self.compile(emit, &[]).map_err(|e| self.rendered(&e))?;
        String::from_utf8(bytes).map_err(|e| e.to_string())
    }

    pub(crate) fn rendered(&self, error: &CompileError) -> String {
        let mut text = format!("{}: {error}\n", error.code());
        if let Some(line) = error.line() {
            let _ = writeln!(text, "line {line}");
        }
        if let Some(diagnostics) = error.diagnostics() {
            text.push_str(&oxcl_compiler::render(diagnostics, oxcl_compiler::Colour::Never));
        }
        if let Some(advice) = error.advice() {
            let _ = writeln!(text, "help: {advice}");
        }
        text
    }

    fn arguments(&self) -> Result<String, String> {
        let bytes = self.compile(Emit::Archive, &[]).map_err(|e| self.rendered(&e))?;
        let archive = Archive::read(&bytes).map_err(|e| e.to_string())?;
        let mut text = String::new();
        for kernel in &archive.kernels {
            let meta = kernel.meta().map_err(|e| e.to_string())?;
            text.push_str(&render::argument_table(kernel, meta.as_ref()));
        }
        Ok(text)
    }

    /// Runs every line on every target, with the generic function and with those specialised for the line's local size, and for its
    /// formats and samplers.
    fn run(&self) -> Result<(), String> {
        let mut sizes: Vec<[u64; 3]> = Vec::new();
        for local in self.test.runs.iter().filter_map(|run| run.local.as_deref()) {
            let size = std::array::from_fn(|d| local.get(d).copied().unwrap_or(1));
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        let bytes = self.compile(Emit::Archive, &[]).map_err(|e| self.rendered(&e))?;
        let again = self.compile(Emit::Archive, &[]).map_err(|e| self.rendered(&e))?;
        if bytes != again {
            return Err("two compilations of the same source give different bytes".into());
        }
        let program = |bytes: &[u8]| Program::from_archive(bytes).map_err(|e| e.to_string());
        let generic = program(&bytes)?;
        let special = program(&self.archive(&sizes, Quality::Full)?)?;
        let hurried = self.archive(&[], Quality::First)?;
        let quick = program(&hurried)?;
        // Launches with global ids of 2^31 and more have what was made in a hurry completed first.
        let completed = program(&hurried)?;
        completed.replace_code(&bytes)?;
        let mut wide = self.load_wide(&sizes)?;
        wide.extend(known::programs(self, &bytes)?);
        let processors = self.processors()?;
        let mut printed: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for run in &self.test.runs {
            let mut first: Option<(String, Contents)> = None;
            let mut exact: Option<(String, Contents)> = None;
            for target in &self.test.targets {
                let mut programs = vec![("generic", &generic)];
                if target == "cpu" {
                    programs.push(("specialised", &special));
                    programs.push(("made in a hurry", if run.has_large_ids() { &completed } else { &quick }));
                    programs.extend(wide.iter().map(|(label, program)| (*label, program)));
                }
                for (which, program) in programs {
                    let label = format!("{target}, {which}");
                    let at = |message: String| format!("line {}: on {label}: {message}", run.line);
                    let device = Device::by_name(target).map_err(|e| at(e.to_string()))?;
                    let (contents, text) = execute(program, &device, run).map_err(at)?;
                    printed.entry(label.clone()).or_default().extend(text);
                    expectations(run, &contents, self.test.ulp).map_err(at)?;
                    // However code for one processor is made, it gives the same bytes.
                    if target == "cpu" && !self.may_reorder() && which != OTHER_LEVEL {
                        match &exact {
                            None => exact = Some((label.clone(), contents.clone())),
                            Some((other, wanted)) => self
                                .compared(wanted, &contents, 0)
                                .map_err(|message| at(format!("has other bytes than {other}: {message}")))?,
                        }
                    }
                    match &first {
                        None => first = Some((label, contents)),
                        Some((judge, wanted)) => self
                            .same(wanted, &contents)
                            .map_err(|message| at(format!("differs from {judge}: {message}")))?,
                    }
                }
            }
            self.run_on_processors(run, &processors, &mut printed)?;
        }
        printed.iter().try_for_each(|(label, text)| {
            self.prints(&String::from_utf8_lossy(text)).map_err(|message| format!("on {label}: {message}"))
        })
    }

    fn run_by_way_of_spirv(&self) -> Result<ByWay, String> {
        let both = Devices { cpu: true, reference: true };
        let source = Request { devices: both, width: Some(1), ..self.request()? };
        let module = match compile(&source, Emit::Spirv, None) {
            Ok(compiled) => compiled.bytes,
            Err(error @ CompileError::NoSpirv { .. }) => return Ok(ByWay::NoModule(error.to_string())),
            Err(error) => return Err(self.rendered(&error)),
        };
        let judge = compile(&source, Emit::Archive, None).map_err(|e| self.rendered(&e))?;
        let judge = Program::from_archive(&judge.bytes).map_err(|e| e.to_string())?;
        let il = IlFile { name: self.name.clone(), bytes: module, constants: Vec::new() };
        let mut programs = Vec::new();
        for width in [Some(1), None] {
            let request = Request { il: vec![il.clone()], sources: Vec::new(), width, ..source.clone() };
            let compiled = compile(&request, Emit::Archive, None).map_err(|e| self.rendered(&e))?;
            programs.push(Program::from_archive(&compiled.bytes).map_err(|e| e.to_string())?);
        }
        for run in &self.test.runs {
            let kernel = judge.kernel(&run.kernel).map_err(|e| e.to_string())?;
            let args = &kernel.record().args;
            for target in self.test.targets.iter().filter(|target| ["ref", "cpu"].contains(&target.as_str()))
            {
                let device = Device::by_name(target).map_err(|e| e.to_string())?;
                let at = |message: String| format!("line {}: on {target}: {message}", run.line);
                let wanted = execute_with(&judge, args, &device, run).map_err(at)?;
                for program in &programs {
                    let got = execute_with(program, args, &device, run).map_err(at)?;
                    expectations(run, &got.0, self.test.ulp).map_err(at)?;
                    self.same(&wanted.0, &got.0)
                        .map_err(|message| at(format!("differs from what the source gives: {message}")))?;
                    let lines = |text: &[u8]| {
                        let text = String::from_utf8_lossy(text).into_owned();
                        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                        // Between work-items there is no order.
                        lines.sort();
                        lines
                    };
                    if lines(&wanted.1) != lines(&got.1) {
                        return Err(at("prints something else".to_owned()));
                    }
                }
            }
        }
        Ok(ByWay::Same)
    }

    /// Compares what was printed with what the file says.
    pub(crate) fn prints(&self, text: &str) -> Result<(), String> {
        let mut want: Vec<&str> = self.test.prints.iter().map(String::as_str).collect();
        let mut have: Vec<&str> =
            text.split_inclusive('\n').map(|line| line.trim_end_matches('\n')).collect();
        // Between work-items there is no order.
        if self.test.runs.iter().any(|run| run.global.iter().product::<u64>() > 1) {
            want.sort_unstable();
            have.sort_unstable();
        }
        if want == have { Ok(()) } else { Err(format!("printed {have:?} instead of {want:?}")) }
    }

    fn archive(&self, sizes: &[[u64; 3]], quality: Quality) -> Result<Vec<u8>, String> {
        self.compile_as(Emit::Archive, sizes, Some(1), quality, None).map_err(|e| self.rendered(&e))
    }

    /// The program at further lane counts, where the vectoriser is expected to take it.
    fn load_wide(&self, sizes: &[[u64; 3]]) -> Result<Vec<(&'static str, Program)>, String> {
        let mut programs = Vec::new();
        let mut declined = None;
        let mut ways = vec![
            ("W = 4", Some(4), &[][..], None),
            ("W = 8", Some(8), &[], None),
            ("W = 16", Some(16), &[], None),
            ("W chosen", None, &[], None),
            ("W chosen, specialised", None, sizes, None),
        ];
        // Most CPUs have no mask registers: what they run is other code than that of those that do.
        if is_x86_feature_detected!("avx512f") {
            ways.push((OTHER_LEVEL, Some(8), &[], Some("x86-64-v3")));
        }
        for (label, width, sizes, cpu) in ways {
            match self.compile_as(Emit::Archive, sizes, width, Quality::Full, cpu) {
                Ok(bytes) => {
                    programs.push((label, Program::from_archive(&bytes).map_err(|e| e.to_string())?))
                }
                Err(CompileError::Kernel { error: error @ FormError::CannotVectorise { .. }, .. })
                    if width.is_some() =>
                {
                    declined = Some(format!("{label}: {error}"));
                }
                Err(error) => return Err(format!("{label}: {}", self.rendered(&error))),
            }
        }
        match (declined, self.test.widths) {
            (Some(reason), Widths::All) => Err(format!("{reason}; if that is right, say '// width: 1'")),
            (None, Widths::One) => Err("has '// width: 1', but the vectoriser takes it".into()),
            _ => Ok(programs),
        }
    }

    /// The transport-triggered processors that this file runs on, behind the reference executor that judges them; none for
    /// files that 32-bit devices do not bear.
    fn processors(&self) -> Result<Vec<Processor>, String> {
        if self.test.wide_only || !self.test.targets.iter().any(|target| target == "ref") {
            return Ok(Vec::new());
        }
        let mut files = processors::chosen(&self.name)?;
        files.retain(|file| !self.test.one_memory || file.has_one_memory());
        let mut request = self.request()?;
        request.devices = Devices { cpu: false, reference: true };
        request.machines = files.iter().map(|file| file.machine.clone()).collect();
        for source in &mut request.sources {
            // Where products and sums become one operation is each target's own affair.
            source.text = not_contracted(&source.text);
        }
        let archive = compile(&request, Emit::Archive, None);
        let archive = archive.map_err(|e| format!("for processors: {}", self.rendered(&e)))?.bytes;
        let program = Program::from_archive(&archive).map_err(|e| e.to_string())?;
        let words = files.into_iter().map(|file| (file.name, file.word));
        let open = |(name, word): (String, String)| {
            let device = Device::by_name(&word).map_err(|e| format!("{name}: {e}"))?;
            if let Some(core) = device.processor_core() {
                core.give_up_after(LONGEST_LAUNCH);
            }
            Ok(Processor { name, device, program: program.clone() })
        };
        std::iter::once(("ref".to_owned(), "ref".to_owned())).chain(words).map(open).collect()
    }

    /// Runs a line on processors. They have the reference executor's built-in functions, and nothing is contracted: not one bit
    /// may differ.
    fn run_on_processors(
        &self,
        run: &Run,
        processors: &[Processor],
        printed: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), String> {
        let mut judge: Option<Contents> = None;
        for Processor { name, device, program } in processors {
            let at = |message: String| format!("line {}: on {name}: {message}", run.line);
            let (contents, text) = execute(program, device, run).map_err(at)?;
            printed.entry(format!("{name}, for processors")).or_default().extend(text);
            expectations(run, &contents, self.test.ulp).map_err(at)?;
            match &judge {
                None => judge = Some(contents),
                Some(wanted) => self
                    .compared(wanted, &contents, 0)
                    .map_err(|message| at(format!("differs from ref: {message}")))?,
            }
        }
        Ok(())
    }

    /// Whether the options let results differ from one way to make code to another.
    fn may_reorder(&self) -> bool {
        self.test.options.split_whitespace().any(|option| REORDERING.contains(&option))
    }

    pub(crate) fn same(&self, wanted: &Contents, got: &Contents) -> Result<(), String> {
        self.compared(wanted, got, self.test.ulp)
    }

    fn compared(&self, wanted: &Contents, got: &Contents, ulp: u64) -> Result<(), String> {
        for ((name, scalar, want), (_, _, have)) in wanted.iter().zip(got) {
            if self.test.compare.is_empty() || self.test.compare.contains(name) {
                compare(name, *scalar, want, have, ulp)?;
            }
        }
        Ok(())
    }
}

/// Runs one line; gives the buffers and what the kernel printed.
pub(crate) fn execute(program: &Program, device: &Device, run: &Run) -> Result<(Contents, Vec<u8>), String> {
    let kernel = program.kernel(&run.kernel).map_err(|e| e.to_string())?;
    execute_with(program, &kernel.record().args, device, run)
}

/// The same with arguments made for these parameters: modules of SPIR-V do not say all of their types.
fn execute_with(
    program: &Program,
    args: &[Arg],
    device: &Device,
    run: &Run,
) -> Result<(Contents, Vec<u8>), String> {
    let kernel = program.kernel(&run.kernel).map_err(|e| e.to_string())?;
    let data = arguments(args, run)?;
    if let Some((name, _)) = run.args.iter().find(|(name, _)| data.iter().all(|(known, ..)| known != name)) {
        return Err(format!("kernel '{}' has no parameter '{name}'", run.kernel));
    }
    let arguments: Vec<ArgValue<'_>> = data.iter().map(|(.., prepared)| prepared.value()).collect();
    let mut range = NdRange::new(&run.global).map_err(|e| e.to_string())?;
    if let Some(local) = &run.local {
        range = range.with_local(local).map_err(|e| e.to_string())?;
    }
    if !run.offset.is_empty() {
        range = range.with_offset(&run.offset).map_err(|e| e.to_string())?;
    }
    let report = device.launch(&kernel, &range, &arguments).map_err(|e| e.to_string())?;
    drop(arguments);
    let contents = data
        .into_iter()
        .filter_map(|(name, scalar, prepared)| match prepared {
            Prepared::Buffer(buffer) => Some((name, scalar, buffer.to_vec())),
            Prepared::Image(image) => Some((name, scalar, image.buffer().to_vec())),
            _ => None,
        })
        .collect();
    Ok((contents, report.printed))
}

/// The arguments of a line, in the order of the parameters.
pub(crate) fn arguments(args: &[Arg], run: &Run) -> Result<Vec<(String, Scalar, Prepared)>, String> {
    let mut data = Vec::new();
    for arg in args {
        let value = run.args.iter().find(|(name, _)| *name == arg.name);
        let (_, value) = value.ok_or_else(|| format!("the run line has no value for '{}'", arg.name))?;
        let (scalar, prepared) = prepare(arg, value).map_err(|e| format!("argument '{}': {e}", arg.name))?;
        data.push((arg.name.clone(), scalar, prepared));
    }
    Ok(data)
}

pub(crate) enum Prepared {
    Buffer(Buffer),
    Bytes(Vec<u8>),
    Local(u64),
    Null,
    Image(Image),
    Sampler(Sampler),
}

impl Prepared {
    pub(crate) fn value(&self) -> ArgValue<'_> {
        match self {
            Self::Buffer(buffer) => ArgValue::Buffer(buffer),
            Self::Bytes(bytes) => ArgValue::Value(bytes),
            Self::Local(bytes) => ArgValue::Local(*bytes),
            Self::Null => ArgValue::Null,
            Self::Image(image) => image.argument(),
            Self::Sampler(sampler) => ArgValue::Sampler(*sampler),
        }
    }
}

pub(crate) fn prepare(arg: &Arg, value: &Value) -> Result<(Scalar, Prepared), String> {
    let known = Scalar::of_type_name(&arg.type_name);
    match value {
        Value::Local(bytes) => return Ok((Scalar::Uchar, Prepared::Local(*bytes as u64))),
        Value::Null => return Ok((Scalar::Uchar, Prepared::Null)),
        Value::Sampler(sampler) => return Ok((Scalar::Uchar, Prepared::Sampler(*sampler))),
        Value::Image(picture) => {
            let (scalar, image) = picture.image(&arg.type_name)?;
            return Ok((scalar, Prepared::Image(image)));
        }
        _ => {}
    }
    let (scalar, mut bytes) = to_bytes(value, known)?;
    if arg.kind == ArgKind::Pointer {
        let buffer = Buffer::from_bytes(&bytes).map_err(|e| e.to_string())?;
        return Ok((scalar, Prepared::Buffer(buffer)));
    }
    // A vector of three takes the room of four.
    if bytes.len() * 4 == arg.size as usize * 3 {
        bytes.resize(arg.size as usize, 0);
    }
    Ok((scalar, Prepared::Bytes(bytes)))
}

pub(crate) fn expectations(run: &Run, contents: &Contents, ulp: u64) -> Result<(), String> {
    for (name, expected) in &run.expected {
        let found = contents.iter().find(|(known, ..)| known == name);
        let (_, scalar, have) = found.ok_or_else(|| format!("'{name}' is no buffer of the run line"))?;
        let count = have.len() / scalar.size();
        let numbers = match expected {
            Expected::List(numbers) => numbers.clone(),
            Expected::All(number) => vec![number.clone(); count],
        };
        if numbers.len() != count {
            return Err(format!("'{name}' has {count} elements, {} are expected", numbers.len()));
        }
        let mut want = Vec::new();
        for number in &numbers {
            want.extend(scalar.bytes(number)?);
        }
        compare(name, *scalar, &want, have, ulp).map_err(|message| format!("not as expected: {message}"))?;
    }
    Ok(())
}

/// Compares element by element; floats may differ by `ulp` units in the last place.
fn compare(name: &str, scalar: Scalar, want: &[u8], have: &[u8], ulp: u64) -> Result<(), String> {
    if want.len() != have.len() {
        return Err(format!("'{name}' has {} bytes instead of {}", have.len(), want.len()));
    }
    let size = scalar.size();
    for (index, (w, h)) in want.chunks(size).zip(have.chunks(size)).enumerate() {
        let equal = w == h || (scalar.is_float() && distance(scalar, w, h) <= ulp);
        if !equal {
            return Err(format!("{name}[{index}] is {} instead of {}", scalar.show(h), scalar.show(w)));
        }
    }
    Ok(())
}

/// Distance of two floats in units in the last place; 0 between two NaNs and between the zeros.
fn distance(scalar: Scalar, a: &[u8], b: &[u8]) -> u64 {
    let ordered = |bytes: &[u8]| -> Option<i64> {
        let mut wide = [0u8; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        let (value, magnitude, negative) = match scalar {
            Scalar::Half => (half::to_f64(bits as u16), (bits & 0x7fff) as i64, bits >> 15 == 1),
            Scalar::Float => {
                (f64::from(f32::from_bits(bits as u32)), (bits & 0x7fff_ffff) as i64, bits >> 31 == 1)
            }
            _ => (f64::from_bits(bits), (bits & (u64::MAX >> 1)) as i64, bits >> 63 == 1),
        };
        (!value.is_nan()).then_some(if negative { -magnitude } else { magnitude })
    };
    match (ordered(a), ordered(b)) {
        (Some(a), Some(b)) => a.abs_diff(b),
        (None, None) => 0,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scalar, distance};

    #[test]
    fn distances_cross_zero() {
        let d = |a: f32, b: f32| distance(Scalar::Float, &a.to_le_bytes(), &b.to_le_bytes());
        assert_eq!(d(0.0, -0.0), 0);
        assert_eq!(d(1.0, 1.0 + f32::EPSILON), 1);
        assert_eq!(d(f32::from_bits(1), -f32::from_bits(1)), 2);
        assert_eq!(d(f32::NAN, f32::NAN), 0);
        assert_eq!(d(f32::NAN, 1.0), u64::MAX);
    }
}
