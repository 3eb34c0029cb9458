//! Objects, the bytes that were written, and who used them.
//!
//! Private objects belong to one work-item. Of the others each byte knows its last users, so that two work-items that
//! use one byte without a barrier between them are found, whatever the order they happened to run in: within a group an
//! *epoch* ends with each barrier that orders the space; between groups nothing is ordered. Atomic operations of one
//! kind commute and may meet.

use super::refusal::Why;
use crate::types::Space;

/// A place in an object. `age` tells an object from the one that had its slot before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) object: u32,
    pub(crate) age: u32,
    pub(crate) offset: u32,
}

impl Pointer {
    /// As eight bytes of memory.
    pub(crate) fn encode(self) -> [u8; 8] {
        let word = u64::from(self.object) << 40
            | u64::from(self.age & 0xf_ffff) << 20
            | u64::from(self.offset & 0xf_ffff);
        word.to_le_bytes()
    }

    pub(crate) fn decode(bytes: [u8; 8]) -> Self {
        let word = u64::from_le_bytes(bytes);
        let part = |shift: u32| ((word >> shift) & 0xf_ffff) as u32;
        Self { object: (word >> 40) as u32, age: part(20), offset: part(0) }
    }
}

/// Who makes an access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Who {
    /// The work-item, from 1 on, over the whole launch.
    pub(crate) item: u32,
    /// Its group, from 1 on.
    pub(crate) group: u32,
}

/// Several items or groups.
const MANY: u32 = u32::MAX;

/// The last users of a byte, of one sort.
#[derive(Debug, Clone, Copy, Default)]
struct Users {
    item: u32,
    group: u32,
    epoch: u32,
}

impl Users {
    /// Whether someone other than `who` is among them whom no barrier separates.
    fn others(self, who: Who, epoch: u32) -> bool {
        self.group != 0 && (self.group != who.group || (self.epoch == epoch && self.item != who.item))
    }

    fn add(&mut self, who: Who, epoch: u32) {
        if self.group == 0 || (self.group == who.group && self.epoch != epoch) {
            *self = Self { item: who.item, group: who.group, epoch };
            return;
        }
        if self.group != who.group {
            self.group = MANY;
        }
        if self.item != who.item {
            self.item = MANY;
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Shadow {
    readers: Users,
    writers: Users,
    atomics: Users,
    /// The kind of the last atomic operations.
    kind: u8,
}

/// How a byte is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// An atomic operation of a kind, whose old value nobody looks at.
    Atomic(u8),
}

#[derive(Debug)]
struct Object {
    space: Space,
    age: u32,
    alive: bool,
    bytes: Vec<u8>,
    written: Vec<bool>,
    shadow: Vec<Shadow>,
}

/// A copy by a group that has not ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) at: Pointer,
    pub(crate) bytes: u32,
    /// The copy writes it; else it only reads it.
    pub(crate) written: bool,
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    objects: Vec<Object>,
    free: Vec<u32>,
    /// Epochs of the running group: of local and of global memory.
    epochs: [u32; 2],
    /// What copies of the running group use.
    pub(crate) pending: Vec<Range>,
}

impl Memory {
    pub(crate) fn add(&mut self, space: Space, size: usize) -> Pointer {
        let shadow = if space.is_shared() { vec![Shadow::default(); size] } else { Vec::new() };
        let object =
            Object { space, age: 0, alive: true, bytes: vec![0; size], written: vec![false; size], shadow };
        let number = match self.free.pop() {
            Some(number) => {
                let age = self.objects[number as usize].age + 1;
                self.objects[number as usize] = Object { age, ..object };
                number
            }
            None => {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            }
        };
        self.base(number)
    }

    pub(crate) fn base(&self, object: u32) -> Pointer {
        Pointer { object, age: self.objects[object as usize].age, offset: 0 }
    }

    pub(crate) fn release(&mut self, object: u32) {
        self.objects[object as usize].alive = false;
        self.free.push(object);
    }

    /// A new life of an object: what it held and who pointed to it is gone.
    pub(crate) fn renew(&mut self, object: u32) {
        let object = &mut self.objects[object as usize];
        object.age += 1;
        object.alive = true;
        object.written.fill(false);
    }

    /// The scope of an object ends.
    pub(crate) fn end(&mut self, object: u32) {
        self.objects[object as usize].alive = false;
    }

    pub(crate) fn size(&self, at: Pointer) -> u32 {
        self.objects[at.object as usize].bytes.len() as u32
    }

    /// Sets bytes without an access: what the host does.
    pub(crate) fn fill(&mut self, object: u32, bytes: &[u8]) {
        let object = &mut self.objects[object as usize];
        object.bytes[..bytes.len()].copy_from_slice(bytes);
        object.written[..bytes.len()].fill(true);
    }

    pub(crate) fn contents(&self, object: u32) -> &[u8] {
        &self.objects[object as usize].bytes
    }

    /// A group begins.
    pub(crate) fn begin_group(&mut self) {
        self.epochs = [self.epochs[0] + 1, self.epochs[1] + 1];
        self.pending.clear();
    }

    /// A launch begins: what others used before is ordered.
    pub(crate) fn begin_launch(&mut self) {
        for object in &mut self.objects {
            object.shadow.fill(Shadow::default());
        }
    }

    pub(crate) fn barrier(&mut self, local: bool, global: bool) {
        self.epochs[0] += u32::from(local);
        self.epochs[1] += u32::from(global);
    }

    fn check(&self, at: Pointer, size: u32) -> Result<&Object, Why> {
        let object = self.objects.get(at.object as usize).ok_or(Why::Malformed)?;
        if !object.alive || object.age & 0xf_ffff != at.age & 0xf_ffff {
            return Err(Why::Dangling);
        }
        if u64::from(at.offset) + u64::from(size) > object.bytes.len() as u64 {
            return Err(Why::OutOfBounds(object.bytes.len() as u32));
        }
        Ok(object)
    }

