//! What the loader itself says: the platforms that it lists, and whether a first kernel runs on ours.
//!
//! This is done in a child process, because the loader brings every platform's library into the process that asks, and any of
//! them may end it. The child (`oxcl doctor --probe`) prints a line when it has the platforms, and one after the kernel.

use super::{Problem, Report, System};
use libloading::Library;
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::ptr;
use std::time::{Duration, Instant};

/// How long a platform may take to be loaded and to run a small kernel.
const PATIENCE: Duration = Duration::from_secs(60);
/// The platform's name, as programs see it.
const PLATFORM: &str = "oxcl";

/// A line of the child's.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    /// The names of the platforms, in the loader's order.
    Platforms(Vec<String>),
    /// What came of the kernel: nothing, or what failed.
    Kernel(Option<String>),
    /// There is no loader.
    Loader(String),
}

/// Asks the loader. `vendors` are the files that it reads.
pub(super) fn examine(system: &System, vendors: &[PathBuf], report: &mut Report) {
    if report.findings.iter().any(|finding| finding.problem == Problem::NoLoader) {
        return;
    }
    let Some((text, status)) = ask(system, None) else { return };
    if text.is_empty() {
        blame(system, vendors, status, report);
        return;
    }
    judge(&text, status, report);
}

/// What the child says, and how it ends; with a file, of that platform alone.
fn ask(system: &System, only: Option<&Path>) -> Option<(String, Option<ExitStatus>)> {
    let mut command = Command::new(&system.program);
    command.args(["doctor", "--probe"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(loader) = system.python_loader() {
        // As PyOpenCL sets it, for its own loader.
        let home = loader.parent().and_then(Path::parent).unwrap_or(&loader);
        command.env("PYOPENCL_HOME", home).arg("--loader").arg(&loader);
        // Names without a folder are found beside it, because PyOpenCL's module has that folder in its run path.
        let mut folders: Vec<&str> = loader.parent().and_then(Path::to_str).into_iter().collect();
        folders.extend(system.variable("LD_LIBRARY_PATH"));
        command.env("LD_LIBRARY_PATH", folders.join(":"));
    }
    if let Some(file) = only {
        // ocl-icd takes a file. Khronos' loader takes folders only: nobody is blamed there.
        command.env("OCL_ICD_VENDORS", file);
    }
    let mut child = command.spawn().ok()?;
    let status = wait(&mut child);
    let mut text = String::new();
    if let Some(mut out) = child.stdout.take() {
        // What cannot be read was not said.
        let _ = out.read_to_string(&mut text);
    }
    Some((text, status))
}

/// The loader does not come to an answer: which of the platforms' libraries ends the process?
fn blame(system: &System, vendors: &[PathBuf], status: Option<ExitStatus>, report: &mut Report) {
    let fails = |file: &&PathBuf| ask(system, Some(file)).is_some_and(|(text, _)| text.is_empty());
    let (message, mend) = match vendors.iter().find(fails) {
        Some(file) => (
            format!(
                "asking the OpenCL loader for platforms fails ({}): the library that {} names does so, in every \
                 OpenCL program",
                ended(status),
                file.display()
            ),
            format!("sudo mv {0} {0}.off", file.display()),
        ),
        None => (
            format!("asking the OpenCL loader for platforms fails ({})", ended(status)),
            "OCL_ICD_DEBUG=15 clinfo -l    # says which library does so".to_owned(),
        ),
    };
    report.find(Problem::LoaderFails, message, mend);
}

/// How the child ended.
fn ended(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => format!("the process ended with {status}"),
        None => format!("it did not come back in {} s", PATIENCE.as_secs()),
    }
}

/// None where the child did not end in time.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // It may have ended meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// What the child's lines and end mean.
fn judge(text: &str, status: Option<ExitStatus>, report: &mut Report) {
    let mut kernel = None;
    let mut platforms = None;
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Platforms(names)) => platforms = Some(names),
            Ok(Line::Kernel(failure)) => kernel = Some(failure),
            Ok(Line::Loader(why)) => {
                report.find(
                    Problem::LoaderFails,
                    format!("the OpenCL loader cannot be loaded: {why}"),
                    "sudo ldconfig",
                );
                return;
            }
            Err(_) => {}
        }
    }
    // What the child said first; without it there is nothing to judge.
    let Some(platforms) = platforms else { return };
    report.fact("platforms", platforms.join(", "));
    if !platforms.iter().any(|name| name == PLATFORM) {
        // Where files already say why, once is enough.
        if report.findings.iter().all(|finding| finding.problem > Problem::LibraryBroken) {
            report.find(
                Problem::LoaderFails,
                format!("the OpenCL loader does not list oxcl; it lists: {}", platforms.join(", ")),
                "OCL_ICD_DEBUG=15 clinfo -l    # says why",
            );
        }
        return;
    }
    match kernel {
        Some(None) => report.fact("first kernel", "runs"),
        Some(Some(failure)) => report.find(
            Problem::KernelFails,
            format!("a first kernel does not run: {failure}"),
            "OXCL_LOG=build clinfo > /dev/null",
        ),
        None => report.find(
            Problem::KernelFails,
            format!("a first kernel does not run: {}", ended(status)),
            "OXCL_LOG=build clinfo > /dev/null",
        ),
    }
}

