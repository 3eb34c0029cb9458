//! The facts that the compiler records for the runtime, in files that PoCL ignores: `/oxcl.meta` for the program and
//! `/<kernel>/oxcl.meta` for each kernel. JSON, so that any tool can read them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Facts that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// The file is not the JSON that it should be.
    #[error("{file}, line {line}, column {column}: {message}")]
    Json {
        /// Which facts: [`PROGRAM_META_PATH`], or the kernel's `oxcl.meta`.
        file: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// Another version of this project wrote the file, in a schema that this one does not know.
    #[error("{file} has schema {found}, this version reads schema {SCHEMA}")]
    Schema {
        /// Which facts.
        file: &'static str,
        /// The schema that the file says.
        found: u64,
    },
    /// The facts are not those of the kernel's parameters.
    #[error("oxcl.meta has facts of {facts} arguments, the kernel has {parameters}")]
    ArgumentCount {
        /// Arguments in the facts.
        facts: usize,
        /// Parameters in the kernel's record.
        parameters: usize,
    },
}

/// The one field that is read before anything else.
#[derive(Deserialize)]
struct Schema {
    schema: u64,
}

fn from_json<T: DeserializeOwned>(file: &'static str, json: &[u8]) -> Result<T, MetaError> {
    let error = |error| json_error(file, &error);
    let Schema { schema } = serde_json::from_slice(json).map_err(error)?;
    if schema != u64::from(SCHEMA) {
        return Err(MetaError::Schema { file, found: schema });
    }
    serde_json::from_slice(json).map_err(error)
}

fn to_json<T: Serialize>(file: &'static str, facts: &T) -> Result<Vec<u8>, MetaError> {
    let mut json = serde_json::to_vec_pretty(facts).map_err(|error| json_error(file, &error))?;
    json.push(b'\n');
    Ok(json)
}

fn json_error(file: &'static str, error: &serde_json::Error) -> MetaError {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    // The place is in the fields; the parser's text repeats it.
    let message = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    MetaError::Json { file, line, column, message: message.to_owned() }
}

/// The sizes of sub-groups that kernels may ask for.
pub const SUB_GROUP_SIZES: [u32; 5] = [4, 8, 16, 32, 64];

/// Value of [`ProgramMeta::schema`] that this source describes.
pub const SCHEMA: u32 = 1;

/// Path of the program's facts inside an archive.
pub const PROGRAM_META_PATH: &str = "/oxcl.meta";

/// Where an executable program has the module that it was made of, as the front end left it: better code is made of it later. Not
/// the name that PoCL looks for, which would compile it and ignore our code.
pub const PROGRAM_MODULE_PATH: &str = "/oxcl.bc";

/// `/oxcl.meta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramMeta {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the compiler that made the archive.
    pub compiler: String,
    /// Target triple of the code.
    pub triple: String,
    /// CPU levels that the archive has code for, the first being the one in PoCL's slots. Empty for `ref` only.
    pub levels: Vec<Level>,
    /// The archive has `ref.so` for each kernel.
    pub has_ref: bool,
    /// `-cl-std` of the sources, `CL1.2` for example; decides what a launch may ask for.
    pub cl_std: String,
    /// `-cl-uniform-work-group-size` was given.
    pub uniform_work_group_size: bool,
    /// The build options, for `clGetProgramBuildInfo` and `inspect`.
    pub options: String,
    /// Variables at program scope that live in memory of the program's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<ProgramVariables>,
    /// The same on 32-bit devices, whose pointers are shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrow_variables: Option<ProgramVariables>,
}

/// The variables at program scope: one block of memory for each program and device, aligned to
/// [`crate::abi::MAX_ALIGNMENT`], zero but for what is said here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProgramVariables {
    /// Size of the block in bytes.
    pub bytes: u64,
    /// What is not zero at first.
    pub values: Vec<InitialValue>,
    /// Addresses inside the block that it holds at first.
    pub pointers: Vec<InitialPointer>,
}

