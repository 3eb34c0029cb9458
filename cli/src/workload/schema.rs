//! The keys of a workload file, as serde reads them. No meaning is given to them here: names are not resolved, and
//! keys that exclude one another may both be there.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// What the table at the end calls it; the file's name where it is absent.
    pub(crate) title: Option<String>,
    /// Programs by name.
    #[serde(default)]
    pub(crate) programs: BTreeMap<String, Spanned<ProgramRow>>,
    /// Buffers by name.
    #[serde(default)]
    pub(crate) buffers: BTreeMap<String, Spanned<BufferRow>>,
    /// Queues by name; one in-order queue on `cpu` where there are none.
    #[serde(default)]
    pub(crate) queues: BTreeMap<String, Spanned<QueueRow>>,
    /// What is done, in file order.
    #[serde(default)]
    pub(crate) commands: Vec<Spanned<CommandRow>>,
    /// What is saved or printed afterwards.
    #[serde(default)]
    pub(crate) outputs: Vec<Spanned<OutputRow>>,
    /// What is compared afterwards.
    #[serde(default)]
    pub(crate) expectations: Vec<Spanned<ExpectationRow>>,
}

/// `[programs.NAME]`: one of `source` and `binary`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramRow {
    /// An OpenCL C file.
    pub(crate) source: Option<Spanned<String>>,
    /// A pocl-binary.
    pub(crate) binary: Option<Spanned<String>>,
    /// Build options for a source.
    pub(crate) options: Option<Spanned<String>>,
}

/// `[buffers.NAME]`: one of `npy`, `png`, `raw`, `random`, `range`, `zeros`, `values`, `like`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BufferRow {
    /// The element type; needed except for `npy` and `like`.
    #[serde(rename = "type")]
    pub(crate) element: Option<Spanned<String>>,
    /// A `.npy` file.
    pub(crate) npy: Option<Spanned<String>>,
    /// A `.png` file.
    pub(crate) png: Option<Spanned<String>>,
    /// A file of bytes.
    pub(crate) raw: Option<Spanned<String>>,
    /// So many random elements.
    pub(crate) random: Option<Spanned<u64>>,
    /// The seed of `random`.
    pub(crate) seed: Option<Spanned<u64>>,
    /// 0, 1, 2, ... so many elements.
    pub(crate) range: Option<Spanned<u64>>,
    /// So many zeros.
    pub(crate) zeros: Option<Spanned<u64>>,
    /// The numbers themselves.
    pub(crate) values: Option<Spanned<Value>>,
    /// Zeros of the size (and, without `type`, the type) of another buffer.
    pub(crate) like: Option<Spanned<String>>,
}

/// `[queues.NAME]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueRow {
    /// `cpu`, `basic`, `ref`, `discrete` or `ttasim:MACHINE.adf`; `cpu` where absent. Equal words are one device; `#2` behind one
    /// makes another of the same machine.
    pub(crate) device: Option<Spanned<String>>,
    /// `in-order` or `out-of-order`; `in-order` where absent.
    pub(crate) order: Option<Spanned<String>>,
}

/// `[[commands]]`: one of `kernel`, `copy`, `fill`, `barrier`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandRow {
    /// What `after` calls it; its kernel's name (or kind) where absent.
    pub(crate) name: Option<Spanned<String>>,
    /// Its queue; may be left out where there is one.
    pub(crate) queue: Option<Spanned<String>>,
    /// Commands that must be complete before it begins.
    #[serde(default)]
    pub(crate) after: Vec<Spanned<String>>,
    /// A kernel's name.
    pub(crate) kernel: Option<Spanned<String>>,
    /// The kernel's program; may be left out where there is one.
    pub(crate) program: Option<Spanned<String>>,
    /// Global size: a number or a list of up to three.
    pub(crate) global: Option<Spanned<Value>>,
    /// Local size.
    pub(crate) local: Option<Spanned<Value>>,
    /// Global offset.
    pub(crate) offset: Option<Spanned<Value>>,
    /// Arguments by the parameters' names.
    pub(crate) args: Option<BTreeMap<String, Spanned<Value>>>,
    /// Bytes moved, a number or a formula.
    pub(crate) bytes: Option<Spanned<Value>>,
    /// Floating-point operations done, a number or a formula.
    pub(crate) flops: Option<Spanned<Value>>,
    /// Copies elements between buffers.
    pub(crate) copy: Option<Spanned<CopyRow>>,
    /// Fills a buffer with one element.
    pub(crate) fill: Option<Spanned<FillRow>>,
    /// `true`: waits for everything before it in its queue, and everything after it waits.
    pub(crate) barrier: Option<Spanned<bool>>,
}

/// `copy = { from = "a", to = "b" }`; offsets and count in elements.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopyRow {
    /// The buffer that is read.
    pub(crate) from: Spanned<String>,
    /// The buffer that is written.
    pub(crate) to: Spanned<String>,
    /// First element read.
    #[serde(default)]
    pub(crate) from_offset: u64,
    /// First element written.
    #[serde(default)]
    pub(crate) to_offset: u64,
    /// How many; all of `from` where absent.
    pub(crate) count: Option<u64>,
}

/// `fill = { buffer = "a", value = 0 }`; offset and count in elements.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FillRow {
    /// The buffer.
    pub(crate) buffer: Spanned<String>,
    /// One element.
    pub(crate) value: Spanned<Value>,
    /// First element.
    #[serde(default)]
    pub(crate) offset: u64,
    /// How many; to the end where absent.
    pub(crate) count: Option<u64>,
}

/// `[[outputs]]`: one of `npy`, `png`, `raw`, `print`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutputRow {
    /// The buffer.
    pub(crate) buffer: Spanned<String>,
    /// Saved as `.npy`.
    pub(crate) npy: Option<Spanned<String>>,
    /// Saved as `.png`.
    pub(crate) png: Option<Spanned<String>>,
    /// Saved as bytes.
    pub(crate) raw: Option<Spanned<String>>,
    /// Width and height of the picture, where the buffer has none of its own.
    pub(crate) size: Option<Spanned<[u32; 2]>>,
    /// Printed: `0..8`, `3` or `..`.
    pub(crate) print: Option<Spanned<String>>,
}

/// `[[expectations]]`: one of `npy`, `png`, `raw`, `values`, `same`, `device`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectationRow {
    /// The buffer.
    pub(crate) buffer: Spanned<String>,
    /// A `.npy` file.
    pub(crate) npy: Option<Spanned<String>>,
    /// A `.png` file.
    pub(crate) png: Option<Spanned<String>>,
    /// A file of bytes.
    pub(crate) raw: Option<Spanned<String>>,
    /// The numbers themselves.
    pub(crate) values: Option<Spanned<Value>>,
    /// Another buffer.
    pub(crate) same: Option<Spanned<String>>,
    /// The same workload, run a second time with every queue on this device.
    pub(crate) device: Option<Spanned<String>>,
    /// `|got - want| <= tolerance * max(1, |want|)`; 0 where absent.
    pub(crate) tolerance: Option<Spanned<f64>>,
    /// The share of lanes that may disagree, 0 to 1; 0 where absent.
    pub(crate) allow: Option<Spanned<f64>>,
}
