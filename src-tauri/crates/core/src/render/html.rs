//! Writes the HTML of one piece of markdown from the parser's events.
//!
//! Text is escaped, raw HTML included; the sanitizer comes after. Markers are not put into the
//! markdown, where they would change what it means (`**a:**` followed by a letter is not
//! bold), but into the output where the parser's offsets pass their place. A marker inside
//! code, an address or a formula stands right after it.
//!
//! Links by reference are resolved inside one piece only. A definition that no link of its
//! piece used is shown as a line of its own, so no address a model gave gets lost.

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, OffsetIter, Options, Parser, Tag,
    TagEnd,
};

use super::block::{Kind, display_formula};
use super::code::{Code, Colours};
use super::delimiter::to_dollars;
use super::hidden::{Mark, escape_into};
use super::math::{Layout, write_formula};
use super::{link, sanitize};

/// Quotes in quotes in quotes are flattened from here on: the parser of HTML walks the whole
/// stack of open elements, and a line of ten thousand `>` would take minutes.
const DEEPEST: usize = 40;

/// Whether more may come. Code that is still open has no colours while it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Growing,
    Final,
}

/// The clean HTML of one piece.
pub(super) fn render(
    source: &str,
    kind: Kind,
    marks: &[Mark],
    stage: Stage,
    colours: &mut Colours,
) -> String {
    let formula = if stage == Stage::Growing && matches!(kind, Kind::Math { .. }) {
        let mut out = String::from("<p>");
        escape_into(&mut out, source);
        out.push_str("</p>");
        Some(out)
    } else {
        display_formula(source).map(|latex| {
            let mut out = String::new();
            write_formula(&mut out, latex, Layout::Display);
            out
        })
    };
    let html = match formula {
        Some(mut out) => {
            out.extend(marks.iter().filter_map(Mark::sentinel));
            out
        }
        None => {
            let (source, marks) = to_dollars(source, marks);
            Writer::new(&source, &marks, stage, colours).write()
        }
    };
    sanitize::clean(&html)
}

struct Writer<'a> {
    source: &'a str,
    marks: &'a [Mark],
    stage: Stage,
    colours: &'a mut Colours,
    out: String,
    /// What closes each open container; empty where it was too deep to be opened.
    closing: Vec<&'static str>,
    links: usize,
    html_lines: usize,
    code: Option<Code>,
    image: Option<Image>,
    table: Table,
    used: HashSet<String>,
}

struct Image {
    destination: String,
    alt: String,
    /// Images inside its description.
    inner: usize,
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    cell: usize,
    row_end: usize,
    /// A cell's name and what closes it.
    cell_tag: (&'static str, &'static str),
}

impl<'a> Writer<'a> {
    fn new(source: &'a str, marks: &'a [Mark], stage: Stage, colours: &'a mut Colours) -> Self {
        Self {
            source,
            marks,
            stage,
            colours,
            out: String::with_capacity(source.len() * 2),
            closing: Vec::new(),
            links: 0,
            html_lines: 0,
            code: None,
            image: None,
            table: Table::default(),
            used: HashSet::new(),
        }
    }

    fn write(mut self) -> String {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_MATH;
        let mut events = Parser::new_ext(self.source, options).into_offset_iter();
        for (event, range) in events.by_ref() {
            self.write_event(event, range);
        }
        self.write_definitions(&events);
        self.write_marks(usize::MAX);
        self.out
    }

