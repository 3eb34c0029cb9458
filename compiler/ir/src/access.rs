//! What a kernel does with the memory behind its parameters.
//!
//! In: a kernel after inlining. Out: for each parameter whether what it points to is read or written, and whether the
//! kernel may touch memory that no parameter names. Pointers are followed backwards from each access, through address
//! arithmetic, casts, selects and PHI nodes, to what they come from; what cannot be followed counts against all. Of images the
//! parameter's type says what is done with their pixels, however these are reached.

use crate::Opcode;
use crate::function::Function;
use crate::module::{global_space, is_constant_global};
use crate::types::TypeKind;
use crate::value::Value;
use std::collections::HashSet;

/// How the names of functions begin that make a printf record: they touch the launch's print buffer and constant
/// strings, and what the kernel cannot name does not count.
pub const PRINT: &str = "oxcl_print";

/// Reads and writes of one parameter's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    /// May be read.
    pub read: bool,
    /// May be written.
    pub write: bool,
}

/// How the names of functions begin that reach the pixels of images and are too long for every caller.
pub const IMAGE: &str = "oxcl_image_";

/// How the names of those begin that decode and encode a pixel of any format.
pub const PIXEL: &str = "oxcl_image_pixel";

/// The accesses of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Accesses {
    /// One for each parameter.
    pub parameters: Vec<Access>,
    /// Follows pointers that no parameter is: loaded from memory, made from integers, returned by calls.
    pub opaque: bool,
    /// Touches variables at program scope that can change.
    pub globals: bool,
}

/// Address space of `__local` variables, which are the work-group's own.
const LOCAL: u32 = 3;

/// Address space of `__constant` memory.
const CONSTANT: u32 = 2;

/// Finds the accesses of a kernel.
#[must_use]
pub fn accesses(kernel: Function<'_>) -> Accesses {
    let parameters = kernel.parameters();
    let mut finder = Finder {
        found: Accesses { parameters: vec![Access::default(); parameters.len()], ..Accesses::default() },
        parameters,
        callees: HashSet::new(),
    };
    for instruction in kernel.instructions() {
        finder.instruction(instruction);
    }
    for (index, access) in (0_u32..).zip(&mut finder.found.parameters) {
        if let Some(of_image) = kernel.image_parameter(index) {
            *access = of_image;
        }
    }
    finder.found
}

struct Finder<'c> {
    parameters: Vec<Value<'c>>,
    found: Accesses,
    callees: HashSet<Function<'c>>,
}

const READ: Access = Access { read: true, write: false };
const WRITE: Access = Access { read: false, write: true };
const BOTH: Access = Access { read: true, write: true };

fn is_pointer(value: Value<'_>) -> bool {
    matches!(value.ty().scalar().kind(), TypeKind::Pointer(_))
}

/// Whether a load takes the address of an image's pixels from the image's description: programs have no other loads from
/// constant memory that are known to give the same at all times.
fn is_of_description(load: Value<'_>) -> bool {
    load.operand(0).ty().kind() == TypeKind::Pointer(CONSTANT) && load.has_metadata("invariant.load")
}

impl<'c> Finder<'c> {
    fn instruction(&mut self, instruction: Value<'c>) {
        match instruction.opcode() {
            Some(Opcode::LLVMLoad) => self.touch(instruction.operand(0), READ),
            Some(Opcode::LLVMStore) => {
                self.touch(instruction.operand(1), WRITE);
                self.escape(instruction.operand(0));
            }
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                self.touch(instruction.operand(0), BOTH);
            }
            Some(Opcode::LLVMPtrToInt) => {
                let compared = instruction.users().iter().all(|user| user.is(Opcode::LLVMICmp));
                if !compared {
                    self.escape(instruction.operand(0));
                }
            }
            Some(Opcode::LLVMCall) => self.call(instruction),
            _ => {}
        }
    }

    fn call(&mut self, call: Value<'c>) {
        let effects = call.effects();
        if !effects.reads() && !effects.writes() {
            return;
        }
        let Some(callee) = call.callee() else {
            self.found.opaque = true;
            return;
        };
        let name = callee.name();
        if name.starts_with(PRINT) {
            return;
        }
        let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
        for (index, argument) in call.arguments().into_iter().enumerate() {
            if !is_pointer(argument) {
                continue;
            }
            let access = match (copies, index) {
                (true, 0) => WRITE,
                (true, _) => READ,
                _ => Access { read: effects.reads(), write: effects.writes() },
            };
            self.touch(argument, access);
        }
        self.callee(callee);
    }

    /// A function that was not inlined may follow pointers of its own.
    fn callee(&mut self, callee: Function<'c>) {
        if callee.is_declaration() || !self.callees.insert(callee) {
            return;
        }
        for instruction in callee.instructions() {
            let loads_pointer = instruction.is(Opcode::LLVMLoad)
                && is_pointer(instruction)
                && !instruction.operand(0).is(Opcode::LLVMAlloca)
                && !is_of_description(instruction);
            if loads_pointer || instruction.is(Opcode::LLVMIntToPtr) {
                self.found.opaque = true;
            }
            for operand in instruction.operands() {
                self.note_globals(operand);
            }
            if let Some(next) = instruction.callee() {
                self.callee(next);
            }
        }
    }

    /// Notes the variables that a value names, also inside of a constant.
    fn note_globals(&mut self, value: Value<'c>) {
        let mut work = vec![value];
        while let Some(at) = work.pop() {
            if at.is_global_variable() {
                self.found.globals |= !is_constant_global(at) && global_space(at) != LOCAL;
            } else if at.is_constant() {
                work.extend(at.operands());
            }
        }
    }

    /// A pointer that is put where this analysis does not follow it.
    fn escape(&mut self, value: Value<'c>) {
        if is_pointer(value) && !value.is_undef() {
            let before = self.found.parameters.clone();
            self.touch(value, BOTH);
            self.found.opaque |= self.found.parameters != before;
        } else {
            self.note_globals(value);
        }
    }

    /// Notes an access through a pointer, wherever it comes from.
    fn touch(&mut self, pointer: Value<'c>, access: Access) {
        let mut seen = HashSet::new();
        let mut work = vec![pointer];
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            if let Some(index) = self.parameters.iter().position(|&parameter| parameter == at) {
                let known = &mut self.found.parameters[index];
                known.read |= access.read;
                known.write |= access.write;
                continue;
            }
            match at.opcode() {
                Some(
                    Opcode::LLVMGetElementPtr
                    | Opcode::LLVMAddrSpaceCast
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMFreeze
                    | Opcode::LLVMExtractElement
                    | Opcode::LLVMShuffleVector,
                ) => work.push(at.operand(0)),
                Some(Opcode::LLVMPHI) => work.extend(at.incoming().into_iter().map(|(value, _)| value)),
                Some(Opcode::LLVMSelect) => work.extend([at.operand(1), at.operand(2)]),
                Some(Opcode::LLVMInsertElement) => work.extend([at.operand(0), at.operand(1)]),
                Some(Opcode::LLVMAlloca) => {}
                Some(Opcode::LLVMLoad) if is_of_description(at) => {}
                None if at.is_constant() => self.note_globals(at),
                _ => self.found.opaque = true,
            }
        }
    }
}
