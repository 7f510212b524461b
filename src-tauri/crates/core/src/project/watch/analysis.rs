//! What a command names, and in which role: a file to run, a folder to go to, a file to write.
//! Pure: nothing here looks at the disk.
//!
//! Everything is a name unless it certainly is not: what is only written (`>> log`), and what a
//! program that runs nothing reads while nobody runs its output (`grep -q x notes.md`).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::programs::{
    CHANGE_FOLDER, FILTERS, FOLDER_OPTIONS, LISTERS, NAME_TESTS, READERS, SHELLS, TASK_RUNNERS,
    WRITERS, program,
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
    /// Only written, as far as this says.
    pub(super) written: Vec<Word>,
    pub(super) assigned: BTreeMap<String, Vec<Word>>,
    /// Every word that may be a program.
    pub(super) programs: BTreeSet<String>,
    /// Names that it lists are run: the folders it goes to count as a whole.
    pub(super) lists: bool,
    pub(super) too_deep: bool,
    /// Variables get values that no assignment shows.
    pub(super) computes: bool,
    used: BTreeSet<String>,
    only_written: BTreeSet<String>,
    seen: HashSet<(String, Output)>,
}

/// What becomes of what a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Output {
    /// It goes to Weir, or nowhere.
    Harmless,
    /// Something may run it.
    MayRun,
}

/// Whether the names of programs mean what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Usual,
    /// There are functions, aliases or redirections for good.
    MayDiffer,
}

#[derive(Clone, Copy)]
struct Context {
    output: Output,
    meaning: Meaning,
    depth: usize,
}

#[derive(Default)]
struct Simple {
    assignments: Vec<(String, Word)>,
    words: Vec<Word>,
    redirects: Vec<(Redirect, Word)>,
    documents: Vec<String>,
    /// Its output goes to the next one.
    piped: bool,
    /// Others read the same input after it.
    grouped: bool,
}

impl Analysis {
    pub(super) fn of_shell(text: &str) -> Self {
        let mut analysis = Self::default();
        analysis.text(text, Output::Harmless, 0);
        analysis.finish()
    }

    pub(super) fn of_program(words: &[String]) -> Self {
        let mut analysis = Self::default();
        let command = Simple {
            words: words.iter().map(|word| text_word(word)).collect(),
            ..Simple::default()
        };
        let context = Context {
            output: Output::Harmless,
            meaning: Meaning::Usual,
            depth: 0,
        };
        analysis.simple(&command, context);
        analysis.finish()
    }

    /// A variable that is only written to (`>> "$LOG"`) names no file that runs.
    fn finish(mut self) -> Self {
        let values = std::mem::take(&mut self.assigned);
        for (name, words) in &values {
            let only_written = self.only_written.contains(name) && !self.used.contains(name);
            for word in words {
                match only_written {
                    true => self.written.push(word.clone()),
                    false => self.words.push((word.clone(), Role::Name)),
                }
            }
        }
        self.assigned = values;
        self
    }

    fn text(&mut self, text: &str, output: Output, depth: usize) {
        if depth > DEEPEST {
            self.too_deep = true;
            return;
        }
        if !self.seen.insert((text.to_owned(), output)) {
            return;
        }
        // Where words can mean something else than they say, nothing is exempt.
        let plain: String = text.chars().filter(|it| !it.is_whitespace()).collect();
        self.computes |= COMPUTES.iter().any(|it| plain.contains(it));
        let (meaning, output) = match REDEFINES.iter().any(|it| plain.contains(it)) {
            true => (Meaning::MayDiffer, Output::MayRun),
            false => (Meaning::Usual, output),
        };
        let commands = commands(text);
        let mut after = output;
        let mut outputs = Vec::with_capacity(commands.len());
        for (at, command) in commands.iter().enumerate().rev() {
            let next = commands.get(at + 1).filter(|next| !next.grouped);
            let harmless = next.and_then(Simple::program).is_some_and(|next| {
                READERS.contains(&next.as_str()) || FILTERS.contains(&next.as_str())
            });
            // A group may be piped or written as a whole, so a pipe or a file counts for all that
            // stands before it.
            if (command.piped && !harmless) || writes_file(command) {
                after = Output::MayRun;
            }
            outputs.push(after);
        }
        for (command, output) in commands.iter().zip(outputs.into_iter().rev()) {
            let context = Context {
                output,
                meaning,
                depth,
            };
            self.simple(command, context);
        }
    }

