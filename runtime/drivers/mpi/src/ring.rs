//! Packets from one process to another through memory that both see: a [`Sender`] puts them into a row of lines that begins anew
//! behind its end, a [`Receiver`] takes them out in their order. Neither calls the system, and neither waits for the other: where
//! there is no room the sender says so.
//!
//! A packet takes whole lines, as many as it needs, and begins with a word that is zero until the packet is complete. So one of up to
//! 56 bytes goes from one processor to another as one cache line, with which comes that it is there. The receiver clears
//! the first word of each line that it has read, as any of them may be the first of a packet later, and says then how far it has come,
//! in a line that the sender looks at only where it finds no room.
//!
//! What stands in the memory is believed as far as that nothing is read beside it: the other end is of the same job.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that processors exchange at once.
pub(crate) const LINE: usize = 64;
/// Where the lines begin: behind how far the receiver has come, which has a pair of cache lines of its own.
const LINES: usize = 2 * LINE;
/// A packet's first word.
const WORD: usize = size_of::<u64>();

/// The bytes of a ring of so many lines.
pub(crate) const fn bytes_of(lines: usize) -> usize {
    LINES + lines * LINE
}

/// How many lines a ring of so many bytes has at most.
pub(crate) const fn lines_in(bytes: usize) -> usize {
    bytes.saturating_sub(LINES) / LINE
}

/// The memory of one ring.
#[derive(Debug)]
struct Ring {
    base: *mut u8,
    /// A power of two.
    lines: usize,
}

// SAFETY: the memory belongs to no thread; who may touch what of it when is said at each access.
unsafe impl Send for Ring {}

impl Ring {
    /// # Safety
    /// `base` is aligned to a line, and begins [`bytes_of`] so many lines, a power of two, that stay where they are as long as this does.
    /// They were zero before either end touched them, and only one sender and one receiver do.
    unsafe fn new(base: *mut u8, lines: usize) -> Ring {
        debug_assert!(lines.is_power_of_two() && base.addr().is_multiple_of(LINE));
        Ring { base, lines }
    }

    /// How many lines the receiver has emptied since the beginning.
    fn emptied(&self) -> &AtomicU64 {
        // SAFETY: the first word of the memory, which both ends use as this and nothing else.
        unsafe { AtomicU64::from_ptr(self.base.cast()) }
    }

    /// Where a line is: its number counts from the beginning.
    fn line(&self, number: u64) -> *mut u8 {
        let place = number as usize & (self.lines - 1);
        self.base.wrapping_add(LINES + place * LINE)
    }

    /// The first word of a line.
    fn word(&self, number: u64) -> &AtomicU64 {
        // SAFETY: inside the memory, and aligned as lines are. Where it is a packet's first word both ends use it as this; elsewhere
        // the end that has the line does.
        unsafe { AtomicU64::from_ptr(self.line(number).cast()) }
    }

    /// The parts of a packet of so many bytes that begins in a line: up to the last line, and the rest from the first one on.
    fn parts(&self, first: u64, length: usize) -> [(*mut u8, usize); 2] {
        let begin = self.line(first).wrapping_add(WORD);
        let room = (self.lines - (first as usize & (self.lines - 1))) * LINE - WORD;
        let here = length.min(room);
        [(begin, here), (self.base.wrapping_add(LINES), length - here)]
    }

    /// The lines that a packet of so many bytes takes; `None` for one that is too long for this ring.
    fn lines_of(&self, length: usize) -> Option<u64> {
        let lines = length.checked_add(WORD)?.div_ceil(LINE);
        (lines <= self.lines / 2).then_some(lines as u64)
    }
}

/// The end that packets go in at.
#[derive(Debug)]
pub(crate) struct Sender {
    ring: Ring,
    /// Lines that were filled.
    filled: u64,
    /// Lines that were empty again when this was looked at last.
    emptied: u64,
}

impl Sender {
    /// # Safety
    /// See [`Ring::new`].
    pub(crate) unsafe fn new(base: *mut u8, lines: usize) -> Sender {
        // SAFETY: the caller's promise.
        Sender { ring: unsafe { Ring::new(base, lines) }, filled: 0, emptied: 0 }
    }

    /// Puts in a packet with a number. False, and nothing has happened, where there is no room, or it has no bytes.
    pub(crate) fn push(&mut self, number: u32, bytes: &[u8]) -> bool {
        let Some(lines) = self.ring.lines_of(bytes.len()).filter(|_| !bytes.is_empty()) else { return false };
        let end = self.filled + lines;
        if end - self.emptied > self.ring.lines as u64 {
            // Acquire pairs with the release in `take`: what was in the lines has been read, and their first words are clear.
            self.emptied = self.ring.emptied().load(Ordering::Acquire);
            if end - self.emptied > self.ring.lines as u64 {
                return false;
            }
        }
        let mut from = bytes;
        for (to, length) in self.ring.parts(self.filled, bytes.len()) {
            let (now, rest) = from.split_at(length);
            // SAFETY: the part lies in lines that the receiver has emptied, and does not look into before the word below says so. The
            // slice is of this process's own memory.
            unsafe { to.copy_from_nonoverlapping(now.as_ptr(), length) };
            from = rest;
        }
        let word = (bytes.len() as u64) << 32 | u64::from(number);
        // Release passes on the bytes to who finds the word.
        self.ring.word(self.filled).store(word, Ordering::Release);
        self.filled = end;
        true
    }
}

