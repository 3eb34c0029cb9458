//! One instruction's line of machine IR.

use super::{Access, Base, Instruction, Operand, Part, Register};

/// Words before an opcode that say nothing that we need: what may be assumed about overflow and floating point.
const FLAGS: &[&str] = &[
    "frame-setup",
    "frame-destroy",
    "nnan",
    "ninf",
    "nsz",
    "arcp",
    "contract",
    "afn",
    "reassoc",
    "nuw",
    "nsw",
    "exact",
    "nofpexcept",
    "nomerge",
    "unpredictable",
    "noconvergent",
    "nneg",
    "disjoint",
    "nusw",
    "samesign",
    "inbounds",
    "lr-split",
];

/// Before a register whose value does not matter: nothing need have been written to it.
const UNDEFINED: &str = "undef";

/// Further words before a register, which say nothing that we need.
const MARKS: &[&str] = &["killed", "dead", UNDEFINED, "renamable", "early-clobber", "internal", "debug-use"];

/// The rest of a line.
struct Text<'a> {
    rest: &'a str,
}

impl<'a> Text<'a> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, word: &str) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Letters, digits and what names consist of.
    fn name(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$')))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    /// A name, in quotation marks or not.
    fn symbol(&mut self) -> Option<String> {
        if let Some(rest) = self.rest.strip_prefix('"') {
            let end = rest.find('"')?;
            self.rest = &rest[end + 1..];
            return Some(rest[..end].to_owned());
        }
        let name = self.name();
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn number(&mut self) -> Option<i64> {
        self.skip_spaces();
        let digits = self.rest.strip_prefix('-').unwrap_or(self.rest);
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let whole = self.rest.len() - digits.len() + length;
        let (number, rest) = self.rest.split_at(whole);
        self.rest = rest;
        number.parse().ok()
    }

    /// `+ 4` or `- 4`, if there.
    fn addend(&mut self) -> Option<i64> {
        if self.eat("+ ") {
            self.number()
        } else if self.eat("- ") {
            self.number().map(|n| -n)
        } else {
            Some(0)
        }
    }
}

/// `x10`, `x10_w`, `x10_h`, ...; `None` for anything but zero, return address, stack pointer and what the C convention passes
/// values in: nobody would see what came in another register.
fn physical(name: &str) -> Option<u8> {
    let name = name.split('_').next()?;
    name.strip_prefix('x')?.parse().ok().filter(|n| matches!(n, 0..=2 | 10..=17))
}

/// What became of a register operand.
enum Found {
    Register(Register),
    /// A register that has no meaning here, such as the rounding mode.
    Nothing,
}

fn register(text: &mut Text<'_>) -> Result<Found, String> {
    text.skip_spaces();
    if let Some(rest) = text.rest.strip_prefix('$') {
        text.rest = rest;
        let name = text.name();
        return match physical(name) {
            Some(number) => Ok(Found::Register(Register::Physical(number))),
            None if matches!(name, "frm" | "fflags" | "noreg") => Ok(Found::Nothing),
            None => Err(format!("unknown register '${name}'")),
        };
    }
    let Some(rest) = text.rest.strip_prefix('%') else {
        return Err(format!("a register was expected at '{}'", text.rest));
    };
    text.rest = rest;
    let number = text.number().and_then(|n| u32::try_from(n).ok()).ok_or("a register has no number")?;
    if text.rest.starts_with('.') {
        text.rest = &text.rest[1..];
        let part = text.name();
        if part != "sub_32" && part != "sub_16" {
            return Err(format!("unknown part '{part}' of a register"));
        }
    }
    if text.rest.starts_with(':') {
        text.rest = &text.rest[1..];
        let class = text.name();
        if !class.starts_with("gpr") && !class.starts_with("sr") && class != "anyreg" {
            return Err(format!("unknown register class '{class}'"));
        }
        if class.contains("pair") {
            return Err(format!("registers of class '{class}' hold two words"));
        }
    }
    if text.rest.starts_with("(tied-def") {
        let end = text.rest.find(')').ok_or("a parenthesis is not closed")?;
        text.rest = &text.rest[end + 1..];
    }
    Ok(Found::Register(Register::Virtual(number)))
}

fn symbol(text: &mut Text<'_>, part: Part) -> Result<Operand, String> {
    let name = text.symbol().ok_or("a symbol has no name")?;
    let addend = text.addend().and_then(|a| i32::try_from(a).ok()).ok_or("an addend is out of range")?;
    Ok(Operand::Symbol { name, addend, part })
}

/// What names of constants begin with; a number follows.
pub(super) const CONSTANT: &str = "%const.";

/// An operand; `None` for those that have no meaning here.
fn operand(text: &mut Text<'_>) -> Result<Option<Operand>, String> {
    text.skip_spaces();
    let number = |text: &mut Text<'_>| {
        let number = text.number().and_then(|n| u32::try_from(n).ok()).ok_or("a number was expected");
        // Objects and blocks may carry a name behind their number.
        if text.rest.starts_with('.') {
            text.name();
        }
        number
    };
    let mut part = Part::Whole;
    if text.eat("target-flags(") {
        let flag = text.name();
        part = match flag {
            "riscv-hi" => Part::High,
            "riscv-lo" => Part::Low,
            "riscv-call" => Part::Whole,
            _ => return Err(format!("unknown target flag '{flag}'")),
        };
        if !text.eat(")") {
            return Err("a target flag is not closed".to_owned());
        }
    }
    if text.eat("%bb.") {
        return Ok(Some(Operand::Block(number(text)?)));
    }
    if text.eat("%stack.") {
        return Ok(Some(Operand::Stack(number(text)?)));
    }
    if text.eat("%fixed-stack.") {
        return Ok(Some(Operand::Argument(number(text)?)));
    }
    if text.eat("@") || text.eat("&") {
        return Ok(Some(symbol(text, part)?));
    }
    if text.rest.starts_with(CONSTANT) {
        text.rest = &text.rest[CONSTANT.len()..];
        let name = format!("{CONSTANT}{}", number(text)?);
        let addend = text.addend().and_then(|a| i32::try_from(a).ok()).ok_or("an addend is out of range")?;
        return Ok(Some(Operand::Symbol { name, addend, part }));
    }
    if text.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return Ok(Some(Operand::Number(text.number().ok_or("a number is out of range")?)));
    }
    if text.rest.starts_with("csr_") {
        text.name();
        return Ok(None);
    }
    if text.rest.starts_with(['%', '$']) {
        return Ok(match register(text)? {
            Found::Register(r) => Some(Operand::Register(r)),
            Found::Nothing => None,
        });
    }
    Err(format!("unknown operand '{}'", text.rest))
}

