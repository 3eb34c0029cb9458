//! A module in parts to text: types, constants and variables in their order, then functions.

use std::collections::BTreeMap;
use std::rc::Rc;

use rspirv::spirv::{BuiltIn, Decoration, LinkageType, Op, StorageClass};

use crate::Source;
use crate::claims::Claims;
use crate::constants::{self, Constants};
use crate::error::{Result, invalid, not_supported};
use crate::function;
use crate::metadata::Metadata;
use crate::module::{self, Addresses, Module};
use crate::text::{Text, quoted};
use crate::types::{Shape, Types, space_of};
use crate::words::Instruction;

/// The layouts of the front end's targets.
const LAYOUT_32: &str =
    "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";
const LAYOUT_64: &str =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

/// What a function is called, and what it takes and gives.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    /// With `@`.
    pub(crate) name: String,
    pub(crate) ty: u32,
    pub(crate) is_kernel: bool,
}

/// What all functions of a module share.
#[derive(Debug)]
pub(crate) struct Translator<'m> {
    pub(crate) module: &'m Module,
    pub(crate) types: Types,
    pub(crate) constants: Constants,
    /// Variables that hold what a built-in function gives: which, and the type of what it holds.
    pub(crate) built_in: BTreeMap<u32, (BuiltIn, u32)>,
    pub(crate) signatures: BTreeMap<u32, Signature>,
    /// Functions that are called and not defined here: name to declaration.
    pub(crate) declared: BTreeMap<String, (usize, String)>,
    pub(crate) metadata: Metadata,
    /// Strings that formats and arguments of printf are: pointers to variables.
    pub(crate) variables: BTreeMap<u32, Rc<str>>,
    /// What accesses claim of the alignment of addresses; known when functions are translated.
    pub(crate) claims: Claims,
}

/// A variable of the module, before it is known what accesses claim of it.
struct Variable {
    word: usize,
    id: u32,
    /// Its definition up to the alignment.
    text: String,
    alignment: u64,
    /// Another module defines it.
    is_external: bool,
}

/// Translates a module.
pub(crate) fn translate(source: &Source<'_>, addresses: Addresses) -> Result<Text> {
    let module = module::read(source.bytes)?;
    module.check_addresses(addresses)?;
    let mut translator = Translator {
        module: &module,
        types: Types::new(addresses.bits()),
        constants: Constants::new(source.constants),
        built_in: BTreeMap::new(),
        signatures: BTreeMap::new(),
        declared: BTreeMap::new(),
        metadata: Metadata::default(),
        variables: BTreeMap::new(),
        claims: Claims::default(),
    };
    translator.run(source.name)
}

