//! Small shapes for reading JSON where it lies.
//!
//! For the frames that come by the thousand: nothing here allocates unless the text itself
//! holds escapes. What has another shape fails to be read, and is read again as a `Value`.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// A list of which only the single item matters.
#[derive(Default)]
pub(crate) enum One<T> {
    #[default]
    Nothing,
    Item(T),
    Many,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneVisitor(PhantomData))
    }
}

struct OneVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneVisitor<T> {
    type Value = One<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let Some(first) = list.next_element()? else {
            return Ok(One::Nothing);
        };
        let mut one = One::Item(first);
        while list.next_element::<IgnoredAny>()?.is_some() {
            one = One::Many;
        }
        Ok(one)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(One::Nothing)
    }
}

/// Text that stays where it is unless it holds escapes; empty when it is null.
#[derive(Default)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Text::default())
    }
}

/// Whether a field says anything, without looking at what.
#[derive(Clone, Copy, Default)]
pub(crate) struct Filled(pub(crate) bool);

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilledVisitor)
    }
}

struct FilledVisitor;

impl<'de> Visitor<'de> for FilledVisitor {
    type Value = Filled;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Filled, E> {
        Ok(Filled(false))
    }

    fn visit_bool<E: de::Error>(self, is: bool) -> Result<Filled, E> {
        Ok(Filled(is))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Filled, E> {
        Ok(Filled(true))
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Filled, E> {
        Ok(Filled(true))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Filled, E> {
        Ok(Filled(true))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Filled, E> {
        Ok(Filled(!text.is_empty()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Filled, A::Error> {
        let mut filled = Filled(false);
        while list.next_element::<IgnoredAny>()?.is_some() {
            filled = Filled(true);
        }
        Ok(filled)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filled, A::Error> {
        let mut filled = Filled(false);
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            filled = Filled(true);
        }
        Ok(filled)
    }
}
