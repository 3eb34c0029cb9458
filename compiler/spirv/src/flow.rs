//! Control flow: blocks, branches, PHI nodes, and what is said of loops. Merges are no more than that: any graph will do.

use rspirv::dr::Operand;
use rspirv::spirv::{LoopControl, Op};

use crate::error::{Result, invalid, malformed};
use crate::function::Function;
use crate::words::Instruction;

impl<'m> Function<'_, 'm> {
    /// Finds the loops of which something is said.
    pub(crate) fn hints(&mut self) -> Result<()> {
        let mut block = 0;
        for i in self.body {
            match i.op {
                Op::Label => block = i.result()?,
                Op::LoopMerge => {
                    let Some(Operand::LoopControl(control)) = i.operands.get(2) else { continue };
                    let mut words = Vec::new();
                    if control.contains(LoopControl::DONT_UNROLL) {
                        words.push("!{!\"llvm.loop.unroll.disable\"}".to_owned());
                    } else if control.contains(LoopControl::PARTIAL_COUNT) {
                        // Numbers come in the order of the bits before it, one for each.
                        let before = LoopControl::DEPENDENCY_LENGTH
                            | LoopControl::MIN_ITERATIONS
                            | LoopControl::MAX_ITERATIONS
                            | LoopControl::ITERATION_MULTIPLE
                            | LoopControl::PEEL_COUNT;
                        let index = (*control & before).bits().count_ones() as usize;
                        words.push(format!(
                            "!{{!\"llvm.loop.unroll.count\", i32 {}}}",
                            i.number_at(3 + index)?
                        ));
                    } else if control.contains(LoopControl::UNROLL) {
                        words.push("!{!\"llvm.loop.unroll.enable\"}".to_owned());
                    }
                    if words.is_empty() {
                        continue;
                    }
                    let words: Vec<String> = words.iter().map(|word| self.t.metadata.node(word)).collect();
                    // A loop's node begins with itself.
                    let own = self.t.metadata.next();
                    let node = self.t.metadata.distinct(format!("distinct !{{{own}, {}}}", words.join(", ")));
                    self.hints.insert(block, node);
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn label(&mut self, i: &Instruction) -> Result<()> {
        if !self.is_closed {
            return Err(invalid(i.word, "a block begins in another one"));
        }
        let id = i.result()?;
        if !self.blocks.is_empty() {
            self.rest.line(i.word, &format!("b{id}:"));
        }
        self.blocks.push(id);
        self.is_closed = false;
        Ok(())
    }

    /// The last instruction of a block.
    fn close(&mut self, i: &Instruction, text: &str, targets: &[u32]) {
        let hint = targets
            .iter()
            .find(|target| self.blocks.contains(target))
            .and_then(|target| self.hints.get(target));
        let hint = hint.map_or_else(String::new, |node| format!(", !llvm.loop {node}"));
        self.line(i, &format!("{text}{hint}"));
        self.is_closed = true;
    }

    /// Instructions that end blocks, and PHI nodes; false where it is another one.
    pub(crate) fn flow(&mut self, i: &'m Instruction) -> Result<bool> {
        match i.op {
            Op::Phi => {
                let ty = self.result_text(i)?;
                let ids = i.ids_from(0)?;
                let (pairs, rest) = ids.as_chunks::<2>();
                if !rest.is_empty() {
                    return Err(malformed(i.word, "a value of OpPhi has no block"));
                }
                let mut list = Vec::new();
                for [value, block] in pairs {
                    let text = match self.t.constants.get(*value) {
                        Some(_) => self.used(i, *value)?.text,
                        None => format!("%v{value}"),
                    };
                    list.push(format!("[ {text}, %b{block} ]"));
                }
                self.define(i, &format!("phi {ty} {}", list.join(", ")))?;
            }
            Op::Branch => {
                let to = i.id_at(0)?;
                self.close(i, &format!("br label %b{to}"), &[to]);
            }
            Op::BranchConditional => {
                let condition = self.operand(i, 0)?;
                let (yes, no) = (i.id_at(1)?, i.id_at(2)?);
                let mut text = format!("br i1 {}, label %b{yes}, label %b{no}", condition.text);
                if &*condition.type_text != "i1" {
                    return Err(invalid(i.word, "the condition of a branch is no truth value"));
                }
                if i.operands.len() == 5 {
                    let weights =
                        format!("!{{!\"branch_weights\", i32 {}, i32 {}}}", i.number_at(3)?, i.number_at(4)?);
                    let node = self.t.metadata.node(&weights);
                    text.push_str(&format!(", !prof {node}"));
                }
                self.close(i, &text, &[yes, no]);
            }
            Op::Switch => {
                let selector = self.operand(i, 0)?;
                let width = self.t.types.int_bits(i.word, selector.ty)?;
                let otherwise = i.id_at(1)?;
                let (mut cases, mut targets, mut at) = (Vec::new(), vec![otherwise], 2);
                while at + 1 < i.operands.len() {
                    let value = crate::fold::signed(i.wide_number_at(at)?, width);
                    let to = i.id_at(at + 1)?;
                    cases.push(format!("{} {value}, label %b{to}", selector.type_text));
                    targets.push(to);
                    at += 2;
                }
                let text =
                    format!("switch {}, label %b{otherwise} [ {} ]", selector.typed(), cases.join(" "));
                self.close(i, &text, &targets);
            }
            Op::Return => self.close(i, "ret void", &[]),
            Op::ReturnValue => {
                let value = self.operand(i, 0)?;
                if value.type_text != self.t.types.text(i.word, self.result)? {
                    return Err(invalid(
                        i.word,
                        "a function gives a value of another type than its own says",
                    ));
                }
                let text = format!("ret {}", value.typed());
                self.close(i, &text, &[]);
            }
            Op::Unreachable => self.close(i, "unreachable", &[]),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
