//! Synchronisation points: which commands of one queue last wrote and read which bytes.
//!
//! For each resource the touched bytes are cut into segments; a segment has one writer, or the readers since that
//! writer. A command that reads waits for the writer, one that writes waits for the readers, or for the writer where
//! nobody has read since. Nothing is kept about commands that have been executed longer than the next look.
//!
//! Bytes that are rows of pixels may be told apart by columns too: a touch names the bands of columns that it is in, of [`BANDS`]. With the
//! first one that is not in all, a line becomes one for each band; whoever touches all bands goes to each then. Who touches one resource
//! by bands must mean the same columns by the same bands; all others name all.
//!
//! Forgetting everything, which the end of a wait does, takes the same time however many lines there are: what was known
//! then is dropped line by line as the lines are used again, at the next sweep, or with the queue. What is kept that long
//! are records of commands that have ended, never their work.
//!
//! Changes come in two steps, so that running out of memory changes nothing: [`Points::prepare`] cuts segments at the
//! borders of what is touched, makes room, and tells what to wait for; [`Points::record`] cannot fail.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use oxcl_driver::EventId;

use crate::faults;
use crate::queue::fan::Fan;
use crate::queue::{EnqueueError, QueueShared};
use crate::task::{Task, TaskPtr, TaskRef};

/// Names what commands touch: a buffer's memory, or anything else that must be used in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u64);

impl ResourceId {
    /// What printf writes to.
    pub const PRINTF: ResourceId = ResourceId(u64::MAX);
    /// Variables at program scope.
    pub const GLOBALS: ResourceId = ResourceId(u64::MAX - 1);
    /// Memory of the host program, by address: buffers that use host memory in place touch this, so that those over
    /// overlapping memory share their points.
    pub const HOST_MEMORY: ResourceId = ResourceId(u64::MAX - 2);
}

/// What a command does to the bytes it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads only.
    Read,
    /// Writes without reading.
    Write,
    /// Reads and writes.
    ReadWrite,
}

impl Access {
    fn reads(self) -> bool {
        self != Access::Write
    }

    fn writes(self) -> bool {
        self != Access::Read
    }
}

/// Into how many bands of columns rows may be cut.
pub const BANDS: u32 = u16::BITS;

/// All bands: all that lies between two bytes.
pub const ALL_BANDS: u16 = u16::MAX;

/// Bytes `start..end` of a resource and what is done to them. Sub-buffers are ranges of their parent's resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// Whose bytes.
    pub resource: ResourceId,
    /// First byte.
    pub start: u64,
    /// Behind the last byte.
    pub end: u64,
    /// What is done.
    pub access: Access,
    /// In which bands of columns, a bit each; [`ALL_BANDS`] where nothing is known of columns.
    pub bands: u16,
}

impl Touch {
    /// All of a resource.
    #[must_use]
    pub const fn whole(resource: ResourceId, access: Access) -> Touch {
        Touch { resource, start: 0, end: u64::MAX, access, bands: ALL_BANDS }
    }
}

/// Bytes that the same commands touched.
#[derive(Debug)]
struct Segment {
    start: u64,
    end: u64,
    writer: Option<TaskRef>,
    /// Where the readers wait for the writer.
    fan: Fan,
    readers: Vec<TaskRef>,
}

/// The segments of one resource, in order, not overlapping.
#[derive(Debug, Default)]
struct Line {
    segments: Vec<Segment>,
    /// What it knows was learnt in this age; of an age that is over it counts for nothing.
    age: u64,
    /// When there are so many segments, those about nothing but commands that are over are removed.
    sweep_at: usize,
    /// The same for each band, in place of the segments; empty where nobody has touched single ones.
    bands: Vec<Line>,
}

/// Hashes numbers of resources, which are small and dense: multiplying spreads them well enough.
#[derive(Debug, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// The points of one queue.
#[derive(Debug, Default)]
pub(crate) struct Points {
    lines: HashMap<ResourceId, Line, BuildHasherDefault<Spread>>,
    /// Changes when all is forgotten.
    age: u64,
    /// The number of the last command that somebody has seen the end of: it and those before it are neither waited for nor failed with.
    /// Number 0 is no command's.
    finished: u64,
    /// When there are so many lines, those without anything left are removed.
    sweep_at: usize,
    /// A line that has become long.
    long: Option<ResourceId>,
}

/// What to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) task: TaskPtr,
    /// The new command reads what the other one writes: it fails with it.
    pub(crate) depends: bool,
}

