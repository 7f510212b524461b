//! Requests that a server refuses over something optional: asked once more without it, at once,
//! and remembered for the next request.
//!
//! Owns which parts of a request are optional, how a refusal names them, and what is known of
//! servers. A refused request was not answered at all, so nothing of it can have been shown. Each
//! part is given up at most once a request, so that the number of requests is bounded. What is
//! known is kept for a week: an organisation may have been verified since.

mod signed;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::effort::Level;
use super::http::Call;
use super::{ByteStream, Connection, SourceError};
use crate::clock;
use crate::wire::Framing;

/// How long something is known of a server.
const KNOWN_SECONDS: i64 = 7 * 24 * 60 * 60;
/// How much is known at most; more is forgotten by age.
const MOST_FACTS: usize = 200;

/// What is known of servers, and what the user is to be told about a request. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchange(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    notes: Vec<String>,
    /// The notes that were taken already: an attempt that is made again says nothing twice.
    taken: HashSet<String>,
    facts: BTreeMap<String, Fact>,
    is_changed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fact {
    value: String,
    /// In seconds since 1970.
    at: i64,
}

impl Exchange {
    /// With what was stored by [`Self::take_changed`]. What cannot be read or is too old is
    /// forgotten.
    pub(crate) fn load(stored: Option<&str>, now: Timestamp) -> Self {
        let facts: BTreeMap<String, Fact> = stored
            .and_then(|stored| serde_json::from_str(stored).ok())
            .unwrap_or_default();
        let is_known = |fact: &Fact| (now.as_second() - fact.at).abs() < KNOWN_SECONDS;
        let facts = facts.into_iter().filter(|(_, fact)| is_known(fact));
        Self(Arc::new(Mutex::new(State {
            facts: facts.collect(),
            ..State::default()
        })))
    }

    /// A sentence for the user, said once.
    pub(crate) fn note(&self, note: String) {
        let mut state = self.state();
        if !state.taken.contains(&note) && !state.notes.contains(&note) {
            state.notes.push(note);
        }
    }

    pub(crate) fn note_all(&self, notes: Vec<String>) {
        for note in notes {
            self.note(note);
        }
    }

    pub(crate) fn take_notes(&self) -> Vec<String> {
        let mut state = self.state();
        let notes = std::mem::take(&mut state.notes);
        state.taken.extend(notes.iter().cloned());
        notes
    }

