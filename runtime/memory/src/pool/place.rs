//! Finding room. Three attempts, each on the state before: room in the policy's order, with the set left where it is;
//! the same after the set's own idle objects have left, for when they stand in each other's way; and the same after
//! everything idle has left. The last one finds room whenever nothing is in use and the set fits the region.
//!
//! Memory leaves in parts and comes back whole: an object that lost parts gets them back in place where that memory is
//! free; else it moves; else it leaves altogether and comes back elsewhere. Who reads it where it is keeps it from moving.

use crate::bufalloc::divide::Hint;
use crate::bufalloc::scan::{Hole, Scan};
use crate::bufalloc::{AllocError, Chunk};
use crate::lists::{NoMemory, collect, push, room};
use crate::object::{Object, ObjectId, Piece, Saved};
use crate::places::Entry;
use crate::plan::{Access, Action, Extent, Plan, Shortage, Source, Use};
use crate::pool::Pool;

/// Why an attempt ends.
pub(super) enum Stop {
    /// There is no room now.
    NoRoom,
    /// The host has no memory for the lists.
    HostMemory(NoMemory),
}

impl From<NoMemory> for Stop {
    fn from(error: NoMemory) -> Self {
        Self::HostMemory(error)
    }
}

impl From<AllocError> for Stop {
    fn from(error: AllocError) -> Self {
        match error {
            AllocError::HostMemory(error) => Self::HostMemory(error),
            _ => Self::NoRoom,
        }
    }
}

/// Whether there is room: an error is only what it is not for room's sake.
fn found<T>(result: Result<T, Stop>) -> Result<Option<T>, Stop> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Stop::NoRoom) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// A plan while it is made.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) actions: Vec<Action>,
    pub(super) before: Vec<Saved>,
    /// Pieces that taking back may have to bring back.
    pieces: usize,
}

/// Who has to leave before the set is placed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cleared {
    Nobody,
    OwnSet,
    Everybody,
}

impl Pool {
    /// Makes the set resident: each object of it once, none held by others.
    pub(crate) fn plan(&mut self, set: &[Use]) -> Result<Plan, Shortage> {
        self.epoch += 1;
        let away =
            |used: &Use| used.access != Access::Peek && !self.objects[used.object.slot as usize].resident();
        if !set.iter().any(away) {
            let mut draft = Draft::default();
            self.prepare(set, &mut draft)?;
            self.settle(set, &draft);
            return Ok(Plan { actions: draft.actions, before: draft.before, epoch: self.epoch });
        }
        self.mark(set);
        let wanted = set.iter().filter(|one| one.access != Access::Peek);
        let needed = wanted.map(|one| self.objects[one.object.slot as usize].size);
        let needed = needed.fold(0u64, u64::saturating_add);
        let pinned = self.held_by_others(|object| object.pins > 0);
        let available = self.capacity - pinned;
        if needed > available {
            return Err(Shortage::TooLarge { needed, available, pinned });
        }
        for cleared in [Cleared::Nobody, Cleared::OwnSet, Cleared::Everybody] {
            let mut draft = Draft::default();
            let attempt = self.attempt(set, cleared, &mut draft);
            match attempt.and_then(|()| self.prepare(set, &mut draft).map_err(Stop::from)) {
                Ok(()) => {
                    self.settle(set, &draft);
                    return Ok(Plan { actions: draft.actions, before: draft.before, epoch: self.epoch });
                }
                Err(stop) => {
                    self.restore(&mut draft.before, |_| true);
                    self.epoch += 1;
                    if let Stop::HostMemory(error) = stop {
                        return Err(error.into());
                    }
                    self.mark(set);
                }
            }
        }
        let busy = self.held_by_others(Object::held);
        let locked = self.objects.iter().any(|object| object.lock.is_some() && object.in_set != self.epoch);
        if self.fences.is_empty() && !locked {
            return Err(Shortage::TooLarge { needed, available, pinned });
        }
        let fence = self.fences.first().map(|running| running.fence);
        Err(Shortage::Wait { fence, needed, available: self.capacity - busy, pinned })
    }

    fn mark(&mut self, set: &[Use]) {
        for one in set {
            self.objects[one.object.slot as usize].in_set = self.epoch;
        }
    }

    /// Resident bytes outside the set of objects that `held` says yes to.
    fn held_by_others(&self, held: impl Fn(&Object) -> bool) -> u64 {
        let others = self.objects.iter().filter(|object| object.in_set != self.epoch && held(object));
        others.map(Object::resident_bytes).sum()
    }

