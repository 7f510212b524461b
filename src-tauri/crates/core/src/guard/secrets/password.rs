//! Passwords that are given to their names.
//!
//! A password may be a word like any other, so what stands around it decides: a line of settings
//! gives a value, a program gives a name, a sentence goes on.

use std::ops::Range;

use super::doubt::{is_about, is_code};
use super::given::{By, Given, given};
use super::value;
use super::word::{is_letters, is_method, is_name_of_one, is_no_password, is_remark};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

/// What a password is called.
const NAMES: &[&str] = &[
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
    "비밀번호",
    "lösenord",
    "passord",
    "adgangskode",
    "salasana",
    "parola",
    "heslo",
    "şifre",
    "psk",
    "requirepass",
    "masterauth",
    "bindpw",
    "storepass",
    "keypass",
];

pub(super) const RULES: &[Rule] = &[Rule::secret(
    "password",
    "PASSWORD",
    "A password that is given to its name.",
    Finder::Anchored {
        anchors: NAMES,
        find: password,
    },
)
.leads(&[
    ("password", 7),
    ("passwd", 5),
    ("passphrase", 7),
    ("pwd", 7),
    ("pass", 3),
    ("pw", 6),
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
    ("비밀번호", 4),
    ("lösenord", 4),
    ("passord", 4),
    ("adgangskode", 4),
    ("salasana", 4),
    ("parola", 4),
    ("heslo", 4),
    ("şifre", 4),
    ("psk", 4),
    ("requirepass", 3),
    ("masterauth", 3),
    ("bindpw", 3),
    ("storepass", 3),
    ("keypass", 3),
    ("nmcli", 8),
    ("userpwd", 3),
    ("pgpassword", 4),
    ("mysqlpassword", 4),
    ("sqlpassword", 4),
    ("dbpassword", 4),
    ("dbpass", 4),
    ("dbpasswd", 4),
    ("userpassword", 4),
    ("userpass", 4),
    ("rootpassword", 4),
    ("adminpassword", 4),
    ("mypassword", 4),
    ("keypassword", 4),
    ("storepassword", 4),
    ("sshpass", 4),
    // What gives a value by its place: `ENV PASSWORD …`, `machine … password …`.
    ("env", 2),
    ("arg", 2),
    ("setenv", 2),
    ("machine", 7),
    ("login", 6),
    ("log", 6),
    ("logged", 6),
    ("user", 4),
    ("username", 4),
    ("account", 4),
])];

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

/// Whether a name that is known by `known` and goes on with `rest` is that of a password.
fn is_named(text: &str, known: &Range<usize>, rest: &str) -> bool {
    let word = text[known.clone()].to_ascii_lowercase();
    let is_short = matches!(word.as_str(), "pass" | "pw" | "psk" | "parola" | "heslo");
    let goes_on = word == "psk" && !rest.is_empty();
    !(is_short && !is_word(text, known) || goes_on || is_about(rest))
}

/// Whether what is given to a name may be a password, as far as the name tells.
pub(super) fn is_promised(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    NAMES.iter().any(|known| {
        let mut places = small.match_indices(known);
        places.any(|(at, _)| {
            let known = at..at + known.len();
            is_named(name, &known, &name[known.end..])
        })
    })
}

fn password(stretch: &Stretch, name: Range<usize>) -> Option<Range<usize>> {
    let given = given(stretch, name.end)?;
    let rest = &stretch.text[given.rest.clone()];
    if !is_named(stretch.text, &name, rest) {
        return None;
    }
    if given.by == By::Loose && is_argument(stretch.text, &name, &given) {
        return None;
    }
    let is_given = match given.by {
        By::Nothing => {
            is_shown(stretch, &name, &given)
                || is_directive(stretch.text, &name)
                    && is_password(&stretch.text[given.value.clone()], &given)
        }
        By::Mark | By::Loose | By::Position | By::Neighbour | By::Words => {
            is_password(&stretch.text[given.value.clone()], &given)
                || is_plain_word(stretch, &name, &given)
                || is_two_words(stretch, &name, &given)
        }
    };
    is_given.then(|| with_marks(stretch.text, &given))
}

/// `f(password, realm=…)`, `pass(…)`: what a program hands over by its name, or to a function.
fn is_argument(text: &str, name: &Range<usize>, given: &Given) -> bool {
    let value = &text[given.value.clone()];
    let is_call = text[name.end..given.value.start].contains('(');
    let is_named = || {
        let name = value.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.bytes().all(is_letter)
        })
    };
    let is_function = text[name.clone()].eq_ignore_ascii_case("pass");
    is_call && (is_function || !given.quoted) || !given.quoted && is_named()
}

/// Settings of servers whose value stands beside them, with nothing between.
fn is_directive(text: &str, name: &Range<usize>) -> bool {
    let word = text[name.clone()].to_ascii_lowercase();
    matches!(
        word.as_str(),
        "requirepass" | "masterauth" | "bindpw" | "storepass" | "keypass"
    )
}

