//! The count of what one turn has received.
//!
//! Pure: knows no clock, no store and no connection. Cost of a delta: two additions and two
//! comparisons.

use std::collections::HashMap;

use weir_protocol::{BlockId, Citation, StreamEvent};

use super::{Exceeded, LIMITS, LimitName, ReplyLimits};

/// Counts one turn. Clones nothing and allocates only for calls whose input is open.
#[derive(Debug)]
pub(crate) struct Meter {
    /// The values in force, in the order of [`LimitName`].
    most: Vec<u64>,
    step: Counts,
    turn: Counts,
    /// The input of the calls that are open, in bytes.
    inputs: HashMap<BlockId, u64>,
    /// The kind of the last note, until a block begins.
    last_note: Option<Note>,
}

/// Lines beside the reply; neighbours of one kind share a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note {
    Progress,
    Subagent,
}

#[derive(Debug, Default)]
struct Counts {
    text: u64,
    data: u64,
    calls: u64,
    blocks: u64,
    citations: u64,
    notes: u64,
    unknown: u64,
    bytes: u64,
}

/// What an event adds to a text that may be cut where the limit is reached.
enum Room {
    Whole,
    /// So many bytes still fit, and then this limit is reached.
    Part(u64, LimitName),
}

impl Meter {
    pub(crate) fn new(limits: &ReplyLimits) -> Self {
        Self {
            most: LIMITS.iter().map(|limit| limits.get(limit)).collect(),
            step: Counts::default(),
            turn: Counts::default(),
            inputs: HashMap::new(),
            last_note: None,
        }
    }

    /// Another request begins: what is counted by the step is counted anew.
    pub(crate) fn start_step(&mut self) {
        self.step = Counts::default();
        self.inputs.clear();
        self.last_note = None;
    }

    /// Counts bytes as they were received, whatever they say.
    pub(crate) fn receive(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.step.bytes = self.step.bytes.saturating_add(bytes as u64);
        self.check(self.step.bytes, LimitName::BytesPerStep)
    }

    /// Counts the results of the tools that Weir ran itself.
    pub(crate) fn results(&mut self, bytes: u64) -> Result<(), Exceeded> {
        self.turn.data = self.turn.data.saturating_add(bytes);
        self.check(self.turn.data, LimitName::DataPerTurn)
    }

    /// Leaves in `said` what the limits allow. At the event that reaches one everything from
    /// there on is removed, but for the part of a text that still fits.
    pub(crate) fn admit(&mut self, said: &mut Vec<StreamEvent>) -> Result<(), Exceeded> {
        let mut at = 0;
        while let Some(event) = said.get_mut(at) {
            if let Err((exceeded, keep)) = self.count(event) {
                said.truncate(at + usize::from(keep == Keep::Part));
                return Err(exceeded);
            }
            at += 1;
        }
        Ok(())
    }

    fn count(&mut self, event: &mut StreamEvent) -> Result<(), (Exceeded, Keep)> {
        if let StreamEvent::TextDelta { text, .. } | StreamEvent::ThinkingDelta { text, .. } = event
        {
            let room = self.text_room(text.len());
            return self.cut(text, room);
        }
        if let StreamEvent::ToolUseDelta { id, json } = event {
            let (room, bytes) = (self.input_room(*id, json.len()), json.len());
            self.cut(json, room)?;
            *self.inputs.entry(*id).or_default() += bytes as u64;
            return Ok(());
        }
        let counted = self.count_whole(event);
        counted.map_err(|exceeded| (exceeded, Keep::Nothing))
    }

    /// Counts a text that may be cut; one that has no room at all is dropped.
    fn cut(&mut self, text: &mut String, room: Room) -> Result<(), (Exceeded, Keep)> {
        match room {
            Room::Whole => {
                self.add_text(text.len());
                Ok(())
            }
            Room::Part(left, name) => {
                let left = usize::try_from(left).unwrap_or(usize::MAX);
                text.truncate(text.floor_char_boundary(left));
                self.add_text(text.len());
                let keep = if text.is_empty() {
                    Keep::Nothing
                } else {
                    Keep::Part
                };
                Err((self.exceeded(name), keep))
            }
        }
    }

    fn add_text(&mut self, bytes: usize) {
        self.step.text += bytes as u64;
        self.turn.text += bytes as u64;
    }

    fn text_room(&self, bytes: usize) -> Room {
        let left = |used: u64, name| (self.most(name).saturating_sub(used), name);
        let step = left(self.step.text, LimitName::TextPerStep);
        let turn = left(self.turn.text, LimitName::TextPerTurn);
        room(bytes, [step, turn])
    }

