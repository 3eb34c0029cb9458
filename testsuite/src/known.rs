//! The programs of a file test that are made for the formats and samplers of its lines, as a program that runs long gets them.
//!
//! In: a file, and its program for all launches. Out: further programs, none where no line has an image or a sampler. Every line with
//! one has a function of its own in them: one that is missing is an error, or the lines would not run it.

use oxcl_binary::archive::Archive;
use oxcl_binary::archive::slots::Code;
use oxcl_compiler::{Devices, Emit, compile};
use oxcl_runtime::{ArgValue, Device, KnownOf, LaunchShape, NdRange, Program};

use crate::directive::Run;
use crate::filetest::{Input, arguments};

/// Where more functions than these are made, they are not made for one work-item at a time as well: that takes long, and
/// `known_formats.rs` has all formats.
const MANY: usize = 12;

/// A line's kernel, and what functions for it are made for.
fn shape(program: &Program, device: &Device, run: &Run) -> Result<(String, LaunchShape), String> {
    let kernel = program.kernel(&run.kernel).map_err(|e| e.to_string())?;
    let data = arguments(&kernel.record().args, run)?;
    let arguments: Vec<ArgValue<'_>> = data.iter().map(|(.., prepared)| prepared.value()).collect();
    let mut range = NdRange::new(&run.global).map_err(|e| e.to_string())?;
    if let Some(local) = &run.local {
        range = range.with_local(local).map_err(|e| e.to_string())?;
    }
    let local = device.local_size_for(&kernel, &range).map_err(|e| e.to_string())?;
    Ok((run.kernel.clone(), LaunchShape::of(local, &arguments)))
}

/// As many work-items at a time as the compiler likes, and one.
pub(crate) fn programs(input: &Input<'_>, generic: &Program) -> Result<Vec<(&'static str, Program)>, String> {
    let device = Device::by_name("cpu").map_err(|e| e.to_string())?;
    let mut shapes = Vec::new();
    for run in &input.test.runs {
        let shape = shape(generic, &device, run)?;
        if !shape.1.known.is_empty() && !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    if shapes.is_empty() {
        return Ok(Vec::new());
    }
    let mut request = input.request()?;
    request.devices = Devices { cpu: true, reference: false };
    for (kernel, shape) in &shapes {
        if !request.local_sizes.contains(&shape.local) {
            request.local_sizes.push(shape.local);
        }
        let known = KnownOf { kernel: kernel.clone(), arguments: shape.known.clone() };
        if !request.known.contains(&known) {
            request.known.push(known);
        }
    }
    let mut programs = Vec::new();
    let both = [("W chosen, formats known", None), ("formats known", Some(1))];
    let count = if shapes.len() > MANY { 1 } else { 2 };
    for (label, width) in both.into_iter().take(count) {
        request.width = width;
        let bytes = compile(&request, Emit::Archive, None).map_err(|e| input.rendered(&e))?.bytes;
        let archive = Archive::read(&bytes).map_err(|e| e.to_string())?;
        for (kernel, LaunchShape { local, known }) in &shapes {
            let record = archive.kernels.iter().find(|record| record.name == *kernel);
            if record.and_then(|record| record.object_for(Code::First, *local, known)).is_none() {
                return Err(format!("{label}: there is no function of '{kernel}' for {local:?} and {known}"));
            }
        }
        programs.push((label, Program::from_archive(&bytes).map_err(|e| e.to_string())?));
    }
    Ok(programs)
}
