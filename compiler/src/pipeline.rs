//! The stages in order, from sources to what the request asks for.
//!
//! Everything stays in memory, in one LLVM context a request. A kernel's module is a copy of the program's: each
//! specialisation is formed and optimised on its own, so one cannot disturb another.

use std::collections::BTreeMap;

use oxcl_binary::abi;
use oxcl_binary::archive::slots::ANY_SIZE;
use oxcl_binary::archive::{ArgKind, Version};
use oxcl_binary::pipe::{Dependency, Kernels, Quality};
use oxcl_builtins::AddressBits;
use oxcl_codegen::{
    CpuTarget, Level, Machine, Output, Passes, TRIPLE, WarmUp, link_relocatable, link_with, reserve_heap,
};
use oxcl_frontend::{
    Bits, Diagnostics, KernelSignature, OptLevel, Source, compile as clang, kernels, link_into,
};
use oxcl_ir::module::{clone_reached, link_needed, lower_events, print};
use oxcl_ir::{Context, Function, Module};
use oxcl_tta::lift::OPERATION;
use oxcl_workgroup::{Formed, Options, PoclAbi, Target, form};

use crate::collective;
use crate::error::CompileError;
use crate::names;
use crate::native::{self, Native};
use crate::objects;
use crate::pack::{self, KernelParts, LevelCode, SizeCode};
use crate::print;
use crate::reference;
use crate::request::{Devices, Request};
use crate::share;
use crate::timing::{self, Timings};
use crate::tta::{self, Units};
use crate::undefined;
use crate::variables::{self, Variables};

/// What a request is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// The front end's IR, builtins linked.
    Llvm,
    /// The regions report of each kernel.
    Regions,
    /// The work-group functions' IR before LLVM optimises it.
    WorkGroup,
    /// Assembly of one kernel.
    Assembly,
    /// The object of one kernel.
    Object,
    /// A pocl-binary archive.
    Archive,
    /// An archive of a compiled object, to be linked.
    CompiledObject,
    /// An archive of a library, to be linked.
    Library,
}

/// What came of a request.
#[derive(Debug)]
pub struct Compiled {
    /// The text, object or archive.
    pub bytes: Vec<u8>,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// Time by stage.
    pub timings: Timings,
    /// The kernels, in the order of the sources; those that were not asked for as well.
    pub kernels: Vec<String>,
    /// What was read from disk, or looked for there in vain.
    pub dependencies: Vec<Dependency>,
    /// What the code is.
    pub quality: Quality,
}

