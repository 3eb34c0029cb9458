//! What a command is for the host: work on one node, or on two, or with the host's memory at one end, or none of a node's.

use std::sync::Arc;

use oxcl_driver::memory::HostSpan;
use oxcl_driver::rect::{Rect, RectSide};
use oxcl_driver::{Allocation, DriverError, HostMemory, Launch};
use oxcl_scheduler::transfer::{Movement, Transfer};

use crate::device::{MpiLaunch, PeerCopy};
use crate::message::{Region, Work};
use crate::transport::Rank;

/// Memory of the host at one end of a transfer: in a row, or in rows of which a row of bytes is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostEnd {
    pub(crate) span: HostSpan,
    /// Bytes, rows and slices, and where they lie in the span.
    pub(crate) rows: Option<([u64; 3], RectSide)>,
}

/// A command.
pub(crate) enum Job {
    /// The node does it alone.
    Node(Work),
    /// The host's bytes go to the node.
    Upload { memory: u64, region: Region, from: HostEnd },
    /// The node's bytes go to the host.
    Download { memory: u64, region: Region, to: HostEnd },
    /// Another node's bytes go to this one.
    Peer { source: Rank, from: u64, memory: u64, region: Region },
    /// It uses no memory of a node's: the host does it.
    Errand,
}

fn linear(offset: u64, length: u64) -> Region {
    Region::Linear { offset, length }
}

fn rows(size: [u64; 3], side: RectSide) -> Region {
    Region::Rectangle { size, side }
}

impl HostEnd {
    fn row(span: HostSpan) -> Self {
        Self { span, rows: None }
    }

    fn rows(span: HostSpan, size: [u64; 3], side: RectSide) -> Self {
        Self { span, rows: Some((size, side)) }
    }

    /// The bytes in a row: themselves, or a copy with who keeps it.
    pub(crate) fn gathered(&self) -> Result<(HostSpan, Option<Arc<HostMemory>>), DriverError> {
        let Some((size, from)) = self.rows else { return Ok((self.span, None)) };
        let (block, to) = Self::block(size)?;
        let rect = Rect { size, from, to };
        for row in rect.rows() {
            block.span().part(row.to, row.length)?.copy_from(self.span.part(row.from, row.length)?);
        }
        Ok((block.span(), Some(block)))
    }

    /// Room for the bytes in a row: their own place, or a block.
    pub(crate) fn room(&self) -> Result<(HostSpan, Option<Arc<HostMemory>>), DriverError> {
        let Some((size, _)) = self.rows else { return Ok((self.span, None)) };
        let (block, _) = Self::block(size)?;
        Ok((block.span(), Some(block)))
    }

    /// Brings bytes that have come to a block to their places.
    pub(crate) fn scatter(&self, block: &HostMemory) -> Result<(), DriverError> {
        let Some((size, to)) = self.rows else { return Ok(()) };
        let rect = Rect { size, from: Region::packed(size), to };
        for row in rect.rows() {
            self.span.part(row.to, row.length)?.copy_from(block.span().part(row.from, row.length)?);
        }
        Ok(())
    }

    fn block(size: [u64; 3]) -> Result<(Arc<HostMemory>, RectSide), DriverError> {
        let side = Region::packed(size);
        Ok((Arc::new(HostMemory::arbitrary(rows(size, side).bytes())?), side))
    }
}

impl Job {
    /// What a command's work is.
    pub(crate) fn of(work: Option<&Arc<dyn Launch>>) -> Self {
        let Some(any) = work.and_then(|work| work.as_any()) else { return Self::Errand };
        if let Some(launch) = any.downcast_ref::<MpiLaunch>() {
            return Self::Node(Work::Kernel { launch: launch.number() });
        }
        if let Some(copy) = any.downcast_ref::<PeerCopy>() {
            return copy.job();
        }
        match any.downcast_ref::<Transfer>() {
            Some(transfer) => Self::moving(transfer.movement()),
            None => Self::Errand,
        }
    }

    /// What moves: where one end is memory of the host's, or both are.
    pub(crate) fn moving(movement: &Movement) -> Self {
        let at_host = |memory: &Arc<Allocation>| memory.host;
        match movement {
            Movement::Read { from, offset, to } if at_host(from).is_none() => {
                let region = linear(*offset, to.length());
                Self::Download { memory: from.token, region, to: HostEnd::row(*to) }
            }
            Movement::Write { to, offset, from } if at_host(to).is_none() => {
                let region = linear(*offset, from.length());
                Self::Upload { memory: to.token, region, from: HostEnd::row(*from) }
            }
            Movement::Copy { from, from_offset, to, to_offset, length } => {
                let part = |span: HostSpan, offset: u64| span.part(offset, *length).ok();
                match (at_host(from), at_host(to)) {
                    (None, None) => Self::Node(Work::Copy {
                        from: from.token,
                        from_offset: *from_offset,
                        to: to.token,
                        to_offset: *to_offset,
                        length: *length,
                    }),
                    (None, Some(host)) => part(host, *to_offset).map_or(Self::Errand, |to| Self::Download {
                        memory: from.token,
                        region: linear(*from_offset, *length),
                        to: HostEnd::row(to),
                    }),
                    (Some(host), None) => {
                        part(host, *from_offset).map_or(Self::Errand, |from| Self::Upload {
                            memory: to.token,
                            region: linear(*to_offset, *length),
                            from: HostEnd::row(from),
                        })
                    }
                    (Some(_), Some(_)) => Self::Errand,
                }
            }
            Movement::Fill { to, offset, length, pattern } if at_host(to).is_none() => {
                let (memory, pattern) = (to.token, (**pattern).into());
                Self::Node(Work::Fill { memory, offset: *offset, length: *length, pattern })
            }
            Movement::ReadRect { from, to, rect } if at_host(from).is_none() => Self::Download {
                memory: from.token,
                region: rows(rect.size, rect.from),
                to: HostEnd::rows(*to, rect.size, rect.to),
            },
            Movement::WriteRect { to, from, rect } if at_host(to).is_none() => Self::Upload {
                memory: to.token,
                region: rows(rect.size, rect.to),
                from: HostEnd::rows(*from, rect.size, rect.from),
            },
            Movement::CopyRect { from, to, rect } => match (at_host(from), at_host(to)) {
                (None, None) => Self::Node(Work::CopyRectangle {
                    from: from.token,
                    to: to.token,
                    size: rect.size,
                    from_side: rect.from,
                    to_side: rect.to,
                }),
                (None, Some(host)) => Self::Download {
                    memory: from.token,
                    region: rows(rect.size, rect.from),
                    to: HostEnd::rows(host, rect.size, rect.to),
                },
                (Some(host), None) => Self::Upload {
                    memory: to.token,
                    region: rows(rect.size, rect.to),
                    from: HostEnd::rows(host, rect.size, rect.from),
                },
                (Some(_), Some(_)) => Self::Errand,
            },
            Movement::Read { .. }
            | Movement::Write { .. }
            | Movement::Fill { .. }
            | Movement::ReadRect { .. }
            | Movement::WriteRect { .. } => Self::Errand,
        }
    }

    /// It waits for the host until nothing holds it back: it reads the host's memory, or is the host's.
    pub(crate) fn waits_here(&self) -> bool {
        matches!(self, Self::Upload { .. } | Self::Errand)
    }
}