    fn attempt(&mut self, set: &[Use], cleared: Cleared, draft: &mut Draft) -> Result<(), Stop> {
        for one in set.iter().filter(|one| one.access == Access::Discard) {
            let slot = one.object.slot;
            if cleared != Cleared::Nobody || !self.objects[slot as usize].resident() {
                // What is left of the old content is not worth a copy.
                self.save(slot, draft)?;
                for piece in &mut self.objects[slot as usize].pieces {
                    (piece.copy, piece.defined) = (None, false);
                }
            }
        }
        if cleared != Cleared::Nobody {
            for slot in 0..self.objects.len() {
                let object = &self.objects[slot];
                let own = object.in_set == self.epoch;
                let idle = object.pins == 0 && object.uses.is_empty() && (own || object.lock.is_none());
                if idle && object.any_resident() && (own || cleared == Cleared::Everybody) {
                    let (slot, size) = (object.id.slot, object.size);
                    self.reclaim(slot, 0, size, draft)?;
                }
            }
        }
        let mut order: Vec<Use> = collect(set.iter().filter(|one| one.access != Access::Peek).copied())?;
        // Large ones first: small ones fit what they leave.
        order.sort_unstable_by_key(|one| {
            (std::cmp::Reverse(self.objects[one.object.slot as usize].size), one.object)
        });
        order.iter().try_for_each(|one| self.make_resident(one.object, draft))
    }

    /// Brings all of an object into the region.
    fn make_resident(&mut self, id: ObjectId, draft: &mut Draft) -> Result<(), Stop> {
        let slot = id.slot;
        let object = &self.objects[slot as usize];
        if object.resident() {
            return Ok(());
        }
        let size = object.size;
        let partly = object.any_resident();
        self.save(slot, draft)?;
        if partly {
            // From the cheapest way on: back where it was, aside, back to where others are now, aside in their place.
            if self.fill_gaps(slot, draft)? {
                return Ok(());
            }
            // A command that copies out of it reads the parts where they lie.
            let moves = self.objects[slot as usize].uses.is_empty();
            if moves && let Some(chunk) = found(self.region.allocate(size).map_err(Stop::from))? {
                return self.relocate(slot, chunk, draft);
            }
            if self.clear_gaps(slot, draft)? && self.fill_gaps(slot, draft)? {
                return Ok(());
            }
            if !moves {
                return Err(Stop::NoRoom);
            }
            if let Some(chunk) = found(self.find(size, draft))? {
                return self.relocate(slot, chunk, draft);
            }
            self.reclaim(slot, 0, size, draft)?;
        }
        let chunk = self.find(size, draft)?;
        self.relocate(slot, chunk, draft)
    }

    /// Puts the missing pieces back where they were, if all of that memory is free.
    fn fill_gaps(&mut self, slot: u32, draft: &mut Draft) -> Result<bool, Stop> {
        if !self.gaps(slot).all(|(_, address, size)| self.is_free(address, size)) {
            return Ok(false);
        }
        for at in 0..self.objects[slot as usize].pieces.len() {
            let object = &self.objects[slot as usize];
            let Piece { offset, size, place: None, .. } = object.pieces[at] else { continue };
            let address = object.base + offset;
            self.places.room(1)?;
            let chunk = self.take_at(address, size)?;
            self.places.insert(slot, chunk);
            self.objects[slot as usize].pieces[at].place = Some(chunk);
            self.arrive(slot, at, draft)?;
        }
        Ok(true)
    }

