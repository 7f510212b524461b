//! What Claude Code prints beside messages and results.
//!
//! Owns which of these lines a person wants to read, and how it is put in one line. Must not
//! know what came before: lines whose meaning depends on that are the mapper's.

use serde_json::Value;

use crate::source::dialect::json::{count, text};

pub(super) enum Aside {
    Line(String),
    /// Known, and nothing anybody needs to read.
    Quiet,
    Unknown,
}

/// A `system` line.
pub(super) fn system(value: &Value) -> Aside {
    match text(value, "subtype") {
        "status" => match text(value, "status") {
            // Before every request of a run: the answer that follows says as much.
            "" | "requesting" => line(value, &["compact_error"]).unwrap_or(Aside::Quiet),
            status => Aside::Line(status.to_owned()),
        },
        "api_retry" => Aside::Line(retry(value)),
        "compact_boundary" => Aside::Line(compaction(&value["compact_metadata"])),
        "hook_response" => hook(value),
        "task_started" | "task_progress" | "task_notification" => {
            line(value, &["summary", "description"]).unwrap_or(Aside::Quiet)
        }
        "informational"
        | "local_command_output"
        | "model_refusal_fallback"
        | "model_refusal_no_fallback"
        | "notification"
        | "permission_denied"
        | "mirror_error" => {
            line(value, &["content", "message", "text", "error"]).unwrap_or(Aside::Unknown)
        }
        "thinking_tokens"
        | "hook_started"
        | "hook_progress"
        | "task_updated"
        | "background_tasks_changed"
        | "commands_changed"
        | "session_state_changed" => Aside::Quiet,
        _ => Aside::Unknown,
    }
}

/// A `tool_use_summary`.
pub(super) fn summary(value: &Value) -> Aside {
    line(value, &["summary"]).unwrap_or(Aside::Unknown)
}

/// A `rate_limit_event`: news only when the limit is near or reached.
pub(super) fn rate_limit(info: &Value) -> Aside {
    let limit = match text(info, "rateLimitType") {
        "" => "limit".to_owned(),
        kind => format!("{} limit", kind.replace('_', "-")),
    };
    match text(info, "status") {
        "" => Aside::Unknown,
        "allowed" => Aside::Quiet,
        "rejected" => Aside::Line(format!("The {limit} is reached.")),
        status => Aside::Line(match info["utilization"].as_f64() {
            Some(used) => format!("{:.0} % of the {limit} is used.", used * 100.0),
            None => format!("The {limit}: {status}."),
        }),
    }
}

fn retry(value: &Value) -> String {
    let number = |field| count(value, field).unwrap_or_default();
    let (attempt, most) = (number("attempt"), number("max_retries"));
    match text(value, "error") {
        "" => format!("Asking again, {attempt} of {most}."),
        error => format!("Asking again, {attempt} of {most}: {error}."),
    }
}

fn compaction(metadata: &Value) -> String {
    match (
        count(metadata, "pre_tokens"),
        count(metadata, "post_tokens"),
    ) {
        (Some(before), Some(after)) => {
            format!("The conversation was compacted from {before} to {after} tokens.")
        }
        (Some(before), None) => format!("The conversation was compacted from {before} tokens."),
        (None, Some(_) | None) => "The conversation was compacted.".to_owned(),
    }
}

/// A hook that did its work says nothing.
fn hook(value: &Value) -> Aside {
    let failed = match text(value, "outcome") {
        "" => count(value, "exit_code").is_some_and(|code| code != 0),
        outcome => outcome != "success",
    };
    if !failed {
        return Aside::Quiet;
    }
    let name = first(value, &["hook_name", "hook_event"]).unwrap_or("hook");
    let why = first(value, &["stderr", "output", "stdout", "outcome"]).unwrap_or("failed");
    Aside::Line(format!("{name}: {why}"))
}

/// A line of the first of these fields that has words.
fn line(value: &Value, fields: &[&str]) -> Option<Aside> {
    let words = first(value, fields)?;
    Some(Aside::Line(words.to_owned()))
}

fn first<'a>(value: &'a Value, fields: &[&str]) -> Option<&'a str> {
    let mut words = fields.iter().map(|field| text(value, field).trim_ascii());
    words.find(|words| !words.is_empty())
}
