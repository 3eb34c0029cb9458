//! Calls: of the module's own functions, and of the library's by their mangled names.

use rspirv::spirv::Op;

use crate::error::{Result, invalid, not_supported};
use crate::function::Function;
use crate::mangle::{Param, mangled};
use crate::text::quoted;
use crate::translate::Translator;
use crate::types::Shape;
use crate::words::Instruction;

/// What work-item functions are: they read nothing that anybody writes.
pub(crate) const PURE: &str = "convergent nounwind willreturn memory(none)";
const ANY: &str = "convergent nounwind";

impl Translator<'_> {
    /// Declares a function that others define.
    pub(crate) fn declare(
        &mut self,
        word: usize,
        name: &str,
        result: &str,
        params: &[String],
        attributes: &str,
    ) -> Result<()> {
        let text =
            format!("declare spir_func {result} @{}({}) {attributes}", quoted(name), params.join(", "));
        match self.declared.get(name) {
            Some((_, known)) if known.split(") ").next() == text.split(") ").next() => Ok(()),
            Some(_) => Err(invalid(word, format!("'{name}' is used with different types"))),
            None => {
                self.declared.insert(name.to_owned(), (word, text));
                Ok(())
            }
        }
    }

    /// A call of a function that others define, as an instruction.
    pub(crate) fn call(
        &mut self,
        word: usize,
        name: &str,
        result: &str,
        arguments: &[(String, String)],
        attributes: &str,
    ) -> Result<String> {
        let types: Vec<String> = arguments.iter().map(|(ty, _)| ty.clone()).collect();
        let attributes = if attributes.is_empty() { ANY } else { attributes };
        self.declare(word, name, result, &types, attributes)?;
        let list: Vec<String> = arguments.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        Ok(format!("call spir_func {result} @{}({}) {attributes}", quoted(name), list.join(", ")))
    }
}

impl Function<'_, '_> {
    /// A call of an overload of the library's, as an instruction.
    pub(crate) fn library(
        &mut self,
        i: &Instruction,
        name: &str,
        params: &[Param],
        result: &str,
        arguments: &[(String, String)],
    ) -> Result<String> {
        if let Some(bits) = params.iter().find_map(Param::other_width) {
            return Err(not_supported(i.word, format!("Op{} of integers of {bits} bits", i.name)));
        }
        self.t.call(i.word, &mangled(name, params), result, arguments, "")
    }

    /// `OpFunctionCall`.
    pub(crate) fn function_call(&mut self, i: &Instruction) -> Result<()> {
        debug_assert!(i.op == Op::FunctionCall);
        let callee = i.id_at(0)?;
        let signature = self.t.signatures.get(&callee).cloned();
        let signature = signature.ok_or_else(|| invalid(i.word, format!("id {callee} is no function")))?;
        if signature.is_kernel {
            return Err(not_supported(i.word, "a call of a kernel"));
        }
        let Shape::Function { result, params } = self.shape(i, signature.ty)? else {
            return Err(invalid(i.word, "a call of what is no function"));
        };
        let arguments = i.ids_from(1)?;
        if arguments.len() != params.len() {
            return Err(invalid(i.word, "a call with another number of arguments than the function takes"));
        }
        let mut list = Vec::new();
        for (argument, param) in arguments.iter().zip(&params) {
            let used = self.used(i, *argument)?;
            let wanted = self.t.types.text(i.word, *param)?;
            if used.type_text != wanted {
                return Err(invalid(
                    i.word,
                    format!("an argument has type {} and not {wanted}", used.type_text),
                ));
            }
            list.push(used);
        }
        let result_text = self.t.types.text(i.word, result)?;
        let mut texts = Vec::new();
        for (index, used) in list.iter().enumerate() {
            let attributes = self.passing(callee, index, i.word)?;
            texts.push(format!("{}{attributes} {}", used.type_text, used.text));
        }
        let call = format!("call spir_func {result_text} {}({}) {ANY}", signature.name, texts.join(", "));
        if &*result_text == "void" {
            self.line(i, &call);
            return Ok(());
        }
        if self.result_text(i)? != result_text {
            return Err(invalid(i.word, "a call gives another type than its function"));
        }
        self.define(i, &call)
    }
}
