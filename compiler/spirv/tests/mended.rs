//! What LLVM's back end writes wrongly is put right, and everything else is left as it is.

use oxcl_spirv::{LEVEL, Reason, UNSIGNED_READ, UNSIGNED_WRITTEN, mended, with_own_labels};
use rspirv::spirv::{Decoration, Op, StorageClass};

const IN_PROGRAM: u32 = StorageClass::UniformConstant as u32;

/// Words of a module with these instructions.
fn module(instructions: &[&[u32]]) -> Vec<u8> {
    let mut words = vec![0x0723_0203, 0x0001_0400, 0, 100, 0];
    for instruction in instructions {
        words.push(u32::try_from(instruction.len()).unwrap() << 16 | instruction[0]);
        words.extend_from_slice(&instruction[1..]);
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The instructions of a module put right, and its bound.
fn instructions(bytes: &[u8]) -> (Vec<Vec<u32>>, u32) {
    split(&mended(bytes).unwrap())
}

/// The instructions of a module, and its bound.
fn split(bytes: &[u8]) -> (Vec<Vec<u32>>, u32) {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (mut all, mut at) = (Vec::new(), 5);
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        let mut one = words[at..at + length].to_vec();
        one[0] &= 0xFFFF;
        all.push(one);
        at += length;
    }
    (all, words[3])
}

/// A name of a value.
fn name(id: u32, text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(text.len() / 4 * 4 + 4, 0);
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    [Op::Name as u32, id].into_iter().chain(words).collect()
}

#[test]
fn names_say_alignments() {
    let aligned = |id: u32, bytes: u32| vec![Op::Decorate as u32, id, Decoration::Alignment as u32, bytes];
    let names =
        [name(1, "a.aligned.128"), name(2, "b.aligned.2567"), name(3, "c.aligned.512.i"), name(4, "aligned")];
    let written = [aligned(1, 4_294_967_168), aligned(2, 0), aligned(3, 0), aligned(4, 8)];
    let all: Vec<&[u32]> = names.iter().chain(&written).map(Vec::as_slice).collect();
    let (found, _) = instructions(&module(&all));
    assert_eq!(found[4..], [aligned(1, 128), aligned(2, 2567), aligned(3, 512), aligned(4, 8)]);
}

#[test]
fn nulls_that_choose_become_numbers_and_have_no_operand() {
    let (int, long) = ([Op::TypeInt as u32, 1, 32, 0], [Op::TypeInt as u32, 2, 64, 0]);
    let null = |ty: u32, id: u32| [Op::ConstantNull as u32, ty, id];
    let chain = [Op::InBoundsPtrAccessChain as u32, 9, 10, 11, 3, 4, 5];
    let (found, bound) = instructions(&module(&[
        &int,
        &long,
        &null(1, 3),
        &null(2, 4),
        &null(1, 6),
        &[Op::ConstantNull as u32, 8, 7, 8],
        &chain,
        &[Op::IAdd as u32, 1, 12, 3, 6],
    ]));
    let expected: Vec<Vec<u32>> = vec![
        int.to_vec(),
        long.to_vec(),
        null(1, 3).to_vec(),
        vec![Op::Constant as u32, 1, 100, 0],
        null(2, 4).to_vec(),
        vec![Op::Constant as u32, 2, 101, 0, 0],
        null(1, 6).to_vec(),
        null(8, 7).to_vec(),
        vec![Op::InBoundsPtrAccessChain as u32, 9, 10, 11, 100, 101, 5],
        vec![Op::IAdd as u32, 1, 12, 3, 6],
    ];
    assert_eq!((found, bound), (expected, 102));
}

#[test]
fn initial_values_point_to_bytes_and_have_the_wanted_type() {
    let chain = Op::InBoundsPtrAccessChain as u32;
    let head: [&[u32]; 9] = [
        &[Op::TypeInt as u32, 1, 32, 0],
        &[Op::TypeInt as u32, 2, 8, 0],
        &[Op::Constant as u32, 1, 3, 0],
        &[Op::Constant as u32, 1, 4, 8],
        &[Op::TypeArray as u32, 5, 1, 4],
        &[Op::TypePointer as u32, 6, IN_PROGRAM, 5],
        &[Op::TypePointer as u32, 7, IN_PROGRAM, 2],
        &[Op::TypeArray as u32, 8, 6, 4],
        &[Op::Variable as u32, 6, 9, IN_PROGRAM],
    ];
    let place = [Op::SpecConstantOp as u32, 7, 10, chain, 9, 3, 4];
    let whole = [Op::ConstantComposite as u32, 8, 11, 9, 10];
    let variable = |ty: u32, id: u32, initial: u32| [Op::Variable as u32, ty, id, IN_PROGRAM, initial];
    let outer = [Op::TypePointer as u32, 12, IN_PROGRAM, 6];
    let (other, same) = (variable(12, 13, 10), variable(12, 14, 9));
    let tail: [&[u32]; 5] = [&place, &whole, &outer, &other, &same];
    let all: Vec<&[u32]> = head.iter().chain(&tail).copied().collect();
    let (found, bound) = instructions(&module(&all));
    let cast =
        |ty: u32, id: u32, from: u32| vec![Op::SpecConstantOp as u32, ty, id, Op::Bitcast as u32, from];
    let expected = [
        cast(7, 100, 9),
        vec![Op::SpecConstantOp as u32, 7, 10, chain, 100, 4],
        cast(6, 101, 10),
        vec![Op::ConstantComposite as u32, 8, 11, 9, 101],
        outer.to_vec(),
        cast(6, 102, 10),
        variable(12, 13, 102).to_vec(),
        variable(12, 14, 9).to_vec(),
    ];
    assert_eq!((&found[9..], bound), (&expected[..], 103));
}

#[test]
fn nulls_in_initial_values_have_the_wanted_type() {
    let variable = |ty: u32, id: u32, initial: u32| [Op::Variable as u32, ty, id, IN_PROGRAM, initial];
    let head: [&[u32]; 5] = [
        &[Op::TypeInt as u32, 1, 64, 0],
        &[Op::TypePointer as u32, 2, IN_PROGRAM, 1],
        &[Op::TypePointer as u32, 3, IN_PROGRAM, 2],
        &[Op::TypeStruct as u32, 4, 1, 2],
        &[Op::ConstantNull as u32, 1, 5],
    ];
    let whole = [Op::ConstantComposite as u32, 4, 6, 5, 5];
    let (pointer, again, number) = (variable(3, 7, 5), variable(3, 8, 5), variable(2, 9, 5));
    let tail: [&[u32]; 4] = [&pointer, &whole, &again, &number];
    let all: Vec<&[u32]> = head.iter().chain(&tail).copied().collect();
    let (found, bound) = instructions(&module(&all));
    let expected = [
        vec![Op::ConstantNull as u32, 2, 100],
        variable(3, 7, 100).to_vec(),
        vec![Op::ConstantComposite as u32, 4, 6, 5, 100],
        variable(3, 8, 100).to_vec(),
        number.to_vec(),
    ];
    assert_eq!((&found[5..], bound), (&expected[..], 101));
}

#[test]
fn formats_are_pointers_to_bytes() {
    let import = |id: u32, text: &str| {
        let mut words = name(id, text);
        words[0] = Op::ExtInstImport as u32;
        words
    };
    let head = |is_known: bool| {
        let mut head = vec![
            import(1, "OpenCL.std"),
            import(2, "OpenCL.DebugInfo.100"),
            vec![Op::TypeInt as u32, 3, 32, 0],
            vec![Op::TypeInt as u32, 4, 8, 0],
            vec![Op::Constant as u32, 3, 5, 9],
            vec![Op::TypeArray as u32, 6, 4, 5],
            vec![Op::TypePointer as u32, 7, IN_PROGRAM, 6],
            vec![Op::Variable as u32, 7, 8, IN_PROGRAM],
        ];
        if is_known {
            head.push(vec![Op::TypePointer as u32, 9, IN_PROGRAM, 4]);
        }
        head
    };
    let function = vec![Op::Function as u32, 10, 11, 0, 12];
    let print = |id: u32, set: u32, format: u32| vec![Op::ExtInst as u32, 3, id, set, 184, format, 20];
    // Of our variable, of something that is known of nowhere, of another set.
    let given = [print(13, 1, 8), print(14, 1, 21), print(15, 2, 8)];
    let last = vec![Op::Function as u32, 10, 16, 0, 12];
    for (is_known, ty, id) in [(true, 9, 100), (false, 100, 101)] {
        let all = [head(is_known), vec![function.clone()], given.to_vec(), vec![last.clone()]].concat();
        let all: Vec<&[u32]> = all.iter().map(Vec::as_slice).collect();
        let mut wanted = head(is_known);
        if !is_known {
            wanted.push(vec![Op::TypePointer as u32, 100, IN_PROGRAM, 4]);
        }
        wanted.extend([function.clone(), vec![Op::Bitcast as u32, ty, id, 8], print(13, 1, id)]);
        wanted.extend([given[1].clone(), given[2].clone(), last.clone()]);
        assert_eq!(instructions(&module(&all)), (wanted, id + 1));
    }
}

#[test]
fn pixels_without_a_sign_are_accessed_as_such() {
    const LOD: u32 = 2;
    const ZERO_EXTEND: u32 = 0x2000;
    let sample = |id: u32, how: u32| vec![Op::ImageSampleExplicitLod as u32, 1, id, 2, 3, how, 4];
    let read = |id: u32, how: &[u32]| [&[Op::ImageRead as u32, 1, id, 2, 3], how].concat();
    let write = |pixel: u32, how: &[u32]| [&[Op::ImageWrite as u32, 2, 3, pixel], how].concat();
    let store = |to: u32, pixel: u32| vec![Op::Store as u32, to, pixel];
    let load = |pixel: u32, from: u32| vec![Op::Load as u32, 1, pixel, from];
    let names = [
        name(50, &format!("pixel{UNSIGNED_READ}")),
        name(51, &format!("pixel{UNSIGNED_READ}7")),
        name(52, &format!("pixel{UNSIGNED_WRITTEN}")),
        name(53, "pixel"),
    ];
    let body = |zero: u32, only: &[u32]| {
        vec![
            sample(10, LOD | zero),
            store(50, 10),
            read(11, only),
            store(51, 11),
            // Read without a sign, and written with one.
            write(11, &[]),
            store(52, 11),
            load(12, 52),
            write(12, only),
            sample(13, LOD),
            store(53, 13),
            read(14, &[]),
            load(15, 53),
            write(15, &[]),
        ]
    };
    let all = [names.to_vec(), body(0, &[])].concat();
    let all: Vec<&[u32]> = all.iter().map(Vec::as_slice).collect();
    let (found, _) = instructions(&module(&all));
    assert_eq!(found[4..], body(ZERO_EXTEND, &[ZERO_EXTEND]));
}

#[test]
fn pixels_of_levels_are_read_and_written_there_by_their_variables_names() {
    const LOD: u32 = 2;
    const GRAD: u32 = 4;
    const ZERO_EXTEND: u32 = 0x2000;
    let sample = |pixel: u32, operands: &[u32]| {
        [&[Op::ImageSampleExplicitLod as u32, 2, pixel, 3, 4], operands].concat()
    };
    let write = |pixel: u32, operands: &[u32]| [&[Op::ImageWrite as u32, 5, 6, pixel], operands].concat();
    let store = |to: u32, pixel: u32| vec![Op::Store as u32, to, pixel];
    let load = |pixel: u32, from: u32| vec![Op::Load as u32, 2, pixel, from];
    let names = [
        name(50, &format!("step.0{LEVEL}0")),
        name(51, &format!("pixel.read{LEVEL}0")),
        name(52, &format!("step.0{LEVEL}1")),
        name(53, &format!("step.1{LEVEL}1")),
        name(54, &format!("pixel{UNSIGNED_READ}{LEVEL}1")),
        name(55, &format!("step.0{LEVEL}2")),
        name(56, &format!("pixel{UNSIGNED_WRITTEN}{LEVEL}2")),
    ];
    let body = |by_number: &[u32], by_steps: &[u32], written: &[u32]| {
        vec![
            store(50, 20),
            sample(10, by_number),
            // A depth, by which a level is known too.
            vec![Op::CompositeExtract as u32, 7, 11, 10, 0],
            store(51, 11),
            store(52, 21),
            store(53, 22),
            sample(12, by_steps),
            store(54, 12),
            store(55, 23),
            load(13, 56),
            write(13, written),
            sample(14, &[LOD, 9]),
        ]
    };
    let all = [names.to_vec(), body(&[LOD, 9], &[LOD, 9], &[])].concat();
    let all: Vec<&[u32]> = all.iter().map(Vec::as_slice).collect();
    let (found, _) = instructions(&module(&all));
    let wanted = body(&[LOD, 20], &[GRAD | ZERO_EXTEND, 21, 22], &[LOD | ZERO_EXTEND, 23]);
    assert_eq!(found[7..], wanted);
}

#[test]
fn what_is_no_module_is_an_error_and_what_has_nothing_wrong_stays() {
    assert!(matches!(mended(b"none").unwrap_err().reason, Reason::Malformed(_)));
    let mut cut = module(&[&[Op::TypeInt as u32, 1, 32, 0]]);
    cut.truncate(cut.len() - 4);
    assert!(mended(&cut).is_err());
    let right = module(&[
        &[Op::TypeVoid as u32, 1],
        &[Op::ConstantNull as u32, 2, 3],
        &[Op::AccessChain as u32, 4, 5],
    ]);
    assert_eq!(mended(&right).unwrap(), right);
}

/// Labels of earlier modules: numbers that values have, that lie beyond the bound, that two functions have.
#[test]
fn labels_are_numbered_anew_in_each_function() {
    let function = |first: u32, second: u32, third: u32, value: u32| {
        vec![
            vec![Op::Function as u32, 1, value, 0, 2],
            vec![Op::Label as u32, first],
            vec![Op::LoopMerge as u32, third, second, 0],
            vec![Op::BranchConditional as u32, 5, second, third],
            vec![Op::Label as u32, second],
            vec![Op::Phi as u32, 3, value + 1, second, first, 4, second],
            vec![Op::Switch as u32, 6, first, 7, 0, second, second, 0, third],
            vec![Op::Label as u32, third],
            vec![Op::SelectionMerge as u32, second, 0],
            vec![Op::Branch as u32, second],
            vec![Op::FunctionEnd as u32],
        ]
    };
    let types = vec![vec![Op::TypeInt as u32, 3, 64, 0], vec![Op::ConstantNull as u32, 3, 6]];
    // The first has labels that are values of the second, and the other way round.
    let given = [types.clone(), function(20, 3, 1000, 10), function(3, 20, 10, 20)].concat();
    let given: Vec<&[u32]> = given.iter().map(Vec::as_slice).collect();
    let mut wanted = [types, function(22, 23, 24, 10), function(25, 26, 27, 20)].concat();
    // A phi's value and a case that have the number of a label stay.
    for (start, number) in [(2, 3), (2 + 11, 20)] {
        wanted[start + 5][3] = number;
        wanted[start + 6][6] = number;
    }
    let named = with_own_labels(&module(&given)).unwrap();
    assert_eq!(split(&named), (wanted, 28));
}

/// Names must be of something that is there.
#[test]
fn names_of_labels_go_with_them() {
    let function = |value: u32, label: u32| {
        vec![
            vec![Op::Function as u32, 1, value, 0, 2],
            vec![Op::Label as u32, label],
            vec![Op::FunctionEnd as u32],
        ]
    };
    let name = |of: u32| vec![Op::Name as u32, of, u32::from(b'n')];
    let functions =
        |labels: [u32; 3]| [function(10, labels[0]), function(11, labels[1]), function(12, labels[2])];
    // Of a value, a label, one of two labels, and nothing.
    let given = [vec![name(10), name(40), name(50), name(60)], functions([40, 50, 50]).concat()].concat();
    let given: Vec<&[u32]> = given.iter().map(Vec::as_slice).collect();
    let wanted = [vec![name(10), name(13)], functions([13, 14, 15]).concat()].concat();
    assert_eq!(split(&with_own_labels(&module(&given)).unwrap()), (wanted, 16));
}

#[test]
fn two_blocks_of_a_function_with_one_label_are_not_told_apart() {
    let error = with_own_labels(&module(&[
        &[Op::Function as u32, 1, 2, 0, 3],
        &[Op::Label as u32, 4],
        &[Op::Branch as u32, 4],
        &[Op::Label as u32, 4],
        &[Op::FunctionEnd as u32],
    ]));
    assert!(matches!(error.expect_err("one label").reason, Reason::Invalid(_)));
}
