//! What the front end made of the program that was compiled last, for the next request for the same one: kernels that are
//! wanted one by one are of one program as a rule, and one that was made in a hurry.
//!
//! In: what the front end reads, and the module that came of it, before anything was linked or changed. Out: the same module in
//! another context. A program that depends on files is not kept, for they may change.

use oxcl_binary::pipe::Quality;
use oxcl_frontend::{Bits, BuildOptions, Diagnostics};
use oxcl_ir::{Context, read_module};

use crate::error::CompileError;
use crate::request::SourceFile;
use crate::settings::{Program, Settings};
use crate::stages::front_end::{self, Parsed};

/// The program that was compiled last, if single kernels of it were wanted or are to be made later.
#[derive(Debug, Default)]
pub struct LastProgram {
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    sources: Vec<SourceFile>,
    objects: Vec<Vec<u8>>,
    headers: Vec<(String, String)>,
    options: BuildOptions,
    bits: Bits,
    bitcode: Vec<u8>,
    diagnostics: Diagnostics,
}

impl Known {
    fn is_of(&self, program: &Program<'_>, bits: Bits) -> bool {
        let headers = program.headers.iter().map(|header| (header.name, header.text));
        self.bits == bits
            && self.sources == program.sources
            && self.objects == program.objects
            && self.options == *program.options
            && headers.eq(self.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }
}

impl LastProgram {
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
            let diagnostics = known.diagnostics.clone();
            return Ok(Parsed { module, diagnostics, dependencies: Vec::new() });
        }
        let parsed = front_end::run(context, program, bits)?;
        self.known = parsed.dependencies.is_empty().then(|| Known {
            sources: program.sources.to_vec(),
            objects: program.objects.to_vec(),
            headers: program.headers.iter().map(|one| (one.name.to_owned(), one.text.to_owned())).collect(),
            options: program.options.clone().into_owned(),
            bits,
            bitcode: parsed.module.write_bitcode_to_memory().as_slice().to_vec(),
            diagnostics: parsed.diagnostics.clone(),
        });
        Ok(parsed)
    }
}
