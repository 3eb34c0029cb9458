//! How many operand moves are left when every operand that a port can still hold is not moved again.
//!
//! An operation whose two inputs may be exchanged leaves one of them in the port that does not trigger, either the one or the
//! other. Each port keeps what it was given until it is given something else, so of all operations of a unit that leave the
//! same input at most all but one are saved. How few inputs can be left in all is a vertex cover of the graph whose edges are the operations; a set of operations
//! that have no input in common is a lower bound for that, and each of them comes with a move of its own.

use super::super::Input;
use std::collections::{BTreeMap, BTreeSet};

/// Operations, by position, of which each must move an input that none of the others moves. `pairs` are the two inputs of each
/// operation that may leave either; none of them is in `left` already.
pub(super) fn apart(pairs: &[(usize, Input, Input)]) -> Vec<usize> {
    let mut joined: BTreeMap<Input, BTreeSet<(Input, usize)>> = BTreeMap::new();
    for (number, a, b) in pairs {
        joined.entry(*a).or_default().insert((*b, *number));
        joined.entry(*b).or_default().insert((*a, *number));
    }
    let mut order: BTreeSet<(usize, Input)> = joined.iter().map(|(input, to)| (to.len(), *input)).collect();
    let mut chosen = Vec::new();
    // Inputs with the fewest others first: on a forest that gives as many as there can be.
    while let Some((_, input)) = order.pop_first() {
        let Some(edges) = joined.remove(&input) else { continue };
        let degree = |other: &Input| joined.get(other).map_or(usize::MAX, BTreeSet::len);
        let Some((other, number)) = edges.iter().min_by_key(|(o, n)| (degree(o), *n)).copied() else {
            continue;
        };
        chosen.push(number);
        let mut gone: Vec<(Input, Input)> = edges.iter().map(|(to, _)| (*to, input)).collect();
        if let Some(edges) = joined.remove(&other) {
            order.remove(&(edges.len(), other));
            gone.extend(edges.iter().map(|(to, _)| (*to, other)));
        }
        for (at, from) in gone {
            if let Some(edges) = joined.get_mut(&at) {
                order.remove(&(edges.len(), at));
                edges.retain(|(to, _)| *to != from);
                if edges.is_empty() {
                    joined.remove(&at);
                } else {
                    order.insert((edges.len(), at));
                }
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::super::Input;
    use super::apart;

    #[test]
    fn a_star_needs_one_and_a_chain_every_other() {
        let v = Input::Value;
        assert_eq!(apart(&[(0, v(0), v(1)), (1, v(0), v(2)), (2, v(0), v(3))]).len(), 1);
        let chain: Vec<_> = (0..5).map(|k| (k, v(k), v(k + 1))).collect();
        assert_eq!(apart(&chain).len(), 3);
        let alone: Vec<_> = (0..5).map(|k| (k, v(2 * k), v(2 * k + 1))).collect();
        assert_eq!(apart(&alone), [0, 1, 2, 3, 4]);
        assert!(apart(&[]).is_empty());
    }
}