/// Compiles `request`. `kernel` restricts everything but archives to one kernel.
///
/// # Errors
/// [`CompileError`] says what is wrong and whose fault it is; nothing was written anywhere.
pub fn compile(request: &Request<'_>, emit: Emit, kernel: Option<&str>) -> Result<Compiled, CompileError> {
    let mut timings = Timings::default();
    timings.measure(timing::MEMORY, reserve_heap);
    // Until this request is done, on a core that would be idle; those who share a program are on it already.
    let shares = matches!(request.kernels, Kernels::Share { .. });
    let _warming = if shares { None } else { Some(WarmUp::start()) };
    WarmUp::forgo();
    let context = Context::create();
    let linked;
    let request = if request.objects.is_empty() {
        request
    } else {
        linked = objects::with_options(request)?;
        &linked
    };
    let bits = if request.is_narrow() { Bits::Bits32 } else { Bits::Bits64 };
    let Parsed { module, diagnostics, dependencies } =
        timings.measure(timing::FRONTEND, || front_end(&context, request, bits))?;
    if let Emit::CompiledObject | Emit::Library = emit {
        let bytes = timings.measure(timing::PACK, || objects::archive(request, &module, emit))?;
        let quality = Quality::Full;
        return Ok(Compiled { bytes, diagnostics, timings, kernels: Vec::new(), dependencies, quality });
    }
    // What others link, or is shown before any link, holds all that it calls.
    let whole = emit == Emit::Llvm || emit == Emit::Object;
    let native = if whole { None } else { native::native(request)? };
    timings.measure(timing::BUILTINS, || link_builtins(&module, bits, native))?;
    let mut signatures = kernels(&module);
    // OpenCL takes programs without kernels; there is just nothing to show of one.
    if signatures.is_empty() && emit != Emit::Archive {
        let sources = request.sources.iter().map(|source| format!("'{}'", source.name)).collect();
        return Err(CompileError::NoKernel { sources });
    }
    signatures.iter().try_for_each(check_parameters)?;
    let names: Vec<String> = signatures.iter().map(|signature| signature.name.clone()).collect();
    if let Some(wanted) = kernel {
        signatures.retain(|signature| signature.name == wanted);
        if signatures.is_empty() {
            return Err(CompileError::UnknownKernel { name: wanted.to_owned(), known: names });
        }
    }
    let objects = match emit {
        Emit::Archive => {
            share::retain(&module, &request.kernels, &mut signatures, native, is_hurried(request))?
        }
        _ => Vec::new(),
    };
    let units = match emit {
        Emit::Archive if request.is_narrow() => {
            Some(tta::units(request, &module, &signatures, &mut timings)?)
        }
        Emit::Archive if !request.machines.is_empty() => {
            // Another module: sizes and addresses have other widths. What was heard of the first holds for it too.
            let bits = Bits::Bits32;
            let narrow = timings.measure(timing::FRONTEND, || front_end(&context, request, bits))?.module;
            timings.measure(timing::BUILTINS, || link_builtins(&narrow, bits, None))?;
            Some(tta::units(request, &narrow, &signatures, &mut timings)?)
        }
        _ => None,
    };
    let variables = if request.is_narrow() { Variables::default() } else { variables::lay_out(&module)? };
    if emit == Emit::Archive {
        pack::check_variables(request, &variables)?;
    }
    let mut builder = Builder::new(request, &module, variables, native, timings)?;
    let bytes = builder.emit(emit, signatures, &objects, units)?;
    let quality = quality(request);
    Ok(Compiled { bytes, diagnostics, timings: builder.timings, kernels: names, dependencies, quality })
}

/// Refuses parameters that no device takes, whether the kernel uses them or not.
fn check_parameters(signature: &KernelSignature) -> Result<(), CompileError> {
    for arg in &signature.args {
        let what = match arg.kind {
            ArgKind::Image => "images",
            ArgKind::Sampler => "samplers",
            ArgKind::Pipe => "pipes",
            ArgKind::Pointer | ArgKind::Value => continue,
        };
        return Err(CompileError::ParameterNotYet {
            kernel: signature.name.clone(),
            parameter: arg.name.clone(),
            type_name: arg.type_name.clone(),
            what,
        });
    }
    Ok(())
}

/// What the sources and the objects have become.
pub(crate) struct Parsed<'ctx> {
    pub(crate) module: Module<'ctx>,
    pub(crate) diagnostics: Diagnostics,
    dependencies: Vec<Dependency>,
}

/// Compiles the sources and links them and the objects into one module.
pub(crate) fn front_end<'ctx>(
    context: &'ctx Context,
    request: &Request<'_>,
    bits: Bits,
) -> Result<Parsed<'ctx>, CompileError> {
    let mut program: Option<Module<'ctx>> = None;
    let mut diagnostics = Diagnostics::default();
    let mut dependencies: Vec<Dependency> = Vec::new();
    for file in &request.sources {
        let source = Source { name: &file.name, text: &file.text };
        let compiled = clang(context, &source, &request.options, &request.headers, bits);
        let compiled = compiled.map_err(CompileError::Source)?;
        diagnostics.items.extend(compiled.diagnostics.items);
        for dependency in compiled.dependencies {
            if !dependencies.contains(&dependency) {
                dependencies.push(dependency);
            }
        }
        match &program {
            None => program = Some(compiled.module),
            Some(first) => link_into(first, compiled.module)?,
        }
    }
    for (index, object) in request.objects.iter().enumerate() {
        let module = objects::module(context, index, object)?;
        match &program {
            None => program = Some(module),
            Some(first) => link_into(first, module)?,
        }
    }
    let module = program.ok_or_else(|| CompileError::Request("there is no source".into()))?;
    Ok(Parsed { module, diagnostics, dependencies })
}

