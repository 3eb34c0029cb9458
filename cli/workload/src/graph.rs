//! The order in which a workload's commands are enqueued.
//!
//! A command can be enqueued once every command that it waits for has been: those it names in `after`, in an in-order
//! queue the one before it in the file, and around a barrier everything on its other side in its queue. The order is
//! that of the file wherever the graph leaves a choice, so the same file always runs in the same order.

/// One command, as far as order goes.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its queue.
    pub queue: usize,
    /// Whether that queue is in-order.
    pub in_order: bool,
    /// It is a barrier.
    pub barrier: bool,
    /// Commands that it names.
    pub after: Vec<usize>,
}

/// The commands in an order that can be enqueued, or those that wait for one another: each waits for the next, the last for the first.
pub(crate) fn order(nodes: &[Node]) -> Result<Vec<usize>, Vec<usize>> {
    let waits: Vec<Vec<usize>> = (0..nodes.len()).map(|index| waits(nodes, index)).collect();
    let mut done = vec![false; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    while order.len() < nodes.len() {
        let ready = (0..nodes.len()).find(|i| !done[*i] && waits[*i].iter().all(|w| done[*w]));
        match ready {
            Some(index) => {
                done[index] = true;
                order.push(index);
            }
            None => return Err(cycle(&waits, &done)),
        }
    }
    Ok(order)
}

fn waits(nodes: &[Node], index: usize) -> Vec<usize> {
    let node = &nodes[index];
    let mut waits = node.after.clone();
    let earlier = || (0..index).rev().filter(|i| nodes[*i].queue == node.queue);
    if node.in_order {
        waits.extend(earlier().next());
    } else if node.barrier {
        waits.extend(earlier());
    } else {
        waits.extend(earlier().find(|i| nodes[*i].barrier));
    }
    waits
}

/// Every command that is not done waits for another that is not: following one of them must come round.
fn cycle(waits: &[Vec<usize>], done: &[bool]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut next = done.iter().position(|d| !d);
    while let Some(at) = next {
        if let Some(start) = path.iter().position(|p| *p == at) {
            return path.split_off(start);
        }
        path.push(at);
        next = waits[at].iter().copied().find(|w| !done[*w]);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(queue: usize, in_order: bool, after: &[usize]) -> Node {
        Node { queue, in_order, barrier: false, after: after.to_vec() }
    }

    #[test]
    fn file_order_wherever_possible() {
        let nodes = [node(0, false, &[]), node(0, false, &[3]), node(0, false, &[]), node(1, true, &[])];
        assert_eq!(order(&nodes), Ok(vec![0, 2, 3, 1]));
    }

    #[test]
    fn cycles_are_named() {
        let nodes = [node(0, false, &[]), node(0, false, &[2]), node(0, false, &[1])];
        assert_eq!(order(&nodes), Err(vec![1, 2]));
        assert_eq!(order(&[node(0, false, &[0])]), Err(vec![0]));
        // The second waits for the first because the queue is in-order.
        assert_eq!(order(&[node(0, true, &[1]), node(0, true, &[])]), Err(vec![0, 1]));
    }

    #[test]
    fn barriers_divide_their_queue() {
        let barrier = Node { barrier: true, ..node(0, false, &[]) };
        let nodes = [node(0, false, &[3]), barrier.clone(), node(0, false, &[]), node(1, false, &[])];
        assert_eq!(order(&nodes), Ok(vec![3, 0, 1, 2]));
        let nodes = [node(0, false, &[2]), barrier, node(0, false, &[])];
        assert_eq!(order(&nodes), Err(vec![0, 2, 1]));
    }
}
