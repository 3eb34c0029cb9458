//! Taking plans back: an attempt that found no room, or a plan of which a copy could not be made. Objects get the pieces
//! that they had, at the addresses that they had.

use crate::object::{Piece, Saved};
use crate::plan::{Action, Extent, Plan, PoolError, Source};
use crate::pool::Pool;

impl Pool {
    /// Takes back what a plan planned, except for what its first `executed` actions did: what was paged out stays out,
    /// an object of which everything had arrived stays, and everything else is where it was. For when a copy has failed.
    /// Needs no memory. The fence set with the plan stays; the caller says [`Pool::passed`] when nothing runs under it.
    ///
    /// # Errors
    /// [`PoolError::Outdated`] if another plan was made since, a promise of a copy changed, or an object is gone.
    /// Nothing has changed then.
    pub fn roll_back(&mut self, plan: &mut Plan, executed: usize) -> Result<(), PoolError> {
        if plan.epoch != self.epoch {
            return Err(PoolError::Outdated);
        }
        self.epoch += 1;
        let Plan { actions, before, .. } = plan;
        let (done, open) = actions.split_at(executed.min(actions.len()));
        // Of an object that was saved, and of nothing else, parts have left.
        for action in done {
            let (extent, copy) = match action {
                Action::Clobber(extent) => (extent, None),
                Action::PageOut(extent) => (extent, Some(Source::Backing)),
                _ => continue,
            };
            let at = self.objects[extent.object.slot as usize].saved_at;
            if let Some(state) = before.get_mut(at).filter(|state| state.slot == extent.object.slot) {
                leave(state, extent, copy);
            }
        }
        // An object of which everything has arrived stays.
        let stays = |saved: &Saved| {
            let arrives = |action: &Action| arrival(action) == Some(saved.slot);
            done.iter().any(arrives) && !open.iter().any(arrives)
        };
        self.restore(before, |saved| !stays(saved));
        for saved in before.iter() {
            let object = &self.objects[saved.slot as usize];
            if !object.resident() {
                self.modified.set(saved.slot);
            }
            // What was restored has changed places with what it was before.
            let was = saved.pieces.iter().any(|piece| piece.place.is_some());
            match (stays(saved) || was, object.any_resident()) {
                (true, false) => self.policy.removed(saved.slot),
                (false, true) => self.policy.added(saved.slot, object.size),
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives the chosen objects the pieces that they had, and their states what they had until now. All of that memory is
    /// free, or theirs, and there is room in every list: it was taken when the states were saved.
    pub(super) fn restore(&mut self, before: &mut [Saved], chosen: impl Fn(&Saved) -> bool) {
        for saved in before.iter_mut().filter(|saved| chosen(saved)) {
            let object = &mut self.objects[saved.slot as usize];
            std::mem::swap(&mut object.pieces, &mut saved.pieces);
            (object.base, object.lost) = (saved.base, saved.lost);
            for piece in &saved.pieces {
                if let Some(chunk) = piece.place {
                    self.give(chunk);
                }
            }
        }
        // In the order of addresses a neighbour is always at hand.
        let mut wanted = std::mem::take(&mut self.wanted);
        for saved in before.iter().filter(|saved| chosen(saved)) {
            let pieces = self.objects[saved.slot as usize].pieces.iter().enumerate();
            wanted
                .extend(pieces.filter_map(|(at, piece)| Some((piece.place?.address, saved.slot, at as u32))));
        }
        wanted.sort_unstable();
        for &(address, slot, at) in &wanted {
            let size = self.objects[slot as usize].pieces[at as usize].size;
            let chunk = self.take_at(address, size);
            debug_assert!(chunk.is_ok(), "what an undone plan had taken is free again");
            self.objects[slot as usize].pieces[at as usize].place = chunk.ok();
            if let Ok(chunk) = chunk {
                self.places.insert(slot, chunk);
            }
        }
        wanted.clear();
        self.wanted = wanted;
    }
}

/// The owner of which an action brings a part.
fn arrival(action: &Action) -> Option<u32> {
    match action {
        Action::PageIn { extent, .. } | Action::Commit(extent) => Some(extent.object.slot),
        Action::Exchange { into, .. } => Some(into.object.slot),
        Action::Move { object, .. } => Some(object.slot),
        Action::Clobber(_) | Action::PageOut(_) => None,
    }
}

/// Takes a part out of an object's state. Chunks of cut pieces only say where they lie: [`Pool::restore`] makes new ones.
fn leave(state: &mut Saved, extent: &Extent, copy: Option<Source>) {
    let mut at = 0;
    while at < state.pieces.len() {
        let piece = state.pieces[at];
        let end = piece.offset + piece.size;
        let from = extent.offset;
        // The last extent ends with the object's own bytes, the last piece with those that rounding added.
        let reach = extent.offset + extent.size;
        let to = if reach >= state.asked { u64::MAX } else { reach };
        if piece.place.is_none() || piece.offset >= to || end <= from {
            at += 1;
            continue;
        }
        let cut = if piece.offset < from { from } else { end.min(to) };
        if cut < end {
            let shift = cut - piece.offset;
            let second = piece.place.map(|mut chunk| {
                chunk.address += shift;
                chunk
            });
            state.pieces[at].size = shift;
            state.pieces.insert(at + 1, Piece { offset: cut, size: end - cut, place: second, ..piece });
            if piece.offset < from {
                at += 1;
            }
            continue;
        }
        let left = &mut state.pieces[at];
        left.place = None;
        if copy.is_some() {
            left.copy = copy;
        } else {
            state.lost |= left.copy != Some(Source::Backing);
        }
        at += 1;
    }
}
