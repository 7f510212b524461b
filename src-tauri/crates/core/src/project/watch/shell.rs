//! A line for the shell as tokens: words with their quotes resolved, and operators. Pure.
//!
//! Lenient on purpose: what a real shell would refuse still gives words, since every name that
//! might be used has to be seen. No character is lost, except for comments.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text; whether wildcards in it are protected by quotes.
    Text { text: String, quoted: bool },
    Variable {
        name: String,
        /// As code for another shell.
        source: String,
        /// `:-`, `%` and their like, with the word behind them.
        operation: Option<(String, Word)>,
    },
    /// Code whose output takes this place: `$(…)`, backquotes, `<(…)`.
    Code(String),
}

pub(super) type Word = Vec<Piece>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// Ends a command, or begins a group.
    Control(String),
    /// The next word is its target.
    Redirect(Redirect),
    HereDocument(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    Input,
    Output,
    /// `<&`, `>&`: the word is a file unless it is a number.
    InputOrDescriptor,
    OutputOrDescriptor,
    /// The word is the input.
    HereString,
}

/// Operators of several characters, longest first.
const CONTROLS: [&str; 13] = [
    ";;&", "&&", "||", "|&", ";;", ";&", ";", "&", "|", "(", ")", "\n", "\r",
];

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(text);
    lexer.run();
    lexer.tokens
}

/// All of a text as one word, blanks included.
fn one_word(text: &str) -> Word {
    let mut lexer = Lexer::new(text);
    while !lexer.is_done() {
        lexer.piece(Inside::Parameter);
    }
    lexer.take_word()
}

/// The text of a here-document, in which quotes are plain characters.
pub(super) fn document_word(text: &str) -> Word {
    let mut lexer = Lexer::new(text);
    while !lexer.is_done() {
        lexer.piece(Inside::DoubleQuotes);
    }
    lexer.take_word()
}

struct Lexer {
    text: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    word: Word,
    plain: String,
    /// A word has begun, be it an empty one.
    begun: bool,
    /// Ends of here-documents whose text begins on the next line.
    documents: Vec<([String; 2], Tabs)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tabs {
    Kept,
    Stripped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DocumentEnd {
    Found,
    Missing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    DoubleQuotes,
    Parameter,
}

impl Lexer {
    fn new(text: &str) -> Self {
        Self {
            text: text.chars().collect(),
            at: 0,
            tokens: Vec::new(),
            word: Vec::new(),
            plain: String::new(),
            begun: false,
            documents: Vec::new(),
        }
    }

    fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(ahead, character)| self.peek(ahead) == Some(character))
    }

    fn run(&mut self) {
        while let Some(character) = self.peek(0) {
            match character {
                ' ' | '\t' => {
                    self.end_word();
                    self.at += 1;
                }
                '#' if !self.begun => {
                    while self.peek(0).is_some_and(|it| it != '\n') {
                        self.at += 1;
                    }
                }
                '<' | '>' if self.peek(1) == Some('(') => self.substitution(),
                '<' | '>' => self.redirect(),
                '&' if self.peek(1) == Some('>') => {
                    self.end_word();
                    self.at += 1;
                    self.redirect();
                }
                // `@(a|b)`: a pattern, or a group behind a `!`.
                '@' | '+' | '!' | '?' | '*' if self.peek(1) == Some('(') => self.substitution(),
                _ => match CONTROLS.iter().find(|it| self.starts_with(it)) {
                    Some(control) => self.control(control),
                    None => self.piece(Inside::Nothing),
                },
            }
        }
        self.end_word();
    }

    fn control(&mut self, control: &str) {
        self.end_word();
        self.at += control.chars().count();
        self.tokens.push(Token::Control(control.to_owned()));
        if control == "\n" {
            for (ends, tabs) in std::mem::take(&mut self.documents) {
                let begin = self.at;
                let (body, end) = self.document(&ends, tabs);
                self.tokens.push(Token::HereDocument(body));
                if end == DocumentEnd::Missing {
                    // What looks like its text may be code after all.
                    self.at = begin;
                }
            }
        }
    }

