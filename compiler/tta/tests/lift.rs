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

/// The addends of all symbols that the lifted function's operations read.
fn addends(body: &str) -> Vec<i32> {
    let (_, plan) = stock::plans().into_iter().find(|(n, _)| *n == "three_bus").expect("it is in stock");
    let ability = Ability::of(&compose(&plan)).expect("programs can be compiled for it");
    let module = parse(&module(body)).expect("it is machine IR");
    let space = ability.space(0).expect("there is a memory");
    let function = lift(&ability, &module.functions[0], &Symbols::from([("pair".to_owned(), space)]));
    let function = function.expect("it can be lifted");
    let inputs = function.blocks.iter().flat_map(|b| &b.nodes).flat_map(|n| n.inputs.clone());
    inputs.filter_map(|i| if let Input::Symbol { addend, .. } = i { Some(addend) } else { None }).collect()
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
