//! Stages that run alone on text: one after another they make what the pipeline makes, and each says what it does not take.

use oxcl_compiler::{Emit, Request, SourceFile, Stage, compile, run_alone};

const SOURCE: &str = "kernel void k(global int *a, local int *t) {
  size_t l = get_local_id(0);
  t[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[l] = t[get_local_size(0) - 1 - l];
}
";

fn request(name: &str, text: &str) -> Request<'static> {
    let sources = vec![SourceFile { name: name.to_owned(), text: text.to_owned() }];
    Request { cpus: vec!["x86-64-v2".to_owned()], ..Request::new(sources) }
}

#[test]
fn stages_one_by_one_make_what_the_pipeline_makes() {
    let whole = compile(&request("k.cl", SOURCE), Emit::Assembly, None).unwrap_or_else(|e| panic!("{e}"));
    let mut text = SOURCE.to_owned();
    for stage in [Stage::FrontEnd, Stage::Builtins, Stage::WorkGroup, Stage::Optimise, Stage::Emit] {
        let name = if stage == Stage::FrontEnd { "k.cl" } else { "k.ll" };
        text = run_alone(&request(name, &text), stage, None)
            .unwrap_or_else(|error| panic!("{}: {error}", stage.name()));
    }
    assert_eq!(text, String::from_utf8(whole.bytes).unwrap());
}

#[test]
fn what_is_no_ir_and_what_takes_no_text_is_refused() {
    let error = run_alone(&request("k.ll", "no IR"), Stage::Builtins, None).unwrap_err();
    assert!(error.to_string().contains("k.ll"), "{error}");
    let error = run_alone(&request("k.ll", "; nothing\n"), Stage::Link, None).unwrap_err();
    assert!(error.to_string().contains("'link' takes no text"), "{error}");
}

#[test]
fn every_stage_that_runs_is_timed_in_the_order_of_the_list() {
    let compiled = compile(&request("k.cl", SOURCE), Emit::Archive, None).unwrap_or_else(|e| panic!("{e}"));
    let ran: Vec<&str> = compiled.timings.stages().map(|(name, _)| name).collect();
    let all: Vec<&str> = Stage::ALL.into_iter().map(Stage::name).filter(|name| *name != "schedule").collect();
    assert_eq!(ran, all);
}

#[test]
fn analyses_are_shown_beside_the_kernel() {
    let shown = compile(&request("k.cl", SOURCE), Emit::Analysis, None).unwrap_or_else(|e| panic!("{e}"));
    let text = String::from_utf8(shown.bytes).unwrap();
    for wanted in
        ["; regions: kernel k: 2 regions, 1 barrier, regular", "; shape: varying", "; access: %a read"]
    {
        assert!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
}
