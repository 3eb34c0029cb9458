//! Kernels: what their definitions say of launches and of parameters, in clang's words (`!kernel_arg_*`), and the attributes
//! of all functions' parameters.

use rspirv::dr::Operand;
use rspirv::spirv::{
    AccessQualifier, Decoration, ExecutionMode, FunctionParameterAttribute as Attribute, Op,
};

use crate::error::{Result, invalid, not_supported};
use crate::function::Function;
use crate::text::quoted;
use crate::types::{Shape, image_type_name};
use crate::words::{COMMON_WIDTHS, Instruction};

impl Function<'_, '_> {
    /// Whether a parameter has an attribute.
    fn is_attributed(&self, id: u32, wanted: Attribute) -> bool {
        self.t.module.decorations(id).iter().any(|one| {
            one.what == Decoration::FuncParamAttr
                && matches!(one.operands.first(), Some(Operand::FunctionParameterAttribute(own)) if *own == wanted)
        })
    }

    /// How a parameter is passed, where its type does not tell.
    fn passed(&self, id: u32, ty: u32, word: usize) -> Result<String> {
        let mut out = String::new();
        for (attribute, name) in [(Attribute::ByVal, "byval"), (Attribute::Sret, "sret")] {
            if self.is_attributed(id, attribute) {
                let (_, to) = self.t.types.pointee(word, ty)?;
                let held = self.t.types.in_memory(word, to)?;
                let alignment = self.t.alignment(id)?.unwrap_or(held.alignment).max(1);
                let alignment = self.t.claims.raised(id, alignment);
                out.push_str(&format!(" {name}({}) align {alignment}", held.text));
            }
        }
        if matches!(self.t.types.get(word, ty)?.shape, Shape::Int(_) | Shape::Bool) {
            if self.is_attributed(id, Attribute::Zext) {
                out.push_str(" zeroext");
            } else if self.is_attributed(id, Attribute::Sext) {
                out.push_str(" signext");
            }
        }
        Ok(out)
    }

    /// A parameter's attributes, each behind a blank.
    pub(crate) fn parameter_attributes(&self, id: u32, ty: u32, word: usize) -> Result<String> {
        let mut out = self.passed(id, ty, word)?;
        if matches!(self.t.types.get(word, ty)?.shape, Shape::Pointer { .. }) && out.is_empty() {
            if self.t.module.has(id, Decoration::Restrict) || self.is_attributed(id, Attribute::NoAlias) {
                out.push_str(" noalias");
            }
            if self.is_attributed(id, Attribute::NoWrite) {
                out.push_str(" readonly");
            }
            if let Some(bytes) = self.t.alignment(id)? {
                out.push_str(&format!(" align {bytes}"));
            }
        }
        Ok(out)
    }

    /// How the caller passes an argument.
    pub(crate) fn passing(&self, function: u32, index: usize, word: usize) -> Result<String> {
        let module = self.t.module;
        let Some(body) = module.functions.iter().find(|body| body.id == function) else {
            return Ok(String::new());
        };
        let mut params =
            module.instructions[body.instructions.clone()].iter().filter(|i| i.op == Op::FunctionParameter);
        match params.nth(index) {
            Some(param) => self.passed(param.result()?, param.result_type()?, word),
            None => Ok(String::new()),
        }
    }

