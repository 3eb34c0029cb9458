//! Reads a pocl-binary. In: any bytes, from anywhere. Out: an [`Archive`] that writes back to exactly these bytes, or
//! an error that says where and what was expected.
//!
//! Nothing is believed: every length is held against the bytes that are left before it is used or allocated, sizes that
//! are stated twice must agree, and no bytes may follow the last record (PoCL writes none, and bytes that nobody
//! reads would be lost on the way back). The device id is not checked here: whether it matters is the loader's to say.

use std::collections::BTreeSet;

use super::path::{self, Paths};
use super::{
    AccessQualifier, AddressQualifier, Archive, Arg, ArgKind, BinaryType, File, Kernel, Place, ReadError,
    ReadErrorKind, Version, WorkGroupMeta,
};
use crate::hash::{BUILD_HASH_FIELD, MAGIC};

/// Header flags, kernel flags: see the writer, which has the same table.
pub(super) mod flags {
    /// Header: denormals are flushed.
    pub(in crate::archive) const FLUSH_DENORMS: u64 = 1;
    /// Header: the size of the variables at program scope follows the build hash.
    pub(in crate::archive) const PROGRAM_SCOPE: u64 = 1 << 1;
    /// Kernel: the work-group block is there.
    pub(in crate::archive) const WORK_GROUP: u32 = 1 << 1;
    /// Kernel: the sub-group block is there.
    pub(in crate::archive) const SUB_GROUP: u32 = 1 << 2;
    /// Kernel: the required sub-group size is there.
    pub(in crate::archive) const REQD_SUB_GROUP_SIZE: u32 = 1 << 3;
}

/// Bytes of the smallest kernel record: its fixed fields and a name of one letter.
const MIN_KERNEL: usize = 8 + 8 + 4 + 5 + 4 + 4 + 24 + 4 + 8;

/// Bytes of the smallest argument record.
const MIN_ARG: usize = 4 + 4 + 8 + 4 + 4 + 4 + 4;

impl Archive {
    /// Reads an archive.
    ///
    /// # Errors
    ///
    /// The bytes are not exactly one well-formed archive of a known version.
    pub fn read(bytes: &[u8]) -> Result<Archive, ReadError> {
        let mut reader = Reader { bytes, at: 0, end: bytes.len(), place: Place::Header };
        reader.archive()
    }
}

/// A position in the bytes, the end of the record it is in, and the words for it.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    place: Place,
}