/// Lines that are always kept.
const KEPT_LINES: usize = if cfg!(test) { 2 } else { 64 };

/// Segments that a line always keeps.
const KEPT_SEGMENTS: usize = if cfg!(test) { 4 } else { 64 };

/// A segment that nobody is known to have touched keeps room for so many readers.
const KEPT_READERS: usize = if cfg!(test) { 8 } else { 64 };

/// More lines than this are dropped when all is forgotten, for their memory.
const MOST_LINES: usize = 1 << 16;

/// The same segments, to be gone on with by themselves.
fn copies(segments: &[Segment]) -> Result<Vec<Segment>, EnqueueError> {
    let mut all = Vec::new();
    // Whoever has prepared a touch already finds its room again.
    faults::reserve(&mut all, segments.len() + 2)?;
    for segment in segments {
        let mut readers = Vec::new();
        faults::reserve(&mut readers, segment.readers.len() + 1)?;
        readers.extend(segment.readers.iter().cloned());
        let (fan, writer) = (Fan::default(), segment.writer.clone());
        all.push(Segment { start: segment.start, end: segment.end, writer, fan, readers });
    }
    Ok(all)
}

fn is_over(task: &Task) -> bool {
    task.state.load().is_executed()
}

impl Segment {
    /// Tells what a command that touches this must wait for.
    fn wait_for(
        &mut self,
        access: Access,
        finished: u64,
        spread: Option<&Arc<QueueShared>>,
        each: &mut impl FnMut(Wait) -> Result<(), EnqueueError>,
    ) -> Result<(), EnqueueError> {
        let readers_matter = access.writes() && !self.readers.is_empty();
        if readers_matter {
            for reader in &self.readers {
                each(Wait { task: reader.ptr(), depends: false })?;
            }
        }
        // Readers have waited for the writer; what the writer's failure means to who reads remains.
        if let Some(writer) = &self.writer
            && writer.id.0 > finished
            && (!readers_matter || access.reads())
        {
            let task = match access {
                Access::Read => self.fan.target(writer, spread)?,
                Access::Write | Access::ReadWrite => writer.ptr(),
            };
            each(Wait { task, depends: access.reads() })?;
        }
        Ok(())
    }

    /// Records a reader.
    fn read(&mut self, task: TaskRef) {
        self.readers.push(task);
        if self.readers.len() == self.readers.capacity() {
            self.readers.retain(|reader| !is_over(reader));
        }
        self.fan.count();
    }

    /// Records the writer in place of what was there.
    fn write(&mut self, task: TaskRef) {
        self.forget();
        self.writer = Some(task);
    }

    /// Forgets who touched it. The room for readers stays.
    fn forget(&mut self) {
        self.writer = None;
        self.fan = Fan::default();
        self.readers.clear();
    }
}

impl Line {
    /// The one segment that there is, if the touch is of just these bytes: most buffers are used as a whole.
    fn same(&mut self, touch: &Touch) -> Option<&mut Segment> {
        match &mut self.segments[..] {
            [only] if only.start == touch.start && only.end == touch.end => Some(only),
            _ => None,
        }
    }

    /// Whether a touch is one of all bands, and nobody has touched single ones: almost always.
    fn is_whole(&self, touch: &Touch) -> bool {
        self.bands.is_empty() && touch.bands == ALL_BANDS
    }

    /// Has a line for each band.
    fn split(&mut self) -> Result<(), EnqueueError> {
        if !self.bands.is_empty() {
            return Ok(());
        }
        let mut bands = Vec::new();
        faults::reserve(&mut bands, BANDS as usize)?;
        for _ in 0..BANDS {
            bands.push(Line { segments: copies(&self.segments)?, ..Line::default() });
        }
        self.segments.clear();
        self.bands = bands;
        Ok(())
    }

    /// The lines of the bands that a touch is in.
    fn bands_of(&mut self, touch: &Touch) -> impl Iterator<Item = &mut Line> {
        let named = touch.bands;
        let bands = self.bands.iter_mut().enumerate();
        bands.filter(move |(band, _)| named >> band & 1 != 0).map(|(_, line)| line)
    }

    /// Makes room for a touch by bands, and tells what must be waited for.
    #[cold]
    fn prepare_bands(
        &mut self,
        touch: &Touch,
        finished: u64,
        spread: Option<&Arc<QueueShared>>,
        each: &mut dyn FnMut(Wait) -> Result<(), EnqueueError>,
    ) -> Result<(), EnqueueError> {
        self.split()?;
        for line in self.bands_of(touch) {
            line.plan(touch, finished, spread, &mut *each)?;
        }
        Ok(())
    }

