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
                "_pass",
                "passcode",
                "dbpass",
                "userpass",
                "pass=",
                "pass:",
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
                "access_key",
                "access-key",
                "accesskey",
                "auth_key",
                "authkey",
                "private_key",
                "privatekey",
                "encryption_key",
                "encryptionkey",
                "signing_key",
                "signingkey",
                "master_key",
                "masterkey",
                "service_key",
                "app_key",
                "appkey",
                "account_key",
                "accountkey",
                "session_key",
                "license_key",
                "hmac_key",
                "aes_key",
                "credential",
                "_auth=",
                "client_key",
                "consumer_key",
                "webhook_key",
                "deploy_key",
                "admin_key",
                "storage_key",
                "jwt_key",
                "_key",
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
    (!is_about(rest) && is_password(value, &given)).then_some(given.value)
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
    is_name
        || value.contains('(')
        || value.contains("::")
        || value.contains('[')
        || value.contains('{')
}

fn secret_value(stretch: &Stretch, name: Range<usize>) -> Option<Range<usize>> {
    let given = value::given(stretch, name.end)?;
    let rest = &stretch.text[given.rest.clone()];
    let value = &stretch.text[given.value.clone()];
    if is_about(rest) || is_public(stretch.text, &name) {
        return None;
    }
    let word = stretch.text[name].to_ascii_lowercase();
    let telling = ["secret", "api_key", "apikey", "api-key", "api key"].contains(&word.as_str());
    is_secret(value, &given, telling).then_some(given.value)
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

fn is_secret(value: &str, given: &Given, telling: bool) -> bool {
    let length = value.len();
    if value::is_placeholder(value)
        || is_code(value, given)
        || value.contains(' ')
        || !value.is_ascii()
    {
        return false;
    }
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let (small, large) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let digit = has(u8::is_ascii_digit);
    let mark = value
        .bytes()
        .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
    if value::is_uuid(value) {
        return telling;
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
            telling && given.quoted && (small && large || mark) && value::entropy(value) >= 2.7
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