    fn input_room(&self, id: BlockId, bytes: usize) -> Room {
        let used = self.inputs.get(&id).copied().unwrap_or_default();
        let left = self.most(LimitName::ToolInput).saturating_sub(used);
        match (
            room(bytes, [(left, LimitName::ToolInput)]),
            self.text_room(bytes),
        ) {
            (Room::Whole, text) => text,
            (input, Room::Whole) => input,
            (Room::Part(a, first), Room::Part(b, second)) => {
                if a <= b {
                    Room::Part(a, first)
                } else {
                    Room::Part(b, second)
                }
            }
        }
    }

    /// Events that are taken whole or not at all.
    fn count_whole(&mut self, event: &StreamEvent) -> Result<(), Exceeded> {
        match event {
            StreamEvent::TextStart { .. } | StreamEvent::ThinkingStart { .. } => self.block(),
            StreamEvent::ToolUseStart {
                tool_call_id,
                name,
                detail,
                ..
            } => {
                self.names([tool_call_id.as_str(), name.as_str()])?;
                self.data(detail.as_ref().map_or(0, size))?;
                self.step.calls += 1;
                self.turn.calls += 1;
                self.check(self.step.calls, LimitName::CallsPerStep)?;
                self.check(self.turn.calls, LimitName::CallsPerTurn)?;
                self.block()
            }
            StreamEvent::ToolUseEnd {
                id,
                input,
                signature,
            } => {
                self.data(length(signature))?;
                // What came in pieces was counted with them. The input may be more than they
                // spell: a source can send it whole, beside a piece that says nothing.
                let counted = self.inputs.remove(id).unwrap_or_default();
                let bytes = size(input);
                let rest = bytes.saturating_sub(counted);
                if rest == 0 {
                    return Ok(());
                }
                self.check(bytes, LimitName::ToolInput)?;
                self.whole_text(rest)
            }
            StreamEvent::TextEnd {
                signature, detail, ..
            } => self.data(length(signature) + detail.as_ref().map_or(0, size)),
            StreamEvent::ThinkingEnd {
                signature,
                redacted,
                detail,
                ..
            } => {
                let detail = detail.as_ref().map_or(0, size);
                self.data(length(signature) + length(redacted) + detail)
            }
            StreamEvent::ToolResult {
                tool_call_id,
                name,
                result,
                detail,
                ..
            } => {
                self.names([tool_call_id.as_str(), name.as_str()])?;
                self.data(size(result) + detail.as_ref().map_or(0, size))?;
                self.block()
            }
            StreamEvent::Citation { citation, .. } => {
                self.step.citations += 1;
                self.check(self.step.citations, LimitName::CitationsPerStep)?;
                self.data(citation_size(citation))
            }
            StreamEvent::File { url, media_type } => {
                self.names([media_type.as_str()])?;
                self.data(url.len() as u64)?;
                self.block()
            }
            StreamEvent::Status { message } => self.note(Note::Progress, message.len()),
            StreamEvent::TodoCreate { todos } | StreamEvent::TodoUpdate { todos } => todos
                .iter()
                .try_for_each(|todo| self.note(Note::Progress, todo.content.len())),
            StreamEvent::TodoDone { todo } => self.note(Note::Progress, todo.content.len()),
            StreamEvent::SubagentStart {
                subagent_id,
                name,
                task,
            } => {
                self.names([subagent_id.as_deref().unwrap_or_default(), name])?;
                self.note(Note::Subagent, name.len() + task.len())
            }
            StreamEvent::SubagentEnd {
                subagent_id,
                name,
                summary,
                ..
            } => {
                self.names([subagent_id.as_deref().unwrap_or_default(), name])?;
                self.note(Note::Subagent, name.len() + summary.len())
            }
            StreamEvent::Start { message_id, model } => {
                let names = [message_id, model];
                self.names(names.map(|name| name.as_deref().unwrap_or_default()))
            }
            StreamEvent::Usage { usage, .. } => {
                self.names([usage.service_tier.as_deref().unwrap_or_default()])
            }
            StreamEvent::Raw { .. } => {
                self.step.unknown += 1;
                self.check(self.step.unknown, LimitName::UnknownPerStep)
            }
            // Counted by their text, and how a stream ends is always heard.
            StreamEvent::TextDelta { .. }
            | StreamEvent::ThinkingDelta { .. }
            | StreamEvent::ToolUseDelta { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Done { .. } => Ok(()),
        }
    }

    fn block(&mut self) -> Result<(), Exceeded> {
        self.last_note = None;
        self.step.blocks += 1;
        self.turn.blocks += 1;
        self.check(self.step.blocks, LimitName::BlocksPerStep)?;
        self.check(self.turn.blocks, LimitName::BlocksPerTurn)
    }

    fn note(&mut self, note: Note, bytes: usize) -> Result<(), Exceeded> {
        if self.last_note != Some(note) {
            self.block()?;
            self.last_note = Some(note);
        }
        self.step.notes += 1;
        self.check(self.step.notes, LimitName::NotesPerStep)?;
        self.whole_text(bytes as u64)
    }

    fn whole_text(&mut self, bytes: u64) -> Result<(), Exceeded> {
        self.step.text = self.step.text.saturating_add(bytes);
        self.turn.text = self.turn.text.saturating_add(bytes);
        self.check(self.step.text, LimitName::TextPerStep)?;
        self.check(self.turn.text, LimitName::TextPerTurn)
    }

    fn data(&mut self, bytes: u64) -> Result<(), Exceeded> {
        self.step.data = self.step.data.saturating_add(bytes);
        self.turn.data = self.turn.data.saturating_add(bytes);
        self.check(self.step.data, LimitName::DataPerStep)?;
        self.check(self.turn.data, LimitName::DataPerTurn)
    }

    fn names<const N: usize>(&self, names: [&str; N]) -> Result<(), Exceeded> {
        let longest = names
            .iter()
            .map(|name| name.len())
            .max()
            .unwrap_or_default();
        self.check(longest as u64, LimitName::NameLength)
    }

    fn check(&self, used: u64, name: LimitName) -> Result<(), Exceeded> {
        if used > self.most(name) {
            Err(self.exceeded(name))
        } else {
            Ok(())
        }
    }

    fn exceeded(&self, name: LimitName) -> Exceeded {
        Exceeded {
            limit: &LIMITS[name as usize],
            value: self.most(name),
        }
    }

    fn most(&self, name: LimitName) -> u64 {
        self.most[name as usize]
    }
}

/// What stays of the event at which a limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    Part,
    Nothing,
}

