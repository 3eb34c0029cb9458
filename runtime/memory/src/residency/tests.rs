//! Content versions against a byte-by-byte model: every byte of every place carries a number, moves copy the numbers,
//! and whoever reads must find what was written last.

use proptest::prelude::*;

use super::*;

const SIZE: u64 = 24;
const PLACES: [Place; 4] = [Place::HOST, Place(1), Place(2), Place(3)];

#[derive(Debug, Clone)]
enum Step {
    Use { bytes: Range<u64>, place: usize, access: Access },
    Discard { bytes: Range<u64> },
    Finish { upto: u64 },
}

fn range() -> impl Strategy<Value = Range<u64>> {
    (0..SIZE, 1..=SIZE).prop_map(|(start, length)| start..(start + length).min(SIZE))
}

fn step() -> impl Strategy<Value = Step> {
    let access = prop_oneof![Just(Access::Read), Just(Access::Write), Just(Access::Discard)];
    prop_oneof![
        8 => (range(), 0..PLACES.len(), access)
            .prop_map(|(bytes, place, access)| Step::Use { bytes, place, access }),
        1 => range().prop_map(|bytes| Step::Discard { bytes }),
        1 => (0..40_u64).prop_map(|upto| Step::Finish { upto }),
    ]
}

/// A command or move of the model: what it waits for, and what it does.
struct Recorded {
    waits: Vec<u64>,
    moves: Option<(Range<u64>, usize, usize)>,
}

proptest! {
    #[test]
    fn whoever_reads_finds_what_was_written_last(steps in prop::collection::vec(step(), 1..60)) {
        let mut contents = Contents::<u64>::new(SIZE, Some(Place::HOST)).unwrap();
        let mut held = [[0_u64; SIZE as usize]; PLACES.len()];
        // The number of the content that a byte has to have; `None`: any.
        let mut want = [Some(1_u64); SIZE as usize];
        held[0] = [1; SIZE as usize];
        let mut log: Vec<Recorded> = Vec::new();
        let mut finished = 0;
        let mut next_content = 2;
        for step in steps {
            match step {
                Step::Use { bytes, place: to, access } => {
                    let place = PLACES[to];
                    let end = |event: &u64| if *event < finished { End::Done } else { End::Pending };
                    contents.settle(&bytes, end);
                    if access != Access::Discard {
                        for missing in contents.missing(&bytes, place).unwrap() {
                            let from = PLACES.iter().position(|p| *p == missing.at[0]).unwrap();
                            prop_assert_ne!(from, to);
                            let waits = contents.move_waits(&missing.bytes, PLACES[from], place).unwrap();
                            let event = log.len() as u64;
                            prop_assert!(waits.iter().all(|wait| *wait < event));
                            log.push(Recorded { waits, moves: Some((missing.bytes.clone(), from, to)) });
                            contents.record_move(&missing.bytes, PLACES[from], place, &event).unwrap();
                            for at in missing.bytes {
                                held[to][at as usize] = held[from][at as usize];
                            }
                        }
                        prop_assert!(contents.has_latest(&bytes, place));
                        for at in bytes.clone() {
                            if let Some(content) = want[at as usize] {
                                prop_assert_eq!(held[to][at as usize], content, "byte {}", at);
                            }
                        }
                    }
                    let waits = contents.command_waits(&bytes, place, access).unwrap();
                    let event = log.len() as u64;
                    // Every pending move that overlaps at this place and conflicts is waited for.
                    for (number, other) in log.iter().enumerate().skip(finished as usize) {
                        let Some((moved, from, into)) = &other.moves else { continue };
                        let overlaps = moved.start < bytes.end && bytes.start < moved.end;
                        let conflicts = *into == to || (*from == to && access != Access::Read);
                        if overlaps && conflicts {
                            let reached = reaches(&log, &waits, number as u64);
                            prop_assert!(reached, "command {} does not wait for move {}", event, number);
                        }
                    }
                    log.push(Recorded { waits, moves: None });
                    contents.record(&bytes, place, access, Some(&event)).unwrap();
                    if access != Access::Read {
                        for at in bytes {
                            held[to][at as usize] = next_content;
                            want[at as usize] = Some(next_content);
                        }
                        next_content += 1;
                    }
                }
                Step::Discard { bytes } => {
                    contents.discard(&bytes).unwrap();
                    bytes.for_each(|at| want[at as usize] = None);
                }
                Step::Finish { upto } => finished = upto.min(log.len() as u64).max(finished),
            }
            prop_assert!(contents.segments() <= SIZE as usize);
        }
    }
}

