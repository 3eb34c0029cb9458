//! Writes a pocl-binary. In: any [`Archive`]. Out: the bytes, the same for the same archive, or an error that says
//! what the format, or this version of it, cannot hold. Everything written is read back equal.

use std::collections::BTreeSet;

use super::path::{self, Paths};
use super::read::flags;
use super::{Archive, Arg, File, Kernel, Version, WriteError};
use crate::hash::{self, BUILD_HASH_FIELD, MAGIC};

impl Archive {
    /// Writes the archive with the build hash that it has.
    ///
    /// # Errors
    ///
    /// The format, or the archive's version of it, cannot hold what the archive has.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        if !path::is_build_hash(&self.build_hash) {
            return Err(WriteError::BuildHash(self.build_hash.clone()));
        }
        let mut out = self.write_unhashed()?;
        out[BUILD_HASH_FIELD][..self.build_hash.len()].copy_from_slice(self.build_hash.as_bytes());
        Ok(out)
    }

    /// Puts the files of kernels with long names where the version's PoCL looks for them, leaves out sizes of structures
    /// where they would make it refuse arguments, computes the build hash over
    /// the archive with the hash's own field zero, and writes the archive with it.
    ///
    /// PoCL unpacks an archive into a directory of that name, and what is there already wins: two archives that
    /// differ in anything must not share it.
    ///
    /// # Errors
    ///
    /// As for [`Archive::write`].
    pub fn seal(&mut self) -> Result<Vec<u8>, WriteError> {
        self.settle_names();
        self.settle_sizes();
        let mut out = self.write_unhashed()?;
        self.build_hash = hash::build_hash_text(&out);
        out[BUILD_HASH_FIELD][..self.build_hash.len()].copy_from_slice(self.build_hash.as_bytes());
        Ok(out)
    }

    /// Whether `bytes` are as [`Archive::seal`] gave them: not one was changed since.
    #[must_use]
    pub fn is_sealed(bytes: &[u8]) -> bool {
        let Some(field) = bytes.get(BUILD_HASH_FIELD) else { return false };
        let mut unhashed = bytes.to_vec();
        unhashed[BUILD_HASH_FIELD].fill(0);
        let hash = hash::build_hash_text(&unhashed);
        field.strip_prefix(hash.as_bytes()).is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
    }

    /// The archive with zeros in the build hash's field.
    fn write_unhashed(&self) -> Result<Vec<u8>, WriteError> {
        self.check()?;
        let contents: usize = self.files().map(|file| file.data.len() + file.path.len() + 8).sum();
        let mut out = Vec::with_capacity(contents + 1024 * (self.kernels.len() + 1));
        let mut header_flags = (self.binary_type as u64) << 32;
        if self.flush_denorms {
            header_flags |= flags::FLUSH_DENORMS;
        }
        if self.program_scope_bytes.is_some() {
            header_flags |= flags::PROGRAM_SCOPE;
        }
        out.extend(MAGIC);
        put_u64(&mut out, self.device_id);
        put_u32(&mut out, self.version.number());
        put_count(&mut out, self.kernels.len(), "the number of kernels")?;
        put_u64(&mut out, header_flags);
        put_count(&mut out, self.root.len(), "the number of root entries")?;
        out.extend([0; BUILD_HASH_FIELD.end - BUILD_HASH_FIELD.start]);
        if let Some(bytes) = self.program_scope_bytes {
            put_u64(&mut out, bytes);
        }
        for entry in &self.root {
            let start = out.len();
            put_u64(&mut out, 0);
            put_files(&mut out, entry)?;
            let size = out.len() - start - 8;
            patch_u64(&mut out, start, size);
        }
        for kernel in &self.kernels {
            put_kernel(&mut out, kernel)?;
        }
        Ok(out)
    }

    /// Everything that can be wrong with the archive as a whole; lengths are checked where they are written.
    fn check(&self) -> Result<(), WriteError> {
        let version = self.version;
        let absent = |field| Err(WriteError::NotInVersion { field, version });
        if version == Version::V9 {
            if self.root.len() != 1 {
                return Err(WriteError::RootEntries(self.root.len()));
            }
            if self.program_scope_bytes.is_some() {
                return absent("the size of the variables at program scope");
            }
        }
        if self.root.iter().any(Vec::is_empty) {
            return Err(WriteError::EmptyRootEntry);
        }
        let mut names = BTreeSet::new();
        for kernel in &self.kernels {
            if !path::is_kernel_name(&kernel.name) {
                return Err(WriteError::KernelName(kernel.name.clone()));
            }
            if !names.insert(&kernel.name) {
                return Err(WriteError::DuplicateKernel(kernel.name.clone()));
            }
            if version == Version::V9 && kernel.work_group.is_some() {
                return absent("work-group facts");
            }
            if version == Version::V9 && kernel.sub_groups.is_some() {
                return absent("sub-group facts");
            }
            if version < Version::V12 && kernel.reqd_sub_group_size.is_some() {
                return absent("a required sub-group size");
            }
        }
        let mut paths = Paths::default();
        for file in self.files() {
            if let Err(fault) = paths.add(&file.path) {
                return Err(WriteError::Path { path: file.path.clone(), fault });
            }
        }
        Ok(())
    }
}

