//! Passwords in calls: of programs on a command line, of functions that connect, of SQL.
//!
//! What stands at that place is a password by the rules of who is called, so a plain word is one
//! too; only what a manual or a script puts there is not.

use std::ops::Range;

use super::{connection::is_given, value};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "curl-password",
        "PASSWORD",
        "The password in a call of curl.",
        Finder::Anchored {
            anchors: &[" -u ", " --user ", " --user=", " -u"],
            find: in_curl,
        },
    )
    .leads(&[("curl", 12)]),
    Rule::secret(
        "command-password",
        "PASSWORD",
        "The password in a call of mysql, docker login, sshpass, redis-cli and their kin.",
        Finder::Anchored {
            anchors: &[
                " -p",
                " -a ",
                " -w ",
                " -pw ",
                " pass:",
                " /user:",
                " -u ",
                " -k ",
                "net user ",
                "htpasswd -",
                "add_user ",
                "change_password ",
                " /p ",
            ],
            find: in_command,
        },
    )
    .leads(&[
        ("mysql", 10),
        ("mysqldump", 10),
        ("mysqladmin", 10),
        ("mariadb", 10),
        ("sshpass", 4),
        ("docker", 8),
        ("podman", 8),
        ("helm", 10),
        ("psexec", 8),
        ("exe", 6),
        ("cli", 10),
        ("mongo", 10),
        ("mongosh", 10),
        ("mongodump", 10),
        ("mongorestore", 10),
        ("sqlcmd", 10),
        ("ldapsearch", 12),
        ("ldapadd", 12),
        ("ldapmodify", 12),
        ("ldapwhoami", 12),
        ("plink", 6),
        ("pscp", 6),
        ("ipmitool", 10),
        ("openssl", 12),
        ("passin", 2),
        ("passout", 2),
        ("smbclient", 6),
        ("net", 5),
        ("htpasswd", 6),
        ("rabbitmqctl", 5),
        ("cqlsh", 8),
        ("zip", 6),
        ("unzip", 6),
        ("signtool", 8),
        ("evil", 6),
        ("winrm", 8),
        ("crackmapexec", 8),
        ("xfreerdp", 8),
    ]),
    Rule::secret(
        "piped-password",
        "PASSWORD",
        "The password that a script hands to sudo or chpasswd.",
        Finder::Anchored {
            anchors: &["sudo -s", "chpasswd"],
            find: in_pipe,
        },
    )
    .leads(&[("echo", 6)]),
    Rule::secret(
        "sql-password",
        "PASSWORD",
        "The password of a user that SQL makes or changes.",
        Finder::Anchored {
            anchors: &["identified by ", "identified with "],
            find: in_sql,
        },
    )
    .leads(&[("identified", 5)]),
    Rule::secret(
        "call-password",
        "PASSWORD",
        "The password that a program hands over to log in.",
        Finder::Anchored {
            anchors: &[
                "mysqli(",
                "mysqli_connect(",
                "mysql_connect(",
                "pdo(",
                "getconnection(",
                "directoryentry(",
                "networkcredential(",
                "usernamepasswordcredentials(",
                "usernamepasswordcredential(",
                "passwordauthentication(",
                "httpbasicauth(",
                "plainauth(",
                "securestring ",
                "set_password(",
                "setpassword(",
                ".login(",
                ".setcredentials(",
                ".credentials(",
                "auth=(",
                "withcredentials(",
                "basicauth(",
                "dbi->connect(",
                "jwt.sign(",
                "jwt.verify(",
                "createhmac(",
            ],
            find: in_function,
        },
    )
    .leads(&[
        ("new", 4),
        ("url", 2),
        ("securestring", 3),
        ("string", 2),
        ("payload", 2),
        ("onnection(", 4),
        ("onnect(", 4),
        ("ysqli(", 4),
        ("uth(", 4),
        ("uth=(", 3),
        ("ogin(", 3),
        ("redentials(", 3),
    ]),
    Rule::secret(
        "letters-password",
        "PASSWORD",
        "The password that Java takes apart into letters to hand it over.",
        Finder::Anchored {
            anchors: &["\".tochararray("],
            find: in_letters,
        },
    ),
];

/// How far before an option the name of the program may stand.
const REACH: usize = 200;

