//! Hooks: the user's own commands, and callbacks of the program's, at eight points of a session.
//!
//! Owns what a hook is, what it is told, how it is run and what its answer means; the format is
//! that of `.claude/settings.json`, with Weir's own `failClosed`, `watch` and `unwatched`. Invariants: a hook never
//! outlives its run, whatever it starts (see [`process`] for what the system lets Weir promise);
//! it is never given a secret of Weir's ([`environment`]); one that was to guard and could not
//! holds back what it guards. Which hooks may run at all is the project's to say: nothing here
//! knows of trust, turns or the database.

mod command;
mod environment;
pub(crate) use environment::names_a_secret;
mod held;
mod input;
mod matcher;
mod process;
mod reply;
mod settings;
mod signals;
mod sweep;
#[cfg(test)]
mod tests;
mod told;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use weir_protocol::HookEvent;

use crate::tool::visible;

pub use command::{CommandHook, Sample, Vouch};
pub use environment::environment_in;
pub use held::DenyStub;
pub use input::{HookInput, Notification, Point, SessionSource};
use matcher::Matcher;
pub use process::end_all;
pub use reply::{HookReply, Permission};
pub use settings::{Definition, Handler, PathList, read_hooks};
pub use signals::end_with_weir;
pub use told::{HookRun, event};

/// Something that runs at a point: a command of the user's, or a callback of the program's.
pub trait Hook: Send + Sync {
    /// What the user knows it by; stands in the log.
    fn name(&self) -> String;

    /// Dropping the future ends it, with all that it started.
    fn run(&self, input: HookInput) -> BoxFuture<'static, HookReply>;
}

/// What a text becomes before anybody stores, shows or sends it: where guards come in.
pub type Cover = Arc<dyn Fn(String) -> String + Send + Sync>;

/// The hooks of a turn.
#[derive(Clone, Default)]
pub struct Hooks {
    entries: Vec<Entry>,
    cover: Option<Cover>,
}

#[derive(Clone)]
struct Entry {
    event: HookEvent,
    matcher: Matcher,
    /// Two commands with the same words are one.
    handler: Option<Handler>,
    /// As the definition says; the point decides where it does not.
    fail_closed: Option<bool>,
    hook: Arc<dyn Hook>,
}

/// What all hooks of a point came to together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointOutcome {
    /// Each is an event of the session.
    pub runs: Vec<HookRun>,
    /// What the point is about is held back, and why.
    pub block: Option<String>,
    /// The turn ends here, and why.
    pub end_turn: Option<String>,
    /// About a tool call; deny beats defer beats ask beats allow.
    pub permission: Option<(Permission, String)>,
    pub updated_input: Option<Value>,
    pub updated_output: Option<Value>,
}

impl Hooks {
    /// Adds a command, at the point and for what its definition says.
    pub fn add(&mut self, definition: &Definition, command: CommandHook) {
        self.entries.push(Entry {
            event: definition.event,
            matcher: Matcher::read(&definition.matcher),
            handler: Some(definition.handler.clone()),
            fail_closed: definition.handler.fail_closed,
            hook: Arc::new(command),
        });
    }

    /// Holds back what a hook guarded that is not there any more. Nothing is run.
    pub fn hold(&mut self, place: DenyStub) {
        let matcher = Matcher::read(&place.matcher);
        self.entries.push(Entry {
            event: place.event,
            // It held back everything when it was there, too.
            matcher: match matcher.broken() {
                Some(_) => Matcher::All,
                None => matcher,
            },
            handler: None,
            fail_closed: Some(true),
            hook: Arc::new(place),
        });
    }

    /// Every word that a hook says goes through this first. The one place: what is stored, shown
    /// and sent of a hook's is what comes out of here.
    pub fn covered_by(mut self, cover: Cover) -> Self {
        self.cover = Some(cover);
        self
    }

    /// A command may hold what must not be stored.
    fn covered(&self, name: String) -> String {
        match &self.cover {
            Some(cover) => cover(name),
            None => name,
        }
    }

    /// Adds a callback. Its matcher reads like one in the settings.
    pub fn register(&mut self, event: HookEvent, matcher: &str, hook: Arc<dyn Hook>) {
        self.entries.push(Entry {
            event,
            matcher: Matcher::read(matcher),
            handler: None,
            fail_closed: None,
            hook,
        });
    }

