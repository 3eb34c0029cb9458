//! [`Pool`]: a region that runs although more is asked of it than it holds.
//!
//! An object is created without memory. A command's set is made resident by [`Pool::reserve`], which plans everything
//! that has to be copied, changes the bookkeeping at once, and changes nothing if the set cannot be had. Until the
//! command's fence has passed, and while an object is pinned, it is neither moved nor reclaimed. What else is resident
//! leaves in the policy's order when room is needed: without a copy where its content is elsewhere, paged out otherwise.
//!
//! Not thread-safe: the owner holds a lock. Never waits, never touches memory. [`place`] finds room, [`undo`] takes plans
//! back. Whatever needs memory of the host takes it before anything changes, or changes only what a plan has kept a copy
//! of; so a host without memory is a refusal like others, and taking back needs none.

mod place;
mod undo;

use std::ops::Range;

use crate::bufalloc::{BufAlloc, Strategy};
use crate::lists::{NoMemory, collect, room};
use crate::object::{Block, BlockFlags, LastUse, Object, ObjectId, Piece};
use crate::owners::{BitVector, OwnerIds};
use crate::places::{Entry, Places};
use crate::plan::{Access, Fence, Located, Place, Plan, PoolError, PoolUsage, Shortage, Source, Use};
use crate::policy::ReclaimPolicy;
use crate::submit::{DevicePart, Engine, Patch};

/// Owner ids of a pool, unless its maker says otherwise.
const OWNERS: u32 = 1 << 20;
/// Reclaimed parts begin and end at multiples of this, counted from their object's start, or at its end.
const GRANULE: u64 = 64 << 10;

/// A submission that has not ended.
#[derive(Debug, Clone)]
struct Running {
    fence: Fence,
    objects: Vec<u32>,
    part: DevicePart,
}

/// A region of addresses and the objects that share it.
#[derive(Debug)]
pub struct Pool {
    region: BufAlloc,
    capacity: u64,
    start: u64,
    alignment: u64,
    granule: u64,
    cacheable: bool,
    owners: OwnerIds,
    /// Owners of which a part was reclaimed since they were last made resident.
    modified: BitVector,
    objects: Vec<Object>,
    live: usize,
    places: Places,
    policy: Box<dyn ReclaimPolicy>,
    /// In the order of fences, with room for one more for each reservation.
    fences: Vec<Running>,
    reservations: u64,
    /// Reservations that have not been unlocked.
    open: usize,
    /// Room for what is taken back: pieces by their address.
    wanted: Vec<(u64, u32, u32)>,
    /// Counts plans and attempts at them.
    epoch: u64,
}

/// Whether what comes after a part is in the same place, behind it.
fn follows(part: &Located, place: Place) -> bool {
    match (part.place, place) {
        (Place::Resident(address), Place::Resident(next)) => address + part.size == next,
        (here, next) => here == next,
    }
}

impl Pool {
    /// A pool over the addresses of `range`; objects are aligned to `alignment` bytes.
    ///
    /// # Errors
    /// [`PoolError::Region`].
    pub fn new(range: Range<u64>, alignment: u64, policy: Box<dyn ReclaimPolicy>) -> Result<Self, PoolError> {
        let size = range.end.saturating_sub(range.start);
        let region = BufAlloc::new(range.start, size, alignment, Strategy::Tight)?;
        let capacity = region.usage().free;
        Ok(Self {
            region,
            capacity,
            start: range.start.next_multiple_of(alignment),
            alignment,
            granule: GRANULE.next_multiple_of(alignment),
            cacheable: false,
            owners: OwnerIds::new(OWNERS),
            modified: BitVector::default(),
            objects: Vec::new(),
            live: 0,
            places: Places::new(),
            policy,
            fences: Vec::new(),
            reservations: 0,
            open: 0,
            wanted: Vec::new(),
            epoch: 0,
        })
    }

    /// Reclaims in parts of multiples of `granule` bytes (rounded up to the alignment); `u64::MAX` reclaims whole objects.
    #[must_use]
    pub fn with_granule(mut self, granule: u64) -> Self {
        self.granule = granule.max(1).checked_next_multiple_of(self.alignment).unwrap_or(u64::MAX);
        self
    }

    /// Limits the number of objects.
    #[must_use]
    pub fn with_owners(mut self, limit: u32) -> Self {
        self.owners = OwnerIds::new(limit);
        self
    }

    /// Says that the host can read blocks where they lie.
    #[must_use]
    pub fn with_cacheable(mut self, cacheable: bool) -> Self {
        self.cacheable = cacheable;
        self
    }

