//! A conversation as plain text: for a model to sum up, or for itself when no model does.

use weir_protocol::{Event, EventBody};

/// How much of one result helps to sum it up.
const LONGEST_RESULT: usize = 4_000;
/// How much of each prompt and reply stands in a summary that no model made.
const LONGEST_LINE: usize = 300;

/// What a summary says of itself first: who made it.
pub(super) const BY_MODEL: &str = "The model wrote this summary.";
pub(super) const FIRST_LINES: &str =
    "The model wrote no summary: these are the first lines of what was said.";

/// Who said what, one after another; the middle is left out of what is longer than `longest`.
pub(super) fn transcript(events: &[Event], longest: usize) -> String {
    let parts: Vec<String> = events.iter().filter_map(part).collect();
    shortened(&parts.join("\n\n"), longest)
}

/// The head and the tail of what is longer than `longest`, in about that many bytes.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(longest / 2);
    let tail = text.ceil_char_boundary(text.len() - longest / 2);
    format!("{}\n\n[…]\n\n{}", &text[..head], &text[tail..])
}

/// The first lines of everything that was asked and answered, in about `longest` bytes: an
/// earlier summary gets half of them at most, so that summaries of summaries do not grow.
pub(super) fn mechanical(events: &[Event], longest: usize) -> String {
    let lines = events.iter().filter_map(|event| {
        if let EventBody::UserMessage { content, .. } = &event.body {
            Some(format!("User: {}", line(content)))
        } else if let EventBody::Message { content, .. } = &event.body {
            Some(format!("Assistant: {}", line(content)))
        } else if let EventBody::ToolUse { tool_name, .. } = &event.body {
            Some(format!("Assistant used {tool_name}."))
        } else if let EventBody::Compaction { content, .. } = &event.body {
            Some(shortened(bare(content), longest / 2))
        } else {
            None
        }
    });
    shortened(&lines.collect::<Vec<_>>().join("\n"), longest)
}

/// A summary without the sentence that says who made it.
fn bare(summary: &str) -> &str {
    let made = [BY_MODEL, FIRST_LINES];
    let rest = made.iter().find_map(|by| summary.strip_prefix(by));
    rest.unwrap_or(summary).trim_start()
}

fn part(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::UserMessage { content, .. } => Some(format!("User: {content}")),
        EventBody::Message { content, .. } => Some(format!("Assistant: {content}")),
        EventBody::ToolUse {
            tool_name, input, ..
        } => {
            let input = input.to_string();
            Some(format!(
                "Assistant asked {tool_name}: {}",
                cut(&input, LONGEST_RESULT)
            ))
        }
        EventBody::ToolResult {
            tool_name, result, ..
        } => {
            let result = crate::source::plain(result);
            Some(format!(
                "{tool_name} answered: {}",
                cut(&result, LONGEST_RESULT)
            ))
        }
        EventBody::Compaction { content, .. } => Some(format!("Summary so far: {}", bare(content))),
        EventBody::SessionStart { .. }
        | EventBody::BranchChoice { .. }
        | EventBody::Thinking { .. }
        | EventBody::File { .. }
        | EventBody::Processing { .. }
        | EventBody::PermissionRequest { .. }
        | EventBody::PermissionDecision { .. }
        | EventBody::Retry { .. }
        | EventBody::GuardrailsTriggered { .. }
        | EventBody::OutputGuardrailsTriggered { .. }
        | EventBody::Hook { .. }
        | EventBody::Budget { .. }
        | EventBody::Memories { .. }
        | EventBody::Usage { .. }
        | EventBody::Complete { .. }
        | EventBody::Error { .. }
        | EventBody::Raw { .. }
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => None,
    }
}

fn cut(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(longest)])
}

fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), LONGEST_LINE)
}
