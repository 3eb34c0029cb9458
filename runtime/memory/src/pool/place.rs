//! Finding room. Three attempts, each on the state before: room in the policy's order, with the set left where it is;
//! the same after the set's own idle objects have left, for when they stand in each other's way; and the same after
//! everything idle has left. The last one finds room whenever nothing is in use and the set fits the region.
//!
//! Memory leaves in parts and comes back whole: an object that lost parts gets them back in place where that memory is
//! free; else it moves; else it leaves altogether and comes back elsewhere.

use crate::bufalloc::Chunk;
use crate::bufalloc::divide::Hint;
use crate::bufalloc::scan::{Hole, Scan};
use crate::object::{Object, ObjectId, Piece, Saved};
use crate::plan::{Access, Action, Extent, Plan, Shortage, Source, Use};
use crate::pool::Pool;

/// There is no room now.
pub(super) struct NoRoom;

/// A plan while it is made.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) actions: Vec<Action>,
    pub(super) before: Vec<Saved>,
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
        let idle = |used: &Use| !self.objects[used.object.slot as usize].resident();
        if !set.iter().any(idle) {
            let mut draft = Draft::default();
            self.settle(set, &mut draft);
            return Ok(Plan { actions: draft.actions, before: draft.before, epoch: self.epoch });
        }
        self.mark(set);
        let needed = set.iter().map(|one| self.objects[one.object.slot as usize].size);
        let needed = needed.fold(0u64, u64::saturating_add);
        let pinned = self.held_by_others(|object| object.pins > 0);
        let available = self.capacity - pinned;
        if needed > available {
            return Err(Shortage::TooLarge { needed, available, pinned });
        }
        for cleared in [Cleared::Nobody, Cleared::OwnSet, Cleared::Everybody] {
            let mut draft = Draft::default();
            match self.attempt(set, cleared, &mut draft) {
                Ok(()) => {
                    self.settle(set, &mut draft);
                    return Ok(Plan { actions: draft.actions, before: draft.before, epoch: self.epoch });
                }
                Err(NoRoom) => {
                    self.restore(&draft.before);
                    self.epoch += 1;
                    self.mark(set);
                }
            }
        }
        let busy = self.held_by_others(Object::held);
        let locked = self.objects.iter().any(|object| object.lock.is_some() && object.in_set != self.epoch);
        if self.fences.is_empty() && !locked {
            return Err(Shortage::TooLarge { needed, available, pinned });
        }
        let fence = self.fences.keys().next().copied();
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

    fn attempt(&mut self, set: &[Use], cleared: Cleared, draft: &mut Draft) -> Result<(), NoRoom> {
        for one in set.iter().filter(|one| one.access == Access::Discard) {
            let slot = one.object.slot;
            if cleared != Cleared::Nobody || !self.objects[slot as usize].resident() {
                // What is left of the old content is not worth a copy.
                self.save(slot, draft);
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
                    self.reclaim(slot, 0, size, draft);
                }
            }
        }
        let mut order: Vec<Use> = set.to_vec();
        // Large ones first: small ones fit what they leave.
        order.sort_by_key(|one| std::cmp::Reverse(self.objects[one.object.slot as usize].size));
        order.iter().try_for_each(|one| self.make_resident(one.object, draft))
    }

    /// Brings all of an object into the region.
    fn make_resident(&mut self, id: ObjectId, draft: &mut Draft) -> Result<(), NoRoom> {
        let slot = id.slot;
        let object = &self.objects[slot as usize];
        if object.resident() {
            return Ok(());
        }
        let size = object.size;
        let partly = object.any_resident();
        self.save(slot, draft);
        if partly {
            // From the cheapest way on: back where it was, aside, back to where others are now, aside in their place.
            if self.fill_gaps(slot, draft) {
                return Ok(());
            }
            if let Ok(chunk) = self.region.allocate(size) {
                self.relocate(slot, chunk, draft);
                return Ok(());
            }
            if self.clear_gaps(slot, draft) && self.fill_gaps(slot, draft) {
                return Ok(());
            }
            if let Ok(chunk) = self.find(size, draft) {
                self.relocate(slot, chunk, draft);
                return Ok(());
            }
            self.reclaim(slot, 0, size, draft);
        }
        let chunk = self.find(size, draft)?;
        self.relocate(slot, chunk, draft);
        Ok(())
    }

    /// Puts the missing pieces back where they were, if all of that memory is free.
    fn fill_gaps(&mut self, slot: u32, draft: &mut Draft) -> bool {
        let gaps = self.gaps(slot);
        let mut taken = Vec::with_capacity(gaps.len());
        for &(at, address, size) in &gaps {
            let Some(chunk) = self.take_at(address, size) else {
                for (_, chunk) in taken {
                    self.give(chunk);
                }
                return false;
            };
            self.places.insert(address, (slot, chunk));
            taken.push((at, chunk));
        }
        for (at, chunk) in taken {
            self.objects[slot as usize].pieces[at].place = Some(chunk);
            self.arrive(slot, at, draft);
        }
        true
    }

    /// The missing pieces: index, where they were, size.
    fn gaps(&self, slot: u32) -> Vec<(usize, u64, u64)> {
        let object = &self.objects[slot as usize];
        let pieces = object.pieces.iter().enumerate();
        let missing = pieces.filter(|(_, piece)| piece.place.is_none());
        missing.map(|(at, piece)| (at, object.base + piece.offset, piece.size)).collect()
    }

    /// Reclaims what lies where the missing pieces were, if all of it is idle.
    fn clear_gaps(&mut self, slot: u32, draft: &mut Draft) -> bool {
        let gaps = self.gaps(slot);
        let idle = |&(other, _): &(u32, Chunk)| {
            let object = &self.objects[other as usize];
            !object.held() && object.in_set != self.epoch
        };
        if !gaps.iter().all(|&(_, address, size)| self.within(address, size).iter().all(idle)) {
            return false;
        }
        for (_, address, size) in gaps {
            self.clear_range(address, size, draft);
        }
        true
    }

    /// Moves an object to an allocated chunk of its size: what is resident within the region, the rest from outside.
    fn relocate(&mut self, slot: u32, chunk: Chunk, draft: &mut Draft) {
        let id = self.objects[slot as usize].id;
        let mut rest = chunk;
        for at in 0..self.objects[slot as usize].pieces.len() {
            let piece = self.objects[slot as usize].pieces[at];
            let place = if piece.size < rest.size {
                match self.region.split_chunk(rest, piece.size) {
                    Ok((place, after)) => {
                        rest = after;
                        place
                    }
                    Err(_) => rest,
                }
            } else {
                rest
            };
            self.places.insert(place.address, (slot, place));
            let object = &mut self.objects[slot as usize];
            object.pieces[at].place = Some(place);
            match piece.place {
                None => {
                    self.objects[slot as usize].base = chunk.address;
                    self.arrive(slot, at, draft);
                }
                Some(old) => {
                    let size = object.visible(piece.offset, piece.size);
                    if piece.defined {
                        draft.actions.push(Action::Move {
                            object: id,
                            offset: piece.offset,
                            from: old.address,
                            to: place.address,
                            size,
                        });
                    } else {
                        let extent =
                            Extent { object: id, offset: piece.offset, address: place.address, size };
                        draft.actions.push(Action::Commit(extent));
                    }
                    self.places.remove(&old.address);
                    self.give(old);
                }
            }
        }
        self.objects[slot as usize].base = chunk.address;
    }

    /// Says how the content of a piece that has just got a place gets there.
    fn arrive(&mut self, slot: u32, at: usize, draft: &mut Draft) {
        let object = &self.objects[slot as usize];
        let Piece { offset, size, copy, defined, .. } = object.pieces[at];
        let (address, size) = (object.base + offset, object.visible(offset, size));
        let extent = Extent { object: object.id, offset, address, size };
        draft.actions.push(match copy {
            Some(source) if defined => Action::PageIn { extent, source },
            _ => Action::Commit(extent),
        });
    }

    /// Room for `size` bytes, if need be by reclaiming what stands in the way of the best hole.
    fn find(&mut self, size: u64, draft: &mut Draft) -> Result<Chunk, NoRoom> {
        if let Ok(chunk) = self.region.allocate(size) {
            return Ok(chunk);
        }
        let mut scan = Scan::new(size);
        let mut candidate = self.policy.next(None);
        while let Some(slot) = candidate {
            let object = &self.objects[slot as usize];
            if !object.held() && object.in_set != self.epoch {
                // The end of an object goes first, so that what is left begins where the object does.
                for chunk in object.pieces.iter().rev().filter_map(|piece| piece.place) {
                    if let Some(hole) = scan.name(&self.region, chunk) {
                        return self.clear(hole, size, draft);
                    }
                }
            }
            candidate = self.policy.next(Some(slot));
        }
        Err(NoRoom)
    }

    /// Reclaims what lies in the cheaper end of a hole and takes `size` bytes there.
    fn clear(&mut self, hole: Hole, size: u64, draft: &mut Draft) -> Result<Chunk, NoRoom> {
        let (low, high) = (hole.start, hole.end - size);
        let address = if self.price(low, size) <= self.price(high, size) { low } else { high };
        let hint = self.clear_range(address, size, draft);
        let chunk = match hint {
            Some(hint) => self.region.allocate_in(hint, address, size),
            None => self.region.allocate_at(address, size, None),
        };
        chunk.map_err(|_| NoRoom)
    }

    /// Reclaims what has bytes among the `size` bytes at `address`, in whole granules. The last freed chunk.
    fn clear_range(&mut self, address: u64, size: u64, draft: &mut Draft) -> Option<Hint> {
        let mut hint = None;
        for (slot, block) in self.within(address, size) {
            let base = self.objects[slot as usize].base;
            let from = (address.max(block.address) - base) / self.granule * self.granule;
            let to = (address + size).min(block.address + block.size) - base;
            let to = to.checked_next_multiple_of(self.granule).unwrap_or(u64::MAX);
            let first = block.address - base;
            hint = self.reclaim(slot, from.max(first), to.min(first + block.size), draft).or(hint);
        }
        hint
    }

    /// Bytes that would have to be paged out to free `size` bytes at `address`.
    fn price(&self, address: u64, size: u64) -> u64 {
        let mut price = 0;
        for (slot, block) in self.within(address, size) {
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

    /// Blocks that have bytes among the `size` bytes at `address`.
    fn within(&self, address: u64, size: u64) -> Vec<(u32, Chunk)> {
        let end = address + size;
        let before = self.places.range(..address).next_back().map(|(_, &block)| block);
        let before = before.filter(|(_, chunk)| chunk.address + chunk.size > address);
        before.into_iter().chain(self.places.range(address..end).map(|(_, &block)| block)).collect()
    }

    /// Takes the resident parts of bytes `from..to` of an object out of the region; both are borders that a piece may be
    /// cut at. The last freed chunk.
    fn reclaim(&mut self, slot: u32, from: u64, to: u64, draft: &mut Draft) -> Option<Hint> {
        self.save(slot, draft);
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
                if !self.cut(slot, at, cut) {
                    return hint;
                }
                if piece.offset < from {
                    at += 1;
                }
                continue;
            }
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
            self.places.remove(&chunk.address);
            let freed = self.region.free_into(chunk);
            debug_assert!(freed.is_ok(), "a piece's chunk is allocated");
            hint = freed.ok().or(hint);
            at += 1;
        }
        hint
    }

    /// Cuts a resident piece in two at byte `border` of its object.
    fn cut(&mut self, slot: u32, at: usize, border: u64) -> bool {
        let piece = self.objects[slot as usize].pieces[at];
        let Some(chunk) = piece.place else { return false };
        let Ok((first, second)) = self.region.split_chunk(chunk, border - piece.offset) else { return false };
        self.places.insert(first.address, (slot, first));
        self.places.insert(second.address, (slot, second));
        let pieces = &mut self.objects[slot as usize].pieces;
        pieces[at] = Piece { size: first.size, place: Some(first), ..piece };
        pieces.insert(at + 1, Piece { offset: border, size: second.size, place: Some(second), ..piece });
        true
    }

    /// Keeps an object as it is now, if this draft has not done so.
    fn save(&mut self, slot: u32, draft: &mut Draft) {
        let epoch = self.epoch;
        let object = &mut self.objects[slot as usize];
        if object.saved != epoch {
            object.saved = epoch;
            draft.before.push(object.saved_state());
        }
    }

    /// The set has room: notes what the command does to the content and tells the policy who came and went.
    fn settle(&mut self, set: &[Use], draft: &mut Draft) {
        for one in set {
            let slot = one.object.slot;
            self.modified.clear(slot);
            let object = &self.objects[slot as usize];
            let writes = one.access != Access::Read;
            let changes = |piece: &Piece| !piece.defined || piece.copy.is_some();
            if object.lost || (writes && object.pieces.iter().any(changes)) {
                self.save(slot, draft);
                let object = &mut self.objects[slot as usize];
                object.lost = false;
                for piece in object.pieces.iter_mut().filter(|_| writes) {
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
            let came = draft.before.iter().find(|saved| saved.slot == one.object.slot);
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
            self.places.remove(&(chunk.address + first.size));
            self.places.insert(chunk.address, (slot, chunk));
            let pieces = &mut self.objects[slot as usize].pieces;
            pieces[at - 1].size = chunk.size;
            pieces[at - 1].place = Some(chunk);
            pieces.remove(at);
        }
    }

    /// Takes exactly these bytes, if they are free.
    pub(super) fn take_at(&mut self, address: u64, size: u64) -> Option<Chunk> {
        let end = address.checked_add(size).filter(|&end| end <= self.start + self.capacity)?;
        if !self.within(address, end - address).is_empty() {
            return None;
        }
        // A free chunk is bordered by blocks, or reaches to the region's ends.
        let neighbour = self.places.range(..address).next_back().or_else(|| self.places.range(end..).next());
        let neighbour = neighbour.map(|(_, &(_, chunk))| chunk);
        self.region.allocate_at(address, size, neighbour).ok()
    }

    /// Frees a chunk that the caller has taken out of every table but its entry among the places.
    pub(super) fn give(&mut self, chunk: Chunk) {
        self.places.remove(&chunk.address);
        let freed = self.region.free(chunk);
        debug_assert_eq!(freed, Ok(()), "a piece's chunk is allocated");
    }
}