/// The end that packets come out of.
#[derive(Debug)]
pub(crate) struct Receiver {
    ring: Ring,
    /// Lines that were emptied.
    emptied: u64,
}

/// A packet that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) number: u32,
    length: usize,
}

impl Receiver {
    /// # Safety
    /// See [`Ring::new`].
    pub(crate) unsafe fn new(base: *mut u8, lines: usize) -> Receiver {
        // SAFETY: the caller's promise.
        Receiver { ring: unsafe { Ring::new(base, lines) }, emptied: 0 }
    }

    /// The next packet, if it is there.
    pub(crate) fn next(&self) -> Option<Found> {
        // Acquire pairs with the release in `push`.
        let word = self.ring.word(self.emptied).load(Ordering::Acquire);
        (word != 0).then_some(Found { number: word as u32, length: (word >> 32) as usize })
    }

    /// Takes out the packet that [`Receiver::next`] has just found, into `room`. False, and nothing has happened, where what stands
    /// there cannot be one.
    pub(crate) fn take(&mut self, found: Found, room: &mut Vec<u8>) -> bool {
        let Some(lines) = self.ring.lines_of(found.length) else { return false };
        room.clear();
        room.reserve(found.length);
        for (from, length) in self.ring.parts(self.emptied, found.length) {
            // SAFETY: the part lies in the lines of a packet that is complete, which the sender leaves alone until they are said to be
            // empty, below; there are as many bytes as lines of the ring have.
            room.extend_from_slice(unsafe { std::slice::from_raw_parts(from, length) });
        }
        for line in self.emptied..self.emptied + lines {
            // Relaxed: the release below passes it on.
            self.ring.word(line).store(0, Ordering::Relaxed);
        }
        self.emptied += lines;
        // Release: what was read and cleared comes before whatever the sender writes there next.
        self.ring.emptied().store(self.emptied, Ordering::Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(64))]
    #[derive(Clone)]
    struct Line(#[allow(dead_code, reason = "memory")] [u8; LINE]);

    fn memory(lines: usize) -> Vec<Line> {
        vec![Line([0; LINE]); bytes_of(lines) / LINE]
    }

    fn ends(memory: &mut [Line], lines: usize) -> (Sender, Receiver) {
        let base = memory.as_mut_ptr().cast();
        // SAFETY: the memory is zero, aligned, long enough, and outlives what the tests do with both ends.
        let to = unsafe { Sender::new(base, lines) };
        // SAFETY: as above.
        (to, unsafe { Receiver::new(base, lines) })
    }

    fn packet(number: u32) -> Vec<u8> {
        let length = 1 + (number.wrapping_mul(0x9e37_79b9) >> 16) as usize % 248;
        (0..length).map(|at| (number as usize + at) as u8).collect()
    }

    #[test]
    fn packets_come_out_as_they_went_in_and_none_where_there_is_no_room() {
        let mut memory = memory(8);
        let (mut to, mut from) = ends(&mut memory, 8);
        assert!(!to.push(0, &[]));
        assert_eq!(from.next(), None);
        // Longer than half of the ring.
        assert!(!to.push(0, &[1; 4 * LINE - WORD + 1]));
        let mut room = Vec::new();
        // Each place of the ring is the first one of a packet, and packets lie across its end.
        for number in 0..1000 {
            let bytes = packet(number);
            assert!(to.push(number, &bytes));
            let found = from.next().unwrap();
            assert_eq!((found.number, found.length), (number, bytes.len()));
            assert!(from.take(found, &mut room));
            assert_eq!(room, bytes);
            assert_eq!(from.next(), None);
        }
        let mut count = 0;
        while to.push(count, &[7; LINE - WORD]) {
            count += 1;
        }
        assert_eq!(count, 8);
        for number in 0..count {
            let found = from.next().unwrap();
            assert_eq!(found.number, number);
            assert!(from.take(found, &mut room));
        }
        assert!(to.push(9, &[1]));
    }

    #[test]
    fn what_cannot_be_a_packet_is_refused() {
        let mut memory = memory(8);
        let (mut to, mut from) = ends(&mut memory, 8);
        assert!(to.push(3, &[1, 2, 3]));
        for length in [4 * LINE, u32::MAX as usize] {
            assert!(!from.take(Found { number: 3, length }, &mut Vec::new()));
        }
        let found = from.next().unwrap();
        assert!(from.take(found, &mut Vec::new()));
    }

    #[test]
    fn two_threads_send_and_receive() {
        let mut memory = memory(16);
        let (mut to, mut from) = ends(&mut memory, 16);
        let count = if cfg!(miri) { 200 } else { 200_000 };
        let sends = std::thread::spawn(move || {
            for number in 0..count {
                let bytes = packet(number);
                while !to.push(number, &bytes) {
                    std::thread::yield_now();
                }
            }
        });
        let mut room = Vec::new();
        for number in 0..count {
            let found = loop {
                match from.next() {
                    Some(found) => break found,
                    None => std::thread::yield_now(),
                }
            };
            assert_eq!(found.number, number);
            assert!(from.take(found, &mut room));
            assert_eq!(room, packet(number));
        }
        sends.join().unwrap();
    }
}
