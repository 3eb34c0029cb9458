//! Packets between ranks of one machine ([`Near`]): through a window of memory that MPI makes for them and that all of them see
//! (MPI 3.1, section 11.2.3), in rings of lines (`ring.rs`). Such a packet is there a cache line later, where a message of MPI's takes
//! half a microsecond, and to look for one costs nothing. What finds no room in a ring, being too long or too early, goes as
//! a message after all; packets are numbered, so that they are heard in their order whichever way they come.
//!
//! All ranks of a machine have the window or none has. Bytes of buffers do not go through it.

use std::ffi::{c_int, c_void};
use std::ptr;

use mpi::ffi;

use crate::ring::{self, Found, Receiver, Sender};
use crate::transport::{Happening, Rank};

/// Lines of a ring, at least and at most.
const LINES: [usize; 2] = [16, 1024];
/// Bytes that all rings of a machine have together, at most, if nobody says otherwise: the memory that processes can share may be
/// short.
pub(crate) const BYTES: u64 = 8 << 20;
/// What a packet's number takes at the end of a message.
const NUMBER: usize = size_of::<u32>();

/// Another rank of this machine.
struct Peer {
    rank: Rank,
    /// Its process, where this one sees that.
    process: Option<libc::pid_t>,
    to: Sender,
    from: Receiver,
    /// The number of the next packet to it, and of the next one from it.
    next: [u32; 2],
}

/// A packet that has come before one that was sent earlier.
struct Early {
    peer: usize,
    number: u32,
    bytes: Vec<u8>,
}

/// See the module's header.
pub(crate) struct Near {
    window: ffi::MPI_Win,
    peers: Vec<Peer>,
    /// Which of them a rank of the job is.
    places: Vec<Option<usize>>,
    early: Vec<Early>,
    /// Where the next look begins.
    turn: usize,
}

/// What a rank has sent is no packet.
fn damaged(rank: Rank) -> Happening {
    Happening::Unreachable { rank, reason: "what it sent is damaged".to_owned() }
}

/// So many lines has each ring, where so many ranks have one for each other, in so many bytes; `None` where these are too few.
fn lines_for(ranks: usize, bytes: u64) -> Option<usize> {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let lines = ring::lines_in(bytes / (ranks * ranks)).min(LINES[1]);
    (lines >= LINES[0]).then(|| 1 << lines.ilog2())
}

