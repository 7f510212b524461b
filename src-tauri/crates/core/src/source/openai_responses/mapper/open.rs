//! The items a response has opened and not closed yet, and those it ever told of.
//!
//! Owns how an event finds its item. By its id, mostly, and by its place in the list where
//! several go by one id. There are servers that give an item another id in each event, so one
//! that nobody has heard of is looked for by its place; and servers that say neither, so that
//! the last item is meant.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// Open items of one kind, by their numbers.
#[derive(Debug)]
pub(super) struct Open<T> {
    items: BTreeMap<u32, Item<T>>,
    by_id: HashMap<String, BTreeMap<Option<u64>, u32>>,
    by_index: HashMap<u64, u32>,
}

#[derive(Debug)]
pub(super) struct Item<T> {
    pub(super) number: u32,
    id: String,
    index: Option<u64>,
    pub(super) state: T,
}

impl<T> Item<T> {
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        Self {
            items: BTreeMap::new(),
            by_id: HashMap::new(),
            by_index: HashMap::new(),
        }
    }
}

impl<T> Open<T> {
    pub(super) fn find(&mut self, at: At<'_>, seen: &AnnouncedItems) -> Option<&mut Item<T>> {
        let number = self.number(at, seen)?;
        self.items.get_mut(&number)
    }

    pub(super) fn by_number(&mut self, number: u32) -> Option<&mut Item<T>> {
        self.items.get_mut(&number)
    }

    pub(super) fn take(&mut self, at: At<'_>, seen: &AnnouncedItems) -> Option<Item<T>> {
        let number = self.number(at, seen)?;
        let item = self.items.remove(&number)?;
        if let Some(places) = self.by_id.get_mut(&item.id) {
            if places.get(&item.index) == Some(&number) {
                places.remove(&item.index);
            }
            if places.is_empty() {
                self.by_id.remove(&item.id);
            }
        }
        if let Some(index) = item.index
            && self.by_index.get(&index) == Some(&number)
        {
            self.by_index.remove(&index);
        }
        Some(item)
    }

    pub(super) fn put(&mut self, item: Item<T>) {
        let number = item.number;
        if !item.id.is_empty() {
            let places = self.by_id.entry(item.id.clone()).or_default();
            places.insert(item.index, number);
        }
        if let Some(index) = item.index {
            self.by_index.insert(index, number);
        }
        self.items.insert(number, item);
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = Item<T>> + use<T> {
        std::mem::take(self).items.into_values()
    }

    fn number(&self, at: At<'_>, seen: &AnnouncedItems) -> Option<u32> {
        let (last, item) = self.items.last_key_value()?;
        let is_any = at.id.is_empty() && at.index.is_none();
        // Nearly always, for one item is told at a time.
        if is_any || (item.id == at.id && item.index == at.index) {
            return Some(*last);
        }
        if !at.id.is_empty() {
            if let Some(places) = self.by_id.get(at.id) {
                let place = places
                    .get(&at.index)
                    .or_else(|| places.values().next_back());
                return place.copied();
            }
            if seen.has_id(at.id) {
                return None;
            }
        }
        self.by_index.get(&at.index?).copied()
    }
}

impl<T: Default> Open<T> {
    /// The item an event belongs to, opened if nobody announced it.
    pub(super) fn find_or_open(
        &mut self,
        at: At<'_>,
        kind: &str,
        seen: &mut AnnouncedItems,
    ) -> Option<&mut Item<T>> {
        let number = match self.number(at, seen) {
            Some(number) => number,
            None => {
                let item = seen.announce(at, kind);
                let number = item.number;
                self.put(item);
                number
            }
        };
        self.items.get_mut(&number)
    }
}

/// Every item the response told of, open or closed.
#[derive(Debug, Default)]
pub(super) struct AnnouncedItems {
    /// The places at which each id stood: some servers give it to several items.
    ids: HashMap<String, BTreeSet<Option<u64>>>,
    /// How many of each kind, however they were called.
    kinds: HashMap<String, usize>,
    next: u32,
}

impl AnnouncedItems {
    pub(super) fn announce<T: Default>(&mut self, at: At<'_>, kind: &str) -> Item<T> {
        self.note(at, kind);
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
    pub(super) fn note(&mut self, at: At<'_>, kind: &str) -> bool {
        let is_new = !self.has(at);
        if is_new {
            *self.kinds.entry(kind.to_owned()).or_default() += 1;
            if !at.id.is_empty() {
                let places = self.ids.entry(at.id.to_owned()).or_default();
                places.insert(at.index);
            }
        }
        is_new
    }

    /// Whether there was an item of this id at this place, as far as they are told.
    pub(super) fn has(&self, at: At<'_>) -> bool {
        self.ids.get(at.id).is_some_and(|places| {
            at.index.is_none() || places.contains(&at.index) || places.contains(&None)
        })
    }

    fn has_id(&self, id: &str) -> bool {
        self.ids.contains_key(id)
    }

    /// Which items of this list have been told of before. First those known by their ids;
    /// of the others as many of each kind as came under another id.
    pub(super) fn told(&self, list: &[Value]) -> Vec<Announced> {
        let mut ids: HashMap<&str, usize> = HashMap::new();
        let mut kinds = self.kinds.clone();
        let mut take = |kind: &str| {
            let left = kinds.get_mut(kind).filter(|count| **count > 0);
            left.map(|count| *count -= 1).is_some()
        };
        let mut told = Vec::with_capacity(list.len());
        for item in list {
            let places = self.ids.get(text(item, "id")).map_or(0, BTreeSet::len);
            let used = ids.entry(text(item, "id")).or_default();
            *used += 1;
            let by_id = *used <= places;
            if by_id {
                take(text(item, "type"));
            }
            told.push(if by_id {
                Announced::ById
            } else {
                Announced::No
            });
        }
        for (item, told) in list.iter().zip(&mut told) {
            if *told == Announced::No && take(text(item, "type")) {
                *told = Announced::Otherwise;
            }
        }
        told
    }
}

/// Whether an item has been told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announced {
    No,
    ById,
    /// Under another id.
    Otherwise,
}
