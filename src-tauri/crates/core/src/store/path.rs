//! Which turns are read: the active path, as a pure fold over the log.
//!
//! Invariant: nothing is lost. Every turn stays on a branch, whatever was edited, asked again or
//! chosen since; the path is always one chain, from a turn without a parent to the head.
//!
//! A turn's parent is the head when it was asked, or, when it takes another turn's place, that
//! turn's parent. A new turn becomes the head. Going back to a turn makes the newest one of its
//! branch the head.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use weir_protocol::{Event, EventBody};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// In the order they were asked: a parent stands before its children.
    turns: Vec<Uuid>,
    parents: HashMap<Uuid, Option<Uuid>>,
    head: Option<Uuid>,
}

impl Path {
    pub(crate) fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut path = Self::default();
        for event in events {
            path.add(event);
        }
        path
    }

    /// As it was stored: turns in the order they were asked, and the head.
    pub(super) fn stored(
        turns: impl IntoIterator<Item = (Uuid, Option<Uuid>)>,
        head: Option<Uuid>,
    ) -> Self {
        let (turns, parents) = turns
            .into_iter()
            .map(|(turn, parent)| (turn, (turn, parent)))
            .unzip();
        Self {
            turns,
            parents,
            head,
        }
    }

    pub(crate) fn add(&mut self, event: &Event) {
        if let EventBody::UserMessage { replaces, .. } = &event.body
            && let Some(turn) = event.turn_id
        {
            self.ask(turn, *replaces);
        } else if let EventBody::BranchChoice { turn } = &event.body {
            self.choose(*turn);
        }
    }

    fn ask(&mut self, turn: Uuid, replaces: Option<Uuid>) {
        if self.parents.contains_key(&turn) {
            return;
        }
        let parent = self.before(replaces).unwrap_or(self.head);
        self.turns.push(turn);
        self.parents.insert(turn, parent);
        self.head = Some(turn);
    }

    fn choose(&mut self, turn: Uuid) {
        let mut under = HashSet::from([turn]);
        for later in &self.turns {
            if self
                .parent(*later)
                .is_some_and(|parent| under.contains(&parent))
            {
                under.insert(*later);
            }
        }
        let newest = self.turns.iter().rfind(|turn| under.contains(turn));
        self.head = newest.copied().or(self.head);
    }

    /// The turn that a new one follows when it takes the place of `replaces`, or comes last;
    /// `None` when there is no such turn to replace.
    fn before(&self, replaces: Option<Uuid>) -> Option<Option<Uuid>> {
        match replaces {
            Some(replaced) => self.parents.get(&replaced).copied(),
            None => Some(self.head),
        }
    }

    pub(super) fn parent(&self, turn: Uuid) -> Option<Uuid> {
        self.parents.get(&turn).copied().flatten()
    }

    /// The turns that are read, the last one first.
    pub(super) fn active(&self) -> Vec<Uuid> {
        self.chain(self.head)
    }

    fn chain(&self, last: Option<Uuid>) -> Vec<Uuid> {
        std::iter::successors(last, |turn| self.parent(*turn)).collect()
    }
}

/// The events that a new turn goes on from, where it comes last or takes the place of
/// `replaces`; `None` when there is no such turn.
pub(crate) fn continued(events: Vec<Event>, replaces: Option<Uuid>) -> Option<Vec<Event>> {
    let path = Path::of(&events);
    let last = path.before(replaces)?;
    Some(kept(events, &path.chain(last)))
}

/// The events of the branch that `turn` is on, up to and with that turn, or of the active path;
/// `None` when there is no such turn.
pub(crate) fn up_to(events: Vec<Event>, turn: Option<Uuid>) -> Option<(Vec<Event>, Uuid)> {
    let path = Path::of(&events);
    let last = turn.or(path.head)?;
    path.parents.contains_key(&last).then(|| {
        let chain = path.chain(Some(last));
        (kept(events, &chain), last)
    })
}

