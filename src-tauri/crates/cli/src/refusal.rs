//! Arguments that are no call: one sentence that names what is missing or wrong, and what could
//! stand there.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};
use weir_core::repeated::repeated;
use weir_core::source::SOURCES;

use crate::arguments::{self, Arguments};

/// What is wrong, and where to read more.
pub(crate) fn sentence(error: &clap::Error) -> String {
    let path = command_path(error);
    let command = command_at(&path);
    let path = path.join(" ");
    let wrong = match what(error, &path, &command) {
        Some(wrong) => wrong,
        None => first_words(error),
    };
    format!("{} See {path} --help.", full_stop(&wrong))
}

fn what(error: &clap::Error, path: &str, command: &Command) -> Option<String> {
    let kind = error.kind();
    let argument = || words(error, ContextKind::InvalidArg).into_iter().next();
    let value = || words(error, ContextKind::InvalidValue).into_iter().next();
    if kind == ErrorKind::MissingRequiredArgument {
        let missing = words(error, ContextKind::InvalidArg);
        let missing = missing.iter().map(|it| with_values(it, command));
        let missing: Vec<String> = missing.collect();
        return Some(format!("{path} needs {}.", missing.join(" and ")));
    }
    if kind == ErrorKind::MissingSubcommand
        || kind == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    {
        return Some(format!("{path} needs a command: {}.", commands(command)));
    }
    if kind == ErrorKind::InvalidSubcommand {
        let name = words(error, ContextKind::InvalidSubcommand);
        let name = repeated(name.first()?).unwrap_or_else(|| "of that name".to_owned());
        let known = commands(command);
        return Some(format!("There is no command {name}; there are: {known}."));
    }
    if kind == ErrorKind::InvalidValue {
        let (argument, value) = (argument()?, value()?);
        let mut possible = words(error, ContextKind::ValidValue);
        if possible.is_empty() {
            possible = known_values(&argument);
        }
        let possible = match possible.as_slice() {
            [] => String::new(),
            values => format!("; possible: {}", values.join(", ")),
        };
        return Some(if value.is_empty() {
            format!("{argument} needs a value{possible}.")
        } else {
            format!("{} is no value of {argument}{possible}.", named(&value))
        });
    }
    if kind == ErrorKind::ValueValidation {
        let (argument, value) = (argument()?, named(&value()?));
        let why = std::error::Error::source(error).map(ToString::to_string);
        let why = why.map_or_else(String::new, |why| format!(": {}", one_line(&why)));
        return Some(format!("{value} is no value of {argument}{why}."));
    }
    if kind == ErrorKind::UnknownArgument {
        let argument = argument()?;
        // What stands in the wrong place may be a secret: only the name of an option is repeated.
        if !argument.starts_with('-') {
            return Some(format!("{path} takes fewer arguments than there are."));
        }
        let name = argument.split('=').next().unwrap_or_default();
        let near = words(error, ContextKind::SuggestedArg);
        let near = near.first().map_or_else(String::new, |near| {
            format!(" Did you mean {}?", near.trim())
        });
        let bare = name.trim_start_matches('-');
        return Some(match repeated(bare) {
            Some(_) => format!("{path} has no option {name}.{near}"),
            None => format!("{path} has no option of that name.{near}"),
        });
    }
    if kind == ErrorKind::ArgumentConflict {
        let others = words(error, ContextKind::PriorArg).join(", ");
        return Some(format!("{} cannot be used with {others}.", argument()?));
    }
    None
}

/// The value, or a word in its place where it may be a secret.
fn named(value: &str) -> String {
    repeated(value).unwrap_or_else(|| "That".to_owned())
}

/// What could stand there, where clap does not know it: sources are looked up later, and an effort
/// may be a number too.
fn known_values(argument: &str) -> Vec<String> {
    let name = argument.split_whitespace().next().unwrap_or_default();
    let name = name.trim_matches(['-', '<', '>']).to_ascii_lowercase();
    let values: Vec<&str> = match name.as_str() {
        "source" => SOURCES.iter().map(|source| source.name).collect(),
        "thinking" => arguments::EFFORTS.to_vec(),
        _ => Vec::new(),
    };
    values.into_iter().map(str::to_owned).collect()
}

/// The words of an error's detail.
fn words(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => vec![word.clone()],
        Some(ContextValue::Strings(words)) => words.clone(),
        _ => Vec::new(),
    }
}

/// `weir keys set`, as the usage line of an error begins.
fn command_path(error: &clap::Error) -> Vec<String> {
    // Where a whole command is missing the error is the help, with its usage inside.
    let text = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => error.render().to_string(),
    };
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage:"));
    let usage = usage.unwrap_or_default();
    let names = usage.split_whitespace();
    let is_name = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_lowercase());
    let path: Vec<String> = names.take_while(is_name).map(str::to_owned).collect();
    if path.is_empty() {
        let typed = std::env::args_os().skip(1);
        typed_path(typed.map(|word| word.to_string_lossy().into_owned()))
    } else {
        path
    }
}

/// The command that was typed: an error about a value has no usage line.
fn typed_path(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut path = vec!["weir".to_owned()];
    let mut command = Arguments::command();
    let mut is_value = false;
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        is_value = word == "--data-dir";
        if let Some(inner) = command.find_subcommand(&word).cloned() {
            path.push(word);
            command = inner;
        }
    }
    path
}

fn command_at(path: &[String]) -> Command {
    let mut command = Arguments::command();
    for name in path.iter().skip(1) {
        match command.find_subcommand(name).cloned() {
            Some(inner) => command = inner,
            None => break,
        }
    }
    command
}

fn commands(command: &Command) -> String {
    let names = command.get_subcommands().map(Command::get_name);
    names.collect::<Vec<_>>().join(", ")
}

/// An argument that is missing, and what it could be.
fn with_values(argument: &str, command: &Command) -> String {
    let name = argument.split_whitespace().next().unwrap_or_default();
    let is_it = |known: &&Arg| match known.get_long() {
        Some(long) => name.strip_prefix("--") == Some(long),
        None => format!("<{}>", known.get_id()).eq_ignore_ascii_case(name),
    };
    let values = command
        .get_arguments()
        .find(is_it)
        .map(Arg::get_possible_values);
    let values = values.unwrap_or_default();
    let names = values.iter().map(|value| value.get_name().to_owned());
    let mut names: Vec<String> = names.collect();
    if names.is_empty() {
        names = known_values(argument);
    }
    if names.is_empty() {
        return argument.to_owned();
    }
    format!("{argument} ({})", names.join(", "))
}

/// What clap says, in one line.
fn first_words(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    one_line(first.trim_start_matches("error: "))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn full_stop(text: &str) -> String {
    if text.ends_with(['.', '?']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}