/// The call up to `end`: what stands before it in the same line and the same pipe.
fn call(text: &str, end: usize) -> &str {
    let start = text.floor_char_boundary(end.saturating_sub(REACH));
    let before = &text[start..end];
    before.rsplit(['\n', '|', ';']).next().unwrap_or(before)
}

fn in_curl(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let before = value::near(stretch.text, &(anchor.start..anchor.start), 2048);
    if !before.contains("curl") {
        return None;
    }
    let bytes = stretch.text.as_bytes();
    let quote = bytes
        .get(anchor.end)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let start = anchor.end + usize::from(quote.is_some());
    let is_part =
        |byte: u8| byte.is_ascii_graphic() && Some(byte) != quote && !matches!(byte, b'"' | b'\'');
    let whole = value::run(stretch, start, is_part);
    let colon = bytes[whole.clone()].iter().position(|byte| *byte == b':')?;
    let value = start + colon + 1..whole.end;
    let user = &stretch.text[start..start + colon];
    let is_password =
        !user.contains(['/', '=', '-']) && is_given(&stretch.text[value.clone()], user, "");
    is_password.then_some(value)
}

/// `mysql -p…` without a space, `docker login -p …` and `sshpass -p …` with one.
fn in_command(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    const LDAP: &[&str] = &[
        "ldapsearch",
        "ldapadd",
        "ldapmodify",
        "ldapwhoami",
        "ldapdelete",
    ];
    const SPACED: &[&str] = &[
        "docker login",
        "podman login",
        "helm registry login",
        "helm repo add",
        "sshpass",
        "psexec",
        "PsExec",
        "mongo",
        "crackmapexec",
        "evil-winrm",
        "cqlsh",
    ];
    let text = stretch.text;
    let bytes = text.as_bytes();
    let has = |programs: &[&str]| {
        let call = call(text, anchor.start);
        programs.iter().any(|program| call.contains(program))
    };
    let spaced = anchor.end + usize::from(bytes.get(anchor.end) == Some(&b' '));
    let start = match &text[anchor.clone()] {
        " -p" if has(&["mysql", "mariadb"]) => anchor.end,
        " -p" if has(SPACED) => spaced,
        " -P" if has(&["sqlcmd", "ipmitool", "bcp "]) => spaced,
        " -P" if has(&["zip"]) => spaced,
        " -p" if has(&["7z ", "7za "]) => anchor.end,
        " /p " if has(&["signtool"]) => anchor.end,
        "add_user " | "change_password " if has(&["rabbitmqctl"]) => {
            after_words(stretch, anchor.end, 1)
        }
        " -a " if has(&["redis-cli"]) => anchor.end,
        " -w " if has(LDAP) => anchor.end,
        " -pw " if has(&["plink", "pscp", "psftp", "putty"]) => anchor.end,
        " pass:" if has(&["openssl", "-passin", "-passout"]) => anchor.end,
        " -k " if has(&["openssl enc", "openssl aes", "openssl des"]) => anchor.end,
        // The name of the user stands first, and the file before it.
        "net user " => after_words(stretch, anchor.end, 1),
        "htpasswd -" => {
            let options = value::short_run(stretch, anchor.end, |byte| byte.is_ascii_alphabetic());
            let is_batch = text[options.clone()].contains('b');
            let before = if text[options.clone()].contains('n') {
                1
            } else {
                2
            };
            is_batch.then(|| after_words(stretch, options.end + 1, before))?
        }
        " /user:" if has(&["net use", "NET USE"]) => {
            let user = value::short_run(stretch, anchor.end, |byte| byte.is_ascii_graphic());
            user.end + 1
        }
        // `-U name%password`: the name stands between the option and the mark.
        " -U " | " -u " if has(&["smbclient", "rpcclient", "smbmap"]) => {
            let user = value::short_run(stretch, anchor.end, |byte| {
                byte.is_ascii_graphic() && byte != b'%'
            });
            user.end + 1
        }
        _ => return None,
    };
    let start = start + usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
    let is_part = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`');
    let value = value::short_run(stretch, start, is_part);
    let word = text.get(value.clone())?;
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    (word.len() >= 5 && !is_number && !word.starts_with(['-', '/', '<']) && is_given(word, "", ""))
        .then_some(value)
}

/// Where the word begins that stands after so many others.
fn after_words(stretch: &Stretch, from: usize, words: usize) -> usize {
    (0..words).fold(from, |at, _| {
        value::short_run(stretch, at, |byte| byte.is_ascii_graphic()).end + 1
    })
}

/// `echo … | sudo -S`, `echo user:… | chpasswd`.
fn in_pipe(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let start = text.floor_char_boundary(anchor.start.saturating_sub(REACH));
    let before = text[start..anchor.start].trim_end();
    let before = before.strip_suffix("sudo").unwrap_or(before).trim_end();
    let said = before.strip_suffix('|')?.trim_end();
    let echo = said.rfind("echo ")?;
    let said_at = start + echo + "echo ".len();
    let said = &text[said_at..start + said.len()];
    let bare = said.trim_matches(['"', '\'']);
    let at = said_at + said.find(bare)?;
    let is_list = text[anchor.clone()].eq_ignore_ascii_case("chpasswd");
    let (user, value) = match is_list {
        true => bare.split_once(':')?,
        false => ("", bare),
    };
    let from = at + bare.len() - value.len();
    let is_word = !value.contains([' ', '|', '`']) && !value.starts_with(['-', '$']);
    (value.len() >= 4 && is_word && is_given(value, user, "")).then(|| from..from + value.len())
}