/// Sets the program's own names apart, lowers printf, links the builtins that the program reaches but for those that `native` has as machine code, gives events
/// a type that targets know and work-group functions their memory, and checks that nothing is missing.
pub(crate) fn link_builtins(
    module: &Module<'_>,
    bits: Bits,
    native: Option<Native>,
) -> Result<(), CompileError> {
    names::set_apart(module);
    print::lower(module, bits)?;
    let is_native = |symbol: &str| native.is_some_and(|native| native.has(symbol));
    let mut undefined = undefined::undefined(module);
    if let Some(native) = native {
        for symbol in undefined.extract_if(.., |symbol| is_native(symbol)) {
            native::mark(module, native, &symbol);
        }
    }
    // Only processors of 32 bits have operations that kernels name.
    let narrow = matches!(bits, Bits::Bits32);
    let bits = match bits {
        Bits::Bits32 => AddressBits::Bits32,
        Bits::Bits64 => AddressBits::Bits64,
    };
    for unit in oxcl_builtins::units_for(bits, undefined.iter().map(String::as_str)) {
        link_needed(module, unit.bitcode)?;
    }
    collective::lower(module);
    lower_events(module);
    undefined::check(module, |symbol| is_native(symbol) || (narrow && symbol.starts_with(OPERATION)))
}

/// One CPU to make code for.
struct Cpu {
    machine: Machine,
    target: Target,
}

/// What stays the same for all kernels of a request.
struct Builder<'r, 'm, 'ctx> {
    request: &'r Request<'r>,
    module: &'m Module<'ctx>,
    variables: Variables,
    cpus: Vec<CpuTarget>,
    machines: Vec<Cpu>,
    pocl: PoclAbi,
    native: Option<Native>,
    timings: Timings,
}

impl<'r, 'm, 'ctx> Builder<'r, 'm, 'ctx> {
    fn new(
        request: &'r Request<'r>,
        module: &'m Module<'ctx>,
        variables: Variables,
        native: Option<Native>,
        timings: Timings,
    ) -> Result<Self, CompileError> {
        let cpus = if request.cpus.is_empty() {
            vec![CpuTarget::host()]
        } else {
            request.cpus.iter().map(|name| CpuTarget::named(name)).collect::<Result<Vec<_>, _>>()?
        };
        for (index, cpu) in cpus.iter().enumerate() {
            if cpus[..index].iter().any(|other| other.cpu() == cpu.cpu()) {
                return Err(CompileError::Request(format!("the CPU '{}' is given twice", cpu.cpu())));
            }
        }
        let level = level(request);
        let machines = cpus.iter().map(|cpu| machine(cpu, level)).collect::<Result<Vec<_>, _>>()?;
        let (version, _) = pack::version_and_id(request, &cpus[0]);
        let pocl = if version == Version::V9 { PoclAbi::Context96 } else { PoclAbi::Context112 };
        Ok(Self { request, module, variables, cpus, machines, pocl, native, timings })
    }

    fn emit(
        &mut self,
        emit: Emit,
        signatures: Vec<KernelSignature>,
        objects: &[usize],
        units: Option<Units>,
    ) -> Result<Vec<u8>, CompileError> {
        match emit {
            Emit::Llvm => Ok(print(self.module).into_bytes()),
            Emit::Regions => self.join(&signatures, |_, formed| formed.regions_report.clone()),
            Emit::WorkGroup => self.join(&signatures, |module, _| print(module)),
            Emit::Assembly => self.one(&signatures, "assembly", Output::Assembly),
            Emit::Object => self.one(&signatures, "an object", Output::Object),
            Emit::CompiledObject | Emit::Library => {
                Err(CompileError::Request("an object holds no code of kernels".to_owned()))
            }
            Emit::Archive => {
                let parts = if is_hurried(self.request) {
                    self.hurried(signatures, objects)?
                } else {
                    signatures.into_iter().map(|s| self.kernel(s)).collect::<Result<_, CompileError>>()?
                };
                let (parts, shared, narrow) = match units {
                    Some(units) => units.distribute(parts),
                    None => (parts, Vec::new(), None),
                };
                let (request, cpus) = (self.request, &self.cpus);
                let variables = [self.variables.initial.clone(), narrow];
                self.timings.measure(timing::PACK, || {
                    Ok(pack::archive(request, cpus, variables, parts, shared)?.seal()?)
                })
            }
        }
    }