    /// The missing pieces: index, where they were, size.
    fn gaps(&self, slot: u32) -> impl Iterator<Item = (usize, u64, u64)> + '_ {
        let object = &self.objects[slot as usize];
        let pieces = object.pieces.iter().enumerate();
        let missing = pieces.filter(|(_, piece)| piece.place.is_none());
        missing.map(|(at, piece)| (at, object.base + piece.offset, piece.size))
    }

    /// Reclaims what lies where the missing pieces were, if all of it is idle.
    fn clear_gaps(&mut self, slot: u32, draft: &mut Draft) -> Result<bool, Stop> {
        let idle = |other: Entry| {
            let object = &self.objects[other.slot as usize];
            !object.held() && object.in_set != self.epoch
        };
        if !self.gaps(slot).all(|(_, address, size)| self.places.within(address, size).all(idle)) {
            return Ok(false);
        }
        let gaps = collect(self.gaps(slot))?;
        for (_, address, size) in gaps {
            self.clear_range(address, size, draft)?;
        }
        Ok(true)
    }

    /// Moves an object to an allocated chunk of its size: what is resident within the region, the rest from outside.
    fn relocate(&mut self, slot: u32, chunk: Chunk, draft: &mut Draft) -> Result<(), Stop> {
        let mut rest = Some(chunk);
        let moved = self.relocate_into(slot, chunk.address, &mut rest, draft);
        if let Some(rest) = rest {
            // No piece has it, so taking back does not find it.
            self.give(rest);
        }
        moved
    }

    fn relocate_into(
        &mut self,
        slot: u32,
        base: u64,
        rest: &mut Option<Chunk>,
        draft: &mut Draft,
    ) -> Result<(), Stop> {
        let id = self.objects[slot as usize].id;
        for at in 0..self.objects[slot as usize].pieces.len() {
            let piece = self.objects[slot as usize].pieces[at];
            let Some(chunk) = *rest else { return Err(Stop::NoRoom) };
            self.places.room(1)?;
            let place = if piece.size < chunk.size {
                let (place, after) = self.region.split_chunk(chunk, piece.size)?;
                *rest = Some(after);
                place
            } else {
                *rest = None;
                chunk
            };
            self.places.insert(slot, place);
            let object = &mut self.objects[slot as usize];
            object.pieces[at].place = Some(place);
            match piece.place {
                None => {
                    object.base = base;
                    self.arrive(slot, at, draft)?;
                }
                Some(old) => {
                    let size = object.visible(piece.offset, piece.size);
                    self.places.remove(old.address);
                    self.give(old);
                    let (offset, from, to) = (piece.offset, old.address, place.address);
                    let extent = Extent { object: id, offset, address: to, size };
                    push(
                        &mut draft.actions,
                        match piece.defined {
                            true => Action::Move { object: id, offset, from, to, size },
                            false => Action::Commit(extent),
                        },
                    )?;
                }
            }
        }
        self.objects[slot as usize].base = base;
        Ok(())
    }

    /// Says how the content of a piece that has just got a place gets there.
    fn arrive(&mut self, slot: u32, at: usize, draft: &mut Draft) -> Result<(), NoMemory> {
        let object = &self.objects[slot as usize];
        let Piece { offset, size, copy, defined, .. } = object.pieces[at];
        let (address, size) = (object.base + offset, object.visible(offset, size));
        let extent = Extent { object: object.id, offset, address, size };
        let action = match copy {
            Some(source) if defined => Action::PageIn { extent, source },
            _ => Action::Commit(extent),
        };
        push(&mut draft.actions, action)
    }

    /// Room for `size` bytes, if need be by reclaiming what stands in the way of the best hole.
    fn find(&mut self, size: u64, draft: &mut Draft) -> Result<Chunk, Stop> {
        if let Some(chunk) = found(self.region.allocate(size).map_err(Stop::from))? {
            return Ok(chunk);
        }
        let mut scan = Scan::new(size);
        let mut candidate = self.policy.next(None);
        while let Some(slot) = candidate {
            let object = &self.objects[slot as usize];
            if !object.held() && object.in_set != self.epoch {
                // The end of an object goes first, so that what is left begins where the object does.
                for chunk in object.pieces.iter().rev().filter_map(|piece| piece.place) {
                    if let Some(hole) = scan.name(&self.region, chunk)? {
                        return self.clear(hole, size, draft);
                    }
                }
            }
            candidate = self.policy.next(Some(slot));
        }
        Err(Stop::NoRoom)
    }

    /// Reclaims what lies in the cheaper end of a hole and takes `size` bytes there.
    fn clear(&mut self, hole: Hole, size: u64, draft: &mut Draft) -> Result<Chunk, Stop> {
        let (low, high) = (hole.start, hole.end - size);
        let address = if self.price(low, size) <= self.price(high, size) { low } else { high };
        let hint = self.clear_range(address, size, draft)?;
        let chunk = match hint {
            Some(hint) => self.region.allocate_in(hint, address, size),
            None => self.region.allocate_at(address, size, None),
        };
        Ok(chunk?)
    }

    /// Reclaims what has bytes among the `size` bytes at `address`, in whole granules. The last freed chunk.
    fn clear_range(&mut self, address: u64, size: u64, draft: &mut Draft) -> Result<Option<Hint>, Stop> {
        let mut hint = None;
        let blocks = collect(self.places.within(address, size))?;
        for Entry { slot, chunk: block } in blocks {
            let base = self.objects[slot as usize].base;
            let from = (address.max(block.address) - base) / self.granule * self.granule;
            let to = (address + size).min(block.address + block.size) - base;
            let to = to.checked_next_multiple_of(self.granule).unwrap_or(u64::MAX);
            let first = block.address - base;
            hint = self.reclaim(slot, from.max(first), to.min(first + block.size), draft)?.or(hint);
        }
        Ok(hint)
    }

    /// Bytes that would have to be paged out to free `size` bytes at `address`.
    fn price(&self, address: u64, size: u64) -> u64 {
        let mut price = 0;
        for Entry { slot, chunk: block } in self.places.within(address, size) {
            let object = &self.objects[slot as usize];
            let sequence = block.address - object.base;
            let saved = object
                .pieces
                .iter()
                .any(|piece| piece.offset == sequence && (piece.copy.is_some() || !piece.defined));
            if !saved {
                price += (address + size).min(block.address + block.size) - address.max(block.address);
            }
        }
        price
    }

    /// Takes the resident parts of bytes `from..to` of an object out of the region; both are borders that a piece may be
    /// cut at. The last freed chunk.
    fn reclaim(&mut self, slot: u32, from: u64, to: u64, draft: &mut Draft) -> Result<Option<Hint>, Stop> {
        self.save(slot, draft)?;
        let id = self.objects[slot as usize].id;
        let mut hint = None;
        let mut at = 0;
        while at < self.objects[slot as usize].pieces.len() {
            let piece = self.objects[slot as usize].pieces[at];
            let end = piece.offset + piece.size;
            let Some(chunk) = piece.place.filter(|_| piece.offset < to && end > from) else {
                at += 1;
                continue;
            };
            // Parts before and after what goes become pieces of their own; the loop comes to them next.
            let cut = if piece.offset < from { from } else { end.min(to) };
            if cut < end {
                self.cut(slot, at, cut)?;
                if piece.offset < from {
                    at += 1;
                }
                continue;
            }
            room(&mut draft.actions, 1)?;
            self.modified.set(slot);
            let object = &mut self.objects[slot as usize];
            let size = object.visible(piece.offset, piece.size);
            let extent = Extent { object: id, offset: piece.offset, address: chunk.address, size };
            let left = &mut object.pieces[at];
            left.place = None;
            if piece.defined && piece.copy.is_none() {
                left.copy = Some(Source::Backing);
                draft.actions.push(Action::PageOut(extent));
            } else {
                object.lost |= piece.copy != Some(Source::Backing);
                draft.actions.push(Action::Clobber(extent));
            }
            self.places.remove(chunk.address);
            let freed = self.region.free_into(chunk);
            debug_assert!(freed.is_ok(), "a piece's chunk is allocated");
            hint = freed.ok().or(hint);
            at += 1;
        }
        Ok(hint)
    }

    /// Cuts a resident piece in two at byte `border` of its object.
    fn cut(&mut self, slot: u32, at: usize, border: u64) -> Result<(), Stop> {
        let piece = self.objects[slot as usize].pieces[at];
        let Some(chunk) = piece.place else { return Ok(()) };
        self.places.room(1)?;
        room(&mut self.objects[slot as usize].pieces, 1)?;
        let (first, second) = self.region.split_chunk(chunk, border - piece.offset)?;
        self.places.insert(slot, first);
        self.places.insert(slot, second);
        let pieces = &mut self.objects[slot as usize].pieces;
        pieces[at] = Piece { size: first.size, place: Some(first), ..piece };
        pieces.insert(at + 1, Piece { offset: border, size: second.size, place: Some(second), ..piece });
        Ok(())
    }

    /// Keeps an object as it is now, if this draft has not done so, with the room to go back to it.
    fn save(&mut self, slot: u32, draft: &mut Draft) -> Result<(), NoMemory> {
        let epoch = self.epoch;
        let object = &self.objects[slot as usize];
        if object.saved == epoch {
            return Ok(());
        }
        let state = object.saved_state()?;
        draft.pieces += state.pieces.len();
        room(&mut self.wanted, draft.pieces)?;
        push(&mut draft.before, state)?;
        let object = &mut self.objects[slot as usize];
        (object.saved, object.saved_at) = (epoch, draft.before.len() - 1);
        Ok(())
    }

    /// Whether a command that does this to an object changes what is known of it.
    fn changes(&self, one: &Use) -> bool {
        let object = &self.objects[one.object.slot as usize];
        let written = |piece: &Piece| !piece.defined || piece.copy.is_some();
        one.access != Access::Peek
            && (object.lost || (one.access.writes() && object.pieces.iter().any(written)))
    }

    /// The last step that may find no memory: keeps what the command will change, and takes the room that is needed to
    /// take the plan back when a part of it has been executed.
    fn prepare(&mut self, set: &[Use], draft: &mut Draft) -> Result<(), NoMemory> {
        for one in set {
            if self.changes(one) {
                self.save(one.object.slot, draft)?;
            }
        }
        for action in &draft.actions {
            if let Action::PageOut(extent) | Action::Clobber(extent) = action {
                // What has left may have been the middle of a piece.
                let at = self.objects[extent.object.slot as usize].saved_at;
                if let Some(saved) = draft.before.get_mut(at) {
                    saved.spare += 2;
                    draft.pieces += 2;
                }
            }
        }
        for saved in &mut draft.before {
            room(&mut saved.pieces, saved.spare)?;
        }
        room(&mut self.wanted, draft.pieces)?;
        self.places.room(draft.pieces)?;
        // Each piece that comes back divides what is free there into three at most.
        self.region.node_room(2 * draft.pieces)
    }

    /// The set has room: notes what the command does to the content and tells the policy who came and went.
    fn settle(&mut self, set: &[Use], draft: &Draft) {
        for one in set {
            let slot = one.object.slot;
            if one.access == Access::Peek {
                continue;
            }
            self.modified.clear(slot);
            if self.changes(one) {
                let object = &mut self.objects[slot as usize];
                object.lost = false;
                for piece in object.pieces.iter_mut().filter(|_| one.access.writes()) {
                    (piece.copy, piece.defined) = (None, true);
                }
            }
            self.join_pieces(slot);
        }
        for saved in &draft.before {
            let was = saved.pieces.iter().any(|piece| piece.place.is_some());
            let object = &self.objects[saved.slot as usize];
            match (was, object.any_resident()) {
                (true, false) => self.policy.removed(saved.slot),
                (false, true) => self.policy.added(saved.slot, object.size),
                _ => {}
            }
        }
        for one in set {
            let object = &self.objects[one.object.slot as usize];
            if !object.any_resident() {
                continue;
            }
            let came = draft.before.get(object.saved_at).filter(|_| object.saved == self.epoch);
            if came.is_none_or(|saved| saved.pieces.iter().any(|piece| piece.place.is_some())) {
                self.policy.used(one.object.slot);
            }
        }
    }

    /// Makes one piece of neighbours that are alike, so that the number of pieces does not grow with time.
    fn join_pieces(&mut self, slot: u32) {
        let mut at = 1;
        while at < self.objects[slot as usize].pieces.len() {
            let (first, second) =
                (self.objects[slot as usize].pieces[at - 1], self.objects[slot as usize].pieces[at]);
            let alike = first.copy == second.copy && first.defined == second.defined;
            let joined = match (first.place, second.place) {
                (Some(one), Some(two)) if alike => self.region.join_chunks(one, two).ok(),
                _ => None,
            };
            let Some(chunk) = joined else {
                at += 1;
                continue;
            };
            self.places.remove(chunk.address + first.size);
            self.places.insert(slot, chunk);
            let pieces = &mut self.objects[slot as usize].pieces;
            pieces[at - 1].size = chunk.size;
            pieces[at - 1].place = Some(chunk);
            pieces.remove(at);
        }
    }

    /// Whether nobody has any of these bytes.
    fn is_free(&self, address: u64, size: u64) -> bool {
        let end = address.checked_add(size).filter(|&end| end <= self.start + self.capacity);
        end.is_some() && self.places.within(address, size).next().is_none()
    }

    /// Takes exactly these bytes, which are free.
    pub(super) fn take_at(&mut self, address: u64, size: u64) -> Result<Chunk, AllocError> {
        // A free chunk is bordered by blocks, or reaches to the region's ends.
        let neighbour = self.places.before(address).or_else(|| self.places.from(address));
        self.region.allocate_at(address, size, neighbour.map(|entry| entry.chunk))
    }

    /// Frees a chunk that the caller has taken out of every table but its entry among the places.
    pub(super) fn give(&mut self, chunk: Chunk) {
        self.places.remove(chunk.address);
        let freed = self.region.free(chunk);
        debug_assert_eq!(freed, Ok(()), "a piece's chunk is allocated");
    }
}
