//! Launches: arguments and context in the layout that 32-bit code reads.

use crate::map::{PRINT_HEAD, Plan};
use crate::program::{Kernel, TtaProgram};
use crate::variables::ProgramMemory;
use oxcl_binary::abi::{ABI_VERSION, Context32};
use oxcl_driver::printer::Printer;
use oxcl_driver::program::{ArgMemory, ArgValue, LaunchRequest};
use oxcl_driver::{DriverError, Failure, Lane, Launch};
use std::any::Any;
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the context.
const CONTEXT: usize = size_of::<Context32>();
/// Where a context counts what found no room in the print buffer.
pub(crate) const PRINT_DROPPED: u64 = offset_of!(Context32, printf_dropped) as u64;
/// Alignment of argument cells.
const CELL: usize = 16;

/// A launch, ready to be put into a slot.
#[derive(Debug, Clone)]
pub(crate) struct TtaLaunch {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) name: String,
    pub(crate) groups: [u32; 3],
    /// Keeps the memory of the arguments.
    args: Vec<ArgValue<ArgMemory, Box<[u8]>>>,
    /// Keeps the variables at program scope.
    _variables: Option<Arc<ProgramMemory>>,
    context: [u8; CONTEXT],
    /// What collects its text.
    pub(crate) printer: Arc<Printer>,
    /// Cycles that the last execution took.
    cycles: Arc<AtomicU64>,
}

impl Launch for TtaLaunch {
    fn groups(&self) -> u64 {
        self.groups.iter().map(|g| u64::from(*g)).product()
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        let reason = "threads of the host do not execute launches of this device".to_owned();
        Err(Failure::Driver(DriverError::BadLaunch { reason }))
    }

    fn label(&self) -> &str {
        &self.name
    }

    fn cycles(&self) -> Option<u64> {
        // Relaxed: whoever asks has seen the end of the execution's event, which is later and orders this.
        Some(self.cycles.load(Ordering::Relaxed))
    }