/// A sentence may end with the password or with a mark; in doubt the mark belongs to it.
fn with_marks(text: &str, given: &Given) -> Range<usize> {
    let rest = text.as_bytes()[given.value.end..].iter();
    let marks = rest.take_while(|byte| matches!(byte, b'!' | b'?')).count();
    let marks = if given.quoted { 0 } else { marks };
    given.value.start..given.value.end + marks
}

/// What only follows the name: in a file of logins, in quotes, or because it cannot be a word.
fn is_shown(stretch: &Stretch, name: &Range<usize>, given: &Given) -> bool {
    let value = &stretch.text[given.value.clone()];
    if value::is_placeholder(value) || is_code(value, given) && !given.quoted {
        return is_login(stretch, name) && is_letters(value) && !is_no_password(value);
    }
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let mark = has(u8::is_ascii_punctuation);
    let is_letters_and_digits = value.len() >= 6
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !is_no_password(value)
        && !is_name_of_one(value);
    let is_strong = value.len() >= 8
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && (mixed || mark)
        && !value::is_readable(value);
    is_login(stretch, name) && value.len() >= 4
        || is_quoted(stretch, name, given) && is_password(value, given)
        || is_strong
        || is_letters_and_digits && !is_method(value) && is_beside_user(stretch, name)
}

/// `log in as admin with password …`: who it is stands before it.
fn is_beside_user(stretch: &Stretch, name: &Range<usize>) -> bool {
    let start = name.start.saturating_sub(64);
    let before = &stretch.text[stretch.text.ceil_char_boundary(start)..name.start];
    let before = before.to_ascii_lowercase();
    let is_joined = before
        .split_ascii_whitespace()
        .next_back()
        .is_some_and(|word| matches!(word, "and" | "with" | "/" | "&" | "the" | "using"));
    let is_user = |word: &str| {
        let word = word.trim_matches(|letter: char| !letter.is_ascii_alphabetic());
        matches!(
            word,
            "user" | "username" | "login" | "log" | "logged" | "account" | "as"
        )
    };
    is_joined && before.split_ascii_whitespace().any(is_user) || before.contains("nmcli ")
}

/// Two words that somebody chose, in quotes or joined: `'open sesame'`. Only a setting that is
/// alone in its line is given one; programs give names of the same looks.
fn is_two_words(stretch: &Stretch, name: &Range<usize>, given: &Given) -> bool {
    let text = stretch.text;
    let value = &text[given.value.clone()];
    let mark = if given.quoted { ' ' } else { '_' };
    let Some((one, other)) = value.split_once(mark) else {
        return false;
    };
    let is_chosen = |word: &str| {
        (3..=16).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !is_remark(word)
    };
    let is_given = given.by == By::Mark
        && given.rest.is_empty()
        && text[name.end..given.value.start].contains('=')
        && is_chosen(one)
        && is_chosen(other)
        && one.len() + other.len() >= 8
        && !is_no_password(one)
        && !is_no_password(other)
        && !is_name_of_one(value)
        && !value::is_placeholder(value);
    let start = text[..name.start].rfind('\n').map_or(0, |line| line + 1);
    let is_first = text[start..name.start]
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    let is_alone = is_first && ends_line(text.as_bytes(), given.value.end);
    is_given && (given.quoted || is_alone)
}

/// `WITH PASSWORD '…'`; a manual puts code between its marks after `pass`.
fn is_quoted(stretch: &Stretch, name: &Range<usize>, given: &Given) -> bool {
    let is_code = stretch.text[..given.value.start].ends_with('`');
    given.quoted && !is_code && name.len() > "pass".len()
}

/// `machine … login … password …`, as programs keep what they log in with.
fn is_login(stretch: &Stretch, name: &Range<usize>) -> bool {
    let start = name.start.saturating_sub(160);
    let before = &stretch.text[stretch.text.ceil_char_boundary(start)..name.start];
    let mut words = before.split_ascii_whitespace().rev().skip(1);
    words.next() == Some("login")
        && (words.next() == Some("default") || words.next() == Some("machine"))
}

/// No person has a longer one; what is longer is judged as any other key.
const LONGEST: usize = 128;

