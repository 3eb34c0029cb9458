//! Composites: vectors, arrays and structures as values.

use rspirv::spirv::Op;

use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::types::Shape;
use crate::words::Instruction;

/// A value in a composite: by which indices of aggregates, and by which lane of the vector there.
struct Place {
    /// Each behind a comma.
    path: String,
    /// The vector's type and the lane.
    lane: Option<(String, u32)>,
    ty: u32,
}

/// The most parts that are copied one by one to a composite of another type.
const MOST_COPIED: u32 = 1 << 12;

impl Function<'_, '_> {
    /// Instructions on composites; false where it is another one.
    pub(crate) fn composite(&mut self, i: &Instruction) -> Result<bool> {
        match i.op {
            Op::CompositeConstruct => self.construct(i)?,
            Op::CompositeExtract => {
                if self.built_in_element(i)? {
                    return Ok(true);
                }
                let whole = self.operand(i, 0)?;
                let place = self.place(i, whole.ty, &i.numbers_from(1)?)?;
                self.has_type(i, place.ty)?;
                let at = self.within(i, &whole, &place);
                match place.lane {
                    Some((vector, lane)) => {
                        self.define(i, &format!("extractelement {vector} {at}, i32 {lane}"))?
                    }
                    None if place.path.is_empty() => self.alias(i, &at)?,
                    None => self.define(i, &format!("extractvalue {}{}", whole.typed(), place.path))?,
                }
            }
            Op::CompositeInsert => {
                let (part, whole) = (self.operand(i, 0)?, self.operand(i, 1)?);
                self.same_type(i, &whole)?;
                let place = self.place(i, whole.ty, &i.numbers_from(2)?)?;
                if self.t.types.text(i.word, place.ty)? != part.type_text {
                    return Err(invalid(i.word, "a part of another type than its place"));
                }
                self.insert(i, &part, &whole, &place)?;
            }
            Op::CopyLogical => {
                let whole = self.operand(i, 0)?;
                self.count_parts(i, whole.ty, &mut { MOST_COPIED })?;
                let copy = self.copied(i, &whole.text, whole.ty, i.result_type()?)?;
                self.alias(i, &copy)?;
            }
            Op::VectorExtractDynamic => {
                let (vector, index) = (self.operand(i, 0)?, self.operand(i, 1)?);
                self.vector_of(i, &vector)?;
                self.define(i, &format!("extractelement {}, {}", vector.typed(), index.typed()))?;
            }
            Op::VectorInsertDynamic => {
                let (vector, part, index) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
                self.same_type(i, &vector)?;
                let text = format!("insertelement {}, {}, {}", vector.typed(), part.typed(), index.typed());
                self.define(i, &text)?;
            }
            Op::VectorShuffle => self.shuffle(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn has_type(&self, i: &Instruction, ty: u32) -> Result<()> {
        if self.t.types.text(i.word, ty)? == self.result_text(i)? {
            return Ok(());
        }
        Err(invalid(i.word, format!("Op{} gives another type than the part has", i.name)))
    }

    /// A vector's element type and lanes.
    fn vector_of(&self, i: &Instruction, value: &Used) -> Result<(u32, u32)> {
        match self.shape(i, value.ty)? {
            Shape::Vector { of, lanes } => Ok((of, lanes)),
            _ => Err(invalid(i.word, "a vector was expected")),
        }
    }

    fn place(&self, i: &Instruction, mut ty: u32, indices: &[u32]) -> Result<Place> {
        let (mut path, mut lane) = (String::new(), None);
        for index in indices {
            let number = u64::from(*index);
            ty = match self.shape(i, ty)? {
                Shape::Vector { of, lanes } if *index < lanes => {
                    lane = Some((self.t.types.text(i.word, ty)?.to_string(), *index));
                    of
                }
                Shape::Array { of, length } if number < length => {
                    path.push_str(&format!(", {index}"));
                    of
                }
                Shape::Struct { members, .. } if number < members.len() as u64 => {
                    path.push_str(&format!(", {index}"));
                    members[*index as usize]
                }
                _ => return Err(invalid(i.word, format!("there is no part {index}"))),
            };
        }
        Ok(Place { path, lane, ty })
    }

    /// The vector that a place is in, or the whole.
    fn within(&mut self, i: &Instruction, whole: &Used, place: &Place) -> String {
        if place.lane.is_some() && !place.path.is_empty() {
            return self.temporary(i, &format!("extractvalue {}{}", whole.typed(), place.path));
        }
        whole.text.clone()
    }

    fn insert(&mut self, i: &Instruction, part: &Used, whole: &Used, place: &Place) -> Result<()> {
        let Some((vector, lane)) = &place.lane else {
            if place.path.is_empty() {
                return self.alias(i, &part.text);
            }
            return self.define(i, &format!("insertvalue {}, {}{}", whole.typed(), part.typed(), place.path));
        };
        let old = self.within(i, whole, place);
        let new = format!("insertelement {vector} {old}, {}, i32 {lane}", part.typed());
        if place.path.is_empty() {
            return self.define(i, &new);
        }
        let new = self.temporary(i, &new);
        self.define(i, &format!("insertvalue {}, {vector} {new}{}", whole.typed(), place.path))
    }

    /// Fails where a composite has more parts than are left, nested ones taken apart.
    fn count_parts(&self, i: &Instruction, ty: u32, left: &mut u32) -> Result<()> {
        let what = || format!("a copy of more than {MOST_COPIED} parts to another type");
        *left = left.checked_sub(1).ok_or_else(|| not_supported(i.word, what()))?;
        match self.shape(i, ty)? {
            Shape::Array { of, length } => (0..length).try_for_each(|_| self.count_parts(i, of, left)),
            Shape::Struct { members, .. } => {
                members.into_iter().try_for_each(|member| self.count_parts(i, member, left))
            }
            _ => Ok(()),
        }
    }

    /// A value as one of another type that has the same parts.
    fn copied(&mut self, i: &Instruction, text: &str, from: u32, to: u32) -> Result<String> {
        let (from_text, to_text) = (self.t.types.text(i.word, from)?, self.t.types.text(i.word, to)?);
        if from_text == to_text {
            return Ok(text.to_owned());
        }
        let (own, wanted) = match (self.shape(i, from)?, self.shape(i, to)?) {
            (Shape::Array { of, length }, Shape::Array { of: other, length: others }) if length == others => {
                let count = usize::try_from(length).unwrap_or(usize::MAX);
                (vec![of; count], vec![other; count])
            }
            (Shape::Struct { members, .. }, Shape::Struct { members: others, .. })
                if members.len() == others.len() =>
            {
                (members, others)
            }
            _ => return Err(invalid(i.word, "the types of a copy do not match")),
        };
        let mut whole = "undef".to_owned();
        for (index, (own, wanted)) in own.into_iter().zip(wanted).enumerate() {
            let part = self.temporary(i, &format!("extractvalue {from_text} {text}, {index}"));
            let part = self.copied(i, &part, own, wanted)?;
            let part_text = self.t.types.text(i.word, wanted)?;
            whole = self.temporary(i, &format!("insertvalue {to_text} {whole}, {part_text} {part}, {index}"));
        }
        Ok(whole)
    }

    fn construct(&mut self, i: &Instruction) -> Result<()> {
        let ty = self.result_text(i)?;
        let parts = i.ids_from(0)?.into_iter().map(|id| self.used(i, id)).collect::<Result<Vec<_>>>()?;
        let shape = self.shape(i, i.result_type()?)?;
        let mut whole = "undef".to_owned();
        match shape {
            Shape::Vector { of, lanes } => {
                let element = self.t.types.text(i.word, of)?;
                let mut lane = 0;
                for part in parts {
                    let (own, count) = self.scalar(i, part.ty)?;
                    if own != element || lane + count > lanes {
                        return Err(invalid(i.word, "the parts of a vector do not fit it"));
                    }
                    for index in 0..count {
                        let value = match count {
                            1 => part.text.clone(),
                            _ => self.temporary(i, &format!("extractelement {}, i32 {index}", part.typed())),
                        };
                        let text = format!("insertelement {ty} {whole}, {element} {value}, i32 {lane}");
                        whole = self.temporary(i, &text);
                        lane += 1;
                    }
                }
                if lane != lanes {
                    return Err(invalid(i.word, "the parts of a vector do not fill it"));
                }
            }
            Shape::Array { .. } | Shape::Struct { .. } => {
                let wanted =
                    crate::constants::part_types(&self.t.types, i.word, i.result_type()?, parts.len())?;
                if wanted.len() != parts.len() {
                    return Err(invalid(i.word, "another number of parts than the type has"));
                }
                for (index, (part, wanted)) in parts.iter().zip(wanted).enumerate() {
                    if self.t.types.text(i.word, wanted)? != part.type_text {
                        return Err(invalid(i.word, format!("part {index} has another type than its place")));
                    }
                    whole =
                        self.temporary(i, &format!("insertvalue {ty} {whole}, {}, {index}", part.typed()));
                }
            }
            _ => return Err(invalid(i.word, "a composite of a type that has no parts")),
        }
        self.alias(i, &whole)
    }

    fn shuffle(&mut self, i: &Instruction) -> Result<()> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let ((element, own), (other, others)) = (self.vector_of(i, &a)?, self.vector_of(i, &b)?);
        let text = self.t.types.text(i.word, element)?;
        let result = self.shape(i, i.result_type()?)?;
        let picked = i.numbers_from(2)?;
        let fits = match result {
            Shape::Vector { of, lanes } => {
                self.t.types.text(i.word, of)? == text && lanes as usize == picked.len()
            }
            _ => false,
        };
        if !fits || self.t.types.text(i.word, other)? != text {
            return Err(invalid(i.word, "the vectors of a shuffle do not fit"));
        }
        // LLVM's shuffles take two vectors of one length.
        let lanes = own.max(others);
        let (first, second) =
            (self.widened(i, &a, &text, own, lanes), self.widened(i, &b, &text, others, lanes));
        let mut mask = Vec::new();
        for index in picked {
            mask.push(match index {
                u32::MAX => "i32 poison".to_owned(),
                _ if index < own => format!("i32 {index}"),
                _ if index < own + others => format!("i32 {}", index - own + lanes),
                _ => return Err(invalid(i.word, format!("the vectors have no element {index}"))),
            });
        }
        let ty = format!("<{lanes} x {text}>");
        let mask = format!("<{} x i32> <{}>", mask.len(), mask.join(", "));
        self.define(i, &format!("shufflevector {ty} {first}, {ty} {second}, {mask}"))
    }

    fn widened(&mut self, i: &Instruction, vector: &Used, element: &str, own: u32, lanes: u32) -> String {
        if own == lanes {
            return vector.text.clone();
        }
        let mask: Vec<String> = (0..lanes)
            .map(|lane| if lane < own { format!("i32 {lane}") } else { "i32 poison".to_owned() })
            .collect();
        let (ty, mask) = (format!("<{own} x {element}>"), mask.join(", "));
        let text = format!("shufflevector {ty} {}, {ty} poison, <{lanes} x i32> <{mask}>", vector.text);
        self.temporary(i, &text)
    }
}
