//! How much of a harmless text is held back: long values after all the names that may promise a
//! secret, and what models write that has no spaces.
#![allow(clippy::print_stdout, reason = "the figures are what a person reads")]

use super::corpus::{self, Chance};
use super::{Guard, Stage};

/// The most characters that are held back beyond where a candidate begins.
const BOUND: usize = 64;

/// The most characters of a text that are held back while it comes letter by letter.
fn most_held(guard: &Guard, text: &str) -> (usize, String) {
    let mut stream = guard.stream(Stage::Output);
    let mut pieces = Vec::new();
    let (mut most, mut longest) = (0, String::new());
    let mut buffer = [0; 4];
    for letter in text.chars() {
        stream.push(letter.encode_utf8(&mut buffer), &mut pieces);
        if stream.held() > most {
            let held = stream.held_text();
            most = most.max(held.chars().count());
            longest = held;
        }
    }
    (most, longest)
}

/// Says which texts are held back for too long. What is redacted is a key, and may be. Returns the
/// names of those in which something is found.
fn check(texts: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let guard = corpus::guard();
    let (mut beyond, mut harmless, mut found) = (Vec::new(), 0, Vec::new());
    for (name, text) in texts {
        if let Some(first) = guard.check(Stage::Output, &text).first() {
            found.push(format!("{name}: {}", first.rule));
            continue;
        }
        harmless += 1;
        let (most, longest) = most_held(&guard, &text);
        if most > BOUND {
            let start: String = longest.chars().take(90).collect();
            beyond.push(format!("{most} of {name}: {start:?}"));
        }
    }
    println!(
        "{harmless} texts are harmless, {} of them held",
        beyond.len()
    );
    assert!(beyond.is_empty(), "\n{}", beyond.join("\n"));
    found
}

const WORDS: &[&str] = &[
    "water", "wall", "stream", "gate", "level", "flow", "bank", "river", "basin", "depth", "pump",
    "lock", "mill", "pond",
];

fn word(it: &mut Chance) -> &'static str {
    WORDS[it.below(WORDS.len())]
}

fn title(it: &mut Chance) -> String {
    let word = word(it);
    word[..1].to_ascii_uppercase() + &word[1..]
}

fn joined(count: usize, between: &str, mut part: impl FnMut(usize) -> String) -> String {
    let parts: Vec<String> = (0..count).map(&mut part).collect();
    parts.join(between)
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD_NO_PAD.encode(text)
}

fn uuid(it: &mut Chance) -> String {
    [8, 4, 4, 4, 12].map(|count| it.draw("h", count)).join("-")
}