    /// A new object of `size` bytes, without memory or content.
    ///
    /// # Errors
    /// [`PoolError::ZeroSize`], [`PoolError::TooLarge`], [`PoolError::OwnersExhausted`], [`PoolError::HostMemory`].
    pub fn create(&mut self, size: u64) -> Result<ObjectId, PoolError> {
        if size == 0 {
            return Err(PoolError::ZeroSize);
        }
        let rounded = size.checked_next_multiple_of(self.alignment).filter(|&size| size <= self.capacity);
        let rounded = rounded.ok_or(PoolError::TooLarge { needed: size, capacity: self.capacity })?;
        let exhausted = PoolError::OwnersExhausted { limit: self.owners.limit() };
        let slot = self.owners.next()?.ok_or(exhausted)?;
        self.modified.room(slot)?;
        self.policy.created(slot)?;
        room(&mut self.objects, 1)?;
        let piece = Piece { offset: 0, size: rounded, place: None, copy: None, defined: false };
        let pieces = collect([piece])?;
        self.owners.take(slot);
        let generation = self.objects.get(slot as usize).map_or(0, |old| old.id.generation.wrapping_add(1));
        let object = Object {
            id: ObjectId { slot, generation },
            asked: size,
            size: rounded,
            pieces,
            base: 0,
            pins: 0,
            lock: None,
            uses: Vec::new(),
            released: false,
            lost: true,
            patched: None,
            in_set: 0,
            saved: 0,
            saved_at: 0,
        };
        let id = object.id;
        // Ids are the lowest free ones, so a new one is at most the table's length.
        match self.objects.get_mut(slot as usize) {
            Some(old) => *old = object,
            None => self.objects.push(object),
        }
        self.live += 1;
        Ok(id)
    }

    /// Gives an object up. Pins end; its memory goes back once no submission or reservation uses it.
    ///
    /// # Errors
    /// [`PoolError::Unknown`].
    pub fn release(&mut self, id: ObjectId) -> Result<(), PoolError> {
        let object = self.object_mut(id)?;
        object.released = true;
        object.pins = 0;
        self.destroy_if_over(id.slot);
        Ok(())
    }

    /// Makes every object of the set resident for a command that ends with `fence`, or changes nothing. An object that
    /// comes twice counts as used in the stronger way.
    ///
    /// # Errors
    /// [`Shortage`].
    pub fn reserve(&mut self, set: &[Use], fence: Fence) -> Result<Plan, Shortage> {
        let set = self.checked(set, None)?;
        let slots = self.fence_room(&set)?;
        let plan = self.plan(&set)?;
        self.attach(&set, Engine::default(), fence, DevicePart::default(), slots);
        Ok(plan)
    }

    /// The submission of this fence has ended, and what was pending in its device part is done. Unknown fences are
    /// ignored.
    pub fn passed(&mut self, fence: Fence) {
        let Ok(at) = self.fences.binary_search_by_key(&fence, |running| running.fence) else { return };
        for slot in self.fences.remove(at).objects {
            self.objects[slot as usize].uses.retain(|used| used.fence != fence);
            self.destroy_if_over(slot);
        }
    }

    /// The submission of this fence has been executed. What is still pending in its device part, after which the caller
    /// says [`Self::passed`]; none for unknown fences.
    #[must_use]
    pub fn executed(&self, fence: Fence) -> Option<DevicePart> {
        let at = self.fences.binary_search_by_key(&fence, |running| running.fence).ok()?;
        Some(self.fences[at].part)
    }

    /// Whether a submission of this fence is under way.
    #[must_use]
    pub fn is_pending(&self, fence: Fence) -> bool {
        self.fences.binary_search_by_key(&fence, |running| running.fence).is_ok()
    }

    /// Where a resident object begins.
    #[must_use]
    pub fn address(&self, id: ObjectId) -> Option<u64> {
        self.object(id).ok().filter(|object| object.resident()).map(|object| object.base)
    }

    /// Where an object's content is, part by part, from its first byte to its last. Good until the next plan, or while a
    /// submission uses the object.
    ///
    /// # Errors
    /// [`PoolError::Unknown`], [`PoolError::HostMemory`].
    pub fn locate(&self, id: ObjectId) -> Result<Vec<Located>, PoolError> {
        let object = self.object(id)?;
        let mut parts: Vec<Located> = Vec::new();
        room(&mut parts, object.pieces.len())?;
        for piece in &object.pieces {
            let size = object.visible(piece.offset, piece.size);
            let place = match (piece.place, piece.copy) {
                (Some(chunk), _) => Place::Resident(chunk.address),
                (None, Some(source)) if piece.defined => Place::Saved(source),
                _ => Place::Undefined,
            };
            match parts.last_mut() {
                Some(last) if follows(last, place) => last.size += size,
                _ => parts.push(Located { offset: piece.offset, size, place }),
            }
        }
        Ok(parts)
    }

