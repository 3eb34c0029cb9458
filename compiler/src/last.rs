//! What the front end made of the program that was compiled last, for the next request for the same one: kernels that are
//! wanted one by one are of one program as a rule, and one that was made in a hurry.
//!
//! In: what the front end reads, and the module that came of it, before anything was linked or changed. Out: the same module in
//! another context, if files that it depends on look as they did: every program looks for clang's own header beside itself. With
//! the first kernel that is wanted by itself the program is taken apart: what each kernel reaches, the library's functions with it.

use oxcl_binary::hash::Sha256;
use std::collections::BTreeMap;

use oxcl_binary::pipe::{Dependency, Kernels, Quality, Seen};
use oxcl_frontend::{Bits, BuildOptions, Diagnostics, kernels};
use oxcl_ir::{Context, Module, read_module};

use crate::error::CompileError;
use crate::request::{Devices, IlFile, SourceFile};
use crate::settings::{Emit, Program, Settings};
use crate::stages::front_end::{self, Parsed};
use crate::stages::kernels::Chosen;
use crate::stages::work_group;
use crate::variables::Variables;

/// The program that was compiled last, if single kernels of it were wanted or are to be made later.
#[derive(Debug, Default)]
pub struct LastProgram {
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    sources: Vec<SourceFile>,
    il: Vec<IlFile>,
    objects: Vec<Vec<u8>>,
    headers: Vec<(String, String)>,
    options: BuildOptions,
    bits: Bits,
    bitcode: Vec<u8>,
    diagnostics: Diagnostics,
    dependencies: Vec<Dependency>,
    parts: Option<Parts>,
}

/// The kernels of a program one by one: complete modules of what each reaches, and what only the whole program says.
#[derive(Debug)]
struct Parts {
    /// What was linked depends on them.
    cpus: Vec<(String, String)>,
    devices: Devices,
    names: Vec<String>,
    variables: Variables,
    /// By name.
    kernels: BTreeMap<String, Vec<u8>>,
}

/// A kernel of the program that was compiled last, by itself.
pub(crate) struct Part<'ctx> {
    /// Complete, as the stage that chooses kernels leaves it.
    pub(crate) module: Module<'ctx>,
    pub(crate) chosen: Chosen,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) dependencies: Vec<Dependency>,
}

/// Programs of more kernels are not taken apart: every kernel's module names what the others have.
const MOST_PARTS: usize = 64;

/// The kernel that is wanted, of a request for one of a program that can be taken apart.
fn wanted<'s>(settings: &Settings<'s>) -> Option<&'s str> {
    match settings.kernels {
        Kernels::One(name) | Kernels::Specialised(name)
            if settings.emit == Emit::Archive
                && settings.machines.is_empty()
                && settings.quality == Quality::Full =>
        {
            Some(name)
        }
        _ => None,
    }
}

fn cpus(settings: &Settings<'_>) -> Vec<(String, String)> {
    settings.cpus.iter().map(|cpu| (cpu.cpu().to_owned(), cpu.feature_string().to_owned())).collect()
}

impl Known {
    fn is_of(&self, program: &Program<'_>, bits: Bits) -> bool {
        let headers = program.headers.iter().map(|header| (header.name, header.text));
        self.bits == bits
            && self.sources == program.sources
            && self.il == program.il
            && self.objects == program.objects
            && self.options == *program.options
            && headers.eq(self.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())))
            && self.dependencies.iter().all(looks_the_same)
    }
}

/// Whether what the front end read, or looked for in vain, is still the same.
fn looks_the_same(dependency: &Dependency) -> bool {
    let now = std::fs::read(&dependency.path).map_or(Seen::Absent, |bytes| Seen::File(Sha256::of(&bytes)));
    now == dependency.seen
}

impl LastProgram {
    /// The kernel that is wanted, where the program was taken apart for another one. Nothing of the others is read then, nor is
    /// the library linked again.
    pub(crate) fn part<'ctx>(&self, context: &'ctx Context, settings: &Settings<'_>) -> Option<Part<'ctx>> {
        let name = wanted(settings)?;
        let known = self.known.as_ref().filter(|known| known.is_of(&settings.program, settings.bits))?;
        let parts = known.parts.as_ref()?;
        if parts.cpus != cpus(settings) || parts.devices != settings.devices {
            return None;
        }
        let module = read_module(context, parts.kernels.get(name)?, "program").ok()?;
        let mut signatures = kernels(&module);
        signatures.retain(|signature| signature.name == name);
        let (names, variables) = (parts.names.clone(), parts.variables.clone());
        let objects = vec![0; signatures.len()];
        let chosen = Chosen { names, signatures, objects, variables };
        let (diagnostics, dependencies) = (known.diagnostics.clone(), known.dependencies.clone());
        Some(Part { module, chosen, diagnostics, dependencies })
    }