    /// The generic work-group function of each kernel as text.
    fn join(
        &mut self,
        signatures: &[KernelSignature],
        show: impl Fn(&Module<'_>, &Formed) -> String,
    ) -> Result<Vec<u8>, CompileError> {
        let mut text = String::new();
        for signature in signatures {
            let (module, formed) = self.form(&signature.name, 0, self.single_size())?;
            text.push_str(&show(&module, &formed));
        }
        Ok(text.into_bytes())
    }

    /// The code of one kernel, not linked.
    fn one(
        &mut self,
        signatures: &[KernelSignature],
        what: &'static str,
        output: Output,
    ) -> Result<Vec<u8>, CompileError> {
        let [signature] = signatures else {
            let kernels = signatures.iter().map(|signature| signature.name.clone()).collect();
            return Err(CompileError::OneKernel { what, kernels });
        };
        if !self.request.devices.cpu {
            let (module, machine, _) = self.reference_module(&signature.name)?;
            return self.machine_code(&signature.name, &module, &machine, output);
        }
        let (module, formed) = self.form(&signature.name, 0, self.single_size())?;
        self.optimise(&signature.name, 0, &module, &formed)?;
        let Self { machines, timings, .. } = self;
        let bytes = timings.measure(timing::EMIT, || machines[0].machine.emit(&module, output));
        bytes.map_err(|error| CompileError::Codegen { kernel: signature.name.clone(), error })
    }

    /// The local size to look at where only one function is shown: the first asked for, else any.
    fn single_size(&self) -> [u64; 3] {
        self.request.local_sizes.first().copied().unwrap_or(ANY_SIZE)
    }

    /// Several kernels in one object each: beginning with one costs LLVM's code generator and the linker more than a
    /// small kernel does. `objects` says which one each is in.
    fn hurried(
        &mut self,
        signatures: Vec<KernelSignature>,
        objects: &[usize],
    ) -> Result<Vec<KernelParts>, CompileError> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (kernel, object) in objects.iter().enumerate() {
            members.entry(*object).or_default().push(kernel);
        }
        let part = |signature| KernelParts { signature, levels: Vec::new(), reference: None, units: None };
        let mut parts: Vec<KernelParts> = signatures.into_iter().map(part).collect();
        for cpu in 0..self.machines.len() {
            for kernels in members.values() {
                let names: Vec<String> = kernels.iter().map(|k| parts[*k].signature.name.clone()).collect();
                let (shared, formed) = self.together(&names, cpu)?;
                for (kernel, formed) in kernels.iter().zip(formed) {
                    let code = SizeCode { size: ANY_SIZE, relocatable: None, shared: shared.clone() };
                    parts[*kernel].levels.push(LevelCode { formed, objects: vec![code] });
                }
            }
        }
        Ok(parts)
    }

    /// The shared object of some kernels' generic functions, and what the work-group pass found of each.
    fn together(&mut self, names: &[String], cpu: usize) -> Result<(Vec<u8>, Vec<Formed>), CompileError> {
        let mut whole: Option<Module<'ctx>> = None;
        let mut all_formed = Vec::new();
        let mut exports = Vec::new();
        for name in names {
            let (module, formed) = self.form(name, cpu, ANY_SIZE)?;
            self.optimise(name, cpu, &module, &formed)?;
            exports.extend(self.exports(name));
            all_formed.push(formed);
            match &whole {
                None => whole = Some(module),
                Some(whole) => self.timings.measure(timing::EMIT, || link_into(whole, module))?,
            }
        }
        let module = whole.ok_or_else(|| CompileError::Request("there is no kernel".into()))?;
        let names = names.join(", ");
        let machine = &self.machines[cpu].machine;
        let object = self.timings.measure(timing::EMIT, || machine.emit(&module, Output::Object));
        let object = object.map_err(|error| CompileError::Codegen { kernel: names.clone(), error })?;
        let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
        Ok((self.link(&names, &object, &exports)?, all_formed))
    }

