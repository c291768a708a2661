//! Ready lists: one first-in-first-out list per priority, linked through the slots themselves.
//!
//! Linking through the slots allows removal from the middle without search or allocation, which
//! raising the priority of a queued item needs. Start reading at [`Ready::push`].

use slab::Slab;

use super::state::Slot;

/// The end of a list.
const NIL: usize = usize::MAX;

/// The number of empty levels to keep; more are freed, so that a queue with arbitrary priorities
/// stays small.
const SPARE_LEVELS: usize = 8;

/// A slot's neighbours in its ready list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    prev: usize,
    next: usize,
}

impl Links {
    /// The links of a slot that is in no list.
    pub(super) const NONE: Self = Self {
        prev: NIL,
        next: NIL,
    };
}

#[derive(Debug)]
struct Level {
    priority: i32,
    head: usize,
    tail: usize,
}

/// The slots that may be handed out now, by priority and then by arrival.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// Ascending by priority: the next slot to hand out is the head of the last level that is not
    /// empty.
    levels: Vec<Level>,
    len: usize,
}

impl Ready {
    /// Returns the number of ready slots.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Appends `id` to the list of `priority`.
    pub(super) fn push<T>(&mut self, slots: &mut Slab<Slot<T>>, id: usize, priority: i32) {
        let level = self.level(priority);
        let tail = std::mem::replace(&mut level.tail, id);
        if tail == NIL {
            level.head = id;
        } else {
            slots[tail].links.next = id;
        }
        slots[id].links = Links {
            prev: tail,
            next: NIL,
        };
        self.len += 1;
    }

    /// Removes `id` from the list of `priority`, where it must be.
    pub(super) fn unlink<T>(&mut self, slots: &mut Slab<Slot<T>>, id: usize, priority: i32) {
        let Ok(position) = self.position(priority) else {
            return;
        };
        self.unlink_at(slots, id, position);
    }

    /// Removes and returns the oldest slot of the highest priority.
    pub(super) fn pop<T>(&mut self, slots: &mut Slab<Slot<T>>) -> Option<usize> {
        let position = self.levels.iter().rposition(|level| level.head != NIL)?;
        let id = self.levels[position].head;
        self.unlink_at(slots, id, position);
        Some(id)
    }

    fn unlink_at<T>(&mut self, slots: &mut Slab<Slot<T>>, id: usize, position: usize) {
        let Links { prev, next } = std::mem::replace(&mut slots[id].links, Links::NONE);
        let level = &mut self.levels[position];
        if prev == NIL {
            level.head = next;
        } else {
            slots[prev].links.next = next;
        }
        if next == NIL {
            level.tail = prev;
        } else {
            slots[next].links.prev = prev;
        }
        if level.head == NIL && self.levels.len() > SPARE_LEVELS {
            self.levels.remove(position);
        }
        self.len -= 1;
    }

    #[inline]
    fn position(&self, priority: i32) -> Result<usize, usize> {
        // Most queues use one priority.
        match self.levels.last() {
            Some(last) if last.priority == priority => Ok(self.levels.len() - 1),
            _ => self
                .levels
                .binary_search_by_key(&priority, |level| level.priority),
        }
    }

    #[inline]
    fn level(&mut self, priority: i32) -> &mut Level {
        let position = match self.position(priority) {
            Ok(position) => position,
            Err(position) => {
                self.levels.insert(
                    position,
                    Level {
                        priority,
                        head: NIL,
                        tail: NIL,
                    },
                );
                position
            }
        };
        &mut self.levels[position]
    }
}
