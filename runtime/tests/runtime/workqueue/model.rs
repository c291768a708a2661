//! Compares the queue with a simple model.

use std::task::Poll;
use std::time::Duration;

use codegen_runtime::workqueue::{AddOptions, Item, PriorityQueue, WorkQueue};
use futures::poll;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Op {
    Add {
        item: u8,
        priority: i32,
    },
    AddAfter {
        item: u8,
        priority: i32,
        millis: u64,
    },
    Get,
    /// Finishes the n-th item in process.
    Done(usize),
    Advance(u64),
    ShutDown,
}

fn op() -> impl Strategy<Value = Op> {
    let (item, priority) = (0_u8..6, -2_i32..3);
    prop_oneof![
        4 => (item.clone(), priority.clone()).prop_map(|(item, priority)| Op::Add { item, priority }),
        3 => (item, priority, 1_u64..40)
            .prop_map(|(item, priority, millis)| Op::AddAfter { item, priority, millis }),
        5 => Just(Op::Get),
        3 => (0_usize..4).prop_map(Op::Done),
        2 => (1_u64..30).prop_map(Op::Advance),
        1 => prop_oneof![9 => Just(Op::Advance(0)), 1 => Just(Op::ShutDown)],
    ]
}

/// A queue of either kind.
enum Queue {
    Fifo(WorkQueue<u8>),
    Priority(PriorityQueue<u8>),
}

impl Queue {
    fn base(&self) -> &WorkQueue<u8> {
        match self {
            Self::Fifo(queue) => queue,
            Self::Priority(queue) => queue,
        }
    }

    fn add(&self, item: u8, priority: i32, after: Duration) {
        match self {
            Self::Fifo(queue) => queue.add_after(item, after),
            Self::Priority(queue) => {
                queue.add_with(item, AddOptions::default().priority(priority).after(after))
            }
        }
    }
}

/// A model of plain lists, searched linearly.
#[derive(Default)]
struct Model {
    priorities: bool,
    now: u64,
    /// Item and priority, in order of arrival.
    ready: Vec<(u8, i32)>,
    /// Deadline, item and priority, in order of arrival.
    delayed: Vec<(u64, u8, i32)>,
    processing: Vec<u8>,
    dirty: Vec<(u8, i32)>,
    shut: bool,
}

impl Model {
    fn advance(&mut self, millis: u64) {
        self.now += millis;
        while let Some(first) = self
            .delayed
            .iter()
            .map(|(at, ..)| *at)
            .min()
            .filter(|at| *at <= self.now)
        {
            let position = self
                .delayed
                .iter()
                .position(|(at, ..)| *at == first)
                .expect("it was found");
            let (_, item, priority) = self.delayed.remove(position);
            self.make_ready(item, priority);
        }
    }

    fn make_ready(&mut self, item: u8, priority: i32) {
        if let Some(position) = self.ready.iter().position(|(other, _)| *other == item) {
            if priority > self.ready[position].1 {
                self.ready.remove(position);
                self.ready.push((item, priority));
            }
        } else if self.processing.contains(&item) {
            match self.dirty.iter_mut().find(|(other, _)| *other == item) {
                Some((_, old)) => *old = priority.max(*old),
                None => self.dirty.push((item, priority)),
            }
        } else {
            self.ready.push((item, priority));
        }
    }

    fn add(&mut self, item: u8, mut priority: i32) {
        if self.shut {
            return;
        }
        if self.priorities
            && let Some(position) = self.delayed.iter().position(|(_, other, _)| *other == item)
        {
            priority = priority.max(self.delayed.remove(position).2);
        }
        self.make_ready(item, priority);
    }

    fn add_after(&mut self, item: u8, mut priority: i32, millis: u64) {
        if self.shut {
            return;
        }
        let waiting = |list: &[(u8, i32)]| list.iter().any(|(other, _)| *other == item);
        if self.priorities && (waiting(&self.ready) || waiting(&self.dirty)) {
            return self.make_ready(item, priority);
        }
        let mut at = self.now + millis;
        if let Some(position) = self.delayed.iter().position(|(_, other, _)| *other == item) {
            priority = priority.max(self.delayed[position].2);
            if self.delayed[position].0 <= at {
                self.delayed[position].2 = priority;
                return;
            }
            at = at.min(self.delayed.remove(position).0);
        }
        self.delayed.push((at, item, priority));
    }

    fn get(&mut self) -> Option<(u8, i32)> {
        let best = self.ready.iter().map(|(_, priority)| *priority).max()?;
        let position = self
            .ready
            .iter()
            .position(|(_, priority)| *priority == best)?;
        let taken = self.ready.remove(position);
        self.processing.push(taken.0);
        Some(taken)
    }

    fn done(&mut self, item: u8) {
        self.processing.retain(|other| *other != item);
        if let Some(position) = self.dirty.iter().position(|(other, _)| *other == item) {
            let (item, priority) = self.dirty.remove(position);
            self.ready.push((item, priority));
        }
    }

    fn known(&self) -> usize {
        let all = self.ready.iter().chain(&self.dirty).map(|(item, _)| *item);
        let all = all
            .chain(self.delayed.iter().map(|(_, item, _)| *item))
            .chain(self.processing.iter().copied());
        all.collect::<std::collections::BTreeSet<_>>().len()
    }
}

async fn run(queue: Queue, ops: Vec<Op>) {
    let priorities = matches!(queue, Queue::Priority(_));
    let mut model = Model {
        priorities,
        ..Model::default()
    };
    let mut held: Vec<Item<u8>> = Vec::new();
    for op in ops {
        let priority_of = |priority| if priorities { priority } else { 0 };
        match op {
            Op::Add { item, priority } => {
                queue.add(item, priority, Duration::ZERO);
                model.add(item, priority_of(priority));
            }
            Op::AddAfter {
                item,
                priority,
                millis,
            } => {
                queue.add(item, priority, Duration::from_millis(millis));
                model.add_after(item, priority_of(priority), millis);
            }
            Op::Get => {
                let expected = model.get();
                match poll!(queue.base().get()) {
                    Poll::Ready(Some(item)) => {
                        assert_eq!(Some((*item, item.priority())), expected);
                        held.push(item);
                    }
                    Poll::Ready(None) => assert!(expected.is_none() && model.shut),
                    Poll::Pending => {
                        assert!(expected.is_none() && !model.shut, "{expected:?} is missing")
                    }
                }
            }
            Op::Done(n) if n < held.len() => {
                let item = held.remove(n);
                model.done(*item);
                item.done();
            }
            Op::Done(_) => {}
            Op::Advance(millis) => {
                tokio::time::advance(Duration::from_millis(millis)).await;
                model.advance(millis);
            }
            Op::ShutDown => {
                queue.base().shut_down();
                model.shut = true;
                model.delayed.clear();
            }
        }
        assert_eq!(queue.base().len(), model.ready.len());
        assert_eq!(queue.base().known(), model.known());
    }
}

fn check(queue: Queue, ops: Vec<Op>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(run(queue, ops));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn any_sequence_of_calls_on_a_fifo_queue_does_what_the_model_does(ops in prop::collection::vec(op(), 0..120)) {
        check(Queue::Fifo(WorkQueue::new()), ops);
    }

    #[test]
    fn any_sequence_of_calls_on_a_priority_queue_does_what_the_model_does(ops in prop::collection::vec(op(), 0..120)) {
        check(Queue::Priority(PriorityQueue::new()), ops);
    }
}
