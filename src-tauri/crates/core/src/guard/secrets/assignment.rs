//! Values given to names that promise a secret: `password = …`, `api_key: …`.
//!
//! The widest rule, and so the one with the most doubts: a manual, a schema and a program that
//! reads the secret from elsewhere all look alike.

use std::ops::Range;

use super::value::{self, Given};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "password",
        "PASSWORD",
        "A password that is given to its name.",
        Finder::Anchored {
            anchors: &[
                "password",
                "passwd",
                "passphrase",
                "pwd",
                "passcode",
                "pass",
                "pw",
                "passwort",
                "kennwort",
                "contraseña",
                "contrasena",
                "senha",
                "mot de passe",
                "motdepasse",
                "wachtwoord",
                "hasło",
                "пароль",
                "密码",
                "密碼",
                "パスワード",
            ],
            find: password,
        },
    )
    .leads(&[
        ("password", 4),
        ("passwd", 4),
        ("passphrase", 4),
        ("pwd", 4),
        ("pass", 3),
        ("pw", 3),
        ("passcode", 4),
        ("passwort", 4),
        ("kennwort", 4),
        ("contraseña", 4),
        ("contrasena", 4),
        ("senha", 4),
        ("mot", 6),
        ("wachtwoord", 4),
        ("hasło", 4),
        ("пароль", 4),
        ("Пароль", 4),
        ("密", 12),
        ("パ", 16),
    ]),
    Rule::secret(
        "secret-value",
        "SECRET",
        "A value drawn by chance that is given to a name such as token, secret or key.",
        Finder::Anchored {
            anchors: &[
                "secret",
                "token",
                "api_key",
                "apikey",
                "api-key",
                "api key",
                "key",
                "credential",
                "_auth=",
                "authorization",
                "session_id",
                "sessionid",
                "cookie",
            ],
            find: secret_value,
        },
    )
    .leads(&[
        ("key", 4),
        ("keys", 3),
        ("token", 4),
        ("secret", 4),
        ("apikey", 4),
        ("api", 5),
        ("credential", 4),
        ("credentials", 4),
        ("authorization", 4),
        ("auth", 3),
        ("access", 4),
        ("cookie", 3),
    ]),
];

/// What a name goes on with when it names something about a secret and not the secret.
const ABOUT: &[&str] = &[
    "id",
    "ids",
    "name",
    "names",
    "type",
    "url",
    "uri",
    "path",
    "file",
    "filename",
    "field",
    "length",
    "len",
    "count",
    "expires",
    "expiry",
    "expiration",
    "ttl",
    "policy",
    "regex",
    "pattern",
    "label",
    "hint",
    "placeholder",
    "input",
    "reset",
    "version",
    "size",
    "limit",
    "list",
    "arn",
    "env",
    "var",
    "ref",
    "class",
    "format",
    "algorithm",
    "endpoint",
    "provider",
    "manager",
    "service",
    "store",
    "prefix",
    "suffix",
    "strength",
    "error",
    "message",
    "text",
    "title",
    "description",
    "usage",
    "budget",
    "izer",
    "izers",
    "ization",
    "ize",
    "ized",
    "ary",
    "hash",
    "digest",
    "min",
    "max",
    "at",
    "date",
    "time",
    "verified",
    "required",
    "enabled",
    "schema",
];

fn is_about(rest: &str) -> bool {
    let last = rest.rsplit(['_', '-', '.']).next().unwrap_or(rest);
    let last = match last.rfind(|letter: char| letter.is_ascii_uppercase()) {
        Some(hump)
            if last[hump + 1..]
                .bytes()
                .all(|byte| byte.is_ascii_lowercase()) =>
        {
            &last[hump..]
        }
        _ => last,
    };
    let last = last
        .trim_end_matches(|letter: char| letter.is_ascii_digit())
        .to_ascii_lowercase();
    ABOUT.contains(&last.as_str())
}

fn password(stretch: &Stretch, name: Range<usize>) -> Option<Range<usize>> {
    let given = value::given(stretch, name.end)?;
    let rest = &stretch.text[given.rest.clone()];
    let value = &stretch.text[given.value.clone()];
    let is_short = matches!(
        stretch.text[name.clone()].to_ascii_lowercase().as_str(),
        "pass" | "pw"
    );
    if is_short && !is_word(stretch.text, &name) {
        return None;
    }
    (!given.bare && !is_about(rest) && is_password(value, &given)).then_some(given.value)
}

