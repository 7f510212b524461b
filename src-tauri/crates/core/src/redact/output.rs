//! What a source says, checked before it becomes blocks: a pure filter between the reader of a
//! dialect and the assembler.
//!
//! Invariant: nothing that a rule takes out or blocks leaves here, however the source cut it.
//! Text, thinking and tool input go through one stream a block; what is held back comes with the
//! block's end, or with the stream's, however that ends. What comes whole is checked whole. What
//! a source's own tools brought is checked as what goes to a model. What only the name of a
//! field tells to be secret is held back like what tells by itself (`tool`).
//!
//! There is no `ask` here: the text would be shown before anybody could answer, so the type of
//! the actions at this stage does not have it. `block` ends the reply: what follows is not heard any more. Cost of a delta: its text
//! goes through the guard once.

mod names;
mod passing;
mod tool;

use std::collections::HashMap;

use serde_json::Value;
use weir_protocol::{BlockId, Citation, Detection, EventBody, GuardVerdict, StreamEvent, Todo};

use super::checks::{Checks, Noticed};
use crate::guard::Stage;
use crate::source::fault;
use crate::value_search::Extent;
use passing::Passing;
use tool::Tool;

/// Pictures and sounds that are larger are not searched: they hold millions of characters.
const LARGEST_CHECKED: usize = 256 * 1024;

/// An event that tells what was found, and in which block of the source's.
#[derive(Debug)]
pub(crate) struct FoundEvent {
    pub(crate) block: Option<BlockId>,
    pub(crate) body: EventBody,
}

pub(crate) struct Guarded {
    checks: Checks,
    open: HashMap<BlockId, Open>,
    told: Vec<FoundEvent>,
    is_tainted: bool,
    is_blocked: bool,
}

/// One block that is being said.
struct Open {
    said: BlockKind,
    text: Passing,
}

enum BlockKind {
    Text,
    Thinking,
    Tool(Tool),
}

impl Guarded {
    pub(crate) fn new(checks: Checks) -> Self {
        Self {
            checks: checks.frozen(),
            open: HashMap::new(),
            told: Vec::new(),
            is_tainted: false,
            is_blocked: false,
        }
    }

    /// Leaves in `said` what may be heard.
    pub(crate) fn pass(&mut self, said: &mut Vec<StreamEvent>) {
        let mut out = Vec::with_capacity(said.len());
        for event in said.drain(..) {
            self.step(event, &mut out);
        }
        *said = out;
    }

