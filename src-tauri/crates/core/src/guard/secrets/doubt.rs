//! What a program, a schema or a manual says in place of a secret.

use super::given::Given;
use super::value;

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
    "smanager",
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

pub(super) fn is_about(rest: &str) -> bool {
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

/// What a program says in place of a value.
pub(super) fn is_code(value: &str, given: &Given) -> bool {
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
        "@Microsoft.KeyVault",
        "ENC[",
        "ENC(",
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
        // `"'$NAME'"`: a shell fills it in.
        let bare = value.trim_matches(['\'', '"']);
        let is_variable = bare.len() < value.len()
            && bare.strip_prefix('$').is_some_and(|name| {
                let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                name.bytes().all(is_letter)
            });
        if is_variable {
            return true;
        }
        return is_template(value);
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

/// `${NAME}` and `#{name}`: a gap that a program fills.
fn is_template(value: &str) -> bool {
    ["${", "#{"].iter().any(|open| {
        value.split_once(open).is_some_and(|(_, rest)| {
            let is_name =
                |letter: char| letter.is_ascii_alphanumeric() || "_.-:[]'\"() ".contains(letter);
            let name = rest.split('}').next().unwrap_or(rest);
            name.len() < rest.len() && name.chars().all(is_name)
        })
    })
}
