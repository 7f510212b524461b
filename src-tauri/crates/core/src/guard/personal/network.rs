//! Addresses of machines. They pass by default: programs and their logs are full of them.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use weir_protocol::RuleAction;

use super::number::has_word_near;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

pub(super) const RULES: &[Rule] = &[
    Rule::personal(
        "ip-address",
        "IP",
        "An address of the internet protocol, version 4 or 6.",
        Finder::Whole {
            traits: traits::DIGIT | traits::ODD,
            find: internet,
        },
    )
    .input(RuleAction::Allow),
    Rule::personal(
        "mac-address",
        "MAC",
        "The address of a network card.",
        Finder::Whole {
            traits: traits::DIGIT | traits::ODD,
            find: card,
        },
    )
    .input(RuleAction::Allow),
];

fn is_part(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.' | b'-')
}

/// No address has fewer marks; most words have, and need no closer look.
const LEAST_MARKS: usize = 2;

/// Offers every run of what such addresses are made of, with letters on neither side.
fn each_run(text: &str, mut offer: impl FnMut(Range<usize>, &str)) {
    let bytes = text.as_bytes();
    let is_mark = |byte: &&u8| matches!(byte, b':' | b'.' | b'-');
    if bytes.iter().filter(is_mark).count() < LEAST_MARKS {
        return;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..]
            .iter()
            .take_while(|byte| is_part(**byte))
            .count();
        let span = at..at + length;
        at = span.end;
        let is_word = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let before = span.start.checked_sub(1).map(|before| &bytes[before]);
        if (3..=60).contains(&length) && !is_word(before) && !is_word(bytes.get(span.end)) {
            offer(span.clone(), &text[span]);
        }
    }
}

/// Every machine has its own `127.0.0.1`; a mask or `0.0.0.0` is none's.
fn is_someones(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    !address.is_loopback() && first != 0 && (first, second) != (255, 255)
}

fn internet(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    each_run(stretch.text, |span, run| {
        let bare = run.trim_end_matches(['.', ':', '-']);
        let port = bare
            .rfind(':')
            .filter(|_| bare.matches(':').count() == 1 && bare.contains('.'));
        let address = &bare[..port.unwrap_or(bare.len())];
        let is_four = address.bytes().filter(|byte| *byte == b'.').count() == 3
            && address.parse::<Ipv4Addr>().is_ok_and(is_someones)
            && !has_word_near(
                stretch.text,
                &span,
                &["version", "release", "firmware", "ver", "build", "upgrade"],
            );
        let is_six = || {
            let digits = bare.bytes().filter(u8::is_ascii_hexdigit).count();
            bare.bytes().filter(|byte| *byte == b':').count() >= 2
                && digits >= 4
                && bare.bytes().any(|byte| byte.is_ascii_digit())
                && run.trim_end_matches(['.', '-']).parse::<Ipv6Addr>().is_ok()
        };
        if is_four {
            found(span.start..span.start + address.len());
        } else if is_six() {
            found(span.start..span.start + run.trim_end_matches(['.', '-']).len());
        }
    });
}

fn card(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    each_run(stretch.text, |span, run| {
        let bare = run.trim_end_matches(['.', ':', '-']);
        let is_grouped = |mark: char, groups: usize, length: usize| {
            let mut parts = bare.split(mark);
            bare.matches(mark).count() == groups - 1
                && parts.all(|part| {
                    part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
                })
        };
        // All ones are for everyone, all zeros for no one.
        let is_someones = bare
            .bytes()
            .any(|byte| byte.is_ascii_hexdigit() && !matches!(byte, b'0' | b'f' | b'F'));
        if is_someones && (is_grouped(':', 6, 2) || is_grouped('-', 6, 2) || is_grouped('.', 3, 4))
        {
            found(span.start..span.start + bare.len());
        }
    });
}