/// Whether waiting for `waits` means having waited for `goal`. Commands of the program that wrote in between were ordered
/// by the program, so the walk goes through them too.
fn reaches(log: &[Recorded], waits: &[u64], goal: u64) -> bool {
    let mut open: Vec<u64> = waits.to_vec();
    let mut seen = std::collections::BTreeSet::new();
    while let Some(event) = open.pop() {
        if event == goal {
            return true;
        }
        if event > goal && seen.insert(event) {
            open.extend(&log[event as usize].waits);
        }
    }
    // A move whose copy was overwritten by a later command of the program at the same place: that one waited for it.
    log[goal as usize + 1..].iter().any(|later| later.moves.is_none() && later.waits.contains(&goal))
}

#[test]
fn neighbours_that_are_alike_are_one_segment() {
    let mut contents = Contents::<u64>::new(100, None).unwrap();
    for at in 0..100 {
        contents.settle(&(at..at + 1), |_| End::Done);
        contents.record(&(at..at + 1), Place(1), Access::Discard, Some(&at)).unwrap();
    }
    // Only the last command may be pending still.
    assert!(contents.segments() <= 2, "{}", contents.segments());
    assert!(contents.missing(&(0..100), Place(1)).unwrap().is_empty());
    let missing = contents.missing(&(10..30), Place::HOST).unwrap();
    assert_eq!(missing, [Missing { bytes: 10..30, at: vec![Place(1)] }]);
}

#[test]
fn a_failed_move_has_brought_nothing() {
    let mut contents = Contents::<u64>::new(8, Some(Place::HOST)).unwrap();
    contents.record_move(&(0..8), Place::HOST, Place(1), &1).unwrap();
    assert!(contents.has_latest(&(0..8), Place(1)));
    contents.settle(&(2..4), |_| End::Failed);
    assert_eq!(
        contents.missing(&(0..8), Place(1)).unwrap(),
        [Missing { bytes: 0..8, at: vec![Place::HOST] }]
    );
    // A command that failed: the host still has what it found.
    contents.record(&(0..8), Place(1), Access::Write, Some(&2)).unwrap();
    contents.settle(&(0..8), |_| End::Failed);
    assert!(contents.has_latest(&(0..8), Place::HOST) && !contents.has_latest(&(0..8), Place(1)));
    // A second one in a row: what the first has left is nowhere else.
    contents.record(&(0..8), Place(1), Access::Write, Some(&3)).unwrap();
    contents.settle(&(0..8), |_| End::Done);
    contents.record(&(0..8), Place(1), Access::Write, Some(&4)).unwrap();
    contents.settle(&(0..8), |_| End::Failed);
    assert!(contents.has_latest(&(0..8), Place(1)) && !contents.has_latest(&(0..8), Place::HOST));
}

#[test]
fn what_has_no_content_is_not_moved() {
    let mut contents = Contents::<u64>::new(8, None).unwrap();
    assert!(contents.missing(&(0..8), Place(2)).unwrap().is_empty());
    contents.record(&(2..4), Place(1), Access::Write, Some(&1)).unwrap();
    assert_eq!(contents.missing(&(0..8), Place(2)).unwrap(), [Missing { bytes: 2..4, at: vec![Place(1)] }]);
    assert_eq!(contents.move_waits(&(2..4), Place(1), Place(2)).unwrap(), [1]);
    contents.record_move(&(2..4), Place(1), Place(2), &2).unwrap();
    assert_eq!(contents.command_waits(&(0..8), Place(2), Access::Read).unwrap(), [2]);
    assert_eq!(contents.command_waits(&(0..8), Place(1), Access::Read).unwrap(), [] as [u64; 0]);
    assert_eq!(contents.command_waits(&(0..8), Place(1), Access::Write).unwrap(), [2]);
    contents.record_foreign_read(&(3..4), Place(2), &3).unwrap();
    assert_eq!(contents.command_waits(&(0..8), Place(2), Access::Discard).unwrap(), [2, 2, 3]);
}
