//! Where one top-level piece of a growing markdown text ends and the next begins.
//!
//! The decision about a line depends on the lines before it and on the line's own beginning,
//! and once made for a beginning it is the same for every continuation. That is what makes the
//! pieces independent of how the text was split.
//!
//! Deliberate choices, which hold for live text and for whole text alike:
//! - A blank line ends every piece but an open fence, indented code and a list. A list goes on
//!   over blank lines until something less indented than its content follows one.
//! - An HTML block ends at a blank line whatever its first tag is, because it is only shown.
//! - A fence or display math at the start of a line always begins a piece of its own; headings
//!   and rules end theirs.
//! - A link definition reaches only the piece it stands in (see `html`).

use super::math;

/// What the piece under construction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing but blank lines so far.
    Empty,
    /// A paragraph, heading, quote, table or HTML block, in any mixture without blank lines.
    Prose,
    /// Inside a fence that waits for `length` or more of `mark`.
    Fence {
        mark: u8,
        length: usize,
    },
    Indented,
    /// Inside a list whose last outermost item has its content at column `content`.
    List {
        content: usize,
    },
    /// Inside display math that waits for `close`.
    Math {
        close: &'static str,
    },
    /// Whatever is not blank begins the next piece.
    Closed,
}

/// How much of a line has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrived {
    Beginning,
    Whole,
}

/// Whether a line begins a new piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinePosition {
    SamePiece,
    NewPiece,
    NotKnownYet,
}