impl<'a> Reader<'a> {
    fn archive(&mut self) -> Result<Archive, ReadError> {
        if self.take(MAGIC.len(), "the file's mark")? != MAGIC {
            return Err(self.error_at(0, ReadErrorKind::Magic));
        }
        let device_id = self.u64("the device id")?;
        let at = self.at;
        let number = self.u32("the container version")?;
        let version =
            Version::from_number(number).ok_or_else(|| self.error_at(at, ReadErrorKind::Version(number)))?;
        let at_kernel_count = self.at;
        let kernel_count = self.u32("the number of kernels")?;
        let at_flags = self.at;
        let header_flags = self.u64("the header's flags")?;
        let at_root_count = self.at;
        let root_count = self.u32("the number of root entries")?;
        let build_hash = self.build_hash()?;

        let mut known = flags::FLUSH_DENORMS | 0xffff_ffff_0000_0000;
        if version > Version::V9 {
            known |= flags::PROGRAM_SCOPE;
        }
        if header_flags & !known != 0 {
            let bits = header_flags & !known;
            let kind = ReadErrorKind::Flags { flags: "the header's flags", bits, version };
            return Err(self.error_at(at_flags, kind));
        }
        let binary_type = match header_flags >> 32 {
            1 => BinaryType::CompiledObject,
            2 => BinaryType::Library,
            4 => BinaryType::Executable,
            value => {
                let kind = ReadErrorKind::Value { field: "the binary type", value };
                return Err(self.error_at(at_flags + 4, kind));
            }
        };
        let program_scope_bytes = if header_flags & flags::PROGRAM_SCOPE != 0 {
            Some(self.u64("the size of the variables at program scope")?)
        } else {
            None
        };
        if version == Version::V9 && root_count != 1 {
            return Err(self.error_at(at_root_count, ReadErrorKind::RootEntries(root_count)));
        }
        // A root entry has its size, two lengths, and a path of at least two characters.
        self.check_count(at_root_count, "root entries", root_count, 8 + 4 + 2 + 4)?;

        let mut paths = Paths::default();
        let mut root = Vec::new();
        for index in 0..root_count {
            self.place = Place::RootEntry(index);
            let at = self.at;
            let size = self.u64("the entry's size")?;
            if size == 0 {
                return Err(self.error_at(at, ReadErrorKind::EmptyRootEntry));
            }
            let outer = self.enter(size, "the entry's files")?;
            root.push(self.files(&mut paths)?);
            self.end = outer;
        }

        self.place = Place::Header;
        self.check_count(at_kernel_count, "kernel records", kernel_count, MIN_KERNEL)?;
        let mut kernels = Vec::new();
        let mut names = BTreeSet::new();
        for index in 0..kernel_count {
            self.place = Place::Kernel { index, name: None };
            let start = self.at;
            let kernel = self.kernel(version, &mut paths)?;
            if !names.insert(kernel.name.clone()) {
                return Err(self.error_at(start, ReadErrorKind::DuplicateKernel(kernel.name)));
            }
            kernels.push(kernel);
        }
        self.place = Place::End;
        if self.at != self.end {
            let kind = ReadErrorKind::TrailingBytes((self.end - self.at) as u64);
            return Err(self.error_at(self.at, kind));
        }
        Ok(Archive {
            version,
            device_id,
            flush_denorms: header_flags & flags::FLUSH_DENORMS != 0,
            program_scope_bytes,
            binary_type,
            build_hash,
            root,
            kernels,
        })
    }

    fn build_hash(&mut self) -> Result<String, ReadError> {
        let at = self.at;
        let field = self.take(BUILD_HASH_FIELD.len(), "the build hash")?;
        let length = field.iter().position(|&byte| byte == 0);
        let text = length
            .filter(|&length| field[length..].iter().all(|&byte| byte == 0))
            .and_then(|length| std::str::from_utf8(&field[..length]).ok())
            .filter(|text| path::is_build_hash(text));
        match text {
            Some(text) => Ok(text.to_owned()),
            None => Err(self.error_at(at, ReadErrorKind::BuildHash)),
        }
    }

