//! The items a response has opened and not closed yet, and those it ever told of.
//!
//! Owns how an event finds its item. By its id, mostly. There are servers that give an item
//! another id in each event, so one that nobody has heard of is looked for by its place in
//! the list; and servers that say neither, so that the last item is meant.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::source::dialect::json::text;

/// Tells blocks apart: the item, and the part of it.
pub(super) type Key = (u32, u64);

/// What an event says of the item it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) id: &'a str,
    pub(super) index: Option<u64>,
}

/// Open items of one kind. A handful at most, mostly one: a scan beats a map.
#[derive(Debug)]
pub(super) struct Open<T> {
    items: Vec<Item<T>>,
}

#[derive(Debug)]
pub(super) struct Item<T> {
    pub(super) number: u32,
    id: String,
    index: Option<u64>,
    pub(super) state: T,
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<T> Open<T> {
    pub(super) fn find(&mut self, at: At<'_>, seen: &Seen) -> Option<&mut Item<T>> {
        let place = self.place(at, seen)?;
        self.items.get_mut(place)
    }

    pub(super) fn take(&mut self, at: At<'_>, seen: &Seen) -> Option<Item<T>> {
        let place = self.place(at, seen)?;
        Some(self.items.remove(place))
    }

    pub(super) fn put(&mut self, item: Item<T>) {
        self.items.push(item);
    }

    pub(super) fn drain(&mut self) -> Vec<Item<T>> {
        std::mem::take(&mut self.items)
    }

    fn place(&self, at: At<'_>, seen: &Seen) -> Option<usize> {
        let last = |is_it: &dyn Fn(&Item<T>) -> bool| self.items.iter().rposition(is_it);
        if at.id.is_empty() && at.index.is_none() {
            return last(&|_| true);
        }
        if !at.id.is_empty() {
            if let Some(place) = last(&|item| item.id == at.id) {
                return Some(place);
            }
            if seen.has(at.id) {
                return None;
            }
        }
        let index = at.index?;
        last(&|item| item.index == Some(index))
    }
}

impl<T: Default> Open<T> {
    /// The item an event belongs to, opened if nobody announced it.
    pub(super) fn find_or_open(
        &mut self,
        at: At<'_>,
        kind: &str,
        seen: &mut Seen,
    ) -> Option<&mut Item<T>> {
        let place = match self.place(at, seen) {
            Some(place) => place,
            None => {
                self.put(seen.announce(at, kind));
                self.items.len() - 1
            }
        };
        self.items.get_mut(place)
    }
}

/// Every item the response told of, open or closed.
#[derive(Debug, Default)]
pub(super) struct Seen {
    ids: HashSet<String>,
    /// How many of each kind, however they were called.
    kinds: HashMap<String, usize>,
    next: u32,
}

impl Seen {
    pub(super) fn announce<T: Default>(&mut self, at: At<'_>, kind: &str) -> Item<T> {
        self.note(at.id, kind);
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        Item {
            number,
            id: at.id.to_owned(),
            index: at.index,
            state: T::default(),
        }
    }

    /// Whether this was news.
    pub(super) fn note(&mut self, id: &str, kind: &str) -> bool {
        let is_new = id.is_empty() || self.ids.insert(id.to_owned());
        if is_new {
            *self.kinds.entry(kind.to_owned()).or_default() += 1;
        }
        is_new
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// How many items of each kind came that this list does not name: they are in it under
    /// another id.
    pub(super) fn nameless(&self, list: &[Value]) -> HashMap<String, usize> {
        let mut left = self.kinds.clone();
        for item in list {
            if self.has(text(item, "id"))
                && let Some(count) = left.get_mut(text(item, "type"))
            {
                *count = count.saturating_sub(1);
            }
        }
        left
    }
}