impl Near {
    /// With all `count` ranks of `local`, which are those of this machine, and of which this one is `rank` of `ranks` in the job. All of
    /// them come here. The rings take as many bytes as the one allows that allows the least; `None` where these are too few, or one
    /// of them has no window.
    pub(crate) fn open(
        local: ffi::MPI_Comm,
        count: usize,
        rank: Rank,
        ranks: u32,
        allowed: u64,
    ) -> Option<Near> {
        if count < 2 {
            return None;
        }
        let mut own: c_int = 0;
        // SAFETY: the communicator was made, and an integer is there to write to.
        unsafe { ffi::MPI_Comm_rank(local, &raw mut own) };
        let own = usize::try_from(own).ok()?;
        // All ranks find the same.
        let lines = lines_for(count, least(local, allowed))?;
        let bytes = ring::bytes_of(lines) * count;
        // Where this rank's part is, which is asked for below.
        let mut unused: *mut u8 = ptr::null_mut();
        // SAFETY: a window to write to.
        let mut window = unsafe { ffi::RSMPI_WIN_NULL };
        // SAFETY: all ranks of the communicator come here, and the places to write to are there: MPI takes that of the address
        // as an untyped pointer.
        let made = unsafe {
            ffi::MPI_Win_allocate_shared(
                ffi::MPI_Aint::try_from(bytes + ring::LINE).ok()?,
                1,
                ffi::RSMPI_INFO_NULL,
                local,
                (&raw mut unused).cast::<c_void>(),
                &raw mut window,
            )
        };
        if !all_say(local, made == 0) {
            // SAFETY: where it was made nobody uses it.
            let _ = made == 0 && unsafe { ffi::MPI_Win_free(&raw mut window) } == 0;
            return None;
        }
        // SAFETY: the window was made. Everything that is done to its memory from here on is done by processors' own loads and stores,
        // which are atomic or ordered by such, while all ranks hold it: the memory is one for all of them.
        let held = unsafe { ffi::MPI_Win_lock_all(ffi::MPI_MODE_NOCHECK as c_int, window) } == 0;
        let bases: Option<Vec<*mut u8>> = (0..count).map(|at| base_of(window, at, bytes)).collect();
        let numbers = ranks_of(local, rank, count);
        let base = bases.as_ref().and_then(|bases| bases.get(own).copied());
        let ready = held && base.is_some() && numbers.is_some();
        if let Some(base) = base.filter(|_| ready) {
            // SAFETY: this rank's own part, so many bytes, which the others touch after all have said that they are ready.
            unsafe { base.write_bytes(0, bytes) };
        }
        let mut near = Near {
            window,
            peers: Vec::new(),
            places: vec![None; ranks as usize],
            early: Vec::new(),
            turn: 0,
        };
        if !all_say(local, ready) {
            near.close();
            return None;
        }
        let base = base?;
        let at = |base: *mut u8, place: usize| base.wrapping_add(place * ring::bytes_of(lines));
        for (place, (theirs, (rank, process))) in bases?.into_iter().zip(numbers?).enumerate() {
            if place == own {
                continue;
            }
            // SAFETY: each rank has rings for what the others send it, in their order; they are zero, and aligned as was looked, and
            // only these two ranks use this one.
            let to = unsafe { Sender::new(at(theirs, own), lines) };
            // SAFETY: as above.
            let from = unsafe { Receiver::new(at(base, place), lines) };
            if let Some(entry) = near.places.get_mut(rank as usize) {
                *entry = Some(near.peers.len());
            }
            let process = Some(process).filter(|process| is_there(*process));
            near.peers.push(Peer { rank, process, to, from, next: [0, 0] });
        }
        Some(near)
    }

