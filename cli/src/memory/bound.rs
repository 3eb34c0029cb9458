//! What a program must move: the buffers of its commands, one after the other, through a memory that holds a certain
//! number of them, if whoever decides what leaves knew the future. What is used again last leaves first.

/// Buffers that have to be moved into and out of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moves {
    /// Into it, first uses included.
    pub(crate) into: u64,
    /// Out of it, those that the host reads in the end included.
    pub(crate) out: u64,
}

/// The least moves for commands that each read and write one buffer of equal size. The host fills all before and reads
/// all afterwards.
pub(crate) fn least_moves(uses: &[usize], capacity: usize) -> Moves {
    let mut resident: Vec<usize> = Vec::new();
    let mut moves = Moves { into: 0, out: 0 };
    for (at, &buffer) in uses.iter().enumerate() {
        if resident.contains(&buffer) {
            continue;
        }
        if resident.len() >= capacity.max(1) {
            let next = |candidate: usize| uses[at..].iter().position(|&other| other == candidate);
            let last = (0..resident.len()).max_by_key(|&place| next(resident[place]).unwrap_or(usize::MAX));
            if let Some(place) = last {
                resident.swap_remove(place);
                moves.out += 1;
            }
        }
        resident.push(buffer);
        moves.into += 1;
    }
    moves.out += resident.len() as u64;
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_moves_once_and_the_rest_as_seldom_as_possible() {
        assert_eq!(least_moves(&[0, 1, 0, 1], 2), Moves { into: 2, out: 2 });
        // Forth and back through three in room for two: the one in the middle stays.
        assert_eq!(least_moves(&[0, 1, 2, 2, 1, 0], 2), Moves { into: 4, out: 4 });
        // Round and round: of four, three fit, so one of them is always missing once a round.
        assert_eq!(least_moves(&[0, 1, 2, 3, 0, 1, 2, 3], 3).into, 5);
    }
}
