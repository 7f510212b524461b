//! A source that says what a test has written down, and tools that do as they are told.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Barrier, watch};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, SessionStatus, StopReason};

use super::super::{App, first_events};
use crate::clock;
use crate::hook::Hooks;
use crate::publish::Published;
use crate::secret::{MemoryKeychain, SourceSecrets};
use crate::source::dialect::Dialect;
use crate::source::price::Prices;
use crate::source::{
    Api, ByteStream, Connection, Exchange, KeyNeed, Listing, Location, Offers, Opening as Opened,
    Sent, Source, SourceError, StepRequest, ToolDefinition, anthropic, catalogue, http,
};
use crate::store::{Destination, Opening};
use crate::tool::permission::{Permissions, Subject};
use crate::tool::{Access, Mode, Tool, ToolOutcome, Tools};
use crate::turn::budget::{Purse, Raise};
use crate::turn::limits::Meter;
use crate::turn::{Patience, Questions, Taint, Turn, TurnHooks, TurnId};

/// A test that waits for a closed gate fails after this long rather than never.
const HANGS: Duration = crate::secret::TEST_HANGS;

/// What one request is answered with.
pub(super) enum Reply {
    Say(String),
    /// The same, each event by itself.
    Drip(String),
    /// These bytes, and then silence.
    Hang(String),
    /// Bytes, and once the gate is open the same bytes so many times, each when the one before
    /// was taken.
    Flood {
        first: String,
        gate: watch::Receiver<bool>,
        again: String,
        times: usize,
        /// How many were taken so far.
        taken: watch::Sender<usize>,
    },
    /// These bytes, a silence of so long, and then a broken connection.
    BreaksAfter(String, Duration),
    /// These bytes, and then a byte of nothing as often as the pause says, for ever.
    KeepsOpen(String, Duration),
    /// No answer for so long, and then this.
    Late(Duration, Box<Reply>),
    /// Not even an answer.
    Silence,
    /// Not even a connection.
    Unreached,
    Refuse(SourceError),
}

#[derive(Default)]
pub(super) struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<StepRequest>>,
    /// How long somebody waited for its answers, all together.
    waited: Mutex<Duration>,
}

/// Lives as long as somebody waits for an answer or reads it.
struct Waiting {
    since: tokio::time::Instant,
    script: &'static Script,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.script.waited.lock().unwrap() += self.since.elapsed();
    }
}

impl Script {
    /// The requests so far.
    pub(super) fn asked(&self) -> Vec<StepRequest> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn waited(&self) -> Duration {
        *self.waited.lock().unwrap()
    }

    pub(super) fn goes_on(&self, replies: impl IntoIterator<Item = Reply>) {
        self.replies.lock().unwrap().extend(replies);
    }
}

impl Api for Script {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opened {
        self.asked.lock().unwrap().push(request);
        let mut reply = self.replies.lock().unwrap().pop_front();
        let waiting = Waiting {
            since: tokio::time::Instant::now(),
            script: self,
        };
        let opened = async move {
            if let Some(Reply::Late(silence, then)) = reply {
                connection.sent.mark();
                tokio::time::sleep(silence).await;
                reply = Some(*then);
            }
            match reply {
                Some(Reply::Late(..)) => panic!("late twice"),
                Some(Reply::Flood {
                    first,
                    mut gate,
                    again,
                    times,
                    taken,
                }) => {
                    let (first, again) = (Bytes::from(first), Bytes::from(again));
                    let flood = stream::iter(0..times).map(move |_| {
                        taken.send_modify(|taken| *taken += 1);
                        Ok(again.clone())
                    });
                    let flood = flood.chain(stream::pending());
                    let opened = async move { drop(gate.wait_for(|open| *open).await) };
                    let flood = opened.map(|()| flood).flatten_stream();
                    Ok(stream::iter([Ok(first)]).chain(flood).boxed())
                }
                Some(Reply::BreaksAfter(text, silence)) => {
                    let broken = stream::once(async move {
                        tokio::time::sleep(silence).await;
                        Err(SourceError::Broken("reset".into()))
                    });
                    Ok(stream::iter([Ok(Bytes::from(text))]).chain(broken).boxed())
                }
                Some(Reply::KeepsOpen(text, pause)) => {
                    let pings = stream::unfold((), move |()| async move {
                        tokio::time::sleep(pause).await;
                        Some((Ok(Bytes::from_static(b": ping\n\n")), ()))
                    });
                    Ok(stream::iter([Ok(Bytes::from(text))]).chain(pings).boxed())
                }
                Some(Reply::Say(text)) => Ok(stream::iter([Ok(Bytes::from(text))]).boxed()),
                Some(Reply::Drip(text)) => {
                    let events = text.split_inclusive("\n\n").map(str::to_owned);
                    let events: Vec<_> = events.map(|event| Ok(Bytes::from(event))).collect();
                    Ok(stream::iter(events).boxed())
                }
                Some(Reply::Hang(text)) => {
                    let silence = stream::pending();
                    Ok(stream::iter([Ok(Bytes::from(text))]).chain(silence).boxed())
                }
                Some(Reply::Silence) => {
                    connection.sent.mark();
                    std::future::pending().await
                }
                Some(Reply::Unreached) => std::future::pending().await,
                Some(Reply::Refuse(error)) => Err(error),
                None => Err(SourceError::Broken("the script is over".into())),
            }
        };
        let opened = opened.map(|opened: Result<ByteStream, SourceError>| {
            opened.map(|bytes| {
                bytes
                    .inspect(move |_| {
                        let _ = &waiting;
                    })
                    .boxed()
            })
        });
        opened.boxed()
    }

