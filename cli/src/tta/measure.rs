//! Compiles a program for a machine, simulates it, checks what it did, and counts.
//!
//! In: sources, a machine, what the program must do. Out: cycles, what the scheduler holds possible for the blocks as often
//! as they were executed, and the instructions that a RISC-V processor would need. The result is checked twice: against what is
//! expected, and against an execution of the machine IR, which knows nothing of our compiler.

use super::suite::Expected;
use oxcl_compiler::tta::{CRequest, c_machine_ir, shipped_routines};
use oxcl_tta::compile::compile;
use oxcl_tta::image::Image;
use oxcl_tta::interpret::{World, machine_ir as source};
use oxcl_tta::lift::Ability;
use oxcl_tta::machine_ir;
use oxcl_tta::model::Machine;
use oxcl_tta::program::SymbolValue;
use oxcl_ttasim::{Engine, Stop, System};
use std::sync::Arc;

/// What was counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    /// Cycles from the first instruction to the halt.
    pub(crate) cycles: u64,
    /// The sum of the blocks' bounds, each as often as it was executed.
    pub(crate) bound: u64,
    /// Instructions that a 32-bit RISC-V processor would execute.
    pub(crate) risc_v: u64,
    /// Instructions in the program.
    pub(crate) instructions: usize,
}

/// Simulated cycles after which a program is taken to run for ever.
const LIMIT: u64 = 400_000_000;

/// Compiles, runs, checks and counts; an error says what went wrong.
pub(crate) fn measure(
    request: &CRequest,
    machine: &Machine,
    expected: &Expected,
    engine: Engine,
) -> Result<Figures, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let (text, _) = c_machine_ir(request, machine).map_err(|e| said(&e))?;
    let modules = [
        machine_ir::parse(&text).map_err(|e| said(&e))?,
        machine_ir::parse(shipped_routines()).map_err(|e| said(&e))?,
    ];
    let compiled = compile(machine, &modules, "main").map_err(|e| said(&e))?;
    let ability = Ability::of(machine).map_err(|e| said(&e))?;

    let image = Arc::new(Image { machine: machine.clone().into(), program: compiled.program });
    let mut system = System::with_own_memories(std::slice::from_ref(&image), engine).map_err(|e| said(&e))?;
    if system.run(LIMIT).map_err(|e| said(&e))? == Stop::Limit {
        return Err(format!("it has not ended after {LIMIT} cycles"));
    }
    let cycles = system.cycle();
    let output = system.take_output(0);
    if system.result(0).unwrap_or(0) & 0xffff_ffff != 0 {
        let written = String::from_utf8_lossy(&output).trim_end().to_owned();
        return Err(format!("main returned {:#x} and wrote '{written}'", system.result(0).unwrap_or(0)));
    }
    check(expected, &output, &image, &system)?;

    let world = World::new(machine, &ability, &modules, &image.program);
    let mut reference = source::Interpreter::new(world, &modules);
    let stack = machine.spaces[ability.space(0).map_or(0, |s| s.index())].max_address.min(0xffff_0000) as u32;
    let result = reference.run("main", stack & !0xf, LIMIT).map_err(|e| format!("machine IR: {e}"))?;
    if result != 0 || reference.world.output() != output {
        return Err("the machine IR itself gives another result".to_owned());
    }

    let executed = system.counts(0).executed;
    let times = |start: u32| executed.get(start as usize).copied().unwrap_or(0);
    let bound = compiled.blocks.iter().map(|b| times(b.report.start) * u64::from(b.report.bound)).sum();
    let instructions = image.program.instructions.len();
    Ok(Figures { cycles, bound, risc_v: reference.instructions(), instructions })
}

fn check(expected: &Expected, output: &[u8], image: &Image, system: &System) -> Result<(), String> {
    match expected {
        Expected::Text(text) => {
            let written = String::from_utf8_lossy(output);
            if written.trim_end() == text { Ok(()) } else { Err("it wrote something else".to_owned()) }
        }
        Expected::Bytes(bytes) => {
            // The operation writes numbers; a byte is the lowest eight bits of one.
            let text = String::from_utf8_lossy(output);
            let numbers = text.lines().map(|l| l.trim().parse::<i64>().map(|n| (n & 0xff) as u8));
            let written = numbers.collect::<Result<Vec<u8>, _>>();
            if written.as_ref() == Ok(bytes) { Ok(()) } else { Err("it wrote something else".to_owned()) }
        }
        Expected::Words(symbol, words) => {
            let Some(SymbolValue::Data { space, address }) = image.program.symbol(symbol) else {
                return Err(format!("there is no '{symbol}' in memory"));
            };
            for (address, word) in (address..).step_by(4).zip(words) {
                let mut bytes = [0; 4];
                let read = system.memory(0, space).read(address, &mut bytes);
                if read.is_err() || u32::from_le_bytes(bytes) != *word {
                    return Err(format!("memory at {address:#x} differs from what is expected"));
                }
            }
            Ok(())
        }
    }
}
