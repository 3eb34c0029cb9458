//! Carries out a [`Job`] against whatever OpenCL the environment gives, on the calling thread.
//!
//! On an error the objects made so far are left to the end of the process, which follows at once.

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use super::api::{Api, Handle, ImageShape, Status};
use super::{Answer, Job, KernelInfo, Launch, Program, Value};

const SUCCESS: Status = 0;
const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const PLATFORM_VERSION: u32 = 0x0901;
const DEVICE_VERSION: u32 = 0x102F;
const PROGRAM_BINARY_SIZES: u32 = 0x1165;
const PROGRAM_BINARIES: u32 = 0x1166;
const PROGRAM_BUILD_LOG: u32 = 0x1183;
const KERNEL_FUNCTION_NAME: u32 = 0x1190;
const KERNEL_NUM_ARGS: u32 = 0x1191;
const KERNEL_ATTRIBUTES: u32 = 0x1195;
const KERNEL_ARG_ADDRESS_QUALIFIER: u32 = 0x1196;
const KERNEL_ARG_TYPE_NAME: u32 = 0x1198;
const KERNEL_ARG_NAME: u32 = 0x119A;
const KERNEL_COMPILE_WORK_GROUP_SIZE: u32 = 0x11B1;
const MEM_READ_WRITE_COPY: u64 = 1 | 1 << 5;
const MEM_OBJECT_IMAGE2D: u32 = 0x10f1;

