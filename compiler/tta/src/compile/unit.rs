//! Machine IR to units: a kernel's own code is its unit, and each run-time routine is one of its own.
//!
//! In: a kernel's module, and once the module of all routines. Out: for a kernel its unit, and the names of the routines that
//! it reaches; for a routine its unit. A routine is lifted and scheduled when the first kernel reaches it, and never again.

use super::{CompileError, Compiler, DEEP_STACK, widened};
use crate::machine_ir::Module;
use crate::model::Machine;
use crate::schedule::{ScheduleError, reaches};
use crate::unit::{Part, pack};
use oxcl_binary::unit::{Needs, Unit};
use std::collections::BTreeSet;

/// Bytes of stack for what nobody counts.
const SPARE: u64 = 64;
/// Instructions that the program which devices run has at most.
const DEVICE_PROGRAM: usize = 1024;

/// Compiles units for a machine.
#[derive(Debug)]
pub struct UnitCompiler<'a> {
    machine: &'a Machine,
    routines: Option<Box<Compiler<'a>>>,
    /// Objects that others define: names and OpenCL address spaces.
    known: Vec<(String, u32)>,
    /// The largest instruction addresses that jumps may be scheduled for.
    limits: Vec<u64>,
}

/// A unit and what it needs beside itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitProgram {
    /// The unit.
    pub unit: Unit,
    /// The routines that it reaches, those that routines reach included.
    pub routines: BTreeSet<String>,
}

impl<'a> UnitCompiler<'a> {
    /// A compiler for a machine, with these routines. `known` are objects that whoever links the units has, with their OpenCL
    /// address spaces.
    ///
    /// # Errors
    /// Nothing can be compiled for the machine.
    pub fn new(
        machine: &'a Machine,
        routines: &'a Module,
        known: &[(&str, u32)],
    ) -> Result<Self, CompileError> {
        let limits = reaches(machine);
        let routines = Some(Box::new(Compiler::new(machine, [routines], limits[0])?));
        let known = known.iter().map(|(name, space)| ((*name).to_owned(), *space)).collect();
        Ok(Self { machine, routines, known, limits })
    }

    /// The same compiler, with jumps for the first of these largest instruction addresses that a kernel and what comes with it
    /// get along with.
    #[must_use]
    pub fn within(mut self, limits: &[u64]) -> Self {
        limits.clone_into(&mut self.limits);
        self
    }

    /// Compiles what `entry` reaches in a module. `needs` is what is known of it but its stack, which is filled in.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn kernel(
        &mut self,
        module: &'a Module,
        entry: &str,
        needs: Needs,
    ) -> Result<UnitProgram, CompileError> {
        let limits = self.limits.clone();
        widened(&limits, |limit| {
            let made = self.kernel_for(module, entry, needs, limit)?;
            let count = self.instructions(&made);
            let all = || CompileError::Schedule {
                function: entry.to_owned(),
                error: ScheduleError::TooLong { count, limit },
            };
            // The last one must do; whether the rest of the image leaves it room is the linker's to say.
            let fits = count as u64 <= limit || limits.last() == Some(&limit);
            if fits { Ok(made) } else { Err(all()) }
        })
    }

    /// How many instructions a device that runs nothing but this kernel has.
    fn instructions(&self, made: &UnitProgram) -> usize {
        let own: usize = made.unit.functions.iter().map(|f| f.instructions.len()).sum();
        let shared = self.routines.iter().flat_map(|routines| &routines.done);
        let shared = shared.filter(|(a, _)| made.routines.contains(&a.function.name));
        own + shared.map(|(_, code)| code.instructions.len()).sum::<usize>() + DEVICE_PROGRAM
    }

    fn kernel_for(
        &mut self,
        module: &'a Module,
        entry: &str,
        needs: Needs,
        limit: u64,
    ) -> Result<UnitProgram, CompileError> {
        let mut compiler = Compiler::new(self.machine, [module], limit)?;
        for (name, space) in &self.known {
            let number = compiler.ability.space(*space);
            let number = number.ok_or_else(|| CompileError::Space { object: name.clone(), space: *space })?;
            compiler.symbols.insert(name.clone(), number);
        }
        compiler.routines = self.routines.take();
        let outcome = compiler.reach(entry);
        self.routines = compiler.routines.take();
        let named = outcome?;
        let needs = Needs { stack: stack(&compiler, entry), ..needs };
        let reached = std::mem::take(&mut compiler.reached);
        let unit = compiler.unit(entry, &named, needs);
        let routines = self.closure(&reached);
        Ok(UnitProgram { unit, routines })
    }

    /// These routines and those that they reach.
    fn closure(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let Some(compiler) = &self.routines else { return BTreeSet::new() };
        let mut all = BTreeSet::new();
        let mut waiting: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            let Some((allocated, _)) = compiler.done.iter().find(|(a, _)| a.function.name == name) else {
                continue;
            };
            if all.insert(name) {
                waiting.extend(allocated.function.symbols.iter().map(|s| s.name.clone()));
            }
        }
        all
    }

    /// The unit of a routine that a kernel has reached.
    #[must_use]
    pub fn routine(&self, name: &str) -> Option<Unit> {
        let compiler = self.routines.as_deref()?;
        let (allocated, _) = compiler.done.iter().find(|(a, _)| a.function.name == name)?;
        let mut named = BTreeSet::from([name.to_owned()]);
        // Objects that it names, and objects that those name.
        let mut waiting: Vec<&str> = allocated.function.symbols.iter().map(|s| s.name.as_str()).collect();
        while let Some(symbol) = waiting.pop() {
            if let Some(object) = compiler.objects.get(symbol)
                && named.insert(symbol.to_owned())
            {
                waiting.extend(object.relocations.iter().map(|r| r.symbol.as_str()));
            }
        }
        let needs = Needs { stack: stack(compiler, name), width: 1, ..Needs::default() };
        Some(compiler.unit(name, &named, needs))
    }
}

fn stack(compiler: &Compiler<'_>, entry: &str) -> u64 {
    compiler.depths.get(entry).copied().unwrap_or(DEEP_STACK) + SPARE
}

impl Compiler<'_> {
    /// A function that only the routines have: it is compiled there, and what callers must know is taken over.
    pub(super) fn routine(&mut self, name: &str) -> Result<(), CompileError> {
        let Some(shared) = &mut self.routines else { return Ok(()) };
        if !shared.functions.contains_key(name) {
            return Ok(());
        }
        shared.reach(name)?;
        self.reached.insert(name.to_owned());
        if let Some(depth) = shared.depths.get(name) {
            self.depths.insert(name.to_owned(), *depth);
        }
        if let Some(clobbers) = shared.clobbers.get(name) {
            self.clobbers.insert(name.to_owned(), clobbers.clone());
        }
        Ok(())
    }

    /// A unit of the finished functions and of the objects among these names.
    fn unit(&self, entry: &str, named: &BTreeSet<String>, needs: Needs) -> Unit {
        let mut parts: Vec<Part> = Vec::new();
        for (allocated, code) in self.done.iter().filter(|(a, _)| named.contains(&a.function.name)) {
            let function = &allocated.function;
            let part =
                Part { name: function.name.clone(), symbols: function.symbols.clone(), code: code.clone() };
            // The entry first.
            if function.name == entry { parts.insert(0, part) } else { parts.push(part) }
        }
        let clobbers: Vec<_> = self.clobbers.get(entry).into_iter().flatten().copied().collect();
        pack(self.machine, &parts, &self.data(named), &clobbers, needs)
    }
}
