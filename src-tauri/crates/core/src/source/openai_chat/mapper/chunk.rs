//! The chunk that nearly all of a stream consists of, as borrowed types.
//!
//! Owns the shape of one choice with one delta of words. Reading it allocates nothing, and
//! anything else either fails to be read or is seen to be there, and is read again as a
//! `Value`.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::names::{REASONING, REASONING_DETAILS, REASONING_PARTS, SILENT};
use crate::source::dialect::borrowed::{Filled, One, Text};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    object: Text<'a>,
    #[serde(borrow)]
    pub(super) choices: One<Choice<'a>>,
    usage: Filled,
    error: Filled,
    citations: Filled,
    search_results: Filled,
    x_groq: Filled,
}

impl Chunk<'_> {
    /// Nothing in it but its choices.
    pub(super) fn is_plain(&self) -> bool {
        let more = [
            self.usage,
            self.error,
            self.citations,
            self.search_results,
            self.x_groq,
        ];
        self.object.0 != "error" && !more.iter().any(|field| field.0)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    pub(super) index: u64,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    pub(super) finish_reason: Filled,
    pub(super) error: Filled,
    pub(super) usage: Filled,
}

impl Choice<'_> {
    /// The first choice, with nothing to it but its delta.
    pub(super) fn is_plain(&self) -> bool {
        self.index == 0 && !(self.finish_reason.0 || self.error.0 || self.usage.0)
    }
}

#[derive(Default)]
pub(super) struct Delta<'a> {
    pub(super) content: Text<'a>,
    pub(super) reasoning: Text<'a>,
    pub(super) refusal: Text<'a>,
    pub(super) calls: One<Piece<'a>>,
    /// Something is in it that only the other level knows how to read.
    pub(super) is_rare: bool,
}

#[derive(Default)]
pub(super) struct Piece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Text<'a>,
    pub(super) function: Function<'a>,
    /// There is more to it than this.
    is_more: bool,
}

impl Piece<'_> {
    pub(super) fn is_plain(&self) -> bool {
        !(self.is_more || self.function.is_more)
    }
}

#[derive(Default)]
pub(super) struct Function<'a> {
    pub(super) name: Text<'a>,
    pub(super) arguments: Text<'a>,
    is_more: bool,
}

/// A part of the thinking. Its text stands beside it in a field of its own.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    signature: Filled,
    data: Filled,
}

impl<'de: 'a, 'a> Deserialize<'de> for Delta<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DeltaVisitor)
    }
}

struct DeltaVisitor;

impl<'de> Visitor<'de> for DeltaVisitor {
    type Value = Delta<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a delta")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut delta = Delta::default();
        let mut has_parts = false;
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            match &*key {
                "content" => delta.content = map.next_value()?,
                "refusal" => delta.refusal = map.next_value()?,
                "tool_calls" => delta.calls = map.next_value()?,
                key if REASONING.contains(&key) => {
                    let reasoning: Text<'de> = map.next_value()?;
                    // Which of two counts is for the other level to say.
                    delta.is_rare |= !reasoning.0.is_empty() && !delta.reasoning.0.is_empty();
                    if !reasoning.0.is_empty() {
                        delta.reasoning = reasoning;
                    }
                }
                // They are kept whole, so they are read whole.
                key if key == REASONING_DETAILS => {
                    delta.is_rare |= map.next_value::<Filled>()?.0;
                }
                key if REASONING_PARTS.contains(&key) => match map.next_value::<One<Part>>()? {
                    One::Nothing => {}
                    One::Item(part) => {
                        has_parts = true;
                        delta.is_rare |= part.signature.0 || part.data.0;
                    }
                    One::Many => delta.is_rare = true,
                },
                key if SILENT.contains(&key) => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => delta.is_rare |= map.next_value::<Filled>()?.0,
            }
        }
        delta.is_rare |= has_parts && delta.reasoning.0.is_empty();
        Ok(delta)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Piece<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PieceVisitor)
    }
}

struct PieceVisitor;

impl<'de> Visitor<'de> for PieceVisitor {
    type Value = Piece<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a piece of a call")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut piece = Piece::default();
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            match &*key {
                "index" => piece.index = map.next_value()?,
                "id" => piece.id = map.next_value()?,
                "function" => piece.function = map.next_value()?,
                "type" => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => piece.is_more |= map.next_value::<Filled>()?.0,
            }
        }
        Ok(piece)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Function<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FunctionVisitor)
    }
}

struct FunctionVisitor;

impl<'de> Visitor<'de> for FunctionVisitor {
    type Value = Function<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut function = Function::default();
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            match &*key {
                "name" => function.name = map.next_value()?,
                "arguments" => function.arguments = map.next_value()?,
                _ => function.is_more |= map.next_value::<Filled>()?.0,
            }
        }
        Ok(function)
    }
}