    fn kernel(&mut self, version: Version, paths: &mut Paths<'a>) -> Result<Kernel, ReadError> {
        let start = self.at;
        let record_size = self.u64("the record's size")?;
        let binaries_size = self.u64("the size of the record's files")?;
        let arguments_size = self.u32("the size of the record's arguments")?;
        self.at = start;
        let outer = self.enter(record_size, "the kernel's record")?;
        // The three sizes again, now inside the record: it must at least hold these.
        self.take(20, "the record's sizes")?;

        let at_name = self.at;
        let name = self.text("the kernel's name")?.to_owned();
        if !path::is_kernel_name(&name) {
            return Err(self.error_at(at_name, ReadErrorKind::KernelName(name)));
        }
        if let Place::Kernel { name: known, .. } = &mut self.place {
            *known = Some(name.clone());
        }
        let at_args = self.at;
        let arg_count = self.u32("the number of arguments")?;
        let at_locals = self.at;
        let local_count = self.u32("the number of automatic locals")?;
        let reqd_wg_size = [
            self.u64("the required work-group size")?,
            self.u64("the required work-group size")?,
            self.u64("the required work-group size")?,
        ];
        self.check_count(at_locals, "automatic locals", local_count, 8)?;
        let mut local_sizes = Vec::new();
        for _ in 0..local_count {
            local_sizes.push(self.u64("the size of an automatic local")?);
        }
        let attributes = self.text("the kernel's attributes")?.to_owned();
        let has_arg_metadata = self.u32("the mask of known argument fields")?;
        let at_flags = self.at;
        let kernel_flags = self.u32("the kernel's flags")?;
        let known = match version {
            Version::V9 => 0,
            Version::V11 => flags::WORK_GROUP | flags::SUB_GROUP,
            Version::V12 => flags::WORK_GROUP | flags::SUB_GROUP | flags::REQD_SUB_GROUP_SIZE,
        };
        if kernel_flags & !known != 0 {
            let bits = u64::from(kernel_flags & !known);
            let kind = ReadErrorKind::Flags { flags: "the kernel's flags", bits, version };
            return Err(self.error_at(at_flags, kind));
        }
        let sub_groups = if kernel_flags & flags::SUB_GROUP != 0 {
            Some([self.u32("the sub-group facts")?, self.u32("the sub-group facts")?])
        } else {
            None
        };
        let work_group = if kernel_flags & flags::WORK_GROUP != 0 {
            Some(WorkGroupMeta {
                max_size: self.u32("the largest work-group size")?,
                preferred_multiple: self.u32("the preferred work-group multiple")?,
                local_mem: self.u32("the local memory size")?,
                private_mem: self.u32("the private memory size")?,
                spill_mem: self.u32("the spill memory size")?,
            })
        } else {
            None
        };
        let reqd_sub_group_size = if kernel_flags & flags::REQD_SUB_GROUP_SIZE != 0 {
            Some(self.u32("the required sub-group size")?)
        } else {
            None
        };

        self.check_count(at_args, "arguments", arg_count, MIN_ARG)?;
        let arguments_start = self.at;
        let mut args = Vec::new();
        for _ in 0..arg_count {
            args.push(self.arg()?);
        }
        self.check_size(start + 16, "the arguments", u64::from(arguments_size), arguments_start)?;
        let files_start = self.at;
        if (self.end - files_start) as u64 != binaries_size {
            let kind = ReadErrorKind::RecordSize {
                record: "the record's files",
                stated: binaries_size,
                found: (self.end - files_start) as u64,
            };
            return Err(self.error_at(start + 8, kind));
        }
        let files = self.files(paths)?;
        self.end = outer;
        Ok(Kernel {
            name,
            args,
            local_sizes,
            reqd_wg_size,
            attributes,
            has_arg_metadata,
            work_group,
            sub_groups,
            reqd_sub_group_size,
            files,
        })
    }

    fn arg(&mut self) -> Result<Arg, ReadError> {
        let access = self.value("an access qualifier", |value| {
            [
                AccessQualifier::ReadOnly,
                AccessQualifier::WriteOnly,
                AccessQualifier::ReadWrite,
                AccessQualifier::None,
            ]
            .into_iter()
            .find(|&access| access as u32 == value)
        })?;
        let address = self.value("an address qualifier", |value| {
            [
                AddressQualifier::Global,
                AddressQualifier::Local,
                AddressQualifier::Constant,
                AddressQualifier::Private,
            ]
            .into_iter()
            .find(|&address| address as u32 == value)
        })?;
        let type_qualifier = self.u64("a type qualifier")?;
        let kind = self.value("an argument's kind", |value| {
            [ArgKind::Value, ArgKind::Pointer, ArgKind::Image, ArgKind::Sampler, ArgKind::Pipe]
                .into_iter()
                .find(|&kind| kind as u32 == value)
        })?;
        let size = self.u32("an argument's size")?;
        let name = self.text("an argument's name")?.to_owned();
        let type_name = self.text("an argument's type name")?.to_owned();
        Ok(Arg { name, type_name, address, access, type_qualifier, kind, size })
    }