    fn record(&mut self, touch: &Touch, task: TaskRef) {
        match (self.same(touch), touch.access.writes()) {
            (Some(segment), true) => segment.write(task),
            (Some(segment), false) => segment.read(task),
            (None, true) => self.write(touch, task),
            (None, false) => self.read(touch, &task),
        }
    }

    fn clear(&mut self) {
        self.segments.clear();
        self.bands.clear();
    }

    /// Forgets everything. Bytes that were all touched as one mostly are again: their segment stays, unless it takes much memory.
    fn forget(&mut self) {
        match &mut self.segments[..] {
            [only] if self.bands.is_empty() && only.readers.capacity() <= KEPT_READERS => only.forget(),
            _ => self.clear(),
        }
    }

    fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.bands.iter().all(Line::is_empty)
    }

    /// The most segments that there are in a row.
    fn longest(&self) -> usize {
        self.bands.iter().map(|line| line.segments.len()).max().unwrap_or(self.segments.len())
    }

    /// Position of the first segment that ends behind `at`.
    fn first_behind(&self, at: u64) -> usize {
        self.segments.partition_point(|segment| segment.end <= at)
    }

    /// Cuts the segment around `at` in two there.
    fn cut(&mut self, at: u64) -> Result<(), EnqueueError> {
        let index = self.first_behind(at);
        let Some(segment) = self.segments.get(index) else { return Ok(()) };
        if segment.start >= at {
            return Ok(());
        }
        let mut readers = Vec::new();
        faults::reserve(&mut readers, segment.readers.len())?;
        readers.extend(segment.readers.iter().cloned());
        let upper = Segment {
            start: at,
            end: segment.end,
            writer: segment.writer.clone(),
            fan: Fan::default(),
            readers,
        };
        faults::reserve(&mut self.segments, 1)?;
        self.segments[index].end = at;
        self.segments.insert(index + 1, upper);
        Ok(())
    }

    /// Cuts at the borders of the touch. For reading, every byte of it gets a segment with room for a reader.
    fn prepare(&mut self, touch: &Touch) -> Result<(), EnqueueError> {
        self.cut(touch.start)?;
        self.cut(touch.end)?;
        let mut index = self.first_behind(touch.start);
        if touch.access.writes() {
            return faults::reserve(&mut self.segments, 1);
        }
        let mut at = touch.start;
        while at < touch.end {
            let next = self.segments.get(index).map_or(u64::MAX, |segment| segment.start);
            if next > at {
                let end = next.min(touch.end);
                faults::reserve(&mut self.segments, 1)?;
                self.segments.insert(
                    index,
                    Segment { start: at, end, writer: None, fan: Fan::default(), readers: Vec::new() },
                );
            }
            let segment = &mut self.segments[index];
            faults::reserve(&mut segment.readers, 1)?;
            at = segment.end;
            index += 1;
        }
        Ok(())
    }

    /// Makes room for a touch, and tells what must be waited for.
    fn plan(
        &mut self,
        touch: &Touch,
        finished: u64,
        spread: Option<&Arc<QueueShared>>,
        mut each: impl FnMut(Wait) -> Result<(), EnqueueError>,
    ) -> Result<(), EnqueueError> {
        if let Some(segment) = self.same(touch) {
            // A writer takes the place of what is there.
            if !touch.access.writes() {
                faults::reserve(&mut segment.readers, 1)?;
            }
            return segment.wait_for(touch.access, finished, spread, &mut each);
        }
        self.prepare(touch)?;
        let first = self.first_behind(touch.start);
        let mut touched = self.segments[first..].iter_mut().take_while(|segment| segment.start < touch.end);
        touched.try_for_each(|segment| segment.wait_for(touch.access, finished, spread, &mut each))
    }

    /// Records a reader.
    fn read(&mut self, touch: &Touch, task: &TaskRef) {
        let first = self.first_behind(touch.start);
        for segment in self.segments[first..].iter_mut().take_while(|segment| segment.start < touch.end) {
            segment.read(task.clone());
        }
    }

    /// Records the writer of all that is touched, in place of what was there.
    fn write(&mut self, touch: &Touch, task: TaskRef) {
        let first = self.first_behind(touch.start);
        let count = self.segments[first..].iter().take_while(|segment| segment.start < touch.end).count();
        if count == 0 {
            let (start, end, writer) = (touch.start, touch.end, Some(task));
            let segment = Segment { start, end, writer, fan: Fan::default(), readers: Vec::new() };
            self.segments.insert(first, segment);
        } else {
            // `prepare` cut at both borders. A segment that reaches beyond them comes from another touch of the same
            // command, so its writer is the same.
            let end = self.segments[first + count - 1].end.max(touch.end);
            let segment = &mut self.segments[first];
            segment.start = segment.start.min(touch.start);
            segment.end = end;
            segment.write(task);
            self.segments.drain(first + 1..first + count);
        }
    }

    /// Forgets commands that are over; of those that failed only what somebody has seen the end of, as who reads what they
    /// did not write fails with them.
    fn forget_what_is_over(&mut self, finished: u64) {
        self.bands.iter_mut().for_each(|line| line.forget_what_is_over(finished));
        if self.bands.iter().all(Line::is_empty) {
            self.bands.clear();
        }
        let told = |task: &Task| is_over(task) && (!task.has_cause() || task.id.0 <= finished);
        self.segments.retain_mut(|segment| {
            if segment.writer.as_deref().is_some_and(told) {
                segment.writer = None;
                segment.fan = Fan::default();
            }
            segment.readers.retain(|reader| !is_over(reader));
            segment.writer.is_some() || !segment.readers.is_empty()
        });
    }
}