    /// With those of another set behind these.
    pub fn and(mut self, others: &Self) -> Self {
        self.entries.extend(others.entries.iter().cloned());
        self
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether any would run here.
    pub fn listen(&self, point: &Point) -> bool {
        !self.matching(point).is_empty()
    }

    /// What those that would run here are known by, for a line of text.
    pub fn names_at(&self, point: &Point) -> Vec<String> {
        let names = self.matching(point).into_iter().map(|it| it.hook.name());
        let covered = names.map(|name| self.covered(name));
        covered.map(|name| visible::short(&name)).collect()
    }

    fn matching(&self, point: &Point) -> Vec<&Entry> {
        let mut seen = HashSet::new();
        let subjects = point.subjects();
        let here = self.entries.iter().filter(|entry| {
            entry.event == point.event()
                && subjects.as_ref().is_none_or(|it| entry.matcher.matches(it))
                && (entry.matcher.broken().is_some()
                    || entry.handler.as_ref().is_none_or(|it| seen.insert(it)))
        });
        here.collect()
    }

    /// Runs all that match at the same time, until the last is done. When `stop` turns true the
    /// rest are ended, and say so.
    pub async fn run(&self, input: HookInput, stop: &mut watch::Receiver<bool>) -> PointOutcome {
        let event = input.point.event();
        let matching = self.matching(&input.point);
        let mut said: Vec<Option<HookRun>> = matching.iter().map(|_| None).collect();
        let started = Instant::now();
        let mut running = JoinSet::new();
        for (at, entry) in matching.iter().enumerate() {
            let work = entry.run(input.clone());
            running.spawn(async move { (at, work.await, started.elapsed()) });
        }
        loop {
            tokio::select! {
                biased;
                () = stopped(stop) => break,
                ended = running.join_next() => match ended {
                    Some(Ok((at, mut reply, duration))) => {
                        if let Some(cover) = &self.cover {
                            reply.cover(cover);
                        }
                        reply.cut();
                        said[at] = Some(HookRun {
                            event,
                            name: self.covered(matching[at].hook.name()),
                            reply,
                            duration,
                        });
                    }
                    // A callback's panic is caught inside; nobody else ends these.
                    Some(Err(_)) => {}
                    None => break,
                },
            }
        }
        running.shutdown().await;
        let runs = said.into_iter().zip(&matching).map(|(run, entry)| {
            run.unwrap_or_else(|| HookRun {
                event,
                name: self.covered(entry.hook.name()),
                reply: HookReply::stopped(event, entry.fail_closed),
                duration: started.elapsed(),
            })
        });
        PointOutcome::of(runs.collect())
    }
}

impl Entry {
    fn run(&self, input: HookInput) -> BoxFuture<'static, HookReply> {
        let event = self.event;
        let is_matched = input.point.subjects().is_some();
        if let Some(why) = self.matcher.broken().filter(|_| is_matched) {
            let reply = reply::Failure::NotStarted(why).reply(event, self.fail_closed);
            return std::future::ready(reply).boxed();
        }
        let hook = Arc::clone(&self.hook);
        async move {
            let work = AssertUnwindSafe(async move { hook.run(input).await });
            let done = work.catch_unwind().await;
            done.unwrap_or_else(|_| {
                let why = "it ended by a mistake of its own".to_owned();
                reply::Failure::NotStarted(why).reply(event, None)
            })
        }
        .boxed()
    }
}

impl PointOutcome {
    fn of(runs: Vec<HookRun>) -> Self {
        let mut said = Self::default();
        for HookRun { reply, .. } in &runs {
            add(&mut said.block, reply.block.as_deref());
            add(&mut said.end_turn, reply.end_turn.as_deref());
            if let Some((permission, reason)) = &reply.permission {
                said.permission = Some(match said.permission.take() {
                    Some((before, why)) if before == *permission => {
                        let mut why = Some(why).filter(|why| !why.is_empty());
                        add(
                            &mut why,
                            Some(reason)
                                .filter(|it| !it.is_empty())
                                .map(|it| it.as_str()),
                        );
                        (before, why.unwrap_or_default())
                    }
                    Some((before, why)) if before > *permission => (before, why),
                    Some(_) | None => (*permission, reason.clone()),
                });
            }
            // Of several the last one written counts, whoever was first to answer.
            said.updated_input = reply.updated_input.clone().or(said.updated_input.take());
            said.updated_output = reply.updated_output.clone().or(said.updated_output.take());
        }
        let withheld = runs.iter().find_map(|run| run.reply.withheld.clone());
        if let Some(held) = withheld {
            said.updated_output = Some(held.into());
        }
        said.runs = runs;
        said
    }
}

fn add(all: &mut Option<String>, more: Option<&str>) {
    let Some(more) = more else { return };
    match all {
        Some(all) => {
            all.push('\n');
            all.push_str(more);
        }
        None => *all = Some(more.to_owned()),
    }
}

/// Ends when the user stops the turn; never, when nobody is left who could.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Whether a point exists to hold something back before it happens: a hook there fails closed
/// unless its definition says otherwise.
pub fn guards(event: HookEvent) -> bool {
    match event {
        HookEvent::UserPromptSubmit | HookEvent::PreToolUse => true,
        HookEvent::PostToolUse
        | HookEvent::Notification
        | HookEvent::Stop
        | HookEvent::SubagentStop
        | HookEvent::PreCompact
        | HookEvent::SessionStart => false,
    }
}

/// Whether there is anything to hold back at a point, where a hook there fails closed.
pub fn can_hold(event: HookEvent) -> bool {
    match event {
        HookEvent::UserPromptSubmit
        | HookEvent::PreToolUse
        | HookEvent::PostToolUse
        | HookEvent::PreCompact
        | HookEvent::SessionStart => true,
        HookEvent::Notification | HookEvent::Stop | HookEvent::SubagentStop => false,
    }
}

/// How long a hook may take unless its definition says otherwise.
pub fn patience(event: HookEvent) -> Duration {
    match event {
        HookEvent::UserPromptSubmit => Duration::from_secs(30),
        HookEvent::PreToolUse
        | HookEvent::PostToolUse
        | HookEvent::Notification
        | HookEvent::Stop
        | HookEvent::SubagentStop
        | HookEvent::PreCompact
        | HookEvent::SessionStart => Duration::from_secs(600),
    }
}