    /// What is to be stored, if anything was learned since the last time.
    pub(crate) fn take_changed(&self) -> Option<String> {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_changed) {
            return None;
        }
        serde_json::to_string(&state.facts).ok()
    }

    fn known(&self, key: &str) -> Option<String> {
        let state = self.state();
        state.facts.get(key).map(|fact| fact.value.clone())
    }

    fn learn(&self, key: String, value: String, now: Timestamp) {
        let mut state = self.state();
        let at = now.as_second();
        state.facts.insert(key, Fact { value, at });
        state.is_changed = true;
        while state.facts.len() > MOST_FACTS {
            let oldest = state.facts.iter().min_by_key(|(_, fact)| fact.at);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            state.facts.remove(&oldest);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something in a request that can be given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `reasoning.summary`, which only verified organisations get.
    Summary,
    /// `reasoning_effort` beside tools, which some models take in another API only.
    EffortWithTools,
    /// A level at this JSON pointer that the model does not have.
    Effort(&'static str),
    /// A field that the user set.
    Field(&'static str),
    /// `max_tokens`, which some servers call `max_completion_tokens`.
    MaxTokens,
    /// `reasoning: {enabled: false}`, for a model that always thinks.
    ReasoningOff,
    /// Signed thinking of earlier replies. A signature is bound to all that stood before it, and
    /// the conversation may have changed there: it was summed up, or an attachment is gone.
    SignedThinking,
}

/// Sends `body`. When the server refuses one of `parts`, it is given up and the request is sent
/// again. `call` gets the bytes that are sent, because some servers want them signed.
pub(crate) async fn stream<'a>(
    connection: &'a Connection,
    model: &str,
    call: impl Fn(&[u8]) -> Result<Call<'a>, SourceError>,
    mut body: Value,
    framing: Framing,
    parts: &[Part],
) -> Result<ByteStream, SourceError> {
    let exchange = &connection.exchange;
    for part in parts {
        if let Some(remedy) = part.known(connection, model)
            && part.apply(&mut body, &remedy)
        {
            exchange.note(part.note(model, &body));
        }
    }
    let mut given_up = Vec::new();
    loop {
        let bytes = Bytes::from(body.to_string());
        let call = call(&bytes)?;
        let refused = match call.stream_bytes(bytes, framing).await {
            Ok(bytes) => return Ok(bytes),
            Err(refused) => refused,
        };
        let SourceError::Refused {
            status: 400 | 422,
            message,
            ..
        } = &refused
        else {
            return Err(refused);
        };
        let left = parts.iter().filter(|part| !given_up.contains(*part));
        let found = left.copied().find_map(|part| {
            let remedy = part.remedy(&body, message)?;
            Some((part, remedy))
        });
        let Some((part, remedy)) = found else {
            return Err(refused);
        };
        if !part.apply(&mut body, &remedy) {
            return Err(refused);
        }
        tracing::info!(?part, %model, "refused; asked again without it");
        if let Some(key) = part.key(connection, model) {
            exchange.learn(key, remedy, clock::now());
        }
        exchange.note(part.note(model, &body));
        given_up.push(part);
    }
}

const OMIT: &str = "omit";
/// The least that a model can be asked to think, as OpenRouter calls it.
const LEAST: &str = "low";

impl Part {
    /// What to do about a refusal, if it is about this part.
    fn remedy(self, body: &Value, message: &str) -> Option<String> {
        let said = message.to_lowercase();
        match self {
            Self::Summary => {
                let is_asked = body.pointer("/reasoning/summary").is_some();
                let is_named =
                    said.contains("reasoning summar") || said.contains("reasoning.summary");
                (is_asked && is_named).then(|| OMIT.to_owned())
            }
            Self::EffortWithTools => {
                let is_asked = body.get("tools").is_some() && body["reasoning_effort"] != "none";
                let is_named = said.contains("reasoning_effort") && said.contains("tool");
                (is_asked && is_named).then(|| "none".to_owned())
            }
            Self::Effort(pointer) => {
                let asked = body.pointer(pointer)?.as_str()?;
                let list = said.split_once("supported values")?.1;
                if !quoted(&said).any(|word| word == asked) {
                    return None;
                }
                let words: Vec<&str> = quoted(list)
                    .filter(|word| *word == "none" || Level::parse(word).is_some())
                    .collect();
                Some(words.join(","))
            }
            Self::Field(field) => {
                const REFUSALS: [&str; 5] = [
                    "unsupported",
                    "not support",
                    "deprecated",
                    "not permitted",
                    "unrecognized",
                ];
                let is_quoted = quoted(&said).any(|word| word == field);
                let is_refused = is_quoted && REFUSALS.iter().any(|words| said.contains(words));
                // Some name the field without quotation marks, and only to say that it is invalid.
                let is_invalid = said.contains(&format!("invalid {field}"));
                let is_asked = body.get(field).is_some();
                (is_asked && (is_refused || is_invalid)).then(|| OMIT.to_owned())
            }
            Self::MaxTokens => {
                let is_asked = body.get("max_tokens").is_some();
                (is_asked && said.contains("max_completion_tokens")).then(|| "rename".to_owned())
            }
            Self::ReasoningOff => {
                let is_asked = body["reasoning"]["enabled"] == false;
                let is_named = said.contains("reasoning is mandatory")
                    || (said.contains("reasoning") && said.contains("cannot be disabled"));
                (is_asked && is_named).then(|| LEAST.to_owned())
            }
            Self::SignedThinking => {
                let is_named = said.contains("bound to a different conversation")
                    || ["invalid", "signature", "thinking"]
                        .iter()
                        .all(|word| said.contains(word));
                is_named.then(|| OMIT.to_owned())
            }
        }
    }

    fn known(self, connection: &Connection, model: &str) -> Option<String> {
        connection.exchange.known(&self.key(connection, model)?)
    }

    /// Whether anything was changed.
    fn apply(self, body: &mut Value, remedy: &str) -> bool {
        match self {
            Self::Summary => {
                let reasoning = body["reasoning"].as_object_mut();
                reasoning.is_some_and(|it| it.remove("summary").is_some())
            }
            Self::EffortWithTools => {
                let applies = body.get("tools").is_some() && body["reasoning_effort"] != "none";
                if applies {
                    body["reasoning_effort"] = "none".into();
                }
                applies
            }
            Self::Effort(pointer) => {
                let Some(effort) = body.pointer_mut(pointer) else {
                    return false;
                };
                let words: Vec<&str> = remedy.split(',').filter(|it| !it.is_empty()).collect();
                let asked = effort.as_str().unwrap_or_default();
                if words.contains(&asked) {
                    return false;
                }
                let levels: Vec<Level> = words.iter().filter_map(|it| Level::parse(it)).collect();
                // What was to be off, and cannot be, is the least there is.
                let nearest = match Level::parse(asked) {
                    Some(wanted) => wanted.nearest(&levels),
                    None => levels.iter().min().copied(),
                };
                match nearest {
                    Some(nearest) => *effort = nearest.word().into(),
                    None => remove(body, pointer),
                }
                true
            }
            Self::Field(field) => {
                let fields = body.as_object_mut();
                fields.is_some_and(|it| it.remove(field).is_some())
            }
            Self::MaxTokens => {
                let Some(fields) = body.as_object_mut() else {
                    return false;
                };
                let Some(most) = fields.remove("max_tokens") else {
                    return false;
                };
                fields.insert("max_completion_tokens".into(), most);
                true
            }
            Self::ReasoningOff => {
                let applies = body["reasoning"]["enabled"] == false;
                if applies {
                    body["reasoning"] = json!({"effort": remedy});
                }
                applies
            }
            Self::SignedThinking => signed::remove(body),
        }
    }

    /// Where it is remembered; nowhere, what holds for one conversation alone. Whether summaries
    /// are given depends on the account, everything else on the model.
    fn key(self, connection: &Connection, model: &str) -> Option<String> {
        let server = &connection.base_url;
        Some(match self {
            Self::Summary => format!("{server} summary"),
            Self::EffortWithTools => format!("{server} effort-with-tools {model}"),
            Self::Effort(_) => format!("{server} effort {model}"),
            Self::Field(field) => format!("{server} {field} {model}"),
            Self::MaxTokens => format!("{server} max_completion_tokens {model}"),
            Self::ReasoningOff => format!("{server} reasoning-off {model}"),
            Self::SignedThinking => return None,
        })
    }

    fn note(self, model: &str, body: &Value) -> String {
        match self {
            Self::Summary => "The provider shows no summary of the thinking: it gives them to \
                verified organisations only."
                .to_owned(),
            Self::EffortWithTools => without_effort(model),
            Self::Effort(pointer) => match body.pointer(pointer).and_then(Value::as_str) {
                Some(used) => {
                    format!("{model} refused the thinking level: \"{used}\" is used.")
                }
                None => format!("{model} refused the thinking level: its own is used."),
            },
            Self::Field(field) => format!("{model} does not take {field}: it was left out."),
            Self::MaxTokens => {
                format!("{model} takes the limit of tokens as max_completion_tokens.")
            }
            Self::ReasoningOff => {
                format!("{model} cannot stop thinking: it was asked for the least, \"{LEAST}\".")
            }
            Self::SignedThinking => format!(
                "{model} did not take its earlier thinking back, because the conversation before \
                 it has changed: it was left out."
            ),
        }
    }
}

/// What is said where thinking and tools exclude each other.
pub(crate) fn without_effort(model: &str) -> String {
    format!(
        "{model} does not think while it has tools in this API, so it was asked not to. The \
         source \"openai\" allows both."
    )
}

fn remove(body: &mut Value, pointer: &str) {
    let Some((parent, field)) = pointer.rsplit_once('/') else {
        return;
    };
    if let Some(Value::Object(fields)) = body.pointer_mut(parent) {
        fields.remove(field);
    }
}

/// The words of a message that stand in quotation marks of any kind.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| matches!(c, '\'' | '"' | '`' | '‘' | '’' | '“' | '”');
    let words = message.split(is_mark);
    let is_word = |word: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        !word.is_empty() && word.chars().all(plain)
    };
    words.filter(is_word)
}

#[cfg(test)]
mod tests;
