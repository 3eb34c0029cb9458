//! What LLVM's back end writes wrongly, put right in the words.
//!
//! In: a module as the back end wrote it. Out: the same, where
//! - variables of functions whose names say so are aligned to more than the back end can say ([`ALIGNED`]),
//! - nulls have no operand (those of events have their type a second time),
//! - members of structures are chosen by constants that have a value: a null is none by SPIR-V's rules, whatever its type,
//! - addresses in initial values that lie so many bytes behind a variable are counted in bytes and not in its elements,
//! - pointers in initial values, and nulls there, have the type that is wanted where they stand,
//! - formats of printf are pointers to bytes, and not to arrays of them,
//! - pixels whose names say that they have no sign are read and written as such ([`UNSIGNED_READ`], [`UNSIGNED_WRITTEN`]),
//! - and those whose names say that they are of a level of a mipmap, with that level ([`LEVEL`]).
//!
//! It does not look for anything else that is wrong.

use std::collections::{BTreeMap, BTreeSet};

use oxcl_binary::il::OPENCL_STD;
use rspirv::spirv::{Decoration, ImageOperands, Op, OpenclStd100Op, StorageClass};

use crate::error::SpirvError;
use crate::words::{starts, words};

/// What stands in a variable's name before its alignment in bytes. The back end keeps the alignments of functions' variables in
/// eight bits with a sign, so that 128 comes out as 4294967168, and more as 0. No name of OpenCL C has a dot.
pub const ALIGNED: &str = ".aligned.";

/// What stands in the name of a variable that pixels are stored to which were read and have no sign. The back end says it of no
/// access to images.
pub const UNSIGNED_READ: &str = ".read.unsigned";

/// The same of one that pixels are loaded from which are written. What is read without a sign may be written with one, so the
/// names differ.
pub const UNSIGNED_WRITTEN: &str = ".written.unsigned";

/// What stands in the name of a variable that pixels of a level of a mipmap go through, before a number of the level's own, and in the names of
/// those that what names the level is stored to: `step.0`, and `step.1` where there are two. The back end writes no levels.
pub const LEVEL: &str = ".level.";

