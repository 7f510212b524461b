//! Kinds of text as models write them, cut into the pieces in which they arrive. None of
//! them holds anything that a guard would redact.

use weir_tests::chance::pick;

pub(super) struct Text {
    pub(super) name: &'static str,
    pub(super) words: Vec<String>,
}

/// No piece is longer; a token seldom is.
const LONGEST_PIECE: usize = 8;

pub(super) fn texts() -> Vec<Text> {
    [
        ("prose", prose()),
        ("lists", lists()),
        ("code", code()),
        ("csv", csv()),
        ("hashes", hashes()),
        ("paths", paths()),
        ("identifiers", identifiers()),
        ("logs", logs()),
        ("tables", tables()),
        ("uuids", uuids()),
        ("numbers", numbers()),
        ("json", json()),
        ("chinese", chinese()),
        ("addresses", addresses()),
        ("rulers", rulers()),
        ("diff", diff()),
        ("source map", source_map()),
        ("elements", elements()),
        ("long ids", long_ids()),
        ("manifest", manifest()),
        ("toml", toml()),
        ("picture", picture()),
        ("sql", sql()),
        ("css", css()),
        ("queries", queries()),
        ("database", database()),
        ("places", places()),
        ("classes", classes()),
        ("named", named()),
    ]
    .into_iter()
    .map(|(name, text)| Text {
        name,
        words: pieces(&text),
    })
    .collect()
}

/// Words with the space behind them, long ones in pieces.
fn pieces(text: &str) -> Vec<String> {
    let words = text.split_inclusive(char::is_whitespace);
    let pieces = words.flat_map(|word| {
        let letters: Vec<char> = word.chars().collect();
        let pieces = letters.chunks(LONGEST_PIECE);
        pieces.map(String::from_iter).collect::<Vec<_>>()
    });
    pieces.collect()
}

/// The same in every run: a text that a guard finds something in would be another test.
fn digits(line: u64, count: u64) -> String {
    drawn(line, count, b"0123456789")
}

fn hex(line: u64, count: u64) -> String {
    drawn(line, count, b"0123456789abcdef")
}

fn drawn(line: u64, count: u64, among: &[u8]) -> String {
    let draw = |index: u64| {
        let index = pick(13, line * 1_000 + index, 0..among.len() as u64);
        char::from(among[usize::try_from(index).unwrap()])
    };
    (0..count).map(draw).collect()
}

fn lines(count: u64, line: impl Fn(u64) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

const WORDS: [&str; 16] = [
    "water", "wall", "stream", "gate", "level", "flow", "bank", "river", "basin", "depth", "pump",
    "lock", "mill", "pond", "ford", "dam",
];

fn word(number: u64) -> &'static str {
    WORDS[usize::try_from(number % 16).unwrap()]
}

fn prose() -> String {
    lines(12, |n| {
        format!(
            "A weir is a low wall across a {}. It does not stop the {}; it makes it even, so \
             that one can tell how much passes.",
            word(n),
            word(n + 5)
        )
    })
}

fn lists() -> String {
    lines(24, |n| match n % 3 {
        0 => format!("{}. Measure the {} before noon", n / 3 + 1, word(n)),
        1 => format!("   - the {} first, then **the {}**", word(n), word(n + 3)),
        _ => format!("   - [ ] `{}` at the end", word(n + 7)),
    })
}

fn code() -> String {
    lines(8, |n| {
        format!(
            "pub fn {0}_{n}(input: &[u8]) -> Result<u64, Error> {{\n    let {1} = \
             input.iter().map(|b| u64::from(*b)).sum::<u64>();\n    if {1} > {n}_000 {{ return \
             Err(Error::{2}({1})); }}\n    Ok({1} << {n})\n}}\n",
            word(n),
            word(n + 2),
            word(n + 4).to_uppercase()
        )
    })
}

fn csv() -> String {
    lines(24, |n| {
        format!(
            "{n},{},{}.{},2026-03-{:02},{}",
            word(n),
            digits(n, 3),
            digits(n + 50, 2),
            n + 1,
            word(n * 3)
        )
    })
}

