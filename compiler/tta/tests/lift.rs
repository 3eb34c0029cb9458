//! What the lifter makes of machine IR in cases that programs seldom show.

use oxcl_tta::code::Input;
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::lift::{Ability, Symbols, lift};
use oxcl_tta::machine_ir::parse;

/// A function's body as LLVM prints it.
fn module(body: &str) -> String {
    format!(
        "data pair space=0 align=4 size=8 internal bytes=01\n---\nname:            f\nbody:             |\n{body}\n...\n"
    )
}

/// What the lifted function's operations read.
fn inputs(body: &str) -> Vec<Input> {
    let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "three_bus").expect("it is in stock");
    let ability = Ability::of(&compose(&plan)).expect("programs can be compiled for it");
    let module = parse(&module(body)).expect("it is machine IR");
    let space = ability.space(0).expect("there is a memory");
    let function = lift(&ability, &module.functions[0], &Symbols::from([("pair".to_owned(), space)]));
    let function = function.expect("it can be lifted");
    function.blocks.iter().flat_map(|b| &b.nodes).flat_map(|n| n.inputs.clone()).collect()
}

/// The addends of all symbols among that.
fn addends(body: &str) -> Vec<i32> {
    let addend = |input| if let Input::Symbol { addend, .. } = input { Some(addend) } else { None };
    inputs(body).into_iter().filter_map(addend).collect()
}

#[test]
fn one_upper_part_of_an_address_serves_several_lower_parts() {
    let body = "  bb.0.entry:
    %1:gpr = LUI target-flags(riscv-hi) @pair
    %2:gpr = LH %1, target-flags(riscv-lo) @pair + 2 :: (load (s16) from @pair + 2)
    %3:gpr = ADDI %1, target-flags(riscv-lo) @pair + 6
    SH %2, %1, target-flags(riscv-lo) @pair :: (store (s16) into @pair)
    SH %2, %3, 0 :: (store (s16) into @pair + 6)
    PseudoRET";
    assert_eq!(addends(body), [2, 0, 6]);
}

#[test]
fn a_register_that_nothing_was_written_to_is_not_read() {
    let body = "  bb.0.entry:
    %1:gpr = LUI target-flags(riscv-hi) @pair
    SW undef %2:gpr, %1, target-flags(riscv-lo) @pair :: (store (s32) into @pair)
    %3:gpr = ADD undef %4:gpr, killed undef %5:gpr
    SW %3, %1, target-flags(riscv-lo) @pair + 4 :: (store (s32) into @pair + 4)
    PseudoRET";
    let read: Vec<Input> =
        inputs(body).into_iter().filter(|input| matches!(input, Input::Value(_))).collect();
    // Of the addition's result, if there is an addition.
    assert!(read.len() <= 1, "{read:?}");
    assert!(inputs(body).contains(&Input::Constant(0)));
}