fn is_password(value: &str, given: &Given) -> bool {
    let length = value.chars().count();
    if length > LONGEST {
        return value::is_random(value) && !value.contains(' ') && !value::is_wordy(value);
    }
    if length > value::SHORT && value::is_wordy(value) {
        return false;
    }
    if length < 5 || value::is_placeholder(value) || is_code(value, given) {
        return false;
    }
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let (small, large) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let digit = has(u8::is_ascii_digit);
    let mark = has(u8::is_ascii_punctuation);
    let letters = small || large || !value.is_ascii();
    let in_words = matches!(given.by, By::Words | By::Nothing);
    if value.contains(' ') || is_no_password(value) && !digit {
        return false;
    }
    // `required|string|min:8`: what a form checks.
    let is_check = value
        .split_once('|')
        .is_some_and(|(first, _)| is_no_password(first));
    if is_check || (in_words || given.by == By::Loose) && is_method(value) && !mark {
        return false;
    }
    if letters && digit {
        return length >= 6 || mark;
    }
    if letters && mark {
        // `user.password`, `db-password`, `reset_link`: names, not passwords.
        let joined = value
            .trim_start_matches(['#', '*', ':', '@'])
            .bytes()
            .all(|byte| {
                byte.is_ascii_alphabetic()
                    || matches!(byte, b'.' | b'_' | b'-' | b'/' | b':' | b'\'')
            });
        return !joined && length >= 6 && !in_words || (!joined && length >= 8);
    }
    if digit {
        return length >= 6 && !mark && !in_words;
    }
    given.quoted
        && !in_words
        && length >= 8
        && (small && large || length >= 12)
        && !is_title(value)
        && !is_name_of_one(value)
}

/// A label or the name of a type: `Required`, `Token`.
fn is_title(value: &str) -> bool {
    let rest = value.bytes().skip(1);
    value.starts_with(|letter: char| letter.is_ascii_uppercase())
        && rest.into_iter().all(|byte| byte.is_ascii_lowercase())
}

/// `URLPatternResult`: words that begin with capitals, each with a vowel, or an acronym.
fn is_type(value: &str) -> bool {
    let bytes = value.as_bytes();
    let opens = |at: usize| {
        bytes[at].is_ascii_uppercase()
            && (!bytes[at - 1].is_ascii_uppercase()
                || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))
    };
    let mut start = 0;
    for end in (1..=bytes.len()).filter(|at| *at == bytes.len() || opens(*at)) {
        let word = &bytes[start..end];
        let has_vowel = word.iter().any(|byte| b"aeiouyAEIOUY".contains(byte));
        let is_acronym = (2..=5).contains(&word.len()) && word.iter().all(u8::is_ascii_uppercase);
        if !(word.len() >= 3 && has_vowel || is_acronym) {
            return false;
        }
        start = end;
    }
    true
}

/// A word of letters alone: only where the line is one of settings, and ends with it.
fn is_plain_word(stretch: &Stretch, name: &Range<usize>, given: &Given) -> bool {
    let value = &stretch.text[given.value.clone()];
    if !is_letters(value)
        || !(6..=40).contains(&value.len())
        || value::is_placeholder(value)
        || is_name_of_one(value)
        || is_no_password(value)
    {
        return false;
    }
    let bytes = stretch.text.as_bytes();
    let small = value.bytes().all(|byte| byte.is_ascii_lowercase());
    let large = value.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_drawn =
        !small && !large && value.len() >= 8 && !value::is_readable(value) && !is_type(value);
    let is_setting = stretch.text[name.clone()]
        .bytes()
        .all(|byte| byte.is_ascii_uppercase());
    let is_glued = given.value.start.checked_sub(2).is_some_and(|before| {
        bytes[before + 1] == b'='
            && (bytes[before].is_ascii_alphanumeric() || bytes[before] == b'_')
    });
    let ends_line = ends_line(bytes, given.value.end);
    let ends_word = bytes.get(given.value.end).is_none_or(|byte| {
        byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'"' | b'\'')
    });
    match given.by {
        By::Position => (small || is_drawn) && ends_word,
        By::Mark if given.quoted => small && value.len() >= 8 || is_drawn,
        By::Neighbour if given.quoted => small || is_drawn,
        By::Mark | By::Neighbour if is_glued => {
            ends_word
                && (small || is_drawn || is_setting && !large && !is_title(value))
                && value.len() >= 7
        }
        By::Mark | By::Neighbour => {
            value.len() >= 8
                && (is_drawn || ends_line && (small || is_setting && !large && !is_title(value)))
        }
        By::Words => is_drawn && value.len() >= 10 || is_said(stretch.text, given),
        // `define('DB_PASSWORD', '…')`: two strings, and nothing between them but the comma.
        By::Loose => {
            let between = &stretch.text[name.end + given.rest.len()..given.value.start];
            let is_pair =
                between.len() <= 5 && between.starts_with(['\'', '"']) && between.contains(',');
            given.quoted
                && is_pair
                && !between.contains(['\n', ')'])
                && (small && value.len() >= 8 || is_drawn)
        }
        By::Nothing => false,
    }
}

/// `the password is 'blueberry'`: what a sentence quotes right after the name.
fn is_said(text: &str, given: &Given) -> bool {
    let value = &text[given.value.clone()];
    let bytes = text.as_bytes();
    let open = bytes[given.value.start - 1];
    given.quoted
        && matches!(open, b'"' | b'\'')
        && bytes.get(given.value.end) == Some(&open)
        && value.bytes().all(|byte| byte.is_ascii_lowercase())
        && !is_remark(value)
}

fn ends_line(bytes: &[u8], end: usize) -> bool {
    let rest = bytes[end..].iter();
    let next = rest.into_iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    next.is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'#'))
}
