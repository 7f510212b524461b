//! Formats: stream events as others want to read them.
//!
//! A format is a pure step, stream events in and bytes out. It knows stream events only,
//! never a source, and whoever carries the bytes knows nothing of the format. To add one: a
//! file here and a line below.

pub mod ai_sdk;
pub mod replay;
