//! The replies that are streamed: a running turn each, and its chunks, a frame at a time.

use uuid::Uuid;
use weir_protocol::{Event, EventBody, PersistenceState, merge_chunks};

/// What a frame becomes on its way into the journal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// As in the program: the turn joins the chunks of a block that came within a frame.
    OneAFrame,
    /// As if it did not: more rows than the program ever writes.
    OneAChunk,
}

/// How many sessions stream at once, how many chunks come within a frame of each, and how many
/// rows those are.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) sessions: usize,
    pub(crate) frame: usize,
    pub(crate) rows: Rows,
}

impl Shape {
    /// The rows of one frame of all sessions, which share a commit.
    pub(crate) fn rows_a_commit(self) -> usize {
        match self.rows {
            Rows::OneAFrame => self.sessions,
            Rows::OneAChunk => self.sessions * self.frame,
        }
    }

    /// What the program does to a frame before it saves it.
    pub(crate) fn coalesce(self, frame: Vec<Event>) -> Vec<Event> {
        match self.rows {
            Rows::OneAFrame => merge_chunks(frame),
            Rows::OneAChunk => frame,
        }
    }
}

/// A running turn of a new session, and its chunks, in frames.
pub(crate) struct Stream {
    pub(crate) session: Uuid,
    pub(crate) first: Event,
    pub(crate) frames: Vec<Vec<Event>>,
}

/// As many words as a provider puts into one delta.
const WORDS: [&str; 8] = [
    "The",
    " quick",
    " brown fox",
    " jumps",
    " over\n",
    " the \"lazy\"",
    " dog,",
    " naïvely",
];

/// The text of a reply of so many chunks.
pub(crate) fn text(chunks: usize) -> String {
    WORDS.iter().cycle().take(chunks).copied().collect()
}

pub(crate) fn streams(shape: Shape, chunks: usize) -> Vec<Stream> {
    (0..shape.sessions)
        .map(|_| {
            let (session, turn) = (Uuid::now_v7(), Uuid::now_v7());
            let event = |body, block_index| Event {
                id: Uuid::now_v7(),
                session_id: session,
                turn_id: Some(turn),
                body,
                event_index: 0,
                sequence_number: None,
                block_index,
                message_id: Some("msg_01XFDUDYJgAACzvnptvVoYEL".to_owned()),
                persistence_state: PersistenceState::Pending,
                timestamp: jiff::Timestamp::now(),
            };
            let asked = EventBody::UserMessage {
                content: "Go on.".to_owned(),
                source: "demo".to_owned(),
                model: "demo".to_owned(),
                images: Vec::new(),
                system: None,
                replaces: None,
                thinking: None,
                options: Default::default(),
            };
            let chunk = |number: usize| {
                let content = WORDS[number % WORDS.len()].to_owned();
                let citations = Vec::new();
                event(EventBody::MessageChunk { content, citations }, Some(0))
            };
            let chunks: Vec<Event> = (0..chunks / shape.sessions).map(chunk).collect();
            Stream {
                session,
                first: event(asked, None),
                frames: chunks.chunks(shape.frame).map(<[Event]>::to_vec).collect(),
            }
        })
        .collect()
}