    fn simple(&mut self, command: &Simple, context: Context) {
        let Context {
            output,
            meaning,
            depth,
        } = context;
        for (name, value) in &command.assignments {
            self.assign(name, value, depth);
        }
        let names: Vec<_> = command.words.iter().map(literal).collect();
        let known = names.iter().flatten().map(|name| program(name));
        self.programs.extend(known);
        let first = command.program().unwrap_or_default();
        let reads = output == Output::Harmless
            && command.assignments.is_empty()
            && !writes_file(command)
            && is_reader(&first, &names);
        self.redirects(command, reads, depth);
        let writes = WRITERS.contains(&first.as_str()) && meaning == Meaning::Usual;
        if reads || writes {
            self.words
                .extend(command.words.first().map(|it| (it.clone(), Role::File)));
            for word in &command.words {
                self.unread(word, depth);
                if writes {
                    self.written.push(word.clone());
                }
            }
            return;
        }
        self.lists |= names.iter().flatten().any(|it| is_lister(it));
        if first == "eval" || first == "trap" {
            let text: Vec<_> = command.words.iter().skip(1).map(render).collect();
            self.text(&text.join(" "), output, depth + 1);
        }
        if matches!(first.as_str(), "ls" | "find" | "fd" | "fdfind") {
            self.listing(&first, &names);
        }
        let nested = nested_shell(&names);
        let is_runner = TASK_RUNNERS.contains(&first.as_str());
        let mut before = "";
        for (at, word) in command.words.iter().enumerate() {
            let name = names[at].as_deref();
            let is_plain = name.is_some_and(|it| !it.contains('/') && it != "." && it != "..");
            if nested == Some(at) {
                let code = render(word);
                self.text(&code, output, depth + 1);
                self.code(word, depth);
                before = "";
                continue;
            }
            if at == 0 && name == Some(".") {
                // Reads a script; no folder is meant.
                continue;
            }
            let role = if at == 0 && is_plain && meaning == Meaning::Usual {
                Role::File
            } else if CHANGE_FOLDER.contains(&first.as_str()) || FOLDER_OPTIONS.contains(&before) {
                Role::Folder
            } else if NAME_TESTS.contains(&before)
                || matches!(first.as_str(), "fd" | "fdfind")
                || first == "git" && name.is_some_and(|it| it.contains('*'))
            {
                Role::AnyDepth
            } else if first == "find" && names.iter().flatten().any(|it| is_name_test(it)) {
                // Where it looks; what it looks for says the rest.
                Role::Folder
            } else if is_runner && is_task(name) && !before.starts_with('-') {
                Role::File
            } else {
                Role::Name
            };
            self.name(word, role, depth);
            before = name.unwrap_or_default();
        }
    }

    fn redirects(&mut self, command: &Simple, reads: bool, depth: usize) {
        for (redirect, target) in &command.redirects {
            match redirect {
                Redirect::Output if is_descriptor(target) => {}
                Redirect::Output => {
                    self.unread(target, depth);
                    self.written.push(target.clone());
                }
                Redirect::Input | Redirect::HereString if reads => self.unread(target, depth),
                Redirect::Input | Redirect::HereString => self.name(target, Role::Name, depth),
            }
        }
        for document in &command.documents {
            // Commands in it are the shell's to run before anybody reads it.
            let word = document_word(document);
            self.code(&word, depth);
            if !reads {
                self.name(&word, Role::Name, depth);
                self.name(&text_word(document), Role::Name, depth);
            }
        }
    }

    /// `find` without a place begins here, and so does `ls`.
    fn listing(&mut self, first: &str, names: &[Option<String>]) {
        let tests = names.iter().flatten().any(|it| is_name_test(it));
        let places = names.iter().skip(1).map_while(|it| match it {
            Some(name) if name.starts_with('-') || name.starts_with('(') => None,
            other => Some(other.as_deref().unwrap_or_default()),
        });
        let places: Vec<_> = places.collect();
        if first == "ls" {
            let named = names.iter().skip(1);
            if !named.flatten().any(|it| !it.starts_with('-')) {
                let all = vec![Piece::Text {
                    text: "*".into(),
                    quoted: false,
                }];
                self.words.push((all, Role::Name));
            }
        } else if !tests && first == "find" {
            let here = places.is_empty() || places.iter().any(|it| matches!(*it, "." | "./"));
            let here = here.then_some(".");
            let named = places.into_iter().filter(|it| !it.is_empty());
            for place in here.into_iter().chain(named) {
                self.words.push((text_word(place), Role::Tree));
            }
        }
    }

    fn assign(&mut self, name: &str, value: &Word, depth: usize) {
        self.code(value, depth);
        self.used_by(value);
        self.nested(value, depth);
        let values = self.assigned.entry(name.to_owned()).or_default();
        if !values.contains(value) {
            values.push(value.clone());
        }
    }