#[derive(Clone, Debug)]
pub(super) struct Blocks {
    kind: Kind,
    after_blank: bool,
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self {
            kind: Kind::Empty,
            after_blank: false,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Where the line belongs that starts with `line`.
    pub(super) fn place(&self, line: &str, arrived: Arrived) -> LinePosition {
        let (indent, rest) = split_indent(line);
        let Some(first) = rest.bytes().next() else {
            return match arrived {
                Arrived::Beginning => LinePosition::NotKnownYet,
                Arrived::Whole => LinePosition::SamePiece,
            };
        };
        let when = |new: bool| {
            if new {
                LinePosition::NewPiece
            } else {
                LinePosition::SamePiece
            }
        };
        match self.kind {
            Kind::Empty | Kind::Fence { .. } | Kind::Math { .. } => LinePosition::SamePiece,
            Kind::Closed => LinePosition::NewPiece,
            Kind::Indented => when(indent < 4),
            Kind::Prose if self.after_blank => LinePosition::NewPiece,
            Kind::Prose => match (may_open(first, indent), arrived) {
                (false, Arrived::Beginning | Arrived::Whole) => LinePosition::SamePiece,
                (true, Arrived::Beginning) => LinePosition::NotKnownYet,
                (true, Arrived::Whole) => when(opens(indent, rest)),
            },
            Kind::List { content } if indent >= content => LinePosition::SamePiece,
            Kind::List { .. } => {
                let may_mark = matches!(first, b'-' | b'+' | b'*' | b'0'..=b'9');
                match (may_mark || may_open(first, indent), arrived) {
                    (false, Arrived::Beginning | Arrived::Whole) => when(self.after_blank),
                    (true, Arrived::Beginning) => LinePosition::NotKnownYet,
                    (true, Arrived::Whole) => when(
                        opens(indent, rest) || (self.after_blank && item(indent, rest).is_none()),
                    ),
                }
            }
        }
    }

    /// A new piece begins with the current line.
    pub(super) fn begin_piece(&mut self) {
        *self = Self::new();
    }

    /// Takes a whole line, without its end, into the piece.
    pub(super) fn take_line(&mut self, line: &str) {
        let (indent, rest) = split_indent(line);
        let rest = rest.trim_end_matches([' ', '\t']);
        if rest.is_empty() {
            if let Kind::Math { .. } = self.kind {
                self.kind = Kind::Prose;
            }
            self.after_blank = true;
            return;
        }
        self.after_blank = false;
        self.kind = match self.kind {
            Kind::Empty => first_line(indent, rest),
            Kind::Prose => prose_line(indent, rest),
            Kind::Fence { mark, length } => match fence(indent, rest) {
                Some(end) if end.mark == mark && end.length >= length && end.bare => Kind::Closed,
                Some(_) | None => self.kind,
            },
            Kind::Math { close } => math_line(rest, close),
            Kind::List { content } if indent < content => match item(indent, rest) {
                Some(item) => Kind::List {
                    content: item.content,
                },
                None => self.kind,
            },
            Kind::List { .. } | Kind::Indented | Kind::Closed => self.kind,
        };
    }
}

fn first_line(indent: usize, rest: &str) -> Kind {
    if indent >= 4 {
        Kind::Indented
    } else if let Some(fence) = fence(indent, rest) {
        Kind::Fence {
            mark: fence.mark,
            length: fence.length,
        }
    } else if let Some((close, inside)) = math_opening(rest) {
        math_line(inside, close)
    } else if let Some(item) = item(indent, rest) {
        Kind::List {
            content: item.content,
        }
    } else if is_heading(rest) || is_rule(rest) {
        Kind::Closed
    } else {
        Kind::Prose
    }
}

fn prose_line(indent: usize, rest: &str) -> Kind {
    if indent >= 4 {
        return Kind::Prose;
    }
    if is_heading(rest) || is_rule(rest) {
        return Kind::Closed;
    }
    match item(indent, rest) {
        Some(item) if item.interrupts => Kind::List {
            content: item.content,
        },
        Some(_) | None => Kind::Prose,
    }
}

fn math_line(rest: &str, close: &'static str) -> Kind {
    if rest.ends_with(close) {
        Kind::Closed
    } else if rest.contains(close) {
        Kind::Prose
    } else {
        Kind::Math { close }
    }
}

/// The LaTeX of a piece that is one display formula and nothing else.
pub(super) fn display_formula(piece: &str) -> Option<&str> {
    let piece = piece.trim();
    let (close, inside) = math_opening(piece)?;
    inside
        .strip_suffix(close)
        .filter(|latex| !latex.contains(close) && !latex.trim().is_empty())
        .filter(|latex| close == "$$" || math::is_formula(latex))
}

fn math_opening(rest: &str) -> Option<(&'static str, &str)> {
    [("$$", "$$"), ("\\[", "\\]")]
        .into_iter()
        .find_map(|(open, close)| Some((close, rest.strip_prefix(open)?)))
}

fn may_open(first: u8, indent: usize) -> bool {
    indent < 4 && matches!(first, b'`' | b'~' | b'$' | b'\\')
}

fn opens(indent: usize, rest: &str) -> bool {
    fence(indent, rest).is_some() || (indent < 4 && math_opening(rest).is_some())
}

struct Fence {
    mark: u8,
    length: usize,
    /// Nothing stands after it, so it can also close one.
    bare: bool,
}

fn fence(indent: usize, rest: &str) -> Option<Fence> {
    let mark = rest.bytes().next().filter(|_| indent < 4)?;
    if !matches!(mark, b'`' | b'~') {
        return None;
    }
    let length = rest.bytes().take_while(|byte| *byte == mark).count();
    let after = rest.get(length..)?;
    if length < 3 || (mark == b'`' && after.contains('`')) {
        return None;
    }
    Some(Fence {
        mark,
        length,
        bare: after.trim_matches([' ', '\t']).is_empty(),
    })
}

struct Item {
    content: usize,
    /// Whether it may begin a list right after a line of a paragraph.
    interrupts: bool,
}

fn item(indent: usize, rest: &str) -> Option<Item> {
    if is_rule(rest) {
        return None;
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (width, first) = match (digits, rest.as_bytes().get(digits)?) {
        (0, b'-' | b'+' | b'*') => (1, true),
        (1..=9, b'.' | b')') => (digits + 1, rest.get(..digits)? == "1"),
        (_, _) => return None,
    };
    let after = rest.get(width..)?;
    if !after.is_empty() && !after.starts_with([' ', '\t']) {
        return None;
    }
    let (space, words) = split_indent(after);
    let padding = if words.is_empty() || space > 4 {
        1
    } else {
        space
    };
    Some(Item {
        content: indent + width + padding,
        interrupts: first && !words.is_empty(),
    })
}

fn is_heading(rest: &str) -> bool {
    let level = rest.bytes().take_while(|byte| *byte == b'#').count();
    let after = rest.get(level..).unwrap_or_default();
    (1..=6).contains(&level) && (after.is_empty() || after.starts_with([' ', '\t']))
}

fn is_rule(rest: &str) -> bool {
    let Some(mark) = rest.bytes().next() else {
        return false;
    };
    matches!(mark, b'-' | b'*' | b'_')
        && rest
            .bytes()
            .all(|byte| byte == mark || matches!(byte, b' ' | b'\t'))
        && rest.bytes().filter(|byte| *byte == mark).count() >= 3
}

/// The column of the first character that is not a blank, and the line from there.
fn split_indent(line: &str) -> (usize, &str) {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => return (column, line.get(at..).unwrap_or_default()),
        }
    }
    (column, "")
}
