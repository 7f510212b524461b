//! The demo: the source that is there before there is a key.
//!
//! Owns a scripted reply, as the bytes that a provider of the `anthropic` dialect would send
//! and the pauses between them; they go through the same reader as any other stream. The
//! script is pure, the same prompt gives the same bytes, and only `play` waits. It says
//! plainly that it is a demo and that its numbers and search results are made up. Must not
//! know the network or the reader.

mod play;
mod replies;
mod script;
mod steer;
mod stream;

use super::anthropic;
use super::{KeyNeed, Location, Offers, Source};
use script::MODEL;

pub(crate) static SOURCE: Source = Source {
    name: "demo",
    label: "Demo",
    dialect: &anthropic::mapper::DIALECT,
    models: &[MODEL],
    base_url: "",
    location: Location::Cloud,
    key: KeyNeed::None,
    offers: Offers::NOTHING,
    api: &play::Demo,
};

#[cfg(test)]
mod tests;
