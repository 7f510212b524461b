//! Codex, the agent, run as a process.

pub(crate) mod mapper;
