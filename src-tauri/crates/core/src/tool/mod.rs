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

#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    pub result: Value,
    pub is_error: bool,
}

impl ToolOutcome {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            result: Value::String(text.into()),
            is_error: false,
        }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            result: Value::String(message.into()),
            is_error: true,
        }
    }
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
