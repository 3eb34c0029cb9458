//! What a run reports, and pausing it.

use crate::common::{image, machine, system};
use oxcl_ttasim::Engine;
use oxcl_ttasim::debug::{Debugger, Pause, Place, parse_instruction, trace_line};
use oxcl_ttasim::report::report;

const LOOP: &str = "CODE 0 ;
    start: 0 -> r.1, ..., ... ;
    again: r.1 -> alu.t.add, 1 -> alu.o2, ... ;
    alu.r1 -> r.1, alu.r1 -> alu.t.lt, 10 -> alu.o2 ;
    alu.r1 -> pred.0, ..., ... ;
    ?pred.0 again -> gcu.pc.jump, ..., ... ;
    ... ; ... ; ... ;
    :halt r.1;
    end: ... ;";

#[test]
fn both_engines_report_the_same() {
    let image = image(&machine("three_bus"), LOOP);
    let mut reports = [Engine::Strict, Engine::Fast].map(|engine| {
        let mut system = system(&image, engine);
        system.run(1000).expect("it runs");
        report(&system, 0)
    });
    reports[0].unread_results = None;
    assert_eq!(reports[0], reports[1]);
    let r = &reports[0];
    assert_eq!((r.cycles, r.result), (1 + 10 * 7 + 1, Some(10)));
    assert_eq!(r.squashed, 1);
    let alu = r.units.iter().find(|u| u.name == "alu").expect("it is there");
    assert_eq!(alu.operations, [("add".to_owned(), 10), ("lt".to_owned(), 10)]);
    let pred = r.files.iter().find(|f| f.name == "pred").expect("it is there");
    assert_eq!((pred.reads, pred.writes, pred.guard_reads), (0, 10, 10));
    let places: Vec<(&str, u64)> = r.places.iter().map(|p| (p.name.as_str(), p.cycles)).collect();
    assert_eq!(places, [("start", 1), ("again", 70), ("end", 1)]);
    for table in r.tables() {
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }
    let picture = oxcl_tta::draw::draw_with_heat(&image.machine, Some(&r.heat()));
    assert!(picture.contains("rgb(225,"));
}

#[test]
fn breakpoints_and_watches_pause_a_run() {
    let m = machine("three_bus");
    let image = image(&m, LOOP);
    let mut debugger = Debugger::new(system(&image, Engine::Strict));
    debugger.break_at(0, 1);
    assert_eq!(debugger.run(1000, |_| {}), Ok(Pause::Breakpoint { core: 0, instruction: 1 }));
    assert_eq!(debugger.system.cycle(), 1);
    assert_eq!(debugger.run(1000, |_| {}), Ok(Pause::Breakpoint { core: 0, instruction: 1 }));
    assert_eq!(debugger.system.cycle(), 8);

    let mut debugger = Debugger::new(system(&image, Engine::Fast));
    let file = m.register_files().next().expect("there is a file").0;
    let watch = debugger.watch(0, Place::Register { file, index: 1 });
    assert_eq!(debugger.run(1000, |_| {}), Ok(Pause::Changed { watch, old: 0, new: 1 }));
    assert_eq!(debugger.run(1000, |_| {}), Ok(Pause::Changed { watch, old: 1, new: 2 }));
    assert_eq!(debugger.run(12, |_| {}), Ok(Pause::Limit));
}

#[test]
fn a_trace_shows_every_bus_in_every_cycle() {
    let image = image(&machine("three_bus"), LOOP);
    let mut debugger = Debugger::new(system(&image, Engine::Strict));
    let mut lines = Vec::new();
    let mut at = 0;
    let end = debugger.run(1000, |system| {
        lines.push(trace_line(system, 0, at));
        at = system.program_counter(0);
    });
    assert_eq!(end, Ok(Pause::Ended));
    assert_eq!(lines.len(), 72);
    assert_eq!(lines[1], "       1 0      1  0x0 0x1 -  | r.1 -> alu.t.add, 1 -> alu.o2, ...");
    assert_eq!(lines[2], "       2 0      2  0x1 0x1 0xa  | alu.r1 -> r.1, alu.r1 -> alu.t.lt, 10 -> alu.o2");
}

#[test]
fn places_are_named_as_in_the_assembly() {
    let m = machine("three_bus");
    let image = image(&m, &format!("{LOOP} DATA data 64 ; word: DA 4 5 ;"));
    let place = |text: &str| Place::parse(&image, text);
    let file = m.register_files().next().expect("there is a file").0;
    assert_eq!(place("r.3"), Some(Place::Register { file, index: 3 }));
    assert!(matches!(place("alu.r1"), Some(Place::Port { .. })));
    let space = oxcl_tta::model::SpaceId(0);
    assert_eq!(place("word"), Some(Place::Memory { space, address: 64, bytes: 4 }));
    assert_eq!(place("data+0x41:2"), Some(Place::Memory { space, address: 65, bytes: 2 }));
    for nothing in ["r.99", "r", "alu.q", "data", "word:9", "data+x"] {
        assert_eq!(place(nothing), None, "{nothing}");
    }
    let instruction = |text: &str| parse_instruction(&image, text);
    assert_eq!([instruction("again"), instruction("again+2"), instruction("4")], [Some(1), Some(3), Some(4)]);
    assert_eq!([instruction("nowhere"), instruction("99"), instruction("word")], [None; 3]);
}