/// A job that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no ICD loader, or one that lacks a function.
    #[error("the OpenCL library cannot be used: {0}")]
    Load(#[from] libloading::Error),
    /// A function returned an error.
    #[error("{function} returned {status}")]
    Call {
        /// The function.
        function: &'static str,
        /// What it returned.
        status: i32,
    },
    /// The program does not build.
    #[error("clBuildProgram returned {status}: {log}")]
    Build {
        /// What it returned.
        status: i32,
        /// `CL_PROGRAM_BUILD_LOG`.
        log: String,
    },
    /// The loader knows no platform of this name.
    #[error("no OpenCL platform whose version names {0}")]
    NoPlatform(String),
    /// The job names a kernel, source or option with a NUL in it.
    #[error("a text of the job has a NUL")]
    Nul(#[from] std::ffi::NulError),
    /// A launch has sizes of different lengths, or not one to three.
    #[error("a launch's sizes do not have the same number of dimensions, 1 to 3")]
    Dimensions,
}

fn check(function: &'static str, status: Status) -> Result<(), ClientError> {
    if status == SUCCESS { Ok(()) } else { Err(ClientError::Call { function, status }) }
}

/// Asks an information function for its size, then for its bytes.
fn info(
    function: &'static str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> Status,
) -> Result<Vec<u8>, ClientError> {
    let mut size = 0;
    check(function, ask(0, ptr::null_mut(), &raw mut size))?;
    let mut bytes = vec![0_u8; size];
    check(function, ask(size, bytes.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(bytes)
}

fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn sizes<const N: usize>(bytes: &[u8]) -> [usize; N] {
    let mut sizes = [0; N];
    for (size, chunk) in sizes.iter_mut().zip(bytes.chunks_exact(size_of::<usize>())) {
        let mut word = [0; size_of::<usize>()];
        word.copy_from_slice(chunk);
        *size = usize::from_ne_bytes(word);
    }
    sizes
}

/// Keeps a library in this process for as long as the answer lives, so that [`run`] need not load it each time.
///
/// # Errors
///
/// The library cannot be loaded.
pub fn keep(library: &str) -> Result<Kept, ClientError> {
    Ok(Kept { _api: Api::load(library)? })
}

/// A library that stays loaded.
#[derive(Debug)]
pub struct Kept {
    _api: Api,
}

/// Carries out the job with the OpenCL library of this name, `libOpenCL.so.1` as a rule.
///
/// # Errors
///
/// The library cannot be loaded, or a function returned an error.
pub fn run(library: &str, job: &Job) -> Result<Answer, ClientError> {
    let api = Api::load(library)?;
    let (platform, platform_version) = find_platform(&api, &job.platform)?;
    let mut device: Handle = ptr::null_mut();
    // SAFETY: the platform is valid; one place for one handle, as the count says.
    let status =
        unsafe { (api.clGetDeviceIDs)(platform, DEVICE_TYPE_ALL, 1, &raw mut device, ptr::null_mut()) };
    check("clGetDeviceIDs", status)?;
    let device_version = text(info("clGetDeviceInfo", |size, at, needed| {
        // SAFETY: `info` passes a buffer of the size it gives, or none.
        unsafe { (api.clGetDeviceInfo)(device, DEVICE_VERSION, size, at, needed) }
    })?);
    let mut answer = Answer {
        device_version,
        platform_version,
        kernels: Vec::new(),
        launches: Vec::new(),
        binary: None,
        build_time: Duration::ZERO,
        launch_times: Vec::new(),
    };
    let Some(program) = &job.program else {
        return Ok(answer);
    };

    let session = Session::open(&api, device)?;
    let start = Instant::now();
    let program = session.build(program, &job.options)?;
    answer.build_time = start.elapsed();
    for launch in &job.launches {
        let start = Instant::now();
        let kernel = session.kernel(program, &launch.kernel)?;
        if answer.kernels.iter().all(|known| known.name != launch.kernel) {
            answer.kernels.push(session.describe(kernel)?);
        }
        answer.launches.push(session.launch(kernel, launch)?);
        answer.launch_times.push(start.elapsed());
        // SAFETY: the kernel is ours, and is not used again.
        check("clReleaseKernel", unsafe { (api.clReleaseKernel)(kernel) })?;
    }
    if job.want_binary {
        answer.binary = Some(session.binary(program)?);
    }
    // SAFETY: the program is ours, and is not used again.
    check("clReleaseProgram", unsafe { (api.clReleaseProgram)(program) })?;
    session.close()?;
    Ok(answer)
}

/// The first platform with this word in its version, and the version.
fn find_platform(api: &Api, word: &str) -> Result<(Handle, String), ClientError> {
    let mut platforms: [Handle; 16] = [ptr::null_mut(); 16];
    let mut count = 0;
    // SAFETY: sixteen places for handles, as the count says.
    let status = unsafe { (api.clGetPlatformIDs)(16, platforms.as_mut_ptr(), &raw mut count) };
    // CL_PLATFORM_NOT_FOUND_KHR
    if status == -1001 {
        return Err(ClientError::NoPlatform(word.to_owned()));
    }
    check("clGetPlatformIDs", status)?;
    for &platform in platforms.iter().take(count as usize) {
        let version = text(info("clGetPlatformInfo", |size, at, needed| {
            // SAFETY: `info` passes a buffer of the size it gives, or none.
            unsafe { (api.clGetPlatformInfo)(platform, PLATFORM_VERSION, size, at, needed) }
        })?);
        if version.contains(word) {
            return Ok((platform, version));
        }
    }
    Err(ClientError::NoPlatform(word.to_owned()))
}

/// A context with one device and one in-order queue.
struct Session<'a> {
    api: &'a Api,
    device: Handle,
    context: Handle,
    queue: Handle,
}

impl<'a> Session<'a> {
    fn open(api: &'a Api, device: Handle) -> Result<Session<'a>, ClientError> {
        let mut status = SUCCESS;
        let (properties, data) = (ptr::null(), ptr::null_mut());
        // SAFETY: one device handle, as the count says; no callback.
        let context =
            unsafe { (api.clCreateContext)(properties, 1, &raw const device, None, data, &raw mut status) };
        check("clCreateContext", status)?;
        // SAFETY: the device belongs to the context.
        let queue = unsafe { (api.clCreateCommandQueue)(context, device, 0, &raw mut status) };
        check("clCreateCommandQueue", status)?;
        Ok(Session { api, device, context, queue })
    }

    fn close(self) -> Result<(), ClientError> {
        // SAFETY: the queue is ours, and is not used again.
        let status = unsafe { (self.api.clReleaseCommandQueue)(self.queue) };
        check("clReleaseCommandQueue", status)?;
        // SAFETY: the context is ours, and is not used again.
        check("clReleaseContext", unsafe { (self.api.clReleaseContext)(self.context) })
    }

    fn build(&self, program: &Program, options: &str) -> Result<Handle, ClientError> {
        let api = self.api;
        let mut status = SUCCESS;
        let handle = match program {
            Program::Source(source) => {
                let start: *const c_char = source.as_ptr().cast();
                let length = source.len();
                // SAFETY: one text of the length given; it outlives the call, which copies it.
                let handle = unsafe {
                    (api.clCreateProgramWithSource)(
                        self.context,
                        1,
                        &raw const start,
                        &raw const length,
                        &raw mut status,
                    )
                };
                check("clCreateProgramWithSource", status)?;
                handle
            }
            Program::Binary(binary) => {
                let start = binary.as_ptr();
                let length = binary.len();
                let mut loaded = SUCCESS;
                // SAFETY: one device with one binary of the length given; the call copies it.
                let handle = unsafe {
                    (api.clCreateProgramWithBinary)(
                        self.context,
                        1,
                        &raw const self.device,
                        &raw const length,
                        &raw const start,
                        &raw mut loaded,
                        &raw mut status,
                    )
                };
                check("clCreateProgramWithBinary", status)?;
                check("clCreateProgramWithBinary (of the one binary)", loaded)?;
                handle
            }
        };
        let options = CString::new(options)?;
        let (device, text_at) = (&raw const self.device, options.as_ptr());
        // SAFETY: program and device are of one context; the options end in NUL; no callback.
        let status = unsafe { (api.clBuildProgram)(handle, 1, device, text_at, None, ptr::null_mut()) };
        if status != SUCCESS {
            let log = info("clGetProgramBuildInfo", |size, at, needed| {
                let device = self.device;
                // SAFETY: `info` passes a buffer of the size it gives, or none.
                unsafe { (api.clGetProgramBuildInfo)(handle, device, PROGRAM_BUILD_LOG, size, at, needed) }
            })?;
            return Err(ClientError::Build { status, log: text(log) });
        }
        Ok(handle)
    }

    fn kernel(&self, program: Handle, name: &str) -> Result<Handle, ClientError> {
        let name = CString::new(name)?;
        let mut status = SUCCESS;
        // SAFETY: the program is valid and built; the name ends in NUL.
        let kernel = unsafe { (self.api.clCreateKernel)(program, name.as_ptr(), &raw mut status) };
        check("clCreateKernel", status)?;
        Ok(kernel)
    }

    fn describe(&self, kernel: Handle) -> Result<KernelInfo, ClientError> {
        let api = self.api;
        let of_kernel = |what| {
            info("clGetKernelInfo", |size, at, needed| {
                // SAFETY: `info` passes a buffer of the size it gives, or none.
                unsafe { (api.clGetKernelInfo)(kernel, what, size, at, needed) }
            })
        };
        let of_arg = |index, what| {
            info("clGetKernelArgInfo", |size, at, needed| {
                // SAFETY: `info` passes a buffer of the size it gives, or none.
                unsafe { (api.clGetKernelArgInfo)(kernel, index, what, size, at, needed) }
            })
        };
        let word = |bytes: Vec<u8>| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[..4]);
            u32::from_ne_bytes(word)
        };
        let required = info("clGetKernelWorkGroupInfo", |size, at, needed| {
            let what = KERNEL_COMPILE_WORK_GROUP_SIZE;
            // SAFETY: `info` passes a buffer of the size it gives, or none.
            unsafe { (api.clGetKernelWorkGroupInfo)(kernel, self.device, what, size, at, needed) }
        })?;
        let mut args = Vec::new();
        for index in 0..word(of_kernel(KERNEL_NUM_ARGS)?) {
            args.push((
                text(of_arg(index, KERNEL_ARG_NAME)?),
                text(of_arg(index, KERNEL_ARG_TYPE_NAME)?),
                word(of_arg(index, KERNEL_ARG_ADDRESS_QUALIFIER)?),
            ));
        }
        Ok(KernelInfo {
            name: text(of_kernel(KERNEL_FUNCTION_NAME)?),
            attributes: text(of_kernel(KERNEL_ATTRIBUTES)?),
            reqd_wg_size: sizes(&required),
            args,
        })
    }

    fn launch(&self, kernel: Handle, launch: &Launch) -> Result<Vec<Vec<u8>>, ClientError> {
        let api = self.api;
        let dimensions = launch.global.len();
        if !(1..=3).contains(&dimensions)
            || launch.local.len() != dimensions
            || launch.offset.len() != dimensions
        {
            return Err(ClientError::Dimensions);
        }
        let mut buffers = Vec::new();
        let mut samplers = Vec::new();
        for (index, value) in (0..).zip(&launch.args) {
            let status = match value {
                Value::Buffer(bytes) => {
                    let buffer = self.buffer(bytes)?;
                    buffers.push((buffer, bytes.len(), None));
                    let at = (&raw const buffer).cast();
                    // SAFETY: the argument is a handle, and has a handle's size.
                    unsafe { (api.clSetKernelArg)(kernel, index, size_of::<Handle>(), at) }
                }
                Value::Image { format, size, pixels } => {
                    let image = self.image(format, *size, pixels)?;
                    buffers.push((image, pixels.len(), Some(*size)));
                    let at = (&raw const image).cast();
                    // SAFETY: the argument is a handle, and has a handle's size.
                    unsafe { (api.clSetKernelArg)(kernel, index, size_of::<Handle>(), at) }
                }
                Value::Sampler([normalised, addressing, filter]) => {
                    let mut status = SUCCESS;
                    // SAFETY: the context is valid; the numbers are the implementation's to check.
                    let sampler = unsafe {
                        (api.clCreateSampler)(
                            self.context,
                            *normalised,
                            *addressing,
                            *filter,
                            &raw mut status,
                        )
                    };
                    check("clCreateSampler", status)?;
                    samplers.push(sampler);
                    let at = (&raw const sampler).cast();
                    // SAFETY: the argument is a handle, and has a handle's size.
                    unsafe { (api.clSetKernelArg)(kernel, index, size_of::<Handle>(), at) }
                }
                Value::Value(bytes) => {
                    let at = bytes.as_ptr().cast();
                    // SAFETY: the argument has the size of the bytes it is read from.
                    unsafe { (api.clSetKernelArg)(kernel, index, bytes.len(), at) }
                }
                // SAFETY: local memory has a size and no value.
                Value::Local(size) => unsafe { (api.clSetKernelArg)(kernel, index, *size, ptr::null()) },
            };
            check("clSetKernelArg", status)?;
        }
        let dimensions = u32::try_from(dimensions).map_err(|_| ClientError::Dimensions)?;
        // SAFETY: the three arrays have one element for each dimension; every argument is set.
        let status = unsafe {
            (api.clEnqueueNDRangeKernel)(
                self.queue,
                kernel,
                dimensions,
                launch.offset.as_ptr(),
                launch.global.as_ptr(),
                launch.local.as_ptr(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueNDRangeKernel", status)?;
        // SAFETY: the queue is valid.
        check("clFinish", unsafe { (api.clFinish)(self.queue) })?;
        let mut contents = Vec::new();
        for sampler in samplers {
            // SAFETY: the sampler is ours, and is not used again.
            check("clReleaseSampler", unsafe { (api.clReleaseSampler)(sampler) })?;
        }
        for (buffer, size, plane) in buffers {
            contents.push(match plane {
                Some(plane) => self.read_image(buffer, plane, size)?,
                None => self.read(buffer, size)?,
            });
            // SAFETY: the buffer is ours, and is not used again.
            check("clReleaseMemObject", unsafe { (api.clReleaseMemObject)(buffer) })?;
        }
        Ok(contents)
    }

    fn buffer(&self, contents: &[u8]) -> Result<Handle, ClientError> {
        let mut contents = contents.to_vec();
        let (size, at) = (contents.len(), contents.as_mut_ptr().cast());
        let mut status = SUCCESS;
        // SAFETY: the flags ask for a copy of `size` bytes, which are there.
        let buffer = unsafe {
            (self.api.clCreateBuffer)(self.context, MEM_READ_WRITE_COPY, size, at, &raw mut status)
        };
        check("clCreateBuffer", status)?;
        Ok(buffer)
    }

    fn image(
        &self,
        format: &[u32; 2],
        [width, height]: [usize; 2],
        pixels: &[u8],
    ) -> Result<Handle, ClientError> {
        let mut pixels = pixels.to_vec();
        let shape = ImageShape {
            kind: MEM_OBJECT_IMAGE2D,
            width,
            height,
            depth: 1,
            array_size: 1,
            row_pitch: 0,
            slice_pitch: 0,
            levels: 0,
            samples: 0,
            object: ptr::null_mut(),
        };
        let at = pixels.as_mut_ptr().cast();
        let (flags, mut status) = (MEM_READ_WRITE_COPY, SUCCESS);
        // SAFETY: the flags ask for a copy of the rows, which are there, one behind the other.
        let image = unsafe {
            (self.api.clCreateImage)(self.context, flags, format, &raw const shape, at, &raw mut status)
        };
        check("clCreateImage", status)?;
        Ok(image)
    }

    fn read_image(
        &self,
        image: Handle,
        [width, height]: [usize; 2],
        size: usize,
    ) -> Result<Vec<u8>, ClientError> {
        let mut contents = vec![0_u8; size];
        let at = contents.as_mut_ptr().cast();
        let (origin, region) = ([0; 3], [width, height, 1]);
        // SAFETY: a blocking read of all pixels, without room between rows, into a buffer of that size.
        let status = unsafe {
            (self.api.clEnqueueReadImage)(
                self.queue,
                image,
                1,
                origin.as_ptr(),
                region.as_ptr(),
                0,
                0,
                at,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueReadImage", status)?;
        Ok(contents)
    }

    fn read(&self, buffer: Handle, size: usize) -> Result<Vec<u8>, ClientError> {
        let mut contents = vec![0_u8; size];
        let at = contents.as_mut_ptr().cast();
        // SAFETY: a blocking read of `size` bytes into a buffer of that size.
        let status = unsafe {
            (self.api.clEnqueueReadBuffer)(
                self.queue,
                buffer,
                1,
                0,
                size,
                at,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        check("clEnqueueReadBuffer", status)?;
        Ok(contents)
    }

    fn binary(&self, program: Handle) -> Result<Vec<u8>, ClientError> {
        let api = self.api;
        let size = info("clGetProgramInfo", |size, at, needed| {
            // SAFETY: `info` passes a buffer of the size it gives, or none.
            unsafe { (api.clGetProgramInfo)(program, PROGRAM_BINARY_SIZES, size, at, needed) }
        })?;
        let [size] = sizes(&size);
        let mut binary = vec![0_u8; size];
        let mut start = binary.as_mut_ptr();
        let at = (&raw mut start).cast();
        // SAFETY: one device, so one pointer, to as many bytes as were asked for.
        let status = unsafe {
            (api.clGetProgramInfo)(program, PROGRAM_BINARIES, size_of::<*mut u8>(), at, ptr::null_mut())
        };
        check("clGetProgramInfo", status)?;
        Ok(binary)
    }
}
