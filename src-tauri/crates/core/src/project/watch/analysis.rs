//! What a command names, and in which role: a file or folder, where commands are run, a target of
//! an output redirection. Pure: nothing here looks at the disk.
//!
//! Everything is a name, whatever program it is given to: no list of programs that only read or
//! only write would stay true, since aliases, descriptors and options make code of what they read.

use std::collections::{BTreeMap, HashSet};

use super::programs::{
    CHANGE_FOLDER, FOLDER_OPTIONS, FOLDER_PROGRAMS, NAME_TESTS, SCRIPT_RUNNERS, SHELLS,
    TASK_RUNNERS, program,
};
use super::shell::{
    Piece, Redirect, Token, Word, document_word, literal, render, text_word, tokens,
};

/// Code inside of code inside of code: nobody writes more than this by hand.
const DEEPEST: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// A file, or a folder with all that is in it.
    Name,
    /// A file: a program, or the name of a task.
    File,
    /// Where commands are run.
    Folder,
    /// A name at any depth.
    AnyDepth,
    /// Everything below, be it the whole project.
    Tree,
}

#[derive(Default)]
pub(super) struct Analysis {
    pub(super) words: Vec<(Word, Role)>,
    /// The targets of output redirections.
    pub(super) outputs: Vec<Word>,
    pub(super) assigned: BTreeMap<String, Vec<Word>>,
    /// `cd` may be something else: there are functions, aliases, or words that only run time knows.
    pub(super) redefines: bool,
    /// Variables get values that no assignment shows.
    pub(super) computes: bool,
    pub(super) too_deep: bool,
    seen: HashSet<String>,
}

#[derive(Default)]
struct Simple {
    assignments: Vec<(String, Word)>,
    words: Vec<Word>,
    redirects: Vec<(Redirect, Word)>,
    documents: Vec<String>,
}

impl Analysis {
    pub(super) fn of_shell(text: &str) -> Self {
        let mut analysis = Self::default();
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        if !analysis.task(&words) {
            analysis.text(text, 0);
        }
        analysis.finish()
    }

    pub(super) fn of_program(words: &[String]) -> Self {
        let mut analysis = Self::default();
        let command = Simple {
            words: words.iter().map(|word| text_word(word)).collect(),
            ..Simple::default()
        };
        if !analysis.task(words) {
            analysis.simple(&command, Role::File, 0);
        }
        analysis.finish()
    }