/// The child: asks, and runs the kernel.
pub(crate) fn child(loader: &Path) -> Vec<String> {
    let line = |line: &Line| serde_json::to_string(line).unwrap_or_default();
    let api = match Api::load(loader) {
        Ok(api) => api,
        Err(error) => return vec![line(&Line::Loader(error.to_string()))],
    };
    let platforms = api.platforms();
    let names: Vec<String> = platforms.iter().map(|platform| api.name(*platform)).collect();
    let ours = names.iter().position(|name| name == PLATFORM);
    let mut lines = vec![line(&Line::Platforms(names))];
    if let Some(ours) = ours {
        lines.push(line(&Line::Kernel(api.kernel(platforms[ours]).err())));
    }
    lines
}

/// Any of OpenCL's handles.
type Handle = *mut c_void;

/// The functions that are called.
struct Api {
    library: Library,
}

/// A call's failure, by the function and its status.
fn checked(what: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{what} gives {status}")) }
}

const SOURCE: &CStr = c"kernel void first(global int *x) { x[get_global_id(0)] = 42; }";

impl Api {
    fn load(loader: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: the loader's own initialisers are those that every OpenCL program runs.
        let library = unsafe { Library::new(loader) }?;
        Ok(Self { library })
    }

    /// A function of the loader's.
    ///
    /// # Safety
    /// `F` is its type in OpenCL's headers.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller names the type.
        let symbol = unsafe { self.library.get::<F>(name) };
        symbol.map(|symbol| *symbol).map_err(|error| error.to_string())
    }

    fn platforms(&self) -> Vec<Handle> {
        type Function = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> c_int;
        // SAFETY: as OpenCL declares it.
        let Ok(function) = (unsafe { self.function::<Function>("clGetPlatformIDs") }) else {
            return Vec::new();
        };
        let mut found = [ptr::null_mut(); 32];
        let mut count = 0;
        // SAFETY: there is room for as many handles as it says, and for the count.
        let status = unsafe { function(32, found.as_mut_ptr(), &raw mut count) };
        if status == 0 { found[..(count as usize).min(32)].to_vec() } else { Vec::new() }
    }

    fn name(&self, platform: Handle) -> String {
        type Function = unsafe extern "C" fn(Handle, u32, usize, *mut c_void, *mut usize) -> c_int;
        const NAME: u32 = 0x0902;
        // SAFETY: as OpenCL declares it.
        let Ok(function) = (unsafe { self.function::<Function>("clGetPlatformInfo") }) else {
            return String::new();
        };
        let mut bytes = [0_u8; 256];
        // SAFETY: a platform that the loader gave, and as much room as is said.
        let status =
            unsafe { function(platform, NAME, bytes.len(), bytes.as_mut_ptr().cast(), ptr::null_mut()) };
        let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        if status == 0 { name.to_string_lossy().into_owned() } else { String::new() }
    }

    /// Why a build failed.
    fn log(&self, program: Handle, device: Handle) -> String {
        type Function = unsafe extern "C" fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> c_int;
        const LOG: u32 = 0x1183;
        // SAFETY: as OpenCL declares it.
        let Ok(function) = (unsafe { self.function::<Function>("clGetProgramBuildInfo") }) else {
            return String::new();
        };
        let mut bytes = [0_u8; 4096];
        // SAFETY: the program and the device are valid, and there is as much room as is said; a longer log is an error.
        let status = unsafe {
            function(program, device, LOG, bytes.len(), bytes.as_mut_ptr().cast(), ptr::null_mut())
        };
        let log = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        if status == 0 {
            log.to_string_lossy().trim().replace('\n', "; ")
        } else {
            "its log is long".to_owned()
        }
    }

    /// Builds and runs a kernel on a platform's first device. What is made goes with the process.
    fn kernel(&self, platform: Handle) -> Result<(), String> {
        type Devices = unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> c_int;
        type Context =
            unsafe extern "C" fn(*const isize, u32, *const Handle, Handle, *mut c_void, *mut c_int) -> Handle;
        type Queue = unsafe extern "C" fn(Handle, Handle, u64, *mut c_int) -> Handle;
        type Program =
            unsafe extern "C" fn(Handle, u32, *const *const c_char, *const usize, *mut c_int) -> Handle;
        type Build =
            unsafe extern "C" fn(Handle, u32, *const Handle, *const c_char, Handle, *mut c_void) -> c_int;
        type Kernel = unsafe extern "C" fn(Handle, *const c_char, *mut c_int) -> Handle;
        type Buffer = unsafe extern "C" fn(Handle, u64, usize, *mut c_void, *mut c_int) -> Handle;
        type Argument = unsafe extern "C" fn(Handle, u32, usize, *const c_void) -> c_int;
        type Launch = unsafe extern "C" fn(
            Handle,
            Handle,
            u32,
            *const usize,
            *const usize,
            *const usize,
            u32,
            *const Handle,
            *mut Handle,
        ) -> c_int;
        type Read = unsafe extern "C" fn(
            Handle,
            Handle,
            u32,
            usize,
            usize,
            *mut c_void,
            u32,
            *const Handle,
            *mut Handle,
        ) -> c_int;
        const ALL: u64 = 0xffff_ffff;
        const COUNT: usize = 64;
        const BYTES: usize = COUNT * size_of::<i32>();
        let mut status = 0;
        let mut device = ptr::null_mut();
        // SAFETY: as OpenCL declares it.
        let devices: Devices = unsafe { self.function("clGetDeviceIDs") }?;
        // SAFETY: a platform that the loader gave, and room for one device.
        checked("clGetDeviceIDs", unsafe { devices(platform, ALL, 1, &raw mut device, ptr::null_mut()) })?;
        // SAFETY: as OpenCL declares it.
        let context: Context = unsafe { self.function("clCreateContext") }?;
        // SAFETY: one device, no properties, no function to be told.
        let context = unsafe {
            context(ptr::null(), 1, &raw const device, ptr::null_mut(), ptr::null_mut(), &raw mut status)
        };
        checked("clCreateContext", status)?;
        // SAFETY: as OpenCL declares it.
        let queue: Queue = unsafe { self.function("clCreateCommandQueue") }?;
        // SAFETY: the context is valid, and the device is of it.
        let queue = unsafe { queue(context, device, 0, &raw mut status) };
        checked("clCreateCommandQueue", status)?;
        // SAFETY: as OpenCL declares it.
        let program: Program = unsafe { self.function("clCreateProgramWithSource") }?;
        let text = SOURCE.as_ptr();
        // SAFETY: one text, which ends with a zero.
        let program = unsafe { program(context, 1, &raw const text, ptr::null(), &raw mut status) };
        checked("clCreateProgramWithSource", status)?;
        // SAFETY: as OpenCL declares it.
        let build: Build = unsafe { self.function("clBuildProgram") }?;
        // SAFETY: the program is valid; all devices, no options, nobody to be told.
        let built = unsafe { build(program, 0, ptr::null(), ptr::null(), ptr::null_mut(), ptr::null_mut()) };
        checked("clBuildProgram", built)
            .map_err(|failure| format!("{failure}: {}", self.log(program, device)))?;
        // SAFETY: as OpenCL declares it.
        let kernel: Kernel = unsafe { self.function("clCreateKernel") }?;
        // SAFETY: the program is built, and the name ends with a zero.
        let kernel = unsafe { kernel(program, c"first".as_ptr(), &raw mut status) };
        checked("clCreateKernel", status)?;
        // SAFETY: as OpenCL declares it.
        let buffer: Buffer = unsafe { self.function("clCreateBuffer") }?;
        // SAFETY: the context is valid; flags and contents are left out.
        let buffer = unsafe { buffer(context, 0, BYTES, ptr::null_mut(), &raw mut status) };
        checked("clCreateBuffer", status)?;
        // SAFETY: as OpenCL declares it.
        let argument: Argument = unsafe { self.function("clSetKernelArg") }?;
        // SAFETY: the kernel has one parameter, which is a buffer.
        let set = unsafe { argument(kernel, 0, size_of::<Handle>(), (&raw const buffer).cast()) };
        checked("clSetKernelArg", set)?;
        // SAFETY: as OpenCL declares it.
        let launch: Launch = unsafe { self.function("clEnqueueNDRangeKernel") }?;
        let size = COUNT;
        // SAFETY: one dimension, one size; no events.
        let launched = unsafe {
            launch(
                queue,
                kernel,
                1,
                ptr::null(),
                &raw const size,
                ptr::null(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        };
        checked("clEnqueueNDRangeKernel", launched)?;
        // SAFETY: as OpenCL declares it.
        let read: Read = unsafe { self.function("clEnqueueReadBuffer") }?;
        let mut values = [0_i32; COUNT];
        // SAFETY: as many bytes as the buffer and the array have; the call waits.
        let done = unsafe {
            read(queue, buffer, 1, 0, BYTES, values.as_mut_ptr().cast(), 0, ptr::null(), ptr::null_mut())
        };
        checked("clEnqueueReadBuffer", done)?;
        if values == [42; COUNT] { Ok(()) } else { Err("its results are wrong".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let mut report = Report::default();
        judge(text, None, &mut report);
        report.findings.iter().map(|finding| finding.problem.code()).collect()
    }

    #[test]
    fn what_the_child_says_is_judged() {
        let lines = |lines: &[Line]| {
            lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect::<String>()
        };
        let platforms =
            |names: &[&str]| Line::Platforms(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(found(&lines(&[platforms(&["other", PLATFORM]), Line::Kernel(None)])), [""; 0]);
        assert_eq!(found(&lines(&[platforms(&["other"])])), ["OX0823"]);
        assert_eq!(found(&lines(&[Line::Loader("no such file".to_owned())])), ["OX0823"]);
        let failed = Line::Kernel(Some("clBuildProgram gives -11".to_owned()));
        assert_eq!(found(&lines(&[platforms(&[PLATFORM]), failed])), ["OX0824"]);
        // It ended before the kernel did.
        assert_eq!(found(&lines(&[platforms(&[PLATFORM])])), ["OX0824"]);
    }

    #[test]
    fn the_library_that_ends_the_process_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        // In place of this program one that ends without a word where it is shown a certain file.
        let program = path(
            "oxcl",
            "#!/bin/sh\ncase ${OCL_ICD_VENDORS:-all} in all | *bad.icd) kill -ABRT $$ ;; *) echo said ;; esac\n",
        );
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut system = System::below(Path::new("/"));
        system.program = program;
        let vendors = [path("good.icd", ""), path("bad.icd", "")];
        let mut report = Report::default();
        blame(&system, &vendors, None, &mut report);
        assert!(report.findings[0].message.contains("bad.icd"), "{report:?}");
        assert!(report.findings[0].mend.ends_with("bad.icd.off"), "{report:?}");
    }
}
