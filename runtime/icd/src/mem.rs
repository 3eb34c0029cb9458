//! Memory objects: what buffers, parts of buffers and images have in common.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxcl_runtime::{Mapping, Prepared};

use crate::args::Memory;
use crate::cl;
use crate::context::Context;
use crate::handle::{Handle, Live, Object, Shared, Weak};
use crate::kernel::Kernel;
use crate::status::{Answer, Status, refuse};
use crate::types::{Bitfield, Int, Property, UserData};

/// What is called when a memory object goes.
pub(crate) type MemDestructor = Option<unsafe extern "C" fn(Handle<Mem>, UserData)>;

/// A buffer, a part of one, or an image.
pub(crate) struct Mem {
    pub(crate) context: Shared<Context>,
    /// As reported: with what a part takes over from its whole.
    pub(crate) flags: Bitfield,
    /// Where the application's memory is; NULL unless the buffer uses it in place.
    pub(crate) host: Memory,
    /// Its memory.
    pub(crate) buffer: oxcl_runtime::Buffer,
    /// What it is, if it is an image.
    pub(crate) image: Option<oxcl_runtime::Image>,
    /// The object that this one is a part of or made of, and where it begins there.
    pub(crate) parent: Option<(Shared<Mem>, usize)>,
    /// As given, with the 0 at the end; empty where none were.
    pub(crate) properties: Vec<Property>,
    /// Whether the application may ask for its address on the device.
    pub(crate) has_device_address: bool,
    mappings: Mutex<Vec<Mapping>>,
    destructors: Mutex<Vec<(unsafe extern "C" fn(Handle<Mem>, UserData), UserData)>>,
    /// Whether there is any of them: then commands keep the object, as it may not go before they have ended. Those that
    /// were enqueued before are kept for as a whole.
    awaited: AtomicBool,
    /// Kernels that remember launches with this object.
    users: Mutex<Vec<Weak<Kernel>>>,
}

impl Object for Mem {
    const TAG: u32 = 0x6f78_0006;
    const INVALID: Int = cl::INVALID_MEM_OBJECT;

    fn gone(&mut self, handle: Handle<Mem>) {
        let users = std::mem::take(self.users.get_mut().unwrap_or_else(PoisonError::into_inner));
        for kernel in users.iter().filter_map(|known| known.upgrade()) {
            kernel.forget_launches();
        }
        let calls = std::mem::take(self.destructors.get_mut().unwrap_or_else(PoisonError::into_inner));
        // The last one registered is called first (5.5.2).
        for (call, data) in calls.into_iter().rev() {
            // SAFETY: the application registered the function for this call.
            unsafe { call(handle, data) };
        }
    }
}

impl Mem {
    pub(crate) fn new(
        context: Shared<Context>,
        flags: Bitfield,
        host: Memory,
        buffer: oxcl_runtime::Buffer,
    ) -> Mem {
        Mem {
            context,
            flags,
            host,
            buffer,
            image: None,
            parent: None,
            properties: Vec::new(),
            has_device_address: false,
            mappings: Mutex::default(),
            destructors: Mutex::default(),
            awaited: AtomicBool::new(false),
            users: Mutex::default(),
        }
    }

    pub(crate) fn of_image(
        context: Shared<Context>,
        flags: Bitfield,
        host: Memory,
        image: oxcl_runtime::Image,
    ) -> Mem {
        let buffer = image.buffer().clone();
        Mem { image: Some(image), ..Mem::new(context, flags, host, buffer) }
    }

    pub(crate) fn size(&self) -> usize {
        usize::try_from(self.buffer.size()).unwrap_or(usize::MAX)
    }

    pub(crate) fn mappings(&self) -> MutexGuard<'_, Vec<Mapping>> {
        self.mappings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the kernel forget launches with this object when it goes.
    pub(crate) fn remembered_by(&self, kernel: &Shared<Kernel>) {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernel.downgrade();
        if !users.contains(&kernel) {
            users.retain(|known| known.is_live());
            users.push(kernel);
        }
    }
}

/// What keeps objects until a command has ended, as far as somebody waits for their ends. Its memory is had before the
/// command is enqueued.
pub(crate) struct Kept(Vec<Option<Prepared>>);

