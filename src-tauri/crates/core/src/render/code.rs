//! Code blocks: a figure with the language and two buttons, and the code in colours. These
//! are CSS classes with the prefix `hl-`; what they look like is the web view's.

use std::collections::HashMap;
use std::sync::OnceLock;

use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::{SyntaxReference, SyntaxSet};

use super::hidden::{escape_into, is_stripped};

/// Above this, colours cost more than they help.
const MOST_BYTES: usize = 200 * 1024;
/// Grammars backtrack; on a line of minified code they do so for seconds.
const LONGEST_LINE: usize = 4 * 1024;
const CLASSES: ClassStyle = ClassStyle::SpacedPrefixed { prefix: "hl-" };

/// A code block while its text is read.
#[derive(Debug, Default)]
pub(super) struct Code {
    language: String,
    text: String,
    fenced: bool,
}

impl Code {
    pub(super) fn fenced(info: &str) -> Self {
        Self {
            language: language(info).to_owned(),
            text: String::new(),
            fenced: true,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text
            .extend(text.chars().filter(|each| !is_stripped(*each)));
    }

    /// Whether the block's source ends with its closing fence. In a quote or a list it has the
    /// container's signs before it.
    pub(super) fn is_closed(&self, source: &str) -> bool {
        let mut lines = source.trim_end().lines();
        let first = lines.next().unwrap_or_default();
        let mark = if first.trim_start().starts_with('~') {
            '~'
        } else {
            '`'
        };
        self.fenced
            && lines.next_back().is_some_and(|last| {
                let fence = last.trim_start_matches([' ', '\t', '>']);
                fence.len() >= 3 && fence.chars().all(|each| each == mark)
            })
    }

    /// Appends what stands in the block's figure; plain where no colours are given.
    pub(super) fn write(&self, out: &mut String, colours: Option<&mut Colours>) {
        let language = if self.language.is_empty() {
            "text"
        } else {
            &self.language
        };
        out.push_str("<figcaption><span>");
        escape_into(out, language);
        out.push_str(
            "</span><button type=\"button\" data-act=\"wrap\">Wrap</button>\
             <button type=\"button\" data-act=\"copy\">Copy</button></figcaption><pre><code>",
        );
        match colours.and_then(|colours| colours.highlight(language, &self.text)) {
            Some(html) => out.push_str(html),
            None => escape_into(out, &self.text),
        }
        out.push_str("</code></pre>");
    }
}

/// What was coloured in the piece under construction: its tail is rendered again and again
/// while it grows, but a fence that has closed in it is coloured once.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours(HashMap<(String, String), Option<String>>);

impl Colours {
    fn highlight(&mut self, language: &str, code: &str) -> Option<&str> {
        self.0
            .entry((language.to_owned(), code.to_owned()))
            .or_insert_with(|| highlight(language, code))
            .as_deref()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The HTML of `code`, or nothing when it is best shown plain.
fn highlight(language: &str, code: &str) -> Option<String> {
    if code.len() > MOST_BYTES || code.split('\n').any(|line| line.len() > LONGEST_LINE) {
        return None;
    }
    let syntaxes = syntaxes();
    let syntax = find_syntax(syntaxes, language)?;
    let mut generator = ClassedHTMLGenerator::new_with_class_style(syntax, syntaxes, CLASSES);
    for line in code.split_inclusive('\n') {
        generator
            .parse_html_for_line_which_includes_newline(line)
            .ok()?;
    }
    Some(generator.finalize())
}

/// The language an info string names, as the reader sees it.
fn language(info: &str) -> &str {
    let name = info
        .trim()
        .split(|character: char| character.is_whitespace() || matches!(character, ',' | '{'))
        .next()
        .unwrap_or_default();
    match name.char_indices().nth(32) {
        Some((end, _)) => name.get(..end).unwrap_or_default(),
        None => name,
    }
}

/// Unpacking the grammars takes tens of milliseconds; it happens at the first closed fence.
fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(SyntaxSet::load_defaults_newlines)
}

fn find_syntax<'a>(syntaxes: &'a SyntaxSet, language: &str) -> Option<&'a SyntaxReference> {
    let asked = language.to_ascii_lowercase();
    let name = match asked.as_str() {
        "" | "text" | "txt" | "plain" | "plaintext" => return None,
        // The set has no TypeScript; JavaScript's grammar colours most of it rightly.
        "ts" | "tsx" | "jsx" | "mjs" | "cjs" | "mts" | "typescript" | "javascript" | "node" => "js",
        "python" | "python3" | "py3" => "py",
        "shell" | "zsh" | "console" | "shellscript" | "bash" | "sh" | "fish" => "sh",
        "rust" => "rs",
        "yml" => "yaml",
        "golang" => "go",
        "c++" | "cxx" | "hpp" => "cpp",
        "c#" | "csharp" => "cs",
        "objective-c" | "objc" => "m",
        "jsonc" | "json5" | "jsonl" => "json",
        "markdown" => "md",
        "kotlin" | "kt" => "java",
        "vue" | "svelte" => "html",
        "scss" | "less" => "css",
        "postgresql" | "sqlite" | "mysql" => "sql",
        "make" | "makefile" => "makefile",
        other => other,
    };
    syntaxes.find_syntax_by_token(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_names_find_a_grammar() {
        for name in [
            "rust", "rs", "ts", "tsx", "js", "jsx", "py", "python", "sh", "bash", "yml", "yaml",
            "json", "html", "css", "sql", "go", "c", "cpp", "c++", "java", "rb", "ruby", "php",
            "diff", "md", "make", "xml", "lua", "hs", "scala", "cs", "Rust",
        ] {
            assert!(highlight(name, "x\n").is_some(), "{name}");
        }
        for name in ["", "text", "no-such-language", "<b>"] {
            assert_eq!(highlight(name, "x\n"), None, "{name}");
        }
    }

    #[test]
    fn too_much_code_stays_plain() {
        assert_eq!(highlight("rust", &"let x = 1;\n".repeat(20_000)), None);
        assert_eq!(highlight("js", &"a;".repeat(4000)), None);
    }

    #[test]
    fn an_info_string_names_one_language() {
        for (info, name) in [
            ("rust", "rust"),
            ("rust,ignore", "rust"),
            (" py {.cell}", "py"),
            ("{r}", ""),
            ("", ""),
        ] {
            assert_eq!(language(info), name);
        }
    }
}
