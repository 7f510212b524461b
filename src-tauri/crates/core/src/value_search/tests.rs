//! Every form of a value that is found, and what is left alone. Values are made up here; none is
//! a secret of anybody's.

use proptest::prelude::*;

use super::*;

fn known(values: &[&str]) -> KnownValues {
    KnownValues::new(values.iter().zip(1..).map(|(value, number)| Known {
        value: (*value).to_owned(),
        replacement: format!("[VALUE_{number}]"),
        pieces: Pieces::Searched,
    }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let mut padded = [0; 3];
        padded[..group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for at in 0..=group.len() {
            let sextet = bits >> (18 - 6 * at) & 0x3F;
            out.push(char::from(alphabet[sextet as usize]));
        }
    }
    out
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn percent(text: &str, write: fn(u8) -> String) -> String {
    text.bytes().map(write).collect()
}

fn some_percent(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        b' ' => "+".to_owned(),
        _ => format!("%{byte:02x}"),
    }
}

/// A value in all the forms that a program may leave it in.
fn forms(value: &str) -> Vec<(&'static str, String)> {
    let spelled = |write: fn(char) -> String| value.chars().map(write).collect::<String>();
    let padded = |prefix: &str| [prefix, value, "tail"].concat();
    vec![
        ("as it is", value.to_owned()),
        ("quoted", format!("No file {value:?}.")),
        ("JSON", serde_json::to_string(value).unwrap()),
        (
            "JSON twice",
            serde_json::to_string(&serde_json::to_string(value).unwrap()).unwrap(),
        ),
        (
            "\\u",
            spelled(|it| {
                let mut units = [0; 2];
                let units = it.encode_utf16(&mut units);
                units.iter().map(|unit| format!("\\u{unit:04X}")).collect()
            }),
        ),
        ("\\u{}", spelled(|it| it.escape_unicode().to_string())),
        (
            "\\x",
            value.bytes().map(|it| format!("\\x{it:02x}")).collect(),
        ),
        (
            "octal",
            value.bytes().map(|it| format!("\\{it:03o}")).collect(),
        ),
        ("URL", percent(value, some_percent)),
        ("URL, all", percent(value, |it| format!("%{it:02X}"))),
        ("URL, lower", percent(value, |it| format!("%{it:02x}"))),
        (
            "URL twice",
            percent(&percent(value, |it| format!("%{it:02X}")), some_percent),
        ),
        (
            "HTML",
            value
                .replace('&', "&amp;")
                .replace('"', "&quot;")
                .replace('<', "&lt;"),
        ),
        (
            "HTML numbers",
            spelled(|it| format!("&#{};", u32::from(it))),
        ),
        ("HTML hex", spelled(|it| format!("&#x{:X};", u32::from(it)))),
        (
            "quoted-printable",
            value.bytes().map(|it| format!("={it:02X}")).collect(),
        ),
        ("base64", base64(value.as_bytes(), STANDARD)),
        ("base64 URL", base64(value.as_bytes(), URL_SAFE)),
        ("base64 after 1", base64(padded("x").as_bytes(), STANDARD)),
        ("base64 after 2", base64(padded("xy").as_bytes(), URL_SAFE)),
        ("base64 after 3", base64(padded("xyz").as_bytes(), STANDARD)),
        (
            "base64, glued",
            format!("ab{}", base64(value.as_bytes(), STANDARD)),
        ),
        (
            "base64 twice",
            base64(base64(value.as_bytes(), STANDARD).as_bytes(), STANDARD),
        ),
        (
            "base64 of URL",
            base64(percent(value, some_percent).as_bytes(), STANDARD),
        ),
        (
            "base64 in lines",
            base64(value.as_bytes(), STANDARD)
                .as_bytes()
                .chunks(5)
                .map(|it| String::from_utf8_lossy(it).into_owned() + "\n")
                .collect(),
        ),
        (
            "UTF-16 in base64",
            base64(
                &value
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect::<Vec<_>>(),
                STANDARD,
            ),
        ),
        (
            "UTF-16 in hex",
            hex(&value
                .encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect::<Vec<_>>()),
        ),
        ("hex", hex(value.as_bytes())),
        ("HEX", hex(value.as_bytes()).to_uppercase()),
        ("hex, odd", format!("a{}", hex(value.as_bytes()))),
        (
            "hex list",
            value.bytes().map(|it| format!("0x{it:02x}, ")).collect(),
        ),
        (
            "hex dump",
            value.bytes().map(|it| format!("{it:02x} ")).collect(),
        ),
        ("bytes", format!("{:?}", value.as_bytes())),
        ("upper", value.to_uppercase()),
        ("lower", value.to_lowercase()),
        ("reversed", value.chars().rev().collect()),
        ("glued", format!("before{value}after")),
        ("twice", format!("{value}{value}")),
        ("shell", format!("'{}'", value.replace('\'', "'\\''"))),
        (
            "shell, escaped",
            spelled(|it| format!("\\{it}")).replace("\\n", "n"),
        ),
        ("spaced", spelled(|it| format!("{it} "))),
        ("zero width", spelled(|it| format!("{it}\u{200B}"))),
        ("lines", spelled(|it| format!("{it}\n"))),
        (
            "array",
            serde_json::to_string(&value.chars().map(String::from).collect::<Vec<_>>()).unwrap(),
        ),
        (
            "full width",
            spelled(|it| match u32::from(it) {
                code @ 0x21..=0x7E => char::from_u32(code + 0xFEE0).unwrap().to_string(),
                _ => it.to_string(),
            }),
        ),
    ]
}

/// Long values of every make, none of which a rule knows.
const VALUES: [&str; 7] = [
    "correcthorse99",
    "Tr0ub4dor&3 \"zwölf\"",
    "some words that nobody says",
    "a/b/c/deep-path/x.txt",
    "9081726354",
    "日本語のとても長い秘密",
    "línea-única <&> 50% + 'x'",
];

#[test]
fn a_value_is_found_in_every_form() {
    let mut missed = Vec::new();
    for value in VALUES {
        let known = known(&[value]);
        for (form, text) in forms(value) {
            // Reading the digits of a number as octal escapes is the number's own problem.
            if form == "shell, escaped" && value.starts_with(|it: char| it.is_ascii_digit()) {
                continue;
            }
            let text = format!("The tool said: {text} and ended.");
            let redacted = known.redact(text.clone(), Extent::Whole);
            if !redacted.contains("[VALUE_1]") || !redacted.ends_with("and ended.") {
                missed.push(format!("{form} of {value}: {text} became {redacted}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A value as it is wrapped and decorated where lines are shown.
fn decorated(text: &str, width: usize) -> Vec<(&'static str, String)> {
    let letters: Vec<char> = text.chars().collect();
    let lines: Vec<String> = letters
        .chunks(width)
        .map(|it| it.iter().collect())
        .collect();
    let each = |write: &dyn Fn(usize, &str) -> String| {
        let lines = lines.iter().enumerate();
        let lines = lines.map(|(at, line)| write(at + 9, line));
        lines.collect::<Vec<_>>().join("\n")
    };
    vec![
        ("numbered", each(&|at, line| format!("{at}\t{line}"))),
        ("cat -n", each(&|at, line| format!("{at:6}\t{line}"))),
        (
            "searched",
            each(&|at, line| format!("src/a b:c/x.b64:{at}:{line}")),
        ),
        (
            "searched and numbered",
            each(&|at, line| format!("x.b64:{at}:  {at}\t{line}")),
        ),
        (
            "indented",
            each(&|_, line| format!("{}{line}", " ".repeat(40))),
        ),
        ("quoted", each(&|_, line| format!("> > {line}"))),
        ("commented", each(&|at, line| format!("{at}\t  # {line}"))),
        ("slashes", each(&|at, line| format!("{at}\t// {line}"))),
        ("diff", each(&|_, line| format!("+ {line}"))),
        (
            "strings",
            each(&|at, line| format!("{at}\t    \"{line}\" +")),
        ),
        (
            "strings with line ends",
            each(&|_, line| format!("  + '{line}\\n'")),
        ),
        ("continued", each(&|_, line| format!("  {line} \\"))),
        (
            "array",
            each(&|_, line| format!("\"{line}\",")).replace('\n', " "),
        ),
        ("CRLF", each(&|at, line| format!("{at}:{line}\r"))),
    ]
}

#[test]
fn a_value_that_crosses_decorated_lines_is_found() {
    let value = "correcthorse99-battery";
    let known = known(&[value]);
    let padded = format!("{}DB_PASS={value} OTHER=1", "a".repeat(44));
    let mut missed = Vec::new();
    let mut cases = Vec::new();
    for width in [5, 7, 9, 13] {
        cases.extend(decorated(value, width));
    }
    for start in 0..24 {
        let text = base64(&padded.as_bytes()[start..], STANDARD);
        cases.extend(decorated(&text, 57));
        cases.extend(decorated(&text, 76));
    }
    for (form, text) in cases {
        for text in [text.clone(), serde_json::to_string(&text).unwrap()] {
            let redacted = known.redact(text.clone(), Extent::Pieces);
            if !redacted.contains("[VALUE_1]") {
                missed.push(format!("{form}: {text} became {redacted}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn letters_beyond_ascii_are_found_however_they_are_written() {
    let latin: fn(&str, &dyn Fn(u8) -> String) -> String = |text, write| {
        let each = |it: char| match u8::try_from(it) {
            Ok(byte) if !byte.is_ascii() => write(byte),
            Ok(_) | Err(_) => it.to_string(),
        };
        text.chars().map(each).collect()
    };
    let rows = [
        (
            "Großmannstraße-Süd7",
            "Gro&szlig;mannstra&szlig;e-S&uuml;d7",
        ),
        ("Großmannstraße-Süd7", "Gro&szligmannstra&#223e-S&#xFC;d7"),
        ("Großmannstraße-Süd7", "GROẞMANNSTRASSE-SÜD7"),
        ("Ιησούς-Χριστός", "ΙΗΣΟΎΣ-ΧΡΙΣΤΌΣ"),
        ("ısparta-kırmızı", "ISPARTA-KIRMIZI"),
        ("İstanbul-şifre", "istanbul-şifre"),
        ("πάντα-ῥεῖ-ᾳδης", "&pi;άντα-ῥεῖ-ᾼΔΗΣ"),
        ("Chloë", "Chlo\u{FFFD}"),
        ("Zoë", "Zo&euml;"),
        ("Jürgen", "JÜRGEN"),
        ("Jürgen", "J\u{FFFD}rgen"),
        ("Jürgen", "J%FCrgen"),
    ];
    let mut cases: Vec<(String, String)> = rows
        .map(|(value, text)| (value.to_owned(), text.to_owned()))
        .into();
    for value in ["Großmannstraße-Süd7", "Éléonore Çağlar", "müßig"] {
        let value = value.replace('ğ', "g");
        cases.push((value.clone(), value.to_uppercase()));
        cases.push((value.clone(), latin(&value, &|it| format!("%{it:02X}"))));
        cases.push((value.clone(), latin(&value, &|it| format!("\\x{it:02x}"))));
        cases.push((value.clone(), latin(&value, &|it| format!("\\{it:03o}"))));
        cases.push((value.clone(), latin(&value, &|it| format!("={it:02X}"))));
        cases.push((value.clone(), latin(&value, &|_| "\u{FFFD}".to_owned())));
    }
    for (value, text) in cases {
        let known = known(&[&value]);
        let text = format!("<{text}>");
        let redacted = known.redact(text.clone(), Extent::Whole);
        assert_eq!(redacted, "<[VALUE_1]>", "{value} in {text}");
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        let streamed = streamed(&known, &letters, Extent::Whole);
        assert_eq!(streamed, "<[VALUE_1]>", "{value} in {text}");
    }
}

/// Nobody knows what a text holds that cannot be searched.
#[test]
fn a_search_that_cannot_be_built_holds_everything_back() {
    let mut known = known(&["correcthorse99"]);
    let segment = Arc::try_unwrap(known.segments.remove(0)).ok().unwrap();
    known.segments.push(Arc::new(segment.failed()));
    for text in ["x", "some text", "correcthorse99 in\nlines"] {
        assert_eq!(known.redact(text.to_owned(), Extent::Whole), PART);
        assert!(!streamed(&known, &[text, text], Extent::Whole).contains(text));
    }
}

#[test]
fn values_that_stand_together_are_all_found() {
    let known = known(&[
        "correcthorse99",
        "ann.canary@mail.example.org",
        "4711",
        "Ann",
    ]);
    let rows = [
        (
            "correcthorse99/ann.canary@mail.example.org",
            "[VALUE_1]/[VALUE_2]",
        ),
        (
            "correcthorse99ann.canary@mail.example.org",
            "[VALUE_1][VALUE_2]",
        ),
        ("4711Ann", "[VALUE_3][VALUE_4]"),
        ("Ann4711Ann", "[VALUE_4][VALUE_3][VALUE_4]"),
        ("no 4711, Ann.", "no [VALUE_3], [VALUE_4]."),
    ];
    for (text, expected) in rows {
        assert_eq!(known.redact(text.to_owned(), Extent::Whole), expected);
    }
}

#[test]
fn short_values_are_words_and_nothing_else() {
    let known = known(&["4711", "Mark", "hunter", "a", "王小明", "p!ss9"]);
    let unchanged = [
        "14711 47110 4711a",
        "mark it, Marking, remark",
        "hunters, shunter",
        "a b a",
        "NDcxMQ== 34373131",
    ];
    for text in unchanged {
        assert_eq!(known.redact(text.to_owned(), Extent::Pieces), text);
    }
    let rows = [
        ("pin=4711;", "pin=[VALUE_1];"),
        ("{\"a\":4711}", "{\"a\":[VALUE_1]}"),
        ("%34%37%31%31", "[VALUE_1]"),
        ("Mark's", "[VALUE_2]'s"),
        ("HUNTER", "[VALUE_3]"),
        ("我是王小明吗", "我是[VALUE_5]吗"),
        ("xP!SS9x", "x[VALUE_6]x"),
        ("xp%21ss9x", "x[VALUE_6]x"),
    ];
    for (text, expected) in rows {
        assert_eq!(known.redact(text.to_owned(), Extent::Whole), expected);
    }
}

#[test]
fn pieces_are_found_where_they_are_looked_for_and_cannot_be_put_back() {
    let known = known(&["deep-and-long-secret-name-42/other"]);
    let text = "There is no long-secret-name-42/other here.";
    let redacted = known.redact(text.to_owned(), Extent::Pieces);
    assert_eq!(redacted, "There is no [redacted] here.");
    assert_eq!(known.redact(text.to_owned(), Extent::Whole), text);
    let whole = "deep-and-long-secret-name-42/other";
    assert_eq!(known.redact(whole.to_owned(), Extent::Pieces), "[VALUE_1]");
}

#[test]
fn ordinary_text_is_left_alone() {
    let known = known(&VALUES);
    let text = include_str!("mod.rs");
    assert_eq!(known.redact(text.to_owned(), Extent::Pieces), text);
}

#[test]
fn a_value_that_is_split_over_strings_is_found() {
    let known = known(&["correcthorse99"]);
    let texts = ["x cor", "recthorse", "99 y", "z"].map(str::to_owned);
    let redacted = known.redact_together(&texts, Extent::Whole).unwrap();
    assert_eq!(redacted, ["x [VALUE_1]", "", " y", "z"]);
    assert_eq!(
        known.redact_together(&["x".to_owned()], Extent::Whole),
        None
    );
}

#[test]
fn values_that_are_added_later_are_found_beside_the_others() {
    let mut all = KnownValues::default();
    let value = |number: usize| format!("value{number}canary");
    for number in 0..300 {
        let known = Known {
            value: value(number),
            replacement: format!("[V_{number}]"),
            pieces: Pieces::Searched,
        };
        all.add([known]);
    }
    assert!(all.segments.len() < 12, "{}", all.segments.len());
    for number in [0, 1, 150, 298, 299] {
        let redacted = all.redact(value(number), Extent::Whole);
        assert_eq!(redacted, format!("[V_{number}]"));
    }
}

#[test]
fn time_is_linear_in_the_text() {
    let known = known(&VALUES);
    // What makes the most views: base64 all the way down.
    let mut viewed = Vec::new();
    for length in [1_000, 2_000, 4_000] {
        let text = "QUJD".repeat(length / 4);
        let mut letters = 0;
        each_view(&text, Extent::Pieces, Arrival::Whole, &mut |view, _| {
            letters += view.len();
        });
        assert!(known.find(&text, Extent::Pieces).is_empty());
        viewed.push(letters);
    }
    assert!(viewed[2] <= viewed[0] * 4 + 16 * 1024, "{viewed:?}");
}

fn streamed(known: &KnownValues, pieces: &[&str], extent: Extent) -> String {
    let mut stream = ValueStream::new(extent);
    let mut found = Vec::new();
    for piece in pieces {
        found.extend(stream.push(piece, known));
    }
    found.extend(stream.finish(known));
    let mut text = pieces.concat();
    assert_eq!(stream.cleared(), text.len());
    for it in found.into_iter().rev() {
        text.replace_range(it.range, &it.text);
    }
    text
}

#[test]
fn a_stream_says_the_same_however_it_is_split() {
    let known = known(&["correcthorse99", "4711", "a b!c"]);
    for (value, extent) in [
        ("correcthorse99", Extent::Whole),
        ("correcthorse99", Extent::Pieces),
        ("4711", Extent::Whole),
        ("a b!c", Extent::Whole),
    ] {
        for (form, text) in forms(value) {
            let cut = &value[..value.len() - 1];
            let text = format!("é{text} então {value} {cut} end");
            let whole = streamed(&known, &[&text], extent);
            let borders = (0..text.len()).filter(|at| text.is_char_boundary(*at));
            for border in borders {
                let pieces = [&text[..border], &text[border..]];
                let split = streamed(&known, &pieces, extent);
                assert_eq!(split, whole, "{form} at {border}: {text}");
            }
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            let split = streamed(&known, &letters, extent);
            assert_eq!(split, whole, "{form}: {text}");
            // A number next to a letter is another word.
            assert!(value == "4711" || !whole.contains(value), "{form}: {whole}");
            assert!(extent == Extent::Whole || !whole.contains(cut), "{whole}");
        }
    }
}

/// A long key, as a source's is, in deltas of every size: the stream says what it says of the
/// whole text, holds back little of what stands around it, and lets nothing of it pass.
#[test]
fn a_key_is_redacted_in_a_stream_in_every_form() {
    let key = [
        "sk",
        "-demo-",
        "Ab3dEf6hIj9kLmN0pQrStUv",
        "-",
        "wXyZ1a2B3c4D5e6F7g8H9",
    ]
    .concat();
    let known = known(&[&key]);
    for (form, text) in forms(&key) {
        let text = format!("Sure, 12 of them: {text} and a/b.c, end");
        let whole = streamed(&known, &[&text], Extent::Pieces);
        assert!(
            whole.len() < text.len() || form == "as it is",
            "{form}: {whole}"
        );
        for size in [1, 2, 3, 5, 8, 13, 40, 200] {
            let letters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = letters.chunks(size).map(|it| it.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let split = streamed(&known, &pieces, Extent::Pieces);
            assert_eq!(split, whole, "{form} in pieces of {size}");
        }
    }
}

/// One encoding in another, and a value that is split over strings, a character at a time.
#[test]
fn a_stream_reads_two_layers_and_split_strings() {
    let key = "Ab3dEf6hIj9kLmN0pQrStUvwXyZ1a2B3c4D5e6F7g8H9zz0";
    let base64 = base64(key.as_bytes(), STANDARD);
    let list = |text: &str| text.bytes().map(|it| format!("0x{it:02x}, ")).collect();
    let escapes = |text: &str| text.bytes().map(|it| format!("\\u{it:04x}")).collect();
    let percents: String = key.bytes().map(|it| format!("%{it:02X}")).collect();
    let utf16: Vec<u8> = key.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (first, second) = key.split_at(key.len() / 2);
    let forms: [(&str, String); 6] = [
        ("base64 as a list", list(&base64)),
        ("base64 in escapes", escapes(&base64)),
        (
            "percents in base64",
            self::base64(percents.as_bytes(), STANDARD),
        ),
        (
            "UTF-16 as a list",
            utf16.iter().map(|it| format!("0x{it:02x}, ")).collect(),
        ),
        ("strings", format!("\"{first}\"\n            \"{second}\"")),
        ("base64 twice", self::base64(base64.as_bytes(), STANDARD)),
    ];
    for (form, text) in forms {
        let text = format!("It is {text} and ends.");
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        for extent in [Extent::Whole, Extent::Pieces] {
            let split = streamed(&known(&[key]), &letters, extent);
            assert!(split.contains("[VALUE_1]"), "{form}: {split}");
        }
    }
    let original = "Zoë&mississippiriver2024";
    let text = "It is Zo\\u00eb&mississippiriver2024 and ends.";
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    let split = streamed(&known(&[original]), &letters, Extent::Whole);
    assert_eq!(split, "It is [VALUE_1] and ends.");
}

#[test]
fn a_stream_without_values_clears_everything() {
    let known = known(&["correcthorse99"]);
    let mut stream = ValueStream::new(Extent::Whole);
    let mut text = String::new();
    for (piece, uncertain) in [
        ("Here are some words ", ""),
        ("und 漢字も", ""),
        (" correct", "correct"),
        (" answer. ", ""),
    ] {
        assert_eq!(stream.push(piece, &known), []);
        text.push_str(piece);
        assert_eq!(&text[stream.cleared()..], uncertain);
    }
}

proptest! {
    /// Whatever the text is, no offset is wrong and nothing panics.
    #[test]
    fn any_text_can_be_redacted(text in "\\PC{0,80}", value in "[a-z0-9%&+=\\\\ ]{1,16}") {
        let known = known(&[&value]);
        let around = format!("{text}{value}{text}");
        let redacted = known.redact(around.clone(), Extent::Pieces);
        if Strength::of(&value, &letters::skeleton(&value)) == Strength::Distinct {
            prop_assert!(!redacted.contains(&value) || "[VALUE_1][redacted]".contains(&value));
        }
        let pieces: Vec<String> = around.chars().map(String::from).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        streamed(&known, &pieces, Extent::Whole);
        streamed(&known, &pieces, Extent::Pieces);
    }
}