    fn models(&'static self, _: Connection) -> Listing {
        async { Ok(Vec::new()) }.boxed()
    }
}

fn event(data: Value) -> String {
    format!("data: {data}\n\n")
}

/// One reply of a model: its blocks and why it stopped.
pub(super) fn reply(blocks: &[Value], stop_reason: &str) -> Reply {
    Reply::Say(unfinished(blocks, 10) + &ending(stop_reason))
}

/// One whose request had this many tokens.
pub(super) fn long_reply(blocks: &[Value], input_tokens: u64) -> Reply {
    Reply::Say(unfinished(blocks, input_tokens) + &ending("end_turn"))
}

pub(super) fn ending(stop_reason: &str) -> String {
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    event(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 3}}))
        + &event(json!({"type": "message_stop"}))
}

pub(super) fn unfinished(blocks: &[Value], input_tokens: u64) -> String {
    let mut said = event(json!({"type": "message_start", "message": {
        "id": "msg", "type": "message", "role": "assistant", "model": "claude-scripted",
        "content": [], "usage": {"input_tokens": input_tokens, "output_tokens": 1},
    }}));
    for (index, block) in blocks.iter().enumerate() {
        let (start, deltas) = spelled(block);
        said += &event(json!({"type": "content_block_start", "index": index,
            "content_block": start}));
        for delta in deltas {
            said += &event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        said += &event(json!({"type": "content_block_stop", "index": index}));
    }
    said
}

fn spelled(block: &Value) -> (Value, Vec<Value>) {
    match block["type"].as_str() {
        Some("text") => (
            json!({"type": "text", "text": ""}),
            vec![json!({"type": "text_delta", "text": block["text"]})],
        ),
        Some("thinking") => (
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            vec![
                json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                json!({"type": "signature_delta", "signature": "seal"}),
            ],
        ),
        Some("tool_use") => (
            json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
            vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})],
        ),
        other => panic!("no block is called {other:?}"),
    }
}

pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(super) fn thinking(thinking: &str) -> Value {
    json!({"type": "thinking", "thinking": thinking})
}

pub(super) fn call(id: &str, name: &str) -> Value {
    call_with(id, name, json!({"at": id}))
}

