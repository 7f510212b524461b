//! Markdown: what a person reads, and another chat can be given.

use super::part::{self, Part};
use super::{Format, Transcript};

pub(super) const FORMAT: Format = Format { name: "md", write };

fn write(transcript: &Transcript) -> Result<String, serde_json::Error> {
    let mut out = format!(
        "# {}\n\n{}\n",
        one_line(&transcript.session.title),
        part::about(transcript)
    );
    part::with_parts(transcript, |parts| {
        let mut speaker = "";
        for part in parts {
            let (speaks, text) = match part {
                Part::Prompt { content, pictures } => ("You", prompt(content, *pictures)),
                Part::Thinking(content) => ("Model", quoted("Thinking", content)),
                Part::Text { content, citations } => ("Model", cited(content, citations)),
                Part::Tool { name, input } => {
                    let input = serde_json::to_string_pretty(input)?;
                    ("Model", format!("`{name}`\n\n{}", fenced("json", &input)))
                }
                Part::Result {
                    name,
                    text,
                    is_error,
                } => {
                    let outcome = if *is_error { "failed" } else { "answered" };
                    let text = fenced("", text);
                    ("Model", format!("`{name}` {outcome}\n\n{text}"))
                }
                Part::Note(note) => (speaker, format!("_{}_", one_line(note))),
            };
            if speaks != speaker {
                out.push_str(&format!("\n## {speaks}\n"));
                speaker = speaks;
            }
            out.push_str(&format!("\n{}\n", text.trim_end()));
        }
        Ok(out)
    })
}

fn prompt(content: &str, pictures: usize) -> String {
    match pictures {
        0 => content.to_owned(),
        1 => format!("{content}\n\n_With a picture._"),
        pictures => format!("{content}\n\n_With {pictures} pictures._"),
    }
}

fn cited(content: &str, citations: &[&weir_protocol::Citation]) -> String {
    let mut text = content.to_owned();
    for (number, (title, url)) in (1..).zip(part::sources(citations)) {
        let title = one_line(title);
        let lead = if number == 1 { "\n\n" } else { "\n" };
        text.push_str(&match url {
            Some(url) => format!("{lead}{number}. {title}: <{}>", one_line(url)),
            None => format!("{lead}{number}. {title}"),
        });
    }
    text
}

fn quoted(title: &str, content: &str) -> String {
    let lines = content.lines().map(|line| format!("> {line}\n"));
    format!("> **{title}**\n>\n{}", lines.collect::<String>())
}

/// A fence that nothing inside can close.
fn fenced(language: &str, text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