/// The initial value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialValue {
    /// Where it stands in the block.
    pub offset: u64,
    /// Its bytes, each as two hexadecimal digits.
    pub bytes: String,
}

/// A pointer, of eight bytes or on 32-bit devices four, that stands at `offset` and leads to `target` bytes from the block's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialPointer {
    /// Where it stands in the block.
    pub offset: u64,
    /// Where it leads to.
    pub target: u64,
}

impl ProgramVariables {
    /// The block's bytes, where it lies at `address`; `None` where the facts contradict each other.
    #[must_use]
    pub fn image(&self, address: u64) -> Option<Vec<u8>> {
        self.laid_out(address, 8)
    }

    /// The same for a 32-bit device.
    #[must_use]
    pub fn narrow_image(&self, address: u32) -> Option<Vec<u8>> {
        self.laid_out(u64::from(address), 4)
    }

    fn laid_out(&self, address: u64, pointer_bytes: usize) -> Option<Vec<u8>> {
        let mut image = vec![0; usize::try_from(self.bytes).ok()?];
        for value in &self.values {
            let digits = value.bytes.as_bytes();
            let at = usize::try_from(value.offset).ok()?;
            let place = image.get_mut(at..at.checked_add(digits.len() / 2)?)?;
            for (byte, pair) in place.iter_mut().zip(digits.chunks_exact(2)) {
                *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
            }
        }
        for pointer in &self.pointers {
            let at = usize::try_from(pointer.offset).ok()?;
            let place = image.get_mut(at..at.checked_add(pointer_bytes)?)?;
            place.copy_from_slice(&address.wrapping_add(pointer.target).to_le_bytes()[..pointer_bytes]);
        }
        Some(image)
    }
}

impl InitialValue {
    /// The value of these bytes at this offset.
    #[must_use]
    pub fn new(offset: u64, bytes: &[u8]) -> Self {
        let digits = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { offset, bytes: digits }
    }
}

impl ProgramMeta {
    /// Reads the facts.
    ///
    /// # Errors
    ///
    /// The bytes are not the JSON of this schema.
    pub fn from_json(json: &[u8]) -> Result<ProgramMeta, MetaError> {
        from_json(PROGRAM_META_PATH, json)
    }

    /// Writes the facts, the same for the same facts.
    ///
    /// # Errors
    ///
    /// The facts cannot be written as JSON.
    pub fn to_json(&self) -> Result<Vec<u8>, MetaError> {
        to_json(PROGRAM_META_PATH, self)
    }
}

/// A CPU level: the code needs these features and runs on any CPU that has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// LLVM's name for the CPU: `x86-64-v3`, `znver4`.
    pub cpu: String,
    /// The CPU features, in LLVM's names, that the code may use; sorted.
    pub features: Vec<String>,
}

/// `/<kernel>/oxcl.meta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelMeta {
    /// [`SCHEMA`].
    pub schema: u32,
    /// One for each parameter.
    pub args: Vec<ArgFacts>,
    /// May touch memory that no argument names: pointers loaded from memory, SVM, USM, device addresses.
    pub opaque: bool,
    /// Touches variables at program scope.
    pub globals: bool,
    /// Calls printf.
    pub printf: bool,
    /// Has a work-group barrier.
    pub barrier: bool,
    /// Devices with 64-bit addresses may launch it with global ids of 2^31 and more; bounds do not hold then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_ids: bool,
    /// Nothing in it depends on which work-items make a group, but for the memory of `local` parameters and variables that it may
    /// have: a launch may be cut into other groups than it was given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_groups: bool,
    /// Lanes along columns may be better than along rows, which only code for one local size may have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub columns: bool,
    /// Its local memory is to be zero where a work-group begins: whoever runs groups clears it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_local: bool,
    /// Work-items of sub-groups meet: results may depend on the size of sub-groups.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sub_groups: bool,
    /// The size of sub-groups in all code for 64-bit addresses, whatever CPU level and local size it is for; 0 where nobody has
    /// said.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sub_group_size: u32,
    /// The same in code for 32-bit devices.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub narrow_sub_group_size: u32,
    /// The size that the source requires; 0: none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub required_sub_group_size: u32,
    /// The pixels of images that are read and written, where they are known; of an image that is not here any may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pixels: Vec<PixelPlaces>,
    /// W, scratch and code for each CPU level, in the order of [`ProgramMeta::levels`].
    pub code: Vec<KernelCode>,
}