pub(super) fn call_with(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

/// What a tool does when it runs.
#[derive(Clone)]
pub(super) enum Does {
    Answer(Value),
    Panic,
    Hang,
    /// Goes on once as many others are there.
    Meet(Arc<Barrier>),
    /// Waits for the other's turn to come.
    After(watch::Receiver<bool>),
    Then(watch::Sender<bool>),
}

pub(super) struct ScriptedTool {
    pub(super) name: &'static str,
    pub(super) access: Access,
    pub(super) does: Does,
    pub(super) runs: Arc<AtomicUsize>,
    pub(super) gate: Option<Gate>,
}

/// A folder that does not answer: whoever looks into it waits until the other end is dropped.
pub(super) struct Gate {
    pub(super) entered: watch::Sender<bool>,
    pub(super) opened: Mutex<Receiver<()>>,
}

impl Tool for ScriptedTool {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: self.name.to_owned(),
            description: "Does as it is told.".to_owned(),
            schema: json!({"type": "object"}),
        }
    }

    fn access(&self) -> Access {
        self.access
    }

    fn subject(&self, _input: &Value) -> Subject {
        if let Some(gate) = &self.gate {
            gate.entered.send_replace(true);
            let _ = gate.opened.lock().unwrap().recv_timeout(HANGS);
        }
        Subject::Input
    }

    fn run(&self, input: Value) -> BoxFuture<'static, ToolOutcome> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        let does = self.does.clone();
        let done = move |result: Value| ToolOutcome {
            result,
            is_error: false,
            long_lines: Default::default(),
        };
        async move {
            match does {
                Does::Answer(value) => done(value),
                Does::Panic => panic!("as told"),
                Does::Hang => std::future::pending().await,
                Does::Meet(barrier) => {
                    barrier.wait().await;
                    done(input)
                }
                Does::After(mut turn) => {
                    turn.wait_for(|come| *come).await.unwrap();
                    done(input)
                }
                Does::Then(turn) => {
                    turn.send(true).unwrap();
                    done(input)
                }
            }
        }
        .boxed()
    }
}

pub(super) struct Stage {
    pub(super) app: Arc<App>,
    pub(super) script: &'static Script,
    pub(super) tools: Vec<Arc<dyn Tool>>,
    pub(super) mode: Mode,
    pub(super) max_turns: u32,
    pub(super) model: &'static str,
    pub(super) prompt: String,
    pub(super) dialect: &'static Dialect,
    pub(super) hooks: Hooks,
    pub(super) patience: Patience,
    pub(super) permissions: Permissions,
    /// How far its turns may go past budgets.
    pub(super) raise: Raise,
    pub(super) published: UnboundedReceiver<Published>,
    runs: Arc<AtomicUsize>,
    folder: Arc<tempfile::TempDir>,
}

