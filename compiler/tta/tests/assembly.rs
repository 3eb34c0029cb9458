//! Assembly text and program images: what is printed reads back, what is wrong is refused with its line.

use oxcl_tta::asm::{parse, print};
use oxcl_tta::check::check;
use oxcl_tta::compose::{compose, stock};
use oxcl_tta::image::{self, Image, ImageError};
use oxcl_tta::model::Machine;
use oxcl_tta::program::{DataArea, Destination, Program, Source, Symbol, SymbolValue};
use oxcl_tta::sample::{self, Random};
use proptest::prelude::{any, proptest};

fn stock_machine(name: &str) -> Machine {
    let plans = stock::plans();
    let (_, plan) = plans.iter().find(|(n, _)| *n == name).expect("the machine is in stock");
    compose(plan)
}

/// A random program with data and symbols.
fn furnished(machine: &Machine, seed: u64) -> Program {
    let mut program = sample::program(machine, seed, 40);
    let mut random = Random::new(seed);
    let (space, _) = machine.spaces().next().expect("there is a space");
    let bytes: Vec<u8> = (0..random.below(50)).map(|_| random.bits().to_le_bytes()[0]).collect();
    program.symbols.push(Symbol {
        name: "table".to_owned(),
        value: SymbolValue::Data { space, address: 100 + random.below(bytes.len() as u64) },
    });
    program.data.push(DataArea { space, start: 100, bytes });
    program.entry = u32::try_from(random.below(program.instructions.len() as u64)).expect("it is small");
    program
}

proptest! {
    #[test]
    fn printed_programs_read_back(seed in any::<u64>()) {
        let machine = compose(&sample::plan(&mut Random::new(seed)));
        let program = furnished(&machine, seed);
        assert_eq!(check(&machine, &program, 3), vec![]);
        let text = print(&machine, &program);
        assert_eq!(parse(&machine, &text).expect(&text), program, "{text}");
        let image = Image { machine: machine.into(), program };
        let bytes = image::write(&image);
        assert_eq!(image::read(&bytes).expect("what we write, we read"), image);
    }
}

#[test]
fn every_truncation_and_flipped_byte_of_an_image_is_refused() {
    let machine = stock_machine("tiny");
    let program = furnished(&machine, 5);
    let bytes = image::write(&Image { machine: machine.into(), program });
    for end in (0..bytes.len()).step_by(61) {
        assert!(image::read(&bytes[..end]).is_err());
    }
    for at in (0..bytes.len()).step_by(89) {
        let mut spoiled = bytes.clone();
        spoiled[at] ^= 0x40;
        assert!(image::read(&spoiled).is_err(), "byte {at}");
    }
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(image::read(&newer), Err(ImageError::Version { found: 9 }));
    assert_eq!(image::read(b"no image"), Err(ImageError::Magic));
}

/// Behind the checksum every malformed content must still be refused and never panic.
#[test]
fn spoiled_contents_with_a_good_checksum_never_panic() {
    use sha1::{Digest, Sha1};
    let machine = stock_machine("tiny");
    let program = furnished(&machine, 6);
    let bytes = image::write(&Image { machine: machine.into(), program });
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let mut spoiled = bytes.clone();
        // Most of an image is the text of its machine; what comes behind it is what is read by our own code.
        let text = u64::from_le_bytes(spoiled[32..40].try_into().expect("eight bytes"));
        let begin = 40 + usize::try_from(text).expect("it is small");
        let at = begin + usize::try_from(random.below((bytes.len() - begin) as u64)).expect("it is small");
        spoiled[at] = random.bits().to_le_bytes()[0];
        let sum = Sha1::digest(&spoiled[32..]);
        spoiled[12..32].copy_from_slice(&sum);
        let _ = image::read(&spoiled);
    }
}

#[test]
fn both_styles_of_long_immediates_and_names_are_read() {
    let machine = stock_machine("three_bus");
    let text = "
        CODE 0 ; # the first area
        start:
          5 -> r.1, ..., ... [imm.0=-70000] ;
          imm.0 -> r.w1.2, [imm.1=0x1234], [imm.1] ;
          r.r1.1 -> alu.t.add, r.2 -> alu.o2, ... ;
          ? pred.0 alu.r1 -> r.3, !pred.1 alu.add.3 -> pred.0, ... {anything} ;
          again -> gcu.pc.jump, again+1 -> alu.add.2, ... ;
        again: ... ;
          . . . ;
        DATA data 16 ;
        words: DA 4 0x01020304 ; DA 2 -1 ;
        DA 6 1:7 2:0x0102 ; pointer: DA 4 words+2; DA 3 \"ab\" ;
    ";
    let program = parse(&machine, text).expect("it is good");
    assert_eq!(program.instructions.len(), 7);
    assert_eq!(program.instructions[0].immediates[0].value, u64::from((-70000i32).cast_unsigned()));
    assert_eq!(program.instructions[1].immediates[0].value, 0x1234);
    let jump = &program.instructions[4].moves[0];
    assert_eq!(jump.source, Source::Constant(5));
    assert!(matches!(jump.destination, Destination::Port { operation: Some(0), .. }));
    assert_eq!(program.instructions[4].moves[1].source, Source::Constant(6));
    assert!(program.instructions[6].moves.is_empty());
    assert_eq!(program.data[0].bytes, [4, 3, 2, 1, 0xff, 0xff, 7, 2, 1, 0, 0, 0, 18, 0, 0, 0, b'a', b'b', 0]);
    let big = parse(&stock_machine("big_endian"), "DATA data 0 ; DA 4 0x01020304 ;").expect("it is good");
    assert_eq!(big.data[0].bytes, [1, 2, 3, 4]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let machine = stock_machine("three_bus");
    let error = |text: &str| match parse(&machine, text) {
        Ok(_) => panic!("it should be refused: {text}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(error("CODE 0 ;\n ..., ... ;"), "line 2: the line has 2 slots, the machine has 3 buses");
    assert_eq!(error("CODE 0 ;\n x -> r.1, ..., ... ;"), "line 2: nothing is named 'x'");
    assert_eq!(error("CODE 0 ;\n r.40 -> r.1, ..., ... ;"), "line 2: nothing is named 'r.40'");
    assert_eq!(
        error("CODE 0 ;\n 1 -> alu.t, ..., ... ;"),
        "line 2: port 'alu.t' needs the name of an operation"
    );
    assert_eq!(
        error("CODE 0 ;\n 300 -> r.1, ..., ... ;"),
        "line 2: 0x12c does not fit the 8-bit immediates of bus 'B0'"
    );
    assert_eq!(
        error("CODE 0 ;\n 1 -> r.1, 2 -> r.2, ... ;"),
        "line 2: the moves need more write ports than 'r' has on their buses"
    );
    assert_eq!(
        error("CODE 0 ;\n ..., r.1 -> r.2, ... [imm.0=1] ;"),
        "line 2: no instruction template holds these long immediates beside these moves"
    );
    assert_eq!(error("CODE 0 ;\na: ... ;\na: ... ;"), "line 3: label 'a' is defined twice");
    assert_eq!(error("CODE 0 ;\n r.1 r.2, ..., ... ;"), "line 2: expected '->', found 'r'");
    assert_eq!(error("CODE 0 ;\n ~ ;"), "line 2: unexpected character '~'");
    assert_eq!(error("MORE"), "line 1: expected 'CODE' or 'DATA', found 'MORE'");
    assert_eq!(
        error("DATA data 0 ; DA 2 1 2 3 ;"),
        "line 1: the data does not fit: the values are larger than the size"
    );
}
