//! The compile service of this process: `oxcl serve` in other processes.

use oxcl_runtime::{
    BuildRequest, Built, CompilerService as _, Compilers, ProcessCompilers, Program, Quality, Service,
};

use crate::log;

static COMPILERS: ProcessCompilers = ProcessCompilers::new();

/// The lock, to keep all others from it.
pub(crate) fn lock() -> impl std::any::Any {
    COMPILERS.lock()
}

/// The compilers of this process; standard error is told of improvements where it is told of builds.
fn compilers() -> Compilers {
    COMPILERS.get(|| {
        let logs = std::env::var("OXCL_LOG").is_ok_and(|value| log::wants_builds(&value));
        logs.then(log::observer)
    })
}

/// The service of this process.
pub(crate) fn service() -> Service {
    compilers().service
}

/// How good the code of a build shall be that somebody waits for.
pub(crate) fn quality() -> Quality {
    compilers().quality()
}

/// A program was built: better functions may be made of it.
pub(crate) fn improve(program: &Program, request: BuildRequest, built: &Built) {
    let compilers = compilers();
    if compilers.is_observed {
        log::built(built, program.kernel_names().count());
    }
    compilers.improve(program, request, built);
}

/// Nothing will be built soon.
pub(crate) fn end_idle() {
    service().end_idle();
}

/// Something will be built soon.
pub(crate) fn expect_builds() {
    service().prewarm();
}