fn put_kernel(out: &mut Vec<u8>, kernel: &Kernel) -> Result<(), WriteError> {
    let start = out.len();
    put_u64(out, 0);
    put_u64(out, 0);
    put_u32(out, 0);
    put_text(out, &kernel.name, "a kernel's name")?;
    put_count(out, kernel.args.len(), "the number of arguments")?;
    put_count(out, kernel.local_sizes.len(), "the number of automatic locals")?;
    for &size in kernel.reqd_wg_size.iter().chain(&kernel.local_sizes) {
        put_u64(out, size);
    }
    put_text(out, &kernel.attributes, "a kernel's attributes")?;
    put_u32(out, kernel.has_arg_metadata);
    let mut kernel_flags = 0;
    if kernel.work_group.is_some() {
        kernel_flags |= flags::WORK_GROUP;
    }
    if kernel.sub_groups.is_some() {
        kernel_flags |= flags::SUB_GROUP;
    }
    if kernel.reqd_sub_group_size.is_some() {
        kernel_flags |= flags::REQD_SUB_GROUP_SIZE;
    }
    put_u32(out, kernel_flags);
    for value in kernel.sub_groups.into_iter().flatten() {
        put_u32(out, value);
    }
    if let Some(facts) = kernel.work_group {
        put_u32(out, facts.max_size);
        put_u32(out, facts.preferred_multiple);
        put_u32(out, facts.local_mem);
        put_u32(out, facts.private_mem);
        put_u32(out, facts.spill_mem);
    }
    if let Some(size) = kernel.reqd_sub_group_size {
        put_u32(out, size);
    }
    let arguments_start = out.len();
    for arg in &kernel.args {
        put_arg(out, arg)?;
    }
    let files_start = out.len();
    put_files(out, &kernel.files)?;
    let arguments_size = size_u32(files_start - arguments_start, "the size of the arguments")?;
    let end = out.len();
    patch_u64(out, start, end - start);
    patch_u64(out, start + 8, end - files_start);
    out[start + 16..start + 20].copy_from_slice(&arguments_size.to_le_bytes());
    Ok(())
}

fn put_arg(out: &mut Vec<u8>, arg: &Arg) -> Result<(), WriteError> {
    put_u32(out, arg.access as u32);
    put_u32(out, arg.address as u32);
    put_u64(out, arg.type_qualifier);
    put_u32(out, arg.kind as u32);
    put_u32(out, arg.size);
    put_text(out, &arg.name, "an argument's name")?;
    put_text(out, &arg.type_name, "an argument's type name")
}

fn put_files(out: &mut Vec<u8>, files: &[File]) -> Result<(), WriteError> {
    for file in files {
        put_text(out, &file.path, "a file's path")?;
        put_count(out, file.data.len(), "a file's length")?;
        out.extend(&file.data);
    }
    Ok(())
}

fn put_text(out: &mut Vec<u8>, text: &str, field: &'static str) -> Result<(), WriteError> {
    if text.contains('\0') {
        return Err(WriteError::Nul(field));
    }
    put_count(out, text.len(), field)?;
    out.extend(text.as_bytes());
    Ok(())
}

fn put_count(out: &mut Vec<u8>, count: usize, field: &'static str) -> Result<(), WriteError> {
    put_u32(out, size_u32(count, field)?);
    Ok(())
}

fn size_u32(length: usize, field: &'static str) -> Result<u32, WriteError> {
    u32::try_from(length).map_err(|_| WriteError::TooLong { field, length })
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_le_bytes());
}

fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_le_bytes());
}

/// Writes a size, known only now, into the place kept for it.
fn patch_u64(out: &mut [u8], at: usize, value: usize) {
    out[at..at + 8].copy_from_slice(&(value as u64).to_le_bytes());
}
