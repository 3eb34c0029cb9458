//! Several cores: who sees whose stores when.

use crate::common::{image, machine};
use oxcl_tta::model::SpaceId;
use oxcl_ttasim::{Engine, Stop, System};

fn both(texts: &[&str], machine_name: &str) -> Vec<System> {
    let m = machine(machine_name);
    let images: Vec<_> = texts.iter().map(|t| image(&m, t)).collect();
    [Engine::Strict, Engine::Fast]
        .map(|engine| {
            let mut system = System::with_own_memories(&images, engine).expect("it loads");
            assert_eq!(system.run(10_000), Ok(Stop::Ended));
            system
        })
        .into()
}

fn word(system: &System, address: u64) -> u32 {
    let mut bytes = [0; 4];
    system.memory(0, SpaceId(0)).read(address, &mut bytes).expect("it is inside");
    u32::from_le_bytes(bytes)
}

#[test]
fn of_two_stores_in_one_cycle_the_last_core_wins() {
    let store = |value: u32| format!("CODE 0 ; {value} -> lsu.o2 ; 64 -> lsu.t.st32 ;");
    for system in both(&[&store(1), &store(2), &store(3)], "tiny") {
        assert_eq!(word(&system, 64), 3);
    }
}

#[test]
fn loads_see_other_cores_stores_of_earlier_cycles() {
    let writer = "CODE 0 ; 9 -> lsu.o2 ; 64 -> lsu.t.st32 ;";
    let reader = |pause: &str| {
        format!("CODE 0 ; {pause} 64 -> lsu.t.ld32 ; ... ; ... ; lsu.r1 -> lsu.o2 ; 68 -> lsu.t.st32 ;")
    };
    for system in both(&[writer, &reader("... ;")], "tiny") {
        assert_eq!(word(&system, 68), 0, "the store of the same cycle is not seen");
    }
    for system in both(&[writer, &reader("... ; ... ;")], "tiny") {
        assert_eq!(word(&system, 68), 9);
    }
    for system in both(&[&reader("... ;"), writer], "tiny") {
        assert_eq!(word(&system, 68), 0, "whatever the order of the cores");
    }
}

#[test]
fn atomic_operations_of_one_cycle_follow_each_other() {
    let add = "CODE 0 ;
        ..., 1 -> lsu.o2, ... ;
        64 -> lsu.t.atom_add32, ..., ... ;
        ... ; ... ;
        lsu.r1 -> r.1, ..., ... ;";
    for system in both(&[add, add, add, add], "three_bus") {
        assert_eq!(word(&system, 64), 4);
        let file = system.image(0).machine.register_files().next().expect("there is a file").0;
        let old: Vec<u64> = (0..4).map(|core| system.register(core, file, 1)).collect();
        assert_eq!(old, [0, 1, 2, 3]);
    }
}

#[test]
fn private_spaces_are_each_cores_own() {
    let text = |value: u32| {
        format!(
            "CODE 0 ; {value} -> private.o2, 8 -> private.t.st32, ... ;
             8 -> private.t.ld32, ..., ... ; ... ; ... ;
             private.r1 -> r.1, ..., ... ;"
        )
    };
    for system in both(&[&text(5), &text(6)], "split") {
        let file = system.image(0).machine.register_files().next().expect("there is a file").0;
        assert_eq!((system.register(0, file, 1), system.register(1, file, 1)), (5, 6));
    }
}

#[test]
fn a_core_that_has_ended_stands_still() {
    let short = "CODE 0 ; 1 -> r.0 ;";
    let long = "CODE 0 ; 1 -> r.0 ; 2 -> r.0 ; 3 -> r.0 ;";
    for system in both(&[short, long], "tiny") {
        assert_eq!(system.counts(0).cycles, 1);
        assert_eq!(system.counts(1).cycles, 3);
        assert_eq!(system.cycle(), 3);
    }
}
