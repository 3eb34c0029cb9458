//! Programs on the host's CPU, for all devices of this crate: an archive, the machine code of its kernels as far as it was
//! wanted, and the memory of its variables at program scope.
//!
//! In: a binary; better code of it later. Out: launches that are bound to a function. Code is chosen when a kernel is
//! launched first, and loaded when a function is.

use std::any::Any;
use std::sync::{Arc, Mutex};

use oxcl_driver::program::{ArgMemory, Binary, LaunchRequest, LaunchShape, Program};
use oxcl_driver::{CodeError, DriverError, Geometry, lock};

use crate::launch::{KernelTraits, PreparedLaunch};
use crate::loader::{Function, KernelCode, Target};
use crate::variables::ProgramMemory;

/// A program with its code, as far as it was wanted.
#[derive(Debug)]
pub(crate) struct CpuProgram {
    binary: Arc<Binary>,
    target: Target,
    /// The kernels' code, the best that there is.
    code: Vec<Mutex<Option<Arc<KernelCode>>>>,
    memory: Option<Arc<ProgramMemory>>,
}

fn no_kernel(kernel: usize) -> DriverError {
    DriverError::NoSuchKernel { kernel: format!("#{kernel}") }
}

impl CpuProgram {
    pub(crate) fn new(binary: &Arc<Binary>, target: Target) -> Result<Self, DriverError> {
        let memory = ProgramMemory::new(binary.meta())?.map(Arc::new);
        let code = binary.archive().kernels.iter().map(|_| Mutex::default()).collect();
        Ok(Self { binary: Arc::clone(binary), target, code, memory })
    }

    /// The program of a launch.
    pub(crate) fn of<'a>(request: &LaunchRequest<'a>) -> Result<&'a Self, DriverError> {
        let reason = "the program was built by another driver";
        let program = request.program.as_any().downcast_ref::<Self>();
        program.ok_or_else(|| DriverError::BadLaunch { reason: reason.to_owned() })
    }

    /// Bytes of each of a kernel's automatic local variables.
    pub(crate) fn automatic(&self, kernel: usize) -> Result<&[u64], DriverError> {
        let record = self.binary.archive().kernels.get(kernel);
        Ok(&record.ok_or_else(|| no_kernel(kernel))?.local_sizes)
    }

    fn code(&self, kernel: usize) -> Result<Arc<KernelCode>, DriverError> {
        let mut slot = lock(self.code.get(kernel).ok_or_else(|| no_kernel(kernel))?);
        if let Some(code) = &*slot {
            return Ok(Arc::clone(code));
        }
        let code = KernelCode::select(Arc::clone(&self.binary), kernel, self.target)?;
        Ok(Arc::clone(slot.insert(Arc::new(code))))
    }

    /// The best function that there is for an index space and arguments of this shape.
    pub(crate) fn function_for(
        &self,
        kernel: usize,
        geometry: &Geometry,
        shape: &LaunchShape,
    ) -> Result<Arc<Function>, DriverError> {
        Ok(self.code(kernel)?.function_for(geometry, shape)?)
    }

    /// Binds a launch of this shape to the best function that there is; `place` says where the memory of arguments is.
    pub(crate) fn bind(
        &self,
        request: &LaunchRequest<'_>,
        shape: &LaunchShape,
        place: impl Fn(&ArgMemory) -> *mut u8,
    ) -> Result<PreparedLaunch, DriverError> {
        let kernel = request.kernel;
        let function = self.function_for(kernel, &request.geometry, shape)?;
        let traits = KernelTraits::of(self.binary.kernel_meta(kernel));
        let automatic = self.automatic(kernel)?;
        let launch = PreparedLaunch::new(function, request.geometry, request.args, place, automatic, traits)?;
        Ok(launch.with_variables(self.memory.clone()))
    }
}

impl Program for CpuProgram {
    fn kernels(&self) -> Vec<String> {
        self.binary.archive().kernels.iter().map(|kernel| kernel.name.clone()).collect()
    }

    fn program_scope_bytes(&self) -> u64 {
        let variables = self.binary.meta().and_then(|meta| meta.variables.as_ref());
        variables.map_or(0, |variables| variables.bytes)
    }

    fn takes_better_code(&self) -> bool {
        self.target == Target::Native && self.binary.meta().is_some()
    }

    fn replace_kernel(&self, kernel: usize, later: &Arc<Binary>, position: usize) -> Result<(), DriverError> {
        if !self.takes_better_code() {
            return Err(CodeError::Fixed.into());
        }
        let code = KernelCode::select(Arc::clone(later), position, self.target)?;
        let mut slot = lock(self.code.get(kernel).ok_or_else(|| no_kernel(kernel))?);
        if let Some(old) = &*slot {
            code.adopt(old);
        }
        *slot = Some(Arc::new(code));
        Ok(())
    }

    fn add_function(&self, kernel: usize, shape: &LaunchShape, later: &Binary) -> Result<(), DriverError> {
        if !self.takes_better_code() {
            return Err(CodeError::Fixed.into());
        }
        // Where other code has taken the place of this meanwhile, it gets the function too.
        loop {
            let code = self.code(kernel)?;
            code.add(later.archive(), shape)?;
            if Arc::ptr_eq(&code, &self.code(kernel)?) {
                return Ok(());
            }
        }
    }

    fn is_specialised_for(&self, kernel: usize, shape: &LaunchShape) -> bool {
        self.code(kernel).is_ok_and(|code| code.is_specialised_for(shape))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
