//! What the device can be asked to do, which objects of its memory that uses, and how the threads do it once everything
//! has an address.

use std::sync::Arc;

use oxcl_driver::rect::Rect;
use oxcl_driver::{Allocation, DriverError, Failure, HostSpan, Lane, Launch};
use oxcl_memory::Access;
use oxcl_scheduler::transfer::Movement;

use super::engine::Engine;
use super::launch::DiscreteLaunch;
use super::presence;

/// A command of the device.
#[derive(Debug)]
pub(super) enum Operation {
    /// Bytes move. A side whose allocation the host can reach is no memory of this device.
    Move(Movement),
    /// A kernel, whose arguments are patched when they have addresses.
    Kernel(Arc<dyn Launch>),
    /// Bytes of another device's allocation, which lends what they lie in, come to the same place here.
    Receive { parts: Vec<Part>, to: Arc<Allocation>, offset: u64, length: u64 },
    /// The memory is lent to another device until it is given back.
    Lend { from: Arc<Allocation> },
    /// Work that uses no memory of the device.
    Other(Arc<dyn Launch>),
}

/// What an operation does to one allocation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    pub(super) token: u64,
    pub(super) access: Access,
    /// The bytes come from the same place of the allocation's home, which has them all the same afterwards.
    pub(super) from_home: bool,
    /// All bytes go to the allocation's home.
    pub(super) to_home: bool,
}

impl Need {
    fn new(allocation: &Allocation, access: Access) -> Option<Self> {
        let need = Self { token: allocation.token, access, from_home: false, to_home: false };
        allocation.host.is_none().then_some(need)
    }

    fn written(allocation: &Allocation, bytes: u64) -> Option<Self> {
        Self::new(allocation, if bytes == allocation.size { Access::Discard } else { Access::Write })
    }
}

/// Bytes of an allocation that lie together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The first one, counted from the allocation's first byte.
    pub(super) offset: u64,
    /// Where they are: in the device's memory, or outside of it.
    pub(super) span: HostSpan,
    /// It is memory of the program, which may have gone away.
    pub(super) home: bool,
}

/// Where the bytes of an allocation are, now that its operation runs.
pub(super) trait Addresses {
    /// The parts of an allocation, in order. Bytes in none of them are undefined.
    fn parts(&self, allocation: &Allocation) -> Result<&[Part], DriverError>;

    /// The memory of an allocation that is resident.
    fn span(&self, allocation: &Allocation) -> Result<HostSpan, DriverError> {
        if let Some(host) = allocation.host {
            return Ok(host);
        }
        match self.parts(allocation)? {
            [Part { offset: 0, span, .. }] if span.length() >= allocation.size => Ok(*span),
            _ => Err(DriverError::Device { reason: "an allocation is not where it should be".to_owned() }),
        }
    }
}

/// Copies the bytes from `offset` on out of an allocation's parts.
fn gather(parts: &[Part], offset: u64, to: HostSpan) -> Result<(), DriverError> {
    let end = offset.saturating_add(to.length());
    for part in parts {
        let first = part.offset.max(offset);
        let last = part.offset.saturating_add(part.span.length()).min(end);
        if first >= last {
            continue;
        }
        let from = part.span.part(first - part.offset, last - first)?;
        let to = to.part(first - offset, last - first)?;
        if from == to {
            continue;
        }
        if part.home {
            presence::check(from)?;
        }
        to.copy_from(from);
    }
    Ok(())
}

impl Operation {
    /// What a launch that was submitted is.
    pub(super) fn of(work: &Arc<dyn Launch>) -> Self {
        let any = work.as_any();
        if let Some(transfer) = any.and_then(|any| any.downcast_ref::<oxcl_scheduler::transfer::Transfer>()) {
            return Self::Move(transfer.movement().clone());
        }
        if any.is_some_and(|any| any.is::<DiscreteLaunch>()) {
            return Self::Kernel(Arc::clone(work));
        }
        Self::Other(Arc::clone(work))
    }

    /// The thread whose work it is.
    pub(super) fn engine(&self) -> Engine {
        match self {
            Self::Move(Movement::Read { .. } | Movement::ReadRect { .. }) => Engine::Download,
            Self::Move(Movement::Write { .. } | Movement::WriteRect { .. }) | Self::Receive { .. } => {
                Engine::Upload
            }
            Self::Move(_) | Self::Kernel(_) | Self::Lend { .. } | Self::Other(_) => Engine::Kernel,
        }
    }

    /// How many allocations it names at most.
    pub(super) fn most_needs(&self) -> usize {
        match self {
            Self::Kernel(work) => {
                let launch = work.as_any().and_then(|any| any.downcast_ref::<DiscreteLaunch>());
                launch.map_or(0, |launch| launch.memory().count())
            }
            _ => 2,
        }
    }