impl Points {
    /// Forgets what is over, now and then: lines of which nothing is left, and the segments of one that has become long.
    /// Comes before a command is planned: from [`Points::prepare`] to [`Points::record`] nothing is forgotten, as the plan
    /// refers to it.
    pub(crate) fn sweep(&mut self) {
        if let Some(long) = self.long.take()
            && let Some(line) = self.lines.get_mut(&long)
        {
            line.forget_what_is_over(self.finished);
            line.sweep_at = 2 * line.longest();
        }
        if self.lines.len() >= self.sweep_at.max(KEPT_LINES) {
            for line in self.lines.values_mut() {
                if line.age == self.age {
                    line.forget_what_is_over(self.finished);
                } else {
                    line.clear();
                }
            }
            self.lines.retain(|_, line| !line.is_empty());
            self.sweep_at = 2 * self.lines.len();
        }
    }

    /// Makes room for a touch, and tells what a command that touches this must wait for. Many readers of one writer wait
    /// in a row if there is a queue to `spread` them to.
    pub(crate) fn prepare(
        &mut self,
        touch: &Touch,
        spread: Option<&Arc<QueueShared>>,
        mut each: impl FnMut(Wait) -> Result<(), EnqueueError>,
    ) -> Result<(), EnqueueError> {
        if let Some(line) = self.lines.get_mut(&touch.resource) {
            if line.age != self.age {
                line.clear();
                line.age = self.age;
            }
            if line.is_whole(touch) {
                line.plan(touch, self.finished, spread, &mut each)?;
                if line.segments.len() >= line.sweep_at.max(KEPT_SEGMENTS) {
                    self.long = Some(touch.resource);
                }
                return Ok(());
            }
            line.prepare_bands(touch, self.finished, spread, &mut each)?;
            if line.longest() >= line.sweep_at.max(KEPT_SEGMENTS) {
                self.long = Some(touch.resource);
            }
            return Ok(());
        }
        if self.lines.capacity() == self.lines.len() {
            if faults::refuse_allocation() {
                return Err(EnqueueError::OutOfHostMemory);
            }
            self.lines.try_reserve(1).map_err(|_| EnqueueError::OutOfHostMemory)?;
        }
        let line = self.lines.entry(touch.resource).or_default();
        line.age = self.age;
        if line.is_whole(touch) {
            return line.prepare(touch);
        }
        line.prepare_bands(touch, self.finished, spread, &mut each)
    }

    /// Records the touch of a command, with a reference to it, unless all was forgotten since it was prepared.
    pub(crate) fn record(&mut self, touch: &Touch, task: TaskRef) {
        if let Some(line) = self.lines.get_mut(&touch.resource)
            && line.age == self.age
        {
            if line.bands.is_empty() {
                line.record(touch, task);
            } else {
                line.bands_of(touch).for_each(|line| line.record(touch, task.clone()));
            }
        }
    }

    /// All commands up to this one have ended, and somebody has waited for that: what failed of them is known. Numbers of a
    /// queue's commands grow.
    pub(crate) fn finish(&mut self, last: EventId) {
        self.finished = self.finished.max(last.0);
    }

