//! What a turn is asked of: the prompt's own wishes, else what its session keeps, else the
//! defaults. And where a session's history may go.
//!
//! Invariant: a session's history goes to a recipient that has not had it only after the user
//! agreed, whoever calls [`App::send`].

use uuid::Uuid;
use weir_protocol::{
    ErrorBody, Event, EventBody, RequestOptions, SessionChange, SessionSummary, SettingsChange,
    Thinking, code,
};

use super::{App, AppError, Prompt};
use crate::source::{self, ChosenBy, Source, SourceError, recipient};
use crate::store::{Destination, Recipient};

/// Whether a session's history may go to a new recipient without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moving {
    #[default]
    Ask,
    /// The user has agreed already.
    Allowed,
}

/// A session's history would go to somebody who has not had it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Sending this would send {label} ({host}) the {messages} of this session too, which went to {before} so far. That needs your agreement once.",
    host = recipient.host,
    messages = self.count()
)]
pub struct MoveAsks {
    pub session: Uuid,
    /// Prompts and replies.
    pub messages: usize,
    pub label: String,
    /// Who was asked so far.
    pub before: String,
    pub recipient: Recipient,
}

impl MoveAsks {
    pub(super) fn body(&self) -> ErrorBody {
        ErrorBody::new(code::MOVE_ASKS, self.to_string())
    }

    /// "1 message", "12 messages".
    pub fn count(&self) -> String {
        match self.messages {
            1 => "1 message".to_owned(),
            many => format!("{many} messages"),
        }
    }
}

/// How a turn came by its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelFrom {
    /// Somebody picked it: for the turn, for the session, or in the settings.
    Picked,
    /// The server had it loaded.
    Loaded,
}

/// What a turn is asked of.
pub(super) struct Asked {
    pub(super) source: &'static Source,
    /// Empty: whatever its server has loaded.
    pub(super) model: String,
    pub(super) model_from: ModelFrom,
    pub(super) thinking: Thinking,
    pub(super) thinking_by: ChosenBy,
    pub(super) options: RequestOptions,
    pub(super) base_url: String,
    /// Where that is the session's own address.
    pub(super) own_base_url: Option<String>,
}

impl Asked {
    /// Where a turn with this model goes.
    pub(super) fn destination(&self, model: &str) -> Destination {
        Destination {
            recipient: recipient::recipient(self.source, &self.base_url, model),
            base_url: self.own_base_url.clone(),
            picked: match self.model_from {
                ModelFrom::Picked => Some(model.to_owned()),
                ModelFrom::Loaded => None,
            },
        }
    }
}

impl App {
    pub(super) async fn asked_of(&self, prompt: &Prompt) -> Result<Asked, AppError> {
        let own = match prompt.session {
            Some(session) => Some(self.store.session(session).await?),
            None => None,
        };
        // A damaged line may have lost its source.
        let own = own.filter(|own| !own.source.is_empty());
        let source = match (&prompt.source, &own) {
            (Some(name), _) => self.source(name).await?,
            (None, Some(own)) => self.kept_source(own).await?,
            (None, None) => self.source(&self.configured_source().await?).await?,
        };
        let same = own.as_ref().filter(|own| own.source == source.name);
        let model = match (&prompt.model, same) {
            (Some(model), _) => model.clone(),
            (None, Some(own)) => own.model.clone(),
            (None, None) => self.model(source).await?,
        };
        let model_from = self.model_from(prompt, same, &model).await?;
        let (thinking, thinking_by) = self.asked_thinking(prompt, own.as_ref()).await?;
        let options = match (&prompt.options, &own) {
            (Some(options), _) => checked_options(options.clone())?,
            (None, Some(own)) => own.options.clone(),
            (None, None) => RequestOptions::default(),
        };
        let own_base_url = match (&prompt.base_url, same) {
            (Some(base_url), _) => Some(base_url.clone()),
            (None, Some(own)) => self.store.session_base_url(own.id).await?,
            (None, None) => None,
        };
        let base_url = match &own_base_url {
            Some(base_url) => base_url.clone(),
            None => self.base_url(source).await?,
        };
        if !source.base_url.is_empty() {
            source::http::endpoint(&base_url, "")?;
        }
        Ok(Asked {
            source,
            model,
            model_from,
            thinking,
            thinking_by,
            options,
            base_url,
            own_base_url,
        })
    }

