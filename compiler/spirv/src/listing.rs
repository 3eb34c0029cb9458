//! A module as a listing for people: each instruction in a line, ids by the names that the module gives them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rspirv::dr::Operand;
use rspirv::grammar::ext_inst_table;
use rspirv::spirv::Op;

use crate::SpirvError;
use crate::words::{Instruction, Parsed, parse};

/// The listing of a module.
///
/// # Errors
/// The bytes are no SPIR-V.
pub fn listing(bytes: &[u8]) -> Result<String, SpirvError> {
    let Parsed { version: (major, minor), generator, bound, instructions } = parse(bytes)?;
    let names = names(&instructions);
    let mut out = format!("; SPIR-V {major}.{minor}, generator {generator}, ids below {bound}\n");
    for instruction in &instructions {
        line(&mut out, instruction, &names);
    }
    Ok(out)
}

/// A name for each id that has one, no two the same.
fn names(instructions: &[Instruction]) -> BTreeMap<u32, String> {
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    let mut taken = std::collections::BTreeSet::new();
    for i in instructions.iter().filter(|i| i.op == Op::Name) {
        let (Ok(id), Ok(name)) = (i.id_at(0), i.text_at(1)) else { continue };
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '_' };
        let mut shown: String = name.chars().map(plain).collect();
        if shown.is_empty() {
            continue;
        }
        // What begins with a digit would look like an id.
        if shown.starts_with(|c: char| c.is_ascii_digit()) || !taken.insert(shown.clone()) {
            shown = format!("{shown}_{id}");
            taken.insert(shown.clone());
        }
        names.insert(id, shown);
    }
    names
}

fn line(out: &mut String, i: &Instruction, names: &BTreeMap<u32, String>) {
    let id = |id: u32| match names.get(&id) {
        Some(name) => format!("%{name}"),
        None => format!("%{id}"),
    };
    let result = i.id.map_or_else(String::new, |result| format!("{} = ", id(result)));
    // Results are aligned to the right, as far as they are short.
    let _ = write!(out, "{result:>28}Op{}", i.name);
    if let Some(ty) = i.ty {
        let _ = write!(out, " {}", id(ty));
    }
    for (index, operand) in i.operands.iter().enumerate() {
        out.push(' ');
        let text = match operand {
            Operand::IdRef(one) | Operand::IdScope(one) | Operand::IdMemorySemantics(one) => id(*one),
            Operand::LiteralString(text) => format!("{text:?}"),
            Operand::LiteralExtInstInteger(number) => {
                let known = ext_inst_table("OpenCL.std").and_then(|table| table.lookup_opcode(*number));
                known.map_or_else(|| number.to_string(), |known| known.opname.to_owned())
            }
            Operand::LiteralBit32(number) if i.op == Op::SpecConstantOp && index == 0 => {
                Op::from_u32(*number).map_or_else(|| number.to_string(), |op| format!("{op:?}"))
            }
            Operand::LiteralBit32(number) if i.op == Op::SpecConstantOp => id(*number),
            other => other.to_string(),
        };
        out.push_str(&text);
    }
    out.push('\n');
}