    /// A word that may name anything, be it by code that it holds.
    fn name(&mut self, word: &Word, role: Role, depth: usize) {
        self.code(word, depth);
        self.used_by(word);
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
            self.text(&text, Output::MayRun, depth + 1);
        }
    }

    /// A word that names nothing that runs; code in it runs nevertheless.
    fn unread(&mut self, word: &Word, depth: usize) {
        self.code(word, depth);
        for piece in word {
            if let Piece::Variable { name, .. } = piece {
                self.only_written.insert(name.clone());
            }
        }
    }

    /// The code in a word, and what its variables are set to.
    fn code(&mut self, word: &Word, depth: usize) {
        for piece in word {
            match piece {
                Piece::Code(code) => self.text(code, Output::MayRun, depth + 1),
                Piece::Variable {
                    name, operation, ..
                } => {
                    let Some((symbol, value)) = operation else {
                        continue;
                    };
                    self.code(value, depth);
                    self.used_by(value);
                    if symbol.ends_with('=') {
                        self.assign(name, value, depth);
                    }
                }
                Piece::Text { .. } => {}
            }
        }
    }

    fn used_by(&mut self, word: &Word) {
        for piece in word {
            if let Piece::Variable {
                name, operation, ..
            } = piece
            {
                self.used.insert(name.clone());
                if let Some((_, value)) = operation {
                    self.used_by(value);
                }
            }
        }
    }
}

impl Simple {
    fn program(&self) -> Option<String> {
        let first = literal(self.words.first()?)?;
        // `./grep` is a file of the folder's, whatever its name.
        (!first.contains('/')).then(|| program(&first))
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assignments.is_empty() && self.redirects.is_empty()
    }
}

/// Functions, arrays, aliases, another `PATH`, redirections for good: what a word runs, or where
/// its output goes, is no longer what it says. Looked for without blanks.
const REDEFINES: [&str; 9] = [
    "()", "=(", "PATH=", "alias", "coproc", "enable", "exec", "function", "hash",
];

/// Arithmetic and programs of the shell that set variables. Looked for without blanks.
const COMPUTES: [&str; 8] = [
    "((", "declare", "getopts", "let", "mapfile", "printf-v", "read", "typeset",
];

/// Words that begin or end a compound command and name nothing.
const RESERVED: [&str; 15] = [
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time",
    "esac", "select",
];

fn commands(text: &str) -> Vec<Simple> {
    let mut all: Vec<Simple> = Vec::new();
    let mut current = Simple::default();
    let mut redirect = None;
    for token in tokens(text) {
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
            Token::Control(control) => {
                current.piped = control.starts_with('|') && control != "||";
                if !current.is_empty() {
                    all.push(std::mem::take(&mut current));
                } else if let (true, Some(last)) = (current.piped, all.last_mut()) {
                    // `{ …; } | sh`, `(…) | sh`.
                    last.piped = true;
                }
                current.piped = false;
                current.grouped = control == "(";
                redirect = None;
            }
            Token::Word(word) => match redirect.take() {
                Some(kind) => current.redirects.push((kind, word)),
                None => push_word(&mut current, word),
            },
        }
    }
    if !current.is_empty() {
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
            current.grouped = true;
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
/// Whether what it says may stand in a file afterwards: by name, or by a descriptor that somebody
/// opened before.
fn writes_file(command: &Simple) -> bool {
    command.redirects.iter().any(|(redirect, target)| {
        let name = literal(target);
        let goes_nowhere = name.is_some_and(|it| matches!(&*it, "/dev/null" | "-" | "1" | "2"));
        *redirect == Redirect::Output && !goes_nowhere
    })
}

fn is_descriptor(target: &Word) -> bool {
    literal(target).is_some_and(|it| it == "-" || it.chars().all(|it| it.is_ascii_digit()))
}

/// A word that cannot hold a path or a value.
fn is_task(name: Option<&str>) -> bool {
    let is_letter = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | ':');
    name.is_some_and(|name| !name.starts_with('-') && name.chars().all(is_letter))
}

fn is_lister(name: &str) -> bool {
    LISTERS.contains(&program(name).as_str())
}

fn is_name_test(name: &str) -> bool {
    NAME_TESTS.contains(&name)
}

fn is_reader(first: &str, names: &[Option<String>]) -> bool {
    let has = |option: &str| names.iter().flatten().any(|it| it == option);
    match first {
        // Sets a variable.
        "printf" => !has("-v"),
        "find" => {
            let runs = |it: &String| it.starts_with("-exec") || it.starts_with("-ok");
            names.iter().all(Option::is_some) && !names.iter().flatten().any(runs)
        }
        other if FILTERS.contains(&other) => {
            names.len() <= 2 && !names.iter().flatten().any(|it| it.starts_with("--"))
        }
        other => READERS.contains(&other),
    }
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
