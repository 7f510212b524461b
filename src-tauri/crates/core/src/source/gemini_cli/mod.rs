//! The Gemini CLI, an agent that runs on this machine. What it says is [`mapper`]'s business.

pub(crate) mod mapper;