/// What belongs to the session itself is part of every path; a choice of branch is of none.
fn kept(events: Vec<Event>, chain: &[Uuid]) -> Vec<Event> {
    let chain: HashSet<Uuid> = chain.iter().copied().collect();
    let keep = |event: &Event| match event.turn_id {
        Some(turn) => chain.contains(&turn),
        None => !matches!(event.body, EventBody::BranchChoice { .. }),
    };
    events.into_iter().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_protocol::PersistenceState;

    use super::*;

    fn turn(number: usize) -> Uuid {
        Uuid::from_u128(number as u128 + 1)
    }

    fn event(turn_id: Option<Uuid>, body: EventBody) -> Event {
        Event {
            id: crate::clock::new_id(),
            session_id: Uuid::nil(),
            turn_id,
            body,
            event_index: 0,
            sequence_number: None,
            block_index: None,
            message_id: None,
            persistence_state: PersistenceState::Persisted,
            timestamp: crate::clock::now(),
        }
    }

    fn asked(number: usize, replaces: Option<usize>) -> Event {
        let body = EventBody::UserMessage {
            content: "q".into(),
            source: "demo".into(),
            model: "demo".into(),
            images: Vec::new(),
            system: None,
            replaces: replaces.map(turn),
            thinking: None,
            options: Default::default(),
        };
        event(Some(turn(number)), body)
    }

    fn chosen(number: usize) -> Event {
        event(None, EventBody::BranchChoice { turn: turn(number) })
    }

    /// A log in a few letters: `a` asks, `a/b` asks in the place of b, `>a` goes back to a.
    fn log(script: &str) -> Vec<Event> {
        let number = |letter: &str| usize::from(letter.as_bytes()[0] - b'a');
        script
            .split_whitespace()
            .map(
                |word| match (word.strip_prefix('>'), word.split_once('/')) {
                    (Some(letter), _) => chosen(number(letter)),
                    (None, Some((letter, replaced))) => {
                        asked(number(letter), Some(number(replaced)))
                    }
                    (None, None) => asked(number(word), None),
                },
            )
            .collect()
    }

    fn letters(turns: impl IntoIterator<Item = Uuid>) -> String {
        let letter = |turn: Uuid| char::from(b'a' + (turn.as_u128() - 1) as u8);
        turns.into_iter().map(letter).collect()
    }

    #[test]
    fn the_path_of_every_kind_of_log() {
        for (script, expected) in [
            ("", ""),
            ("a", "a"),
            ("a b c", "abc"),
            // Edited and asked again.
            ("a b c/b", "ac"),
            ("a b c/b d", "acd"),
            ("a b c/a", "c"),
            ("a b c d/b e/d", "ae"),
            // A turn that takes the place of one on another branch goes on from there.
            ("a b c d/a e/c", "abe"),
            // Back, to the newest turn of the branch.
            ("a b c/b >b", "ab"),
            ("a b c d/b >b", "abc"),
            ("a b c d/b >c", "abc"),
            ("a b c d/c e/b >b", "abd"),
            ("a b c/b >b d", "abd"),
            ("a b/a >a c >b d", "bd"),
            ("a b c >a", "abc"),
            // What names no turn changes nothing.
            ("a b >z", "ab"),
            ("a b c/z", "abc"),
            // The same turn twice is one.
            ("a b a", "ab"),
        ] {
            let mut read = Path::of(&log(script)).active();
            read.reverse();
            assert_eq!(letters(read), expected, "{script}");
        }
    }

    #[test]
    fn what_a_new_turn_goes_on_from() {
        for (script, replaces, expected) in [
            ("", None, Some("")),
            ("a b", None, Some("ab")),
            ("a b", Some(1), Some("a")),
            ("a b c/b", Some(2), Some("a")),
            ("a b c/b", Some(1), Some("a")),
            ("a b c/b", Some(0), Some("")),
            ("a b", Some(9), None),
        ] {
            let events = continued(log(script), replaces.map(turn));
            let read = events.map(|events| letters(events.iter().filter_map(|e| e.turn_id)));
            assert_eq!(read.as_deref(), expected, "{script} {replaces:?}");
        }
    }

    #[test]
    fn what_a_fork_copies() {
        for (script, at, expected) in [
            ("a b c", None, Some("abc")),
            ("a b c", Some(1), Some("ab")),
            ("a b c/b", None, Some("ac")),
            ("a b c/b", Some(1), Some("ab")),
            ("a b c/b >b", None, Some("ab")),
            ("a", Some(4), None),
            ("", None, None),
        ] {
            let copied = up_to(log(script), at.map(turn));
            let read = copied.map(|(events, _)| letters(events.iter().filter_map(|e| e.turn_id)));
            assert_eq!(read.as_deref(), expected, "{script} {at:?}");
        }
    }

    /// Prompts and choices that name any turn, also ones that are not there.
    fn any_log() -> impl Strategy<Value = Vec<Event>> {
        let step = (any::<bool>(), prop::option::of(0..24usize));
        prop::collection::vec(step, 0..24).prop_map(|steps| {
            let each = steps.into_iter().enumerate();
            each.map(|(number, (asks, named))| match (asks, named) {
                (false, Some(named)) => chosen(named),
                (true, _) | (false, None) => asked(number, named),
            })
            .collect()
        })
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_path_is_a_chain(events in any_log()) {
            let path = Path::of(&events);
            let asked: Vec<Uuid> = events.iter().filter_map(|event| event.turn_id).collect();
            prop_assert_eq!(&path.turns, &asked);

            let active = path.active();
            prop_assert_eq!(active.is_empty(), asked.is_empty());
            for pair in active.windows(2) {
                prop_assert_eq!(path.parent(pair[0]), Some(pair[1]));
            }
            prop_assert!(active.last().is_none_or(|first| path.parent(*first).is_none()));

            for turn in &asked {
                let mut chosen = path.clone();
                chosen.choose(*turn);
                prop_assert!(chosen.active().contains(turn), "one can go back to every turn");
                prop_assert_eq!(&chosen.turns, &path.turns);
            }
        }

        #[test]
        fn a_log_read_in_two_parts_is_the_log_read_at_once(
            events in any_log(),
            cut in any::<prop::sample::Index>(),
        ) {
            let (early, late) = events.split_at(cut.index(events.len() + 1));
            let early = Path::of(early);
            let turns = early.turns.iter().map(|turn| (*turn, early.parent(*turn)));
            let mut path = Path::stored(turns, early.head);
            for event in late {
                path.add(event);
            }
            prop_assert_eq!(path, Path::of(&events));
        }
    }
}
