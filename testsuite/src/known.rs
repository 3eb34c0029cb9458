//! The programs of a file test that are made for the formats and samplers of its lines, as a program that runs long gets them.
//!
//! In: a file, and its program for all launches. Out: further programs, none where no line has an image or a sampler. Every line with
//! one has a function of its own in them, made for its shape alone: one that is missing is an error, or the lines would not run it.

use oxcl_binary::archive::slots::Code;
use oxcl_binary::archive::{Archive, File, Kernel};

use oxcl_compiler::{Devices, Emit, Kernels, compile};
use oxcl_runtime::{ArgValue, Device, KnownOf, LaunchShape, NdRange, Program};

use crate::directive::Run;
use crate::filetest::{Input, arguments};

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

/// As many work-items at a time as the compiler likes, and one. `archive` is the program for all launches.
pub(crate) fn programs(input: &Input<'_>, archive: &[u8]) -> Result<Vec<(&'static str, Program)>, String> {
    let generic = Program::from_archive(archive).map_err(|e| e.to_string())?;
    let device = Device::by_name("cpu").map_err(|e| e.to_string())?;
    let mut shapes = Vec::new();
    for run in &input.test.runs {
        let shape = shape(&generic, &device, run)?;
        if !shape.1.known.is_empty() && !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    if shapes.is_empty() {
        return Ok(Vec::new());
    }
    let mut programs = Vec::new();
    for (label, width) in [("W chosen, formats known", None), ("formats known", Some(1))] {
        let mut whole = Archive::read(archive).map_err(|e| e.to_string())?;
        for (kernel, shape) in &shapes {
            let added = function(input, kernel, shape, width).map_err(|e| format!("{label}: {e}"))?;
            let record = whole.kernels.iter_mut().find(|record| record.name == *kernel);
            let record = record.ok_or_else(|| format!("there is no kernel '{kernel}'"))?;
            let (local, known) = (shape.local, &shape.known);
            let made = added.object_for(Code::First, local, known).is_some();
            let is_new = |file: &File| record.file(&file.path).is_none();
            let files: Vec<File> = added.files.into_iter().filter(is_new).collect();
            record.files.extend(files);
            if !made || record.object_for(Code::First, local, known).is_none() {
                return Err(format!("{label}: there is no function of '{kernel}' for {local:?} and {known}"));
            }
        }
        let bytes = whole.write().map_err(|e| e.to_string())?;
        programs.push((label, Program::from_archive(&bytes).map_err(|e| e.to_string())?));
    }
    Ok(programs)
}

/// A kernel with its function for launches of one shape, and nothing else: as a program gets it that runs long.
fn function(
    input: &Input<'_>,
    kernel: &str,
    shape: &LaunchShape,
    width: Option<u32>,
) -> Result<Kernel, String> {
    let mut request = input.request()?;
    request.devices = Devices { cpu: true, reference: false };
    request.kernels = Kernels::Specialised(kernel.to_owned());
    request.local_sizes = vec![shape.local];
    request.known = vec![KnownOf { kernel: kernel.to_owned(), arguments: shape.known.clone() }];
    request.width = width;
    let bytes = compile(&request, Emit::Archive, None).map_err(|e| input.rendered(&e))?.bytes;
    let archive = Archive::read(&bytes).map_err(|e| e.to_string())?;
    let made = archive.kernels.into_iter().find(|record| record.name == kernel);
    made.ok_or_else(|| format!("there is no kernel '{kernel}'"))
}
