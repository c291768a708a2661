//! Graph algorithms without recursion: orders, cycles and components. Nodes are numbers; `edges`
//! holds the successors of each.

/// The nodes in post-order: each after all nodes that it leads to.
pub(crate) fn finished_order(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(edges.len());
    walk(edges, |_| {}, |node| order.push(node));
    order
}

/// One cycle for each edge that closes one, as the nodes along it.
pub(crate) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    walk(edges, |cycle| found.push(cycle.to_vec()), |_| {});
    found
}

/// The strongly connected component of each node: nodes share one if, and only if, each is
/// reachable from the other.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for to in targets {
            reversed[*to].push(from);
        }
    }
    let mut components = vec![None; edges.len()];
    // Kosaraju: walk the reversed edges, starting from the node finished last.
    for start in finished_order(edges).into_iter().rev() {
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if components[node].is_none() {
                components[node] = Some(start);
                open.extend(&reversed[node]);
            }
        }
    }
    components.into_iter().flatten().collect()
}

/// Walks depth-first.
fn walk(edges: &[Vec<usize>], mut on_cycle: impl FnMut(&[usize]), mut on_done: impl FnMut(usize)) {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum State {
        New,
        Open(usize),
        Done,
    }
    let mut states = vec![State::New; edges.len()];
    for start in 0..edges.len() {
        if states[start] != State::New {
            continue;
        }
        let mut path = vec![start];
        let mut next = vec![0_usize];
        states[start] = State::Open(0);
        while let (Some(&node), Some(at)) = (path.last(), next.last_mut()) {
            let Some(&to) = edges[node].get(*at) else {
                states[node] = State::Done;
                on_done(node);
                path.pop();
                next.pop();
                continue;
            };
            *at += 1;
            match states[to] {
                State::New => {
                    states[to] = State::Open(path.len());
                    path.push(to);
                    next.push(0);
                }
                State::Open(from) => on_cycle(&path[from..]),
                State::Done => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_the_nodes_that_lead_to_each_other() {
        let edges = vec![
            vec![1],
            vec![2, 3],
            vec![0],
            vec![4],
            vec![3],
            vec![5],
            vec![0],
        ];
        let found = components(&edges);
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        assert_eq!(found[3], found[4]);
        let mut distinct = found;
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 4);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let length = 200_000;
        let edges: Vec<_> = (0..length)
            .map(|node| {
                if node + 1 < length {
                    vec![node + 1]
                } else {
                    Vec::new()
                }
            })
            .collect();
        let found = components(&edges);
        assert!(
            found
                .into_iter()
                .enumerate()
                .all(|(node, component)| node == component)
        );
    }
}
