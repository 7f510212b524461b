//! What a user can set, as the settings page and the command line see it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Budget, BudgetState, ProviderTool};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The name of the source that new turns are asked of.
    pub source: String,
    pub thinking: Thinking,
    /// Every source there is, in the order they are offered.
    pub sources: Vec<SourceSettings>,
    pub theme: Theme,
    /// The day the shipped prices were last compared with the providers' pages.
    pub prices_as_of: String,
    /// The user's own prices; they win over the shipped ones.
    pub prices: Vec<ModelPrice>,
    pub budgets: Vec<BudgetState>,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    pub model: String,
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SourceSettings {
    pub name: String,
    pub label: String,
    pub model: String,
    /// Models to offer; any other name may be typed.
    pub models: Vec<String>,
    /// Where its server is; empty when the source has none.
    pub base_url: String,
    /// Whether its server usually runs on this machine.
    pub local: bool,
    /// Whether the user added it.
    pub own: bool,
    /// The tools of its own that it runs for a model.
    pub provider_tools: Vec<ProviderTool>,
    /// Whether a reply can be held to a JSON Schema.
    pub takes_schema: bool,
    pub key: KeyState,
}

/// A source whose server runs on this machine right now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundSource {
    pub name: String,
    pub models: Vec<String>,
}

/// Whether a key is there, never what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(
    tag = "state",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum KeyState {
    /// The source wants none.
    NotNeeded,
    Missing,
    /// There is none, and the source can do without.
    Optional,
    /// In the system's keychain.
    Stored,
    /// Held in memory until Weir ends, because the keychain would not take it.
    ThisRunOnly {
        reason: String,
    },
    /// From the environment.
    Environment {
        variable: String,
    },
    /// The keychain could not be asked.
    Unavailable {
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// How much a model may think before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    Off,
    Minimal,
    Low,
    #[default]
    Medium,
    High,
    Xhigh,
    Max,
    /// So many tokens.
    #[serde(untagged)]
    Tokens(u32),
}

/// One change on the settings page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "set",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SettingsChange {
    Source {
        source: String,
    },
    Model {
        source: String,
        model: String,
    },
    /// Empty: back to the source's own address.
    BaseUrl {
        source: String,
        base_url: String,
    },
    Thinking {
        thinking: Thinking,
    },
    Theme {
        theme: Theme,
    },
    /// The user's own price of a model, in place of the one before.
    Price {
        price: ModelPrice,
    },
    /// Back to the shipped price, if there is one.
    ForgetPrice {
        model: String,
    },
    /// A limit, in the place of the one that limits the same.
    Budget {
        budget: Budget,
    },
    /// The one that limits the same, however much.
    RemoveBudget {
        budget: Budget,
    },
    /// A server of the user's own, as a source under its name.
    AddServer {
        server: CustomServer,
    },
    /// With its key.
    RemoveServer {
        name: String,
    },
}

/// A server that the user added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CustomServer {
    pub name: String,
    pub kind: ServerKind,
    pub base_url: String,
}

/// The API that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ServerKind {
    /// Chat completions.
    Openai,
    Responses,
    Anthropic,
}
