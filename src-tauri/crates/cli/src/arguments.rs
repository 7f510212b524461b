//! The arguments, as the contract has them.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde_json::Value;
use uuid::Uuid;
use weir_core::source::{DIALECTS, SOURCES};
use weir_core::transcript::FORMATS;
use weir_protocol::{MemorySwitch, ProviderTool, RequestOptions, Thinking, ToolChoice, UsageBy};

use crate::{budget, limits, sources};

/// A chat for every model, without its window.
#[derive(Parser)]
#[command(name = "weir", version, subcommand_required = true, after_help = lists())]
pub(crate) struct Arguments {
    /// Where the data is kept; else WEIR_DATA_DIR, else the platform's data folder
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.command {
            Command::Chat(chat) => chat.to() == ChatTo::Json,
            Command::Guard(guard) => guard.json || guard.lines,
            Command::Sessions { json }
            | Command::Doctor { json, .. }
            | Command::Backup { json, .. }
            | Command::Usage { json, .. } => *json,
            Command::Budget { action } => match action {
                budget::Action::List { json } => *json,
                budget::Action::Set { .. } | budget::Action::Remove { .. } => false,
            },
            Command::Sources { action } => match action {
                sources::Action::List { json } => *json,
                sources::Action::Add { .. } | sources::Action::Remove { .. } => false,
            },
            Command::Limits { action } => match action {
                Some(limits::Action::List { json }) => *json,
                Some(limits::Action::Set { .. } | limits::Action::Reset { .. }) | None => false,
            },
            Command::Settings(settings) => settings.json,
            Command::Normalize { .. }
            | Command::Events { .. }
            | Command::Export { .. }
            | Command::Stop { .. }
            | Command::Rename { .. }
            | Command::Fork { .. }
            | Command::Delete { .. }
            | Command::Completions { .. }
            | Command::Man { .. }
            | Command::Trust(_)
            | Command::Keys { .. } => false,
            Command::Memory { action } => match action {
                Memory::List { json, .. } | Memory::Forget(ForgetMemory { json, .. }) => *json,
                Memory::Edit { .. } | Memory::On { .. } | Memory::Off { .. } => false,
            },
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// One turn: streams the reply, thinking dimmed, then text, then a usage line
    Chat(Box<Chat>),
    /// The bytes a source sent, on stdin, to stream events
    Normalize {
        /// The wire format of the bytes
        #[arg(long, value_parser = PossibleValuesParser::new(DIALECTS.iter().map(|dialect| dialect.name)))]
        dialect: String,
        #[arg(long, value_enum, default_value_t = To::Events)]
        to: To,
    },
    /// Every session, newest first
    Sessions {
        #[arg(long)]
        json: bool,
    },
    /// The stored events of a session, as JSON lines
    Events {
        #[arg(value_name = "ID")]
        session: Uuid,
        /// Only those with a higher sequence number
        #[arg(long, value_name = "N", default_value_t = 0)]
        since: u64,
        /// Only those that say this, in letters of either case
        #[arg(long, value_name = "TEXT")]
        find: Option<String>,
        /// What guards took out stands where it stood, instead of placeholders
        #[arg(long)]
        originals: bool,
    },
    /// A session as a file: md and html read the branch that is open, json holds every event
    Export {
        #[arg(value_name = "ID")]
        session: Uuid,
        #[arg(long, value_parser = PossibleValuesParser::new(FORMATS.iter().map(|format| format.name)))]
        to: String,
        /// Where to write it; else stdout
        #[arg(short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// What guards took out stands where it stood, instead of placeholders
        #[arg(long)]
        originals: bool,
    },
    /// Stop the turn of a session, whichever Weir runs it
    Stop {
        #[arg(value_name = "ID")]
        session: Uuid,
    },
    /// Give a session another title
    Rename {
        #[arg(value_name = "ID")]
        session: Uuid,
        title: String,
    },
    /// Begin a new session as a copy of another, and print its id
    Fork {
        #[arg(value_name = "ID")]
        session: Uuid,
        /// Copy up to this turn; else all of it
        #[arg(long, value_name = "T")]
        turn: Option<Uuid>,
    },
    /// Delete a session; a running turn is stopped first
    Delete {
        #[arg(value_name = "ID")]
        session: Uuid,
    },
    /// The text on stdin, as the guards let it pass
    Guard(GuardArguments),
    /// What was used, and what it cost
    Usage {
        /// What each line adds up; days are yours, not UTC's
        #[arg(long, value_enum, default_value_t = By::Day)]
        by: By,
        /// One array of objects
        #[arg(long)]
        json: bool,
    },
    /// Limits on what may be spent
    Budget {
        #[command(subcommand)]
        action: budget::Action,
    },
    /// Limits on how much one reply may contain
    Limits {
        #[command(subcommand)]
        action: Option<limits::Action>,
    },
    /// Shows what a project folder would bring, and asks whether to trust it
    Trust(Trust),
    /// What can be asked, and servers of your own
    Sources {
        #[command(subcommand)]
        action: sources::Action,
    },
    /// Keys of the sources, in the system's keychain
    Keys {
        #[command(subcommand)]
        action: Keys,
    },
    /// Defaults of source, model, effort and addresses, which new sessions begin with
    Settings(SettingsArguments),
    /// What is remembered between sessions; off until it is switched on
    Memory {
        #[command(subcommand)]
        action: Memory,
    },
    /// A copy of the whole database, made while other Weirs work; the file must be new
    Backup {
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// A script that completes arguments in a shell
    Completions {
        #[arg(value_enum)]
        shell: Shell,
    },
    /// The manual page of weir, or of one of its commands
    Man {
        #[arg(value_name = "COMMAND")]
        path: Vec<String>,
    },
    /// What works here
    Doctor {
        #[arg(long)]
        json: bool,
        /// Compute every session's title, counters and state anew from its events first
        #[arg(long)]
        rebuild: bool,
    },
}

#[derive(Args)]
pub(crate) struct Chat {
    /// What to ask; - reads it from stdin
    pub(crate) prompt: String,
    #[arg(long, value_name = "NAME", help = source_help())]
    pub(crate) source: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Go on with this session, of the source, model and effort it was asked of
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<Uuid>,
    /// off, minimal, low, medium, high, xhigh, max, or a number of tokens
    #[arg(long, value_name = "HOW", value_parser = parse_thinking)]
    pub(crate) thinking: Option<Thinking>,
    #[command(flatten)]
    pub(crate) options: Options,
    /// A system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// How many steps the turn may have: requests to the source, with tools between them
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: u32,
    /// The folder it is about; `weir trust` it first
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Look and plan only: no tool that changes anything
    #[arg(long)]
    pub(crate) plan: bool,
    /// Whether this turn remembers; default: as the project is switched
    #[arg(long, value_name = "on|off", value_parser = parse_switch)]
    pub(crate) memory: Option<MemorySwitch>,
    /// Go on past a spent budget, this once
    #[arg(long)]
    pub(crate) over_budget: bool,
    /// Agree that the session's history is sent to a source or address that has not had it
    #[arg(long = "move", requires = "session")]
    pub(crate) moves: bool,
    /// A picture that goes with the prompt: PNG, JPEG, GIF or WebP; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Vec<PathBuf>,
    /// A text file or a picture that goes with the prompt; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = ChatTo::Text)]
    pub(crate) to: ChatTo,
    /// The same as --to json
    #[arg(long, conflicts_with = "to")]
    pub(crate) json: bool,
}

impl Chat {
    pub(crate) fn to(&self) -> ChatTo {
        if self.json { ChatTo::Json } else { self.to }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatTo {
    /// The reply as a person reads it
    Text,
    /// Events as JSON lines, each printed after it is saved
    Json,
    /// An AI SDK UI message stream
    AiSdk,
}

/// The names of all sources, in one line.
fn sources() -> String {
    let names: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
    names.join(", ")
}

fn source_help() -> String {
    format!(
        "{}; default: the session's own with --session, else the configured one, else demo",
        sources()
    )
}

/// What the help of the whole program ends with.
fn lists() -> String {
    let dialects: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    format!(
        "Sources: {}\nDialects: {}\n\nExit codes: 0 done; 1 the turn or the command failed; 2 wrong usage; 3 stopped by a guard, a hook or a budget; 130 interrupted",
        sources(),
        dialects.join(", ")
    )
}

#[derive(Args)]
pub(crate) struct SettingsArguments {
    /// source, model, effort, model.SOURCE or address.SOURCE; all of them when absent
    pub(crate) name: Option<String>,
    /// Its new value; an empty one goes back to the source's own model or address
    pub(crate) value: Option<String>,
    #[arg(long)]
    pub(crate) json: bool,
}

/// What goes with the request where the provider takes it, and is kept by the session; the turn
/// says what the provider does not take.
#[derive(Args)]
pub(crate) struct Options {
    /// How many tokens the model may write
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tokens: Option<u32>,
    /// From 0 to 2
    #[arg(long, value_name = "X", value_parser = parse_temperature)]
    pub(crate) temperature: Option<f64>,
    /// From 0 to 1
    #[arg(long, value_name = "X", value_parser = parse_share)]
    pub(crate) top_p: Option<f64>,
    /// A text at which the model stops; may be given several times
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) stop: Vec<String>,
    /// auto, none, required, or the name of a tool
    #[arg(long, value_name = "HOW", value_parser = parse_tool_choice)]
    pub(crate) tool_choice: Option<ToolChoice>,
    /// Tools that the provider runs itself, separated by commas, or none
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub(crate) provider_tools: Vec<Provided>,
    /// A store of files at the provider that file-search looks into; repeatable
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) file_store: Vec<String>,
    /// A file with the JSON Schema that replies have to match, or none
    #[arg(long, value_name = "FILE|none")]
    pub(crate) schema: Option<PathBuf>,
}

/// A tool of the provider's, or none of them.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Provided {
    None,
    WebSearch,
    CodeExecution,
    FileSearch,
    ImageGeneration,
}

impl Provided {
    fn tool(self) -> Option<ProviderTool> {
        match self {
            Self::None => None,
            Self::WebSearch => Some(ProviderTool::WebSearch),
            Self::CodeExecution => Some(ProviderTool::CodeExecution),
            Self::FileSearch => Some(ProviderTool::FileSearch),
            Self::ImageGeneration => Some(ProviderTool::ImageGeneration),
        }
    }
}

impl Options {
    /// What was kept, with what is given here in its place. `schema` is what the file holds.
    pub(crate) fn over(self, kept: RequestOptions, schema: Option<Value>) -> RequestOptions {
        let given = |texts: Vec<String>, kept| if texts.is_empty() { kept } else { texts };
        let provider_tools = if self.provider_tools.is_empty() {
            kept.provider_tools
        } else {
            let tools = self.provider_tools.into_iter();
            tools.filter_map(Provided::tool).collect()
        };
        RequestOptions {
            max_tokens: self.max_tokens.or(kept.max_tokens),
            temperature: self.temperature.or(kept.temperature),
            top_p: self.top_p.or(kept.top_p),
            stop: given(self.stop, kept.stop),
            tool_choice: self.tool_choice.or(kept.tool_choice),
            provider_tools,
            file_stores: given(self.file_store, kept.file_stores),
            schema: if self.schema.is_some() {
                schema
            } else {
                kept.schema
            },
        }
    }
}

#[derive(Args)]
pub(crate) struct GuardArguments {
    /// Which way the text goes: to a source, or from one
    #[arg(long, value_enum)]
    pub(crate) stage: GuardStage,
    /// The guards of a project that you trust
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// One JSON object: the verdict, the text, and what was found where
    #[arg(long)]
    pub(crate) json: bool,
    /// One JSON string a line in, one JSON object a line out
    #[arg(long)]
    pub(crate) lines: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum GuardStage {
    Input,
    Output,
}

#[derive(Args)]
pub(crate) struct Trust {
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Agree without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take the trust back, and every answer given there
    #[arg(long, conflicts_with = "yes")]
    pub(crate) forget: bool,
}

#[derive(Subcommand)]
pub(crate) enum Memory {
    /// Everything that is remembered, or what belongs to one project
    List {
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        #[arg(long)]
        json: bool,
    },
    /// Puts other words in the place of a memory's
    Edit {
        #[arg(value_name = "ID")]
        id: Uuid,
        text: String,
    },
    /// Forgets one memory, or all of a session, of a project or at all; for good
    Forget(ForgetMemory),
    /// Remembers from now on, in a trusted project or in sessions without one
    On {
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Remembers nothing more and sends nothing along
    Off {
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct ForgetMemory {
    #[arg(value_name = "ID", required_unless_present_any = ["all", "session"], conflicts_with_all = ["all", "session", "project"])]
    pub(crate) id: Option<Uuid>,
    /// Everything, or everything of --project
    #[arg(long)]
    pub(crate) all: bool,
    /// All that was said in this session
    #[arg(long, value_name = "ID", conflicts_with_all = ["all", "project"])]
    pub(crate) session: Option<Uuid>,
    #[arg(long, value_name = "DIR", requires = "all")]
    pub(crate) project: Option<PathBuf>,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum To {
    /// Stream events, one JSON object a line
    Events,
    /// One JSON object that says what the stream came to
    Summary,
    /// An AI SDK UI message stream
    AiSdk,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum By {
    Day,
    Session,
    Project,
    Model,
    Source,
}

impl From<By> for UsageBy {
    fn from(by: By) -> Self {
        match by {
            By::Day => Self::Day,
            By::Session => Self::Session,
            By::Project => Self::Project,
            By::Model => Self::Model,
            By::Source => Self::Source,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Keys {
    /// Stores the key that stands on stdin
    Set { source: String },
    /// Which sources have a key; never what it is
    List,
    /// Removes a key
    Delete { source: String },
}

/// What `--thinking` takes besides a number of tokens.
pub(crate) const EFFORTS: [&str; 7] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

pub(crate) fn parse_thinking(text: &str) -> Result<Thinking, String> {
    match text {
        "off" => Ok(Thinking::Off),
        "minimal" => Ok(Thinking::Minimal),
        "xhigh" => Ok(Thinking::Xhigh),
        "max" => Ok(Thinking::Max),
        "low" => Ok(Thinking::Low),
        "medium" => Ok(Thinking::Medium),
        "high" => Ok(Thinking::High),
        number => number.parse().map(Thinking::Tokens).map_err(|_| {
            "say off, minimal, low, medium, high, xhigh, max or a number of tokens".to_owned()
        }),
    }
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    number_up_to(text, 2.0)
}

fn parse_share(text: &str) -> Result<f64, String> {
    number_up_to(text, 1.0)
}

fn number_up_to(text: &str, most: f64) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("say a number from 0 to {most}"))
}

fn parse_tool_choice(text: &str) -> Result<ToolChoice, String> {
    match text {
        "auto" => Ok(ToolChoice::Auto),
        "none" => Ok(ToolChoice::None),
        "required" => Ok(ToolChoice::Required),
        "" => Err("say auto, none, required or the name of a tool".to_owned()),
        name => Ok(ToolChoice::Tool(name.to_owned())),
    }
}

fn parse_switch(text: &str) -> Result<MemorySwitch, String> {
    match text {
        "on" => Ok(MemorySwitch::On),
        "off" => Ok(MemorySwitch::Off),
        _ => Err("say on or off".to_owned()),
    }
}
