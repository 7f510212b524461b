//! The hooks of one turn: asked at its points, told as events, and ended with it.
//!
//! Every run is stored before what it led to; a stop ends what runs. Which hooks there are, and
//! what their answers mean, is [`crate::hook`]'s to know.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;
use weir_protocol::StopReason;

use super::assemble::Call;
use super::{Assembler, End, Turn};
use crate::clock;
use crate::hook::{self, HookInput, Hooks, Notification, Point, PointOutcome};
use crate::store::StoreError;
use crate::tool::ToolOutcome;

/// How often hooks may keep a turn going that its model is done with.
const MOST_GOING_ON: u32 = 8;
/// How long a turn that is over waits for those that nobody waits for otherwise.
const LAST_WORDS: Duration = Duration::from_secs(10);

pub(crate) struct TurnHooks {
    hooks: Hooks,
    session: Uuid,
    folder: PathBuf,
    /// Those that hold nobody up: notifications.
    asides: JoinSet<PointOutcome>,
    /// How often they have kept the turn going.
    kept_going: u32,
}

impl TurnHooks {
    pub(crate) fn new(hooks: Hooks, session: Uuid, folder: PathBuf) -> Self {
        Self {
            hooks,
            session,
            folder,
            asides: JoinSet::new(),
            kept_going: 0,
        }
    }

    fn input(&self, point: Point) -> HookInput {
        HookInput {
            session: self.session,
            cwd: self.folder.clone(),
            point,
        }
    }

    pub(super) async fn at(&self, point: Point, stop: &mut watch::Receiver<bool>) -> PointOutcome {
        if !self.hooks.listen(&point) {
            return PointOutcome::default();
        }
        self.hooks.run(self.input(point), stop).await
    }

    /// Tells the hooks that the user is wanted, and waits for none of them.
    pub(super) fn notify(
        &mut self,
        kind: Notification,
        message: String,
        stop: &watch::Receiver<bool>,
    ) {
        let point = Point::Notification { kind, message };
        if !self.hooks.listen(&point) {
            return;
        }
        let (hooks, input, mut stop) = (self.hooks.clone(), self.input(point), stop.clone());
        self.asides
            .spawn(async move { hooks.run(input, &mut stop).await });
    }

    /// What is to be asked once a call has run; none where nobody listens.
    pub(super) fn after(&self, call: &Call, stop: &watch::Receiver<bool>) -> Option<After> {
        let point = Point::PostToolUse {
            tool_name: call.name.clone(),
            tool_input: call.input.clone(),
            tool_use_id: call.id.clone(),
            tool_response: Value::Null,
        };
        let after = || After {
            hooks: self.hooks.clone(),
            input: self.input(point.clone()),
            stop: stop.clone(),
        };
        self.hooks.listen(&point).then(after)
    }
}

/// The hooks that see what a call came to before anybody else does.
pub(super) struct After {
    hooks: Hooks,
    input: HookInput,
    stop: watch::Receiver<bool>,
}

impl After {
    pub(super) async fn look(mut self, outcome: &ToolOutcome) -> PointOutcome {
        if let Point::PostToolUse { tool_response, .. } = &mut self.input.point {
            tool_response.clone_from(&outcome.result);
        }
        self.hooks.run(self.input, &mut self.stop).await
    }
}

/// What hooks said, as events of the turn.
pub(super) fn tell(said: &PointOutcome, tool_call_id: Option<&str>, assembler: &mut Assembler) {
    for run in &said.runs {
        assembler.tell(hook::event(run, tool_call_id), clock::now());
    }
}

/// Whether the conversation is made shorter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CompactionVerdict {
    GoAhead,
    Hold,
    EndTurn,
}

impl Turn {
    /// Asks before the conversation is made shorter.
    pub(super) async fn before_compaction(
        &mut self,
        assembler: &mut Assembler,
    ) -> Result<CompactionVerdict, StoreError> {
        let said = self.hooks.at(Point::PreCompact, &mut self.stop).await;
        self.tell_hooks(&said, assembler).await?;
        Ok(match said {
            PointOutcome {
                end_turn: Some(_), ..
            } => CompactionVerdict::EndTurn,
            PointOutcome { block: Some(_), .. } => CompactionVerdict::Hold,
            PointOutcome { .. } => CompactionVerdict::GoAhead,
        })
    }

    /// A step is over. Hooks hear of the helpers that the source sent out and that came back.
    pub(super) async fn after_helpers(
        &mut self,
        assembler: &mut Assembler,
    ) -> Result<CompactionVerdict, StoreError> {
        let mut word = CompactionVerdict::GoAhead;
        for _ in 0..assembler.take_ended_helpers() {
            let point = Point::SubagentStop {
                stop_hook_active: self.hooks.kept_going > 0,
            };
            let said = self.hooks.at(point, &mut self.stop).await;
            self.tell_hooks(&said, assembler).await?;
            if said.end_turn.is_some() {
                return Ok(CompactionVerdict::EndTurn);
            }
            if said.block.is_some() {
                word = CompactionVerdict::Hold;
            }
        }
        Ok(word)
    }

    /// The model is done. None if hooks keep the turn going; `helpers` is what they said of
    /// those.
    pub(super) async fn at_end(
        &mut self,
        end: End,
        helpers: CompactionVerdict,
        assembler: &mut Assembler,
    ) -> Result<Option<End>, StoreError> {
        if !is_natural(&end) {
            return Ok(Some(end));
        }
        let point = Point::Stop {
            stop_hook_active: self.hooks.kept_going > 0,
        };
        let said = self.hooks.at(point, &mut self.stop).await;
        self.tell_hooks(&said, assembler).await?;
        if said.end_turn.is_some() {
            return Ok(Some(End::Complete(StopReason::Blocked)));
        }
        let goes_on = said.block.is_some() || helpers == CompactionVerdict::Hold;
        if !goes_on || self.hooks.kept_going >= MOST_GOING_ON || *self.stop.borrow() {
            return Ok(Some(end));
        }
        self.hooks.kept_going += 1;
        Ok(None)
    }

    /// Stores what the asides have said so far.
    pub(super) fn hear_asides(&mut self, assembler: &mut Assembler) {
        while let Some(said) = self.hooks.asides.try_join_next() {
            if let Ok(said) = said {
                tell(&said, None, assembler);
            }
        }
    }

    /// The turn is over: what an aside still has to say it says now, or it is ended.
    pub(super) async fn end_asides(&mut self, assembler: &mut Assembler) {
        let waiting = async {
            while let Some(said) = self.hooks.asides.join_next().await {
                if let Ok(said) = said {
                    tell(&said, None, assembler);
                }
            }
        };
        // Whoever is late has lost nothing but a line in the log.
        let _ = timeout(LAST_WORDS, waiting).await;
        self.hooks.asides.shutdown().await;
    }

    async fn tell_hooks(
        &mut self,
        said: &PointOutcome,
        assembler: &mut Assembler,
    ) -> Result<(), StoreError> {
        if said.runs.is_empty() {
            return Ok(());
        }
        tell(said, None, assembler);
        self.saver().save(assembler).await
    }
}

/// Whether the model itself came to an end, whatever it was.
fn is_natural(end: &End) -> bool {
    let End::Complete(reason) = end else {
        return false;
    };
    match reason {
        StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::ToolUse
        | StopReason::MaxTokens => true,
        StopReason::PauseTurn
        | StopReason::Refusal
        | StopReason::ContentFilter
        | StopReason::Error
        | StopReason::Cancelled
        | StopReason::MaxTurns
        | StopReason::Blocked
        | StopReason::Budget => false,
    }
}