/// Takes the words before a register; whether the register's value does not matter.
fn take_marks(text: &mut Text<'_>) -> bool {
    let mut undefined = false;
    loop {
        text.skip_spaces();
        let mark =
            MARKS.iter().find(|m| text.rest.strip_prefix(**m).is_some_and(|rest| rest.starts_with(' ')));
        match mark {
            Some(mark) => {
                undefined |= *mark == UNDEFINED;
                text.rest = &text.rest[mark.len()..];
            }
            None => return undefined,
        }
    }
}

/// Reads an instruction.
pub(super) fn instruction(line: usize, text: &str) -> Result<Instruction, String> {
    let (text, memory) = match text.split_once(" :: ") {
        Some((text, memory)) => (text, accesses(memory)?),
        None => (text, Vec::new()),
    };
    let text = text.split(" debug-location").next().unwrap_or(text).trim_end_matches(',');
    let mut outputs = Vec::new();
    let mut text = Text { rest: text };
    take_marks(&mut text);
    if text.rest.starts_with(['%', '$']) {
        loop {
            take_marks(&mut text);
            if let Found::Register(r) = register(&mut text)? {
                outputs.push(r);
            }
            if text.eat("=") {
                break;
            }
            if !text.eat(",") {
                return Err(format!("'=' was expected at '{}'", text.rest));
            }
        }
    }
    let opcode = loop {
        text.skip_spaces();
        let word = text.name();
        if !FLAGS.contains(&word) {
            break word.to_owned();
        }
    };
    if opcode.is_empty() || !opcode.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Err(format!("an opcode was expected at '{opcode}{}'", text.rest));
    }
    let mut found = Instruction {
        line,
        opcode,
        outputs,
        operands: Vec::new(),
        implied_inputs: Vec::new(),
        implied_outputs: Vec::new(),
        memory,
    };
    text.skip_spaces();
    while !text.rest.is_empty() {
        if text.eat("implicit-def ") {
            take_marks(&mut text);
            if let Found::Register(Register::Physical(n)) = register(&mut text)? {
                found.implied_outputs.push(n);
            }
        } else if text.eat("implicit ") {
            let undefined = take_marks(&mut text);
            if let Found::Register(Register::Physical(n)) = register(&mut text)?
                && !undefined
            {
                found.implied_inputs.push(n);
            }
        } else {
            let undefined = take_marks(&mut text);
            let operand = operand(&mut text)?;
            // Any value will do, but it must come from somewhere.
            let zero = undefined && matches!(operand, Some(Operand::Register(_)));
            found.operands.extend(if zero {
                Some(Operand::Register(Register::Physical(0)))
            } else {
                operand
            });
        }
        text.skip_spaces();
        if text.rest.is_empty() {
            break;
        }
        if !text.eat(",") {
            return Err(format!("',' was expected at '{}'", text.rest));
        }
        text.skip_spaces();
    }
    Ok(found)
}

/// The parts between parentheses at the outermost level.
fn accesses(text: &str) -> Result<Vec<Access>, String> {
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut begin = 0;
    let mut quoted = None;
    for (at, c) in text.char_indices() {
        match (quoted, c) {
            (Some(q), _) if c == q => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quoted = Some(c),
            (None, '(') => {
                if depth == 0 {
                    begin = at + 1;
                }
                depth += 1;
            }
            (None, ')') => {
                depth = depth.checked_sub(1).ok_or("a parenthesis was not opened")?;
                if depth == 0 {
                    found.push(access(&text[begin..at])?);
                }
            }
            _ => {}
        }
    }
    if depth == 0 { Ok(found) } else { Err("a parenthesis is not closed".to_owned()) }
}