    /// The stream is over, in whatever way: what was held back is said.
    pub(crate) fn finish(&mut self, said: &mut Vec<StreamEvent>) {
        let mut ids: Vec<BlockId> = self.open.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            self.close(id, said);
        }
    }

    /// What was found since the last time.
    pub(crate) fn told(&mut self) -> Vec<FoundEvent> {
        std::mem::take(&mut self.told)
    }

    /// Whether a rule ended the reply.
    pub(crate) fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Whether what a source's own tool brought tried to instruct the model.
    pub(crate) fn is_tainted(&self) -> bool {
        self.is_tainted
    }

    fn step(&mut self, mut event: StreamEvent, out: &mut Vec<StreamEvent>) {
        names::cover(&mut event, &self.checks);
        if self.is_blocked {
            // What it cost is still true.
            if let StreamEvent::Usage { .. } = event {
                out.push(event);
            }
            return;
        }
        match event {
            StreamEvent::TextStart { id } => {
                self.start(id, BlockKind::Text);
                out.push(event);
            }
            StreamEvent::ThinkingStart { id } => {
                self.start(id, BlockKind::Thinking);
                out.push(event);
            }
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name,
                executed_by,
                detail,
            } => {
                self.start(id, BlockKind::Tool(Tool::default()));
                let detail = detail.map(|detail| self.value(Some(id), detail, Stage::Output));
                let start = StreamEvent::ToolUseStart {
                    id,
                    tool_call_id,
                    name,
                    executed_by,
                    detail,
                };
                self.unless_blocked(start, out);
            }
            StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text } => {
                self.grow(id, &text, out);
            }
            StreamEvent::ToolUseDelta { id, json } => self.grow(id, &json, out),
            StreamEvent::Citation { id, citation } => {
                let citation = self.citation(id, citation);
                self.unless_blocked(StreamEvent::Citation { id, citation }, out);
            }
            StreamEvent::TextEnd {
                id,
                signature,
                detail,
            } => {
                let is_changed = self.close(id, out);
                let end = StreamEvent::TextEnd {
                    id,
                    signature: signature.filter(|it| !is_changed && !self.checks.holds_known(it)),
                    detail: detail.filter(|it| !is_changed && self.is_clean(it)),
                };
                self.unless_blocked(end, out);
            }
            StreamEvent::ThinkingEnd {
                id,
                signature,
                redacted,
                detail,
            } => {
                // A seal of other words would be refused when it is sent back.
                let is_changed = self.close(id, out);
                let end = StreamEvent::ThinkingEnd {
                    id,
                    signature: signature.filter(|it| !is_changed && !self.checks.holds_known(it)),
                    redacted: redacted.filter(|it| !is_changed && !self.checks.holds_known(it)),
                    detail: detail.filter(|it| !is_changed && self.is_clean(it)),
                };
                self.unless_blocked(end, out);
            }
            StreamEvent::ToolUseEnd {
                id,
                input,
                signature,
            } => self.end_tool(id, input, signature, out),
            StreamEvent::ToolResult {
                tool_call_id,
                name,
                mut result,
                is_error,
                detail,
            } => {
                let mut found = Vec::new();
                self.checks.value(&mut result, Stage::Input, &mut found);
                let detail = detail.map(|mut detail| {
                    self.checks.value(&mut detail, Stage::Input, &mut found);
                    detail
                });
                if let Some(noticed) = Noticed::of(found) {
                    self.is_tainted |= noticed.is_injection();
                    self.is_blocked |= noticed.verdict == GuardVerdict::Block;
                    self.told.push(FoundEvent {
                        block: None,
                        body: noticed.input_event(Some(tool_call_id.clone())),
                    });
                }
                let result = StreamEvent::ToolResult {
                    tool_call_id,
                    name,
                    result,
                    is_error,
                    detail,
                };
                self.unless_blocked(result, out);
            }
            StreamEvent::Status { message } => {
                let message = self.whole(None, message);
                self.unless_blocked(StreamEvent::Status { message }, out);
            }
            StreamEvent::File { url, media_type } => {
                let url = if url.starts_with("data:") {
                    self.data_url(url, &media_type)
                } else {
                    self.whole(None, url)
                };
                self.unless_blocked(StreamEvent::File { url, media_type }, out);
            }
            StreamEvent::TodoCreate { todos } => {
                let todos = todos.into_iter().map(|todo| self.todo(todo)).collect();
                self.unless_blocked(StreamEvent::TodoCreate { todos }, out);
            }
            StreamEvent::TodoUpdate { todos } => {
                let todos = todos.into_iter().map(|todo| self.todo(todo)).collect();
                self.unless_blocked(StreamEvent::TodoUpdate { todos }, out);
            }
            StreamEvent::TodoDone { todo } => {
                let todo = self.todo(todo);
                self.unless_blocked(StreamEvent::TodoDone { todo }, out);
            }
            StreamEvent::SubagentStart {
                subagent_id,
                name,
                task,
            } => {
                let task = self.whole(None, task);
                let start = StreamEvent::SubagentStart {
                    subagent_id,
                    name,
                    task,
                };
                self.unless_blocked(start, out);
            }
            StreamEvent::SubagentEnd {
                subagent_id,
                name,
                summary,
                is_error,
            } => {
                let summary = self.whole(None, summary);
                let end = StreamEvent::SubagentEnd {
                    subagent_id,
                    name,
                    summary,
                    is_error,
                };
                self.unless_blocked(end, out);
            }
            StreamEvent::Error { mut error } => {
                self.finish(out);
                fault::check(&mut error, &|text| self.checks.covered(text));
                out.push(StreamEvent::Error { error });
            }
            StreamEvent::Done { .. } => {
                self.finish(out);
                self.unless_blocked(event, out);
            }
            // Stored beside the conversation, never shown in it and never sent back: redacted
            // like the rest, but what blocks a text ends no reply here.
            StreamEvent::Raw { value } => out.push(StreamEvent::Raw {
                value: self.checks.covered_raw(value),
            }),
            StreamEvent::Start { .. } | StreamEvent::Usage { .. } | StreamEvent::Result { .. } => {
                out.push(event);
            }
        }
    }

    fn start(&mut self, id: BlockId, said: BlockKind) {
        let text = Passing::new(&self.checks.guard);
        self.open.insert(id, Open { said, text });
    }

    fn grow(&mut self, id: BlockId, text: &str, out: &mut Vec<StreamEvent>) {
        let Some(open) = self.open.get_mut(&id) else {
            return;
        };
        let passed = match &mut open.said {
            BlockKind::Text | BlockKind::Thinking => open.text.push(text, &self.checks),
            BlockKind::Tool(tool) => tool.push(text, &mut open.text, &self.checks),
        };
        if !passed.is_empty() {
            out.push(open.said.delta(id, passed));
        }
        if open.text.is_blocked {
            self.is_blocked = true;
            self.close(id, out);
        }
    }

    /// Says what the block held back, and tells what was found in it. Whether its words were
    /// changed.
    fn close(&mut self, id: BlockId, out: &mut Vec<StreamEvent>) -> bool {
        let Some(mut open) = self.open.remove(&id) else {
            return false;
        };
        if !open.text.is_blocked {
            let rest = match &mut open.said {
                BlockKind::Text | BlockKind::Thinking => open.text.finish(&self.checks),
                BlockKind::Tool(tool) => tool.finish(&mut open.text, &self.checks),
            };
            if !rest.is_empty() {
                out.push(open.said.delta(id, rest));
            }
        }
        self.is_blocked |= open.text.is_blocked;
        self.tell(Some(id), open.text.found);
        open.text.is_changed
    }

    /// The whole input is checked anew: what of it grew before was the same text.
    fn end_tool(
        &mut self,
        id: BlockId,
        input: Value,
        signature: Option<String>,
        out: &mut Vec<StreamEvent>,
    ) {
        if input.is_null() {
            // The source gave the call up: what was said of it is all there is.
            self.close(id, out);
            self.unless_blocked(
                StreamEvent::ToolUseEnd {
                    id,
                    input,
                    signature,
                },
                out,
            );
            return;
        }
        let grown = self.open.remove(&id);
        if grown.as_ref().is_some_and(|open| open.text.is_blocked) {
            return;
        }
        let signature = signature.filter(|it| !self.checks.holds_known(it));
        let mut found = Vec::new();
        let mut input = input;
        self.checks.value(&mut input, Stage::Output, &mut found);
        self.tell(Some(id), found);
        let end = StreamEvent::ToolUseEnd {
            id,
            input,
            signature,
        };
        self.unless_blocked(end, out);
    }

    /// Whether no rule finds anything in what a source says of a block. It says the block's words
    /// again, and goes back only as it came: what is not clean is dropped whole. Sealed fields
    /// are no text for rules.
    fn is_clean(&self, detail: &Value) -> bool {
        const SEALED: [&str; 3] = ["data", "signature", "encrypted_content"];
        match detail {
            Value::String(text) => {
                let passed = self
                    .checks
                    .whole(text.clone(), Stage::Output, &mut Vec::new());
                passed == *text && !self.checks.holds_known(text)
            }
            Value::Array(items) => items.iter().all(|item| self.is_clean(item)),
            Value::Object(fields) => fields.iter().all(|(name, value)| {
                let sealed = value.as_str().filter(|_| SEALED.contains(&name.as_str()));
                match sealed {
                    Some(sealed) => !self.checks.holds_known(sealed),
                    None => self.is_clean(value),
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    fn unless_blocked(&self, event: StreamEvent, out: &mut Vec<StreamEvent>) {
        if !self.is_blocked {
            out.push(event);
        }
    }

    fn tell(&mut self, block: Option<BlockId>, found: Vec<(GuardVerdict, Detection)>) {
        if let Some(noticed) = Noticed::of(found) {
            self.is_blocked |= noticed.verdict == GuardVerdict::Block;
            let body = noticed.output_event();
            self.told.push(FoundEvent { block, body });
        }
    }

    fn whole(&mut self, block: Option<BlockId>, text: String) -> String {
        let mut found = Vec::new();
        let text = self.checks.whole(text, Stage::Output, &mut found);
        self.tell(block, found);
        text
    }

    fn value(&mut self, block: Option<BlockId>, mut value: Value, stage: Stage) -> Value {
        let mut found = Vec::new();
        self.checks.value(&mut value, stage, &mut found);
        self.tell(block, found);
        value
    }

    /// What a file holds is no text for rules. What is short enough to be one, or says that it is
    /// one, holds no known value either.
    fn data_url(&self, url: String, media_type: &str) -> String {
        let is_media = ["image/", "audio/", "video/"]
            .iter()
            .any(|it| media_type.starts_with(it));
        if is_media && url.len() > LARGEST_CHECKED {
            return url;
        }
        self.checks.without_known(url, Extent::Whole)
    }

    fn todo(&mut self, todo: Todo) -> Todo {
        Todo {
            content: self.whole(None, todo.content),
            ..todo
        }
    }

    fn citation(&mut self, id: BlockId, citation: Citation) -> Citation {
        let mut found = Vec::new();
        let mut check = |text: String| self.checks.whole(text, Stage::Output, &mut found);
        let (url, title) = (citation.url.map(&mut check), citation.title.map(&mut check));
        let cited_text = citation.cited_text.map(&mut check);
        let mut raw = citation.raw;
        // The same again, as the provider wrote it: told once.
        self.checks.value(&mut raw, Stage::Output, &mut Vec::new());
        self.tell(Some(id), found);
        // Digits can be a secret too: a number that a guard would change is left out.
        let score = |score: Option<f64>| {
            let digits = score?.to_string();
            let passed = self
                .checks
                .whole(digits.clone(), Stage::Output, &mut Vec::new());
            score.filter(|_| passed == digits)
        };
        Citation {
            url,
            title,
            cited_text,
            relevance: score(citation.relevance),
            confidence: score(citation.confidence),
            raw,
        }
    }
}

impl BlockKind {
    fn delta(&self, id: BlockId, text: String) -> StreamEvent {
        match self {
            Self::Text => StreamEvent::TextDelta { id, text },
            Self::Thinking => StreamEvent::ThinkingDelta { id, text },
            Self::Tool(_) => StreamEvent::ToolUseDelta { id, json: text },
        }
    }
}

#[cfg(test)]
mod tests;
