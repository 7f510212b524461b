//! The laws of rendering, and its shapes.

use proptest::prelude::*;

use super::{LiveMarkdown, whole};

fn streamed(parts: &[&str]) -> (Vec<String>, String) {
    let mut live = LiveMarkdown::new();
    let mut pieces = Vec::new();
    for part in parts {
        live.push(part);
        if let Some(change) = live.take() {
            assert_eq!(change.from as usize, pieces.len());
            pieces.extend(change.pieces);
        }
    }
    let change = live.finish();
    assert_eq!(change.from as usize, pieces.len());
    pieces.extend(change.pieces);
    (pieces, change.tail)
}

fn check_splits(text: &str) {
    let expected = streamed(&[text]);
    assert_eq!(expected.0.concat() + &expected.1, whole(text));
    let characters: Vec<String> = text.chars().map(String::from).collect();
    let each: Vec<&str> = characters.iter().map(String::as_str).collect();
    assert_eq!(
        streamed(&each),
        expected,
        "character by character: {text:?}"
    );
    for (at, _) in text.char_indices() {
        let (left, right) = text.split_at(at);
        assert_eq!(streamed(&[left, right]), expected, "at {at}: {text:?}");
    }
}

const NASTY: &[&str] = &[
    "",
    "\n\n\n",
    "a\r\n\r\nb\rc\r\r\nd",
    "a\n\n\u{F0001}b\0c",
    "para\nlazy\n\n- a\n\n  b\n\n- c\n\npara",
    "- a\n```rust\nfn x() {}\n\nlet y;\n```\nafter\n\nb",
    "1. a\n\n   ```py\n   x = 1\n\n   y\n   ```\n\n2. b\n\ntext",
    "```rust\nfn main() {}\n",
    "```rust\nfn main() {}\n```",
    "~~~~\n```\n~~~\n~~~~ \nafter",
    "text\n```\ncode\n\nmore\n```\ntext",
    "`` ` `` and ``` ` ```\nx",
    "    indented\n\n    more\nend",
    "\tindented\n\n\tmore\n\nend",
    "Title\n=====\ntext\n\nTitle\n---\n***\n* * *\n- - -\n",
    "# h\n2. two\n\n   more\n\n# h2\ntext",
    "text\n2. not a list\n\n   ```\ncode\n\ncode\n```",
    "> quote\nlazy\n\n> - a\n>\n>   b\n\n  c",
    "> ```\n> code\n\nafter",
    "| a | b |\n|--:|:-:|\n| 1 | `x|y` |\n\nafter",
    "<div>\n\n**b**\n\n</div>\n<!--\n\nx\n\n-->",
    "<script>\n\nalert(1)\n\n</script>",
    "[a][1] and [b]\n\n[1]: https://a.b \"t\"\n[b]: javascript:x\n",
    "[a][1]\n[1]: https://a.b\n\n[a][1]",
    "$$\na\n- b\n= c\n$$\ntext $x$ \\(y\\) \\[ z \\]",
    "$$ open\n\ntext",
    "\\[\nx\n\\] tail\nmore",
    "- [ ] a\n- [x] b\n-\n\n  c",
    "1) a\n2) b\n\n\n* c\n+ d",
    "***bold** it* ~~s~~ _e_ __s__ <b>x</b> &amp; &#xF0001; &lt;",
    "-\t\ttab\n\n\tx\n\n y",
    "* a\n\n * b\n\n  * c\n\n   * d\n\n    * e\n\nf",
    "123456789. a\n\n1234567890. b",
    "![a ![b](x) `c`](https://i.j/k.png) [![b](https://x.y/z)](https://l.m)",
    "\u{FEFF}bom\n\n\u{202E}rtl\n\u{85}x\u{2028}y\u{0B}z\u{0C}",
];

#[test]
fn nasty_texts_are_the_same_however_split() {
    for text in NASTY {
        check_splits(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_the_same_however_split(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "\n", "\n\n", "\r\n", "\r", " ", "  ", "    ", "\t", "a", "word ", "- ", "* ", "1. ",
                "2) ", "> ", "# ", "```", "```rust\n", "~~~", "`", "**", "_", "$", "$$", "\\[", "\\]",
                "\\(", "\\)", "[a]", "(https://a.b)", "[a]: https://a.b\n", "|", "|-|-|\n", "---",
                "===", "<div>", "<!--", "</", "\\", "&amp;", "é", "\u{F0001}", "![", "](", ")", "- [ ] ",
            ]),
            0..40,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let text = parts.concat();
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut at: Vec<usize> = cuts.iter().map(|cut| places[cut.index(places.len())]).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let split: Vec<&str> = at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        prop_assert_eq!(streamed(&split), streamed(&[&text]));
    }

    #[test]
    fn any_characters_render(text in any::<String>()) {
        check_splits(&text);
    }
}