impl Translator<'_> {
    pub(crate) fn bits(&self) -> u32 {
        self.module.addresses.bits()
    }

    /// The type of sizes, in LLVM's words.
    pub(crate) fn size_type(&self) -> String {
        format!("i{}", self.bits())
    }

    fn run(&mut self, name: &str) -> Result<Text> {
        let module = self.module;
        let mut defined = Vec::new();
        for index in &module.globals {
            defined.extend(self.global(&module.instructions[*index])?);
        }
        self.claims = Claims::of(module, &self.types);
        let mut variables = Text::default();
        for variable in defined {
            let Variable { word, id, text, alignment, is_external } = variable;
            let alignment = if is_external { alignment } else { self.claims.raised(id, alignment) };
            variables.line(word, &format!("{text}, align {alignment}"));
        }
        self.sign()?;
        let mut functions = Text::default();
        for body in &module.functions {
            function::translate(self, body, &mut functions)?;
        }
        let mut out = Text::default();
        let (layout, triple) = match module.addresses {
            Addresses::Bits32 => (LAYOUT_32, "spir-unknown-unknown"),
            Addresses::Bits64 => (LAYOUT_64, "spir64-unknown-unknown"),
        };
        out.line(0, &format!("source_filename = {}", quoted(name)));
        out.line(0, &format!("target datalayout = \"{layout}\""));
        out.line(0, &format!("target triple = \"{triple}\""));
        for (word, definition) in &self.types.definitions {
            out.line(*word, definition);
        }
        out.append(variables);
        out.append(functions);
        for (word, declaration) in self.declared.values() {
            out.line(*word, declaration);
        }
        let version = self.metadata.node("!{i32 3, i32 0}");
        self.metadata.name("opencl.ocl.version", &version);
        self.metadata.name("opencl.spir.version", &version);
        for line in self.metadata.lines() {
            out.line(0, &line);
        }
        Ok(out)
    }

    /// A type, a constant or a variable; gives a variable that is memory.
    fn global(&mut self, i: &Instruction) -> Result<Option<Variable>> {
        if self.types.define(self.module, &self.constants, i)? {
            return Ok(None);
        }
        if self.constants.define(self.module, &self.types, i)? {
            return Ok(None);
        }
        match i.op {
            Op::Variable => self.variable(i),
            _ => Err(not_supported(i.word, format!("Op{} outside of functions", i.name))),
        }
    }

    fn variable(&mut self, i: &Instruction) -> Result<Option<Variable>> {
        let (word, id, ty) = (i.word, i.result()?, i.result_type()?);
        let class = i.storage_at(0)?;
        let (space, to) = self.types.pointee(word, ty)?;
        if space != space_of(word, class)? {
            return Err(invalid(word, "a variable in another storage class than its type says"));
        }
        if let Some(built_in) = self.module.decoration(id, Decoration::BuiltIn) {
            let Some(rspirv::dr::Operand::BuiltIn(which)) = built_in.operands.first() else {
                return Err(invalid(built_in.word, "a built-in variable was expected"));
            };
            self.built_in.insert(id, (*which, to));
            return Ok(None);
        }
        let held = self.types.in_memory(word, to)?.text.clone();
        let linkage = self.module.linkage(id);
        let name = match (&linkage, self.module.name(id)) {
            (Some(linkage), _) => linkage.name.clone(),
            (None, Some(own)) => format!("{own}.{id}"),
            (None, None) => format!("variable.{id}"),
        };
        let how = match linkage.map(|linkage| linkage.how) {
            Some(LinkageType::Import) => "external",
            Some(LinkageType::LinkOnceODR) => "linkonce_odr",
            Some(_) => "",
            None => "internal",
        };
        let kind = match class {
            StorageClass::UniformConstant => "constant",
            StorageClass::CrossWorkgroup => "global",
            StorageClass::Workgroup => "global",
            other => {
                return Err(not_supported(
                    word,
                    format!("a variable of a module in storage class {other:?}"),
                ));
            }
        };
        let initial = match i.operands.get(1) {
            _ if how == "external" => String::new(),
            Some(_) => {
                let constant = self.constants.of(word, i.id_at(1)?)?;
                // A null is one whatever its type: modules of LLVM's back end have them as integers for pointers.
                if self.types.text(word, constant.ty)? != held && *constant.value != constants::Value::Null {
                    return Err(invalid(word, "an initial value of another type than the variable"));
                }
                if class == StorageClass::Workgroup {
                    " undef".to_owned()
                } else {
                    format!(" {}", constants::text(&self.types, word, constant)?)
                }
            }
            None if class == StorageClass::Workgroup => " undef".to_owned(),
            None => " zeroinitializer".to_owned(),
        };
        let space = if space == 0 { String::new() } else { format!("addrspace({space}) ") };
        let own = self.types.get(word, to)?.alignment;
        let alignment = self.alignment(id)?.unwrap_or(own).max(1);
        let full = format!("@{}", quoted(&name));
        let text = format!("{full} = {how} {space}{kind} {held}{initial}");
        self.variables.insert(id, full.as_str().into());
        self.constants.add_address(id, ty, full);
        Ok(Some(Variable { word, id, text, alignment, is_external: how == "external" }))
    }

    /// The alignment that is said of an id.
    pub(crate) fn alignment(&self, id: u32) -> Result<Option<u64>> {
        let Some(said) = self.module.decoration(id, Decoration::Alignment) else { return Ok(None) };
        let bytes = said.number().unwrap_or(0);
        if bytes.is_power_of_two() && bytes <= 1 << 29 {
            Ok(Some(u64::from(bytes)))
        } else {
            Err(invalid(said.word, format!("an alignment of {bytes} bytes")))
        }
    }

    /// Names all functions: they may be called before they are defined.
    fn sign(&mut self) -> Result<()> {
        for body in &self.module.functions {
            let i = &self.module.instructions[body.instructions.start];
            let ty = i.id_at(1)?;
            let Shape::Function { result, .. } = self.types.get(i.word, ty)?.shape else {
                return Err(invalid(i.word, "a function of a type that is none's"));
            };
            if self.types.text(i.word, result)? != self.types.text(i.word, i.result_type()?)? {
                return Err(invalid(i.word, "a function gives another type than its own says"));
            }
            let is_kernel = self.module.entry_points.iter().any(|entry| entry.function == body.id);
            let name = match (self.module.linkage(body.id), self.module.name(body.id)) {
                (Some(linkage), _) => linkage.name,
                (None, Some(own)) => format!("{own}.{}", body.id),
                (None, None) => format!("function.{}", body.id),
            };
            let name = format!("@{}", quoted(&name));
            self.signatures.insert(body.id, Signature { name, ty, is_kernel });
        }
        Ok(())
    }
}
