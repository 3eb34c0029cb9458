//! Runs the task-scheduling benchmarks: `tasks [-w WORKERS,..] [-n N] [-r RUNS] [BENCHMARK ..]`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use oxcl_scheduler::bench::{Benchmark, Functions, Plan, run};

fn main() -> ExitCode {
    let mut plan = Plan::default();
    let mut chosen = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse::<u64>().ok());
        match arg.as_str() {
            "-n" => plan.n = number().unwrap_or(plan.n),
            "-r" => plan.runs = number().and_then(|runs| u32::try_from(runs).ok()).unwrap_or(plan.runs),
            "-w" => {
                let list = args.next().unwrap_or_default();
                plan.workers = list.split(',').filter_map(|text| text.parse().ok()).collect();
            }
            name => match Benchmark::from_name(name) {
                Some(benchmark) => chosen.push(benchmark),
                None => {
                    eprintln!("tasks: no benchmark '{name}'");
                    return ExitCode::from(2);
                }
            },
        }
    }
    if !chosen.is_empty() {
        plan.benchmarks = chosen;
    }
    match run(&plan, Functions::start, |figure| println!("{figure}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tasks: {error}");
            ExitCode::FAILURE
        }
    }
}