fn hashes() -> String {
    lines(20, |n| format!("{}  {}.tar", hex(n, 40), word(n)))
}

fn paths() -> String {
    lines(20, |n| {
        format!(
            "/usr/share/{}/{}-{n}/{}_{}.rs:{}",
            word(n),
            word(n + 1),
            word(n + 2),
            word(n + 9),
            digits(n, 3)
        )
    })
}

fn identifiers() -> String {
    lines(20, |n| {
        format!(
            "w{n} user_{n} id-{} {}{}Id __{}__ kebab-{}-{n} v{n}.{}.0",
            digits(n, 3),
            word(n),
            word(n + 1).to_uppercase(),
            word(n + 2),
            word(n + 3),
            digits(n + 80, 2)
        )
    })
}

fn logs() -> String {
    lines(16, |n| {
        format!(
            "2026-03-04T05:{:02}:07.{}Z INFO gate[{}]: request_id={} level={} took={}ms",
            n,
            digits(n, 3),
            digits(n + 30, 4),
            hex(n, 16),
            word(n),
            digits(n + 60, 2)
        )
    })
}

fn tables() -> String {
    let head = "| name | level | at | state |\n|---|---:|:---:|---|\n".to_owned();
    head + &lines(20, |n| {
        format!(
            "| {}-{n} | {}.{} | {:02}:15 | `{}` |",
            word(n),
            digits(n, 2),
            digits(n + 40, 1),
            n,
            word(n + 6)
        )
    })
}

fn uuids() -> String {
    lines(20, |n| {
        let part = |index: u64, count: u64| hex(n * 10 + index, count);
        let [a, b, c, d, e] = [(0, 8), (1, 4), (2, 3), (3, 3), (4, 12)].map(|(i, l)| part(i, l));
        format!("{a}-{b}-4{c}-a{d}-{e}")
    })
}

/// Like numbers of telephones and of nothing.
fn numbers() -> String {
    lines(24, |n| {
        format!(
            "part {}-{} lot {} {} {} no. {}.{}",
            digits(n, 3),
            digits(n + 30, 4),
            digits(n + 60, 2),
            digits(n + 90, 2),
            digits(n + 120, 2),
            digits(n + 150, 3),
            digits(n + 180, 3)
        )
    })
}

fn json() -> String {
    let items = (0..24).map(|n| {
        format!(
            r#"{{"id":{n},"name":"{}_{n}","ok":true,"level":{}.5,"tags":["{}","{}"],"parent":null}}"#,
            word(n),
            digits(n, 2),
            word(n + 4),
            word(n + 8)
        )
    });
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// A language that puts no spaces between its words.
fn chinese() -> String {
    lines(12, |n| {
        format!(
            "堰是横跨河流的一道矮墙，它并不阻挡水流，而是让水流变得平稳，因此人们可以测量第{n}次的流量。"
        )
    })
}

fn addresses() -> String {
    lines(16, |n| {
        format!(
            "https://example.org/{}/{}?page={n}&sort={}#{}-{}",
            word(n),
            word(n + 1),
            word(n + 2),
            word(n + 3),
            digits(n, 2)
        )
    })
}

fn rulers() -> String {
    lines(8, |n| {
        let ruler = ["-", "=", "*", "_"][usize::try_from(n % 4).unwrap()].repeat(72);
        format!("{ruler}\n{} {n}", word(n))
    })
}

fn diff() -> String {
    lines(12, |n| {
        format!(
            "@@ -{n},{} +{n},{} @@ fn {}()\n-    let {} = {};\n+    let {} = {};",
            n + 3,
            n + 4,
            word(n),
            word(n + 1),
            digits(n, 4),
            word(n + 1),
            digits(n + 70, 4)
        )
    })
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What bundlers put at the end of a file: JSON in base64, which begins as a web token does.
fn source_map() -> String {
    let map = "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIndhdGVyLnRzIiwid2FsbC50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoi";
    let rest = drawn(1, 600, BASE64);
    format!("//# sourceMappingURL=data:application/json;base64,{map}{rest}\n")
}

fn elements() -> String {
    lines(6, |n| {
        let path: Vec<&str> = (0..14).map(|at| word(n + at)).collect();
        let path = path.join("/");
        format!(
            "<passage><code>/usr/share/{path}</code><author>{path}</author><key>{path}</key></passage>"
        )
    })
}

fn long_ids() -> String {
    lines(6, |n| {
        format!(
            r#"{{"public_key":"{}","cache_key":"{}","qrcode":"{}","signature":"{}"}},"#,
            drawn(n, 88, BASE64),
            hex(n + 20, 64),
            drawn(n + 40, 120, BASE64),
            hex(n + 60, 128)
        )
    })
}

fn manifest() -> String {
    lines(6, |n| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  annotations:\n    \
             {}.io/{}-{}: /api/v1/namespaces/{}/configmaps/{}-{n}/{}/{}/{}\n---",
            word(n),
            word(n + 1),
            word(n + 2),
            word(n + 3),
            word(n + 4),
            word(n + 5),
            word(n + 6),
            word(n + 7),
            word(n + 8)
        )
    })
}