    /// Says that all of the object's content is (or is no longer) also where its owner keeps it, so that it need not be
    /// paged out. A command that writes the object takes it back. Once it is taken back, parts that are not resident and
    /// were not paged out have no content.
    ///
    /// # Errors
    /// [`PoolError::Unknown`].
    pub fn set_can_clobber(&mut self, id: ObjectId, can: bool) -> Result<(), PoolError> {
        // A plan made before must not bring the old state back.
        self.epoch += 1;
        let object = self.object_mut(id)?;
        for piece in &mut object.pieces {
            if can {
                piece.copy = Some(Source::Owner);
                piece.defined = true;
            } else if piece.copy == Some(Source::Owner) {
                piece.copy = None;
                if piece.place.is_none() {
                    piece.defined = false;
                    object.lost = true;
                }
            }
        }
        Ok(())
    }

    /// Whether the owner has to see to the content: none was ever committed, or a part was reclaimed without being saved.
    ///
    /// # Errors
    /// [`PoolError::Unknown`].
    pub fn was_lost(&self, id: ObjectId) -> Result<bool, PoolError> {
        Ok(self.object(id)?.lost)
    }

    /// Whether a part was reclaimed, saved or not, since the object was last made resident.
    ///
    /// # Errors
    /// [`PoolError::Unknown`].
    pub fn was_modified(&self, id: ObjectId) -> Result<bool, PoolError> {
        self.object(id)?;
        Ok(self.modified.get(id.slot))
    }

    /// Keeps a resident object where it is until it is unpinned as often.
    ///
    /// # Errors
    /// [`PoolError::Unknown`], [`PoolError::NotResident`].
    pub fn pin(&mut self, id: ObjectId) -> Result<(), PoolError> {
        let object = self.object_mut(id)?;
        if !object.resident() {
            return Err(PoolError::NotResident(id));
        }
        object.pins += 1;
        Ok(())
    }

    /// Takes a pin back.
    ///
    /// # Errors
    /// [`PoolError::Unknown`], [`PoolError::NotPinned`].
    pub fn unpin(&mut self, id: ObjectId) -> Result<(), PoolError> {
        let object = self.object_mut(id)?;
        object.pins = object.pins.checked_sub(1).ok_or(PoolError::NotPinned(id))?;
        Ok(())
    }

    /// A round of the program has ended, for policies that count by rounds.
    pub fn end_frame(&mut self) {
        self.policy.end_frame();
    }

    /// The order of reclaim in use.
    #[must_use]
    pub fn policy(&self) -> &dyn ReclaimPolicy {
        self.policy.as_ref()
    }