    /// `make check`, `npm run build`: where this is the whole command, the task is no folder. Beside
    /// anything else it might be, since options and variables can give the task another meaning.
    fn task(&mut self, words: &[String]) -> bool {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let is_task = match words.as_slice() {
            [runner, _] => TASK_RUNNERS.contains(runner),
            [runner, "run" | "run-script", _] => SCRIPT_RUNNERS.contains(runner),
            _ => false,
        };
        let is_plain = |word: &str| {
            let is_letter = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | ':');
            !word.starts_with('-') && word.chars().all(is_letter)
        };
        if !is_task || !words.iter().all(|word| is_plain(word)) {
            return false;
        }
        let words = words.iter().map(|word| (text_word(word), Role::File));
        self.words.extend(words);
        true
    }

    fn finish(mut self) -> Self {
        let values = std::mem::take(&mut self.assigned);
        for word in values.values().flatten() {
            // `F=find; $F …`.
            self.listing(std::slice::from_ref(word), &[literal(word)]);
            self.words.push((word.clone(), Role::Name));
        }
        if KNOWN_FOLDERS.iter().any(|name| values.contains_key(*name)) {
            self.hides_meaning();
        }
        self.assigned = values;
        self
    }

    fn hides_meaning(&mut self) {
        self.redefines = true;
        self.computes = true;
    }

    fn text(&mut self, text: &str, depth: usize) {
        if depth > DEEPEST {
            self.too_deep = true;
            return;
        }
        if !self.seen.insert(text.to_owned()) {
            return;
        }
        // `a=(h x)`: the first word in the brackets is no program.
        let plain: String = text.chars().filter(|it| !it.is_whitespace()).collect();
        let first = match plain.contains("=(") {
            true => Role::Name,
            false => Role::File,
        };
        let tokens = tokens(text);
        for pair in tokens.windows(2) {
            if let [Token::Control(one), Token::Control(two)] = pair {
                self.redefines |= one == "(" && two == ")";
                self.computes |= one == "(" && two == "(";
            }
        }
        for command in commands(tokens) {
            self.simple(&command, first, depth);
        }
    }

    fn simple(&mut self, command: &Simple, first_role: Role, depth: usize) {
        for (name, value) in &command.assignments {
            self.assign(name, value, depth);
        }
        self.redirects(command, depth);
        let names: Vec<_> = command.words.iter().map(told).collect();
        self.meaning(&names);
        self.listing(&command.words, &names);
        self.evaluated(&command.words, &names, depth);
        let nested = nested_shell(&names);
        let first = command.program().unwrap_or_default();
        let has_folders = FOLDER_PROGRAMS.contains(&first.as_str());
        let is_git = names.iter().flatten().any(|it| program(it) == "git");
        let mut before = "";
        for (at, word) in command.words.iter().enumerate() {
            let name = names[at].as_deref();
            let is_plain = name.is_some_and(|it| !it.contains('/') && it != "." && it != "..");
            if nested == Some(at) {
                self.text(&render(word), depth + 1);
                self.code(word, depth);
                before = "";
                continue;
            }
            if at == 0 && name == Some(".") {
                // Reads a script; no folder is meant.
                continue;
            }
            let is_test = NAME_TESTS.contains(&before);
            if is_test || is_git && name.is_some_and(|it| it.contains('*')) {
                self.words.push((word.clone(), Role::AnyDepth));
            }
            let role = if at == 0 && is_plain {
                first_role
            } else if CHANGE_FOLDER.contains(&first.as_str())
                || has_folders && FOLDER_OPTIONS.contains(&before)
                || first == "find" && has_name_tests(&names)
            {
                Role::Folder
            } else {
                Role::Name
            };
            self.name(word, role, depth);
            before = name.unwrap_or_default();
        }
    }

    /// `eval` joins its words, and a first word that cannot be told may be `eval`.
    fn evaluated(&mut self, words: &[Word], names: &[Option<String>], depth: usize) {
        let is_eval = |name: &Option<String>| matches!(name.as_deref(), Some("eval" | "trap"));
        let at = match names.first() {
            Some(None) => Some(0),
            Some(Some(_)) | None => names.iter().position(is_eval),
        };
        if let Some(at) = at {
            let code: Vec<_> = words[at + 1..].iter().map(render).collect();
            self.text(&code.join(" "), depth + 1);
        }
    }

    /// Whether the command makes words or variables mean something that cannot be read from it.
    /// Asked of words whose quotes are resolved: `'al'ias` is `alias`.
    fn meaning(&mut self, names: &[Option<String>]) {
        if names.first().is_some_and(Option::is_none) {
            self.hides_meaning();
        }
        for name in names.iter().flatten() {
            self.redefines |= REDEFINES.contains(&name.as_str());
            self.computes |= COMPUTES.contains(&name.as_str());
        }
        let is_printf = names.iter().flatten().any(|it| it == "printf");
        self.computes |= is_printf && names.iter().flatten().any(|it| it.starts_with("-v"));
    }

    fn redirects(&mut self, command: &Simple, depth: usize) {
        for (redirect, target) in &command.redirects {
            let number = literal(target).filter(|it| is_descriptor(it));
            match (redirect, number) {
                (Redirect::Output, _) | (Redirect::OutputOrDescriptor, None) => {
                    self.code(target, depth);
                    self.outputs.push(target.clone());
                }
                (Redirect::OutputOrDescriptor, Some(_)) => {}
                // What was opened to be written can be read by the name of its descriptor.
                (Redirect::InputOrDescriptor, Some(number)) => {
                    let name = text_word(&format!("/dev/fd/{number}"));
                    self.words.push((name, Role::Name));
                }
                (Redirect::Input | Redirect::HereString, _)
                | (Redirect::InputOrDescriptor, None) => self.name(target, Role::Name, depth),
            }
        }
        for document in &command.documents {
            // Commands in it are the shell's to run before anybody reads it.
            let word = document_word(document);
            self.name(&word, Role::Name, depth);
            self.name(&text_word(document), Role::Name, depth);
        }
    }

    /// Programs that find names by themselves: `find` without a place begins here, and so does `ls`.
    fn listing(&mut self, words: &[Word], names: &[Option<String>]) {
        for (at, name) in names.iter().enumerate() {
            let rest = &names[at + 1..];
            match program(name.as_deref().unwrap_or_default()).as_str() {
                "ls" => {
                    let is_place =
                        |it: &Option<String>| it.as_ref().is_none_or(|it| !it.starts_with('-'));
                    if !rest.iter().any(is_place) {
                        let text = "*".to_owned();
                        let quoted = false;
                        self.words
                            .push((vec![Piece::Text { text, quoted }], Role::Name));
                    }
                }
                "fd" | "fdfind" => self.words.push((text_word("."), Role::Tree)),
                "find" if !has_name_tests(rest) => {
                    let is_place = |it: &&Option<String>| {
                        it.as_ref()
                            .is_none_or(|it| !it.starts_with(['-', '(', '!']))
                    };
                    let places = rest.iter().take_while(is_place).count();
                    let is_unknown = rest[..places].iter().any(Option::is_none);
                    if places == 0 || is_unknown {
                        self.words.push((text_word("."), Role::Tree));
                    }
                    let places = words[at + 1..].iter().take(places);
                    let places = places.map(|place| (place.clone(), Role::Tree));
                    self.words.extend(places);
                }
                _ => {}
            }
        }
    }

    fn assign(&mut self, name: &str, value: &Word, depth: usize) {
        self.code(value, depth);
        self.nested(value, depth);
        let values = self.assigned.entry(name.to_owned()).or_default();
        if !values.contains(value) {
            values.push(value.clone());
        }
    }

    /// A word that may name anything, be it by code that it holds.
    fn name(&mut self, word: &Word, role: Role, depth: usize) {
        self.code(word, depth);
        if let Some((name, value)) = assignment(word) {
            self.assign(&name, &value, depth);
        }
        self.nested(word, depth);
        self.words.push((word.clone(), role));
    }

    /// A word may be code of its own: `xargs -I{} sh -c '…'`, `CMD="sh x"`.
    fn nested(&mut self, word: &Word, depth: usize) {
        let text = render(word);
        if text.contains(|it: char| it.is_whitespace() || ";|&<>()$`'\"\\".contains(it)) {
            self.text(&text, depth + 1);
        }
    }

    /// The code in a word, and what its variables are set to.
    fn code(&mut self, word: &Word, depth: usize) {
        for piece in word {
            match piece {
                Piece::Code(code) => self.text(code, depth + 1),
                Piece::Variable {
                    name, operation, ..
                } => {
                    let Some((symbol, value)) = operation else {
                        continue;
                    };
                    self.code(value, depth);
                    if symbol.ends_with('=') {
                        self.assign(name, value, depth);
                    }
                }
                Piece::Text { .. } => {}
            }
        }
    }
}