    fn kernel(&mut self, signature: KernelSignature) -> Result<KernelParts, CompileError> {
        let name = signature.name.clone();
        let mut levels = Vec::new();
        if self.request.devices.cpu {
            let only_special = matches!(self.request.kernels, Kernels::Specialised(_));
            let mut sizes = if only_special { Vec::new() } else { vec![ANY_SIZE] };
            for size in &self.request.local_sizes {
                if !sizes.contains(size) {
                    sizes.push(*size);
                }
            }
            for cpu in 0..self.machines.len() {
                levels.push(self.level(&name, cpu, &sizes)?);
            }
        }
        let reference = if self.request.devices.reference { Some(self.reference(&name)?) } else { None };
        Ok(KernelParts { signature, levels, reference, units: None })
    }

    fn level(&mut self, kernel: &str, cpu: usize, sizes: &[[u64; 3]]) -> Result<LevelCode, CompileError> {
        let mut objects = Vec::new();
        let mut generic = None;
        for &size in sizes {
            let (module, formed) = self.form(kernel, cpu, size)?;
            self.optimise(kernel, cpu, &module, &formed)?;
            let exports = self.exports(kernel);
            let machine = &self.machines[cpu].machine;
            let object = self.timings.measure(timing::EMIT, || machine.emit(&module, Output::Object));
            let object =
                object.map_err(|error| CompileError::Codegen { kernel: kernel.to_owned(), error })?;
            let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
            let shared = self.link(kernel, &object, &exports)?;
            let relocatable = match self.request.quality {
                Quality::First => None,
                Quality::Full => Some(self.whole_object(kernel, object, &exports)?),
            };
            objects.push(SizeCode { size, relocatable, shared });
            generic.get_or_insert(formed);
        }
        let formed = generic.ok_or_else(|| CompileError::Request("there is no local size".into()))?;
        Ok(LevelCode { formed, objects })
    }

    fn form(
        &mut self,
        kernel: &str,
        cpu: usize,
        size: [u64; 3],
    ) -> Result<(Module<'ctx>, Formed), CompileError> {
        let options = Options {
            width: self.request.width,
            local_size: (size != ANY_SIZE).then_some(size),
            uniform: self.request.options.has_uniform_groups(),
            variables: self.variables.offsets.clone(),
            pocl: self.pocl,
            target: self.machines[cpu].target.clone(),
        };
        let machine = &self.machines[cpu].machine;
        let module = self.module;
        self.timings.measure(timing::WORK_GROUP, || {
            // A kernel that is not there is refused by what follows.
            let copy = match Function::find(module, kernel) {
                Some(function) => clone_reached(module, function),
                None => module.clone(),
            };
            let formed = form(&copy, kernel, &options)
                .map_err(|error| CompileError::Kernel { kernel: kernel.to_owned(), error })?;
            machine.retarget(&copy);
            Ok((copy, formed))
        })
    }

    /// What a kernel's shared object defines for others. Code made in a hurry is for this runtime alone: it has no entry for
    /// PoCL, nor the object that PoCL would link.
    fn exports(&self, kernel: &str) -> Vec<String> {
        let mut exports = vec![abi::native_symbol(kernel)];
        if self.request.quality == Quality::Full {
            exports.push(abi::pocl_symbol(kernel));
        }
        exports.push(abi::constants_symbol(kernel));
        exports
    }

    fn optimise(
        &mut self,
        kernel: &str,
        cpu: usize,
        module: &Module<'_>,
        formed: &Formed,
    ) -> Result<(), CompileError> {
        let exports = self.exports(kernel);
        let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
        // What lives across barriers goes through memory in every loop: one at a time that takes ten times as long.
        let passes = Passes { exports: &exports, widen: formed.facts.barrier, ..Passes::default() };
        let machine = &self.machines[cpu].machine;
        let done = self.timings.measure(timing::OPTIMISE, || machine.optimise(module, &passes));
        done.map_err(|error| CompileError::Codegen { kernel: kernel.to_owned(), error })
    }