impl KernelMeta {
    /// Whether its code differs most by the local size: loops between barriers, or lanes along columns.
    #[must_use]
    pub fn wants_local_size(&self) -> bool {
        self.barrier || self.columns
    }

    /// Reads the facts.
    ///
    /// # Errors
    ///
    /// The bytes are not the JSON of this schema.
    pub fn from_json(json: &[u8]) -> Result<KernelMeta, MetaError> {
        from_json("oxcl.meta", json)
    }

    /// Writes the facts, the same for the same facts.
    ///
    /// # Errors
    ///
    /// The facts cannot be written as JSON.
    pub fn to_json(&self) -> Result<Vec<u8>, MetaError> {
        to_json("oxcl.meta", self)
    }

    /// The figures of this CPU level.
    #[must_use]
    pub fn code_for(&self, cpu: &str) -> Option<&KernelCode> {
        self.code.iter().find(|code| code.cpu == cpu)
    }
}

/// Whether a number says nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A kernel's figures at one CPU level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCode {
    /// LLVM's name for the CPU.
    pub cpu: String,
    /// W.
    pub width: u32,
    /// Scratch bytes whatever the local size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item; `CL_KERNEL_PRIVATE_MEM_SIZE`.
    pub scratch_per_item: u64,
    /// Local sizes with a specialised function.
    pub specialised: Vec<[u64; 3]>,
}

/// What a kernel does with one parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgFacts {
    /// Whether what it points to is read or written. `None` for values.
    pub access: Access,
    /// Accesses that every work-item makes, whatever the data: the runtime compares them with the buffer's size.
    pub bounds: Vec<AccessBound>,
}

/// What happens to the memory behind a pointer parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Neither read nor written.
    None,
    /// Only read.
    Read,
    /// Only written.
    Write,
    /// Read and written.
    ReadWrite,
}

/// An access at byte offset `constant + Σ global[d]·global_id(d) + Σ local[d]·local_id(d) + Σ group[d]·group_id(d)`
/// of `bytes` bytes, made by every work-item of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessBound {
    /// Constant part in bytes.
    pub constant: i64,
    /// Factors of the global id (without offset added: the id as the kernel sees it), in bytes.
    pub global: [i64; 3],
    /// Factors of the local id, in bytes.
    pub local: [i64; 3],
    /// Factors of the group id, in bytes.
    pub group: [i64; 3],
    /// Size of the access in bytes.
    pub bytes: u64,
    /// Line of the access in the source, 1-based; 0 if unknown.
    pub line: u32,
}

/// Where a kernel reads and writes an image: nowhere else, in launches whose global ids are all less than 2^31.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PixelPlaces {
    /// Which argument the image is.
    pub argument: u32,
    /// Of each place in the program the coordinates, as many as the image has, as [`AccessBound`]s in pixels. A number that leaves 32 bits says nothing:
    /// the kernel counts in these.
    pub places: Vec<Vec<AccessBound>>,
}

#[cfg(test)]
mod tests {
    use super::{
        Access, AccessBound, ArgFacts, InitialPointer, InitialValue, KernelCode, KernelMeta, Level,
        MetaError, ProgramMeta, ProgramVariables, SCHEMA,
    };