    fn redirect(&mut self) {
        // A number before it is the number of a file, not a word.
        let is_number = !self.plain.is_empty()
            && self.word.is_empty()
            && self.plain.chars().all(|it| it.is_ascii_digit());
        // Another descriptor than the usual ones may be an input: `sh /dev/stdin 0>> log`.
        let output = match self.plain.as_str() {
            plain if is_number && !matches!(plain, "1" | "2") => Redirect::Input,
            _ => Redirect::Output,
        };
        if is_number {
            self.plain.clear();
            self.begun = false;
        }
        self.end_word();
        for (operator, redirect) in [
            ("<<<", Redirect::HereString),
            ("<>", Redirect::Input),
            ("<&", Redirect::InputOrDescriptor),
            (">>", output),
            (">|", output),
            (">&", Redirect::OutputOrDescriptor),
            (">", output),
        ] {
            if self.starts_with(operator) {
                self.at += operator.len();
                self.tokens.push(Token::Redirect(redirect));
                return;
            }
        }
        if !self.starts_with("<<") {
            self.at += 1;
            self.tokens.push(Token::Redirect(Redirect::Input));
            return;
        }
        self.at += 2;
        let mut tabs = Tabs::Kept;
        if self.peek(0) == Some('-') {
            self.at += 1;
            tabs = Tabs::Stripped;
        }
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let ends = self.delimiters();
        self.documents.push((ends, tabs));
    }

    /// The word behind `<<` as it is written, without its quotes: nothing in it is expanded. Shells
    /// disagree on whether the dollar of `$'E'` is part of it.
    fn delimiters(&mut self) -> [String; 2] {
        let (mut with_dollar, mut end) = (String::new(), String::new());
        while let Some(character) = self.peek(0).filter(|it| !" \t\n;|&<>()".contains(*it)) {
            self.at += 1;
            let text = match character {
                '\'' | '"' => self.raw_until(character),
                '\\' => {
                    self.at += 1;
                    self.text.get(self.at - 1).into_iter().collect()
                }
                '$' if matches!(self.peek(0), Some('\'' | '"')) => {
                    with_dollar.push('$');
                    continue;
                }
                other => other.into(),
            };
            with_dollar.push_str(&text);
            end.push_str(&text);
        }
        [with_dollar, end]
    }

    /// Up to the line that ends it.
    fn document(&mut self, ends: &[String; 2], tabs: Tabs) -> (String, DocumentEnd) {
        let mut body = String::new();
        while !self.is_done() {
            let mut line = String::new();
            while let Some(character) = self.peek(0) {
                self.at += 1;
                if character == '\n' {
                    break;
                }
                line.push(character);
            }
            let line = match tabs {
                Tabs::Stripped => line.trim_start_matches('\t'),
                Tabs::Kept => line.as_str(),
            };
            if ends.iter().any(|end| line == end) {
                return (body, DocumentEnd::Found);
            }
            body.push_str(line);
            body.push('\n');
        }
        (body, DocumentEnd::Missing)
    }

    /// `<(…)`, `>(…)`, `@(…)`.
    fn substitution(&mut self) {
        self.at += 2;
        let code = self.until(')');
        self.push(Piece::Code(code));
    }

    fn push(&mut self, piece: Piece) {
        self.flush();
        self.begun = true;
        self.word.push(piece);
    }