/// `"…".toCharArray()`; alphabets are taken apart the same way.
fn in_letters(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_graphic() && **byte != b'"';
    let before = bytes[..anchor.start].iter().rev().take(64);
    let start = anchor.start - before.take_while(is_part).count();
    let value = &stretch.text[start..anchor.start];
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let small = value.to_ascii_lowercase();
    let is_alphabet = ["0123", "3456", "abcd", "2345"]
        .iter()
        .any(|row| small.contains(row));
    let is_password = start.checked_sub(1).is_some_and(|open| bytes[open] == b'"')
        && (6..=40).contains(&value.len())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !is_alphabet
        && is_given(value, "", "");
    is_password.then_some(start..anchor.start)
}

/// `IDENTIFIED BY '…'`, or with the name of a method before `BY`.
fn in_sql(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let end = stretch
        .text
        .floor_char_boundary((anchor.end + REACH).min(stretch.text.len()));
    let rest = &stretch.text[anchor.end..end];
    let open = rest.find(['\'', '"', '\n', ';'])?;
    let between = rest[..open].to_ascii_lowercase();
    let is_by = match anchor.len() == "identified by ".len() {
        true => between.is_empty(),
        false => between.len() <= 40 && between.ends_with(" by "),
    };
    let span = quoted(stretch, anchor.end + open)?;
    let value = &stretch.text[span.clone()];
    let is_name = value
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && (value.contains('_') || value.len() < 8);
    (is_by && value.len() >= 4 && !is_name && is_given(value, "", "")).then_some(span)
}

/// What stands between the quotes of which the first is at `open`.
fn quoted(stretch: &Stretch, open: usize) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let quote = *bytes
        .get(open)
        .filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let value = value::short_run(stretch, open + 1, |byte| byte != quote && byte != b'\n');
    (bytes.get(value.end) == Some(&quote) && !value.is_empty()).then_some(value)
}

/// `new mysqli(host, user, "…")`: the argument that is the password, if it stands there itself.
fn in_function(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let name = stretch.text[anchor.clone()].to_ascii_lowercase();
    let place = match name.as_str() {
        "securestring " | "set_password(" | "setpassword(" => 0,
        "mysqli(" | "mysqli_connect(" | "mysql_connect(" | "pdo(" | "getconnection("
        | "directoryentry(" | "plainauth(" | "dbi->connect(" => 2,
        _ => 1,
    };
    let bytes = stretch.text.as_bytes();
    let mut at = anchor.end;
    if name == "securestring " && stretch.text[at..].starts_with("-String ") {
        at += "-String ".len();
    }
    for number in 0..=place {
        at = value::short_run(stretch, at, |byte| byte.is_ascii_whitespace()).end;
        let argument = quoted(stretch, at);
        if number == place {
            let span = argument?;
            let value = &stretch.text[span.clone()];
            let is_password = (4..=128).contains(&value.len())
                && !value.contains(' ')
                && !value.starts_with(['-', '/', '<', '$'])
                && is_given(value, "", "");
            return is_password.then_some(span);
        }
        at = match argument {
            Some(span) => span.end + 1,
            None => value::short_run(stretch, at, |byte| !matches!(byte, b',' | b')' | b'\n')).end,
        };
        if bytes.get(at) != Some(&b',') {
            return None;
        }
        at += 1;
    }
    None
}
