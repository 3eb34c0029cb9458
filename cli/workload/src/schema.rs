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
    pub title: Option<String>,
    /// Programs by name.
    #[serde(default)]
    pub programs: BTreeMap<String, Spanned<ProgramRow>>,
    /// Buffers by name.
    #[serde(default)]
    pub buffers: BTreeMap<String, Spanned<BufferRow>>,
    /// Queues by name; one in-order queue on `cpu` where there are none.
    #[serde(default)]
    pub queues: BTreeMap<String, Spanned<QueueRow>>,
    /// What is done, in file order.
    #[serde(default)]
    pub commands: Vec<Spanned<CommandRow>>,
    /// What is saved or printed afterwards.
    #[serde(default)]
    pub outputs: Vec<Spanned<OutputRow>>,
    /// What is compared afterwards.
    #[serde(default)]
    pub expectations: Vec<Spanned<ExpectationRow>>,
}

/// `[programs.NAME]`: one of `source` and `binary`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramRow {
    /// An OpenCL C file.
    pub source: Option<Spanned<String>>,
    /// A pocl-binary.
    pub binary: Option<Spanned<String>>,
    /// Build options for a source.
    pub options: Option<Spanned<String>>,
}

/// `[buffers.NAME]`: one of `npy`, `png`, `raw`, `random`, `range`, `zeros`, `blank`, `values`, `like`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BufferRow {
    /// The element type; needed except for `npy` and `like`.
    #[serde(rename = "type")]
    pub element: Option<Spanned<String>>,
    /// A `.npy` file.
    pub npy: Option<Spanned<String>>,
    /// A `.png` file.
    pub png: Option<Spanned<String>>,
    /// A file of bytes.
    pub raw: Option<Spanned<String>>,
    /// So many random elements.
    pub random: Option<Spanned<u64>>,
    /// The seed of `random`.
    pub seed: Option<Spanned<u64>>,
    /// 0, 1, 2, ... so many elements.
    pub range: Option<Spanned<u64>>,
    /// So many zeros.
    pub zeros: Option<Spanned<u64>>,
    /// Pixels that are all 0, so wide and high.
    pub blank: Option<Spanned<[u32; 2]>>,
    /// The numbers themselves.
    pub values: Option<Spanned<Value>>,
    /// Zeros of the size (and, without `type`, the type) of another buffer.
    pub like: Option<Spanned<String>>,
}

/// `[queues.NAME]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueRow {
    /// `cpu`, `basic`, `ref`, `discrete` or `ttasim:MACHINE.adf`; `cpu` where absent. Equal words are one device; `#2` behind one
    /// makes another of the same machine.
    pub device: Option<Spanned<String>>,
    /// `in-order` or `out-of-order`; `in-order` where absent.
    pub order: Option<Spanned<String>>,
}

/// `[[commands]]`: one of `kernel`, `copy`, `fill`, `barrier`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandRow {
    /// What `after` calls it; its kernel's name (or kind) where absent.
    pub name: Option<Spanned<String>>,
    /// Its queue; may be left out where there is one.
    pub queue: Option<Spanned<String>>,
    /// Commands that must be complete before it begins.
    #[serde(default)]
    pub after: Vec<Spanned<String>>,
    /// A kernel's name.
    pub kernel: Option<Spanned<String>>,
    /// The kernel's program; may be left out where there is one.
    pub program: Option<Spanned<String>>,
    /// Global size: a number or a list of up to three.
    pub global: Option<Spanned<Value>>,
    /// Local size.
    pub local: Option<Spanned<Value>>,
    /// Global offset.
    pub offset: Option<Spanned<Value>>,
    /// Arguments by the parameters' names.
    pub args: Option<BTreeMap<String, Spanned<Value>>>,
    /// Bytes moved, a number or a formula.
    pub bytes: Option<Spanned<Value>>,
    /// Floating-point operations done, a number or a formula.
    pub flops: Option<Spanned<Value>>,
    /// Copies elements between buffers.
    pub copy: Option<Spanned<CopyRow>>,
    /// Fills a buffer with one element.
    pub fill: Option<Spanned<FillRow>>,
    /// `true`: waits for everything before it in its queue, and everything after it waits.
    pub barrier: Option<Spanned<bool>>,
}

/// `copy = { from = "a", to = "b" }`; offsets and count in elements.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopyRow {
    /// The buffer that is read.
    pub from: Spanned<String>,
    /// The buffer that is written.
    pub to: Spanned<String>,
    /// First element read.
    #[serde(default)]
    pub from_offset: u64,
    /// First element written.
    #[serde(default)]
    pub to_offset: u64,
    /// How many; all of `from` where absent.
    pub count: Option<u64>,
}

/// `fill = { buffer = "a", value = 0 }`; offset and count in elements.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FillRow {
    /// The buffer.
    pub buffer: Spanned<String>,
    /// One element.
    pub value: Spanned<Value>,
    /// First element.
    #[serde(default)]
    pub offset: u64,
    /// How many; to the end where absent.
    pub count: Option<u64>,
}

/// `[[outputs]]`: one of `npy`, `png`, `raw`, `print`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutputRow {
    /// The buffer.
    pub buffer: Spanned<String>,
    /// Saved as `.npy`.
    pub npy: Option<Spanned<String>>,
    /// Saved as `.png`.
    pub png: Option<Spanned<String>>,
    /// Saved as bytes.
    pub raw: Option<Spanned<String>>,
    /// Width and height of the picture, where the buffer has none of its own.
    pub size: Option<Spanned<[u32; 2]>>,
    /// Printed: `0..8`, `3` or `..`.
    pub print: Option<Spanned<String>>,
}

/// `[[expectations]]`: one of `npy`, `png`, `raw`, `values`, `same`, `device`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectationRow {
    /// The buffer.
    pub buffer: Spanned<String>,
    /// A `.npy` file.
    pub npy: Option<Spanned<String>>,
    /// A `.png` file.
    pub png: Option<Spanned<String>>,
    /// A file of bytes.
    pub raw: Option<Spanned<String>>,
    /// The numbers themselves.
    pub values: Option<Spanned<Value>>,
    /// Another buffer.
    pub same: Option<Spanned<String>>,
    /// The same workload, run a second time with every queue on this device.
    pub device: Option<Spanned<String>>,
    /// `|got - want| <= tolerance * max(1, |want|)`; 0 where absent.
    pub tolerance: Option<Spanned<f64>>,
    /// The share of lanes that may disagree, 0 to 1; 0 where absent.
    pub allow: Option<Spanned<f64>>,
}
