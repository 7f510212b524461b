//! Agents built on LangChain: their stream events, as JSON lines.

pub(crate) mod mapper;