    /// What a kernel's definition says beside its parameters, behind a blank.
    pub(crate) fn kernel_facts(&mut self, id: u32, kernel: &str, params: &[&Instruction]) -> Result<String> {
        let said_types = self.texts_of("kernel_arg_type", kernel, params.len());
        let said_qualifiers = self.texts_of("kernel_arg_type_qual", kernel, params.len());
        let (mut spaces, mut access, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let (mut qualifiers, mut names) = (Vec::new(), Vec::new());
        for (index, param) in params.iter().enumerate() {
            let (own, ty, word) = (param.result()?, param.result_type()?, param.word);
            let is_value = self.is_attributed(own, Attribute::ByVal);
            let space = match self.t.types.get(word, ty)?.shape {
                Shape::Pointer { space, .. } if !is_value => space,
                Shape::Image(_) => 1,
                Shape::Bool | Shape::Event | Shape::SampledImage(_) => {
                    return Err(invalid(word, "a kernel takes no argument of this type"));
                }
                Shape::Int(bits) if !COMMON_WIDTHS.contains(&bits) => {
                    return Err(not_supported(word, format!("a kernel's argument of {bits} bits")));
                }
                _ => 0,
            };
            spaces.push(format!("i32 {space}"));
            access.push(text(match self.t.types.get(word, ty)?.shape {
                Shape::Image(image) => match image.access {
                    AccessQualifier::ReadOnly => "read_only",
                    AccessQualifier::WriteOnly => "write_only",
                    AccessQualifier::ReadWrite => "read_write",
                },
                _ => "none",
            }));
            let said = said_types.as_ref().map(|all| all[index].clone()).filter(|name| !name.is_empty());
            let shown = if is_value { self.t.types.pointee(word, ty)?.1 } else { ty };
            types.push(text(&said.map_or_else(|| self.type_name(word, shown), Ok)?));
            let said = said_qualifiers.as_ref().map(|all| all[index].clone());
            qualifiers.push(text(&said.unwrap_or_else(|| self.qualifiers(own))));
            names.push(text(self.t.module.name(own).unwrap_or_default()));
        }
        let mut out = String::new();
        for (name, list) in [
            ("kernel_arg_addr_space", spaces),
            ("kernel_arg_access_qual", access),
            ("kernel_arg_type", types.clone()),
            ("kernel_arg_base_type", types),
            ("kernel_arg_type_qual", qualifiers),
            ("kernel_arg_name", names),
        ] {
            let node = self.t.metadata.node(&format!("!{{{}}}", list.join(", ")));
            out.push_str(&format!(" !{name} {node}"));
        }
        out.push_str(&self.modes(id)?);
        Ok(out)
    }

    /// What the module says of a kernel's launches.
    fn modes(&mut self, id: u32) -> Result<String> {
        let module = self.t.module;
        let mut out = String::new();
        for (mode, numbers, word) in module.modes.get(&id).map_or(&[][..], Vec::as_slice) {
            let (word, mut numbers) = (*word, numbers.clone());
            if matches!(mode, ExecutionMode::LocalSizeId | ExecutionMode::LocalSizeHintId) {
                for number in &mut numbers {
                    let value = self.t.constants.integer(word, *number)?;
                    *number =
                        u32::try_from(value).map_err(|_| invalid(word, "a local size beyond 32 bits"))?;
                }
            }
            let list: Vec<String> = numbers.iter().map(|number| format!("i32 {number}")).collect();
            let list = list.join(", ");
            let (name, node) = match mode {
                ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => ("reqd_work_group_size", list),
                ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId => {
                    ("work_group_size_hint", list)
                }
                ExecutionMode::SubgroupSize => ("intel_reqd_sub_group_size", list),
                ExecutionMode::VecTypeHint => match numbers.first().copied().and_then(vector_hint) {
                    Some(hint) => ("vec_type_hint", format!("{hint} poison, i32 1")),
                    None => continue,
                },
                // Nothing is contracted that the module does not ask for; subnormals, infinities and NaN are as IEEE 754 has
                // them, and results are rounded to even.
                ExecutionMode::ContractionOff
                | ExecutionMode::DenormPreserve
                | ExecutionMode::SignedZeroInfNanPreserve
                | ExecutionMode::RoundingModeRTE => continue,
                other => return Err(not_supported(word, format!("execution mode {other:?}"))),
            };
            let node = self.t.metadata.node(&format!("!{{{node}}}"));
            out.push_str(&format!(" !{name} {node}"));
        }
        Ok(out)
    }

    /// What a string of the module says of each parameter: `KIND.KERNEL.first,second,`.
    fn texts_of(&self, kind: &str, kernel: &str, count: usize) -> Option<Vec<String>> {
        let start = format!("{kind}.{kernel}.");
        let said = self.t.module.texts.values().find_map(|text| text.strip_prefix(&start))?;
        let mut list: Vec<String> = said.split(',').map(str::to_owned).collect();
        if list.len() > count {
            list.truncate(count);
        }
        (list.len() == count).then_some(list)
    }

    fn qualifiers(&self, id: u32) -> String {
        let module = self.t.module;
        let words = [
            (module.has(id, Decoration::Constant) || self.is_attributed(id, Attribute::NoWrite), "const"),
            (module.has(id, Decoration::Restrict) || self.is_attributed(id, Attribute::NoAlias), "restrict"),
            (module.has(id, Decoration::Volatile), "volatile"),
        ];
        let said: Vec<&str> = words.iter().filter(|(is_said, _)| *is_said).map(|(_, word)| *word).collect();
        said.join(" ")
    }

    /// A type's name in OpenCL C. SPIR-V does not say what has a sign: everything has one.
    fn type_name(&self, word: usize, id: u32) -> Result<String> {
        Ok(match &self.t.types.get(word, id)?.shape {
            Shape::Void => "void".to_owned(),
            Shape::Bool => "bool".to_owned(),
            Shape::Int(8) => "char".to_owned(),
            Shape::Int(16) => "short".to_owned(),
            Shape::Int(32) => "int".to_owned(),
            Shape::Int(_) => "long".to_owned(),
            Shape::Float(16) => "half".to_owned(),
            Shape::Float(32) => "float".to_owned(),
            Shape::Float(_) => "double".to_owned(),
            Shape::Vector { of, lanes } => format!("{}{lanes}", self.type_name(word, *of)?),
            Shape::Array { of, length } => format!("{}[{length}]", self.type_name(word, *of)?),
            Shape::Struct { .. } => {
                let name = self.t.module.name(id).unwrap_or("struct");
                name.strip_prefix("struct.").unwrap_or(name).to_owned()
            }
            // A pointer to itself by way of a structure ends at the structure's name; to itself alone there is none.
            Shape::Pointer { to, .. } => match self.t.types.get(word, *to) {
                Ok(ty) if !matches!(ty.shape, Shape::Pointer { .. }) => {
                    format!("{}*", self.type_name(word, *to)?)
                }
                _ => "void*".to_owned(),
            },
            Shape::Function { .. } => "void".to_owned(),
            Shape::Image(image) => format!("{}_t", image_type_name(*image)),
            Shape::Sampler => "sampler_t".to_owned(),
            Shape::Opaque => self.t.module.name(id).unwrap_or("opaque").to_owned(),
            Shape::SampledImage(_) => "void".to_owned(),
            Shape::Event => "event_t".to_owned(),
        })
    }
}

fn text(text: &str) -> String {
    format!("!{}", quoted(text))
}

/// The type of `VecTypeHint`'s number in LLVM's words.
fn vector_hint(number: u32) -> Option<String> {
    let element = match number & 0xFFFF {
        0 => "i8",
        1 => "i16",
        2 => "i32",
        3 => "i64",
        4 => "half",
        5 => "float",
        6 => "double",
        _ => return None,
    };
    match number >> 16 {
        0 | 1 => Some(element.to_owned()),
        lanes @ (2 | 3 | 4 | 8 | 16) => Some(format!("<{lanes} x {element}>")),
        _ => None,
    }
}
