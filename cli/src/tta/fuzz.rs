//! Random kernels on random machines: the strict simulation, an execution of the machine IR, one of the lifted code, and what
//! the language says must give the same.
//!
//! In: a seed for each pair. Out: what a pair does, or how it fails; a failing kernel is made smaller for as long as it
//! still fails. A machine for which nothing can be compiled, for a reason that [`Ability`] or the compiler names, is no pair.

use super::kernels::{GROUPS, INPUTS, Kernel, LOCAL};
use oxcl_compiler::tta::kernel::{KernelProgram, compile_kernel};
use oxcl_compiler::tta::launch::Argument;
use oxcl_compiler::{BuildOptions, CompileError, SourceFile};
use oxcl_tta::adf;
use oxcl_tta::compile::CompileError as TtaError;
use oxcl_tta::compose::compose;
use oxcl_tta::interpret::{World, lifted, machine_ir as source};
use oxcl_tta::lift::Ability;
use oxcl_tta::model::{Machine, SpaceId};
use oxcl_tta::sample::{self, Random};
use oxcl_ttasim::{Engine, Stop, System};
use std::sync::Arc;

/// Cycles and operations after which a kernel is taken to run for ever.
const LIMIT: u64 = 20_000_000;

/// What a pair came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All executions agree, after so many cycles.
    Same(u64),
    /// The machine is not one to compile for.
    Unsuitable(String),
    /// Something is wrong.
    Wrong(String),
}

/// A kernel and a machine.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    /// The kernel.
    pub(crate) kernel: Kernel,
    /// The machine.
    pub(crate) machine: Machine,
}

impl Pair {
    /// The pair of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let machine = compose(&sample::plan(&mut random));
        Self { kernel: Kernel::random(&mut random), machine }
    }

    /// Compiles and executes it in every way.
    pub(crate) fn verdict(&self) -> Verdict {
        let sources = [SourceFile { name: "kernel.cl".to_owned(), text: self.kernel.source() }];
        let program = match compile_kernel(&sources, &BuildOptions::default(), None, &self.machine) {
            Ok(program) => program,
            Err(CompileError::Tta(error)) if is_refusal(&error) => {
                return Verdict::Unsuitable(error.to_string());
            }
            Err(error) => return Verdict::Wrong(format!("it does not compile: {error}")),
        };
        match self.execute(&program) {
            Ok(cycles) => Verdict::Same(cycles),
            Err(why) => Verdict::Wrong(why),
        }
    }

    fn execute(&self, program: &KernelProgram) -> Result<u64, String> {
        let expected = self.kernel.run();
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let arguments = [
            Argument::Buffer(vec![0; expected.len()]),
            Argument::Buffer(self.kernel.input.clone()),
            Argument::Word(self.kernel.scalar),
        ];
        let launch = program.launch(GROUPS, LOCAL, &arguments).map_err(|e| said(&e))?;
        let (space, at) = *launch.buffers.first().ok_or("there is no buffer")?;
        let compare = |what: &str, bytes: &[u8]| -> Result<(), String> {
            let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            match words.zip(&expected).position(|(found, wanted)| found != *wanted) {
                None => Ok(()),
                Some(position) => Err(format!("{what}: word {position} of 'out' is wrong")),
            }
        };
        let count = 4 * expected.len();
        let ability = Ability::of(&self.machine).map_err(|e| said(&e))?;
        let image = Arc::new(program.program.image.clone());
        let modules = &program.program.modules;
        let mut world = World::new(&self.machine, &ability, modules, &image.program);
        for (space, address, bytes) in &launch.writes {
            world.write(*space, *address, bytes);
        }
        let top = self.stack_top(&ability);
        let read =
            |world: &World<'_>, space: SpaceId| world.read(space, at, u32::try_from(count).unwrap_or(0));

        let mut first = source::Interpreter::new(world.clone(), modules);
        first.run("main", top, LIMIT).map_err(|e| format!("machine IR: {e}"))?;
        compare("machine IR", &read(&first.world, space))?;
        let mut second = lifted::Interpreter::new(world, &ability, modules);
        second.run("main", top, LIMIT).map_err(|e| format!("lifted code: {e}"))?;
        compare("lifted code", &read(&second.world, space))?;

        let system = System::with_own_memories(std::slice::from_ref(&image), Engine::Strict);
        let mut system = system.map_err(|e| format!("simulator: {e}"))?;
        for (space, address, bytes) in &launch.writes {
            let written = system.memory_mut(0, *space).write(u64::from(*address), bytes);
            written.map_err(|_| "simulator: an argument lies outside of its memory".to_owned())?;
        }
        let stop = system.run(LIMIT).map_err(|e| format!("simulator: {e}"))?;
        if stop == Stop::Limit {
            return Err(format!("simulator: it has not ended after {LIMIT} cycles"));
        }
        let mut bytes = vec![0; count];
        let found = system.memory(0, space).read(u64::from(at), &mut bytes);
        found.map_err(|_| "simulator: 'out' lies outside of its memory".to_owned())?;
        compare("simulator", &bytes)?;
        Ok(system.cycle())
    }

    fn stack_top(&self, ability: &Ability) -> u32 {
        let space = ability.space(0).and_then(|s| self.machine.spaces.get(s.index()));
        let last = space.map_or(0, |s| s.max_address.min(0xffff_0000));
        u32::try_from(last).unwrap_or(0) & !0xf
    }

    /// The smallest kernel found that still fails on the machine, with how it does.
    pub(crate) fn shrunk(self, why: String) -> (Self, String) {
        let (mut now, mut why) = (self, why);
        let mut budget = 400;
        loop {
            let candidates = now.kernel.smaller();
            let found = candidates.into_iter().find_map(|kernel| {
                if budget == 0 {
                    return None;
                }
                budget -= 1;
                let pair = Self { kernel, machine: now.machine.clone() };
                match pair.verdict() {
                    Verdict::Wrong(why) => Some((pair, why)),
                    _ => None,
                }
            });
            match found {
                Some(smaller) => (now, why) = smaller,
                None => return (now, why),
            }
        }
    }

    /// The kernel as a file test.
    pub(crate) fn file_test(&self, seed: u64, why: &str) -> String {
        let list = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let out = self.kernel.run();
        let why: String = why.lines().next().unwrap_or_default().chars().filter(|c| *c != ':').collect();
        format!(
            "// Found by oxcl bench fuzz-tta with seed {seed}, on the machine beside this file; there {why}.\n// test: run\n// run: k global={} local={LOCAL} (out=zeros:{}, in=[{}], s={}) -> out=[{}]\n{}",
            GROUPS * LOCAL,
            out.len(),
            list(&self.kernel.input[..INPUTS]),
            self.kernel.scalar,
            list(&out),
            self.kernel.source(),
        )
    }

    /// The machine as a file.
    pub(crate) fn machine_file(&self) -> String {
        adf::write(&self.machine)
    }
}

/// Whether an error says that the machine is not one to compile for, rather than that the compiler fails.
fn is_refusal(error: &TtaError) -> bool {
    matches!(error, TtaError::Unsuitable(_) | TtaError::NoRegisters)
}
