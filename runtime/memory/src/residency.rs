//! Content versions of one buffer: which of the places that have memory for it hold the latest content of which bytes,
//! and which commands still read or write there.
//!
//! A place is an address space: the host's, or a device's of its own. The buffer's bytes are cut into segments; each has
//! one latest version and, for every place, the version that is there. Before a command reads bytes at a place that has
//! an older version they are brought there ([`Contents::missing`]); after it wrote them that place alone has the latest
//! version ([`Contents::record`]). Decisions are made when commands are enqueued, in that order, so what is written here
//! is the state that will hold when the command runs; events (`E`) say when.
//!
//! Commands of the program are ordered by the program. Moves are ordered by this: a move waits for the writer of what it
//! reads and for everybody who still uses what it overwrites ([`Contents::move_waits`]); a command waits for the moves
//! that bring its bytes and, where it writes, for the moves that still read them ([`Contents::command_waits`]).
//!
//! Recording takes room first and then cannot fail. Whoever has to know before something is enqueued that it can be recorded
//! takes the room itself ([`Contents::prepare`]).

use std::ops::Range;

use crate::lists::{NoMemory, collect, push, room};
use crate::plan::Access;

/// A place that may hold a buffer's content: an address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u32);

impl Place {
    /// The host's memory, which all devices in its address space share.
    pub const HOST: Self = Self(0);
}

/// Bytes that have to be brought somewhere, and where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Which bytes.
    pub bytes: Range<u64>,
    /// Places that have their latest content, in order. Never empty.
    pub at: Vec<Place>,
}

/// Whether and how a command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It has not.
    Pending,
    /// It has done its work.
    Done,
    /// It has not done its work.
    Failed,
}

/// A command that uses bytes at a place.
#[derive(Debug, Clone)]
struct User<E> {
    event: E,
    /// It moves content from place to place.
    moves: bool,
}

/// What is known of a segment at one place.
#[derive(Debug, Clone)]
struct Copy<E> {
    place: Place,
    /// 0: nothing.
    version: u64,
    writer: Option<User<E>>,
    readers: Vec<User<E>>,
}

/// Bytes of which the same is known.
#[derive(Debug, Clone)]
struct Segment<E> {
    start: u64,
    end: u64,
    /// 0: there is no content yet.
    latest: u64,
    copies: Vec<Copy<E>>,
}

/// The content versions of one buffer.
#[derive(Debug, Clone)]
pub struct Contents<E> {
    /// In order, without gaps, from the first byte to the last.
    segments: Vec<Segment<E>>,
}

impl<E: Clone> Segment<E> {
    /// What is known of a place. There is room for one more.
    fn copy(&mut self, place: Place) -> &mut Copy<E> {
        let index = match self.copies.binary_search_by_key(&place, |copy| copy.place) {
            Ok(index) => index,
            Err(index) => {
                self.copies.insert(index, Copy { place, version: 0, writer: None, readers: Vec::new() });
                index
            }
        };
        &mut self.copies[index]
    }

    /// Room for what may be recorded of places: so many readers each.
    fn room(&mut self, places: &[Place], readers: usize) -> Result<(), NoMemory> {
        for &place in places {
            if !self.copies.iter().any(|copy| copy.place == place) {
                room(&mut self.copies, 1)?;
            }
            room(&mut self.copy(place).readers, readers)?;
        }
        Ok(())
    }

    /// The same with other borders.
    fn with_borders(&self, start: u64, end: u64) -> Result<Self, NoMemory> {
        let mut copies = Vec::new();
        room(&mut copies, self.copies.len())?;
        for Copy { place, version, writer, readers } in &self.copies {
            let readers = collect(readers.iter().cloned())?;
            copies.push(Copy { place: *place, version: *version, writer: writer.clone(), readers });
        }
        Ok(Self { start, end, latest: self.latest, copies })
    }

    fn has_latest(&self, place: Place) -> bool {
        self.latest == 0 || self.copies.iter().any(|copy| copy.place == place && copy.version == self.latest)
    }

    /// Forgets commands that have ended. What a failed move should have brought is not there. Of a command that failed
    /// nobody knows what it has written: if what it found is still somewhere, that is the content.
    fn settle(&mut self, end: &impl Fn(&E) -> End) {
        let mut failed = false;
        for copy in &mut self.copies {
            if let Some(User { event, moves }) = &copy.writer {
                let end = end(event);
                if end == End::Failed && *moves {
                    copy.version = 0;
                } else if end == End::Failed && copy.version == self.latest {
                    failed = true;
                }
                if end != End::Pending {
                    copy.writer = None;
                }
            }
            copy.readers.retain(|reader| end(&reader.event) == End::Pending);
        }
        let before = self.latest.saturating_sub(1);
        if failed && before > 0 && self.copies.iter().any(|copy| copy.version == before) {
            self.copies.iter_mut().filter(|copy| copy.version > before).for_each(|copy| copy.version = 0);
            self.latest = before;
        }
    }

