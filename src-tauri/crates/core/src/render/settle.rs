//! What the end of a growing text most likely becomes, so that half a `**bold` or half a link
//! does not flash as signs. Only the live tail sees this, never a committed or final piece, and
//! a wrong guess lasts until the next chunk.

use std::borrow::Cow;

/// The tail with what is open at its end closed.
pub(super) fn settle(tail: &str) -> Cow<'_, str> {
    let start = tail.rfind("\n\n").map_or(0, |at| at + 2);
    let open = find_open(tail, start);
    if let Some(code) = open.code {
        let end = code.at + code.length;
        // Three or more are a fence, and the parser knows what to do with an open one.
        return if code.length > 2 {
            Cow::Borrowed(tail)
        } else if end == tail.len() {
            Cow::Borrowed(tail.get(..code.at).unwrap_or_default())
        } else {
            Cow::Owned(format!("{tail}{}", "`".repeat(code.length)))
        };
    }
    let mut settled = Cow::Borrowed(tail);
    if let Some(link) = open.link {
        let before = tail.get(..link.at).unwrap_or_default();
        let before = before.strip_suffix('!').unwrap_or(before);
        let text = tail.get(link.at + 1..link.text_end).unwrap_or_default();
        settled = Cow::Owned(format!("{before}{text}"));
    }
    if let Some(strong) = open.strong {
        let trimmed = settled.trim_end();
        settled = if trimmed.len() <= strong + 2 {
            Cow::Owned(settled.get(..strong).unwrap_or_default().to_owned())
        } else {
            Cow::Owned(format!("{}**", trimmed.trim_end_matches('*')))
        };
    }
    settled
}

struct Open {
    code: Option<Code>,
    strong: Option<usize>,
    link: Option<Link>,
}

struct Code {
    at: usize,
    length: usize,
}

struct Link {
    at: usize,
    text_end: usize,
}

fn find_open(tail: &str, start: usize) -> Open {
    let bytes = tail.as_bytes();
    let mut open = Open {
        code: None,
        strong: None,
        link: None,
    };
    let mut bracket = None;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        let run = match byte {
            b'`' | b'*' => {
                let same = bytes.iter().skip(at).take_while(|each| *each == byte);
                same.count()
            }
            _ => 1,
        };
        match (byte, &open.code) {
            (b'`', Some(code)) if code.length == run => {
                open.code = None;
                at += run;
            }
            (b'`', None) => {
                open.code = Some(Code { at, length: run });
                at += run;
            }
            (_, Some(_)) => at += run,
            (b'\\', None) => at += 2,
            (b'*', None) if run >= 2 => {
                open.strong = match open.strong {
                    Some(_) => None,
                    None => Some(at),
                };
                at += run;
            }
            (b'[', None) if open.link.is_none() => {
                bracket = Some(at);
                at += 1;
            }
            (b']', None) if bytes.get(at + 1) == Some(&b'(') && bracket.is_some() => {
                open.link = bracket.take().map(|from| Link {
                    at: from,
                    text_end: at,
                });
                at += 2;
            }
            (b')' | b'\n', None) => {
                open.link = None;
                bracket = None;
                at += 1;
            }
            (_, None) => at += run,
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_sign_is_settled() {
        for (tail, settled) in [
            ("a **bo", "a **bo**"),
            ("a **bo ", "a **bo**"),
            ("a **", "a "),
            ("a **bo*", "a **bo**"),
            ("a **b** c", "a **b** c"),
            ("a `co", "a `co`"),
            ("a `", "a "),
            ("see [it](htt", "see it"),
            ("see ![it](htt", "see it"),
            ("see [it](http://a.b) c", "see [it](http://a.b) c"),
            ("**see [it](htt", "**see it**"),
            ("**x\n\ny", "**x\n\ny"),
            ("ü **ü", "ü **ü**"),
            ("\\**a", "\\**a"),
            ("", ""),
        ] {
            assert_eq!(settle(tail), settled, "{tail}");
        }
    }
}
