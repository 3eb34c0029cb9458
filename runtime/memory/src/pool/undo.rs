//! Taking plans back: an attempt that found no room, or a plan of which a copy could not be made. Objects get the pieces
//! that they had, at the addresses that they had.

use std::collections::BTreeMap;

use crate::object::{Piece, Saved};
use crate::plan::{Action, Extent, Plan, PoolError, Source};
use crate::pool::Pool;

impl Pool {
    /// Takes back what a plan planned, except for what its first `executed` actions did: what was paged out stays out,
    /// an object of which everything had arrived stays, and everything else is where it was. For when a copy has failed.
    /// The fence set with the plan stays; the caller says [`Pool::passed`] when nothing runs under it.
    ///
    /// # Errors
    /// [`PoolError::Outdated`] if another plan was made since, a promise of a copy changed, or an object is gone.
    /// Nothing has changed then.
    pub fn roll_back(&mut self, plan: &Plan, executed: usize) -> Result<(), PoolError> {
        if plan.epoch != self.epoch {
            return Err(PoolError::Outdated);
        }
        self.epoch += 1;
        let (done, open) = plan.actions.split_at(executed.min(plan.actions.len()));
        let mut after: Vec<Saved> = Vec::with_capacity(plan.before.len());
        for saved in &plan.before {
            let object = &self.objects[saved.slot as usize];
            let arrives = |action: &Action| arrival(action) == Some(saved.slot);
            after.push(if done.iter().any(arrives) && !open.iter().any(arrives) {
                object.saved_state()
            } else {
                let mut state = saved.clone();
                for action in done {
                    match action {
                        Action::Clobber(extent) if extent.object.slot == saved.slot => {
                            leave(&mut state, extent, None);
                        }
                        Action::PageOut(extent) if extent.object.slot == saved.slot => {
                            leave(&mut state, extent, Some(Source::Backing));
                        }
                        _ => {}
                    }
                }
                state
            });
        }
        let was: Vec<bool> =
            after.iter().map(|saved| self.objects[saved.slot as usize].any_resident()).collect();
        self.restore(&after);
        for (saved, was) in after.iter().zip(was) {
            let object = &self.objects[saved.slot as usize];
            if !object.resident() {
                self.modified.set(saved.slot);
            }
            match (was, object.any_resident()) {
                (true, false) => self.policy.removed(saved.slot),
                (false, true) => self.policy.added(saved.slot, object.size),
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives objects the pieces that they had. All of that memory is free, or theirs.
    pub(super) fn restore(&mut self, before: &[Saved]) {
        for saved in before {
            for at in 0..self.objects[saved.slot as usize].pieces.len() {
                if let Some(chunk) = self.objects[saved.slot as usize].pieces[at].place.take() {
                    self.give(chunk);
                }
            }
        }
        // In the order of addresses a neighbour is always at hand.
        let mut wanted: BTreeMap<u64, (u32, usize)> = BTreeMap::new();
        for saved in before {
            let object = &mut self.objects[saved.slot as usize];
            object.pieces.clone_from(&saved.pieces);
            (object.base, object.lost) = (saved.base, saved.lost);
            for (at, piece) in object.pieces.iter_mut().enumerate() {
                if let Some(chunk) = piece.place.take() {
                    wanted.insert(chunk.address, (saved.slot, at));
                }
            }
        }
        for (address, (slot, at)) in wanted {
            let size = self.objects[slot as usize].pieces[at].size;
            let chunk = self.take_at(address, size);
            debug_assert!(chunk.is_some(), "what an undone plan had taken is free again");
            self.objects[slot as usize].pieces[at].place = chunk;
            if let Some(chunk) = chunk {
                self.places.insert(address, (slot, chunk));
            }
        }
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