impl Stage {
    pub(super) async fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::in_folder(Arc::new(tempfile::tempdir().unwrap()), replies).await
    }

    pub(super) async fn in_folder(
        folder: Arc<tempfile::TempDir>,
        replies: impl IntoIterator<Item = Reply>,
    ) -> Self {
        let keychain = Arc::new(MemoryKeychain::default());
        let (app, _) = App::open(folder.path().to_owned(), keychain).await.unwrap();
        let script: &'static Script = Box::leak(Box::default());
        script.goes_on(replies);
        Self {
            published: app.subscribe(),
            app,
            script,
            tools: Vec::new(),
            mode: Mode::Act,
            max_turns: 20,
            model: "claude-scripted",
            prompt: "Go.".into(),
            dialect: &anthropic::mapper::DIALECT,
            hooks: Hooks::default(),
            patience: Patience::default(),
            raise: Raise::default(),
            permissions: Permissions::default(),
            runs: Arc::default(),
            folder,
        }
    }

    pub(super) fn with(self, name: &'static str, access: Access, does: Does) -> Self {
        self.behind(None, name, access, does)
    }

    pub(super) fn behind(
        mut self,
        gate: impl Into<Option<Gate>>,
        name: &'static str,
        access: Access,
        does: Does,
    ) -> Self {
        self.tools.push(Arc::new(ScriptedTool {
            name,
            access,
            does,
            runs: Arc::clone(&self.runs),
            gate: gate.into(),
        }));
        self
    }

    /// How often any of the tools ran.
    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    pub(super) async fn start(&self) -> Uuid {
        self.go_on(None).await
    }

    /// Another prompt in a session, or the first of a new one.
    pub(super) async fn go_on(&self, session: Option<Uuid>) -> Uuid {
        let source: &'static Source = Box::leak(Box::new(Source {
            name: "anthropic",
            label: "Scripted",
            dialect: self.dialect,
            models: &[],
            base_url: "",
            location: Location::Cloud,
            key: KeyNeed::None,
            offers: Offers::NOTHING,
            api: self.script,
        }));
        let opening = session.map_or(Opening::New, |_| Opening::Stored);
        let id = TurnId {
            session: session.unwrap_or_else(Uuid::now_v7),
            turn: Uuid::now_v7(),
            started: clock::now(),
        };
        let mut history = self.app.store().events_since(id.session, 0).await.unwrap();
        let asked = EventBody::UserMessage {
            content: self.prompt.clone(),
            source: source.name.into(),
            model: self.model.into(),
            images: Vec::new(),
            system: None,
            replaces: None,
            thinking: None,
            options: Default::default(),
        };
        let first = first_events(id, opening, source, self.model, asked, None);
        let recorded = self
            .app
            .start_turn(id, opening, first, &[], Destination::default())
            .await
            .unwrap();
        let checks = self.app.checks(id.session, None, &history).await.unwrap();
        history.extend(recorded.events.iter().cloned());
        let (stop, stopped) = watch::channel(false);
        let turn = Turn {
            id,
            source,
            connection: Connection {
                http: http::Http::new().unwrap(),
                base_url: String::new(),
                secrets: SourceSecrets::default(),
                key: None,
                sent: Sent::default(),
                exchange: Exchange::default(),
            },
            request: StepRequest {
                model: self.model.into(),
                ..StepRequest::default()
            },
            window: catalogue::context(source.name, self.model),
            taint: Taint::of(&history),
            checks,
            keeper: self.app.keeper.clone(),
            history,
            folder: None,
            tools: Tools::new(self.tools.clone()),
            mode: self.mode,
            permissions: self.permissions.clone(),
            questions: Questions::default(),
            hooks: TurnHooks::new(
                self.hooks.clone(),
                id.session,
                self.folder.path().to_owned(),
            ),
            max_turns: self.max_turns,
            patience: self.patience,
            meter: Meter::new(&self.app.limits().await.unwrap()),
            remembering: None,
            prices: Prices::new(self.app.own_prices().await.unwrap()),
            purse: self.purse(id.session, source).await,
            store: self.app.store().clone(),
            stop: stopped,
        };
        self.app.run(turn, stop);
        id.session
    }

    async fn purse(&self, session: Uuid, source: &'static Source) -> Purse {
        let asked = super::super::budget::Asked {
            charges: crate::source::Charges::Tokens,
            model: "claude-scripted",
            prices: &Prices::new(self.app.own_prices().await.unwrap()),
            history: &[],
        };
        let payer = super::super::budget::payer(session, None, source, &asked);
        Purse::open(Arc::clone(&self.app.ledger), payer, self.raise.clone(), &[]).0
    }

    /// Another session, which nobody but the demo answers.
    pub(super) async fn start_demo(&self) -> Uuid {
        self.app.send(super::prompt("fast")).await.unwrap()
    }

    /// Reads on until an event of this kind was published so often.
    pub(super) async fn until(&mut self, kind: &str, times: usize) {
        let mut seen = 0;
        while seen < times {
            if let Some(Published::Events(events)) = self.published.recv().await {
                seen += events
                    .iter()
                    .filter(|event| event.body.name() == kind)
                    .count();
            }
        }
    }

    pub(super) async fn run(&self) -> Vec<Event> {
        let session = self.start().await;
        self.app.wait(session).await;
        self.stored(session).await
    }

    /// Two turns, one after the other.
    pub(super) async fn run_twice(&self) -> Vec<Event> {
        let session = self.start().await;
        self.app.wait(session).await;
        self.go_on(Some(session)).await;
        self.app.wait(session).await;
        self.stored(session).await
    }

    pub(super) async fn stored(&self, session: Uuid) -> Vec<Event> {
        self.app.store().events_since(session, 0).await.unwrap()
    }

    pub(super) async fn status(&self, session: Uuid) -> SessionStatus {
        self.app.store().session(session).await.unwrap().status
    }

    pub(super) fn folder(&self) -> Arc<tempfile::TempDir> {
        Arc::clone(&self.folder)
    }
}

/// The kinds of what is stored, from the prompt on.
pub(super) fn kinds(events: &[Event]) -> Vec<&'static str> {
    let kinds = events.iter().map(|event| event.body.name());
    kinds.filter(|kind| *kind != "session_start").collect()
}

/// The results, each as its call's id, whether it failed, and its words.
pub(super) fn results(events: &[Event]) -> Vec<(String, bool, String)> {
    let results = events.iter().filter_map(|event| {
        if let EventBody::ToolResult {
            tool_call_id,
            result,
            is_error,
            ..
        } = &event.body
        {
            Some((
                tool_call_id.clone(),
                *is_error,
                crate::source::plain(result),
            ))
        } else {
            None
        }
    });
    results.collect()
}

pub(super) fn ended(events: &[Event]) -> StopReason {
    match events.last().map(|event| &event.body) {
        Some(EventBody::Complete { stop_reason, .. }) => *stop_reason,
        other => panic!("no end: {other:?}"),
    }
}
