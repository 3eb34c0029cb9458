//! The stages in order, from a request to what it asks for.
//!
//! Everything stays in memory, in one LLVM context a request. A kernel's module is a copy of the program's: each
//! specialisation is formed and optimised on its own, so one cannot disturb another. What a stage does is in its own file
//! (see [`crate::stages`]); here is only which run, on what, and how long they take.

use std::collections::BTreeMap;

use oxcl_binary::abi;
use oxcl_binary::archive::slots::ANY_SIZE;
use oxcl_binary::known::KnownArguments;
use oxcl_binary::meta::PixelPlaces;
use oxcl_binary::pipe::{Dependency, Kernels, Quality};
use oxcl_codegen::{Level, Output};
use oxcl_frontend::{Bits, Diagnostics, KernelSignature, Switch, link_into};
use oxcl_ir::module::print;
use oxcl_ir::{Context, Module};
use oxcl_workgroup::Formed;

use crate::alone;
use crate::error::CompileError;
use crate::last::{LastProgram, Part};
use crate::objects;
use crate::pack::{self, KernelParts, LevelCode, SizeCode};
use crate::remarks;
use crate::request::Request;
use crate::settings::{Emit, Settings};
use crate::stages::front_end::Parsed;
use crate::stages::kernels::Chosen;
use crate::stages::target::Cpu;
use crate::stages::work_group::Required;
use crate::stages::{Stage, builtins, emit, front_end, kernels, link, memory, optimise, target, work_group};
use crate::timing::Timings;
use crate::tta::{self, Units};
use crate::variables::Variables;

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
    compile_again(request, emit, kernel, &mut LastProgram::default())
}

/// The same, where requests for other kernels of the same program may follow, or have come before.
///
/// # Errors
/// As for [`compile`].
pub fn compile_again(
    request: &Request<'_>,
    emit: Emit,
    kernel: Option<&str>,
    last: &mut LastProgram,
) -> Result<Compiled, CompileError> {
    let mut timings = Timings::default();
    // Those who share a program are on the other cores already.
    let alone = !matches!(request.kernels, Kernels::Share { .. });
    let _warming = timings.measure(Stage::Memory, || memory::run(alone));
    let settings = timings.measure(Stage::Request, || Settings::of(request, emit))?;
    let context = Context::create();
    if let Some(part) = timings.measure(Stage::FrontEnd, || last.part(&context, &settings)) {
        let Part { module, chosen, diagnostics, dependencies } = part;
        let quality = settings.quality;
        let (bytes, kernels, timings) = code(&settings, &module, chosen, timings, None, None)?;
        return Ok(Compiled { bytes, diagnostics, timings, kernels, dependencies, quality });
    }
    let Parsed { module, diagnostics, dependencies } =
        timings.measure(Stage::FrontEnd, || last.front_end(&context, &settings))?;
    if emit == Emit::Spirv {
        let bytes = timings.measure(Stage::Emit, || emit::spirv(&context, &module, settings.bits))?;
        let quality = Quality::Full;
        return Ok(Compiled { bytes, diagnostics, timings, kernels: Vec::new(), dependencies, quality });
    }
    if emit.is_module() {
        let bytes = timings.measure(Stage::Pack, || objects::archive(&settings, &module))?;
        let quality = Quality::Full;
        return Ok(Compiled { bytes, diagnostics, timings, kernels: Vec::new(), dependencies, quality });
    }
    // As it is now: what follows changes it.
    let bitcode = || module.write_bitcode_to_memory().as_slice().to_vec();
    let kept = timings.measure(Stage::Pack, || settings.keeps_module.then(bitcode));
    timings.measure(Stage::Builtins, || builtins::run(&module, settings.bits, settings.native))?;
    let chosen = timings.measure(Stage::Kernels, || kernels::run(&module, &settings, kernel))?;
    settings.check_plan(&chosen.names)?;
    timings.measure(Stage::Pack, || last.keep_parts(&settings, &module, &chosen));
    if emit == Emit::Archive {
        settings.pieces.begin(chosen.signatures.iter().map(|kernel| settings.codes(&kernel.name)).sum());
    }
    let units = units(&context, &settings, &module, &chosen.signatures, &mut timings)?;
    let quality = settings.quality;
    let (bytes, kernels, timings) = code(&settings, &module, chosen, timings, units, kept)?;
    Ok(Compiled { bytes, diagnostics, timings, kernels, dependencies, quality })
}

