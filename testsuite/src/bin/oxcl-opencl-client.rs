//! The OpenCL client as a program: reads a job as JSON from standard input, carries it out with the OpenCL of its
//! environment, and writes the answer as JSON to standard output. Ends with 1 and a message where there is none.

use std::io::Write;
use std::process::ExitCode;

use oxcl_testsuite::opencl;

fn main() -> ExitCode {
    match carry_out() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done about a closed standard error.
            drop(writeln!(std::io::stderr(), "{error}"));
            ExitCode::FAILURE
        }
    }
}

fn carry_out() -> Result<(), Box<dyn std::error::Error>> {
    let job: opencl::Job = serde_json::from_reader(std::io::stdin().lock())?;
    let answer = opencl::run("libOpenCL.so.1", &job)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &answer)?;
    out.flush()?;
    Ok(())
}
