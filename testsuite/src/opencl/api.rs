//! The few OpenCL functions that the client calls, looked up in the ICD loader at run time: no OpenCL library is needed to
//! build the tests.

use std::ffi::{c_char, c_void};

use libloading::Library;

/// An OpenCL object: a pointer that only the implementation looks behind.
pub(super) type Handle = *mut c_void;

/// `cl_int`.
pub(super) type Status = i32;

/// A callback that we never pass.
pub(super) type NoCallback = Option<extern "C" fn()>;

/// `cl_image_desc`.
#[repr(C)]
pub(super) struct ImageShape {
    pub(super) kind: u32,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) depth: usize,
    pub(super) array_size: usize,
    pub(super) row_pitch: usize,
    pub(super) slice_pitch: usize,
    pub(super) levels: u32,
    pub(super) samples: u32,
    pub(super) object: Handle,
}

/// Declares [`Api`]: one field for each function, filled by name.
macro_rules! api {
    ($($(#[$doc:meta])* $name:ident: fn($($arg:ty),* $(,)?) -> $ret:ty;)*) => {
        /// The functions. They stay callable as long as this lives, which keeps the library loaded.
        #[expect(non_snake_case, reason = "the fields are named as the functions of the specification")]
        #[derive(Debug)]
        pub(super) struct Api {
            $($(#[$doc])* pub(super) $name: unsafe extern "C" fn($($arg),*) -> $ret,)*
            _library: Library,
        }

        impl Api {
            /// Loads the library and finds every function in it.
            pub(super) fn load(path: &str) -> Result<Api, libloading::Error> {
                // SAFETY: the ICD loader's initialisers have no requirement on the caller.
                let library = unsafe { Library::new(path) }?;
                Ok(Api {
                    $($name: {
                        // SAFETY: the type is that of the OpenCL specification for this name.
                        let symbol = unsafe { library.get(concat!(stringify!($name), "\0")) };
                        *symbol?
                    },)*
                    _library: library,
                })
            }
        }
    };
}

api! {
    clGetPlatformIDs: fn(u32, *mut Handle, *mut u32) -> Status;
    clGetPlatformInfo: fn(Handle, u32, usize, *mut c_void, *mut usize) -> Status;
    clGetDeviceIDs: fn(Handle, u64, u32, *mut Handle, *mut u32) -> Status;
    clGetDeviceInfo: fn(Handle, u32, usize, *mut c_void, *mut usize) -> Status;
    clCreateContext: fn(*const isize, u32, *const Handle, NoCallback, *mut c_void, *mut Status) -> Handle;
    clCreateCommandQueue: fn(Handle, Handle, u64, *mut Status) -> Handle;
    clCreateProgramWithSource: fn(Handle, u32, *const *const c_char, *const usize, *mut Status) -> Handle;
    clCreateProgramWithBinary:
        fn(Handle, u32, *const Handle, *const usize, *const *const u8, *mut Status, *mut Status) -> Handle;
    clBuildProgram: fn(Handle, u32, *const Handle, *const c_char, NoCallback, *mut c_void) -> Status;
    clGetProgramBuildInfo: fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> Status;
    clGetProgramInfo: fn(Handle, u32, usize, *mut c_void, *mut usize) -> Status;
    clCreateKernel: fn(Handle, *const c_char, *mut Status) -> Handle;
    clGetKernelInfo: fn(Handle, u32, usize, *mut c_void, *mut usize) -> Status;
    clGetKernelArgInfo: fn(Handle, u32, u32, usize, *mut c_void, *mut usize) -> Status;
    clGetKernelWorkGroupInfo: fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> Status;
    clSetKernelArg: fn(Handle, u32, usize, *const c_void) -> Status;
    clCreateBuffer: fn(Handle, u64, usize, *mut c_void, *mut Status) -> Handle;
    clEnqueueNDRangeKernel:
        fn(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> Status;
    clEnqueueReadBuffer:
        fn(Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> Status;
    clCreateImage:
        fn(Handle, u64, *const [u32; 2], *const ImageShape, *mut c_void, *mut Status) -> Handle;
    clEnqueueReadImage:
        fn(Handle, Handle, u32, *const usize, *const usize, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> Status;
    clCreateSampler: fn(Handle, u32, u32, u32, *mut Status) -> Handle;
    clReleaseSampler: fn(Handle) -> Status;
    clFinish: fn(Handle) -> Status;
    clReleaseMemObject: fn(Handle) -> Status;
    clReleaseKernel: fn(Handle) -> Status;
    clReleaseProgram: fn(Handle) -> Status;
    clReleaseCommandQueue: fn(Handle) -> Status;
    clReleaseContext: fn(Handle) -> Status;
}
