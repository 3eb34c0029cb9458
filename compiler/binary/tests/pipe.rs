//! The pipe's frames and messages: what is written comes back, and nothing else is taken for a message.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Cursor, Read};

use oxcl_binary::known::{KnownArgument, KnownArguments, KnownOf};
use oxcl_binary::pipe::{
    Action, Dependency, Done, FailKind, Failed, FrameError, Hello, Il, Job, Kernels, Kind, Library,
    MAX_FRAME, Quality, Seen, Text, read_frame, write_frame,
};
use proptest::prelude::*;

fn text(name: &str, text: &str) -> Text {
    Text { name: name.into(), text: text.into() }
}

fn job() -> Job {
    Job {
        action: Action::Link,
        directory: "/tmp/ä".into(),
        sources: vec![text("a.cl", "kernel void f() {}"), text("", "")],
        il: vec![Il {
            name: "m.spv".into(),
            bytes: vec![3, 2, 0],
            constants: vec![(7, vec![1, 0]), (0, vec![])],
        }],
        headers: vec![text("dir/h.h", "#define X")],
        inputs: vec![vec![0, 1, 255], vec![]],
        options: "-D'A B'".into(),
        cpu: true,
        reference: true,
        cpus: vec!["znver4".into()],
        local_sizes: vec![[64, 1, 1], [u64::MAX, 0, 7]],
        known: vec![
            KnownOf {
                kernel: "f".into(),
                arguments: KnownArguments(vec![KnownArgument { index: 3, value: 9 }]),
            },
            KnownOf { kernel: String::new(), arguments: KnownArguments::NONE },
        ],
        version: 12,
        kernels: Kernels::Share { index: 2, of: 3 },
        quality: Quality::First,
        width: 8,
        machines: vec!["<adf/>".to_owned()],
    }
}

fn done() -> Done {
    Done {
        archive: vec![7; 1000],
        log: "warning".into(),
        kernels: vec!["f".into(), "g".into()],
        dependencies: vec![
            Dependency { path: "a.h".into(), seen: Seen::File([3; 32]) },
            Dependency { path: "b.h".into(), seen: Seen::Absent },
        ],
        repeatable: true,
        quality: Quality::Full,
        processor: 12_345,
    }
}

#[test]
fn messages_come_back() {
    assert_eq!(Job::decode(&job().encode()), Ok(job()));
    for kernels in [Kernels::All, Kernels::Specialised("f".into()), Kernels::One("f".into())] {
        let other = Job { kernels, quality: Quality::Full, ..job() };
        assert_eq!(Job::decode(&other.encode()), Ok(other));
    }
    assert_eq!(Done::decode(&done().encode()), Ok(done()));
    let failed = Failed { kind: FailKind::Options, message: "no".into(), log: "no, no".into(), last: true };
    assert_eq!(Failed::decode(&failed.encode()), Ok(failed));
    let file = Library { path: "/lib/x.so".into(), length: 1, modified: u64::MAX };
    let hello = Hello { process: 9, identity: [5; 32], files: vec![file] };
    assert_eq!(Hello::decode(&hello.encode()), Ok(hello));
}

#[test]
fn a_message_that_is_cut_or_has_more_is_none() {
    let whole = job().encode();
    for cut in 0..whole.len() {
        assert!(Job::decode(&whole[..cut]).is_err(), "{cut}");
    }
    assert!(Job::decode(&[&whole[..], &[0]].concat()).is_err());
    let error =
        Job::decode(&Job { kernels: Kernels::Share { index: 3, of: 3 }, ..job() }.encode()).unwrap_err();
    assert_eq!(error.to_string(), "3 is not a value of the kernels");
}

#[test]
fn frames_follow_each_other() {
    let mut bytes = Vec::new();
    write_frame(&mut bytes, Kind::Job, b"one").unwrap();
    write_frame(&mut bytes, Kind::Tidy, b"").unwrap();
    write_frame(&mut bytes, Kind::Begun, b"").unwrap();
    let mut input = Slow(Cursor::new(bytes));
    let first = read_frame(&mut input).unwrap();
    assert_eq!((first.kind, first.payload.as_slice()), (Kind::Job, &b"one"[..]));
    assert_eq!(read_frame(&mut input).unwrap().kind, Kind::Tidy);
    assert_eq!(read_frame(&mut input).unwrap().kind, Kind::Begun);
    assert!(matches!(read_frame(&mut input), Err(FrameError::Closed)));
}

/// Gives a byte at a time, and is interrupted now and then.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(1);
        self.0.read(&mut into[..most])
    }
}

#[test]
fn what_is_no_frame_is_told_apart() {
    let mut frame = Vec::new();
    write_frame(&mut frame, Kind::Done, b"payload").unwrap();
    let read = |bytes: &[u8]| read_frame(&mut Cursor::new(bytes.to_vec())).unwrap_err();
    assert!(matches!(read(b"GET / HTTP/1.1\r\n\r\n"), FrameError::Magic));
    assert!(matches!(read(&frame[..7]), FrameError::Broken(_)));
    assert!(matches!(read(&frame[..20]), FrameError::Broken(_)));
    let with = |at: usize, value: u8| {
        let mut changed = frame.clone();
        changed[at] = value;
        read(&changed)
    };
    assert!(matches!(with(4, 99), FrameError::Version { found: 99 }));
    assert!(matches!(with(6, 77), FrameError::Kind(77)));
    assert!(matches!(with(15, 1), FrameError::TooLong(_)));
    // A length that is allowed and a lie takes no memory: the bytes are not there.
    let mut lie = frame.clone();
    lie[8..16].copy_from_slice(&MAX_FRAME.to_le_bytes());
    assert!(matches!(read(&lie), FrameError::Broken(_)));
}

proptest! {
    #[test]
    fn no_bytes_are_a_danger(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_frame(&mut Cursor::new(bytes.clone()));
        // What is decoded encodes to the same bytes.
        if let Ok(message) = Job::decode(&bytes) { prop_assert_eq!(message.encode(), bytes.clone()); }
        if let Ok(message) = Done::decode(&bytes) { prop_assert_eq!(message.encode(), bytes.clone()); }
        if let Ok(message) = Failed::decode(&bytes) { prop_assert_eq!(message.encode(), bytes.clone()); }
        if let Ok(message) = Hello::decode(&bytes) { prop_assert_eq!(message.encode(), bytes); }
    }

    #[test]
    fn changed_messages_are_refused_or_mean_what_they_say(at in 0_usize..4000, value in any::<u8>()) {
        for whole in [job().encode(), done().encode()] {
            let mut bytes = whole;
            let at = at % bytes.len();
            bytes[at] = value;
            if let Ok(message) = Job::decode(&bytes) { prop_assert_eq!(message.encode(), bytes.clone()); }
            if let Ok(message) = Done::decode(&bytes) { prop_assert_eq!(message.encode(), bytes); }
        }
    }
}