    fn program() -> ProgramMeta {
        ProgramMeta {
            schema: SCHEMA,
            compiler: "0.1.0".to_owned(),
            triple: "x86_64-pc-linux-gnu".to_owned(),
            levels: vec![Level { cpu: "x86-64-v3".to_owned(), features: vec!["avx2".to_owned()] }],
            has_ref: true,
            cl_std: "CL1.2".to_owned(),
            uniform_work_group_size: false,
            options: "-DN=\"4\"".to_owned(),
            variables: None,
            narrow_variables: None,
        }
    }

    #[test]
    fn variables_begin_with_what_they_hold() {
        let variables = ProgramVariables {
            bytes: 16,
            values: vec![InitialValue::new(1, &[0xab, 7])],
            pointers: vec![InitialPointer { offset: 8, target: 4 }],
        };
        let mut image = vec![0, 0xab, 7, 0, 0, 0, 0, 0];
        image.extend(0x1004_u64.to_le_bytes());
        assert_eq!(variables.image(0x1000), Some(image));
        let narrow = [0, 0xab, 7, 0, 0, 0, 0, 0, 4, 0x10, 0, 0, 0, 0, 0, 0];
        assert_eq!(variables.narrow_image(0x1000), Some(narrow.to_vec()));
        let facts = ProgramMeta { variables: Some(variables.clone()), ..program() };
        assert_eq!(ProgramMeta::from_json(&facts.to_json().unwrap()), Ok(facts));
        for broken in [
            ProgramVariables { bytes: 15, ..variables.clone() },
            ProgramVariables { values: vec![InitialValue::new(u64::MAX, &[1])], ..variables.clone() },
            ProgramVariables {
                values: vec![InitialValue { offset: 0, bytes: "g0".to_owned() }],
                ..variables.clone()
            },
        ] {
            assert_eq!(broken.image(0), None);
        }
    }

    #[test]
    fn facts_survive_the_round_trip() {
        let facts = program();
        assert_eq!(ProgramMeta::from_json(&facts.to_json().unwrap()), Ok(facts));
        let bound = AccessBound {
            constant: -4,
            global: [4, 0, 0],
            local: [0; 3],
            group: [i64::MIN, 0, i64::MAX],
            bytes: 4,
            line: 3,
        };
        let facts = KernelMeta {
            schema: SCHEMA,
            args: vec![ArgFacts { access: Access::ReadWrite, bounds: vec![bound] }],
            opaque: false,
            globals: false,
            printf: true,
            barrier: true,
            any_ids: true,
            any_groups: true,
            columns: true,
            zero_local: true,
            sub_groups: true,
            sub_group_size: 8,
            narrow_sub_group_size: 4,
            required_sub_group_size: 0,
            pixels: Vec::new(),
            code: vec![KernelCode {
                cpu: "x86-64-v3".to_owned(),
                width: 8,
                scratch_fixed: 0,
                scratch_per_item: u64::MAX,
                specialised: vec![[64, 1, 1]],
            }],
        };
        assert_eq!(KernelMeta::from_json(&facts.to_json().unwrap()), Ok(facts));
    }

    #[test]
    fn another_schema_is_named_before_its_fields_are_looked_at() {
        let error = ProgramMeta::from_json(b"{\"schema\": 7, \"new\": []}").unwrap_err();
        assert_eq!(error, MetaError::Schema { file: "/oxcl.meta", found: 7 });
        assert_eq!(error.to_string(), "/oxcl.meta has schema 7, this version reads schema 1");
    }

    #[test]
    fn broken_facts_say_where() {
        let error = KernelMeta::from_json(b"{\"schema\": 1}").unwrap_err();
        assert_eq!(error.to_string(), "oxcl.meta, line 1, column 13: missing field `args`");
        let error = KernelMeta::from_json(b"").unwrap_err();
        assert_eq!(error.to_string(), "oxcl.meta, line 1, column 0: EOF while parsing a value");
        assert!(ProgramMeta::from_json(&[0xff, 0xfe]).is_err());
    }
}