    /// Files up to the end of the record.
    fn files(&mut self, paths: &mut Paths<'a>) -> Result<Vec<File>, ReadError> {
        let mut files = Vec::new();
        while self.at < self.end {
            let at = self.at;
            let path = self.text("a file's path")?;
            if let Err(fault) = paths.add(path) {
                let kind = ReadErrorKind::Path { path: clip(path), fault };
                return Err(self.error_at(at, kind));
            }
            let length = self.u32("a file's length")?;
            let data = self.take(length as usize, "a file's contents")?.to_vec();
            files.push(File { path: path.to_owned(), data });
        }
        Ok(files)
    }

    /// Narrows the reader to a record of `size` bytes from here; gives back the end to return to.
    fn enter(&mut self, size: u64, record: &'static str) -> Result<usize, ReadError> {
        let have = self.end - self.at;
        match usize::try_from(size) {
            Ok(size) if size <= have => Ok(std::mem::replace(&mut self.end, self.at + size)),
            _ => Err(self.too_short(record, size)),
        }
    }

    fn take(&mut self, length: usize, field: &'static str) -> Result<&'a [u8], ReadError> {
        match self.bytes[self.at..self.end].get(..length) {
            Some(taken) => {
                self.at += length;
                Ok(taken)
            }
            None => Err(self.too_short(field, length as u64)),
        }
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, field)?);
        Ok(array)
    }

    fn u32(&mut self, field: &'static str) -> Result<u32, ReadError> {
        self.array(field).map(u32::from_le_bytes)
    }

    fn u64(&mut self, field: &'static str) -> Result<u64, ReadError> {
        self.array(field).map(u64::from_le_bytes)
    }

    fn text(&mut self, field: &'static str) -> Result<&'a str, ReadError> {
        let at = self.at;
        let length = self.u32(field)?;
        let bytes = self.take(length as usize, field)?;
        match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.contains(&0) => Ok(text),
            _ => Err(self.error_at(at, ReadErrorKind::Text(field))),
        }
    }

    fn value<T>(&mut self, field: &'static str, find: impl FnOnce(u32) -> Option<T>) -> Result<T, ReadError> {
        let at = self.at;
        let value = self.u32(field)?;
        find(value).ok_or_else(|| self.error_at(at, ReadErrorKind::Value { field, value: u64::from(value) }))
    }

    /// Whether `count` elements of at least `least` bytes can follow.
    fn check_count(
        &self,
        at: usize,
        elements: &'static str,
        count: u32,
        least: usize,
    ) -> Result<(), ReadError> {
        let have = self.end - self.at;
        if count as usize > have / least {
            let kind =
                ReadErrorKind::ImpossibleCount { elements, count: u64::from(count), have: have as u64 };
            return Err(self.error_at(at, kind));
        }
        Ok(())
    }

    /// Whether what was read since `start` has the size stated at `at`.
    fn check_size(
        &self,
        at: usize,
        record: &'static str,
        stated: u64,
        start: usize,
    ) -> Result<(), ReadError> {
        let found = (self.at - start) as u64;
        if stated != found {
            let kind = ReadErrorKind::RecordSize { record, stated, found };
            return Err(self.error_at(at, kind));
        }
        Ok(())
    }

    fn too_short(&self, field: &'static str, need: u64) -> ReadError {
        let have = (self.end - self.at) as u64;
        let kind = if self.end == self.bytes.len() {
            ReadErrorKind::Truncated { field, need, have }
        } else {
            ReadErrorKind::Overrun { field, need, have }
        };
        self.error_at(self.at, kind)
    }

    fn error_at(&self, offset: usize, kind: ReadErrorKind) -> ReadError {
        ReadError { offset, place: self.place.clone(), kind }
    }
}

/// A path for a message: its beginning, where it is absurdly long.
fn clip(text: &str) -> String {
    text.chars().take(path::MAX_PATH).collect()
}