/// The module put right, in this machine's order of bytes.
///
/// # Errors
/// The bytes are no SPIR-V.
pub fn mended(module: &[u8]) -> Result<Vec<u8>, SpirvError> {
    let words = words(module)?;
    let starts = starts(&words)?;
    let ends = starts.iter().skip(1).copied().chain([words.len()]);
    let instructions: Vec<&[u32]> = starts.iter().zip(ends).map(|(start, end)| &words[*start..end]).collect();
    let first = starts.first().copied().unwrap_or(words.len());
    let mut writer = Writer { out: words[..first].to_vec(), ..Writer::default() };
    for instruction in &instructions {
        writer.look_ahead(instruction);
        writer.indices.extend(instruction.iter().skip(first_index(instruction)).copied());
    }
    instructions.into_iter().for_each(|instruction| writer.write(instruction));
    Ok(writer.out.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// What a type is.
enum Shape {
    Int(u32),
    Array(u32),
    Struct(Vec<u32>),
    Pointer { class: u32, to: u32 },
}

/// What is in a variable that has to do with a level of a mipmap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    Written,
    Step(u32),
}

/// The words so far, and what they say.
#[derive(Default)]
struct Writer {
    out: Vec<u32>,
    /// Ids that choose parts of what pointers lead to, of the whole module.
    indices: BTreeSet<u32>,
    /// Of variables, by their names.
    alignments: BTreeMap<u32, u32>,
    shapes: BTreeMap<u32, Shape>,
    /// The types of values.
    types: BTreeMap<u32, u32>,
    /// The values of constants, of their lowest 64 bits.
    numbers: BTreeMap<u32, u64>,
    /// What stands for nulls that are indices.
    zeros: BTreeMap<u32, u32>,
    /// Nulls of any type, and those that were made, by their types.
    nulls: BTreeSet<u32>,
    made_nulls: BTreeMap<u32, u32>,
    /// Variables that pixels without a sign go through: whether these are read.
    named: BTreeMap<u32, bool>,
    /// Pixels without a sign.
    unsigned_read: BTreeSet<u32>,
    unsigned_written: BTreeSet<u32>,
    /// Variables that have to do with levels, and the numbers of these.
    of_levels: BTreeMap<u32, (Role, String)>,
    /// What names each level.
    steps: BTreeMap<String, BTreeMap<u32, u32>>,
    /// The levels of pixels that are read or written.
    levels: BTreeMap<u32, String>,
    /// What parts of vectors are parts of.
    parts: BTreeMap<u32, u32>,
    /// The number of OpenCL's own instructions.
    set: Option<u32>,
    /// Whether there are any of such a set.
    has_extended: bool,
    /// The type of pointers to constant bytes, once functions begin.
    to_bytes: Option<u32>,
    is_in_functions: bool,
}

impl Writer {
    /// What has to be known of the whole module before it is written.
    fn look_ahead(&mut self, instruction: &[u32]) {
        match *instruction {
            [op, id, ref name @ ..] if is(op, Op::Name) => {
                let name = text(name);
                if name.contains(UNSIGNED_READ) || name.contains(UNSIGNED_WRITTEN) {
                    self.named.insert(id, name.contains(UNSIGNED_READ));
                }
                if let Some((what, number)) = name.split_once(LEVEL) {
                    let step = what.strip_prefix("step.").and_then(|step| step.parse().ok());
                    let role = match step {
                        Some(step) => Role::Step(step),
                        None if what.contains(".read") => Role::Read,
                        None => Role::Written,
                    };
                    self.of_levels.insert(id, (role, number.to_owned()));
                }
            }
            [op, _, part, whole, ..] if is(op, Op::CompositeExtract) => {
                self.parts.insert(part, whole);
            }
            [op, to, value, ..] if is(op, Op::Store) => self.stored(to, value),
            [op, _, value, from, ..] if is(op, Op::Load) => self.loaded(from, value),
            [op, ..] => self.has_extended |= is(op, Op::ExtInst),
            [] => {}
        }
    }

    /// A value that is stored to a variable: a pixel that was read, or what names a level.
    fn stored(&mut self, to: u32, value: u32) {
        if self.named.get(&to) == Some(&true) {
            self.unsigned_read.insert(value);
        }
        match self.of_levels.get(&to) {
            Some((Role::Step(step), number)) => {
                self.steps.entry(number.clone()).or_default().insert(*step, value);
            }
            Some((Role::Read, number)) => {
                // A depth is the first part of what the back end reads.
                self.levels.insert(self.parts.get(&value).copied().unwrap_or(value), number.clone());
            }
            Some((Role::Written, _)) | None => {}
        }
    }

    /// A value that comes out of a variable: a pixel that will be written.
    fn loaded(&mut self, from: u32, value: u32) {
        if self.named.get(&from) == Some(&false) {
            self.unsigned_written.insert(value);
        }
        if let Some((Role::Written, number)) = self.of_levels.get(&from) {
            self.levels.insert(value, number.clone());
        }
    }

    fn write(&mut self, instruction: &[u32]) {
        self.note(instruction);
        match *instruction {
            [op, id, what, _] if is(op, Op::Decorate) && what == Decoration::Alignment as u32 => {
                self.out.extend_from_slice(instruction);
                if let (Some(bytes), Some(place)) = (self.alignments.get(&id), self.out.last_mut()) {
                    *place = *bytes;
                }
            }
            [op, ty, id, ..] if is(op, Op::ConstantNull) => self.null(ty, id),
            [op, ty, id, chain, base, _, bytes]
                if is(op, Op::SpecConstantOp)
                    && chooses_elements(chain)
                    && self.counts_bytes(instruction) =>
            {
                let base = self.as_pointer(ty, base);
                let bytes = self.zeros.get(&bytes).copied().unwrap_or(bytes);
                self.out.extend([6 << 16 | Op::SpecConstantOp as u32, ty, id, chain, base, bytes]);
            }
            [op, ty, _, ref parts @ ..]
                if is(op, Op::ConstantComposite) || is(op, Op::SpecConstantComposite) =>
            {
                let given = parts.iter().enumerate();
                let parts: Vec<u32> = given.map(|(index, part)| self.part(ty, index, *part)).collect();
                self.out.extend_from_slice(&instruction[..3]);
                self.out.extend(parts);
            }
            [op, ..] if is(op, Op::Function) && !self.is_in_functions => {
                self.is_in_functions = true;
                self.to_bytes = self.pointer_to_bytes();
                self.out.extend_from_slice(instruction);
            }
            [op, _, _, set, number, format, ..]
                if is(op, Op::ExtInst)
                    && Some(set) == self.set
                    && number == OpenclStd100Op::printf as u32 =>
            {
                let format = self.as_bytes(format);
                self.out.extend_from_slice(&instruction[..5]);
                self.out.push(format);
                self.out.extend_from_slice(&instruction[6..]);
            }
            [op, _, pixel, _, _, ..]
                if (is(op, Op::ImageSampleExplicitLod) || is(op, Op::ImageRead))
                    && (self.unsigned_read.contains(&pixel) || self.levels.contains_key(&pixel)) =>
            {
                self.with_operands(instruction, 5, self.unsigned_read.contains(&pixel), pixel);
            }
            [op, _, _, pixel, ..]
                if is(op, Op::ImageWrite)
                    && (self.unsigned_written.contains(&pixel) || self.levels.contains_key(&pixel)) =>
            {
                self.with_operands(instruction, 4, self.unsigned_written.contains(&pixel), pixel);
            }
            [op, ty, _, _, initial] if is(op, Op::Variable) => {
                let initial = match self.shapes.get(&ty) {
                    Some(Shape::Pointer { to, .. }) => self.as_wanted(*to, initial),
                    _ => initial,
                };
                self.out.extend_from_slice(&instruction[..4]);
                self.out.push(initial);
            }
            _ => {
                let (plain, indices) = instruction.split_at(first_index(instruction));
                self.out.extend_from_slice(plain);
                self.out.extend(indices.iter().map(|index| self.zeros.get(index).copied().unwrap_or(*index)));
            }
        }
    }

    /// Keeps what an instruction says of names, types and constants.
    fn note(&mut self, instruction: &[u32]) {
        let constants = [
            Op::Constant,
            Op::SpecConstant,
            Op::ConstantNull,
            Op::ConstantComposite,
            Op::SpecConstantComposite,
            Op::SpecConstantOp,
            Op::Variable,
        ];
        match *instruction {
            [op, id, ref name @ ..] if is(op, Op::Name) => {
                self.alignments.extend(alignment(&text(name)).map(|bytes| (id, bytes)));
            }
            [op, id, ref name @ ..]
                if is(op, Op::ExtInstImport) && text(name).as_bytes() == OPENCL_STD.to_bytes() =>
            {
                self.set = Some(id);
            }
            [op, id, bits, _] if is(op, Op::TypeInt) => self.shape(id, Shape::Int(bits)),
            [op, id, of, _] if is(op, Op::TypeArray) => self.shape(id, Shape::Array(of)),
            [op, id, ref members @ ..] if is(op, Op::TypeStruct) => {
                self.shape(id, Shape::Struct(members.to_vec()));
            }
            [op, id, class, to] if is(op, Op::TypePointer) => self.shape(id, Shape::Pointer { class, to }),
            [op, ty, id, ..] if constants.iter().any(|constant| is(op, *constant)) => {
                self.types.insert(id, ty);
                match *instruction {
                    [op, ..] if is(op, Op::ConstantNull) => {
                        self.nulls.insert(id);
                        self.numbers.insert(id, 0)
                    }
                    [op, _, _, low] if is(op, Op::Constant) => self.numbers.insert(id, u64::from(low)),
                    [op, _, _, low, high] if is(op, Op::Constant) => {
                        self.numbers.insert(id, u64::from(low) | u64::from(high) << 32)
                    }
                    _ => None,
                };
            }
            _ => {}
        }
    }

    fn shape(&mut self, id: u32, shape: Shape) {
        self.shapes.insert(id, shape);
    }

    fn new_id(&mut self) -> u32 {
        let id = self.out[3];
        self.out[3] = id.saturating_add(1);
        id
    }

    /// A null; and behind it a zero, where it chooses something.
    fn null(&mut self, ty: u32, id: u32) {
        self.out.extend([3 << 16 | Op::ConstantNull as u32, ty, id]);
        if let Some(Shape::Int(bits)) = self.shapes.get(&ty)
            && self.indices.contains(&id)
        {
            let length = if *bits > 32 { 5 } else { 4 };
            let zero = self.new_id();
            self.zeros.insert(id, zero);
            self.out.extend([length << 16 | Op::Constant as u32, ty, zero]);
            self.out.extend((3..length).map(|_| 0));
        }
    }

    fn is_byte(&self, ty: u32) -> bool {
        matches!(self.shapes.get(&ty), Some(Shape::Int(8)))
    }

    /// Whether a chain of two indices, of which the first is 0, gives a byte of what has none at that index.
    fn counts_bytes(&self, chain: &[u32]) -> bool {
        let [_, ty, _, _, base, none, index] = *chain else { return false };
        let to = |pointer: u32| match self.shapes.get(&pointer) {
            Some(Shape::Pointer { to, .. }) => Some(*to),
            _ => None,
        };
        let gives_byte = to(ty).is_some_and(|to| self.is_byte(to));
        let held = self.types.get(&base).and_then(|base| to(*base));
        let (Some(held), true) = (held, gives_byte && self.numbers.get(&none) == Some(&0)) else {
            return false;
        };
        match self.shapes.get(&held) {
            Some(Shape::Array(of)) => !self.is_byte(*of),
            Some(Shape::Struct(members)) => {
                let index = self.numbers.get(&index).and_then(|index| usize::try_from(*index).ok());
                !index.and_then(|index| members.get(index)).is_some_and(|member| self.is_byte(*member))
            }
            _ => true,
        }
    }

    /// A part of a constant of type `whole`.
    fn part(&mut self, whole: u32, index: usize, part: u32) -> u32 {
        let wanted = match self.shapes.get(&whole) {
            Some(Shape::Array(of)) => Some(*of),
            Some(Shape::Struct(members)) => members.get(index).copied(),
            _ => None,
        };
        wanted.map_or(part, |wanted| self.as_wanted(wanted, part))
    }

    /// A pointer to something as one to something else, and a null as one of another type, where that is wanted.
    fn as_wanted(&mut self, wanted: u32, value: u32) -> u32 {
        let Some(given) = self.types.get(&value) else { return value };
        if self.nulls.contains(&value) && wanted != *given {
            return self.null_of(wanted);
        }
        match (self.shapes.get(&wanted), self.shapes.get(given)) {
            (Some(Shape::Pointer { class, .. }), Some(Shape::Pointer { class: own, .. }))
                if class == own && wanted != *given =>
            {
                self.as_pointer(wanted, value)
            }
            _ => value,
        }
    }

    fn null_of(&mut self, ty: u32) -> u32 {
        if let Some(id) = self.made_nulls.get(&ty) {
            return *id;
        }
        let id = self.new_id();
        self.made_nulls.insert(ty, id);
        self.out.extend([3 << 16 | Op::ConstantNull as u32, ty, id]);
        id
    }

    /// The type of pointers to constant bytes, made where the module has instructions of a set and no such type.
    fn pointer_to_bytes(&mut self) -> Option<u32> {
        let class = StorageClass::UniformConstant as u32;
        let byte =
            self.shapes.iter().find_map(|(id, shape)| matches!(shape, Shape::Int(8)).then_some(*id))?;
        let known = self.shapes.iter().find_map(|(id, shape)| {
            matches!(shape, Shape::Pointer { class: own, to } if (*own, *to) == (class, byte)).then_some(*id)
        });
        if known.is_some() || !self.has_extended {
            return known;
        }
        let id = self.new_id();
        self.out.extend([4 << 16 | Op::TypePointer as u32, id, class, byte]);
        Some(id)
    }

    /// A variable that is an array of bytes, by a pointer to its first.
    fn as_bytes(&mut self, format: u32) -> u32 {
        let Some(Shape::Pointer { class, to }) = self.types.get(&format).and_then(|ty| self.shapes.get(ty))
        else {
            return format;
        };
        let is_string = matches!(self.shapes.get(to), Some(Shape::Array(of)) if self.is_byte(*of));
        match self.to_bytes {
            Some(ty) if is_string && *class == StorageClass::UniformConstant as u32 => {
                let id = self.new_id();
                self.out.extend([4 << 16 | Op::Bitcast as u32, ty, id, format]);
                id
            }
            _ => format,
        }
    }

    /// An operation on an image whose operands begin at `at`, if it has any, with the one that says that pixels have no sign, and with
    /// those of the level that the pixel is of.
    fn with_operands(&mut self, instruction: &[u32], at: usize, unsigned: bool, pixel: u32) {
        let mut mask = ImageOperands::from_bits_retain(instruction.get(at).copied().unwrap_or(0));
        let mut rest = instruction.get(at + 1..).unwrap_or(&[]);
        if unsigned {
            mask |= ImageOperands::ZERO_EXTEND;
        }
        let steps: Vec<u32> = self
            .levels
            .get(&pixel)
            .and_then(|level| self.steps.get(level))
            .into_iter()
            .flat_map(BTreeMap::values)
            .copied()
            .collect();
        if !steps.is_empty() {
            // The level that the back end says it is, the first, has an operand.
            if mask.contains(ImageOperands::LOD) {
                rest = rest.get(1..).unwrap_or(&[]);
            }
            mask -= ImageOperands::LOD;
            mask |= if steps.len() > 1 { ImageOperands::GRAD } else { ImageOperands::LOD };
        }
        let length = at + 1 + steps.len() + rest.len();
        self.out.push((length as u32) << 16 | instruction[0] & 0xFFFF);
        self.out.extend_from_slice(&instruction[1..at]);
        self.out.push(mask.bits());
        self.out.extend(steps);
        self.out.extend_from_slice(rest);
    }

    fn as_pointer(&mut self, ty: u32, value: u32) -> u32 {
        let id = self.new_id();
        self.types.insert(id, ty);
        self.out.extend([5 << 16 | Op::SpecConstantOp as u32, ty, id, Op::Bitcast as u32, value]);
        id
    }
}

fn is(first: u32, op: Op) -> bool {
    first & 0xFFFF == op as u32
}

/// Whether an operation chooses an element of what a pointer leads to, and then parts of it.
fn chooses_elements(op: u32) -> bool {
    [Op::PtrAccessChain, Op::InBoundsPtrAccessChain].iter().any(|chain| *chain as u32 == op)
}

/// Where the ids begin by which an instruction chooses parts of what a pointer leads to; its end where it does not.
fn first_index(instruction: &[u32]) -> usize {
    let parts = [Op::AccessChain, Op::InBoundsAccessChain];
    let chooses = |op: u32| chooses_elements(op) || parts.iter().any(|chain| *chain as u32 == op);
    let first = match instruction {
        [first, _, _, op, ..] if is(*first, Op::SpecConstantOp) && chooses(*op) => 5,
        [first, ..] if chooses(first & 0xFFFF) => 4,
        _ => instruction.len(),
    };
    first.min(instruction.len())
}

/// The text of words that a zero ends.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The alignment that a name says.
fn alignment(name: &str) -> Option<u32> {
    // LLVM puts a number behind names that a function has twice.
    let (_, number) = name.rsplit_once(ALIGNED)?;
    number.split('.').next()?.parse().ok()
}
