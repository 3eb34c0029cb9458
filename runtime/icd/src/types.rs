//! The scalar types of the C interface.

use std::ffi::c_void;

/// `cl_int`.
pub(crate) type Int = i32;
/// `cl_uint`, `cl_bool` and the enumerations.
pub(crate) type Uint = u32;
/// `cl_bitfield` and the types made of it.
pub(crate) type Bitfield = u64;
/// `cl_properties`.
pub(crate) type Property = u64;

/// `cl_buffer_region`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Region {
    pub(crate) origin: usize,
    pub(crate) size: usize,
}

/// `cl_name_version`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct NameVersion {
    pub(crate) version: Uint,
    pub(crate) name: [u8; 64],
}

impl NameVersion {
    pub(crate) fn new(name: &str, version: Uint) -> Self {
        let mut bytes = [0; 64];
        // The last byte stays NUL.
        for (place, byte) in bytes.iter_mut().take(63).zip(name.bytes()) {
            *place = byte;
        }
        Self { version, name: bytes }
    }
}

/// `CL_MAKE_VERSION`.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> Uint {
    (major << 22) | (minor << 12) | patch
}

/// The user's own value, which goes back to the user's function.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct UserData(*mut c_void);

impl UserData {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

// SAFETY: the value is not looked behind here; the specification lets functions of the user be called from any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}
