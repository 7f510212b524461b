//! `\(…\)` and `\[…\]`, which many models write, in the form the markdown parser reads.

use std::borrow::Cow;

use super::hidden::Mark;
use super::math;

/// The source with `$…$` and `$$…$$` for `\(…\)` and `\[…\]`, and the marks where they belong
/// in it. Code is left alone.
pub(super) fn to_dollars<'a>(
    source: &'a str,
    marks: &'a [Mark],
) -> (Cow<'a, str>, Cow<'a, [Mark]>) {
    if !source.contains("\\(") && !source.contains("\\[") {
        return (Cow::Borrowed(source), Cow::Borrowed(marks));
    }
    let mut copy = Copy {
        source,
        from: 0,
        out: String::with_capacity(source.len()),
        waiting: marks,
        marks: Vec::with_capacity(marks.len()),
    };
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find(['\\', '`'])) {
        at += found;
        let rest = source.get(at..).unwrap_or_default();
        if rest.starts_with('`') {
            at += code_length(rest);
            continue;
        }
        match formula(rest) {
            Some(formula) => {
                copy.replace(at, at + formula.length, formula.dollars, formula.latex);
                at += formula.length;
            }
            // The backslash and what it escapes.
            None => at += 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
        }
    }
    let (out, marks) = copy.finish();
    (Cow::Owned(out), Cow::Owned(marks))
}

struct Formula<'a> {
    dollars: &'static str,
    latex: &'a str,
    length: usize,
}

fn formula(rest: &str) -> Option<Formula<'_>> {
    let (dollars, open, close) = match rest.as_bytes().get(1)? {
        b'(' => ("$", b'(', b')'),
        b'[' => ("$$", b'[', b']'),
        _ => return None,
    };
    let latex = rest.get(2..find_close(rest, open, close)?)?;
    let plain = !latex.contains(['$', '`']) && !latex.contains("\n\n");
    let readable = dollars == "$" || math::is_formula(latex);
    (plain && readable && !latex.trim().is_empty()).then_some(Formula {
        dollars,
        latex: latex.trim(),
        length: 4 + latex.len(),
    })
}

/// Where the closing backslash is. A second opening ends the search, which also keeps a text
/// full of openings from being searched to its end for each of them.
fn find_close(rest: &str, open: u8, close: u8) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 2;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'\\' {
            at += 1;
            continue;
        }
        match bytes.get(at + 1) {
            Some(next) if *next == close => return Some(at),
            Some(next) if *next == open => return None,
            Some(_) | None => at += 2,
        }
    }
    None
}

/// How long the code is that `rest` begins with; an unclosed fence is code to its end.
fn code_length(rest: &str) -> usize {
    let run = rest.bytes().take_while(|byte| *byte == b'`').count();
    let mut at = run;
    while let Some(found) = rest.get(at..).and_then(|after| after.find('`')) {
        at += found;
        let length = rest
            .bytes()
            .skip(at)
            .take_while(|byte| *byte == b'`')
            .count();
        at += length;
        if length == run {
            return at;
        }
    }
    if run < 3 { run } else { rest.len() }
}

struct Copy<'a> {
    source: &'a str,
    from: usize,
    out: String,
    waiting: &'a [Mark],
    marks: Vec<Mark>,
}

impl Copy<'_> {
    fn replace(&mut self, start: usize, end: usize, dollars: &str, latex: &str) {
        self.copy_to(start);
        for part in [dollars, latex, dollars] {
            self.out.push_str(part);
        }
        self.from = end;
        while let Some((mark, rest)) = self.waiting.split_first().filter(|(mark, _)| mark.at < end)
        {
            self.marks.push(Mark {
                at: self.out.len(),
                ..*mark
            });
            self.waiting = rest;
        }
    }

    fn copy_to(&mut self, end: usize) {
        while let Some((mark, rest)) = self
            .waiting
            .split_first()
            .filter(|(mark, _)| mark.at <= end)
        {
            self.marks.push(Mark {
                at: self.out.len() + mark.at.saturating_sub(self.from),
                ..*mark
            });
            self.waiting = rest;
        }
        self.out
            .push_str(self.source.get(self.from..end).unwrap_or_default());
        self.from = end;
    }

    fn finish(mut self) -> (String, Vec<Mark>) {
        self.copy_to(self.source.len());
        (self.out, self.marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_change_and_code_does_not() {
        for (source, dollars) in [
            ("a \\( x^2 \\) b", "a $x^2$ b"),
            ("\\[\nx\n\\]", "$$x$$"),
            ("see \\[1\\]", "see \\[1\\]"),
            ("`\\(x\\)`", "`\\(x\\)`"),
            ("```\n\\(x\\)\n", "```\n\\(x\\)\n"),
            ("\\\\(x\\\\)", "\\\\(x\\\\)"),
            ("\\(open", "\\(open"),
            ("\\(a \\(b\\)", "\\(a $b$"),
            ("\\[ a \\\\[2pt] b \\]", "$$a \\\\[2pt] b$$"),
            ("\\(a\n\nb\\)", "\\(a\n\nb\\)"),
            ("ü\\(x\\)ü", "ü$x$ü"),
        ] {
            assert_eq!(to_dollars(source, &[]).0, dollars);
        }
    }

    #[test]
    fn marks_keep_their_place() {
        let marks = [2, 7, 14].map(|at| Mark { at, number: 1 });
        let (source, marks) = to_dollars("ab \\( xy \\) cd", &marks);
        assert_eq!(source, "ab $xy$ cd");
        assert_eq!(
            marks.iter().map(|mark| mark.at).collect::<Vec<_>>(),
            [2, 7, 10]
        );
    }
}
