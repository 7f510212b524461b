//! HTML: one file that loads nothing and runs nothing, through the window's own sanitizer.

use super::part::{self, Part};
use super::{Format, Transcript};
use crate::render;

pub(super) const FORMAT: Format = Format {
    name: "html",
    write,
};

/// Nothing but the page's own style; pictures that came inside the text.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{max-width:46rem;margin:3rem auto;padding:0 1.5rem;font:16px/1.6 system-ui,sans-serif}\
header p,.note,summary{color:GrayText;font-size:.875rem}\
section{margin-top:1.75rem;overflow-wrap:anywhere}\
.prompt{white-space:pre-wrap;border:1px solid color-mix(in srgb,GrayText 35%,transparent);border-radius:10px;padding:.75rem 1rem}\
pre{overflow-x:auto;padding:.75rem 1rem;border-radius:8px;font:13px/1.5 ui-monospace,monospace;background:color-mix(in srgb,GrayText 12%,transparent)}\
details pre{white-space:pre-wrap}\
table{border-collapse:collapse}td,th{border:1px solid color-mix(in srgb,GrayText 35%,transparent);padding:.25rem .6rem}\
blockquote{margin-left:0;padding-left:1rem;border-left:2px solid color-mix(in srgb,GrayText 40%,transparent)}";

fn write(transcript: &Transcript) -> Result<String, serde_json::Error> {
    let title = render::escaped(&transcript.session.title);
    let about = render::escaped(&part::about(transcript));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{title}</h1>\n<p>{about}</p>\n</header>\n"
    );
    part::with_parts(transcript, |parts| {
        for part in parts {
            out.push_str(&section(part)?);
        }
        out.push_str("</body>\n</html>\n");
        Ok(out)
    })
}

fn section(part: &Part<'_>) -> Result<String, serde_json::Error> {
    Ok(match part {
        Part::Prompt { content, pictures } => {
            let with = match pictures {
                0 => String::new(),
                1 => "<p class=\"note\">With a picture.</p>\n".to_owned(),
                pictures => format!("<p class=\"note\">With {pictures} pictures.</p>\n"),
            };
            let content = render::escaped(content);
            format!("<section>\n<div class=\"prompt\">{content}</div>\n{with}</section>\n")
        }
        Part::Thinking(content) => folded("Thinking", &render::whole(content)),
        Part::Text { content, citations } => {
            let mut text = render::whole(content);
            let sources = part::sources(citations);
            if !sources.is_empty() {
                let entries = sources.iter().map(|(title, url)| {
                    let title = render::escaped(title);
                    match url {
                        Some(url) => format!("<li>{title}: {}</li>", render::escaped(url)),
                        None => format!("<li>{title}</li>"),
                    }
                });
                text.push_str(&format!("\n<ol>{}</ol>", entries.collect::<String>()));
            }
            format!("<section>\n{text}\n</section>\n")
        }
        Part::Tool { name, input } => {
            let input = render::escaped(&serde_json::to_string_pretty(input)?);
            folded(&render::escaped(name), &format!("<pre>{input}</pre>"))
        }
        Part::Result {
            name,
            text,
            is_error,
        } => {
            let outcome = if *is_error { "failed" } else { "answered" };
            let title = format!("{} {outcome}", render::escaped(name));
            folded(&title, &format!("<pre>{}</pre>", render::escaped(text)))
        }
        Part::Note(note) => {
            let note = render::escaped(note);
            format!("<section>\n<p class=\"note\">{note}</p>\n</section>\n")
        }
    })
}

fn folded(title: &str, html: &str) -> String {
    format!("<section>\n<details>\n<summary>{title}</summary>\n{html}\n</details>\n</section>\n")
}