    fn machine_code(
        &mut self,
        kernel: &str,
        module: &Module<'_>,
        machine: &Machine,
        output: Output,
    ) -> Result<Vec<u8>, CompileError> {
        let code = self.timings.measure(timing::EMIT, || machine.emit(module, output));
        code.map_err(|error| CompileError::Codegen { kernel: kernel.to_owned(), error })
    }

    fn link(&mut self, kernel: &str, object: &[u8], exports: &[&str]) -> Result<Vec<u8>, CompileError> {
        let native = self.native;
        let library = |symbol: &str| native?.object_of(symbol);
        let linked = self.timings.measure(timing::LINK, || link_with(&[object], &library, exports));
        linked.map_err(|error| CompileError::Link { kernel: kernel.to_owned(), error })
    }

    /// An object together with what it calls of the library's machine code.
    fn whole_object(
        &mut self,
        kernel: &str,
        object: Vec<u8>,
        exports: &[&str],
    ) -> Result<Vec<u8>, CompileError> {
        let Some(native) = self.native else { return Ok(object) };
        let library = |symbol: &str| native.object_of(symbol);
        let linked = self.timings.measure(timing::LINK, || link_relocatable(&object, &library, exports));
        linked.map_err(|error| CompileError::Link { kernel: kernel.to_owned(), error })
    }

    /// The reference executor's object, for the first CPU.
    fn reference(&mut self, kernel: &str) -> Result<(Vec<u8>, Vec<u64>), CompileError> {
        let (module, machine, sizes) = self.reference_module(kernel)?;
        let object = self.machine_code(kernel, &module, &machine, Output::Object)?;
        let symbol = abi::ref_symbol(kernel);
        Ok((self.link(kernel, &object, &[&symbol])?, sizes))
    }

    fn reference_module(&mut self, kernel: &str) -> Result<(Module<'ctx>, Machine, Vec<u64>), CompileError> {
        let Cpu { machine, target } = machine(&self.cpus[0], Level::O0)?;
        let copy = self.module.clone();
        let sizes = self.timings.measure(timing::WORK_GROUP, || {
            let built = reference::build(&copy, kernel, &self.variables.offsets, &target)?;
            machine.retarget(&copy);
            Ok::<_, CompileError>(built)
        })?;
        Ok((copy, machine, sizes))
    }
}

/// Whether a request's archive gets generic functions only, and they are made in a hurry.
fn is_hurried(request: &Request<'_>) -> bool {
    level(request) == Level::Quick
        && request.devices == Devices { cpu: true, reference: false }
        && request.local_sizes.is_empty()
        && !matches!(request.kernels, Kernels::Specialised(_))
}

/// What the code of a request is: nothing is left to do where the reference executor alone was asked for, or nothing
/// was to be optimised.
fn quality(request: &Request<'_>) -> Quality {
    let done = !request.devices.cpu || request.options.opt_level() == OptLevel::O0;
    if done { Quality::Full } else { request.quality }
}

fn level(request: &Request<'_>) -> Level {
    match request.options.opt_level() {
        OptLevel::O0 => Level::O0,
        _ if request.quality == Quality::First => Level::Quick,
        OptLevel::O1 => Level::O1,
        OptLevel::O2 => Level::O2,
        OptLevel::O3 => Level::O3,
    }
}

fn machine(cpu: &CpuTarget, level: Level) -> Result<Cpu, CompileError> {
    let machine =
        Machine::new(cpu, level).map_err(|error| CompileError::Codegen { kernel: String::new(), error })?;
    let target = Target {
        triple: TRIPLE.to_owned(),
        data_layout: machine.data_layout(),
        cpu: cpu.cpu().to_owned(),
        features: cpu.feature_string().to_owned(),
    };
    Ok(Cpu { machine, target })
}
