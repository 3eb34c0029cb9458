//! What it costs to make a program's kernels one by one, beside making all at once: `parts [KERNELS] [ROUNDS]`. Prints
//! milliseconds of each stage, the best of the rounds: all kernels in a hurry, all in full quality, and each in full quality by
//! a request of its own to a compiler that has made the program in a hurry before; and the processor time of all rounds, which
//! is what counts where other work runs beside.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use oxcl_compiler::{CompileError, Emit, Kernels, LastProgram, Quality, Request, SourceFile, compile_again};

/// Kernels of several shapes: element by element, a loop with mathematics, a reduction with barriers, helpers.
fn source(kernels: usize) -> String {
    let mut text = String::from("float mix3(float a, float b, float c) { return a * b + c * (1.0f - b); }\n");
    for number in 0..kernels {
        let body = match number % 4 {
            0 => "a[i] = mix3(a[i], b[i], (float)NUMBER) + (float)get_local_id(0);".to_owned(),
            1 => "float s = 0; for (int k = 0; k < n; k++) s += native_sqrt(b[k] + NUMBER) * exp(a[i]); a[i] = s;".to_owned(),
            2 => "local float t[64]; int l = get_local_id(0); t[l & 63] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); \
                  for (int s = 32; s > 0; s >>= 1) { if (l < s) t[l] += t[l + s] + NUMBER; barrier(CLK_LOCAL_MEM_FENCE); } \
                  if (l == 0) b[get_group_id(0)] = t[0];"
                .to_owned(),
            _ => "float4 v = vload4(i, b); v = clamp(v * (float4)(NUMBER), 0.0f, 1.0f); vstore4(sin(v), i, a);".to_owned(),
        };
        let body = body.replace("NUMBER", &number.to_string());
        text.push_str(&format!(
            "kernel void k{number}(global float *a, global float *b, int n) {{ int i = get_global_id(0); {body} }}\n"
        ));
    }
    text
}

type Stages = BTreeMap<&'static str, Duration>;

fn make(
    text: &str,
    kernels: Kernels,
    quality: Quality,
    last: &mut LastProgram,
    into: &mut Stages,
) -> Result<(), CompileError> {
    let mut request = Request::new(vec![SourceFile { name: "program.cl".to_owned(), text: text.to_owned() }]);
    (request.kernels, request.quality) = (kernels, quality);
    let compiled = compile_again(&request, Emit::Archive, None, last)?;
    for (stage, time) in compiled.timings.stages() {
        *into.entry(stage).or_default() += time;
    }
    Ok(())
}

/// Processor time of this process so far, in ticks of a hundredth of a second.
fn ticks() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn round(text: &str, kernels: usize, processor: &mut [u64; 3]) -> Result<[Stages; 3], CompileError> {
    let mut all = <[Stages; 3]>::default();
    let mut last = LastProgram::default();
    let begun = ticks();
    make(text, Kernels::All, Quality::Full, &mut last, &mut all[1])?;
    let full = ticks();
    make(text, Kernels::All, Quality::First, &mut last, &mut all[0])?;
    let hurried = ticks();
    for number in 0..kernels {
        make(text, Kernels::One(format!("k{number}")), Quality::Full, &mut last, &mut all[2])?;
    }
    processor[0] += hurried.saturating_sub(full);
    processor[1] += full.saturating_sub(begun);
    processor[2] += ticks().saturating_sub(hurried);
    Ok(all)
}

fn total(stages: &Stages) -> Duration {
    stages.values().sum()
}

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse().ok());
    let (kernels, rounds) = (numbers.next().unwrap_or(24), numbers.next().unwrap_or(5));
    let text = source(kernels);
    let mut best: Option<[Stages; 3]> = None;
    let mut processor = [0; 3];
    for _ in 0..rounds {
        match round(&text, kernels, &mut processor) {
            Ok(new) => {
                let old = best.take().unwrap_or_else(|| new.clone());
                best = Some(std::array::from_fn(|at| {
                    if total(&new[at]) < total(&old[at]) { new[at].clone() } else { old[at].clone() }
                }));
            }
            Err(error) => {
                eprintln!("parts: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let Some(best) = best else { return ExitCode::FAILURE };
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{:<12}{:>10}{:>10}{:>10}", "stage", "hurried", "full", "one by one");
    let stages: std::collections::BTreeSet<_> = best.iter().flat_map(|stages| stages.keys()).collect();
    for stage in stages {
        let [a, b, c] = best.each_ref().map(|stages| stages.get(stage).copied().map_or(0.0, millis));
        println!("{stage:<12}{a:>10.2}{b:>10.2}{c:>10.2}");
    }
    let [a, b, c] = best.each_ref().map(|stages| millis(total(stages)));
    println!("{:<12}{a:>10.2}{b:>10.2}{c:>10.2}", "all");
    let [a, b, c] = processor.map(|ticks| ticks as f64 * 10.0 / rounds as f64);
    println!("{:<12}{a:>10.2}{b:>10.2}{c:>10.2}", "processor");
    println!("hurried and one by one, over full: {:.2} of processor time", (a + c) / b);
    ExitCode::SUCCESS
}
