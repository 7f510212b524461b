//! Hooks that look at a prompt, and a user who does not wait for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;
use weir_protocol::{HookEvent, PromptLook, SessionStatus, code};

use super::{fixture, prompt};
use crate::app::App;
use crate::hook::{Hook, HookInput, HookReply, Point};
use crate::publish::Published;

/// Never answers a prompt that says so; counts those it is asked about.
#[derive(Default)]
struct Thinks(AtomicU32);

impl Hook for Thinks {
    fn name(&self) -> String {
        "thinks".into()
    }

    fn run(&self, input: HookInput) -> BoxFuture<'static, HookReply> {
        let waits = match input.point {
            Point::UserPromptSubmit { prompt } => prompt.contains("wait"),
            Point::SessionStart { .. } => true,
            Point::PreToolUse { .. }
            | Point::PostToolUse { .. }
            | Point::Notification { .. }
            | Point::Stop { .. }
            | Point::SubagentStop { .. }
            | Point::PreCompact => false,
        };
        if waits {
            self.0.fetch_add(1, Ordering::Relaxed);
            std::future::pending().boxed()
        } else {
            std::future::ready(HookReply::passed()).boxed()
        }
    }
}

async fn look(published: &mut UnboundedReceiver<Published>) -> PromptLook {
    loop {
        if let Some(Published::Look(look)) = published.recv().await {
            return look;
        }
    }
}

fn looks(session: Option<Uuid>, hooks: &[&str]) -> PromptLook {
    PromptLook {
        session,
        hooks: hooks.iter().map(|&name| name.to_owned()).collect(),
    }
}

fn send(app: &Arc<App>, session: Option<Uuid>) -> tokio::task::JoinHandle<Result<Uuid, String>> {
    let (app, mut prompt) = (Arc::clone(app), prompt("wait"));
    prompt.session = session;
    tokio::spawn(async move { app.send(prompt).await.map_err(|error| error.body().code) })
}

#[tokio::test]
async fn a_stop_ends_the_look_at_a_new_sessions_prompt() {
    for event in [HookEvent::UserPromptSubmit, HookEvent::SessionStart] {
        let fixture = fixture().await;
        fixture
            .app
            .register_hook(event, "", Arc::<Thinks>::default());
        let mut published = fixture.app.subscribe();
        let sending = send(&fixture.app, None);
        assert_eq!(look(&mut published).await, looks(None, &["thinks"]));
        fixture.app.stop_sending(None).await;
        assert_eq!(sending.await.unwrap(), Err(code::STOPPED.to_owned()));
        assert_eq!(look(&mut published).await, looks(None, &[]));
        assert_eq!(fixture.app.store().sessions().await.unwrap(), []);
    }
}

/// One prompt at a time, and a hook is asked about it once however often it is sent.
#[tokio::test]
async fn a_stop_ends_the_look_at_a_sessions_next_prompt() {
    let fixture = fixture().await;
    let hook = Arc::<Thinks>::default();
    let app = &fixture.app;
    let thinks: Arc<dyn Hook> = Arc::clone(&hook) as _;
    app.register_hook(HookEvent::UserPromptSubmit, "", thinks);
    let session = app.send(prompt("fast")).await.unwrap();
    app.wait(session).await;
    let before = app.store().events_since(session, 0).await.unwrap();
    let mut published = app.subscribe();
    let sending = send(app, Some(session));
    assert_eq!(look(&mut published).await.session, Some(session));
    let second = send(app, Some(session)).await.unwrap();
    assert_eq!(second, Err(code::BUSY.to_owned()));
    assert_eq!(hook.0.load(Ordering::Relaxed), 1);
    app.stop(session).await.unwrap();
    assert_eq!(sending.await.unwrap(), Err(code::STOPPED.to_owned()));
    let after = app.store().events_since(session, 0).await.unwrap();
    assert_eq!(after, before);
    // The next one is sent as if nothing had been.
    let mut next = prompt("fast");
    next.session = Some(session);
    app.send(next).await.unwrap();
    app.wait(session).await;
    let line = app.store().session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Idle);
}

/// Whoever no longer waits for the answer takes the look along.
#[tokio::test]
async fn a_prompt_that_nobody_waits_for_is_not_looked_at() {
    let fixture = fixture().await;
    let hook = Arc::<Thinks>::default();
    fixture
        .app
        .register_hook(HookEvent::UserPromptSubmit, "", hook);
    let mut published = fixture.app.subscribe();
    let sending = send(&fixture.app, None);
    look(&mut published).await;
    sending.abort();
    assert_eq!(look(&mut published).await, looks(None, &[]));
    // Nobody is left to stop.
    fixture.app.stop_sending(None).await;
}