/// Whether it is a word, or the last one of a name: `DB_PASS`, `dbPass`, not `compass`.
fn is_word(text: &str, name: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_hump =
        bytes[name.start].is_ascii_uppercase() && bytes[name.end - 1].is_ascii_lowercase();
    let opens = name.start == 0 || !is_letter(name.start - 1) || is_hump;
    let is_database = text[..name.start].to_ascii_lowercase().ends_with("db");
    (opens || is_database) && !is_letter(name.end)
}

/// What a schema, a form or a program says where a password would stand.
const NO_PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passwort",
    "required",
    "invalid",
    "incorrect",
    "missing",
    "optional",
    "string",
    "text",
    "hidden",
    "enter",
    "forgot",
    "reset",
    "confirm",
    "current",
    "secret",
    "token",
    "null",
    "none",
    "true",
    "false",
    "false.",
    "nil",
    "env",
    "prompt",
    "input",
    "config",
    "value",
    "credential",
    "empty",
    "encrypted",
    "hashed",
    "bearer",
    "field",
    "login",
    "user",
    "default",
    "unset",
    "disabled",
    "enabled",
    "request",
    "expired",
];

fn is_password(value: &str, given: &Given) -> bool {
    let length = value.chars().count();
    if !(5..=128).contains(&length) || value::is_placeholder(value) || is_code(value, given) {
        return false;
    }
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let (small, large) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let digit = has(u8::is_ascii_digit);
    let mark = value.bytes().any(|byte| byte.is_ascii_punctuation());
    let letters = small || large || !value.is_ascii();
    let word = value.to_ascii_lowercase();
    let word = word.trim_matches(|letter: char| !letter.is_ascii_alphabetic());
    if value.contains(' ') || NO_PASSWORDS.contains(&word) && !digit {
        return false;
    }
    if letters && digit {
        return length >= 6 || mark;
    }
    if letters && mark {
        // `user.password`, `db-password`, `reset_link`: names, not passwords.
        let joined = value.bytes().all(|byte| {
            byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b':' | b'\'')
        });
        return !joined && length >= 6 && !given.in_words || (!joined && length >= 8);
    }
    if digit {
        return length >= 6 && !mark && !given.in_words;
    }
    given.quoted
        && !given.in_words
        && length >= 8
        && !NO_PASSWORDS
            .iter()
            .any(|no| no.len() > 4 && word.contains(no))
        && (small && large || length >= 12)
}

/// What a program says in place of a value.
fn is_code(value: &str, given: &Given) -> bool {
    const STARTS: &[&str] = &[
        "process.",
        "os.",
        "env.",
        "env(",
        "getenv",
        "config.",
        "settings.",
        "self.",
        "this.",
        "options.",
        "params.",
        "req.",
        "request.",
        "props.",
        "data.",
        "args.",
        "var.",
        "local.",
        "secrets.",
        "vault.",
        "http://",
        "https://",
        "file:",
        "/",
        "./",
        "../",
        "~/",
        "new ",
        "new_",
        "None",
        "null",
        "&",
        "System.",
        "std::",
        "await",
        "{",
        "[",
        "(",
        "function",
        "lambda",
        "data:",
        "arn:",
        "vault:",
        "op:",
        "kms:",
        "secret:",
        "sha256:",
        "sha512",
        "sha1",
    ];
    if STARTS.iter().any(|start| value.starts_with(start)) {
        return true;
    }
    if value.starts_with('$') && !given.quoted {
        return true;
    }
    if value.starts_with('$')
        && value.len() > 1
        && value[1..]
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    {
        return true;
    }
    if given.quoted {
        return value.contains("${") || value.contains("#{");
    }
    let is_name = value.bytes().all(|byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b'-' | b'!' | b'?' | b'*')
    });
    is_name || is_call(value) || value.contains("::") || value.contains('[') || value.contains('{')
}

/// `getToken(…)`: what stands before the bracket is a name.
fn is_call(value: &str) -> bool {
    let is_name = |name: &str| {
        let letters = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'.' | b':' | b'&' | b'*' | b'!' | b'-' | b'>')
        };
        name.bytes().all(letters)
            && (value::is_readable(name) || !name.bytes().any(|byte| byte.is_ascii_digit()))
    };
    value.split_once('(').is_some_and(|(name, _)| is_name(name))
}

