//! Transfers as both ends see them. Who sends says so in a message, with the bytes in it where they are few; who receives
//! begins when it has heard that and knows where they go, whichever comes first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use oxcl_driver::{Failure, HostMemory, HostSpan, lock};

use crate::desk::PIECE;
use crate::message::Message;
use crate::post::{Flow, Over, Post};
use crate::transport::{Rank, copy_in, copy_out};

/// So many bytes travel in the message.
const FEW: u64 = 8 << 10;

/// Sends bytes, which stay as they are until `over` is called.
pub(crate) fn send(
    post: &Post,
    to: Rank,
    transfer: u64,
    span: HostSpan,
    keep: Option<Arc<HostMemory>>,
    over: Over,
) {
    let length = span.length();
    if length <= FEW {
        let bytes = Some(copy_out(span).into());
        post.say(to, &Message::Data { transfer, length, bytes });
        over(Ok(()));
        return;
    }
    post.say(to, &Message::Data { transfer, length, bytes: None });
    post.send(Flow { peer: to, transfer, span, length, _keep: keep, over });
}

/// Where the bytes of a transfer go.
struct Wanted {
    /// None: nowhere, as whoever wanted them has failed.
    room: Option<(HostSpan, Option<Arc<HostMemory>>)>,
    over: Over,
}

enum Arrival {
    Wanted(Wanted),
    Announced { length: u64, bytes: Option<Box<[u8]>> },
    Refused(Failure),
}

/// Transfers that have not begun.
#[derive(Default)]
pub(crate) struct Arrivals(Mutex<HashMap<(Rank, u64), Arrival>>);

impl std::fmt::Debug for Arrivals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arrivals").field("count", &lock(&self.0).len()).finish()
    }
}

impl Arrivals {
    /// The bytes of a transfer are to go there. `over` is called when they have, or do not come.
    pub(crate) fn expect(
        &self,
        post: &Post,
        from: Rank,
        transfer: u64,
        room: Option<(HostSpan, Option<Arc<HostMemory>>)>,
        over: Over,
    ) {
        let key = (from, transfer);
        let mut known = lock(&self.0);
        match known.remove(&key) {
            None | Some(Arrival::Wanted(_)) => {
                known.insert(key, Arrival::Wanted(Wanted { room, over }));
            }
            Some(Arrival::Announced { length, bytes }) => {
                drop(known);
                begin(post, key, Wanted { room, over }, length, bytes);
            }
            Some(Arrival::Refused(failure)) => {
                drop(known);
                over(Err(failure));
            }
        }
    }

    /// A rank says that it sends.
    pub(crate) fn announced(
        &self,
        post: &Post,
        from: Rank,
        transfer: u64,
        length: u64,
        bytes: Option<Box<[u8]>>,
    ) {
        let key = (from, transfer);
        let mut known = lock(&self.0);
        if let Some(Arrival::Wanted(wanted)) = known.remove(&key) {
            drop(known);
            begin(post, key, wanted, length, bytes);
        } else {
            known.insert(key, Arrival::Announced { length, bytes });
        }
    }

    /// A rank says that it does not.
    pub(crate) fn refused(&self, from: Rank, transfer: u64, failure: Failure) {
        let key = (from, transfer);
        let mut known = lock(&self.0);
        if let Some(Arrival::Wanted(wanted)) = known.remove(&key) {
            drop(known);
            (wanted.over)(Err(failure));
        } else {
            known.insert(key, Arrival::Refused(failure));
        }
    }

    /// Nothing comes from a rank any more.
    pub(crate) fn lost(&self, from: Rank, failure: &Failure) {
        let mut known = lock(&self.0);
        let keys: Vec<(Rank, u64)> = known.keys().filter(|(rank, _)| *rank == from).copied().collect();
        let gone: Vec<Arrival> = keys.iter().filter_map(|key| known.remove(key)).collect();
        drop(known);
        for arrival in gone {
            if let Arrival::Wanted(wanted) = arrival {
                (wanted.over)(Err(failure.clone()));
            }
        }
    }
}

fn begin(post: &Post, key: (Rank, u64), wanted: Wanted, length: u64, bytes: Option<Box<[u8]>>) {
    let Wanted { room, over } = wanted;
    if let Some(bytes) = bytes {
        if let Some((room, keep)) = room {
            copy_in(&bytes, room);
            drop(keep);
        }
        over(Ok(()));
        return;
    }
    let (peer, transfer) = key;
    let room = room.filter(|(span, _)| span.length() >= length).or_else(|| {
        // The sender waits until somebody takes them.
        let block = Arc::new(HostMemory::passing(PIECE.min(length)).ok()?);
        Some((block.span(), Some(block)))
    });
    match room {
        Some((span, keep)) => post.receive(Flow { peer, transfer, span, length, _keep: keep, over }),
        None => over(Err(Failure::OutOfHostMemory)),
    }
}