impl Kept {
    /// Gets the memory.
    pub(crate) fn prepare<'a>(objects: impl Iterator<Item = &'a Shared<Mem>> + Clone) -> Answer<Kept> {
        let mut kept = Vec::new();
        if objects.clone().any(|object| is_awaited(object)) {
            let shortage = Status(cl::OUT_OF_HOST_MEMORY);
            kept.try_reserve(objects.clone().count()).map_err(|_| shortage)?;
            for object in objects {
                kept.push(if is_awaited(object) { Some(prepared(object)?) } else { None });
            }
        }
        Ok(Kept(kept))
    }

    /// Keeps the same objects until the command has ended. Comes after the command was enqueued: who begins to wait later
    /// sees it in its queue.
    pub(crate) fn until<'a>(
        self,
        event: &oxcl_runtime::Event,
        objects: impl Iterator<Item = &'a Shared<Mem>>,
    ) {
        let all = self.0.into_iter().chain(std::iter::repeat_with(|| None));
        for (object, kept) in objects.zip(all) {
            match kept {
                Some(kept) => event.call_prepared(kept),
                None if is_awaited(object) => match prepared(object) {
                    Ok(kept) => event.call_prepared(kept),
                    Err(_) => keep_always(object),
                },
                None => {}
            }
        }
    }
}

/// Lets the object go when it is called.
fn prepared(object: &Shared<Mem>) -> Answer<Prepared> {
    let kept = object.clone();
    Prepared::new(move |_, _| let_go(kept)).map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))
}

/// Somebody has just begun to wait for the end of an object that an enqueued command uses, and there is no memory to tell
/// when that has ended: the object's end never comes, as it must not come too early.
fn keep_always(object: &Shared<Mem>) {
    std::mem::forget(object.clone());
}

/// Keeps the object until all that is in the queue has ended, if somebody waits for its end.
pub(crate) fn keep_all(object: &Shared<Mem>, queue: &oxcl_runtime::Queue) {
    if is_awaited(object) && keep_until_idle(object, queue).is_err() {
        keep_always(object);
    }
}

fn keep_until_idle(object: &Shared<Mem>, queue: &oxcl_runtime::Queue) -> Answer {
    let kept = object.clone();
    queue.on_idle(move || let_go(kept)).map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))
}

fn let_go(object: Shared<Mem>) {
    let calls = object.context.pool.calls.clone();
    calls.let_go(object);
}

/// Whether commands have to keep the object.
pub(crate) fn is_awaited(object: &Live<Mem>) -> bool {
    let whole = object.parent.as_ref().map_or(object, |(parent, _)| &**parent);
    // Acquire pairs with the release in `set_destructor`.
    object.awaited.load(Ordering::Acquire) || whole.awaited.load(Ordering::Acquire)
}

/// `clRetainMemObject`.
pub(crate) fn retain(object: Handle<Mem>) -> Answer {
    object.retain()
}

/// `clReleaseMemObject`.
pub(crate) fn release(object: Handle<Mem>) -> Answer {
    object.release()
}

/// `clSetMemObjectDestructorCallback`.
pub(crate) fn set_destructor(object: Handle<Mem>, notify: MemDestructor, data: UserData) -> Answer {
    let object = object.get()?;
    // CL_INVALID_VALUE if pfn_notify is NULL (5.5.2).
    let Some(call) = notify else { return refuse(cl::INVALID_VALUE) };
    object.context.pool.calls.expect()?;
    let mut destructors = object.destructors.lock().unwrap_or_else(PoisonError::into_inner);
    destructors.try_reserve(1).map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))?;
    // Release: see `Kept`. A command that was enqueued without being kept is in its queue by now, or sees this.
    if !object.awaited.swap(true, Ordering::AcqRel) {
        let queues = object.context.all_queues();
        let kept = queues.and_then(|all| all.iter().try_for_each(|queue| keep_until_idle(&object, queue)));
        if let Err(shortage) = kept {
            // Nobody else sets it: that needs the lock.
            object.awaited.store(false, Ordering::Release);
            return Err(shortage);
        }
    }
    destructors.push((call, data));
    Ok(())
}
