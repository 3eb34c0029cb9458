//! A launch made ready, and the running of its work-groups on the calling thread.
//!
//! In: a loaded function, an index space, arguments; all checked. Out: [`PreparedLaunch`], which any number of threads
//! may run parts of at the same time, each with a [`Worker`] of its own. Which thread runs what is for others to say.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxcl_binary::abi::{
    ABI_VERSION, Context, MemoryRanges, NativeEntry, PoclContext96, PoclContext112, PoclEntry, PrintBlock,
    RefEntry, RefItem,
};

use oxcl_binary::meta::KernelMeta;
use oxcl_driver::History;
use oxcl_driver::command::{EntryKind, LaunchFacts};
use oxcl_driver::printer::Printer;
use oxcl_driver::program::ArgValue;

use crate::arguments::{Argument, Cells};
use crate::faults::{self, Ended, RawFault};
use crate::floating::FloatingMode;
use crate::foreign::PoclLayout;
use crate::histories::Key;
use crate::loader::{Entry, Function};
use crate::nonlocal::{self, Frame};
use crate::print;
use crate::variables::ProgramMemory;
use crate::worker::Worker;
use oxcl_driver::Geometry;
use oxcl_driver::fault::{Fault, GroupRun, KernelFailure, OutOfResources, Resource};

/// A launch that is ready to run.
#[derive(Debug)]
pub struct PreparedLaunch {
    number: u64,
    function: Arc<Function>,
    geometry: Geometry,
    cells: Arc<Cells>,
    context: Context,
    scratch_bytes: u64,
    /// What [`Self::grain`] says.
    grain: u64,
    /// The kernel asks where local and private memory lie.
    asks_ranges: bool,
    traits: KernelTraits,
    printer: Arc<Printer>,
    history: Arc<History>,
    /// Keeps the variables at program scope.
    variables: Option<Arc<ProgramMemory>>,
}

/// What a launch has to know of a kernel beside its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelTraits {
    /// It may call a work-group barrier.
    pub has_barrier: bool,
    /// It may call printf.
    pub prints: bool,
    /// The size of a sub-group, which the reference executor reports.
    pub sub_group_size: u32,
    /// Local memory is cleared before each work-group.
    pub zero_local: bool,
}

impl KernelTraits {
    /// What the facts say; a kernel without facts may do anything.
    #[must_use]
    pub fn of(facts: Option<&KernelMeta>) -> Self {
        Self {
            has_barrier: facts.is_none_or(|facts| facts.barrier),
            prints: facts.is_none_or(|facts| facts.printf),
            sub_group_size: facts.map_or(1, |facts| facts.sub_group_size.max(1)),
            zero_local: facts.is_some_and(|facts| facts.zero_local),
        }
    }
}

// SAFETY: the pointers inside lead to argument cells that the launch owns and nobody writes while it runs, and to
// buffers, which whoever runs the launch keeps alive and says who else may touch.
unsafe impl Send for PreparedLaunch {}
// SAFETY: as above; a launch is not changed after it was made.
unsafe impl Sync for PreparedLaunch {}

impl PreparedLaunch {
    /// Binds `arguments`, in the kernel's order, whose memory is where `place` says, and the kernel's automatic local variables, of `automatic` bytes each.
    ///
    /// # Errors
    /// [`OutOfResources`] when the arguments find no memory.
    pub fn new<M, V: AsRef<[u8]>>(
        function: Arc<Function>,
        geometry: Geometry,
        arguments: &[ArgValue<M, V>],
        place: impl Fn(&M) -> *mut u8,
        automatic: &[u64],
        traits: KernelTraits,
    ) -> Result<Self, OutOfResources> {
        let (scratch_bytes, asks_ranges) = needs_of(&function, &geometry)?;
        let alone =
            automatic.is_empty() && !arguments.iter().any(|argument| matches!(argument, ArgValue::Local(_)));
        let grain = if alone && !traits.has_barrier { function.groups_in_row(&geometry) } else { 1 };
        Ok(Self {
            grain,
            history: function.histories.of(Key::new(geometry, arguments)),
            number: next_number(),
            cells: Arc::new(Cells::new(arguments, place, automatic)?),
            context: context(&geometry),
            function,
            geometry,
            scratch_bytes,
            asks_ranges,
            traits,
            printer: Arc::default(),
            variables: None,
        })
    }

