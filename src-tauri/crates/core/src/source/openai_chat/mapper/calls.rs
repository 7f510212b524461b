//! Which tool call a piece belongs to.
//!
//! Servers tell calls apart by an index, by an id, by both or by neither; some repeat the id
//! on every piece, some give every call the same index. Owns that question and the ids that
//! calls go by, each once in a stream. Must not know what a call is for.

use std::collections::HashSet;

#[derive(Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    ids: HashSet<String>,
    made: usize,
}

struct Call {
    index: Option<u64>,
    /// As the source says it; empty when it does not.
    source_id: String,
    name: String,
    state: State,
}

#[derive(PartialEq)]
enum State {
    /// Only its id has come.
    Waiting,
    Announced,
}

/// What a piece says of its call; empty where it does not.
#[derive(Clone, Copy)]
pub(super) struct Whose<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: &'a str,
    pub(super) name: &'a str,
}

/// A call the first time that there is something to say about it.
pub(super) struct Announcement {
    pub(super) id: String,
    pub(super) name: String,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The call that this piece goes on with.
    pub(super) fn find(&self, whose: Whose<'_>) -> Option<usize> {
        let Whose { index, id, name } = whose;
        let last = self.calls.len().checked_sub(1)?;
        let at = match (index, id) {
            (Some(_), _) => self.calls.iter().rposition(|call| call.index == index)?,
            (None, "") if name.is_empty() => last,
            (None, "") => return None,
            (None, id) => match self.calls.iter().rposition(|call| call.source_id == id) {
                Some(at) => at,
                None if name.is_empty() => last,
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

    pub(super) fn add(&mut self, whose: Whose<'_>) -> usize {
        self.calls.push(Call {
            index: whose.index,
            source_id: whose.id.to_owned(),
            name: whose.name.to_owned(),
            state: State::Waiting,
        });
        self.calls.len() - 1
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
        let given = call.source_id.clone();
        let id = self.unused_id(given);
        self.ids.insert(id.clone());
        Some(Announcement { id, name })
    }

    fn unused_id(&mut self, mut id: String) -> String {
        while id.is_empty() || self.ids.contains(&id) {
            id = format!("call_{}", self.made);
            self.made += 1;
        }
        id
    }
}
