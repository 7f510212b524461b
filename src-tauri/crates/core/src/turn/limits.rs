//! How much one reply may contain, and the count of what has arrived.
//!
//! The limits are rows of one table: each has a name, a default, an upper bound for the user's own
//! value and the sentence that is shown when it is reached. A [`Meter`] counts what a source sends
//! before anything else looks at it, so nothing behind it (guard, assembler, store, page) ever holds
//! more than the limits allow.
//!
//! The defaults are several times what the largest models can produce: 128,000 output tokens are
//! about 600 KB of text, and providers allow at most 128 parallel calls.

mod meter;

use std::collections::BTreeMap;

use serde::Serialize;
use weir_protocol::{ErrorBody, code};

pub(crate) use meter::{Meter, size, weight};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// What is counted, in the order of [`LIMITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitName {
    TextPerStep,
    TextPerTurn,
    DataPerStep,
    DataPerTurn,
    ToolInput,
    CallsPerStep,
    CallsPerTurn,
    BlocksPerStep,
    BlocksPerTurn,
    CitationsPerStep,
    NotesPerStep,
    UnknownPerStep,
    NameLength,
    BytesPerStep,
}

/// One row of the table.
#[derive(Debug)]
pub struct Limit {
    pub name: LimitName,
    /// As the settings and the command line spell it.
    pub spelling: &'static str,
    pub default: u64,
    /// The user's own value may not be larger: past it, memory and the stop button suffer.
    pub largest: u64,
    /// What is limited, for a person.
    pub about: &'static str,
}

/// Every limit there is.
pub const LIMITS: &[Limit] = &[
    Limit {
        name: LimitName::TextPerStep,
        spelling: "textPerStep",
        default: 4 * MIB,
        largest: 64 * MIB,
        about: "bytes of text, thinking and tool input in one step",
    },
    Limit {
        name: LimitName::TextPerTurn,
        spelling: "textPerTurn",
        default: 16 * MIB,
        largest: 256 * MIB,
        about: "bytes of text, thinking and tool input in one turn",
    },
    Limit {
        name: LimitName::DataPerStep,
        spelling: "dataPerStep",
        default: 32 * MIB,
        largest: 256 * MIB,
        about: "bytes of files, results and other data in one step",
    },
    Limit {
        name: LimitName::DataPerTurn,
        spelling: "dataPerTurn",
        default: 128 * MIB,
        largest: 1024 * MIB,
        about: "bytes of files, results and other data in one turn",
    },
    Limit {
        name: LimitName::ToolInput,
        spelling: "toolInput",
        default: 2 * MIB,
        largest: 16 * MIB,
        about: "bytes in the input of one tool call",
    },
    Limit {
        name: LimitName::CallsPerStep,
        spelling: "callsPerStep",
        default: 128,
        largest: 2_000,
        about: "tool calls in one step",
    },
    Limit {
        name: LimitName::CallsPerTurn,
        spelling: "callsPerTurn",
        default: 1_000,
        largest: 20_000,
        about: "tool calls in one turn",
    },
    Limit {
        name: LimitName::BlocksPerStep,
        spelling: "blocksPerStep",
        default: 1_000,
        largest: 20_000,
        about: "blocks in one step",
    },
    Limit {
        name: LimitName::BlocksPerTurn,
        spelling: "blocksPerTurn",
        default: 4_000,
        largest: 50_000,
        about: "blocks in one turn",
    },
    Limit {
        name: LimitName::CitationsPerStep,
        spelling: "citationsPerStep",
        default: 2_000,
        largest: 50_000,
        about: "citations in one step",
    },
    Limit {
        name: LimitName::NotesPerStep,
        spelling: "notesPerStep",
        default: 5_000,
        largest: 100_000,
        about: "status lines, to-do items and subagent messages in one step",
    },
    Limit {
        name: LimitName::UnknownPerStep,
        spelling: "unknownPerStep",
        default: 250_000,
        largest: 5_000_000,
        about: "events of an unknown kind in one step",
    },
    Limit {
        name: LimitName::NameLength,
        spelling: "nameLength",
        default: 16 * KIB,
        largest: 256 * KIB,
        about: "bytes in one id or name",
    },
    Limit {
        name: LimitName::BytesPerStep,
        spelling: "bytesPerStep",
        default: 128 * MIB,
        largest: 4096 * MIB,
        about: "bytes received in one step",
    },
];

/// A limit that the user named wrongly or set out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    #[error("There is no limit {0:?}. `weir limits` lists them.")]
    Unknown(String),
    #[error("{spelling} can be 1 to {largest}.")]
    OutOfRange {
        spelling: &'static str,
        largest: u64,
    },
}

impl Limit {
    /// The limit that is spelled so.
    pub fn named(spelling: &str) -> Result<&'static Self, LimitError> {
        let same = |limit: &&Self| limit.spelling.eq_ignore_ascii_case(spelling.trim());
        let found = LIMITS.iter().find(same);
        found.ok_or_else(|| LimitError::Unknown(spelling.to_owned()))
    }

    fn check(&'static self, value: u64) -> Result<u64, LimitError> {
        if (1..=self.largest).contains(&value) {
            Ok(value)
        } else {
            Err(LimitError::OutOfRange {
                spelling: self.spelling,
                largest: self.largest,
            })
        }
    }
}

/// The limits of one turn: the user's own values, and the defaults for the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ReplyLimits(BTreeMap<&'static str, u64>);

impl ReplyLimits {
    /// As stored. What cannot be read counts as never set, so a damaged setting removes no limit.
    pub(crate) fn parse(stored: &str) -> Self {
        let values: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(stored).unwrap_or_default();
        let mut limits = Self::default();
        for (spelling, value) in values {
            if let (Ok(limit), Some(value)) = (Limit::named(&spelling), value.as_u64()) {
                // A value that is out of range is left at the default.
                let _ = limits.set(limit, value);
            }
        }
        limits
    }

    pub fn get(&self, limit: &Limit) -> u64 {
        self.0.get(limit.spelling).copied().unwrap_or(limit.default)
    }

    pub fn set(&mut self, limit: &'static Limit, value: u64) -> Result<(), LimitError> {
        self.0.insert(limit.spelling, limit.check(value)?);
        Ok(())
    }

    /// Back to the default.
    pub fn reset(&mut self, limit: &Limit) {
        self.0.remove(limit.spelling);
    }
}

/// The limit that a reply has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exceeded {
    limit: &'static Limit,
    value: u64,
}

impl Exceeded {
    pub(crate) fn body(self) -> ErrorBody {
        let Limit {
            about, spelling, ..
        } = self.limit;
        ErrorBody::new(
            code::REPLY_TOO_LONG,
            format!(
                "The reply was ended because it is too long: it has more than {} {about}. What arrived is kept. The limit is {spelling}; `weir limits` changes it.",
                self.value
            ),
        )
    }
}

#[cfg(test)]
mod tests;