    fn quoted(&mut self, text: String) {
        self.push(Piece::Text { text, quoted: true });
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            let text = std::mem::take(&mut self.plain);
            let quoted = false;
            self.word.push(Piece::Text { text, quoted });
        }
    }

    fn take_word(&mut self) -> Word {
        self.flush();
        self.begun = false;
        std::mem::take(&mut self.word)
    }

    fn end_word(&mut self) {
        if self.begun {
            let word = self.take_word();
            self.tokens.push(Token::Word(word));
        }
    }

    /// One more piece of the word.
    fn piece(&mut self, inside: Inside) {
        let Some(character) = self.peek(0) else {
            return;
        };
        self.at += 1;
        match character {
            '\\' => match (self.peek(0), inside) {
                (Some('\n'), _) => self.at += 1,
                (Some(next), Inside::DoubleQuotes) if !"$`\"\\".contains(next) => {
                    self.quoted("\\".into());
                }
                (Some(next), _) => {
                    self.at += 1;
                    self.quoted(next.into());
                }
                (None, _) => self.quoted("\\".into()),
            },
            '\'' if inside != Inside::DoubleQuotes => {
                let text = self.raw_until('\'');
                self.quoted(text);
            }
            '"' if inside != Inside::DoubleQuotes => {
                self.quoted(String::new());
                while self.peek(0).is_some_and(|it| it != '"') {
                    self.piece(Inside::DoubleQuotes);
                }
                self.at += 1;
            }
            '`' => {
                let code = self.raw_until('`').replace("\\`", "`");
                self.push(Piece::Code(code));
            }
            '$' => self.dollar(inside),
            other if inside == Inside::DoubleQuotes => self.quoted(other.into()),
            other => {
                self.begun = true;
                self.plain.push(other);
            }
        }
    }

    fn dollar(&mut self, inside: Inside) {
        match self.peek(0) {
            Some('(') => {
                self.at += 1;
                let code = self.until(')');
                self.push(Piece::Code(code));
            }
            Some('{') => {
                self.at += 1;
                let inner = self.until('}');
                self.push(parameter(&inner));
            }
            Some('\'') if inside != Inside::DoubleQuotes => {
                self.at += 1;
                let text = self.ansi();
                self.quoted(text);
            }
            // A translated string: the same without its dollar.
            Some('"') if inside != Inside::DoubleQuotes => {}
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let mut name = String::new();
                while let Some(next) = self.peek(0) {
                    if !next.is_ascii_alphanumeric() && next != '_' {
                        break;
                    }
                    name.push(next);
                    self.at += 1;
                }
                self.push(Piece::Variable {
                    source: format!("${{{name}}}"),
                    name,
                    operation: None,
                });
            }
            Some(special) if special.is_ascii_digit() || "@*#?$!-".contains(special) => {
                self.at += 1;
                self.push(Piece::Variable {
                    name: special.into(),
                    source: format!("${special}"),
                    operation: None,
                });
            }
            Some(_) | None => self.quoted("$".into()),
        }
    }

    /// Up to the quote that ends it, which a backslash protects only in backquotes.
    fn raw_until(&mut self, end: char) -> String {
        let mut text = String::new();
        while let Some(character) = self.peek(0) {
            self.at += 1;
            if character == end {
                break;
            }
            text.push(character);
            if character == '\\' && end == '`' {
                text.extend(self.peek(0));
                self.at += 1;
            }
        }
        text
    }

    /// Up to the bracket that closes, whatever quotes and brackets stand between.
    fn until(&mut self, close: char) -> String {
        let open = if close == ')' { '(' } else { '{' };
        let begin = self.at;
        let mut depth = 0;
        while let Some(character) = self.peek(0) {
            self.at += 1;
            match character {
                '\\' => self.at += 1,
                '\'' => drop(self.raw_until('\'')),
                '"' => {
                    while let Some(inner) = self.peek(0) {
                        self.at += 1;
                        match inner {
                            '"' => break,
                            '\\' => self.at += 1,
                            '$' if self.peek(0) == Some('(') => {
                                self.at += 1;
                                drop(self.until(')'));
                            }
                            _ => {}
                        }
                    }
                }
                it if it == open => depth += 1,
                it if it == close && depth == 0 => {
                    return self.text[begin..self.at - 1].iter().collect();
                }
                it if it == close => depth -= 1,
                _ => {}
            }
        }
        self.at = self.text.len();
        self.text[begin.min(self.at)..].iter().collect()
    }

    /// `$'…'`, in bytes as the shell passes them on.
    fn ansi(&mut self) -> String {
        let mut bytes = Vec::new();
        let push = |bytes: &mut Vec<u8>, character: char| {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        };
        while let Some(character) = self.peek(0) {
            self.at += 1;
            let kind = match (character, self.peek(0)) {
                ('\'', _) => break,
                ('\\', Some(kind)) => kind,
                (other, _) => {
                    push(&mut bytes, other);
                    continue;
                }
            };
            self.at += 1;
            match kind {
                'a' => bytes.push(0x07),
                'b' => bytes.push(0x08),
                'e' | 'E' => bytes.push(0x1b),
                'f' => bytes.push(0x0c),
                'n' => bytes.push(b'\n'),
                'r' => bytes.push(b'\r'),
                't' => bytes.push(b'\t'),
                'v' => bytes.push(0x0b),
                'c' => {
                    let letter = self
                        .peek(0)
                        .map(|it| u32::from(it.to_ascii_uppercase()) & 0x1f);
                    bytes.extend(letter.and_then(|it| u8::try_from(it).ok()));
                    self.at += 1;
                }
                'x' => bytes.push((self.number(16, 2) & 0xff) as u8),
                '0'..='7' => {
                    self.at -= 1;
                    bytes.push((self.number(8, 3) & 0xff) as u8);
                }
                'u' | 'U' => {
                    let most = if kind == 'u' { 4 } else { 8 };
                    if let Some(character) = char::from_u32(self.number(16, most)) {
                        push(&mut bytes, character);
                    }
                }
                other => push(&mut bytes, other),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn number(&mut self, base: u32, most: usize) -> u32 {
        let mut value: u32 = 0;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|it| it.to_digit(base)) else {
                break;
            };
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}

/// The inside of `${…}`.
fn parameter(inner: &str) -> Piece {
    let source = format!("${{{inner}}}");
    let length = inner
        .find(|it: char| !it.is_ascii_alphanumeric() && it != '_')
        .unwrap_or(inner.len());
    let (name, mut rest) = inner.split_at(length);
    if name.is_empty() {
        // `${!name}`, `${#name}`, `${@:1}`: the shell knows.
        return Piece::Variable {
            name: String::new(),
            source,
            operation: Some(("?".into(), one_word(inner))),
        };
    }
    if let Some((_, after)) = rest.strip_prefix('[').and_then(|it| it.split_once(']')) {
        rest = after;
    }
    let length = rest
        .find(|it: char| !"-+=?:%#/^,@".contains(it))
        .unwrap_or(rest.len());
    // Of `:-/x` the operation is `:-`, and the rest is a path.
    let known = [
        ":-", ":=", ":+", ":?", "%%", "##", "//", "/#", "/%", "^^", ",,",
    ];
    let length = match known.iter().find(|it| rest.starts_with(*it)) {
        Some(known) => known.len(),
        None => length.min(1),
    };
    let (symbol, word) = rest.split_at(length);
    Piece::Variable {
        name: name.to_owned(),
        source,
        operation: (!rest.is_empty()).then(|| (symbol.to_owned(), one_word(word))),
    }
}

/// A word as code for another shell: quotes resolved, variables and code as they were written.
pub(super) fn render(word: &Word) -> String {
    let mut text = String::new();
    for piece in word {
        match piece {
            Piece::Text { text: literal, .. } => text.push_str(literal),
            Piece::Variable { source, .. } => text.push_str(source),
            Piece::Code(code) => text.push_str(&format!("$({code})")),
        }
    }
    text
}

/// The text of a word, if the shell adds nothing to it.
pub(super) fn literal(word: &Word) -> Option<String> {
    let texts = word.iter().map(|piece| match piece {
        Piece::Text { text, .. } => Some(text.as_str()),
        Piece::Variable { .. } | Piece::Code(_) => None,
    });
    texts.collect()
}

pub(super) fn text_word(text: &str) -> Word {
    vec![Piece::Text {
        text: text.to_owned(),
        quoted: true,
    }]
}

#[cfg(test)]
mod tests {
    use super::{Token, render, tokens};

    fn words(text: &str) -> Vec<String> {
        let words = tokens(text).into_iter().filter_map(|token| match token {
            Token::Word(word) => Some(render(&word)),
            Token::HereDocument(text) => Some(format!("document {text}")),
            Token::Control(_) | Token::Redirect(_) => None,
        });
        words.collect()
    }

    #[test]
    fn words_are_told_apart_as_a_shell_does() {
        let rows: [(&str, &[&str]); 16] = [
            ("sh 'a b'", &["sh", "a b"]),
            ("sh \"a b\"c\\ d", &["sh", "a bc d"]),
            ("sh $'a\\x20\\142'", &["sh", "a b"]),
            ("a;b|c&&d", &["a", "b", "c", "d"]),
            ("a 2>&1 >b", &["a", "1", "b"]),
            ("a # don't\nb", &["a", "b"]),
            ("a$(b 'c)' d)e", &["a$(b 'c)' d)e"]),
            ("\"$(echo \"x y\")\"", &["$(echo \"x y\")"]),
            ("`a b`/c", &["$(a b)/c"]),
            ("${A:-b c}/d", &["${A:-b c}/d"]),
            ("$A/$1$$", &["${A}/$1$$"]),
            (
                "cat <<'E' x\nit's\nE\nb",
                &["cat", "x", "document it's\n", "b"],
            ),
            ("sh <(cat x)", &["sh", "$(cat x)"]),
            ("a 'b", &["a", "b"]),
            ("a \"b $(c", &["a", "b $(c)"]),
            ("a\\\nb", &["ab"]),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
