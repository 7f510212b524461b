//! Agents of several frameworks that print one simple kind of line.

pub(crate) mod mapper;