fn room<const N: usize>(bytes: usize, left: [(u64, LimitName); N]) -> Room {
    let least = left.into_iter().min_by_key(|(left, _)| *left);
    match least {
        Some((left, name)) if bytes as u64 > left => Room::Part(left, name),
        Some(_) | None => Room::Whole,
    }
}

fn length(text: &Option<String>) -> u64 {
    text.as_ref().map_or(0, |text| text.len() as u64)
}

fn citation_size(citation: &Citation) -> u64 {
    length(&citation.url)
        + length(&citation.title)
        + length(&citation.cited_text)
        + size(&citation.raw)
}

/// How many bytes a value takes as compact JSON, without writing it. Escapes are not counted, so
/// the text that a value was read from is never shorter, but for a number written as `1e20`.
pub(crate) fn size(value: &serde_json::Value) -> u64 {
    use serde_json::Value;
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => digits(number),
        Value::String(text) => text.len() as u64 + 2,
        Value::Array(items) => items.iter().map(size).sum::<u64>() + marks(items.len()),
        Value::Object(fields) => {
            let sizes = fields
                .iter()
                .map(|(name, value)| name.len() as u64 + size(value) + 3);
            sizes.sum::<u64>() + marks(fields.len())
        }
    }
}

/// The brackets around so many items and the commas between them.
fn marks(items: usize) -> u64 {
    2 + (items as u64).saturating_sub(1)
}

fn digits(number: &serde_json::Number) -> u64 {
    struct Count(u64);
    impl std::fmt::Write for Count {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 += text.len() as u64;
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = std::fmt::write(&mut count, format_args!("{number}"));
    count.0
}

/// How much of an event has to be checked, in bytes.
pub(crate) fn weight(event: &StreamEvent) -> u64 {
    match event {
        StreamEvent::TextDelta { text, .. } | StreamEvent::ThinkingDelta { text, .. } => {
            text.len() as u64
        }
        StreamEvent::ToolUseDelta { json, .. } => json.len() as u64,
        StreamEvent::ToolUseEnd { input, .. } => size(input),
        StreamEvent::ToolUseStart { detail, .. } => detail.as_ref().map_or(0, size),
        StreamEvent::ToolResult { result, detail, .. } => {
            size(result) + detail.as_ref().map_or(0, size)
        }
        StreamEvent::Citation { citation, .. } => citation_size(citation),
        StreamEvent::File { url, .. } => url.len() as u64,
        StreamEvent::Status { message } => message.len() as u64,
        StreamEvent::TodoCreate { todos } | StreamEvent::TodoUpdate { todos } => {
            todos.iter().map(|todo| todo.content.len() as u64).sum()
        }
        StreamEvent::TodoDone { todo } => todo.content.len() as u64,
        StreamEvent::SubagentStart { task, .. } => task.len() as u64,
        StreamEvent::SubagentEnd { summary, .. } => summary.len() as u64,
        StreamEvent::Raw { value } => size(value),
        StreamEvent::Start { .. }
        | StreamEvent::TextStart { .. }
        | StreamEvent::TextEnd { .. }
        | StreamEvent::ThinkingStart { .. }
        | StreamEvent::ThinkingEnd { .. }
        | StreamEvent::Usage { .. }
        | StreamEvent::Result { .. }
        | StreamEvent::Error { .. }
        | StreamEvent::Done { .. } => 0,
    }
}