    /// Whether both are in the same places, with nothing pending.
    fn alike(&self, other: &Self) -> bool {
        let quiet = |segment: &Self| {
            segment.copies.iter().all(|copy| copy.writer.is_none() && copy.readers.is_empty())
        };
        let latest = |segment: &Self, place: Place| {
            segment.copies.iter().any(|copy| copy.place == place && copy.version == segment.latest)
        };
        let within = |one: &Self, other: &Self| {
            one.copies.iter().all(|copy| copy.version != one.latest || latest(other, copy.place))
        };
        (self.latest == 0) == (other.latest == 0)
            && quiet(self)
            && quiet(other)
            && within(self, other)
            && within(other, self)
    }
}

impl<E: Clone> Contents<E> {
    /// A buffer of `size` bytes. Its content is at `at`, or there is none yet.
    ///
    /// # Errors
    /// The host has no memory, as for everything here that may fail.
    pub fn new(size: u64, at: Option<Place>) -> Result<Self, NoMemory> {
        let mut all = Segment { start: 0, end: size, latest: u64::from(at.is_some()), copies: Vec::new() };
        if let Some(place) = at {
            all.room(&[place], 1)?;
            all.copy(place).version = 1;
        }
        Ok(Self { segments: collect([all])? })
    }

    /// Room for what will be recorded of `bytes` at these places: so many commands or moves each.
    ///
    /// # Errors
    /// There is none; what is known is as before.
    pub fn prepare(&mut self, bytes: &Range<u64>, places: &[Place], records: usize) -> Result<(), NoMemory> {
        self.cut(bytes)?;
        self.within_mut(bytes).try_for_each(|segment| segment.room(places, records))
    }

    /// What of `bytes` the place does not have; neighbours with the same sources are one. Bytes without content are
    /// everywhere.
    ///
    /// # Errors
    /// There is no memory.
    pub fn missing(&self, bytes: &Range<u64>, place: Place) -> Result<Vec<Missing>, NoMemory> {
        let mut missing: Vec<Missing> = Vec::new();
        for segment in self.within(bytes) {
            if segment.has_latest(place) {
                continue;
            }
            let latest = segment.copies.iter().filter(|copy| copy.version == segment.latest);
            let at: Vec<Place> = collect(latest.map(|copy| copy.place))?;
            let part = segment.start.max(bytes.start)..segment.end.min(bytes.end);
            match missing.last_mut() {
                Some(last) if last.bytes.end == part.start && last.at == at => last.bytes.end = part.end,
                _ => push(&mut missing, Missing { bytes: part, at })?,
            }
        }
        Ok(missing)
    }

    /// Whether a place has the latest content of all of `bytes`.
    #[must_use]
    pub fn has_latest(&self, bytes: &Range<u64>, place: Place) -> bool {
        self.within(bytes).all(|segment| segment.has_latest(place))
    }

    /// What a move of `bytes` waits for: whoever wrote them at `from`, and whoever uses what is at `to`.
    ///
    /// # Errors
    /// There is no memory.
    pub fn move_waits(&self, bytes: &Range<u64>, from: Place, to: Place) -> Result<Vec<E>, NoMemory> {
        let mut waits = Vec::new();
        for copy in self.within(bytes).flat_map(|segment| &segment.copies) {
            let writer = copy.writer.iter().filter(|_| copy.place == from || copy.place == to);
            let readers = copy.readers.iter().filter(|_| copy.place == to);
            for user in writer.chain(readers) {
                push(&mut waits, user.event.clone())?;
            }
        }
        Ok(waits)
    }

    /// The moves that a command waits for that does this to `bytes` at a place.
    ///
    /// # Errors
    /// There is no memory.
    pub fn command_waits(
        &self,
        bytes: &Range<u64>,
        place: Place,
        access: Access,
    ) -> Result<Vec<E>, NoMemory> {
        let mut waits = Vec::new();
        for copy in self.within(bytes).flat_map(|segment| &segment.copies) {
            if copy.place != place {
                continue;
            }
            let readers = copy.readers.iter().filter(|_| access.writes());
            for user in copy.writer.iter().chain(readers).filter(|user| user.moves) {
                push(&mut waits, user.event.clone())?;
            }
        }
        Ok(waits)
    }

    /// Records a command that reads `bytes` at a place that is not its device's own. To others it is a move.
    ///
    /// # Errors
    /// There is no memory, and no room was taken before; nothing is recorded.
    pub fn record_foreign_read(
        &mut self,
        bytes: &Range<u64>,
        place: Place,
        event: &E,
    ) -> Result<(), NoMemory> {
        self.prepare(bytes, &[place], 1)?;
        for segment in self.within_mut(bytes) {
            segment.copy(place).readers.push(User { event: event.clone(), moves: true });
        }
        Ok(())
    }