    /// The same launch with other arguments; what it prints goes where this one's goes.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn with_arguments(
        &self,
        arguments: &[Argument<'_>],
        automatic: &[u64],
    ) -> Result<Self, OutOfResources> {
        let function = Arc::clone(&self.function);
        let mut launch =
            Self::new(function, self.geometry, arguments, |place| *place, automatic, self.traits)?;
        launch.context = self.context;
        launch.printer = Arc::clone(&self.printer);
        launch.variables.clone_from(&self.variables);
        Ok(launch)
    }

    /// The same launch with another function of the same kernel. What executions have shown goes on to be kept where this one's is.
    ///
    /// # Errors
    /// The function's needs cannot be counted.
    pub(crate) fn with_function(&self, function: Arc<Function>) -> Result<Self, OutOfResources> {
        let (scratch_bytes, asks_ranges) = needs_of(&function, &self.geometry)?;
        Ok(Self {
            number: next_number(),
            function,
            geometry: self.geometry,
            cells: Arc::clone(&self.cells),
            context: self.context,
            scratch_bytes,
            grain: self.grain,
            asks_ranges,
            traits: self.traits,
            printer: Arc::clone(&self.printer),
            history: Arc::clone(&self.history),
            variables: self.variables.clone(),
        })
    }

    /// Whether this is the function that runs.
    pub(crate) fn has_function(&self, function: &Arc<Function>) -> bool {
        Arc::ptr_eq(&self.function, function)
    }

    /// The same with the memory of the program's variables at program scope.
    #[must_use]
    pub fn with_variables(mut self, variables: Option<Arc<ProgramMemory>>) -> Self {
        self.context.pocl.global_var_buffer =
            variables.as_ref().map_or(std::ptr::null_mut(), |memory| memory.address());
        self.variables = variables;
        self
    }

    /// The number of work-groups.
    #[must_use]
    pub fn group_count(&self) -> u64 {
        self.geometry.group_count()
    }

    /// Neighbouring groups that may be lanes of one vector, and then take about as long together as one of them.
    #[must_use]
    pub fn grain(&self) -> u64 {
        self.grain
    }

    /// The index space.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Which entry the launch calls.
    #[must_use]
    pub fn entry_kind(&self) -> EntryKind {
        match self.function.entry {
            Entry::Native(..) => EntryKind::Native,
            Entry::Pocl(..) => EntryKind::Foreign,
            Entry::Reference(_) => EntryKind::Reference,
        }
    }