impl Simple {
    fn program(&self) -> Option<String> {
        let first = literal(self.words.first()?)?;
        // `./make` is a file of the folder's, whatever its name.
        (!first.contains('/')).then(|| program(&first))
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assignments.is_empty() && self.redirects.is_empty()
    }
}

/// Give words another meaning, wherever they stand; functions are known by their brackets.
const REDEFINES: [&str; 4] = ["abbr", "alias", "eval", "function"];

/// Set variables.
const COMPUTES: [&str; 13] = [
    "coproc",
    "declare",
    "eval",
    "getopts",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "typeset",
    "vared",
    "wait",
    "zparseopts",
];

/// Variables of the environment that hold a path, and never an option or the name of a program.
const KNOWN_FOLDERS: [&str; 3] = ["CLAUDE_PROJECT_DIR", "HOME", "PWD"];

/// Words that begin or end a compound command and name nothing.
const RESERVED: [&str; 15] = [
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time",
    "esac", "select",
];

/// The text of a word, if it can be told which word it is: `$X` might be `alias`, or an option.
fn told(word: &Word) -> Option<String> {
    let is_known = word.iter().all(|piece| match piece {
        Piece::Text { .. } => true,
        Piece::Variable {
            name, operation, ..
        } => operation.is_none() && KNOWN_FOLDERS.contains(&name.as_str()),
        Piece::Code(_) => false,
    });
    is_known.then(|| render(word))
}