/// What a request asks for of a complete module, and the names of the program's kernels.
fn code(
    settings: &Settings<'_>,
    module: &Module<'_>,
    chosen: Chosen,
    mut timings: Timings,
    units: Option<Units>,
    kept: Option<Vec<u8>>,
) -> Result<(Vec<u8>, Vec<String>, Timings), CompileError> {
    let Chosen { names, signatures, objects, variables } = chosen;
    let cpus = settings.cpus.iter();
    let cpus = timings.measure(Stage::Target, || {
        cpus.map(|cpu| target::run(cpu, settings.level)).collect::<Result<Vec<_>, _>>()
    })?;
    let required = signatures.iter().map(|signature| (signature.name.clone(), signature.into())).collect();
    let mut builder = Builder { settings, module, variables, required, cpus, timings };
    let bytes = builder.emit(signatures, &objects, units, kept)?;
    Ok((bytes, names, builder.timings))
}

/// The units for transport-triggered processors, where an archive is to hold some.
fn units(
    context: &Context,
    settings: &Settings<'_>,
    module: &Module<'_>,
    signatures: &[KernelSignature],
    timings: &mut Timings,
) -> Result<Option<Units>, CompileError> {
    if settings.emit != Emit::Archive || settings.machines.is_empty() {
        return Ok(None);
    }
    if settings.program.options.switches.has(Switch::ZeroLocal) {
        let message = "-oxcl-zero-local: transport-triggered processors do not clear local memory; build for them without it";
        return Err(CompileError::Request(message.to_owned()));
    }
    if settings.bits == Bits::Bits32 {
        return Ok(Some(tta::units(settings, module, signatures, timings)?));
    }
    // Another module: sizes and addresses have other widths. What was heard of the first holds for it too.
    let bits = Bits::Bits32;
    let narrow =
        timings.measure(Stage::FrontEnd, || front_end::run(context, &settings.program, bits))?.module;
    timings.measure(Stage::Builtins, || builtins::run(&narrow, bits, None))?;
    Ok(Some(tta::units(settings, &narrow, signatures, timings)?))
}

/// What stays the same for all kernels of a request.
struct Builder<'s, 'm, 'ctx> {
    settings: &'s Settings<'s>,
    module: &'m Module<'ctx>,
    variables: Variables,
    /// What each kernel requires of its launches.
    required: BTreeMap<String, Required>,
    cpus: Vec<Cpu>,
    timings: Timings,
}