#[test]
fn shapes_are_what_the_web_view_styles() {
    let caption = |language: &str| {
        format!(
            "<figure class=\"code\"><figcaption><span>{language}</span><button type=\"button\" \
             data-act=\"wrap\">Wrap</button><button type=\"button\" \
             data-act=\"copy\">Copy</button></figcaption><pre><code>"
        )
    };
    let figure =
        |language: &str, code: &str| format!("{}{code}</code></pre></figure>", caption(language));
    let code = figure("text", "a &lt; b\n");
    let unknown = figure("zzz", "x\n");
    for (markdown, html) in [
        (
            "a *b* **c** ~~d~~ `e`",
            "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e</code></p>",
        ),
        ("```\na < b\n```", &code),
        ("    a < b\n", &code),
        ("```zzz\nx\n```", &unknown),
        (
            "|a|b|\n|-|-:|\n|1|2|",
            "<div class=\"table\"><table><thead><tr><th>a</th><th align=\"right\">b</th></tr></thead>\
             <tbody><tr><td>1</td><td align=\"right\">2</td></tr></tbody></table></div>",
        ),
        ("$x$", "<p><math><mi>x</mi></math></p>"),
        ("\\(x\\)", "<p><math><mi>x</mi></math></p>"),
        ("$$\nx\n$$", "<math display=\"block\"><mi>x</mi></math>"),
        ("\\[\nx\n\\]", "<math display=\"block\"><mi>x</mi></math>"),
        (
            "$\\nope x$",
            "<p><code class=\"math-error\">\\nope x</code></p>",
        ),
        (
            "![alt](https://a.b/c.png)",
            "<p><a class=\"image\" href=\"https://a.b/c.png\">alt</a></p>",
        ),
        (
            "![](https://a.b/c.png)",
            "<p><a class=\"image\" href=\"https://a.b/c.png\">https://a.b/c.png</a></p>",
        ),
        (
            "[![alt](https://a.b/c)](https://d.e)",
            "<p><a href=\"https://d.e\">alt</a></p>",
        ),
        (
            "[t](mailto:a@b.c) <a@b.c>",
            "<p><a href=\"mailto:a@b.c\">t</a> <a href=\"mailto:a@b.c\">a@b.c</a></p>",
        ),
        (
            "[t](javascript:x) [t](/etc) [t](file:///etc)",
            "<p>t t t</p>",
        ),
        (
            "[g\u{202E}t](https://a\u{200B}.b)",
            "<p><a href=\"https://a.b\">gt</a></p>",
        ),
        (
            "a <b onclick=x>c</b>",
            "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>",
        ),
        (
            "<div>\n<p>x\n</div>",
            "<p>&lt;div&gt;<br>&lt;p&gt;x<br>&lt;/div&gt;</p>",
        ),
        (
            "- [x] a\n- [ ] b",
            "<ul><li><input type=\"checkbox\" disabled=\"\" checked=\"\"> a</li>\
             <li><input type=\"checkbox\" disabled=\"\"> b</li></ul>",
        ),
        ("3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>"),
        (
            "- a\n\n- b\n\nc",
            "<ul><li><p>a</p></li><li><p>b</p></li></ul><p>c</p>",
        ),
        (
            "x\n\n[1]: https://a.b",
            "<p>x</p><p>[1]: <a href=\"https://a.b\">https://a.b</a></p>",
        ),
        (
            "[t][1]\n\n[1]: javascript:x",
            "<p>[t][1]</p><p>[1]: javascript:x</p>",
        ),
        ("costs $5 and $10", "<p>costs $5 and $10</p>"),
        ("$5-$10, US$5 (~$7/mo)", "<p>$5-$10, US$5 (~$7/mo)</p>"),
        ("see \\[1\\]", "<p>see [1]</p>"),
        ("&#xF0001;x", "<p>x</p>"),
    ] {
        assert_eq!(whole(markdown), html, "{markdown}");
    }
}

