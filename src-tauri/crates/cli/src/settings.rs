//! `weir settings`: the defaults that new sessions begin with, shown and set. The window reads and
//! writes the same ones.

use std::sync::Arc;

use serde_json::{Map, Value};
use weir_core::app::{App, AppError};
use weir_core::repeated::repeated;
use weir_core::source::SourceError;
use weir_protocol::{Settings, SettingsChange, SourceSettings, Theme, Thinking, code};

use crate::arguments::{self, SettingsArguments};
use crate::{Exit, Failure, output};

/// A default that can be shown and set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name<'a> {
    Source,
    /// Of the default source.
    Model,
    ModelOf(&'a str),
    Effort,
    AddressOf(&'a str),
}

impl<'a> Name<'a> {
    fn parse(text: &'a str) -> Result<Self, Failure> {
        match text.split_once('.') {
            None => match text {
                "source" => Ok(Self::Source),
                "model" => Ok(Self::Model),
                "effort" | "thinking" => Ok(Self::Effort),
                _ => Err(unknown(text)),
            },
            Some(("model", source)) => Ok(Self::ModelOf(source)),
            Some(("address", source)) => Ok(Self::AddressOf(source)),
            Some(_) => Err(unknown(text)),
        }
    }
}

fn unknown(text: &str) -> Failure {
    let name = repeated(text).unwrap_or_else(|| "of that name".to_owned());
    Failure::usage(format!(
        "There is no setting {name}. There are: source, model, effort, and for each source model.SOURCE and address.SOURCE."
    ))
}

pub(crate) async fn run(app: &Arc<App>, asked: SettingsArguments) -> Result<Exit, Failure> {
    // The theme is the window's own.
    let settings = app.settings(Theme::default()).await?;
    match (&asked.name, asked.value) {
        (None, _) => show_all(&settings, asked.json)?,
        (Some(name), None) => show(&settings, name, asked.json)?,
        (Some(name), Some(value)) => {
            let change = change(&settings, Name::parse(name)?, value)?;
            app.change(change).await.map_err(refused)?;
            let settings = app.settings(Theme::default()).await?;
            show(&settings, name, asked.json)?;
        }
    }
    Ok(Exit::Done)
}

/// What was typed is not repeated: a rejected address may have a password in it.
fn refused(error: AppError) -> Failure {
    if let AppError::Source(SourceError::BadBaseUrl(_)) = error {
        return Failure::usage(
            "That is no address Weir can ask: it wants http:// or https://, a host, perhaps a path, and nothing more.",
        );
    }
    error.into()
}

fn change(settings: &Settings, name: Name<'_>, value: String) -> Result<SettingsChange, Failure> {
    Ok(match name {
        Name::Source => SettingsChange::Source {
            source: source(settings, value.trim())?.name.clone(),
        },
        Name::Model => SettingsChange::Model {
            source: settings.source.clone(),
            model: value,
        },
        Name::ModelOf(of) => SettingsChange::Model {
            source: source(settings, of)?.name.clone(),
            model: value,
        },
        Name::Effort => SettingsChange::Thinking {
            thinking: arguments::parse_thinking(value.trim())
                .map_err(|why| Failure::usage(format!("That is no effort: {why}.")))?,
        },
        Name::AddressOf(of) => SettingsChange::BaseUrl {
            source: with_address(source(settings, of)?)?.name.clone(),
            base_url: value,
        },
    })
}

/// The demo, for one, is asked nowhere.
fn with_address(source: &SourceSettings) -> Result<&SourceSettings, Failure> {
    let is_asked_nowhere =
        weir_core::source::source(&source.name).is_ok_and(|source| source.base_url.is_empty());
    match is_asked_nowhere {
        true => Err(Failure::usage(format!("{} has no address.", source.name))),
        false => Ok(source),
    }
}

fn source<'a>(settings: &'a Settings, name: &str) -> Result<&'a SourceSettings, Failure> {
    let known = settings.sources.iter().find(|source| source.name == name);
    known.ok_or_else(|| {
        let unknown = AppError::Source(SourceError::Unknown(name.to_owned()));
        let mut failure = Failure::from(unknown);
        failure.error.code = code::UNKNOWN_SOURCE.to_owned();
        failure
    })
}

fn value(settings: &Settings, name: Name<'_>) -> Result<String, Failure> {
    Ok(match name {
        Name::Source => settings.source.clone(),
        Name::Model => source(settings, &settings.source)?.model.clone(),
        Name::ModelOf(of) => source(settings, of)?.model.clone(),
        Name::Effort => effort(settings.thinking),
        Name::AddressOf(of) => source(settings, of)?.base_url.clone(),
    })
}

fn effort(thinking: Thinking) -> String {
    match thinking {
        Thinking::Off => "off".to_owned(),
        Thinking::Minimal => "minimal".to_owned(),
        Thinking::Low => "low".to_owned(),
        Thinking::Medium => "medium".to_owned(),
        Thinking::High => "high".to_owned(),
        Thinking::Xhigh => "xhigh".to_owned(),
        Thinking::Max => "max".to_owned(),
        Thinking::Tokens(tokens) => tokens.to_string(),
    }
}

fn show(settings: &Settings, name: &str, json: bool) -> Result<(), Failure> {
    let value = value(settings, Name::parse(name)?)?;
    let text = if json {
        Value::from(value).to_string()
    } else {
        output::plain(&value).into_owned()
    };
    Ok(output::write(&format!("{text}\n"))?)
}

/// Every setting by its name; of a source only what it has.
fn show_all(settings: &Settings, json: bool) -> Result<(), Failure> {
    let mut names = vec!["source".to_owned(), "model".into(), "effort".into()];
    for source in &settings.sources {
        names.push(format!("model.{}", source.name));
        if !source.base_url.is_empty() {
            names.push(format!("address.{}", source.name));
        }
    }
    let mut all = Map::new();
    for name in names {
        let value = value(settings, Name::parse(&name)?)?;
        all.insert(name, value.into());
    }
    if json {
        return Ok(output::write(&format!("{}\n", Value::from(all)))?);
    }
    let widest = all.keys().map(String::len).max().unwrap_or_default();
    let mut lines = String::new();
    for (name, value) in &all {
        let value = value.as_str().unwrap_or_default();
        let shown = if value.is_empty() {
            "(whatever is loaded)"
        } else {
            value
        };
        lines += &format!("{name:widest$}  {}\n", output::plain(shown));
    }
    Ok(output::write(&lines)?)
}