fn commands(tokens: Vec<Token>) -> Vec<Simple> {
    let mut all: Vec<Simple> = Vec::new();
    let mut current = Simple::default();
    let mut redirect = None;
    for token in tokens {
        match token {
            Token::Redirect(kind) => redirect = Some(kind),
            Token::HereDocument(body) => {
                let last = if current.is_empty() {
                    all.last_mut().unwrap_or(&mut current)
                } else {
                    &mut current
                };
                last.documents.push(body);
            }
            Token::Control(_) => {
                if !current.is_empty() {
                    all.push(std::mem::take(&mut current));
                }
                redirect = None;
            }
            Token::Word(word) => match redirect.take() {
                Some(kind) => current.redirects.push((kind, word)),
                None => push_word(&mut current, word),
            },
        }
    }
    // A document may stand alone, where the command before it could not be read.
    if !current.is_empty() || !current.documents.is_empty() {
        all.push(current);
    }
    all
}

fn push_word(current: &mut Simple, word: Word) {
    if current.words.is_empty() {
        if let Some(assigned) = assignment(&word) {
            current.assignments.push(assigned);
            return;
        }
        if literal(&word).is_some_and(|it| RESERVED.contains(&it.as_str())) {
            return;
        }
    }
    // `for name in a b`: a variable with each of these values.
    let loops = current.words.first().and_then(literal);
    if let (Some("for"), Some(name)) = (loops.as_deref(), current.words.get(1).and_then(literal))
        && current.words.len() >= 3
    {
        current.assignments.push((name, word.clone()));
    }
    current.words.push(word);
}

/// `NAME=value`, `NAME+=value`.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Piece::Text {
        text,
        quoted: false,
    }) = word.first()
    else {
        return None;
    };
    let (name, value) = text.split_once('=')?;
    let (name, adds) = match name.strip_suffix('+') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let is_name = !name.is_empty()
        && !name.starts_with(|it: char| it.is_ascii_digit())
        && name
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || it == '_');
    if !is_name {
        return None;
    }
    let mut rest: Word = word[1..].to_vec();
    if !value.is_empty() {
        rest.insert(
            0,
            Piece::Text {
                text: value.to_owned(),
                quoted: false,
            },
        );
    }
    if adds {
        let before = Piece::Variable {
            name: name.to_owned(),
            source: format!("${{{name}}}"),
            operation: None,
        };
        rest.insert(0, before);
    }
    Some((name.to_owned(), rest))
}

/// `2`, `-`: another file of the process, no name.
fn is_descriptor(target: &str) -> bool {
    let number = target.strip_suffix('-').unwrap_or(target);
    number.chars().all(|it| it.is_ascii_digit())
}

/// Whether the names that `find` looks for say what it finds: with alternatives and negations they
/// do not, nor where a word of it only run time knows.
fn has_name_tests(names: &[Option<String>]) -> bool {
    let widens = |name: &Option<String>| match name.as_deref() {
        None | Some("!" | "-not" | "-o" | "-or" | ",") => true,
        Some(_) => false,
    };
    let mut known = names.iter().flatten();
    known.any(|it| NAME_TESTS.contains(&it.as_str())) && !names.iter().any(widens)
}

/// The word that a shell among the words is to run.
fn nested_shell(names: &[Option<String>]) -> Option<usize> {
    let name = |at: usize| names.get(at).and_then(Option::as_deref);
    for shell in 0..names.len() {
        if !name(shell).is_some_and(|it| SHELLS.contains(&program(it).as_str())) {
            continue;
        }
        let mut at = shell + 1;
        while let Some(option) = name(at).filter(|it| it.starts_with(['-', '+'])) {
            if option.contains('c') && !option.starts_with("--") {
                return (at + 1 < names.len()).then_some(at + 1);
            }
            let has_value = matches!(option, "-o" | "+o" | "-O" | "+O");
            at += 1 + usize::from(has_value);
        }
    }
    None
}