    /// Sends a packet to a rank of this machine. False where it has to go as a message: to a rank elsewhere as it is, to one of this
    /// machine with its number, which was put behind its bytes.
    pub(crate) fn send(&mut self, to: Rank, bytes: &mut Vec<u8>) -> bool {
        let place = self.places.get(to as usize).copied().flatten();
        let Some(peer) = place.and_then(|place| self.peers.get_mut(place)) else { return false };
        let number = peer.next[0];
        peer.next[0] = number.wrapping_add(1);
        let is_sent = peer.to.push(number, bytes);
        if !is_sent {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        is_sent
    }

    /// A packet that is to be heard now. `room` is for its bytes.
    pub(crate) fn hear(&mut self, room: &mut Vec<u8>) -> Option<Happening> {
        let count = self.peers.len();
        let found = (self.turn..count).chain(0..self.turn).find_map(|place| {
            let Peer { from, next, .. } = &self.peers[place];
            Some((place, from.next().filter(|found| found.number == next[1])?))
        });
        if let Some((place, found)) = found {
            self.turn = if place + 1 == count { 0 } else { place + 1 };
            return Some(self.take(place, found, room));
        }
        let now = |early: &Early| self.peers[early.peer].next[1] == early.number;
        let at = self.early.iter().position(now)?;
        let Early { peer, bytes, .. } = self.early.swap_remove(at);
        Some(Happening::Packet { from: self.heard(peer), bytes })
    }

    fn take(&mut self, place: usize, found: Found, room: &mut Vec<u8>) -> Happening {
        let mut bytes = std::mem::take(room);
        if !self.peers[place].from.take(found, &mut bytes) {
            return damaged(self.peers[place].rank);
        }
        Happening::Packet { from: self.heard(place), bytes }
    }

    /// The next packet of a rank was heard; which rank that is.
    fn heard(&mut self, place: usize) -> Rank {
        let Peer { rank, next, .. } = &mut self.peers[place];
        next[1] = next[1].wrapping_add(1);
        *rank
    }

    /// A packet has come as a message. It comes back if it is to be heard now; else it is kept until those before it were.
    pub(crate) fn came(&mut self, from: Rank, mut bytes: Vec<u8>) -> Option<Happening> {
        let Some(peer) = self.places.get(from as usize).copied().flatten() else {
            return Some(Happening::Packet { from, bytes });
        };
        let number = bytes.len().checked_sub(NUMBER).map(|end| bytes.split_off(end));
        let Some(number) = number.and_then(|number| number.try_into().ok()).map(u32::from_le_bytes) else {
            return Some(damaged(from));
        };
        if self.peers[peer].next[1] == number {
            return Some(Happening::Packet { from: self.heard(peer), bytes });
        }
        self.early.push(Early { peer, number, bytes });
        None
    }

    /// Whether a rank of this machine has ended. Nothing that is sent to it says so, as it goes to memory.
    pub(crate) fn has_ended(&self, rank: Rank) -> bool {
        let place = self.places.get(rank as usize).copied().flatten();
        let process = place.and_then(|place| self.peers.get(place)?.process);
        process.is_some_and(|process| !is_there(process))
    }

    /// The last call, which all ranks of the machine make.
    pub(crate) fn close(&mut self) {
        self.peers.clear();
        // SAFETY: the window is held, and nobody uses its memory any more.
        unsafe { ffi::MPI_Win_unlock_all(self.window) };
        // SAFETY: as above.
        unsafe { ffi::MPI_Win_free(&raw mut self.window) };
    }
}

/// Whether all ranks say so.
fn all_say(local: ffi::MPI_Comm, this: bool) -> bool {
    least(local, this.into()) != 0
}

/// The least of all ranks' numbers; 0 where that cannot be found out.
fn least(local: ffi::MPI_Comm, own: u64) -> u64 {
    let mut all: u64 = 0;
    // SAFETY: all ranks of the communicator come here, with a number each to read and to write.
    let code = unsafe {
        ffi::MPI_Allreduce(
            (&raw const own).cast(),
            (&raw mut all).cast(),
            1,
            ffi::RSMPI_UINT64_T,
            ffi::RSMPI_MIN,
            local,
        )
    };
    if code == 0 { all } else { 0 }
}

/// Whether there is a process of that number, as this one sees them.
fn is_there(process: libc::pid_t) -> bool {
    // SAFETY: no signal is sent.
    let asked = unsafe { libc::kill(process, 0) };
    asked == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// The ranks in the job of all ranks of a machine, and their processes.
fn ranks_of(local: ffi::MPI_Comm, rank: Rank, count: usize) -> Option<Vec<(Rank, libc::pid_t)>> {
    let own = u64::from(std::process::id()) << 32 | u64::from(rank);
    let mut all = vec![0_u64; count];
    // SAFETY: all ranks of the communicator come here, with a number to read and room for one of each.
    let code = unsafe {
        ffi::MPI_Allgather(
            (&raw const own).cast(),
            1,
            ffi::RSMPI_UINT64_T,
            all.as_mut_ptr().cast(),
            1,
            ffi::RSMPI_UINT64_T,
            local,
        )
    };
    // A process that has no number here is one that is always there.
    let parts = |all: u64| (all as Rank, libc::pid_t::try_from(all >> 32).unwrap_or(1));
    (code == 0).then(|| all.into_iter().map(parts).collect())
}

/// Where a rank's part of a window is in this process, from the first whole line on, if it has so many bytes from there. That is the
/// same place of the memory in all processes, which see it by pages.
fn base_of(window: ffi::MPI_Win, at: usize, bytes: usize) -> Option<*mut u8> {
    let (mut size, mut unit): (ffi::MPI_Aint, c_int) = (0, 0);
    let mut base: *mut u8 = ptr::null_mut();
    // SAFETY: the window was made, and the places to write to are there, that of the address as an untyped pointer.
    let code = unsafe {
        ffi::MPI_Win_shared_query(
            window,
            c_int::try_from(at).ok()?,
            &raw mut size,
            &raw mut unit,
            (&raw mut base).cast::<c_void>(),
        )
    };
    let before = base.addr().next_multiple_of(ring::LINE) - base.addr();
    let is_long_enough = usize::try_from(size).is_ok_and(|size| size >= before + bytes);
    (code == 0 && is_long_enough && !base.is_null()).then(|| base.wrapping_add(before))
}
