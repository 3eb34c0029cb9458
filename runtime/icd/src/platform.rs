//! The platform: there is one, it is always there, and nobody owns it.

use std::sync::OnceLock;

use oxcl_runtime::fork::{self, ForkLock};

use crate::args::{Memory, Out};
use crate::cl;
use crate::compiler;
use crate::device::Device;
use crate::handle::{self, Handle, Live, Object, Shared};
use crate::host::Host;
use crate::info::Reply;
use crate::names;
use crate::reported;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Int, NameVersion, Uint};

/// The platform's own data.
pub(crate) struct Platform;

impl Object for Platform {
    const TAG: u32 = 0x6f78_0001;
    const INVALID: Int = cl::INVALID_PLATFORM;
}

/// The platform and its devices, made when first asked for.
pub(crate) struct Root {
    pub(crate) platform: Shared<Platform>,
    pub(crate) devices: Vec<Shared<Device>>,
}

/// The one platform.
pub(crate) fn root() -> Answer<&'static Root> {
    static ROOT: OnceLock<Answer<Root>> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        // Everything else comes after this, so none of the locks is held.
        oxcl_runtime::survive_forks();
        fork::hold(&[
            ForkLock { rank: 1, hold: || Box::new(crate::device::lock()), in_child: None },
            ForkLock { rank: 2, hold: || Box::new(compiler::lock()), in_child: None },
            ForkLock { rank: 90, hold: || Box::new(handle::lock()), in_child: None },
            // What is made once, before the locks that making it takes. The last to be entered: this function takes none of
            // the locks above while somebody waits for its end.
            ForkLock { rank: 0, hold: || Box::new(root().is_ok()), in_child: None },
            ForkLock { rank: 3, hold: || Box::new(std::ptr::from_ref(Host::get())), in_child: None },
            ForkLock { rank: 4, hold: || Box::new(crate::printing::standard_output()), in_child: None },
        ]);
        Ok(Root { platform: Live::begin(Platform)?, devices: crate::device::all()? })
    });
    root.as_ref().map_err(|status| *status)
}

/// The platform that a handle names; NULL names ours, which the specification leaves to the implementation.
pub(crate) fn known(platform: Handle<Platform>) -> Answer<&'static Root> {
    let root = root()?;
    // CL_INVALID_PLATFORM if platform is not a valid platform (4.1).
    ensure(platform.is_null() || platform == root.platform.handle(), cl::INVALID_PLATFORM)?;
    Ok(root)
}

/// `clGetPlatformIDs` and `clIcdGetPlatformIDsKHR`.
pub(crate) fn get_ids(entries: Uint, platforms: Out<Handle<Platform>>, count: Out<Uint>) -> Answer {
    // CL_INVALID_VALUE if there is a list of no entries, or if nothing is asked for (4.1).
    ensure(platforms.is_null() || entries > 0, cl::INVALID_VALUE)?;
    ensure(!platforms.is_null() || !count.is_null(), cl::INVALID_VALUE)?;
    platforms.set(root()?.platform.handle());
    count.set(1);
    Ok(())
}

/// `clGetPlatformInfo`.
pub(crate) fn get_info(
    platform: Handle<Platform>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    known(platform)?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::PLATFORM_PROFILE => reply.text("FULL_PROFILE"),
        cl::PLATFORM_VERSION => reply.text(reported::PLATFORM_VERSION),
        cl::PLATFORM_NUMERIC_VERSION => reply.value(reported::PLATFORM_NUMERIC_VERSION),
        cl::PLATFORM_NAME => reply.text(names::platform()),
        cl::PLATFORM_VENDOR => reply.text(names::vendor()),
        cl::PLATFORM_EXTENSIONS => reply.text(&reported::extension_names(reported::PLATFORM_EXTENSIONS)),
        cl::PLATFORM_EXTENSIONS_WITH_VERSION => {
            let all: Vec<NameVersion> = reported::with_versions(reported::PLATFORM_EXTENSIONS);
            reply.slice(&all)
        }
        // cl_khr_icd: the suffix of this vendor's extension functions.
        cl::PLATFORM_ICD_SUFFIX_KHR => reply.text("OXCL"),
        // Devices tell time in nanoseconds of one clock.
        cl::PLATFORM_HOST_TIMER_RESOLUTION => reply.value(1_u64),
        // CL_INVALID_VALUE if param_name is none of the supported values (4.1).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// `clUnloadCompiler`: compilers that have nothing to do end.
pub(crate) fn unload_compiler() -> Answer {
    compiler::end_idle();
    Ok(())
}

/// `clUnloadPlatformCompiler`: the same.
pub(crate) fn unload_platform_compiler(platform: Handle<Platform>) -> Answer {
    // CL_INVALID_PLATFORM if platform is not a valid platform (5.8.6); NULL is none here.
    ensure(!platform.is_null(), cl::INVALID_PLATFORM)?;
    known(platform)?;
    compiler::end_idle();
    Ok(())
}

impl From<std::collections::TryReserveError> for Status {
    fn from(_: std::collections::TryReserveError) -> Self {
        Self(cl::OUT_OF_HOST_MEMORY)
    }
}
