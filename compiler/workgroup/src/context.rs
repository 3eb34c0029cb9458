//! Where the fields of the context are that a native entry and its body read.
//!
//! In: the layout of the options. Out: offsets, and loads that give 64-bit values whatever the device's words are.

use crate::{PoclAbi, space};
use oxcl_binary::abi::{Context, Context32, PoclContext112};
use oxcl_ir::{Builder, Opcode, Value};
use std::mem::offset_of;

/// Offsets of fields, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Bytes of an address and of a size.
    pub(crate) word: u32,
    /// The address space that arguments and context are in.
    pub(crate) space: u32,
    pub(crate) num_groups: usize,
    pub(crate) global_offset: usize,
    pub(crate) local_size: usize,
    pub(crate) global_size: usize,
    pub(crate) printf_buffer: usize,
    pub(crate) variables: usize,
    pub(crate) work_dim: usize,
}

impl Fields {
    /// The fields of the context that native entries get.
    pub(crate) fn of(layout: PoclAbi) -> Self {
        match layout {
            PoclAbi::Context96 | PoclAbi::Context112 => Self {
                word: 8,
                space: 0,
                num_groups: offset_of!(PoclContext112, num_groups),
                global_offset: offset_of!(PoclContext112, global_offset),
                local_size: offset_of!(PoclContext112, local_size),
                global_size: offset_of!(Context, global_size),
                printf_buffer: offset_of!(PoclContext112, printf_buffer),
                variables: offset_of!(PoclContext112, global_var_buffer),
                work_dim: offset_of!(PoclContext112, work_dim),
            },
            PoclAbi::Context60 => Self {
                word: 4,
                space: space::GLOBAL,
                num_groups: offset_of!(Context32, num_groups),
                global_offset: offset_of!(Context32, global_offset),
                local_size: offset_of!(Context32, local_size),
                global_size: offset_of!(Context32, global_size),
                printf_buffer: offset_of!(Context32, printf_buffer),
                variables: offset_of!(Context32, global_var_buffer),
                work_dim: offset_of!(Context32, work_dim),
            },
        }
    }

    /// Loads the element of a field for a dimension.
    pub(crate) fn load<'c>(
        self,
        b: &Builder<'c>,
        context: Value<'c>,
        field: usize,
        dimension: usize,
        name: &str,
    ) -> Value<'c> {
        let at = b.i64((field + self.word as usize * dimension) as i64);
        let at = b.byte_offset(context, at, "");
        if self.word == 8 {
            return b.load(b.types().i64(), at, 8, name);
        }
        let narrow = b.load(b.types().i32(), at, 4, "");
        b.cast(Opcode::LLVMZExt, narrow, b.types().i64(), name)
    }
}