    /// Records a move that has been enqueued: from then on `to` has the latest content of `bytes`, too.
    ///
    /// # Errors
    /// As for [`Self::record_foreign_read`].
    pub fn record_move(
        &mut self,
        bytes: &Range<u64>,
        from: Place,
        to: Place,
        event: &E,
    ) -> Result<(), NoMemory> {
        self.prepare(bytes, &[from, to], 1)?;
        for segment in self.within_mut(bytes) {
            let latest = segment.latest;
            segment.copy(from).readers.push(User { event: event.clone(), moves: true });
            let copy = segment.copy(to);
            copy.version = latest;
            copy.writer = Some(User { event: event.clone(), moves: true });
            copy.readers.clear();
        }
        Ok(())
    }

    /// Looks at how commands on `bytes` have ended; comes before what they hold is asked. A place to which a move failed
    /// does not have what it should have brought.
    pub fn settle(&mut self, bytes: &Range<u64>, end: impl Fn(&E) -> End) {
        // Neighbours too: what is quiet may be joined.
        let around = bytes.start.saturating_sub(1)..bytes.end.saturating_add(1);
        self.within_mut(&around).for_each(|segment| segment.settle(&end));
        self.join(bytes);
    }

    /// Records a command that has been enqueued, or something that a thread of the host did (without an event).
    ///
    /// # Errors
    /// As for [`Self::record_foreign_read`].
    pub fn record(
        &mut self,
        bytes: &Range<u64>,
        place: Place,
        access: Access,
        event: Option<&E>,
    ) -> Result<(), NoMemory> {
        self.prepare(bytes, &[place], 1)?;
        let user = |event: &E| User { event: event.clone(), moves: false };
        for segment in self.within_mut(bytes) {
            if !access.writes() {
                segment.copy(place).readers.extend(event.map(user));
                continue;
            }
            segment.latest += 1;
            let latest = segment.latest;
            let copy = segment.copy(place);
            copy.version = latest;
            copy.writer = event.map(user);
            copy.readers.clear();
        }
        Ok(())
    }

    /// Forgets what `bytes` hold: no place has to be brought anything.
    ///
    /// # Errors
    /// There is no memory; nothing is forgotten.
    pub fn discard(&mut self, bytes: &Range<u64>) -> Result<(), NoMemory> {
        self.cut(bytes)?;
        for segment in self.within_mut(bytes) {
            segment.latest = 0;
            segment.copies.iter_mut().for_each(|copy| copy.version = 0);
        }
        Ok(())
    }

    /// How many segments there are: what a look at the whole buffer costs.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    fn first(&self, at: u64) -> usize {
        self.segments.partition_point(|segment| segment.end <= at)
    }

    fn within(&self, bytes: &Range<u64>) -> impl Iterator<Item = &Segment<E>> {
        let end = bytes.end;
        self.segments[self.first(bytes.start)..].iter().take_while(move |segment| segment.start < end)
    }

    fn within_mut(&mut self, bytes: &Range<u64>) -> impl Iterator<Item = &mut Segment<E>> {
        let (first, end) = (self.first(bytes.start), bytes.end);
        self.segments[first..].iter_mut().take_while(move |segment| segment.start < end)
    }

    /// Makes the ends of `bytes` borders of segments.
    fn cut(&mut self, bytes: &Range<u64>) -> Result<(), NoMemory> {
        for at in [bytes.start, bytes.end] {
            let index = self.first(at);
            let Some(segment) = self.segments.get(index).filter(|segment| segment.start < at) else {
                continue;
            };
            let upper = segment.with_borders(at, segment.end)?;
            room(&mut self.segments, 1)?;
            self.segments[index].end = at;
            self.segments.insert(index + 1, upper);
        }
        Ok(())
    }

    /// Joins neighbours that are alike, in and around `bytes`.
    fn join(&mut self, bytes: &Range<u64>) {
        let mut index = self.first(bytes.start).saturating_sub(2);
        while index + 1 < self.segments.len() && self.segments[index].start <= bytes.end {
            if self.segments[index].alike(&self.segments[index + 1]) {
                // Versions are compared within a segment only: the joined one begins again at 1.
                let next = self.segments.remove(index + 1);
                let segment = &mut self.segments[index];
                segment.end = next.end;
                let latest = segment.latest;
                segment.copies.retain(|copy| latest != 0 && copy.version == latest);
                segment.copies.iter_mut().for_each(|copy| copy.version = 1);
                segment.latest = u64::from(latest != 0);
            } else {
                index += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
