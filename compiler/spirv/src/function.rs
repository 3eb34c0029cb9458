//! A function: its head, its blocks, and the values in them.
//!
//! Every id that has a value becomes `%v<id>`, every block `%b<id>`, so what is used before it is defined (only PHI nodes may)
//! needs nothing special. An instruction never makes a block of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, FunctionControl, LinkageType, Op};

use crate::access::few_parts;
use crate::constants::{self, Value};
use crate::debug::Lines;
use crate::error::{Result, invalid};
use crate::module::{Body, Set};
use crate::order;
use crate::text::{Text, quoted};
use crate::translate::Translator;
use crate::types::Shape;
use crate::words::Instruction;

/// A value: its type, and how LLVM's text names it.
#[derive(Debug, Clone)]
pub(crate) struct Used {
    pub(crate) ty: u32,
    pub(crate) type_text: Rc<str>,
    pub(crate) text: String,
}

impl Used {
    /// With its type.
    pub(crate) fn typed(&self) -> String {
        format!("{} {}", self.type_text, self.text)
    }

    /// As an argument of a call.
    pub(crate) fn argument(&self) -> (String, String) {
        (self.type_text.to_string(), self.text.clone())
    }
}

/// A function that is being written.
#[derive(Debug)]
pub(crate) struct Function<'t, 'm> {
    pub(crate) t: &'t mut Translator<'m>,
    /// What stands at the beginning of the first block.
    pub(crate) entry: Text,
    /// Everything behind it.
    pub(crate) rest: Text,
    pub(crate) lines: Lines,
    /// Types of the values that are known.
    pub(crate) values: BTreeMap<u32, u32>,
    /// Values that PHI nodes take.
    joined: BTreeSet<u32>,
    /// Values that have no instruction of their own.
    pub(crate) aliases: BTreeMap<u32, Used>,
    /// Sampled images: image and sampler.
    pub(crate) sampled: BTreeMap<u32, (u32, u32)>,
    /// Vectors of a built-in variable of which only elements are used.
    pub(crate) by_element: BTreeMap<u32, u32>,
    /// What printf can read of a pointer: the variable behind it.
    pub(crate) strings: BTreeMap<u32, Rc<str>>,
    /// Memory that built-in variables have in this function.
    pub(crate) built_in_memory: BTreeMap<u32, String>,
    /// Loops with hints, by their headers.
    pub(crate) hints: BTreeMap<u32, String>,
    /// Blocks so far, the one at hand last.
    pub(crate) blocks: Vec<u32>,
    /// The block at hand has its last instruction.
    pub(crate) is_closed: bool,
    temporaries: u32,
    /// What the function gives.
    pub(crate) result: u32,
    pub(crate) body: &'m [Instruction],
}

/// Translates a function; a kernel once for each entry point.
pub(crate) fn translate<'m>(t: &mut Translator<'m>, body: &Body, out: &mut Text) -> Result<()> {
    let module = t.module;
    let instructions = &module.instructions[body.instructions.clone()];
    let names: Vec<&str> = module
        .entry_points
        .iter()
        .filter(|entry| entry.function == body.id)
        .map(|entry| entry.name.as_str())
        .collect();
    if names.is_empty() {
        return one(t, body.id, instructions, None, out);
    }
    names.into_iter().try_for_each(|name| one(t, body.id, instructions, Some(name), out))
}

fn one<'m>(
    t: &mut Translator<'m>,
    id: u32,
    body: &'m [Instruction],
    kernel: Option<&str>,
    out: &mut Text,
) -> Result<()> {
    let module = t.module;
    let signature =
        t.signatures.get(&id).cloned().ok_or_else(|| invalid(body[0].word, "a function without a type"))?;
    let shown = kernel.map(str::to_owned).or_else(|| module.name(id).map(str::to_owned)).unwrap_or_default();
    let lines = Lines::of(module, &mut t.metadata, body, &shown)?;
    let Shape::Function { result, params } = t.types.get(body[0].word, signature.ty)?.shape.clone() else {
        return Err(invalid(body[0].word, "a function of a type that is none's"));
    };
    let mut function = Function {
        t,
        entry: Text::default(),
        rest: Text::default(),
        lines,
        values: BTreeMap::new(),
        joined: body
            .iter()
            .filter(|i| i.op == Op::Phi)
            .flat_map(|i| i.operands.iter().filter_map(Operand::id_ref_any))
            .collect(),
        aliases: BTreeMap::new(),
        sampled: BTreeMap::new(),
        by_element: BTreeMap::new(),
        strings: BTreeMap::new(),
        built_in_memory: BTreeMap::new(),
        hints: BTreeMap::new(),
        blocks: Vec::new(),
        is_closed: true,
        temporaries: 0,
        result,
        body,
    };
    function.write(id, &params, kernel, &signature.name, out)
}