fn access(text: &str) -> Result<Access, String> {
    let mut found =
        Access { volatile: false, invariant: false, size: None, space: 0, base: Base::Unknown, offset: 0 };
    let mut text = Text { rest: text };
    let mut known = false;
    while !text.rest.is_empty() {
        text.skip_spaces();
        if text.eat("(s") {
            let bits = text.number().and_then(|n| u32::try_from(n).ok()).ok_or("a size is no number")?;
            found.size = Some(bits / 8);
            let end = text.rest.find(')').ok_or("a size is not closed")?;
            text.rest = &text.rest[end + 1..];
            continue;
        }
        if text.rest.starts_with('(') {
            let end = text.rest.find(')').ok_or("a size is not closed")?;
            text.rest = &text.rest[end + 1..];
            continue;
        }
        let word = text.name();
        match word {
            "load" | "store" => known = true,
            "volatile" | "seq_cst" | "acquire" | "release" | "acq_rel" | "monotonic" => found.volatile = true,
            "invariant" => found.invariant = true,
            "from" | "into" | "on" => {
                (found.base, found.offset) = base(&mut text)?;
                break;
            }
            // Of what is not known, where several accesses have become one, the space is.
            "addrspace" => {
                text.skip_spaces();
                found.space = space(&mut text)?;
            }
            _ => {}
        }
        if word.is_empty() {
            let mut rest = text.rest.chars();
            rest.next();
            text.rest = rest.as_str();
        }
    }
    if let Some(at) = text.rest.find("addrspace ") {
        text.rest = &text.rest[at + "addrspace ".len()..];
        found.space = space(&mut text)?;
    }
    if known { Ok(found) } else { Err("an access to memory neither loads nor stores".to_owned()) }
}

fn space(text: &mut Text<'_>) -> Result<u32, String> {
    let number = text.number().and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| "an address space is no number".to_owned())
}

fn base(text: &mut Text<'_>) -> Result<(Base, i64), String> {
    let base = if text.eat("%stack.") {
        let id = text.number().and_then(|n| u32::try_from(n).ok()).ok_or("a stack object has no number")?;
        if text.rest.starts_with('.') {
            text.name();
        }
        Base::Stack(id)
    } else if text.eat("%ir.") {
        Base::Value(text.symbol().ok_or("a value has no name")?)
    } else if text.eat("@") {
        Base::Symbol(text.symbol().ok_or("a symbol has no name")?)
    } else {
        return Ok((Base::Unknown, 0));
    };
    let offset = text.addend().ok_or("an offset is out of range")?;
    Ok((base, offset))
}

#[cfg(test)]
mod tests {
    use super::super::{Base, Operand, Part, Register};
    use super::instruction;

    #[test]
    fn an_instruction_has_outputs_operands_and_accesses() {
        let text =
            "%8:gpr = nuw LW %7, -4 :: (volatile load (s32) from %ir.arrayidx + 8, !tbaa !7, addrspace 1)";
        let found = instruction(1, text).unwrap();
        assert_eq!((found.opcode.as_str(), found.outputs.as_slice()), ("LW", &[Register::Virtual(8)][..]));
        assert_eq!(found.operands, [Operand::Register(Register::Virtual(7)), Operand::Number(-4)]);
        let access = &found.memory[0];
        assert_eq!((access.volatile, access.size, access.space, access.offset), (true, Some(4), 1, 8));
        assert_eq!(access.base, Base::Value("arrayidx".to_owned()));
    }

    #[test]
    fn an_access_to_an_unknown_place_has_a_space() {
        let found =
            instruction(1, "%1:gpr = LW %2, 0, debug-location !32 :: (load (s32), addrspace 1)").unwrap();
        assert_eq!((found.memory[0].space, found.memory[0].size), (1, Some(4)));
    }

    #[test]
    fn places_in_the_source_are_passed_over() {
        let found = instruction(1, "PseudoRET debug-location !130").unwrap();
        assert_eq!((found.opcode.as_str(), found.operands.len()), ("PseudoRET", 0));
        let found = instruction(1, "%1:gpr = ADDI %2, 4, debug-location !5").unwrap();
        assert_eq!(found.operands.len(), 2);
    }

    #[test]
    fn calls_name_what_they_imply() {
        let text = "PseudoCALL target-flags(riscv-call) &__divdi3, csr_ilp32_lp64, implicit-def dead $x1, implicit killed $x10, implicit-def $x10_w";
        let found = instruction(1, text).unwrap();
        let callee = Operand::Symbol { name: "__divdi3".to_owned(), addend: 0, part: Part::Whole };
        assert_eq!(found.operands, [callee]);
        assert_eq!((found.implied_inputs, found.implied_outputs), (vec![10], vec![1, 10]));
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for text in [
            "%1:vr = COPY $v8",
            "%1:gpr = LW %2, ?",
            "%1:gpr frob",
            "SW %1 %2",
            "%1:gpr = LW %2, 0 :: (load (s32)",
        ] {
            assert!(instruction(1, text).is_err(), "{text}");
        }
    }
}