#[test]
fn code_has_colours_once_its_fence_is_closed() {
    let mut live = LiveMarkdown::new();
    live.push("```rust\nfn main() {}\n");
    let open = live.take().map(|change| change.tail).unwrap_or_default();
    assert!(
        !open.contains("hl-") && open.contains("fn main() {}"),
        "{open}"
    );
    assert!(live.finish().tail.contains("hl-"));
    live.push("```\n");
    let closed = live.take().map(|change| change.tail).unwrap_or_default();
    assert!(closed.contains("<span class=\"hl-"), "{closed}");
    let nested = whole("> - a\n>   ```rust\n>   fn x() {}\n>   ```\n");
    assert!(nested.contains("hl-"), "{nested}");
}

#[test]
fn half_arrived_signs_do_not_flash() {
    for (tail, html) in [
        ("a **bo", "<p>a <strong>bo</strong></p>"),
        ("a `co", "<p>a <code>co</code></p>"),
        ("a [li](htt", "<p>a li</p>"),
        ("$$\nx_1 *", "<p>$$\nx_1 *</p>"),
    ] {
        let mut live = LiveMarkdown::new();
        live.push(tail);
        assert_eq!(live.take().map(|change| change.tail).as_deref(), Some(html));
    }
}

#[test]
fn a_piece_is_committed_when_the_next_begins() {
    let mut live = LiveMarkdown::new();
    live.push("one\n\n");
    assert_eq!(live.take().map(|change| change.pieces.len()), Some(0));
    live.push("t");
    assert_eq!(live.take().map(|change| change.pieces.len()), Some(1));
    live.push("wo\n\n");
    live.push("# three\n");
    let change = live.finish();
    assert_eq!((change.from, change.pieces.len()), (1, 1));
    assert_eq!(change.tail, "<h1>three</h1>");
    assert_eq!(live.take(), None, "nothing is new");
}

fn work(text: &str) -> (u64, usize) {
    let mut live = LiveMarkdown::new();
    let mut takes = 0;
    for (at, part) in text.as_bytes().chunks(5).enumerate() {
        live.push(std::str::from_utf8(part).unwrap_or("?"));
        if at % 16 == 0 && live.take().is_some() {
            takes += 1;
        }
    }
    live.finish();
    (live.rendered_bytes(), takes)
}

#[test]
fn prose_costs_its_own_length_and_not_the_sessions() {
    let paragraph = format!("{}end.\n\n", "Some words of *ordinary* prose. ".repeat(20));
    let short = paragraph.repeat(30);
    let long = paragraph.repeat(300);
    let factor = |text: &str| work(text).0 / text.len() as u64;
    assert!(factor(&long) < 10, "{}", factor(&long));
    assert!(factor(&long) <= factor(&short) + 1);
}

#[test]
fn one_huge_block_is_rendered_a_bounded_number_of_times() {
    let fence = format!("```rust\n{}", "let x = \"<>\"; \n".repeat(20_000));
    let list: String = (0..5000)
        .map(|n| format!("- item **{n}** of the list\n"))
        .collect();
    for text in [fence, list] {
        let (bytes, takes) = work(&text);
        // The small tail at the beginning is rendered at every take.
        let most = 33 * text.len() as u64 + 2_000_000;
        assert!(bytes < most, "{bytes} for {}", text.len());
        assert!(takes < 400, "{takes}");
    }
}

#[test]
fn absurd_nesting_is_flattened() {
    for text in [
        ">".repeat(20_000),
        "- ".repeat(5_000),
        "*a _b ".repeat(3_000),
        "[".repeat(20_000),
        "![".repeat(5_000),
        "a".repeat(200_000),
        "`a``b".repeat(30_000),
        "**a ".repeat(30_000),
        "\\(".repeat(50_000),
        "\\[a".repeat(50_000),
        "$a".repeat(50_000),
        "$$a".repeat(50_000),
        "<a".repeat(50_000),
        "[a](".repeat(30_000),
        format!("${}x{}$", "{".repeat(4_000), "}".repeat(4_000)),
        format!("${}x$", "\\sqrt".repeat(1_500)),
        format!("${}x$", "x^".repeat(4_000)),
        format!("${}$", "\\left(".repeat(1_500)),
        format!("${}$", "\\frac1".repeat(1_500)),
        "$\\def\\a{\\a\\a}\\a$".to_owned(),
        "|a".repeat(5_000) + "\n" + &"|-".repeat(5_000),
    ] {
        let mut live = LiveMarkdown::new();
        live.push(&text);
        live.take();
        live.finish();
    }
}
