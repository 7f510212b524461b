//! Claude Code, an agent that prints what it does as lines of JSON.

pub(crate) mod mapper;
