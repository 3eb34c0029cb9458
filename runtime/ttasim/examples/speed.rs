//! How many cycles a second the engines simulate: a real program on three buses, dense random code on sixteen, four cores
//! in lock step; or the programs of images that are named, each until it ends. Prints one line each.
//! `cargo run --release -p oxcl-ttasim --example speed [-- A.ttaimg...]`
#![expect(clippy::print_stdout, reason = "the figures are the program's result")]

use oxcl_tta::asm::parse;
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::image::Image;
use oxcl_tta::model::{Guard, Machine};
use oxcl_tta::program::{DataArea, Destination, Instruction, LongImmediate, Move, Program, Source};
use oxcl_tta::sample;
use oxcl_ttasim::{Engine, System};
use std::sync::Arc;
use std::time::Instant;

fn machine(name: &str) -> Result<Machine, String> {
    let plans = stock::plans();
    plans.iter().find(|(n, _)| *n == name).map(|(_, p)| compose(p)).ok_or(format!("no machine '{name}'"))
}

/// Seconds that this thread has been running on a processor, where the system tells; else seconds since `start`. Other
/// programs on the same host then do not count.
fn seconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// CRC-32 over `count` bytes.
fn crc(count: usize) -> Result<Image, String> {
    let machine = machine("three_bus")?;
    let table: Vec<u32> = (0..256u32)
        .map(|n| (0..8).fold(n, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 }))
        .collect();
    let mut text = String::from(include_str!("../programs/crc32.tceasm"));
    text.push_str("DATA data 4096 ;\ntable:\n");
    for word in table {
        text.push_str(&format!("DA 4 {word:#x} ;\n"));
    }
    text.push_str(&format!("DATA data 8192 ;\nbytes: DA {count} 0 ;\nbytes_end:\n"));
    let mut program = parse(&machine, &text).map_err(|e| e.to_string())?;
    for area in program.data.iter_mut().filter(|a| a.start == 8192) {
        *area = DataArea { bytes: (0..=255).cycle().take(count).collect(), ..area.clone() };
    }
    Ok(Image { machine: machine.into(), program })
}

/// Random code closed to an endless loop.
fn dense(name: &str) -> Result<Image, String> {
    let machine = machine(name)?;
    let mut program: Program = sample::program(&machine, 1, 400);
    let control = machine.control_unit();
    let unit = &machine.units[control.index()];
    let jump = unit.operation("jump").ok_or("no jump")?;
    let port = unit.operations[usize::from(jump)].port_of(1).ok_or("the jump has no operand")?;
    let destination = Destination::Port { unit: control, port, operation: Some(jump) };
    let (bus, _) = machine.buses().next().ok_or("no bus")?;
    let source = Source::Constant(0);
    let back = Move { bus, guard: Guard::Always, source, destination, producer: None };
    program.exits.clear();
    program.instructions.push(Instruction { moves: vec![back], immediates: Vec::<LongImmediate>::new() });
    program.instructions.extend(vec![Instruction::default(); machine.control.delay_slots as usize]);
    Ok(Image { machine: machine.into(), program })
}

fn measure(what: &str, image: Image, cores: usize, engine: Engine, cycles: u64) -> Result<(), String> {
    let moves: usize = image.program.instructions.iter().map(|i| i.moves.len()).sum();
    let per_instruction = moves as f64 / image.program.instructions.len() as f64;
    let image = Arc::new(image);
    let images: Vec<_> = (0..cores).map(|_| Arc::clone(&image)).collect();
    let mut best = 0.0_f64;
    for _ in 0..3 {
        let mut system = System::with_own_memories(&images, engine).map_err(|e| e.to_string())?;
        let start = Instant::now();
        let before = seconds(start);
        system.run(cycles).map_err(|e| e.to_string())?;
        best = best.max(system.cycle() as f64 / (seconds(start) - before) / 1e6);
    }
    let engine = if engine == Engine::Fast { "fast" } else { "strict" };
    println!("{what:<44} {engine:<7} {best:8.1} M cycles/s  ({per_instruction:.1} moves an instruction)");
    Ok(())
}

fn main() -> Result<(), String> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        let image = oxcl_tta::image::read(&bytes).map_err(|e| format!("{path}: {e}"))?;
        for engine in [Engine::Strict, Engine::Fast] {
            measure(path, image.clone(), 1, engine, u64::MAX)?;
        }
    }
    if !paths.is_empty() {
        return Ok(());
    }
    for engine in [Engine::Strict, Engine::Fast] {
        measure("crc32, three_bus, one core", crc(1_000_000)?, 1, engine, 11_000_000)?;
        measure("random code, tiny, one core", dense("tiny")?, 1, engine, 5_000_000)?;
        measure("random code, three_bus, one core", dense("three_bus")?, 1, engine, 5_000_000)?;
        measure("random code, wide_float (8 buses), one core", dense("wide_float")?, 1, engine, 3_000_000)?;
        measure("random code, sixteen_bus, one core", dense("sixteen_bus")?, 1, engine, 3_000_000)?;
        measure("crc32, three_bus, four cores in lock step", crc(200_000)?, 4, engine, 2_000_000)?;
    }
    Ok(())
}
