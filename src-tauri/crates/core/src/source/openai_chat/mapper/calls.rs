//! Which tool call a piece belongs to.
//!
//! Servers tell calls apart by an index, by an id, by both or by neither; some repeat the id
//! on every piece, some give every call the same index. Owns that question and the ids that
//! calls go by, each once in a stream. Must not know what a call is for.

use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// The last call that goes by each index, and by each id of the source.
    by_index: HashMap<u64, usize>,
    by_id: HashMap<String, usize>,
    /// Those that hold early input, or held it once.
    nameless: Vec<usize>,
    ids: HashSet<String>,
    made: usize,
}

struct Call {
    index: Option<u64>,
    /// As the source says it; empty when it does not.
    source_id: String,
    name: String,
    /// Input that came before the name.
    early: String,
    state: State,
}

#[derive(PartialEq)]
enum State {
    /// Its name has not come yet.
    Waiting,
    Announced,
}

/// What a piece says of its call; empty where it does not.
#[derive(Clone, Copy)]
pub(super) struct Whose<'a> {
    pub(super) index: Option<u64>,
    /// Its place in a list of several, which stands for an index that is not there.
    pub(super) place: Option<u64>,
    pub(super) id: &'a str,
    pub(super) name: &'a str,
}

/// A call the first time that there is something to say about it.
pub(super) struct Announcement {
    pub(super) id: String,
    pub(super) name: String,
    /// Input that came before.
    pub(super) early: String,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The call that this piece goes on with.
    pub(super) fn find(&self, whose: Whose<'_>) -> Option<usize> {
        let Whose { id, name, .. } = whose;
        let last = self.calls.len().checked_sub(1)?;
        let in_place = || {
            let place = whose.place.and_then(|place| self.by_index.get(&place));
            place.copied().unwrap_or(last)
        };
        let at = match (whose.index, id) {
            (Some(index), _) => match self.by_index.get(&index) {
                Some(at) => *at,
                None => self.uncounted(index, whose)?,
            },
            (None, "") if name.is_empty() => in_place(),
            (None, "") => return None,
            (None, id) => match self.by_id.get(id) {
                Some(at) => *at,
                None if name.is_empty() => in_place(),
                None => return None,
            },
        };
        let call = &self.calls[at];
        // Only another call has a name again. Another id alone is no sign: some servers make
        // a new one for every piece.
        let is_named_again = !name.is_empty() && !call.name.is_empty();
        let is_other = name != call.name || (!id.is_empty() && id != call.source_id);
        (!(is_named_again && is_other)).then_some(at)
    }

    /// Calls that began without an index may go on with one: then it counts them.
    fn uncounted(&self, index: u64, whose: Whose<'_>) -> Option<usize> {
        let at = usize::try_from(index).ok()?;
        let call = self.calls.get(at)?;
        let is_it = call.index.is_none() && (whose.id.is_empty() || whose.id == call.source_id);
        (is_it && whose.name.is_empty()).then_some(at)
    }

    pub(super) fn add(&mut self, whose: Whose<'_>) -> usize {
        let at = self.calls.len();
        if let Some(index) = whose.index.or(whose.place) {
            self.by_index.insert(index, at);
        }
        if !whose.id.is_empty() {
            self.by_id.insert(whose.id.to_owned(), at);
        }
        self.calls.push(Call {
            index: whose.index,
            source_id: whose.id.to_owned(),
            name: whose.name.to_owned(),
            early: String::new(),
            state: State::Waiting,
        });
        at
    }

    /// Keeps input of a call whose name is still to come; `None` when it has come.
    pub(super) fn hold(&mut self, at: usize, piece: &str) -> Option<()> {
        let call = self.calls.get_mut(at)?;
        if call.state == State::Announced {
            return None;
        }
        if call.early.is_empty() {
            self.nameless.push(at);
        }
        call.early.push_str(piece);
        Some(())
    }

    /// The calls whose input came before their name, which may never have come.
    pub(super) fn take_nameless(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.nameless)
    }

    /// The call's id and name, once.
    pub(super) fn announce(&mut self, at: usize, name: &str) -> Option<Announcement> {
        let call = self.calls.get_mut(at)?;
        if call.state == State::Announced {
            return None;
        }
        call.state = State::Announced;
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        let name = call.name.clone();
        let early = std::mem::take(&mut call.early);
        let given = call.source_id.clone();
        let id = self.unused_id(given);
        self.ids.insert(id.clone());
        Some(Announcement { id, name, early })
    }

    fn unused_id(&mut self, mut id: String) -> String {
        while id.is_empty() || self.ids.contains(&id) {
            id = format!("call_{}", self.made);
            self.made += 1;
        }
        id
    }
}