impl<'m> Function<'_, 'm> {
    fn write(
        &mut self,
        id: u32,
        params: &[u32],
        kernel: Option<&str>,
        name: &str,
        out: &mut Text,
    ) -> Result<()> {
        let first = &self.body[0];
        let given: Vec<&Instruction> = self.body.iter().filter(|i| i.op == Op::FunctionParameter).collect();
        if given.len() != params.len() {
            return Err(invalid(first.word, "a function has other parameters than its type says"));
        }
        let is_declared = !self.body.iter().any(|i| i.op == Op::Label);
        let mut list = Vec::new();
        for (param, ty) in given.iter().zip(params) {
            list.push(self.parameter(param, *ty, kernel.is_some())?);
        }
        let result = self.t.types.text(first.word, self.result)?;
        let linkage = self.t.module.linkage(id);
        if is_declared {
            if kernel.is_some() || linkage.as_ref().is_none_or(|linkage| linkage.how != LinkageType::Import) {
                return Err(invalid(first.word, "a function without a body that is not imported"));
            }
            let name = linkage.map(|linkage| linkage.name).unwrap_or_default();
            let types: Vec<String> = params
                .iter()
                .map(|ty| Ok(self.t.types.text(first.word, *ty)?.to_string()))
                .collect::<Result<_>>()?;
            return self.t.declare(first.word, &name, &result, &types, "convergent nounwind");
        }
        let how = match (kernel, linkage) {
            (Some(_), _) => "",
            (None, None) => "internal ",
            (None, Some(linkage)) => match linkage.how {
                LinkageType::Import => return Err(invalid(first.word, "an imported function has a body")),
                LinkageType::LinkOnceODR => "linkonce_odr ",
                _ => "",
            },
        };
        let mut attributes = "convergent nounwind".to_owned();
        if let Some(Operand::FunctionControl(control)) = first.operands.first() {
            let words = [
                (FunctionControl::INLINE, " alwaysinline"),
                (FunctionControl::DONT_INLINE, " noinline"),
                (FunctionControl::OPT_NONE_EXT, " optnone noinline"),
            ];
            for (bit, word) in words {
                let is_new = !attributes.contains(word);
                if control.contains(bit) && is_new {
                    attributes.push_str(word);
                }
            }
        }
        let (convention, name, facts) = match kernel {
            Some(kernel) => {
                if &*result != "void" {
                    return Err(invalid(first.word, "a kernel gives nothing"));
                }
                let facts = self.kernel_facts(id, kernel, &given)?;
                ("spir_kernel", format!("@{}", quoted(kernel)), facts)
            }
            None => ("spir_func", name.to_owned(), String::new()),
        };
        self.hints()?;
        self.find_elements();
        let (pieces, is_reordered) = order::pieces(&self.body[1..]);
        for piece in pieces {
            if is_reordered {
                // Lines end with their block.
                self.lines.leave(&mut self.t.metadata);
            }
            piece.iter().try_for_each(|i| self.take(i))?;
        }
        if !self.is_closed {
            return Err(invalid(first.word, "a block without an end"));
        }
        let debug = self.lines.of_function();
        let list = list.join(", ");
        out.line(
            first.word,
            &format!("define {how}{convention} {result} {name}({list}) {attributes}{facts}{debug} {{"),
        );
        if let Some(block) = self.blocks.first() {
            out.line(first.word, &format!("b{block}:"));
        }
        out.append(std::mem::take(&mut self.entry));
        out.append(std::mem::take(&mut self.rest));
        out.line(first.word, "}");
        Ok(())
    }

    /// A parameter with its attributes. Kernels take structures by their addresses.
    fn parameter(&mut self, i: &Instruction, ty: u32, is_kernel: bool) -> Result<String> {
        let (word, id) = (i.word, i.result()?);
        let text = self.t.types.text(word, ty)?;
        if self.t.types.text(word, i.result_type()?)? != text {
            return Err(invalid(word, "a parameter has another type than its function's says"));
        }
        self.values.insert(id, ty);
        let info = self.t.types.get(word, ty)?;
        if is_kernel && info.is_aggregate() {
            let alignment = info.alignment;
            few_parts(i, info.parts)?;
            self.entry.line(word, &format!("  %v{id} = load {text}, ptr %p{id}, align {alignment}"));
            return Ok(format!("ptr byval({text}) align {alignment} %p{id}"));
        }
        let attributes = self.parameter_attributes(id, ty, word)?;
        Ok(format!("{text}{attributes} %v{id}"))
    }

    fn take(&mut self, i: &'m Instruction) -> Result<()> {
        match i.op {
            Op::FunctionParameter | Op::Nop | Op::LoopMerge | Op::SelectionMerge => return Ok(()),
            Op::Line => return self.lines.enter(self.t.module, &mut self.t.metadata, i),
            Op::NoLine => {
                self.lines.leave(&mut self.t.metadata);
                return Ok(());
            }
            Op::ExtInst if self.t.module.sets.get(&i.id_at(0)?) == Some(&Set::Debug) => return Ok(()),
            Op::Label => return self.label(i),
            _ => {}
        }
        if self.is_closed {
            return Err(invalid(i.word, "an instruction outside of blocks"));
        }
        self.instruction(i)
    }

    /// Adds a line to the block at hand.
    pub(crate) fn line(&mut self, i: &Instruction, text: &str) {
        let debug = self.lines.of_instruction();
        self.rest.line(i.word, &format!("  {text}{debug}"));
    }

    /// Gives the instruction's result its value.
    pub(crate) fn define(&mut self, i: &Instruction, text: &str) -> Result<()> {
        let (id, ty) = (i.result()?, i.result_type()?);
        self.line(i, &format!("%v{id} = {text}"));
        self.values.insert(id, ty);
        Ok(())
    }

    /// Gives the instruction's result a value that exists.
    pub(crate) fn alias(&mut self, i: &Instruction, text: &str) -> Result<()> {
        let (id, ty, type_text) = (i.result()?, i.result_type()?, self.result_text(i)?);
        if self.joined.contains(&id) {
            // It needs an instruction of its own: a PHI node may have named it before.
            return self.define(i, &format!("select i1 true, {type_text} {text}, {type_text} {text}"));
        }
        self.aliases.insert(id, Used { ty, type_text, text: text.to_owned() });
        Ok(())
    }

    /// A value on the way.
    pub(crate) fn temporary(&mut self, i: &Instruction, text: &str) -> String {
        self.temporaries += 1;
        let name = format!("%t{}", self.temporaries);
        self.line(i, &format!("{name} = {text}"));
        name
    }

    /// A value on the way, at the beginning of the function.
    pub(crate) fn entry_temporary(&mut self, i: &Instruction, text: &str) -> String {
        self.temporaries += 1;
        let name = format!("%t{}", self.temporaries);
        let debug = self.lines.of_instruction();
        self.entry.line(i.word, &format!("  {name} = {text}{debug}"));
        name
    }

    /// The text of the instruction's type.
    pub(crate) fn result_text(&self, i: &Instruction) -> Result<Rc<str>> {
        self.t.types.text(i.word, i.result_type()?)
    }

    /// The shape of a type.
    pub(crate) fn shape(&self, i: &Instruction, ty: u32) -> Result<Shape> {
        Ok(self.t.types.get(i.word, ty)?.shape.clone())
    }

    /// A value that an instruction uses.
    pub(crate) fn used(&mut self, i: &Instruction, id: u32) -> Result<Used> {
        if let Some(alias) = self.aliases.get(&id) {
            return Ok(alias.clone());
        }
        if let Some(ty) = self.values.get(&id) {
            let type_text = self.t.types.text(i.word, *ty)?;
            return Ok(Used { ty: *ty, type_text, text: format!("%v{id}") });
        }
        if let Some(constant) = self.t.constants.get(id) {
            let ty = constant.ty;
            let type_text = self.t.types.text(i.word, ty)?;
            if let Value::Sampler(bits) = *constant.value {
                let argument = [("i32".to_owned(), bits.to_string())];
                let call =
                    self.t.call(i.word, "__translate_sampler_initializer", &type_text, &argument, "")?;
                return Ok(Used { ty, type_text, text: self.temporary(i, &call) });
            }
            let text = constants::text(&self.t.types, i.word, constant)?;
            return Ok(Used { ty, type_text, text });
        }
        if self.t.built_in.contains_key(&id) {
            return self.built_in_pointer(i, id);
        }
        if self.t.signatures.contains_key(&id) {
            return Err(crate::error::not_supported(i.word, "a pointer to a function"));
        }
        Err(invalid(i.word, format!("id {id} has no value here")))
    }

    /// The value of an operand.
    pub(crate) fn operand(&mut self, i: &Instruction, index: usize) -> Result<Used> {
        let id = i.id_at(index)?;
        self.used(i, id)
    }

    /// A constant number among the operands, if it is one.
    pub(crate) fn constant_at(&self, i: &Instruction, index: usize) -> Result<Option<u64>> {
        let id = i.id_at(index)?;
        Ok(self.t.constants.get(id).and_then(constants::Constant::bits))
    }

    /// Whether something is said of the instruction's result.
    pub(crate) fn is_said(&self, i: &Instruction, what: Decoration) -> bool {
        i.id.is_some_and(|id| self.t.module.has(id, what))
    }

    /// The element of a vector's type, or the type itself; and the number of lanes.
    pub(crate) fn scalar(&self, i: &Instruction, ty: u32) -> Result<(Rc<str>, u32)> {
        let (element, lanes) = self.t.types.scalar(i.word, ty)?;
        Ok((element.text.clone(), lanes))
    }
}

/// A type of so many lanes.
pub(crate) fn with_lanes(element: &str, lanes: u32) -> String {
    if lanes > 1 { format!("<{lanes} x {element}>") } else { element.to_owned() }
}

/// One number in all lanes.
pub(crate) fn splat(element: &str, number: &str, lanes: u32) -> String {
    if lanes > 1 {
        let all: Vec<String> = (0..lanes).map(|_| format!("{element} {number}")).collect();
        format!("<{}>", all.join(", "))
    } else {
        number.to_owned()
    }
}