    fn printer(&self) -> Option<&Printer> {
        Some(&self.printer)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl TtaLaunch {
    /// Checks what only this device can check and lays the context out.
    pub(crate) fn new(
        request: &LaunchRequest<'_>,
        program: &TtaProgram,
        plan: &Plan,
        variables: Option<Arc<ProgramMemory>>,
    ) -> Result<Self, DriverError> {
        let bad = |reason: String| DriverError::BadLaunch { reason };
        let no_kernel = || DriverError::NoSuchKernel { kernel: format!("#{}", request.kernel) };
        let (name, kernel) = program.kernels.get(request.kernel).ok_or_else(no_kernel)?;
        let (name, kernel) = (name.clone(), Arc::clone(kernel));
        let geometry = request.geometry;
        let too_large = || bad("sizes of 2^32 work-items and more do not fit a 32-bit device".to_owned());
        let word = |value: u64| u32::try_from(value).map_err(|_| too_large());
        let words = |all: [u64; 3]| Ok::<_, DriverError>([word(all[0])?, word(all[1])?, word(all[2])?]);
        let groups = words(geometry.groups)?;
        let mut context = [0; CONTEXT];
        let mut put = |at: usize, value: u32| context[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let three = [
            (offset_of!(Context32, num_groups), groups),
            (offset_of!(Context32, global_offset), words(geometry.offset)?),
            (offset_of!(Context32, local_size), words(geometry.local)?),
            (offset_of!(Context32, global_size), words(geometry.global)?),
        ];
        for (at, values) in three {
            for (k, value) in values.into_iter().enumerate() {
                put(at + 4 * k, value);
            }
        }
        let address = |address: u64| u32::try_from(address).unwrap_or(u32::MAX);
        put(offset_of!(Context32, printf_buffer), address(plan.print.start + PRINT_HEAD));
        put(offset_of!(Context32, printf_buffer_position), address(plan.print.start));
        put(offset_of!(Context32, printf_buffer_capacity), address(plan.print.size - PRINT_HEAD));
        put(offset_of!(Context32, global_var_buffer), variables.as_ref().map_or(0, |v| address(v.address())));
        put(offset_of!(Context32, work_dim), geometry.work_dim);
        put(offset_of!(Context32, abi), ABI_VERSION);
        let needs = kernel.needs;
        let items = geometry.local.iter().try_fold(1u64, |p, s| p.checked_mul(*s)).ok_or_else(too_large)?;
        let items = items.next_multiple_of(u64::from(needs.width.max(1)));
        let scratch = items.saturating_mul(needs.scratch_per_item).saturating_add(needs.scratch_fixed);
        if scratch > plan.scratch.size {
            let room = plan.scratch.size;
            return Err(bad(format!(
                "a work-group needs {scratch} bytes of scratch memory, there are {room}"
            )));
        }
        // What is above the highest aligned address is no stack.
        let room = plan.stack_top().saturating_sub(plan.stack.start);
        if needs.stack > room {
            let stack = needs.stack;
            return Err(bad(format!("the kernel needs {stack} bytes of stack, there are {room}")));
        }
        let args = request.args.iter().map(ArgValue::kept).collect();
        let (printer, cycles) = (Arc::new(Printer::default()), Arc::default());
        let launch = Self { kernel, name, groups, args, _variables: variables, context, printer, cycles };
        let (needed, room) = (launch.encode(0, &mut |_| Some(0)).map_or(0, |b| b.len()), plan.block(0).size);
        if needed as u64 > room {
            return Err(bad(format!("arguments and context need {needed} bytes, there are {room}")));
        }
        Ok(launch)
    }

    /// An execution has taken so many cycles; the end of its event is not told yet.
    pub(crate) fn took(&self, cycles: u64) {
        // Relaxed: read after the event's end, which is told later.
        self.cycles.store(cycles, Ordering::Relaxed);
    }

    /// Another handle to the same launch, for as long as the launch itself lives.
    pub(crate) fn share(&self) -> Self {
        // The platform must not let go of program's memory while it holds the lock that freeing it takes.
        Self { _variables: None, ..self.clone() }
    }

    /// Bytes of local memory that a group needs, one number for each block.
    pub(crate) fn local_blocks(&self) -> impl Iterator<Item = u64> + '_ {
        let given = self.args.iter().filter_map(|a| match a {
            ArgValue::Local(size) => Some(*size),
            _ => None,
        });
        given.chain(self.kernel.locals.iter().copied())
    }

    /// The block of arguments and context for the address that it goes to: an array of the cells' addresses, the context, and
    /// the cells. `local` gives the addresses of local blocks, in the order of [`Self::local_blocks`].
    pub(crate) fn encode(&self, start: u64, local: &mut dyn FnMut(u64) -> Option<u64>) -> Option<Vec<u8>> {
        let mut cells: Vec<Vec<u8>> = Vec::new();
        let pointer = |address: u64| u32::try_from(address).ok().map(|a| a.to_le_bytes().to_vec());
        for argument in &self.args {
            cells.push(match argument {
                ArgValue::Value(bytes) => bytes.to_vec(),
                ArgValue::Buffer(memory) => pointer(memory.allocation.address + memory.offset)?,
                ArgValue::Pointer(address) => pointer(*address)?,
                ArgValue::Null => pointer(0)?,
                ArgValue::Local(size) => pointer(local(*size)?)?,
                // The capabilities say that there are none.
                ArgValue::Image(..) | ArgValue::Sampler(_) => return None,
            });
        }
        for size in &self.kernel.locals {
            cells.push(pointer(local(*size)?)?);
        }
        let context = (cells.len() * 4).next_multiple_of(CELL);
        let mut at = (context + CONTEXT).next_multiple_of(CELL);
        let mut block = vec![0; context];
        block.extend_from_slice(&self.context);
        for (number, cell) in cells.iter().enumerate() {
            let address = u32::try_from(start + at as u64).ok()?;
            block[number * 4..number * 4 + 4].copy_from_slice(&address.to_le_bytes());
            block.resize(at, 0);
            block.extend_from_slice(cell);
            at = (at + cell.len().max(1)).next_multiple_of(CELL);
        }
        block.resize(at, 0);
        Some(block)
    }

    /// Where the context is in the block.
    pub(crate) fn context_offset(&self) -> u64 {
        ((self.args.len() + self.kernel.locals.len()) * 4).next_multiple_of(CELL) as u64
    }
}