fn secret_value(stretch: &Stretch, name: Range<usize>) -> Option<Range<usize>> {
    let given = value::given(stretch, name.end)?;
    let rest = &stretch.text[given.rest.clone()];
    let value = &stretch.text[given.value.clone()];
    if is_about(rest) || is_public(stretch.text, &name) {
        return None;
    }
    let word = stretch.text[name.clone()].to_ascii_lowercase();
    // A key alone is anything's; a key of something may be a secret.
    let before = name
        .start
        .checked_sub(1)
        .map(|before| stretch.text.as_bytes()[before]);
    let is_of =
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if word == "key" && (!is_of || value.len() < 16 || given.in_words) {
        return None;
    }
    if given.bare && !is_unmistakable(value) {
        return None;
    }
    let telling = ["secret", "api_key", "apikey", "api-key", "api key"];
    let kind = if telling.contains(&word.as_str()) {
        Name::Telling
    } else {
        Name::Vague
    };
    is_secret(value, &given, kind).then_some(given.value)
}

/// What follows a name without a word between them must leave no doubt.
fn is_unmistakable(value: &str) -> bool {
    let head = &value[..value.floor_char_boundary(MEASURED)];
    let has = |is_class: fn(&u8) -> bool| head.bytes().any(|byte| is_class(&byte));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let hex = head.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = head
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    head.len() >= 20 && plain && has(u8::is_ascii_digit) && (mixed || hex && head.len() >= 32)
}

/// `public_key`, `primary_key`, `cache_key`: names that end the same and promise nothing.
fn is_public(text: &str, name: &Range<usize>) -> bool {
    let start = text.floor_char_boundary(name.start.saturating_sub(24));
    let before = text[start..name.start].to_ascii_lowercase();
    let before = before
        .rsplit(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '{' | ','))
        .next();
    let before = before.unwrap_or_default().trim_end_matches(['_', '-', '.']);
    const PUBLIC: &[&str] = &[
        "public",
        "primary",
        "foreign",
        "cache",
        "partition",
        "sort",
        "object",
        "idempotency",
        "translation",
        "group",
        "publishable",
        "lookup",
        "unique",
        "composite",
        "row",
        "csrf",
        "xsrf",
        "page",
        "next",
        "continuation",
        "cancel",
        "cancellation",
        "pub",
        "index",
        "event",
        "site",
        "storage_bucket",
    ];
    let last = before.rsplit(['_', '-', '.']).next().unwrap_or(before);
    PUBLIC.contains(&last)
}

/// How much a name promises: `api_key` more than `token`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Telling,
    Vague,
}

/// How much of a value is measured; what is longer is judged by its beginning.
const MEASURED: usize = 256;

fn is_secret(value: &str, given: &Given, name: Name) -> bool {
    is_drawn(value, given, name) && !is_code(value, given) && !value::is_placeholder(value)
}

fn is_drawn(value: &str, given: &Given, name: Name) -> bool {
    let length = value.len();
    let head = &value[..value.floor_char_boundary(MEASURED)];
    if length < 8 || head.contains(' ') || !head.is_ascii() {
        return false;
    }
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let (small, large) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let digit = has(u8::is_ascii_digit);
    let mark = value
        .bytes()
        .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
    let value = head;
    if value::is_uuid(value) {
        return name == Name::Telling && !is_code(value, given);
    }
    if !digit || !(small || large) {
        return length >= 24
            && small
            && large
            && value::entropy(value) >= 3.9
            && !value::is_readable(value);
    }
    if value::is_readable(value) || is_version_or_date(value) {
        return false;
    }
    if value
        .bytes()
        .any(|byte| matches!(byte, b'<' | b'>' | b'(' | b')' | b'{' | b'}'))
    {
        return false;
    }
    match length {
        0..=7 => false,
        8..=15 => {
            name == Name::Telling
                && given.quoted
                && (small && large || mark)
                && value::entropy(value) >= 2.7
        }
        16..=19 => value::entropy(value) >= 2.9,
        _ => value::entropy(value) >= 3.0,
    }
}

fn is_version_or_date(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let marks = value
        .bytes()
        .filter(|byte| matches!(byte, b'.' | b':' | b'-' | b'T' | b'Z' | b'/' | b'v'))
        .count();
    digits + marks == value.len()
}