    /// What there is to know of it.
    #[must_use]
    pub fn facts(&self) -> LaunchFacts<'_> {
        let function = &self.function;
        LaunchFacts {
            entry: self.entry_kind(),
            cpu: function.cpu.as_deref(),
            width: function.width(),
            specialised: function.is_specialised(),
        }
    }

    /// What executions of such launches have shown.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// What collects the text that the kernel prints.
    #[must_use]
    pub fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Whether the kernel may print: nobody knows what those of other compilers do.
    pub(crate) fn prints(&self) -> bool {
        self.traits.prints || self.entry_kind() == EntryKind::Foreign
    }

    /// Whether local memory has to be zero where a work-group begins, and there is some.
    pub(crate) fn clears_local(&self) -> bool {
        self.traits.zero_local && !self.cells.locals.is_empty()
    }

    /// Gives `worker` the memory that [`Self::run_groups`] needs. Comes before the command starts.
    ///
    /// # Errors
    /// [`OutOfResources`]; the worker stays usable.
    #[inline]
    pub fn prepare(&self, worker: &mut Worker) -> Result<(), OutOfResources> {
        if worker.is_bound_to(self.number) {
            return Ok(());
        }
        worker.reserve(self.scratch_bytes, &self.cells, self.prints())
    }

    /// Runs `count` work-groups, from the one with linear index `first` on (x fastest), on this thread.
    ///
    /// # Errors
    /// The kernel's failure; groups after the failing one are not run.
    ///
    /// # Safety
    /// `worker` was prepared for this launch, and for no launch with other needs since. The groups exist. The buffers
    /// that the arguments point to are alive, and whoever else touches them now synchronises with the kernel. The
    /// kernel keeps to them: nothing here stops it from writing elsewhere.
    pub unsafe fn run_groups(
        &self,
        first: u64,
        count: u64,
        worker: &mut Worker,
    ) -> Result<(), KernelFailure> {
        if worker.bind(self.number, &self.cells) && self.asks_ranges {
            worker.write_ranges(&self.cells, self.scratch_bytes);
        }
        let _mode = FloatingMode::enter(self.function.flush_denorms);
        // What a group prints is taken before the next begins, and what it leaves in local memory may have to be cleared.
        let (clears, end) = (self.clears_local(), first + count);
        let alone = clears || self.prints();
        let mut next = first;
        while next < end {
            let run = self.geometry.run_at(next, if alone { 1 } else { end - next });
            if clears {
                let (memory, bytes) = worker.local_memory(&self.cells);
                // SAFETY: the memory is the worker's alone, was reserved for these cells, and no work-item runs.
                unsafe { memory.write_bytes(0, bytes) };
            }
            match self.function.entry {
                // SAFETY: the arguments and the scratch memory are bound for this function.
                Entry::Native(entry, _) => unsafe { self.run_native(entry, run, worker) },
                // SAFETY: the arguments are bound for this function.
                Entry::Pocl(entry, layout) => unsafe { self.run_pocl(entry, layout, run, worker) },
                // SAFETY: the arguments are bound for this function.
                Entry::Reference(entry) => unsafe { self.run_reference(entry, run, worker) },
            }?;
            next += run.count;
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Self::run_groups`]; `entry` is this launch's.
    unsafe fn run_native(
        &self,
        entry: NativeEntry,
        run: GroupRun,
        worker: &mut Worker,
    ) -> Result<(), KernelFailure> {
        let mut frame = Frame::default();
        let mut printing = self.context;
        let context = if self.prints() {
            let block = worker.print_block();
            printing.pocl.printf_buffer = block.buffer;
            printing.pocl.printf_buffer_position = block.position;
            printing.pocl.printf_buffer_capacity = block.capacity;
            &raw mut printing
        } else {
            (&raw const self.context).cast_mut()
        };
        let mut call =
            NativeCall { entry, arguments: worker.arguments(), context, run, scratch: worker.scratch() };
        let data = (&raw mut call).cast();
        // SAFETY: the call's parts are those that the entry takes; neither `call_native` nor a kernel has destructors.
        let ended = unsafe {
            faults::call(self.function.image.range(), &raw mut frame, worker.stack(), call_native, data)
        };
        if self.prints() {
            // SAFETY: the context is this function's own copy, and the call that wrote to it is over.
            let dropped = unsafe { (*context).pocl.printf_dropped };
            let mut block = PrintBlock { dropped, ..worker.print_block() };
            // SAFETY: the block is the worker's, and the kernel has returned; its formats are its constants.
            unsafe { print::drain(&self.printer, &raw mut block, self.function.image.range()) };
        }
        match ended {
            Ended::Returned => Ok(()),
            Ended::Left => Err(self.gave_up(run)),
            Ended::Faulted(fault) => Err(self.fault(fault, run)),
        }
    }

    /// # Safety
    /// As for [`Self::run_groups`]; `entry` and `layout` are this launch's.
    unsafe fn run_pocl(
        &self,
        entry: PoclEntry,
        layout: PoclLayout,
        run: GroupRun,
        worker: &mut Worker,
    ) -> Result<(), KernelFailure> {
        let block = worker.print_block();
        let (printf_buffer, printf_buffer_position, printf_buffer_capacity) =
            (block.buffer, block.position, block.capacity);
        // The entry may write to its context: each run has its own.
        let mut long = PoclContext112 {
            printf_buffer,
            printf_buffer_position,
            printf_buffer_capacity,
            ..self.context.pocl
        };
        let mut short = PoclContext96 {
            num_groups: long.num_groups,
            global_offset: long.global_offset,
            local_size: long.local_size,
            printf_buffer,
            printf_buffer_position,
            printf_buffer_capacity,
            work_dim: long.work_dim,
        };
        let long = &raw mut long;
        let (context, failed) = match layout {
            PoclLayout::Bytes96 => ((&raw mut short).cast(), std::ptr::null()),
            // SAFETY: the field lies inside the structure.
            PoclLayout::Bytes112 => (long.cast(), unsafe { &raw const (*long).execution_failed }),
        };
        let mut frame = Frame::default();
        let mut call =
            PoclCall { entry, arguments: worker.arguments(), context, failed, run, done: 0, gave_up: false };
        let call = &raw mut call;
        // SAFETY: the call's parts are those that the entry takes; neither `call_pocl` nor a kernel has destructors.
        let ended = unsafe {
            faults::call(self.function.image.range(), &raw mut frame, worker.stack(), call_pocl, call.cast())
        };
        // SAFETY: the structure is this function's own, and the call that wrote to it is over.
        let PoclCall { done, gave_up, .. } = unsafe { call.read() };
        self.printer.add(&worker.take_printed(), 0);
        let [x, y, z] = run.first;
        let current = GroupRun { first: [x + done, y, z], count: 1 };
        match ended {
            Ended::Returned if !gave_up => Ok(()),
            Ended::Returned | Ended::Left => Err(self.gave_up(current)),
            Ended::Faulted(fault) => Err(self.fault(fault, current)),
        }
    }

    /// Runs the items of each group one after another, which is sound only without barriers.
    ///
    /// # Safety
    /// As for [`Self::run_groups`]; `entry` is this launch's.
    unsafe fn run_reference(
        &self,
        entry: RefEntry,
        run: GroupRun,
        worker: &mut Worker,
    ) -> Result<(), KernelFailure> {
        let [x, y, z] = run.first;
        let mut block = worker.print_block();
        let block = &raw mut block;
        for group in x..x + run.count {
            let current = GroupRun { first: [group, y, z], count: 1 };
            for index in 0..self.geometry.items_of(current.first) {
                let mut frame = Frame::default();
                let mut item = self.item(current.first, index);
                item.barrier = Some(unexpected);
                item.executor = (&raw mut frame).cast();
                item.print = block;
                item.ranges = worker.ranges(&self.cells, 0);
                let mut call = ItemCall { entry, arguments: worker.arguments(), item: &raw const item };
                let data = (&raw mut call).cast();
                // SAFETY: the call's parts are those that the entry takes; nothing that runs in it has destructors.
                let ended = unsafe {
                    faults::call(self.function.image.range(), &raw mut frame, worker.stack(), call_item, data)
                };
                if self.prints() {
                    // SAFETY: the block is this function's, over the worker's buffer; the kernel has returned.
                    unsafe { print::drain(&self.printer, block, self.function.image.range()) };
                }
                match ended {
                    Ended::Returned => {}
                    Ended::Left => {
                        return Err(KernelFailure::UnexpectedBarrier {
                            kernel: self.function.kernel.clone(),
                        });
                    }
                    Ended::Faulted(fault) => return Err(self.fault(fault, current)),
                }
            }
        }
        Ok(())
    }

    /// The reference executor's entry, where this is a launch for it whose items need threads of their own.
    pub(crate) fn needs_team(&self) -> Option<RefEntry> {
        match self.function.entry {
            Entry::Reference(entry) if self.traits.has_barrier => Some(entry),
            _ => None,
        }
    }

    pub(crate) fn cells(&self) -> (u64, &Cells) {
        (self.number, &self.cells)
    }

    pub(crate) fn image_range(&self) -> (usize, usize) {
        self.function.image.range()
    }

    pub(crate) fn flush_denorms(&self) -> bool {
        self.function.flush_denorms
    }

    pub(crate) fn kernel(&self) -> &str {
        &self.function.kernel
    }

    /// The work-item with linear index `index` of `group`, without callbacks.
    pub(crate) fn item(&self, group: [u64; 3], index: u64) -> RefItem {
        let Geometry { work_dim, groups, local, global, offset } = self.geometry;
        RefItem {
            abi: ABI_VERSION,
            work_dim,
            local_id: self.geometry.local_id(group, index),
            group_id: group,
            num_groups: groups,
            global_offset: offset,
            local_size: local,
            global_size: global,
            sub_group_size: u64::from(self.traits.sub_group_size),
            barrier: None,
            executor: std::ptr::null_mut(),
            print: std::ptr::null_mut(),
            program_variables: self.context.pocl.global_var_buffer,
            meet: None,
            cells: std::ptr::null_mut(),
            met: 0,
            ranges: MemoryRanges::default(),
        }
    }

    pub(crate) fn sub_group_size(&self) -> u32 {
        self.traits.sub_group_size
    }

    fn gave_up(&self, groups: GroupRun) -> KernelFailure {
        KernelFailure::ExecutionFailed { kernel: self.function.kernel.clone(), groups }
    }

    pub(crate) fn fault(&self, fault: RawFault, groups: GroupRun) -> KernelFailure {
        KernelFailure::Fault(Fault {
            signal: fault.signal,
            address: fault.address,
            stack_overflow: fault.stack_overflow,
            instruction: fault.instruction,
            kernel: self.function.kernel.clone(),
            groups,
        })
    }
}

/// A number that no other launch has.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Relaxed: the number only has to differ from all others.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Bytes of scratch memory that a thread needs for work-groups of this size, and whether the kernel asks where memory lies.
fn needs_of(function: &Function, geometry: &Geometry) -> Result<(u64, bool), OutOfResources> {
    match function.entry {
        Entry::Native(_, constants) => {
            let bytes = constants.scratch_bytes(geometry.local);
            Ok((bytes.ok_or(OutOfResources::of(Resource::Scratch, u64::MAX))?, constants.scratch_fixed > 0))
        }
        Entry::Pocl(..) | Entry::Reference(_) => Ok((0, false)),
    }
}

fn context(geometry: &Geometry) -> Context {
    Context {
        pocl: PoclContext112 {
            num_groups: geometry.groups,
            global_offset: geometry.offset,
            local_size: geometry.local,
            printf_buffer: std::ptr::null_mut(),
            printf_buffer_position: std::ptr::null_mut(),
            printf_buffer_capacity: 0,
            printf_dropped: 0,
            global_var_buffer: std::ptr::null_mut(),
            work_dim: geometry.work_dim,
            execution_failed: 0,
        },
        reserved: [0; 16],
        abi: ABI_VERSION,
        reserved2: 0,
        global_size: geometry.global,
    }
}

struct NativeCall {
    entry: NativeEntry,
    arguments: *const *mut c_void,
    context: *const Context,
    run: GroupRun,
    scratch: *mut u8,
}

/// # Safety
/// `data` is a [`NativeCall`] whose parts fit its entry.
unsafe extern "C" fn call_native(data: *mut c_void) {
    // SAFETY: by the caller's promise.
    let call = unsafe { &*data.cast::<NativeCall>() };
    let [x, y, z] = call.run.first;
    // SAFETY: by the caller's promise.
    unsafe { (call.entry)(call.arguments, call.context, x, y, z, call.run.count, call.scratch) };
}

struct PoclCall {
    entry: PoclEntry,
    arguments: *const *mut c_void,
    context: *mut c_void,
    /// Where the entry says that it cannot go on; null where the layout has no such place.
    failed: *const u32,
    run: GroupRun,
    /// Groups that have run.
    done: u64,
    gave_up: bool,
}

/// # Safety
/// `data` is a [`PoclCall`] whose parts fit its entry.
unsafe extern "C" fn call_pocl(data: *mut c_void) {
    // SAFETY: by the caller's promise.
    let call = unsafe { &mut *data.cast::<PoclCall>() };
    let [x, y, z] = call.run.first;
    while call.done < call.run.count {
        // SAFETY: by the caller's promise.
        unsafe { (call.entry)(call.arguments, call.context, x + call.done, y, z) };
        // SAFETY: null or a field of the context.
        if unsafe { call.failed.as_ref() }.is_some_and(|failed| *failed != 0) {
            call.gave_up = true;
            return;
        }
        call.done += 1;
    }
}

pub(crate) struct ItemCall {
    pub(crate) entry: RefEntry,
    pub(crate) arguments: *const *mut c_void,
    pub(crate) item: *const RefItem,
}

/// # Safety
/// `data` is an [`ItemCall`] whose parts fit its entry.
pub(crate) unsafe extern "C" fn call_item(data: *mut c_void) {
    // SAFETY: by the caller's promise.
    let call = unsafe { &*data.cast::<ItemCall>() };
    // SAFETY: by the caller's promise.
    unsafe { (call.entry)(call.arguments, call.item) };
}

/// The barrier of a kernel that is said to have none.
unsafe extern "C" fn unexpected(item: *const RefItem, _flags: u32) {
    // SAFETY: the item is the one that `run_reference` passed in.
    let frame = unsafe { (*item).executor }.cast::<Frame>();
    // SAFETY: the frame is that of the item's call on this thread; no frame in between has a destructor.
    unsafe { nonlocal::leave(frame) }
}