pub(crate) type Value = (&'static str, fn(&mut Chance) -> String);

/// Long values without spaces, none of them drawn by chance but hashes and base64.
const VALUES: &[Value] = &[
    ("path", |it| {
        let parts = joined(16, "/", |_| format!("{}-{}", word(it), it.below(99)));
        format!("/usr/share/{parts}/a.rs:120")
    }),
    ("address", |it| {
        let parts = joined(16, "/", |_| word(it).to_owned());
        format!("https://example.org/{parts}?page=12&sort=up")
    }),
    ("slug", |it| {
        joined(20, "-", |at| match at % 3 {
            0 => format!("{}{}", word(it), it.below(99)),
            _ => word(it).to_owned(),
        })
    }),
    ("calls", |it| {
        let parts = joined(9, ".", |_| {
            format!("{}{}{}{}", word(it), title(it), title(it), it.below(9))
        });
        format!("{parts}()")
    }),
    ("hex", |it| it.draw("h", 160)),
    ("base64", |it| it.draw("b", 160)),
    ("source map", |it| {
        let names = joined(20, ",", |_| format!("\"{}\"", word(it)));
        base64(&format!("{{\"version\":3,\"sources\":[{names}]}}"))
    }),
    ("cursor", |it| {
        let names = joined(20, ",", |_| format!("\"{}\"", word(it)));
        base64(&format!("{{\"type\":\"cursor\",\"items\":[{names}]}}"))
    }),
    ("UUIDs", |it| joined(4, ",", |_| uuid(it))),
    ("numbers", |it| {
        joined(40, ",", |_| it.below(10_000).to_string())
    }),
    ("code", |it| {
        joined(8, ";", |at| {
            format!("var {}{at}={}.map(x=>x+{at})", word(it), word(it))
        })
    }),
    ("dots", |it| joined(26, ".", |_| word(it).to_owned())),
    ("underscores", |it| joined(26, "_", |_| word(it).to_owned())),
    ("constants", |it| {
        joined(22, "_", |_| word(it).to_uppercase() + "2")
    }),
];

const NAMES: &[&str] = &[
    "token",
    "api_key",
    "key",
    "public_key",
    "cache_key",
    "secret",
    "password",
    "passage",
    "code",
    "qrcode",
    "barcode",
    "encoding",
    "sig",
    "signature",
    "design",
    "author",
    "auth",
    "cookie",
    "session_id",
    "credential",
    "license",
    "access",
    "next_page_token",
    "compass",
    "data",
];

/// What stands before a name, between it and its value, and after that.
const LINKS: &[(&str, &str, &str)] = &[
    ("", ": ", ""),
    ("", "=", ""),
    ("\"", "\":\"", "\""),
    ("", " = '", "'"),
    ("<", ">", "</x>"),
    ("--", " ", ""),
];

#[test]
fn no_name_holds_back_a_long_harmless_value() {
    let mut chance = Chance::new(5);
    let mut texts = Vec::new();
    for name in NAMES {
        for (open, link, close) in LINKS {
            for (kind, value) in VALUES {
                let value = value(&mut chance);
                let text = format!("Here it is.\n{open}{name}{link}{value}{close} and so on.\n");
                texts.push((format!("{open}{name}{link}{kind}"), text));
            }
        }
    }
    // Some names do promise a secret, and some values are drawn by chance.
    let found = check(texts).len();
    assert!(
        found * 4 < NAMES.len() * LINKS.len() * VALUES.len(),
        "{found}"
    );
}

/// Texts that a rule had taken for the beginning of a key, each repeated until it is long.
pub(crate) const TEXTS: &[Value] = &[
    ("address of a database", |it| {
        format!(
            "jdbc:sqlserver://db.{}.internal:1433;databaseName={};encrypt=true;trustServerCertificate=false;loginTimeout=30;applicationName={}",
            word(it),
            word(it),
            joined(9, ".", |_| word(it).to_owned())
        )
    }),
    ("markdown address", |it| {
        format!(
            "(http://localhost:8080)[{}]",
            joined(16, "|", |_| word(it).to_owned())
        )
    }),
    ("places of a query", |_| {
        joined(60, ",", |at| format!("${}$", at + 1))
    }),
    ("prices", |_| joined(60, "", |at| format!("$1${at},"))),
    ("class and method", |it| {
        format!(
            "NotificationSettingsScreen.render.{}",
            joined(12, "", |_| title(it))
        )
    }),
    ("inline source map", |it| {
        let names = joined(40, ",", |_| format!("\"{}.ts\"", word(it)));
        let map = base64(&format!(
            "{{\"version\":3,\"sources\":[{names}],\"mappings\":\"AAAA\"}}"
        ));
        format!("//# sourceMappingURL=data:application/json;base64,{map}")
    }),
    ("manifest", |it| {
        let labels = joined(6, "\n", |_| {
            format!(
                "    {}.io/{}: {}-{}",
                word(it),
                word(it),
                word(it),
                it.draw("l", 10)
            )
        });
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  uid: {}\n  labels:\n{labels}\n  selfLink: /api/v1/namespaces/{}/configmaps/{}\n",
            word(it),
            uuid(it),
            word(it),
            word(it)
        )
    }),
    ("settings", |it| {
        format!(
            "[{}.{}]\npublic_key = \"{}\"\nsort_key = \"{}\"\ncode = {}\nauthor = \"{} {}\"\n",
            word(it),
            word(it),
            it.draw("b", 120),
            joined(9, "#", |_| word(it).to_owned()),
            it.below(99_999),
            title(it),
            title(it)
        )
    }),
    ("JSON with long ids", |it| {
        format!(
            "{{\"id\":\"{}\",\"etag\":\"{}\",\"next_page_token\":\"{}\",\"qrcode\":\"{}\",\"parent\":null}},",
            uuid(it),
            it.draw("h", 64),
            it.draw("a", 90),
            it.draw("b", 140)
        )
    }),
    ("elements", |it| {
        format!(
            "<passage><code>/usr/share/{}</code><author>{}</author><design>{}</design><barcode>{}</barcode></passage>",
            joined(12, "/", |_| word(it).to_owned()),
            joined(12, "_", |_| word(it).to_owned()),
            it.draw("h", 96),
            it.draw("d", 13)
        )
    }),
    ("style", |it| {
        format!(
            ".{}-{}{{background:url(data:image/png;base64,{})no-repeat;transition:all.2s}}",
            word(it),
            word(it),
            it.draw("b", 200)
        )
    }),
    ("query", |it| {
        format!(
            "INSERT INTO {}(id,code,signature)VALUES('{}','{}','{}');",
            word(it),
            uuid(it),
            joined(9, "-", |_| word(it).to_owned()),
            it.draw("h", 128)
        )
    }),
    ("diff of a lock file", |it| {
        format!(
            "@@ -{},7 +{},7 @@\n-      \"integrity\": \"sha512-{}==\",\n+      \"integrity\": \"sha512-{}==\",\n",
            it.below(900),
            it.below(900),
            it.draw("b", 86),
            it.draw("b", 86)
        )
    }),
    ("log", |it| {
        format!(
            "ts=2026-03-04T05:06:07Z level=info code={} signature={} path=/{} trace={}\n",
            it.below(600),
            it.draw("h", 64),
            joined(9, "/", |_| word(it).to_owned()),
            it.draw("h", 32)
        )
    }),
    ("links with queries", |it| {
        format!(
            "https://www.{}.org/{}?page_token={}&code={}&sig={}&license={} ",
            word(it),
            word(it),
            it.draw("l", 40),
            it.below(999),
            word(it),
            joined(9, "+", |_| word(it).to_owned())
        )
    }),
];

#[test]
fn no_text_is_taken_for_the_beginning_of_a_key() {
    let texts = (0..3).flat_map(|seed| {
        TEXTS.iter().map(move |(name, text)| {
            let mut chance = Chance::new(seed);
            let text = format!("Here it is.\n{}", joined(4, "", |_| text(&mut chance)));
            ((*name).to_owned(), text)
        })
    });
    assert_eq!(check(texts), Vec::<String>::new());
}

/// A name as long as the number of a bot is none, whatever it begins with.
#[test]
fn a_class_and_its_method_are_no_token() {
    let guard = corpus::guard();
    let text = "NotificationSettingsScreen.render.thatGoesOnForSomeMoreLetters2";
    assert_eq!(guard.check(Stage::Output, text), []);
    assert_eq!(guard.check(Stage::Input, text), []);
}
