//! Mapping buffers for the host, and bringing them to where they will be used.

use std::sync::{Mutex, PoisonError};

use oxcl_scheduler::{Access, Event};

use super::{Queue, QueueError};
use crate::buffer::{Buffer, BufferError};
use crate::mapped::Mapped;
use crate::residence::{self, At, Order, Part};

/// What the host will do with mapped bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapAccess {
    /// Read them.
    Read,
    /// Read and write them.
    ReadWrite,
    /// Write all of them; what they hold is not needed.
    Discard,
}

impl MapAccess {
    pub(super) fn access(self) -> Access {
        match self {
            Self::Read => Access::Read,
            Self::ReadWrite => Access::ReadWrite,
            Self::Discard => Access::Write,
        }
    }
}

/// Where to bring content before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migration {
    /// To the queue's device.
    ToDevice,
    /// To the queue's device, without what it holds.
    ToDeviceUndefined,
    /// To the host.
    ToHost,
}

/// A part of a buffer that the host may access until it is unmapped.
#[derive(Debug)]
pub struct Mapping {
    event: Event,
    buffer: Buffer,
    access: MapAccess,
    offset: u64,
    bytes: u64,
    pointer: *mut u8,
    /// The program may use the pointer in commands.
    mapped: Mutex<Option<Mapped>>,
}

// SAFETY: the pointer is an address inside the buffer, which the mapping keeps; nothing here uses it.
unsafe impl Send for Mapping {}
// SAFETY: as for Send.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// The event of the map command: before it is complete, the bytes are not there.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Where the host finds the bytes, from the end of the map command until the mapping is unmapped.
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// Number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Copies the mapped bytes from `at` on into `data`.
    ///
    /// # Errors
    /// They are not in the mapping.
    pub fn read(&self, at: u64, data: &mut [u8]) -> Result<(), BufferError> {
        self.check(at, data.len() as u64)?;
        self.buffer.read(self.offset + at, data)
    }

    /// Copies `data` to the mapped bytes from `at` on.
    ///
    /// # Errors
    /// They are not in the mapping.
    pub fn write(&self, at: u64, data: &[u8]) -> Result<(), BufferError> {
        self.check(at, data.len() as u64)?;
        self.buffer.write(self.offset + at, data)
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<(), BufferError> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(BufferError::OutOfRange { offset, bytes, size: self.bytes }),
        }
    }
}

impl Queue {
    /// Enqueues the mapping of `bytes` bytes from `offset` on for the host.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    pub fn map(
        &self,
        buffer: &Buffer,
        access: MapAccess,
        offset: u64,
        bytes: u64,
        waits: &[Event],
    ) -> Result<Mapping, QueueError> {
        buffer.check(offset, bytes)?;
        let pointer = buffer.address()?.wrapping_add(offset as usize);
        let touches = [buffer.touch(offset, bytes, access.access())];
        // The mapping is the host's memory. Where devices share it nothing moves: the command only takes its place.
        let part = Part { buffer, bytes: offset..offset + bytes, access: access.access(), at: At::Host };
        let mapped = Mutex::new(buffer.storage().map().map_err(BufferError::from)?);
        let event = self.placed(&Order { waits, ..self.order(&touches) }, &[part], |_| None)?;
        Ok(Mapping { event, buffer: buffer.clone(), access, offset, bytes, pointer, mapped })
    }

    /// Enqueues the end of a mapping.
    ///
    /// # Errors
    /// There is no memory.
    pub fn unmap(&self, mapping: &Mapping, waits: &[Event]) -> Result<Event, QueueError> {
        let Mapping { buffer, offset, bytes, .. } = mapping;
        let access = if mapping.access == MapAccess::Read { Access::Read } else { Access::ReadWrite };
        let touches = [buffer.touch(*offset, *bytes, access)];
        let part = Part { buffer, bytes: *offset..offset + bytes, access, at: At::Host };
        let event = self.placed(&Order { waits, ..self.order(&touches) }, &[part], |_| None)?;
        mapping.mapped.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(event)
    }

    /// Enqueues bringing buffers to where they will be used next.
    ///
    /// # Errors
    /// There is no memory.
    pub fn migrate(&self, buffers: &[Buffer], to: Migration, waits: &[Event]) -> Result<Event, QueueError> {
        let access = if to == Migration::ToDeviceUndefined { Access::Write } else { Access::Read };
        let touches: Vec<_> = buffers.iter().map(|buffer| buffer.touch(0, buffer.size(), access)).collect();
        if buffers.is_empty() {
            return self.marker(waits);
        }
        let at = if to == Migration::ToHost { At::Host } else { At::Device };
        let parts: Vec<_> = buffers.iter().map(|buffer| Part::whole(buffer, Access::Read, at)).collect();
        if to == Migration::ToDeviceUndefined && self.device.context().keeps_track() {
            residence::discard(buffers)?;
        }
        self.placed(&Order { waits, ..self.order(&touches) }, &parts, |_| None)
    }
}