    /// Where what a pointer leads to lies.
    pub(crate) fn space(&self, at: Pointer) -> Result<Space, Why> {
        self.check(at, 0).map(|object| object.space)
    }

    /// Notes an access and refuses it if it meets another.
    fn note(&mut self, at: Pointer, size: u32, who: Who, access: Access) -> Result<(), Why> {
        let space = self.check(at, size)?.space;
        if !space.is_shared() {
            return Ok(());
        }
        if self.meets_copy(at, size, access) {
            return Err(Why::Race);
        }
        let epoch = self.epochs[usize::from(space == Space::Global)];
        let (from, to) = (at.offset as usize, (at.offset + size) as usize);
        for shadow in &mut self.objects[at.object as usize].shadow[from..to] {
            let (readers, writers) = (shadow.readers.others(who, epoch), shadow.writers.others(who, epoch));
            let atomics = shadow.atomics.others(who, epoch);
            let race = match access {
                Access::Read => writers || atomics,
                Access::Write => readers || writers || atomics,
                Access::Atomic(kind) => readers || writers || (atomics && shadow.kind != kind),
            };
            if race {
                return Err(Why::Race);
            }
            match access {
                Access::Read => shadow.readers.add(who, epoch),
                Access::Write => shadow.writers.add(who, epoch),
                Access::Atomic(kind) => {
                    // One item may use several kinds; others then meet the first they differ from.
                    if shadow.atomics.group != 0 && shadow.kind != kind {
                        shadow.writers.add(who, epoch);
                    }
                    shadow.kind = kind;
                    shadow.atomics.add(who, epoch);
                }
            }
        }
        Ok(())
    }

    fn meets_copy(&self, at: Pointer, size: u32, access: Access) -> bool {
        self.pending.iter().any(|range| {
            range.at.object == at.object
                && at.offset < range.at.offset + range.bytes
                && range.at.offset < at.offset + size
                && (range.written || access != Access::Read)
        })
    }

    /// The bytes at a place, and which of them were written.
    pub(crate) fn read(&mut self, at: Pointer, size: u32, who: Who) -> Result<(&[u8], &[bool]), Why> {
        self.note(at, size, who, Access::Read)?;
        let object = &self.objects[at.object as usize];
        let range = at.offset as usize..(at.offset + size) as usize;
        Ok((&object.bytes[range.clone()], &object.written[range]))
    }

    pub(crate) fn write(&mut self, at: Pointer, bytes: &[u8], who: Who) -> Result<(), Why> {
        self.write_partly(at, bytes, None, who)
    }

    /// Writes bytes some of which may themselves never have been written.
    pub(crate) fn write_partly(
        &mut self,
        at: Pointer,
        bytes: &[u8],
        written: Option<&[bool]>,
        who: Who,
    ) -> Result<(), Why> {
        self.note(at, bytes.len() as u32, who, Access::Write)?;
        let object = &mut self.objects[at.object as usize];
        let range = at.offset as usize..at.offset as usize + bytes.len();
        object.bytes[range.clone()].copy_from_slice(bytes);
        match written {
            Some(written) => object.written[range].copy_from_slice(written),
            None => object.written[range].fill(true),
        }
        Ok(())
    }

    /// An atomic change, given what was there.
    pub(crate) fn update(
        &mut self,
        at: Pointer,
        size: u32,
        who: Who,
        kind: Option<u8>,
        change: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Result<Vec<u8>, Why> {
        match kind {
            Some(kind) => self.note(at, size, who, Access::Atomic(kind))?,
            None => {
                self.note(at, size, who, Access::Read)?;
                self.note(at, size, who, Access::Write)?;
            }
        }
        let object = &mut self.objects[at.object as usize];
        let range = at.offset as usize..(at.offset + size) as usize;
        if !object.written[range.clone()].iter().all(|written| *written) {
            return Err(Why::Uninitialised);
        }
        let old = object.bytes[range.clone()].to_vec();
        object.bytes[range].copy_from_slice(&change(&old));
        Ok(old)
    }

    /// Begins a copy by the group: its source may not have been written, nor its target used, since the last barrier.
    pub(crate) fn copy(&mut self, to: Pointer, from: Pointer, size: u32, who: Who) -> Result<(), Why> {
        // Nobody in particular: every work-item is another.
        let group = Who { item: MANY - 1, group: who.group };
        self.note(from, size, group, Access::Read)?;
        self.note(to, size, group, Access::Write)?;
        let (bytes, written) = {
            let object = &self.objects[from.object as usize];
            let range = from.offset as usize..(from.offset + size) as usize;
            (object.bytes[range.clone()].to_vec(), object.written[range].to_vec())
        };
        if !written.iter().all(|written| *written) {
            return Err(Why::Uninitialised);
        }
        let object = &mut self.objects[to.object as usize];
        let range = to.offset as usize..(to.offset + size) as usize;
        object.bytes[range.clone()].copy_from_slice(&bytes);
        object.written[range.clone()].fill(true);
        // Once it has ended, what it wrote is everybody's.
        for shadow in &mut object.shadow[range] {
            shadow.writers = Users::default();
        }
        for shadow in &mut self.objects[from.object as usize].shadow
            [from.offset as usize..(from.offset + size) as usize]
        {
            if shadow.readers.item == group.item {
                shadow.readers = Users::default();
            }
        }
        Ok(())
    }

    /// Notes that the running group keeps using a range until its copy has ended.
    pub(crate) fn hold(&mut self, range: Range) {
        self.pending.push(range);
    }
}