    /// How much the model shall think, and whether somebody chose that. A session also keeps the
    /// level that its first turn had by default, so the default level is a choice only where it is
    /// known to be one.
    async fn asked_thinking(
        &self,
        prompt: &Prompt,
        own: Option<&SessionSummary>,
    ) -> Result<(Thinking, ChosenBy), AppError> {
        if let Some(thinking) = prompt.thinking {
            return Ok((thinking, ChosenBy::User));
        }
        let kept = own.and_then(|own| Some((own.id, own.thinking?)));
        let (thinking, is_chosen) = match kept {
            Some((id, kept)) => (kept, self.store.has_chosen_thinking(id).await?),
            None => (self.thinking().await?, self.has_thinking().await?),
        };
        let by = match is_chosen || thinking != Thinking::default() {
            true => ChosenBy::User,
            false => ChosenBy::Nobody,
        };
        Ok((thinking, by))
    }

    /// A session keeps the model that its server had loaded once; nobody picked that.
    async fn model_from(
        &self,
        prompt: &Prompt,
        same: Option<&SessionSummary>,
        model: &str,
    ) -> Result<ModelFrom, AppError> {
        let is_picked = match (&prompt.model, same) {
            (None, Some(own)) => {
                let picked = self.store.picked(own.id).await?;
                picked.is_some_and(|(source, model)| source == own.source && model == own.model)
            }
            (Some(_), _) | (None, None) => !model.is_empty(),
        };
        Ok(match is_picked {
            true => ModelFrom::Picked,
            false => ModelFrom::Loaded,
        })
    }

    /// Refuses to send what a session holds to a recipient that has not had it and that the user
    /// has not agreed to.
    pub(super) async fn check_move(
        &self,
        prompt: &Prompt,
        source: &Source,
        destination: &Destination,
        history: &[Event],
    ) -> Result<(), AppError> {
        let (Some(session), Some(recipient)) = (prompt.session, &destination.recipient) else {
            return Ok(());
        };
        // A prompt that takes another's place repeats its words, or some of them.
        let repeated = usize::from(prompt.replaces.is_some());
        let messages = count_messages(history) + repeated;
        if messages == 0 || prompt.moving == Moving::Allowed {
            return Ok(());
        }
        let known = self.store.recipients(session).await?;
        if recipient::is_known(source, &known, recipient) {
            return Ok(());
        }
        Err(AppError::MoveAsks(Box::new(MoveAsks {
            session,
            messages,
            label: source.label.to_owned(),
            before: self.asked_before(session, history).await?,
            recipient: recipient.clone(),
        })))
    }

    async fn asked_before(&self, session: Uuid, history: &[Event]) -> Result<String, AppError> {
        let mut labels: Vec<String> = Vec::new();
        for event in history {
            if let EventBody::UserMessage { source, .. } = &event.body {
                add_label(&mut labels, source);
            }
        }
        if labels.is_empty() {
            add_label(&mut labels, &self.store.session(session).await?.source);
        }
        Ok(labels.join(" and "))
    }

    /// The user agreed: from now on this is not asked again.
    pub async fn allow_move(&self, asks: &MoveAsks) -> Result<(), AppError> {
        let recipient = asks.recipient.clone();
        Ok(self.store.allow_recipient(asks.session, recipient).await?)
    }

    /// Changes what a session's next turn is asked of. Nothing is sent before that turn.
    pub async fn choose(
        &self,
        session: Uuid,
        change: SessionChange,
    ) -> Result<SessionSummary, AppError> {
        let change = match change {
            SessionChange::Model { source, model } => SessionChange::Model {
                source: self.source(&source).await?.name.to_owned(),
                model: model.trim().to_owned(),
            },
            SessionChange::Options { options } => SessionChange::Options {
                options: checked_options(options)?,
            },
            thinking @ SessionChange::Thinking { .. } => thinking,
        };
        Ok(self.store.choose(session, change).await?)
    }