impl<'ctx> Builder<'_, '_, 'ctx> {
    fn emit(
        &mut self,
        signatures: Vec<KernelSignature>,
        objects: &[usize],
        units: Option<Units>,
        module: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, CompileError> {
        let devices = self.settings.devices;
        let for_processors = !matches!(
            self.settings.emit,
            Emit::Llvm | Emit::Spirv | Emit::Archive | Emit::CompiledObject | Emit::Library
        );
        if for_processors && !devices.cpu && !devices.reference {
            // The module counts in 32 bits then.
            let message = "this stage shows what is made for cpu, basic and ref: name one of them with --device, or none";
            return Err(CompileError::Request(message.to_owned()));
        }
        match self.settings.emit {
            Emit::Llvm => Ok(print(self.module).into_bytes()),
            Emit::Analysis => self.analysis(&signatures),
            Emit::Regions => self.join(&signatures, |_, formed| formed.regions_report.clone()),
            Emit::Plan => self.join(&signatures, |_, formed| formed.plan_report.clone()),
            Emit::Remarks => {
                let sources = self.settings.program.sources;
                self.join(&signatures, |_, formed| remarks::text(sources, formed))
            }
            Emit::WorkGroup => self.join(&signatures, |module, _| print(module)),
            Emit::Assembly => self.one(&signatures, "assembly", Output::Assembly),
            Emit::Object => self.one(&signatures, "an object", Output::Object),
            Emit::Spirv | Emit::CompiledObject | Emit::Library => {
                Err(CompileError::Request("an object holds no code of kernels".to_owned()))
            }
            Emit::Archive => {
                let parts = if self.settings.is_hurried {
                    self.hurried(signatures, objects)?
                } else {
                    signatures.into_iter().map(|s| self.kernel(s)).collect::<Result<_, CompileError>>()?
                };
                let (parts, shared, narrow) = match units {
                    Some(units) => units.distribute(parts),
                    None => (parts, Vec::new(), None),
                };
                let variables = [self.variables.initial.clone(), narrow];
                let settings = self.settings;
                self.timings.measure(Stage::Pack, || {
                    Ok(pack::archive(settings, variables, parts, shared, module)?.seal()?)
                })
            }
        }
    }

    /// Each kernel as it is prepared, with what the analyses say of it.
    fn analysis(&mut self, signatures: &[KernelSignature]) -> Result<Vec<u8>, CompileError> {
        let mut text = String::new();
        for signature in signatures {
            let cpu = &self.cpus[0];
            let options = work_group::options(
                self.settings,
                &self.variables,
                (&signature.name, signature.into()),
                cpu,
                self.settings.shown_size,
            );
            let copy = work_group::own_module(self.module, &signature.name);
            cpu.operations.settle(&copy);
            let shown = self
                .timings
                .measure(Stage::WorkGroup, || alone::analysis(&copy, &signature.name, &options))?;
            text.push_str(&shown);
        }
        Ok(text.into_bytes())
    }

    /// The work-group function of each kernel as text.
    fn join(
        &mut self,
        signatures: &[KernelSignature],
        show: impl Fn(&Module<'_>, &Formed) -> String,
    ) -> Result<Vec<u8>, CompileError> {
        let mut text = String::new();
        for signature in signatures {
            let (module, formed) =
                self.form(&signature.name, 0, self.settings.shown_size, &KnownArguments::NONE)?;
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
        let [KernelSignature { name, .. }] = signatures else {
            let kernels = signatures.iter().map(|signature| signature.name.clone()).collect();
            return Err(CompileError::OneKernel { what, kernels });
        };
        if !self.settings.devices.cpu {
            return Ok(self.reference_code(name, output)?.0);
        }
        let (module, formed) = self.form(name, 0, self.settings.shown_size, &KnownArguments::NONE)?;
        self.optimise(name, 0, &module, &formed)?;
        let machine = &self.cpus[0].machine;
        self.timings.measure(Stage::Emit, || emit::run(&module, name, machine, output))
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
        let mut parts = Vec::new();
        for signature in signatures {
            let pixels = self.pixels(&signature.name)?;
            parts.push(KernelParts { signature, levels: Vec::new(), reference: None, units: None, pixels });
        }
        for cpu in 0..self.cpus.len() {
            for kernels in members.values() {
                let names: Vec<String> = kernels.iter().map(|k| parts[*k].signature.name.clone()).collect();
                let (shared, formed) = self.together(&names, cpu)?;
                self.settings.pieces.add(names.len());
                for (kernel, formed) in kernels.iter().zip(formed) {
                    let (size, known) = (ANY_SIZE, KnownArguments::NONE);
                    let code = SizeCode { size, known, relocatable: None, shared: shared.clone() };
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
            let (module, formed) = self.form(name, cpu, ANY_SIZE, &KnownArguments::NONE)?;
            self.optimise(name, cpu, &module, &formed)?;
            exports.extend(self.exports(name));
            all_formed.push(formed);
            match &whole {
                None => whole = Some(module),
                Some(whole) => self.timings.measure(Stage::Emit, || link_into(whole, module))?,
            }
        }
        let module = whole.ok_or_else(|| CompileError::Request("there is no kernel".into()))?;
        let names = names.join(", ");
        let machine = &self.cpus[cpu].machine;
        let object =
            self.timings.measure(Stage::Emit, || emit::run(&module, &names, machine, Output::Object));
        let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
        Ok((self.link(&names, &object?, &exports)?, all_formed))
    }

    fn kernel(&mut self, signature: KernelSignature) -> Result<KernelParts, CompileError> {
        let name = &signature.name;
        let mut levels = Vec::new();
        if self.settings.devices.cpu {
            for cpu in 0..self.cpus.len() {
                levels.push(self.level(name, cpu)?);
            }
        }
        let reference = if self.settings.devices.reference { Some(self.reference(name)?) } else { None };
        self.settings.pieces.add(reference.iter().len());
        let pixels = self.pixels(name)?;
        Ok(KernelParts { signature, levels, reference, units: None, pixels })
    }

    /// The pixels of images that a kernel reads and writes.
    fn pixels(&mut self, kernel: &str) -> Result<Vec<PixelPlaces>, CompileError> {
        let module = self.module;
        self.timings.measure(Stage::WorkGroup, || work_group::pixels(module, kernel))
    }

    /// A kernel's code for one CPU.
    fn level(&mut self, kernel: &str, cpu: usize) -> Result<LevelCode, CompileError> {
        let mut objects = Vec::new();
        let mut generic = None;
        for (size, known) in self.settings.functions(kernel) {
            let (module, formed) = self.form(kernel, cpu, size, &known)?;
            self.optimise(kernel, cpu, &module, &formed)?;
            let exports = self.exports(kernel);
            let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
            let machine = &self.cpus[cpu].machine;
            let object =
                self.timings.measure(Stage::Emit, || emit::run(&module, kernel, machine, Output::Object))?;
            let shared = self.link(kernel, &object, &exports)?;
            let native = self.settings.native;
            // Others do not ask what is known of arguments.
            let relocatable = if self.settings.is_for_others && known.is_empty() {
                let link = || link::relocatable(object, kernel, &exports, native);
                Some(self.timings.measure(Stage::Link, link)?)
            } else {
                None
            };
            objects.push(SizeCode { size, known, relocatable, shared });
            self.settings.pieces.add(1);
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
        known: &KnownArguments,
    ) -> Result<(Module<'ctx>, Formed), CompileError> {
        let (module, cpu) = (self.module, &self.cpus[cpu]);
        let options = work_group::options(
            self.settings,
            &self.variables,
            (kernel, self.required.get(kernel).copied().unwrap_or_default()),
            cpu,
            size,
        );
        self.timings.measure(Stage::WorkGroup, || work_group::run(module, kernel, &options, known, cpu))
    }

    /// What a kernel's shared object defines for others. Code made in a hurry is for this runtime alone: it has no entry for
    /// PoCL, nor the object that PoCL would link.
    fn exports(&self, kernel: &str) -> Vec<String> {
        let mut exports = vec![abi::native_symbol(kernel)];
        if self.settings.has_pocl_entry {
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
        let machine = &self.cpus[cpu].machine;
        let waits = formed.facts.barrier;
        self.timings.measure(Stage::Optimise, || optimise::run(module, kernel, machine, &exports, waits))
    }

    fn link(&mut self, kernel: &str, object: &[u8], exports: &[&str]) -> Result<Vec<u8>, CompileError> {
        let native = self.settings.native;
        self.timings.measure(Stage::Link, || link::run(object, kernel, exports, native))
    }

    /// The reference executor's object, for the first CPU.
    fn reference(&mut self, kernel: &str) -> Result<(Vec<u8>, Vec<u64>), CompileError> {
        let (object, sizes) = self.reference_code(kernel, Output::Object)?;
        let symbol = abi::ref_symbol(kernel);
        Ok((self.link(kernel, &object, &[&symbol])?, sizes))
    }

    fn reference_code(&mut self, kernel: &str, output: Output) -> Result<(Vec<u8>, Vec<u64>), CompileError> {
        let Self { settings, module, variables, required, timings, .. } = self;
        let required = required.get(kernel).copied().unwrap_or_default();
        let cpu = timings.measure(Stage::Target, || target::run(&settings.cpus[0], Level::O0))?;
        let (copy, sizes) = timings
            .measure(Stage::WorkGroup, || work_group::reference(module, kernel, required, variables, &cpu))?;
        let code = timings.measure(Stage::Emit, || emit::run(&copy, kernel, &cpu.machine, output))?;
        Ok((code, sizes))
    }
}
