//! Tools that Weir runs for a model, and whether it may.
//!
//! Owns what a tool is and which ones there are. A tool gets its input and answers a result; an
//! error is a result too, for the model to read. Must not know sources, turns or windows: the
//! turn asks [`permission`] first and runs a tool second.

mod files;
pub mod permission;
pub mod root;
pub mod visible;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::redact::placeholder;
use crate::redact::vault::change_strings;
use crate::source::ToolDefinition;
pub use files::file_tools;
use permission::Subject;

pub trait Tool: Send + Sync {
    fn definition(&self) -> ToolDefinition;

    fn access(&self) -> Access;

    /// What the rules that name an argument look at.
    fn subject(&self, _input: &Value) -> Subject {
        Subject::Input
    }

    /// Where what it is given may end up. What does not say is not local.
    fn reach(&self) -> Reach {
        Reach::Elsewhere
    }

    /// The input with originals in the place of placeholders, as far as the tool is to have
    /// them: everywhere, unless a tool knows better. May look at files, so it may block.
    fn restored(&self, input: &Value, original: &dyn Fn(&str) -> Option<String>) -> Value {
        let mut restored = input.clone();
        change_strings(&mut restored, &mut |text| {
            *text = placeholder::replace(text, original);
        });
        restored
    }

    /// Dropping the future stops the tool.
    fn run(&self, input: Value) -> BoxFuture<'static, ToolOutcome>;

    /// Runs as far as the call is still about what the rules were asked about.
    fn run_judged(&self, input: Value, _judged: Subject) -> BoxFuture<'static, ToolOutcome> {
        self.run(input)
    }
}

/// What a tool can do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It looks and changes nothing: plan mode offers it.
    ReadOnly,
    Changes,
}

/// Where what a tool is given may end up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is built in, and passes nothing on to a program, a server or a file: the originals it
    /// is given come back in its result alone, which is checked.
    Local,
    /// Nobody knows; the user has to agree to each original it is given.
    Elsewhere,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    pub result: Value,
    pub is_error: bool,
    /// What becomes of lines that are too long. Cut before it is checked, a secret could leave a
    /// half of itself that no check knows.
    pub long_lines: LongLines,
}

/// Ends a line that was cut before it was checked. What stands before it may be half a secret.
pub(crate) const UNFINISHED_LINE: &str = " [the line goes on]";

/// How a text result is shortened once it has been checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongLines {
    #[default]
    Whole,
    /// So many characters from the start of each line.
    Start(usize),
    /// So many characters from both ends of each line.
    Ends(usize),
}

impl ToolOutcome {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            result: Value::String(text.into()),
            is_error: false,
            long_lines: LongLines::Whole,
        }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            result: Value::String(message.into()),
            is_error: true,
            long_lines: LongLines::Whole,
        }
    }

    pub fn with_long_lines(self, long_lines: LongLines) -> Self {
        Self { long_lines, ..self }
    }

    /// With lines that are too long cut; only after it has been checked.
    pub(crate) fn shortened(mut self) -> Self {
        let (most, cut): (usize, fn(&str, usize) -> String) = match self.long_lines {
            LongLines::Whole => return self,
            LongLines::Start(most) => (most, cut_start),
            LongLines::Ends(most) => (most, visible::cut),
        };
        if let Value::String(text) = &mut self.result {
            let is_long = |line: &str| line.len() > most && line.chars().nth(most).is_some();
            let lines = text.split('\n').map(|line| {
                if !is_long(line) {
                    line.to_owned()
                } else if line.ends_with(UNFINISHED_LINE) {
                    cut_start(line, most)
                } else {
                    cut(line, most)
                }
            });
            *text = lines.collect::<Vec<_>>().join("\n");
        }
        self
    }
}

fn cut_start(line: &str, most: usize) -> String {
    let start: String = line.chars().take(most).collect();
    format!("{start} [the line goes on: {} bytes]", line.len())
}

/// Whether a turn may change things, or only look and plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Act,
    Plan,
}

/// The tools of one turn.
#[derive(Clone, Default)]
pub struct Tools {
    tools: Vec<Arc<dyn Tool>>,
}

impl Tools {
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { tools }
    }

    /// What the model is told of.
    pub fn definitions(&self, mode: Mode) -> Vec<ToolDefinition> {
        self.offered(mode).map(|tool| tool.definition()).collect()
    }

    pub fn find(&self, name: &str, mode: Mode) -> Option<Arc<dyn Tool>> {
        self.offered(mode)
            .find(|tool| tool.definition().name == name)
            .cloned()
    }

    fn offered(&self, mode: Mode) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().filter(move |tool| match mode {
            Mode::Act => true,
            Mode::Plan => tool.access() == Access::ReadOnly,
        })
    }
}
