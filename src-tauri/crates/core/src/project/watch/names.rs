//! Names inside of other text: options (`--require=./x`), lists (`a:b`), strings in a program of
//! any language, modules (`a.b.c`). Pure, and generous: what is no name is found nowhere.

use std::collections::BTreeSet;

use super::pattern::UNKNOWN;

/// Strings inside of strings.
const DEEPEST: usize = 4;
/// Longer than any path.
const LONGEST: usize = 4096;

/// Everything in a text that may be the name of a file.
pub(super) fn names(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(text, 0, &mut found);
    found.retain(|name| {
        let trimmed = name.trim_matches(|it| matches!(it, '.' | '/' | UNKNOWN));
        !trimmed.is_empty() && name.len() <= LONGEST && !name.contains('\0')
    });
    found
}

fn collect(text: &str, depth: usize, found: &mut BTreeSet<String>) {
    if depth > DEEPEST {
        return;
    }
    variants(text.trim(), found);
    // Each character that separates something somewhere, alone and with all others.
    for separator in [':', '=', ',', ';', '@', '|', '&', ' ', '\n', UNKNOWN] {
        if text.contains(separator) {
            for part in text.split(separator) {
                variants(part.trim(), found);
            }
        }
    }
    let is_part = |it: char| it.is_alphanumeric() || "_./~+@%-*?\u{1}".contains(it);
    let parts = text
        .split(|it: char| !is_part(it))
        .filter(|it| !it.is_empty());
    for part in parts {
        variants(part, found);
    }
    // `A::B` is one name.
    let is_part = |it: char| is_part(it) || it == ':';
    for part in text.split(|it: char| !is_part(it)) {
        if part.contains("::") {
            variants(part, found);
        }
    }
    for quote in ['\'', '"', '`'] {
        let parts: Vec<_> = text.split(quote).collect();
        if parts.len() < 3 {
            continue;
        }
        for part in &parts[1..parts.len() - 1] {
            if part.len() < text.len() {
                collect(part, depth + 1, found);
            }
        }
        // A string may hold its own quotes behind a backslash.
        let unescaped = text.replace(&format!("\\{quote}"), &quote.to_string());
        if unescaped != text {
            collect(&unescaped, depth + 1, found);
        }
    }
    // `\x68`, `\150`: strings of most languages.
    let plain = without_escapes(text);
    if plain != text {
        collect(&plain, depth + 1, found);
        // Numbers of bytes in some languages, of characters in others.
        let bytes: Option<Vec<_>> = plain.chars().map(|it| u8::try_from(it).ok()).collect();
        if let Some(Ok(decoded)) = bytes.map(String::from_utf8) {
            variants(decoded.trim(), found);
        }
    }
    // Strings of Perl and Ruby: `q(…)`, `%w[…]`.
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')] {
        for part in text.split(open).skip(1) {
            if let Some((inner, _)) = part.split_once(close) {
                variants(inner.trim(), found);
            }
        }
    }
}

/// A name, and what it may be short for.
fn variants(name: &str, found: &mut BTreeSet<String>) {
    if name.is_empty() || name.len() > LONGEST || !found.insert(name.to_owned()) {
        return;
    }
    if let Some(option) = name.strip_prefix('-') {
        // `-Ilib`, `-MFoo::Bar`, `-skBifMakefile`: any number of letters, then a value.
        let most = if option.starts_with('-') { 3 } else { LONGEST };
        let blank = option.find(char::is_whitespace).unwrap_or(option.len());
        let places = option.char_indices().skip(1).take(most);
        for (at, _) in places.take_while(|(at, _)| *at <= blank) {
            variants(&option[at..], found);
        }
        if let Some((_, value)) = option.split_once('=') {
            variants(value, found);
        }
    }
    for mark in ['@', '+', '<', '>', '!', '^', '%', '&'] {
        if let Some(rest) = name.strip_prefix(mark) {
            variants(rest, found);
        }
    }
    let trimmed = name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    variants(trimmed, found);
    if let Some((_, path)) = name.split_once("://") {
        let path = path.find('/').map_or(path, |at| &path[at..]);
        variants(path, found);
        variants(&decoded(path), found);
    } else if let Some(path) = name.strip_prefix("file:") {
        variants(&decoded(path), found);
    }
    // `./x.mjs?v=1`, `pkg.mod#part`.
    if let Some((path, _)) = name.split_once(['?', '#']) {
        variants(path, found);
    }
    module(name, found);
}

/// `a.b.c` as a module: its file, and those of the packages around it.
fn module(name: &str, found: &mut BTreeSet<String>) {
    let separator = match (name.contains("::"), name.contains('.')) {
        (true, _) => "::",
        (false, true) => ".",
        (false, false) => return,
    };
    if name.contains(['/', ' ']) {
        return;
    }
    let parts: Vec<_> = name.split(separator).collect();
    if parts.len() > 12 || parts.iter().any(|part| part.is_empty()) {
        return;
    }
    for length in 1..=parts.len() {
        let path = parts[..length].join("/");
        found.insert(format!("{path}/__init__"));
        if length > 1 {
            found.insert(path);
        }
    }
    // A module of this name beside the one that is meant: `import json.tool`.
    found.insert(format!("{}.py", parts[0]));
}

/// With numbers of characters and names of blanks resolved.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        // Blanks, in strings of most languages and for `env -S`.
        if let Some(after) = rest.strip_prefix(['f', 'n', 'r', 't', 'v', '_']) {
            out.push(' ');
            rest = after;
            continue;
        }
        let (base, most, skipped) = match rest.chars().next() {
            Some('x' | 'u') if rest[1..].starts_with('{') => (16, 6, 2),
            Some('x') => (16, 2, 1),
            Some('u') => (16, 4, 1),
            Some('0'..='7') => (8, 3, 0),
            _ => (2, 0, 0),
        };
        let digits = &rest[skipped..];
        let length = digits
            .chars()
            .take(most)
            .take_while(|it| it.is_digit(base))
            .count();
        let number = u32::from_str_radix(&digits[..length], base).ok();
        match number.and_then(char::from_u32) {
            Some(character) => {
                out.push(character);
                rest = &digits[length..];
                if skipped == 2 {
                    rest = rest.strip_prefix('}').unwrap_or(rest);
                }
            }
            None => out.push('\\'),
        }
    }
    out.push_str(rest);
    out
}

/// With `%20` and its like resolved.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_name_is_found_wherever_it_stands() {
        let rows = [
            ("--require=./h/x.js", "./h/x.js"),
            ("-Ilib", "lib"),
            ("-MH::Guard", "H/Guard"),
            ("./a:./b", "./b"),
            ("exec(open('my file.py').read())", "my file.py"),
            ("require(\"./h/x\")", "./h/x"),
            ("h.guard", "h/guard"),
            ("h.guard", "h/__init__"),
            ("file:///h/a%20b.mjs", "/h/a b.mjs"),
            ("import h.guard as g", "h/guard"),
            ("do q(h/x.pl)", "h/x.pl"),
            ("@h/args", "h/args"),
            ("h/\\x78 \\150/y", "h/x"),
            ("h/\\x78 \\150/y", "h/y"),
            ("pkg.mod:main", "pkg/mod"),
            ("-skBifh/x.mk", "h/x.mk"),
            ("h/\\x{78}", "h/x"),
            ("h/\\303\\251", "h/é"),
            ("open(\"h/it's.py\")", "h/it's.py"),
            ("system(\"sh \\\"h/a b.sh\\\"\")", "h/a b.sh"),
        ];
        for (text, name) in rows {
            assert!(names(text).contains(name), "{text}: {:?}", names(text));
        }
    }
}