    /// Takes a program apart of which a kernel is wanted: others may follow.
    pub(crate) fn keep_parts(&mut self, settings: &Settings<'_>, module: &Module<'_>, chosen: &Chosen) {
        let is_known = |known: &&mut Known| known.is_of(&settings.program, settings.bits);
        let Some(known) = self.known.as_mut().filter(is_known) else { return };
        if wanted(settings).is_none() || !(2..=MOST_PARTS).contains(&chosen.names.len()) {
            return;
        }
        let part = |name: &String| {
            let own = work_group::own_module(module, name);
            (name.clone(), own.write_bitcode_to_memory().as_slice().to_vec())
        };
        known.parts = Some(Parts {
            cpus: cpus(settings),
            devices: settings.devices,
            names: chosen.names.clone(),
            variables: chosen.variables.clone(),
            kernels: chosen.names.iter().map(part).collect(),
        });
    }

    /// Runs the front end, unless it is known what comes of it.
    pub(crate) fn front_end<'ctx>(
        &mut self,
        context: &'ctx Context,
        settings: &Settings<'_>,
    ) -> Result<Parsed<'ctx>, CompileError> {
        let (program, bits) = (&settings.program, settings.bits);
        // It takes a while to write down: only where kernels are still to be made, or more of them may follow.
        if !program.is_part && settings.quality == Quality::Full {
            return front_end::run(context, program, bits);
        }
        if let Some(known) = self.known.as_ref().filter(|known| known.is_of(program, bits))
            && let Ok(module) = read_module(context, &known.bitcode, "program")
        {
            let (diagnostics, dependencies) = (known.diagnostics.clone(), known.dependencies.clone());
            return Ok(Parsed { module, diagnostics, dependencies });
        }
        let parsed = front_end::run(context, program, bits)?;
        self.known = Some(Known {
            sources: program.sources.to_vec(),
            il: program.il.to_vec(),
            objects: program.objects.to_vec(),
            headers: program.headers.iter().map(|one| (one.name.to_owned(), one.text.to_owned())).collect(),
            options: program.options.clone().into_owned(),
            bits,
            bitcode: parsed.module.write_bitcode_to_memory().as_slice().to_vec(),
            diagnostics: parsed.diagnostics.clone(),
            dependencies: parsed.dependencies.clone(),
            parts: None,
        });
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Request, compile_again};

    #[test]
    fn kernels_that_are_wanted_one_by_one_find_the_program_that_was_made_in_a_hurry() {
        let text =
            "kernel void one(global int *a) { a[0] = 1; } kernel void two(global int *a) { a[0] = 2; }";
        let sources = vec![SourceFile { name: "program.cl".to_owned(), text: text.to_owned() }];
        let mut request = Request { quality: Quality::First, ..Request::new(sources) };
        let mut last = LastProgram::default();
        compile_again(&request, Emit::Archive, None, &mut last).unwrap();
        request = Request { quality: Quality::Full, kernels: Kernels::One("two".to_owned()), ..request };
        let settings = Settings::of(&request, Emit::Archive).unwrap();
        let is_known = |last: &LastProgram| {
            last.known.as_ref().is_some_and(|known| known.is_of(&settings.program, settings.bits))
        };
        assert!(is_known(&last));
        // The same code comes of it as without.
        let again = compile_again(&request, Emit::Archive, None, &mut last).unwrap();
        let fresh = compile_again(&request, Emit::Archive, None, &mut LastProgram::default()).unwrap();
        assert_eq!((again.bytes, again.dependencies), (fresh.bytes, fresh.dependencies));
        // And of another kernel, when the program was taken apart for this one.
        let other = Request { kernels: Kernels::One("one".to_owned()), ..request.clone() };
        let again = compile_again(&other, Emit::Archive, None, &mut last).unwrap();
        let fresh = compile_again(&other, Emit::Archive, None, &mut LastProgram::default()).unwrap();
        assert_eq!((again.bytes, again.kernels), (fresh.bytes, fresh.kernels));
        let context = Context::create();
        let settings_of_other = Settings::of(&other, Emit::Archive).unwrap();
        assert!(last.part(&context, &settings_of_other).is_some());
        // A header that it looked for in vain has come.
        let known = last.known.as_mut().unwrap();
        known.dependencies.push(Dependency { path: file!().to_owned(), seen: Seen::Absent });
        known.dependencies.push(Dependency { path: "Cargo.toml".to_owned(), seen: Seen::Absent });
        assert!(!is_known(&last));
    }
}