fn toml() -> String {
    lines(8, |n| {
        format!(
            "[{}.{}]\nauthor = \"{} {}\"\nlicense = \"{}\"\nchecksum = \"{}\"",
            word(n),
            word(n + 1),
            word(n + 2),
            word(n + 3),
            word(n + 4),
            hex(n, 64)
        )
    })
}

fn picture() -> String {
    format!("![](data:image/png;base64,{})\n", drawn(2, 900, BASE64))
}

fn sql() -> String {
    lines(8, |n| {
        format!(
            "INSERT INTO {}(id,code,design)VALUES('{}','{}','{}-{}-{}-{}');",
            word(n),
            hex(n, 32),
            hex(n + 30, 64),
            word(n + 1),
            word(n + 2),
            word(n + 3),
            word(n + 4)
        )
    })
}

fn css() -> String {
    let rule = |n: u64| {
        format!(
            ".{}-{}>.{}::before{{color:#{};transition:opacity.2s,transform.3s;margin:0 auto}}",
            word(n),
            word(n + 1),
            word(n + 2),
            hex(n, 6)
        )
    };
    (0..16).map(rule).collect::<String>() + "\n"
}

fn queries() -> String {
    lines(8, |n| {
        format!(
            "https://example.org/{}?page_token={}&code={}&author={}&design={}-{}-{}",
            word(n),
            hex(n, 48),
            digits(n, 3),
            word(n + 1),
            word(n + 2),
            word(n + 3),
            word(n + 4)
        )
    })
}

fn database() -> String {
    lines(8, |n| {
        format!(
            "jdbc:sqlserver://db.{}.internal:1433;databaseName={};encrypt=true;loginTimeout=30;\
             applicationName={}.{}.{}",
            word(n),
            word(n + 1),
            word(n + 2),
            word(n + 3),
            word(n + 4)
        )
    })
}

/// Of a query, which look like the marks of a hash.
fn places() -> String {
    let places: Vec<String> = (1..90).map(|n| format!("${n}$")).collect();
    places.join(",") + "\n"
}

fn classes() -> String {
    lines(8, |n| {
        let title = |n: u64| {
            let word = word(n);
            word[..1].to_uppercase() + &word[1..]
        };
        format!(
            "NotificationSettingsScreen.render.that{}{}{}{}{}{}",
            title(n),
            title(n + 1),
            title(n + 2),
            title(n + 3),
            title(n + 4),
            title(n + 5)
        )
    })
}

/// Long words after names that promise something.
fn named() -> String {
    lines(8, |n| {
        let calls: Vec<String> = (0..9)
            .map(|at| format!("{}{}", word(n + at), word(n + at + 1).to_uppercase()))
            .collect();
        let numbers: Vec<String> = (0..24).map(|at| digits(n * 50 + at, 4)).collect();
        format!(
            "session_id = '{}()'\npassword: {}",
            calls.join("."),
            numbers.join(",")
        )
    })
}
