//! Builds a program through the compile service, as the OpenCL library does, and says how long everything took:
//! `cargo run --release -p oxcl-runtime --example build -- FILE.cl [OPTIONS]`, with `OXCL_COMPILER` and the variables of
//! the cache as in `docs/env.md`.

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use std::error::Error;
use std::time::Instant;

use oxcl_runtime::{BuildRequest, BuildTarget, CompilerService as _, Program, Service, ServiceOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a file with OpenCL C")?;
    let mut request = BuildRequest::new("program.cl", &std::fs::read_to_string(path)?, BuildTarget::Cpu);
    request.options = arguments.collect::<Vec<_>>().join(" ");
    let begin = Instant::now();
    let service = Service::new(ServiceOptions::from_environment());
    service.prewarm();
    println!("ready to build after {:?}", begin.elapsed());
    for _ in 0..3 {
        let begin = Instant::now();
        let built = service.build(&request)?;
        let spent = begin.elapsed();
        let program = Program::from_archive(&built.archive)?;
        let kernels = program.kernel_names().count();
        let from = if built.cached { "from the cache" } else { "compiled" };
        println!("{spent:?} {from}: {kernels} kernels, {} bytes", built.archive.len());
        print!("{}", built.log);
    }
    Ok(())
}
