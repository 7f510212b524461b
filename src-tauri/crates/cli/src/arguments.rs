//! The arguments, as the contract has them.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use uuid::Uuid;
use weir_core::transcript::FORMATS;
use weir_protocol::{MemorySwitch, Thinking, UsageBy};

use crate::budget;

/// A chat for every model, without its window.
#[derive(Parser)]
#[command(name = "weir", version, arg_required_else_help = true)]
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
            Command::Chat(chat) => chat.json,
            Command::Guard(guard) => guard.json || guard.lines,
            Command::Sessions { json }
            | Command::Doctor { json, .. }
            | Command::Backup { json, .. }
            | Command::Usage { json, .. } => *json,
            Command::Budget { action } => match action {
                budget::Action::List { json } => *json,
                budget::Action::Set { .. } | budget::Action::Remove { .. } => false,
            },
            Command::Normalize { .. }
            | Command::Events { .. }
            | Command::Export { .. }
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
    Chat(Chat),
    /// The bytes a source sent, on stdin, to stream events
    Normalize {
        /// The wire format of the bytes
        #[arg(long)]
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
    /// Shows what a project folder would bring, and asks whether to trust it
    Trust(Trust),
    /// Keys of the sources, in the system's keychain
    Keys {
        #[command(subcommand)]
        action: Keys,
    },
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
    /// demo, anthropic; default: the configured one, else demo
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Go on with this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<Uuid>,
    /// off, low, medium, high, or a number of tokens
    #[arg(long, value_name = "HOW", value_parser = parse_thinking)]
    pub(crate) thinking: Option<Thinking>,
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
    /// Events as JSON lines, each printed after it is saved
    #[arg(long)]
    pub(crate) json: bool,
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

fn parse_thinking(text: &str) -> Result<Thinking, String> {
    match text {
        "off" => Ok(Thinking::Off),
        "low" => Ok(Thinking::Low),
        "medium" => Ok(Thinking::Medium),
        "high" => Ok(Thinking::High),
        number => number
            .parse()
            .map(Thinking::Tokens)
            .map_err(|_| "say off, low, medium, high or a number of tokens".to_owned()),
    }
}

fn parse_switch(text: &str) -> Result<MemorySwitch, String> {
    match text {
        "on" => Ok(MemorySwitch::On),
        "off" => Ok(MemorySwitch::Off),
        _ => Err("say on or off".to_owned()),
    }
}