    /// Adds the allocations that it uses, each once, to a list that is empty and has room. `home` says where an
    /// allocation's home is.
    pub(super) fn needs(&self, needs: &mut Vec<Need>, home: impl Fn(u64) -> Option<HostSpan>) {
        match self {
            Self::Move(Movement::Read { from, offset, to }) => {
                needs.extend(Need::new(from, Access::Peek).map(|need| {
                    let home = home(need.token);
                    let all = *offset == 0 && to.length() == from.size;
                    Need { to_home: all && home.is_some_and(|home| home.pointer() == to.pointer()), ..need }
                }));
            }
            Self::Move(Movement::Write { to, offset, from }) => {
                needs.extend(Need::written(to, from.length()).map(|need| {
                    let part = home(need.token).and_then(|home| home.part(*offset, from.length()).ok());
                    Need { from_home: part == Some(*from), ..need }
                }));
            }
            Self::Move(Movement::Copy { from, to, length, .. }) => {
                needs.extend(Need::new(from, Access::Peek));
                needs.extend(Need::written(to, *length));
            }
            Self::Move(Movement::Fill { to, length, .. }) => needs.extend(Need::written(to, *length)),
            Self::Move(Movement::ReadRect { from, .. }) => needs.extend(Need::new(from, Access::Peek)),
            Self::Move(Movement::WriteRect { to, .. }) => needs.extend(Need::new(to, Access::Write)),
            Self::Move(Movement::CopyRect { from, to, .. }) => {
                needs.extend(Need::new(from, Access::Peek));
                needs.extend(Need::new(to, Access::Write));
            }
            Self::Kernel(work) => {
                let launch = work.as_any().and_then(|any| any.downcast_ref::<DiscreteLaunch>());
                for (allocation, writes) in launch.into_iter().flat_map(DiscreteLaunch::memory) {
                    let access = if writes { Access::Write } else { Access::Read };
                    needs.extend(Need::new(allocation, access));
                }
            }
            Self::Receive { to, length, .. } => needs.extend(Need::written(to, *length)),
            Self::Lend { from } => needs.extend(Need::new(from, Access::Peek)),
            Self::Other(_) => {}
        }
        // The same memory twice is used once, in the way that needs more.
        needs.sort_unstable_by_key(|need| need.token);
        needs.dedup_by(|later, kept| {
            let same = later.token == kept.token;
            if same && later.access != kept.access {
                let writes = later.access.writes() || kept.access.writes();
                kept.access = if writes { Access::Write } else { Access::Read };
            }
            if same {
                (kept.from_home, kept.to_home) = (false, false);
            }
            same
        });
    }

    /// Does it. Everything that it writes is resident, and what it uses stays where it is until this returns.
    pub(super) fn execute(&self, addresses: &dyn Addresses) -> Result<(), Failure> {
        match self {
            Self::Move(movement) => execute_move(movement, addresses).map_err(Failure::Driver),
            Self::Receive { parts, to, offset, length } => {
                let target = addresses.span(to).and_then(|to| to.part(*offset, *length));
                target.and_then(|target| gather(parts, *offset, target)).map_err(Failure::Driver)
            }
            Self::Kernel(work) => {
                let launch = work.as_any().and_then(|any| any.downcast_ref::<DiscreteLaunch>());
                launch.map_or(Ok(()), |launch| launch.execute(addresses))
            }
            Self::Lend { .. } => Ok(()),
            Self::Other(work) => work.run(0, work.groups(), Lane { index: 0 }),
        }
    }
}

fn execute_move(movement: &Movement, addresses: &dyn Addresses) -> Result<(), DriverError> {
    let at = |allocation: &Arc<Allocation>, offset: u64, length: u64| {
        allocation.check(offset, length)?;
        addresses.span(allocation)?.part(offset, length)
    };
    // Out of an allocation, wherever its bytes are.
    let pull = |from: &Arc<Allocation>, offset: u64, to: HostSpan| {
        from.check(offset, to.length())?;
        match from.host {
            Some(host) => {
                to.copy_from(host.part(offset, to.length())?);
                Ok(())
            }
            None => gather(addresses.parts(from)?, offset, to),
        }
    };
    let rows = |from: HostSpan, to: HostSpan, rect: &Rect| {
        rect.rows().try_for_each(|row| {
            to.part(row.to, row.length)?.copy_from(from.part(row.from, row.length)?);
            Ok::<_, DriverError>(())
        })
    };
    let rows_out = |from: &Arc<Allocation>, to: HostSpan, rect: &Rect| {
        rect.rows().try_for_each(|row| pull(from, row.from, to.part(row.to, row.length)?))
    };
    match movement {
        Movement::Read { from, offset, to } => {
            presence::check(*to)?;
            pull(from, *offset, *to)?;
        }
        Movement::Write { to, offset, from } => {
            presence::check(*from)?;
            at(to, *offset, from.length())?.copy_from(*from);
        }
        Movement::Copy { from, from_offset, to, to_offset, length } => {
            pull(from, *from_offset, at(to, *to_offset, *length)?)?;
        }
        Movement::Fill { to, offset, length, pattern } => {
            let target = at(to, *offset, *length)?;
            let unit = pattern.len() as u64;
            // SAFETY: the pattern is borrowed for the whole call.
            let source = unsafe { HostSpan::new(std::ptr::NonNull::from(&**pattern).cast(), unit) };
            if unit == 0 || *length == 0 {
                return Ok(());
            }
            // What is filled doubles with every copy.
            let mut done = unit.min(*length);
            target.part(0, done)?.copy_from(source.part(0, done)?);
            while done < *length {
                let more = done.min(*length - done);
                target.part(done, more)?.copy_from(target.part(0, more)?);
                done += more;
            }
        }
        Movement::ReadRect { from, to, rect } => {
            presence::check(*to)?;
            rows_out(from, *to, rect)?;
        }
        Movement::WriteRect { to, from, rect } => {
            presence::check(*from)?;
            rows(*from, addresses.span(to)?, rect)?;
        }
        Movement::CopyRect { from, to, rect } => {
            rows_out(from, addresses.span(to)?, rect)?;
        }
    }
    Ok(())
}