    fn write_event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.write_text(&text, range),
            Event::Code(text) => match &mut self.image {
                Some(image) => image.alt.push_str(&text),
                None => {
                    self.write_marks(range.start);
                    self.out.push_str("<code>");
                    escape_into(&mut self.out, &text);
                    self.out.push_str("</code>");
                }
            },
            Event::InlineMath(_) if self.is_price(&range) => {
                let text = self.source.get(range.clone()).unwrap_or_default();
                self.write_text(text, range);
            }
            Event::InlineMath(latex) => self.write_math(&latex, Layout::Inline, range),
            Event::DisplayMath(latex) => self.write_math(&latex, Layout::Display, range),
            Event::Html(text) => {
                if self.html_lines > 0 {
                    self.out.push_str("<br>");
                }
                self.html_lines += 1;
                let end = range.start + text.trim_end().len();
                self.write_text(text.trim_end(), range.start..end);
            }
            Event::InlineHtml(text) => self.write_text(&text, range),
            Event::SoftBreak => self.write_break("\n", range),
            Event::HardBreak => self.write_break("<br>\n", range),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done {
                "<input type=\"checkbox\" disabled checked> "
            } else {
                "<input type=\"checkbox\" disabled> "
            }),
            Event::FootnoteReference(label) => self.write_text(&label, range),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.open_block("<p>", "</p>", range.start),
            Tag::Heading { level, .. } => {
                let (open, close) = heading(level);
                self.open_block(open, close, range.start);
            }
            Tag::BlockQuote(_) => self.open_block("<blockquote>", "</blockquote>", range.start),
            Tag::CodeBlock(kind) => {
                self.open_block("", "", range.start);
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(info) => Code::fenced(&info),
                    CodeBlockKind::Indented => Code::default(),
                });
            }
            Tag::HtmlBlock => {
                self.html_lines = 0;
                self.open_block("<p>", "</p>", range.start);
            }
            Tag::List(None) => self.open_block("<ul>", "</ul>", range.start),
            Tag::List(Some(1)) => self.open_block("<ol>", "</ol>", range.start),
            Tag::List(Some(first)) => {
                self.open_block(&format!("<ol start=\"{first}\">"), "</ol>", range.start);
            }
            Tag::Item => self.open("<li>", "</li>"),
            Tag::Table(alignments) => {
                self.open_block(
                    "<div class=\"table\"><table>",
                    "</tbody></table></div>",
                    range.start,
                );
                self.table.alignments = alignments;
            }
            Tag::TableHead => self.start_row(
                "<thead><tr>",
                "</tr></thead><tbody>",
                ("th", "</th>"),
                range,
            ),
            Tag::TableRow => self.start_row("<tr>", "</tr>", ("td", "</td>"), range),
            Tag::TableCell => self.start_cell(),
            Tag::Emphasis => self.open_inline("<em>", "</em>", range.start),
            Tag::Strong => self.open_inline("<strong>", "</strong>", range.start),
            Tag::Strikethrough => self.open_inline("<del>", "</del>", range.start),
            Tag::Link {
                link_type,
                dest_url,
                id,
                ..
            } => self.start_link(link_type, &dest_url, &id, range),
            Tag::Image { dest_url, .. } => match &mut self.image {
                Some(image) => image.inner += 1,
                None => {
                    self.write_marks(range.start);
                    self.image = Some(Image {
                        destination: dest_url.into_string(),
                        alt: String::new(),
                        inner: 0,
                    });
                }
            },
            // Not enabled in the parser.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => self.open("", ""),
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::HtmlBlock | TagEnd::Item => {
                self.write_marks(range.end);
                self.close();
            }
            TagEnd::CodeBlock => {
                self.end_code(&range);
                self.close();
            }
            TagEnd::TableCell => {
                self.table.cell += 1;
                // Text between cells would leave the table, so the row's end is in its last cell.
                let last = self.table.cell >= self.table.alignments.len();
                self.write_marks(if last { self.table.row_end } else { range.end });
                self.close();
            }
            TagEnd::Link => {
                self.links = self.links.saturating_sub(1);
                self.close();
            }
            TagEnd::Image => self.end_image(),
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => self.close(),
        }
    }

    fn open(&mut self, open: &str, close: &'static str) {
        if self.closing.len() < DEEPEST && self.image.is_none() {
            self.out.push_str(open);
            self.closing.push(close);
        } else {
            self.closing.push("");
        }
    }

    fn close(&mut self) {
        self.out.push_str(self.closing.pop().unwrap_or_default());
    }

    /// The text of a list's item ends where a block begins in it.
    fn open_block(&mut self, open: &str, close: &'static str, start: usize) {
        if self.closing.last() == Some(&"</li>") && !self.out.ends_with("<li>") {
            self.write_marks(start);
        }
        self.open(open, close);
    }

    fn open_inline(&mut self, open: &str, close: &'static str, start: usize) {
        self.write_marks(start);
        self.open(open, close);
    }

    fn start_row(
        &mut self,
        open: &str,
        close: &'static str,
        cell: (&'static str, &'static str),
        row: Range<usize>,
    ) {
        self.open(open, close);
        self.table.cell = 0;
        self.table.row_end = row.end;
        self.table.cell_tag = cell;
    }

    fn start_cell(&mut self) {
        let align = match self.table.alignments.get(self.table.cell) {
            Some(Alignment::Left) => " align=\"left\"",
            Some(Alignment::Center) => " align=\"center\"",
            Some(Alignment::Right) => " align=\"right\"",
            Some(Alignment::None) | None => "",
        };
        let (name, close) = self.table.cell_tag;
        self.open(&format!("<{name}{align}>"), close);
    }

    fn start_link(&mut self, kind: LinkType, destination: &str, id: &str, range: Range<usize>) {
        let address = match kind {
            LinkType::Email => link::address(&format!("mailto:{destination}")),
            LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut => {
                self.used.insert(id.to_lowercase());
                link::address(destination)
            }
            LinkType::Inline
            | LinkType::ReferenceUnknown
            | LinkType::CollapsedUnknown
            | LinkType::ShortcutUnknown
            | LinkType::Autolink
            | LinkType::WikiLink { .. } => link::address(destination),
        };
        self.links += 1;
        match address {
            Some(address) => {
                let mut open = String::from("<a href=\"");
                escape_into(&mut open, &address);
                open.push_str("\">");
                self.open_inline(&open, "</a>", range.start);
            }
            None => self.open_inline("", "", range.start),
        }
    }

    /// Images never load: they are links to themselves, or text where there is no address or
    /// where a link already surrounds them.
    fn end_image(&mut self) {
        let Some(mut image) = self.image.take() else {
            return;
        };
        if image.inner > 0 {
            image.inner -= 1;
            self.image = Some(image);
            return;
        }
        let text = if image.alt.trim().is_empty() {
            &image.destination
        } else {
            &image.alt
        };
        match link::address(&image.destination).filter(|_| self.links == 0) {
            Some(address) => {
                self.out.push_str("<a class=\"image\" href=\"");
                escape_into(&mut self.out, &address);
                self.out.push_str("\">");
                link::write_text(&mut self.out, text);
                self.out.push_str("</a>");
            }
            None => link::write_text(&mut self.out, text),
        }
    }

    fn end_code(&mut self, range: &Range<usize>) {
        let Some(code) = self.code.take() else {
            return;
        };
        let source = self.source.get(range.clone()).unwrap_or_default();
        let done = self.stage == Stage::Final || code.is_closed(source);
        let colours = done.then_some(&mut *self.colours);
        self.out.push_str("<figure class=\"code\">");
        code.write(&mut self.out, colours);
        self.write_marks(range.end);
        self.out.push_str("</figure>");
    }

    /// Two prices in one sentence are not a formula: `$5-$10`, `US$5 or US$7`.
    fn is_price(&self, range: &Range<usize>) -> bool {
        let before = self.source.get(..range.start).unwrap_or_default();
        let after = self.source.get(range.end..).unwrap_or_default();
        before.ends_with(|each: char| each.is_ascii_alphanumeric())
            || after.starts_with(|each: char| each.is_ascii_digit())
    }

    fn write_math(&mut self, latex: &str, layout: Layout, range: Range<usize>) {
        match &mut self.image {
            Some(image) => image.alt.push_str(latex),
            None => {
                self.write_marks(range.start);
                write_formula(&mut self.out, latex, layout);
            }
        }
    }

    fn write_break(&mut self, html: &str, range: Range<usize>) {
        match &mut self.image {
            Some(image) => image.alt.push(' '),
            None => {
                self.write_marks(range.start);
                self.out.push_str(html);
            }
        }
    }

    fn write_text(&mut self, text: &str, range: Range<usize>) {
        if let Some(code) = &mut self.code {
            code.push(text);
            return;
        }
        if let Some(image) = &mut self.image {
            image.alt.push_str(text);
            return;
        }
        self.write_marks(range.start);
        let mut from = 0;
        // A decoded entity has no places inside it; what is written as it stands does.
        if self.source.get(range.clone()) == Some(text) {
            while let Some(mark) = self.marks.first().filter(|mark| mark.at < range.end) {
                let to = mark.at.saturating_sub(range.start);
                self.write_plain(text.get(from..to).unwrap_or_default());
                self.write_marks(mark.at);
                from = to;
            }
        }
        self.write_plain(text.get(from..).unwrap_or_default());
    }

    fn write_plain(&mut self, text: &str) {
        if self.links > 0 {
            link::write_text(&mut self.out, text);
        } else {
            escape_into(&mut self.out, text);
        }
    }

    /// Writes the marks whose place is at or before `passed`.
    fn write_marks(&mut self, passed: usize) {
        while let Some((mark, rest)) = self
            .marks
            .split_first()
            .filter(|(mark, _)| mark.at <= passed)
        {
            self.out.extend(mark.sentinel());
            self.marks = rest;
        }
    }

    fn write_definitions(&mut self, events: &OffsetIter<'_>) {
        let mut unused: Vec<_> = events
            .reference_definitions()
            .iter()
            .filter(|(label, _)| !self.used.contains(&label.to_lowercase()))
            .collect();
        unused.sort_by_key(|(_, definition)| definition.span.start);
        for (label, definition) in unused {
            let title = definition.title.as_deref().unwrap_or_default();
            link::write_definition(&mut self.out, label, &definition.dest, title);
        }
    }
}

fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h1>", "</h1>"),
        HeadingLevel::H2 => ("<h2>", "</h2>"),
        HeadingLevel::H3 => ("<h3>", "</h3>"),
        HeadingLevel::H4 => ("<h4>", "</h4>"),
        HeadingLevel::H5 => ("<h5>", "</h5>"),
        HeadingLevel::H6 => ("<h6>", "</h6>"),
    }
}