    /// Every block in the order of addresses.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.places.iter().map(|Entry { slot, chunk }| {
            let object = &self.objects[slot as usize];
            let address = chunk.address;
            let sequence = address - object.base;
            let clobber = object
                .pieces
                .iter()
                .any(|piece| piece.offset == sequence && (piece.copy.is_some() || !piece.defined));
            Block {
                owner: object.id,
                sequence,
                address,
                size: chunk.size,
                fence: object.uses.iter().map(|used| used.fence).max(),
                flags: BlockFlags::PIN.when(object.pins > 0)
                    | BlockFlags::CLOBBER.when(clobber)
                    | BlockFlags::CACHEABLE.when(self.cacheable),
            }
        })
    }

    /// The pool's occupancy. Walks the objects.
    #[must_use]
    pub fn usage(&self) -> PoolUsage {
        let region = self.region.usage();
        let resident = |held: fn(&Object) -> bool| {
            self.objects.iter().filter(|object| held(object)).map(Object::resident_bytes).sum()
        };
        PoolUsage {
            capacity: self.capacity,
            used: region.used,
            free: region.free,
            pinned: resident(|object| object.pins > 0),
            busy: resident(|object| object.lock.is_some() || !object.uses.is_empty()),
            largest_free: region.largest_free,
            objects: self.live,
        }
    }

    fn object(&self, id: ObjectId) -> Result<&Object, PoolError> {
        let object = self.objects.get(id.slot as usize);
        object.filter(|object| object.id == id && !object.released).ok_or(PoolError::Unknown(id))
    }

    fn object_mut(&mut self, id: ObjectId) -> Result<&mut Object, PoolError> {
        let object = self.objects.get_mut(id.slot as usize);
        object.filter(|object| object.id == id && !object.released).ok_or(PoolError::Unknown(id))
    }

    /// The set with each object once, in the order of owner ids. Fails for objects that another reservation holds.
    pub(crate) fn checked(&self, set: &[Use], own: Option<u64>) -> Result<Vec<Use>, Shortage> {
        for one in set {
            let object = self.object(one.object)?;
            if object.lock.is_some() && object.lock != own {
                return Err(Shortage::Locked(one.object));
            }
        }
        let mut set = collect(set.iter().copied())?;
        set.sort_unstable_by_key(|one| (one.object, one.access));
        // Of one object the strongest access stays; discarding and reading together need the old content.
        set.dedup_by(|later, first| {
            let same = later.object == first.object;
            if same && later.access != first.access {
                first.access = if later.access.writes() { Access::Write } else { later.access };
            }
            same
        });
        Ok(set)
    }

    /// Room for a fence on every object of the set, for a caller that attaches it before it lets the set go; the list in
    /// which the fence will remember them.
    pub(crate) fn fence_room(&mut self, set: &[Use]) -> Result<Vec<u32>, NoMemory> {
        let mut slots = Vec::new();
        room(&mut slots, set.len())?;
        room(&mut self.fences, self.open + 1)?;
        for one in set {
            room(&mut self.objects[one.object.slot as usize].uses, 1)?;
        }
        Ok(slots)
    }

    /// Sets a fence on every object of the set.
    pub(crate) fn attach(
        &mut self,
        set: &[Use],
        engine: Engine,
        fence: Fence,
        part: DevicePart,
        mut slots: Vec<u32>,
    ) {
        for one in set {
            let writes = one.access.writes();
            self.objects[one.object.slot as usize].uses.push(LastUse { fence, engine, writes });
        }
        slots.extend(set.iter().map(|one| one.object.slot));
        match self.fences.binary_search_by_key(&fence, |running| running.fence) {
            // Numbers are not used again while they run; if one is, its objects are everybody's.
            Ok(at) => {
                self.fences[at].part = part;
                slots.append(&mut self.fences[at].objects);
                self.fences[at].objects = slots;
            }
            Err(at) => self.fences.insert(at, Running { fence, objects: slots, part }),
        }
    }

    /// A reservation begins or ends.
    pub(crate) fn count_reservation(&mut self, begins: bool) {
        self.open = if begins { self.open + 1 } else { self.open.saturating_sub(1) };
    }

    pub(crate) fn next_reservation(&mut self) -> u64 {
        self.reservations += 1;
        self.reservations
    }

    /// Locks or unlocks an object that exists.
    pub(crate) fn set_lock(&mut self, id: ObjectId, lock: Option<u64>) {
        let object = &mut self.objects[id.slot as usize];
        debug_assert_eq!(object.id, id, "a locked object lives");
        object.lock = lock;
        self.destroy_if_over(id.slot);
    }

    /// The submissions that use an object.
    pub(crate) fn uses(&self, id: ObjectId) -> &[LastUse] {
        self.objects.get(id.slot as usize).map_or(&[], |object| &object.uses)
    }

    /// Where a resident object begins, if commands were last told otherwise; they are told now.
    pub(crate) fn told(&mut self, id: ObjectId) -> Option<Patch> {
        let new = self.address(id)?;
        let old = self.objects[id.slot as usize].patched.replace(new);
        (old != Some(new)).then_some(Patch { object: id, old, new })
    }

    /// Returns what a released object has, unless something still uses it.
    fn destroy_if_over(&mut self, slot: u32) {
        let object = &mut self.objects[slot as usize];
        if !object.released || object.held() {
            return;
        }
        // A plan made before must not bring the memory back.
        self.epoch += 1;
        let was_resident = object.any_resident();
        let pieces = std::mem::take(&mut object.pieces);
        object.size = 0;
        for chunk in pieces.into_iter().filter_map(|piece| piece.place) {
            self.places.remove(chunk.address);
            let freed = self.region.free(chunk);
            debug_assert_eq!(freed, Ok(()), "a piece's chunk is allocated");
        }
        if was_resident {
            self.policy.removed(slot);
        }
        self.policy.destroyed(slot);
        self.modified.clear(slot);
        self.owners.give(slot);
        self.live -= 1;
    }
}

#[cfg(test)]
mod tests;