    /// Forgets everything: whatever comes waits for something else that comes after all of it.
    pub(crate) fn clear(&mut self) {
        // Who waits for the queue's end waits for this too: dropping thousands of lines would take longer than what they
        // are about.
        match self.lines.len() {
            0..=KEPT_LINES => self.lines.values_mut().for_each(Line::forget),
            _ if self.lines.len() <= MOST_LINES => self.age += 1,
            _ => self.lines.clear(),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::{Fresh, Role};

    /// Whom a command that touches all of these must wait for, by number; then it is recorded.
    fn enter(points: &mut Points, number: u64, resources: &[u64], access: Access) -> (TaskRef, Vec<u64>) {
        let task = Fresh::new(Role::InOrder, EventId(number)).unwrap().share(1);
        let touches = resources.iter().map(|resource| Touch::whole(ResourceId(*resource), access));
        let touches: Vec<Touch> = touches.collect();
        let mut waits = Vec::new();
        points.sweep();
        for touch in &touches {
            let each = |wait: Wait| {
                // SAFETY: the tests keep the tasks.
                waits.push(unsafe { wait.task.get() }.id.0);
                Ok(())
            };
            points.prepare(touch, None, each).unwrap();
        }
        touches.iter().for_each(|touch| points.record(touch, task.clone()));
        (task, waits)
    }

    /// Work whose end shows that its record was freed.
    struct Nothing;

    impl oxcl_driver::Launch for Nothing {
        fn groups(&self) -> u64 {
            1
        }

        fn run(&self, _: u64, _: u64, _: oxcl_driver::Lane) -> Result<(), oxcl_driver::Failure> {
            Ok(())
        }
    }

    /// A command that touches a buffer twice, or a second buffer: what it is planned to wait for after the first touch
    /// ends before the second one is planned, and must still be there when the plan is carried out.
    #[test]
    fn nothing_that_a_plan_refers_to_is_forgotten_before_it_is_carried_out() {
        // As many readers as there may be room for, so that the one to come needs more.
        for readers in 1..=16 {
            for second in [7, 8, 9] {
                let mut points = Points::default();
                // Lines enough that there is something to sweep.
                let _others = enter(&mut points, 50, &[8, 10, 11], Access::Read);
                let mut alive = Vec::new();
                for number in 1..=readers {
                    let work: Arc<dyn oxcl_driver::Launch> = Arc::new(Nothing);
                    alive.push(Arc::downgrade(&work));
                    let mut task = Fresh::new(Role::InOrder, EventId(number)).unwrap();
                    task.body = crate::shim::UnsafeCell::new(Some(work));
                    let task = task.share(1);
                    let touch = Touch::whole(ResourceId(7), Access::Read);
                    points.prepare(&touch, None, |_| Ok(())).unwrap();
                    points.record(&touch, task.clone());
                }
                let mut planned = Vec::new();
                for touch in [
                    Touch::whole(ResourceId(7), Access::Write),
                    Touch::whole(ResourceId(second), Access::Read),
                ] {
                    let each = |wait: Wait| {
                        planned.push(wait.task);
                        Ok(())
                    };
                    points.prepare(&touch, None, each).unwrap();
                    assert!(alive.iter().all(|work| work.strong_count() == 1), "{readers} readers, {second}");
                    // They end now, and nobody but the points knows of them.
                    for at in &planned {
                        // SAFETY: the points hold references, which is what the assertion above is about.
                        unsafe { at.get() }.state.set(crate::task::state::Snapshot::EXECUTED);
                    }
                }
                assert_eq!(planned.len() as u64, readers);
            }
        }
    }

    #[test]
    fn what_was_forgotten_is_waited_for_no_more_and_what_came_after_is() {
        for many in [1, 2, 3, 40] {
            let mut points = Points::default();
            let all: Vec<u64> = (0..many).collect();
            let (writer, waits) = enter(&mut points, 1, &all, Access::Write);
            assert!(waits.is_empty());
            let (reader, waits) = enter(&mut points, 2, &all, Access::Read);
            assert_eq!(waits, vec![1; all.len()]);
            points.clear();
            // The first resource is used again at once, the others after what touches the first.
            let (second, waits) = enter(&mut points, 3, &all[..1], Access::ReadWrite);
            assert!(waits.is_empty(), "{many}");
            let (third, waits) = enter(&mut points, 4, &all, Access::ReadWrite);
            assert_eq!(waits, [3]);
            let (fourth, waits) = enter(&mut points, 5, &all, Access::Read);
            assert_eq!(waits, vec![4; all.len()]);
            drop((writer, reader, second, third, fourth));
        }
    }

    /// Commands on ever new bytes of one resource, none of which is forgotten otherwise.
    #[test]
    fn a_long_line_loses_what_is_over() {
        let mut points = Points::default();
        let mut running = Vec::new();
        for number in 1..=1000_u64 {
            let task = Fresh::new(Role::InOrder, EventId(number)).unwrap().share(1);
            let start = 64 * (1000 - number);
            let touch = Touch { end: start + 64, start, ..Touch::whole(ResourceId(7), Access::Write) };
            points.sweep();
            points.prepare(&touch, None, |_| Ok(())).unwrap();
            points.record(&touch, task.clone());
            // One in a hundred takes long.
            if number % 100 == 0 {
                running.push((number, task));
            } else {
                task.state.set(crate::task::state::Snapshot::EXECUTED);
            }
            let segments = points.lines[&ResourceId(7)].segments.len();
            assert!(segments <= 2 * (KEPT_SEGMENTS + running.len()) + 2, "{segments} after {number}");
        }
        let mut waits = Vec::new();
        let each = |wait: Wait| {
            // SAFETY: the test keeps the tasks.
            waits.push(unsafe { wait.task.get() });
            Ok(())
        };
        points.prepare(&Touch::whole(ResourceId(7), Access::Write), None, each).unwrap();
        let mut waits: Vec<u64> = waits.iter().filter(|task| !is_over(task)).map(|task| task.id.0).collect();
        waits.sort_unstable();
        assert_eq!(waits, running.iter().map(|(number, _)| *number).collect::<Vec<_>>());
    }

    /// What a byte of a band knows: who wrote it last, and who has read it since.
    #[derive(Clone, Default)]
    struct Cell {
        writer: Option<u64>,
        readers: Vec<u64>,
    }

    #[test]
    fn bytes_and_bands_are_waited_for_as_if_each_were_by_itself() {
        const BYTES: usize = 24;
        let mut state = 18_u64;
        let mut below = move |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for _ in 0..200 {
            let mut points = Points::default();
            let mut cells = vec![Cell::default(); BYTES * BANDS as usize];
            let mut tasks = Vec::new();
            for number in 1..=30 {
                let start = below(BYTES as u64 - 1);
                let end = start + 1 + below(BYTES as u64 - start);
                let bands = if below(3) == 0 { ALL_BANDS } else { ((1 << below(6)) - 1) << below(11) };
                let access = [Access::Read, Access::Write, Access::ReadWrite][below(3) as usize];
                let touch =
                    Touch { resource: ResourceId(7), start, end: end.min(BYTES as u64), access, bands };
                if below(8) == 0 {
                    points.clear();
                    cells.fill(Cell::default());
                }
                let task = Fresh::new(Role::InOrder, EventId(number)).unwrap().share(1);
                let (mut found, mut wanted) = (Vec::new(), Vec::new());
                points.sweep();
                let each = |wait: Wait| {
                    // SAFETY: the test keeps the tasks.
                    found.push(unsafe { wait.task.get() }.id.0);
                    Ok(())
                };
                points.prepare(&touch, None, each).unwrap();
                points.record(&touch, task.clone());
                for byte in touch.start..touch.end {
                    for band in (0..BANDS).filter(|band| bands >> band & 1 != 0) {
                        let cell = &mut cells[(byte as usize) * BANDS as usize + band as usize];
                        if access.writes() {
                            wanted.extend(&cell.readers);
                        }
                        if cell.readers.is_empty() || access.reads() {
                            wanted.extend(cell.writer);
                        }
                        if access.writes() {
                            *cell = Cell { writer: Some(number), readers: Vec::new() };
                        } else {
                            cell.readers.push(number);
                        }
                    }
                }
                for set in [&mut found, &mut wanted] {
                    set.sort_unstable();
                    set.dedup();
                }
                assert_eq!(found, wanted, "{touch:?}");
                tasks.push(task);
            }
        }
    }

    #[test]
    fn lines_of_what_was_forgotten_go_at_the_next_sweep() {
        let mut points = Points::default();
        let tasks: Vec<TaskRef> = (0..20).map(|i| enter(&mut points, i, &[i], Access::Write).0).collect();
        points.clear();
        points.sweep_at = 0;
        points.sweep();
        assert!(points.lines.is_empty());
        drop(tasks);
    }
}