    /// New sessions begin with what this one was asked of.
    pub async fn use_for_new_sessions(&self, session: Uuid) -> Result<(), AppError> {
        let used = self.store.session(session).await?;
        let Ok(source) = self.source(&used.source).await else {
            return Ok(());
        };
        let name = source.name.to_owned();
        if self.configured_source().await? != name {
            let source = name.clone();
            self.change(SettingsChange::Source { source }).await?;
        }
        let model = self.model(source).await?;
        let picked = self.store.picked(session).await?;
        let is_picked = picked.is_some_and(|(source, model)| source == name && model == used.model);
        // Who wants whatever is loaded goes on wanting that, until they pick something.
        let is_wanted = !model.is_empty() || is_picked;
        if is_wanted && !used.model.is_empty() && model != used.model {
            let model = used.model;
            let source = name;
            self.change(SettingsChange::Model { source, model }).await?;
        }
        match used.thinking {
            Some(thinking) if self.thinking().await? != thinking => {
                self.change(SettingsChange::Thinking { thinking }).await
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The source of a session, which may be gone: an earlier Weir's, or a server that the user
    /// removed.
    async fn kept_source(&self, own: &SessionSummary) -> Result<&'static Source, AppError> {
        match self.source(&own.source).await {
            Err(AppError::Source(SourceError::Unknown(name))) => Err(AppError::SourceGone(name)),
            found => found,
        }
    }
}

/// More is no schema that a provider takes, and slows down every request.
const LONGEST_SCHEMA: usize = 64 * 1024;
const MOST_TEXTS: usize = 16;
const LONGEST_TEXT: usize = 256;

/// Options that can be sent to somebody. A session keeps them with every prompt, so each is
/// bounded.
fn checked_options(options: RequestOptions) -> Result<RequestOptions, AppError> {
    let is_share =
        |value: Option<f64>, most: f64| value.is_none_or(|it| (0.0..=most).contains(&it));
    if options.max_tokens == Some(0)
        || !is_share(options.temperature, 2.0)
        || !is_share(options.top_p, 1.0)
    {
        return Err(AppError::BadOptions(
            "a limit of tokens is at least 1, a temperature from 0 to 2 and top-p from 0 to 1",
        ));
    }
    let is_short = |texts: &[String]| {
        let is_fine = |it: &String| !it.is_empty() && it.len() <= LONGEST_TEXT;
        texts.len() <= MOST_TEXTS && texts.iter().all(is_fine)
    };
    if !is_short(&options.stop) || !is_short(&options.file_stores) {
        return Err(AppError::BadOptions(
            "there can be 16 stop texts and 16 stores, of 256 bytes each, and none is empty",
        ));
    }
    let is_schema = |schema: &serde_json::Value| {
        schema.is_object() && schema.to_string().len() <= LONGEST_SCHEMA
    };
    if !options.schema.as_ref().is_none_or(is_schema) {
        return Err(AppError::BadOptions(
            "a schema is a JSON object of at most 64 KiB",
        ));
    }
    let mut provider_tools = Vec::new();
    for tool in options.provider_tools {
        if !provider_tools.contains(&tool) {
            provider_tools.push(tool);
        }
    }
    Ok(RequestOptions {
        provider_tools,
        ..options
    })
}

fn add_label(labels: &mut Vec<String>, name: &str) {
    let label = source::source(name).map_or(name, |source| source.label);
    if !labels.iter().any(|known| known == label) {
        labels.push(label.to_owned());
    }
}

/// The prompts, and the turns that were answered.
fn count_messages(history: &[Event]) -> usize {
    let mut prompts = 0;
    let mut answered = std::collections::HashSet::new();
    for event in history {
        if let EventBody::UserMessage { .. } = &event.body {
            prompts += 1;
        } else if let EventBody::Message { .. } = &event.body {
            answered.insert(event.turn_id);
        }
    }
    prompts + answered.len()
}
