//! Texts of many kinds, generated from seeds: what models write all day, and what has no spaces.

use crate::guard::corpus::Chance;
use crate::guard::holding_tests::TEXTS;

/// A kind of text, and how one part of it is generated.
pub(super) type Kind = (&'static str, fn(&mut Chance) -> String);

const WORDS: &[&str] = &[
    "river", "water", "stone", "the", "of", "holds", "back", "level", "gate", "open", "slowly",
    "under", "bridge", "and", "flow", "measure", "when", "rain", "begins", "early", "Function",
    "module", "parser", "buffer", "index", "table", "value", "report", "name", "list",
];

/// Every kind there is, with those that a rule once took for the beginning of a key.
pub(super) fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().chain(TEXTS)
}

const KINDS: &[Kind] = &[
    ("prose", |it| {
        let mut text = words(it, 12, " ");
        text.push_str(". ");
        text
    }),
    ("bullet list", |it| {
        format!("- {} ({})\n", words(it, 4, " "), it.below(900))
    }),
    ("numbered list", |it| {
        format!("{}. {}\n", it.below(90), words(it, 5, " "))
    }),
    ("code", |it| {
        format!(
            "    let {}_{} = self.{}({}, \"{}\")?; // {}\n",
            word(it),
            it.below(9),
            word(it),
            it.below(5_000),
            word(it),
            words(it, 3, " ")
        )
    }),
    ("CSV", |it| {
        format!(
            "{},2024-{:02}-{:02},{},{}.{},{}\n",
            it.below(99_999),
            1 + it.below(12),
            1 + it.below(28),
            words(it, 2, " "),
            it.below(900),
            it.below(99),
            it.draw("u", 8)
        )
    }),
    ("CSV on one line", |it| {
        format!("{},{},{:.2};", it.below(999), word(it), it.below(9_999))
    }),
    ("hashes", |it| format!("{} ", it.draw("h", 40))),
    ("long hashes", |it| format!("{}\n", it.draw("h", 128))),
    ("hashes and paths", |it| {
        format!(
            "{}  src/{}/{}_{}.rs ",
            it.draw("h", 64),
            word(it),
            word(it),
            it.below(99)
        )
    }),
    ("paths", |it| {
        format!(
            "/usr/lib/x86_64-linux-gnu/{}/{}-{}.{}.so.{} ",
            word(it),
            word(it),
            it.below(9),
            it.below(99),
            it.below(9)
        )
    }),
    ("identifiers", |it| {
        format!(
            "w{} user_{} id-{} ",
            it.below(999),
            it.below(99),
            it.below(9_999)
        )
    }),
    ("logs", |it| {
        format!(
            "2024-05-{:02}T{:02}:{:02}:{:02}.{:03}Z INFO [{}-{}] {} took {}ms status=200 id={}\n",
            1 + it.below(28),
            it.below(24),
            it.below(60),
            it.below(60),
            it.below(1_000),
            word(it),
            it.below(16),
            words(it, 3, " "),
            it.below(900),
            it.draw("h", 16)
        )
    }),
    ("logs on one line", |it| {
        format!(
            "t={} pid={} level=info msg={} dur={}ms | ",
            it.below(99_999),
            it.below(32_000),
            word(it),
            it.below(99)
        )
    }),
    ("tables", |it| {
        format!(
            "| {} | {} | {}.{} | {} |\n|------|-----:|------------------------------------------|---|\n",
            word(it),
            it.below(9_999),
            it.below(99),
            it.below(99),
            it.draw("u", 6)
        )
    }),
    ("UUIDs", |it| format!("{} ", uuid(it))),
    ("UUIDs on lines", |it| format!("{}\n", uuid(it))),
    ("phone-like numbers", |it| {
        format!(
            "{:03}-{:03}-{:04} ",
            200 + it.below(700),
            it.below(1_000),
            it.below(10_000)
        )
    }),
    ("grouped numbers", |it| {
        format!("{:03} {:04} ", it.below(1_000), it.below(10_000))
    }),
    ("numbers", |it| format!("{}, ", it.below(99_999))),
    ("numbers without commas", |it| {
        format!("{} ", it.below(99_999_999))
    }),
    ("minified JSON", |it| {
        format!(
            "{{\"id\":{},\"name\":\"{}\",\"tags\":[\"{}\",\"{}\"],\"ok\":true,\"at\":\"2024-01-{:02}\",\"v\":{}.{}}},",
            it.below(99_999),
            word(it),
            word(it),
            word(it),
            1 + it.below(28),
            it.below(9),
            it.below(999)
        )
    }),
    ("minified code", |it| {
        format!(
            "function {}({},t){{return {}[t].{}({}+1)||null}};",
            it.draw("L", 2),
            word(it),
            word(it),
            word(it),
            it.below(99)
        )
    }),
    ("data URL", |it| {
        format!("data:image/png;base64,{}\n", it.draw("b", 600))
    }),
    ("base64", |it| it.draw("b", 200)),
    ("base64 in lines", |it| format!("{}\n", it.draw("b", 76))),
    ("long URLs", |it| {
        format!(
            "https://www.{}.org/{}/{}?page={}&q={}&ref={}#{} ",
            word(it),
            words(it, 4, "/"),
            it.draw("l", 24),
            it.below(99),
            words(it, 5, "+"),
            it.draw("a", 20),
            word(it)
        )
    }),
    ("diff", |it| {
        format!(
            "@@ -{},7 +{},9 @@ fn {}()\n-    {}({});\n+    {}({}, {});\n",
            it.below(900),
            it.below(900),
            word(it),
            word(it),
            it.below(99),
            word(it),
            it.below(99),
            word(it)
        )
    }),
    ("hexdump", |it| {
        let bytes: Vec<String> = (0..16).map(|_| it.draw("h", 2)).collect();
        format!(
            "{:08x}  {}  |{}|\n",
            it.below(1 << 30),
            bytes.join(" "),
            it.draw("a", 16)
        )
    }),
    ("hexdump on one line", |it| format!("{} ", it.draw("h", 2))),
    ("byte list", |it| format!("{}, ", it.below(256))),
    ("emails", |it| {
        format!(
            "{}.{}{}@{}.org, ",
            word(it),
            word(it),
            it.below(99),
            word(it)
        )
    }),
    ("emails without spaces", |it| {
        format!("{}.{}@{}.org;", word(it), word(it), word(it))
    }),
    ("Chinese", |it| glyphs(it, 0x4E00, 0x9FA0, 20) + "。"),
    ("Japanese", |it| glyphs(it, 0x3041, 0x3094, 24) + "、"),
    ("Korean", |it| glyphs(it, 0xAC00, 0xD7A0, 12) + " "),
    ("Thai", |it| glyphs(it, 0x0E01, 0x0E2F, 30)),
    ("emoji", |it| glyphs(it, 0x1F600, 0x1F640, 10)),
    ("letter and emoji", |it| {
        format!("s{}", glyphs(it, 0x1F600, 0x1F640, 90))
    }),
    ("lines of marks", |it| {
        format!(
            "{} s{}\n",
            word(it),
            ["-", "=", "*", "."][it.below(4)].repeat(160)
        )
    }),
    ("very long words", |it| it.draw("L", 300) + " "),
    ("one letter", |it| "a".repeat(100 + it.below(9))),
    ("escapes", |it| {
        format!(
            "\\u00{:02x}\\x{:02x}%{:02X}&#{};",
            32 + it.below(90),
            it.below(256),
            it.below(256),
            it.below(999)
        )
    }),
    ("words that lead", |it| {
        format!(
            "the key token secret api access of {} call born {} ",
            word(it),
            word(it)
        )
    }),
    ("settings", |it| {
        format!(
            "{}.{}={} {}_{}: {} ",
            word(it),
            word(it),
            it.below(99),
            word(it),
            word(it),
            word(it)
        )
    }),
    ("HTML", |it| {
        format!(
            "<div class=\"{}-{}\" style=\"color:#{}\"><p title=\"{}\">{}</p></div>",
            word(it),
            it.below(9),
            it.draw("h", 6),
            words(it, 3, " "),
            words(it, 6, " ")
        )
    }),
    ("comment that never closes", |it| {
        format!("<!-- {} ", words(it, 8, " "))
    }),
    ("coordinates", |it| {
        format!(
            "{}.{:06} {}.{:06} ",
            it.below(90),
            it.below(999_999),
            it.below(180),
            it.below(999_999)
        )
    }),
    ("IP addresses", |it| {
        format!(
            "10.{}.{}.{}:{} ",
            it.below(256),
            it.below(256),
            it.below(256),
            it.below(65_000)
        )
    }),
    ("versions", |it| {
        format!(
            "{}@{}.{}.{} ",
            word(it),
            it.below(20),
            it.below(20),
            it.below(20)
        )
    }),
    ("shell", |it| {
        format!(
            "$ {} --{} {} -n {} | grep -v {} > out{}.txt\n",
            word(it),
            word(it),
            it.below(99),
            it.below(9),
            word(it),
            it.below(9)
        )
    }),
    ("assembly", |it| {
        format!(
            "{:x}: {} {} {} mov 0x{},%rax ",
            it.below(99_999),
            it.draw("h", 2),
            it.draw("h", 2),
            it.draw("h", 2),
            it.draw("h", 4)
        )
    }),
    ("DNA", |it| {
        (0..80).map(|_| ["A", "C", "G", "T"][it.below(4)]).collect()
    }),
    ("query string", |it| {
        format!("&{}_{}={}", word(it), it.below(99), it.draw("l", 12))
    }),
];

fn word(it: &mut Chance) -> &'static str {
    WORDS[it.below(WORDS.len())]
}

fn words(it: &mut Chance, count: usize, between: &str) -> String {
    let words: Vec<&str> = (0..count).map(|_| word(it)).collect();
    words.join(between)
}

fn uuid(it: &mut Chance) -> String {
    [8, 4, 4, 4, 12].map(|count| it.draw("h", count)).join("-")
}

fn glyphs(it: &mut Chance, from: u32, to: u32, count: usize) -> String {
    let width = (to - from) as usize;
    (0..count)
        .filter_map(|_| char::from_u32(from + it.below(width) as u32))
        .collect()
}

/// A text of one kind with at least so many characters.
pub(super) fn text(kind: &Kind, characters: usize, it: &mut Chance) -> String {
    let mut text = String::new();
    while text.chars().count() < characters {
        text.push_str(&kind.1(it));
    }
    text
}
