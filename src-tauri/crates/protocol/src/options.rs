//! What a user may set of a request beside the model and how much it thinks.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// Absent: as the provider has it. Which of them a request carries depends on the provider and
/// the model; what is left out is said in the turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestOptions {
    /// How many tokens the model may write, its thinking included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub top_p: Option<f64>,
    /// Texts at which the model stops.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub stop: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_choice: Option<ToolChoice>,
    /// Tools that the provider runs on its own machines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ProviderTool>>", optional)]
    pub provider_tools: Vec<ProviderTool>,
    /// What [`ProviderTool::FileSearch`] searches: the names of stores at the provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub file_stores: Vec<String>,
    /// A JSON Schema that the reply has to match.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub schema: Option<Value>,
}

impl RequestOptions {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn uses(&self, tool: ProviderTool) -> bool {
        self.provider_tools.contains(&tool)
    }
}

/// A tool that a provider runs itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderTool {
    WebSearch,
    CodeExecution,
    FileSearch,
    ImageGeneration,
}

impl ProviderTool {
    pub const ALL: [Self; 4] = [
        Self::WebSearch,
        Self::CodeExecution,
        Self::FileSearch,
        Self::ImageGeneration,
    ];

    /// As a sentence names it.
    pub fn label(self) -> &'static str {
        match self {
            Self::WebSearch => "web search",
            Self::CodeExecution => "code execution",
            Self::FileSearch => "file search",
            Self::ImageGeneration => "image generation",
        }
    }
}

/// Whether the model has to call a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    Auto,
    None,
    /// Some tool, whichever.
    Required,
    /// This one.
    Tool(String),
}
