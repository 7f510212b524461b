//! The event that nearly all of a stream consists of, as borrowed types.
//!
//! Owns the shape of a model's chunk with one piece of text or thinking, plain or in
//! LangChain's serialized form, where the fields stand in `kwargs`.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de::value::SeqAccessDeserializer};

use crate::source::dialect::borrowed::{Filled, One, Text};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    pub(super) event: Text<'a>,
    #[serde(borrow)]
    pub(super) run_id: Text<'a>,
    #[serde(borrow)]
    pub(super) data: EventData<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct EventData<'a> {
    #[serde(borrow)]
    pub(super) chunk: Option<ChunkContent<'a>>,
}

#[derive(Default)]
pub(super) struct ChunkContent<'a> {
    pub(super) content: Content<'a>,
    /// Something is in it that only the other level knows how to read.
    pub(super) is_rare: bool,
}

#[derive(Default)]
pub(super) enum Content<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Block(Block<'a>),
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) index: Option<u64>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    pub(super) signature: Filled,
    pub(super) citations: Filled,
}

impl<'de: 'a, 'a> Deserialize<'de> for ChunkContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = ChunkContent<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message chunk")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut words = ChunkContent::default();
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            match &*key {
                "content" => words.content = map.next_value::<ContentSeed<'de>>()?.0,
                "kwargs" => {
                    let inner: ChunkContent<'de> = map.next_value()?;
                    words.content = inner.content;
                    words.is_rare |= inner.is_rare;
                }
                "response_metadata" => words.is_rare |= map.next_value::<Metadata>()?.is_rare,
                "lc" | "type" | "id" | "name" | "example" => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => words.is_rare |= map.next_value::<Filled>()?.0,
            }
        }
        Ok(words)
    }
}

/// What a chunk says of its answer; who made it stands in every chunk.
struct Metadata {
    is_rare: bool,
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetadataVisitor)
    }
}

struct MetadataVisitor;

impl<'de> Visitor<'de> for MetadataVisitor {
    type Value = Metadata;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut metadata = Metadata { is_rare: false };
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            let Filled(filled) = map.next_value()?;
            metadata.is_rare |= filled && key != "model_provider";
        }
        Ok(metadata)
    }
}

struct ContentSeed<'a>(Content<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for ContentSeed<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor).map(Self)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or one block")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        match One::deserialize(SeqAccessDeserializer::new(list))? {
            One::Nothing => Ok(Content::Nothing),
            One::Item(block) => Ok(Content::Block(block)),
            One::Many => Err(de::Error::custom("several blocks")),
        }
    }
}
