//! One turn: a prompt, the steps that answer it, and the events that come of it.
//!
//! [`Step`] reads the source and [`Assembler`] makes blocks of what it says; the store publishes
//! what it has committed. What a step asks of Weir's tools, [`Calls`] runs, and the next step
//! reads the log as it is then: what is sent is what is stored. However the turn ends (done,
//! failed, stopped), its open blocks are finished and it gets an end.
//!
//! Cost of a delta: its text is appended to the pending chunk and to its block. Cost of a
//! frame: one row, one commit shared with the other sessions.

mod assemble;
mod attempt;
pub(crate) mod budget;
mod calls;
mod compact;
#[cfg(test)]
mod cut_tests;
pub(crate) mod fit;
mod guarding;
mod hooks;
mod intake;
pub(crate) mod interrupted;
pub(crate) mod limits;
mod patience;
pub(crate) mod prepare;
mod question;
mod raw;
mod retry;
mod step;
mod watchdog;

use std::path::PathBuf;

use tokio::sync::watch;
use weir_protocol::{ErrorBody, Event, EventBody, StopReason, ToolChoice};

use crate::clock;
use crate::memory::Remembering;
use crate::redact::{Checks, Keeper};
use crate::source::offers::keep_offered;
use crate::source::price::Prices;
use crate::source::{
    Connection, Source, StepRequest, catalogue, fault, images_left_out, replace_images,
};
use crate::store::{Store, StoreError};
use crate::tool::permission::Permissions;
use crate::tool::{Mode, ToolOutcome, Tools};

use assemble::Call;
pub(crate) use assemble::{Assembler, TurnId};
use budget::Left;
use calls::{Calls, Outcome};
pub(crate) use compact::estimate as prepared_size;
use compact::{Compacted, Trigger};
pub(crate) use guarding::{Taint, keep_literal};
use hooks::CompactionVerdict;
pub(crate) use hooks::TurnHooks;
use limits::Meter;
pub use patience::Patience;
pub use question::Waiting;
pub(crate) use question::{About, NotWaiting, Questions};
use step::{Saver, Step};

/// The setting that keeps what was learned of servers.
pub(crate) const LEARNED: &str = "learned";

/// How many steps a turn may have unless the user says otherwise.
pub(crate) const MAX_TURNS: u32 = 20;

pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) source: &'static Source,
    pub(crate) connection: Connection,
    /// Every step's request, but for the messages and the tools.
    pub(crate) request: StepRequest,
    /// How many tokens the model takes, where that is known.
    pub(crate) window: Option<u64>,
    /// The conversation up to and with the turn's prompt.
    pub(crate) history: Vec<Event>,
    /// The project's, if it has one.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) tools: Tools,
    pub(crate) mode: Mode,
    pub(crate) permissions: Permissions,
    pub(crate) questions: Questions,
    pub(crate) hooks: TurnHooks,
    pub(crate) max_turns: u32,
    pub(crate) prices: Prices,
    pub(crate) checks: Checks,
    pub(crate) taint: Taint,
    pub(crate) keeper: Keeper,
    /// Absent where nothing is remembered.
    pub(crate) remembering: Option<Remembering>,
    /// The budgets it spends from.
    pub(crate) purse: budget::Purse,
    pub(crate) store: Store,
    pub(crate) patience: Patience,
    /// How much the reply may still contain.
    pub(crate) meter: Meter,
    /// Turns true when the user stops the turn.
    pub(crate) stop: watch::Receiver<bool>,
}

/// How a turn came to its end.
enum End {
    Complete(StopReason),
    Failed(ErrorBody),
}

impl Turn {
    /// Runs to the end. A failed save ends it too: nothing is shown that is not kept.
    pub(crate) async fn run(mut self) -> Result<(), StoreError> {
        let kept = self.store.kept_raw(self.id.session).await?;
        let mut assembler = Assembler::new(
            self.id,
            self.source.name,
            &self.request.model,
            std::mem::take(&mut self.prices),
        )
        .keeping(kept);
        self.checks = self.checks.clone().with_key(&self.connection.secrets);
        self.request.system = self
            .request
            .system
            .take()
            .map(|it| self.checks.seal_text(it));
        self.request.tools = self.tools.definitions(self.mode);
        let end = self.take_steps(&mut assembler).await?;
        self.end_asides(&mut assembler).await;
        match end {
            End::Complete(reason) => assembler.complete(reason, clock::now()),
            End::Failed(error) => assembler.fail(error, clock::now()),
        }
        self.saver().save(&mut assembler).await
    }

    /// Step after step, until the model is done or something ends it.
    async fn take_steps(&mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        for number in 1_u32.. {
            let end = self.fitting_step(assembler).await?;
            let calls = assembler.finish_step(clock::now());
            self.hear_asides(assembler);
            self.saver().save(assembler).await?;
            let helpers = self.after_helpers(assembler).await?;
            let went_on = matches!(&end, End::Complete(reason) if *reason != StopReason::Cancelled);
            if helpers == CompactionVerdict::EndTurn && went_on {
                refuse(&calls, prepare::NOT_RUN, assembler);
                return Ok(End::Complete(StopReason::Blocked));
            }
            let left = self.after_step(assembler).await?;
            match (after(&end, calls), left) {
                (Next::End, left) => match self.at_end(end, helpers, assembler).await? {
                    Some(end) => return Ok(end),
                    None if matches!(left, Left::Nothing) => {
                        return Ok(End::Complete(StopReason::Budget));
                    }
                    None if number >= self.max_turns => {
                        return Ok(End::Complete(StopReason::MaxTurns));
                    }
                    None => {}
                },
                (Next::Refuse(calls), _) => {
                    refuse(&calls, prepare::NOT_RUN, assembler);
                    return Ok(end);
                }
                (Next::Answer(calls), Left::Nothing) => {
                    refuse(&calls, budget::NOT_RUN, assembler);
                    return Ok(End::Complete(StopReason::Budget));
                }
                (Next::GoOn, Left::Nothing) => return Ok(End::Complete(StopReason::Budget)),
                (Next::Answer(calls), Left::Something) if number >= self.max_turns => {
                    let reason = format!(
                        "This call was not run: the turn has had its {} steps.",
                        self.max_turns
                    );
                    refuse(&calls, &reason, assembler);
                    return Ok(End::Complete(StopReason::MaxTurns));
                }
                (Next::GoOn, Left::Something) if number >= self.max_turns => {
                    return Ok(End::Complete(StopReason::MaxTurns));
                }
                (Next::GoOn, Left::Something) => {}
                (Next::Answer(calls), Left::Something) => {
                    match self.answer(calls, assembler).await? {
                        Outcome::Answered => {}
                        Outcome::Stopped => return Ok(End::Complete(StopReason::Cancelled)),
                        Outcome::Blocked => return Ok(End::Complete(StopReason::Blocked)),
                    }
                }
            }
            let results = self.read_on().await?;
            if let Err(exceeded) = self.meter.results(results) {
                return Ok(End::Failed(exceeded.body()));
            }
        }
        Ok(End::Complete(StopReason::MaxTurns))
    }

    /// A step of which the source does not say that it is too long: if it does, once, the
    /// conversation is made shorter.
    async fn fitting_step(&mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        if self.is_full() {
            // A summary is paid for like any step.
            if let Some(end) = self.before_step(assembler).await? {
                return Ok(end);
            }
            if self.compact(Trigger::Estimate, assembler).await? == Compacted::EndTurn {
                return Ok(End::Complete(StopReason::Blocked));
            }
        }
        let blocks = assembler.blocks();
        let end = self.step(assembler).await?;
        match &end {
            End::Failed(error) if fault::is_too_long(error) && assembler.blocks() == blocks => {}
            End::Failed(_) | End::Complete(_) => return Ok(end),
        }
        assembler.forget_attempt(clock::now());
        match self.compact(Trigger::Refusal, assembler).await? {
            Compacted::Done => match self.step(assembler).await? {
                End::Failed(error) if fault::is_too_long(&error) => {
                    Ok(End::Failed(self.too_long(&error)))
                }
                end @ (End::Failed(_) | End::Complete(_)) => Ok(end),
            },
            Compacted::Nothing => match end {
                End::Failed(error) => Ok(End::Failed(self.too_long(&error))),
                end @ End::Complete(_) => Ok(end),
            },
            Compacted::Held => Ok(end),
            Compacted::EndTurn => Ok(End::Complete(StopReason::Blocked)),
        }
    }

    /// The source refused a request of which nothing more can be left out.
    fn too_long(&self, error: &ErrorBody) -> ErrorBody {
        let (prompt, pictures) = compact::prompt_under_way(&self.history).unwrap_or_default();
        fit::refused(error, prompt, pictures)
    }

    async fn step(&mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        if let Some(end) = self.before_step(assembler).await? {
            return Ok(end);
        }
        self.request.messages = prepare::messages(&self.history);
        if let Some(remembering) = &self.remembering {
            let remembered = remembering.resolve(&self.history).await;
            prepare::remember(&mut self.request.messages, &remembered);
        }
        self.checks.seal_messages(&mut self.request.messages);
        self.leave_out_images();
        self.leave_out_not_offered();
        self.request.options.tool_choice = self.next_tool_choice();
        let step = Step {
            source: self.source,
            connection: &self.connection,
            request: &self.request,
            history: &self.history,
            purse: &self.purse,
            saver: Saver {
                session: self.id.session,
                store: &self.store,
                keeper: &self.keeper,
                checks: &self.checks,
            },
            checks: &self.checks,
            meter: &mut self.meter,
            taint: &mut self.taint,
            patience: self.patience,
            stop: &mut self.stop,
        };
        step.run(assembler).await
    }

    /// Pictures go to models that take them; others are told that there was one.
    fn leave_out_images(&mut self) {
        let model = self.request.model.as_str();
        if catalogue::model(self.source.name, model).is_some_and(|it| !it.accepts_images())
            && replace_images(&mut self.request.messages) > 0
        {
            self.connection.exchange.note(images_left_out(model));
        }
    }

    fn leave_out_not_offered(&mut self) {
        let mut notes = Vec::new();
        keep_offered(self.source, &mut self.request, &mut notes);
        self.connection.exchange.note_all(notes);
    }

    /// A tool that has to be called is called once: a turn in which every step has to call one
    /// would never end.
    fn next_tool_choice(&self) -> Option<ToolChoice> {
        let own = |event: &Event| event.turn_id == Some(self.id.turn);
        let is_result = |event: &Event| matches!(event.body, EventBody::ToolResult { .. });
        let has_results = self.history.iter().any(|it| own(it) && is_result(it));
        match self.request.options.tool_choice.clone() {
            Some(ToolChoice::Required | ToolChoice::Tool(_)) if has_results => {
                Some(ToolChoice::Auto)
            }
            choice => choice,
        }
    }

    async fn answer(
        &mut self,
        calls: Vec<Call>,
        assembler: &mut Assembler,
    ) -> Result<Outcome, StoreError> {
        let running = Calls {
            folder: self.folder.as_deref(),
            tools: &self.tools,
            mode: self.mode,
            permissions: &mut self.permissions,
            questions: &self.questions,
            hooks: &mut self.hooks,
            saver: Saver {
                session: self.id.session,
                store: &self.store,
                keeper: &self.keeper,
                checks: &self.checks,
            },
            checks: &self.checks,
            taint: &mut self.taint,
            stop: &mut self.stop,
        };
        running.run(calls, assembler).await
    }

    /// Takes what the turn has stored since into the history; answers how many bytes of it are
    /// results of tools.
    async fn read_on(&mut self) -> Result<u64, StoreError> {
        let last = self
            .history
            .iter()
            .rev()
            .find_map(|event| event.sequence_number);
        let new = self
            .store
            .events_since(self.id.session, last.unwrap_or_default())
            .await?;
        let own = |event: &Event| event.turn_id == Some(self.id.turn);
        let new: Vec<Event> = new.into_iter().filter(own).collect();
        keep_literal(&self.checks.vault, &new);
        let results = new.iter().map(|event| {
            if let EventBody::ToolResult { result, .. } = &event.body {
                limits::size(result)
            } else {
                0
            }
        });
        let results = results.sum();
        self.history.extend(new);
        Ok(results)
    }

    fn saver(&self) -> Saver<'_> {
        Saver {
            session: self.id.session,
            store: &self.store,
            keeper: &self.keeper,
            checks: &self.checks,
        }
    }
}

/// What follows a step.
enum Next {
    End,
    /// The source paused and wants to be asked again.
    GoOn,
    Answer(Vec<Call>),
    /// The model asked for tools and was cut off: nobody knows whether it meant them so.
    Refuse(Vec<Call>),
}

fn after(end: &End, calls: Vec<Call>) -> Next {
    let End::Complete(reason) = end else {
        return Next::End;
    };
    match reason {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::ToolUse => {
            if calls.is_empty() {
                Next::End
            } else {
                Next::Answer(calls)
            }
        }
        StopReason::PauseTurn => {
            if calls.is_empty() {
                Next::GoOn
            } else {
                Next::Answer(calls)
            }
        }
        StopReason::MaxTokens
        | StopReason::Refusal
        | StopReason::ContentFilter
        | StopReason::Error
        | StopReason::Cancelled
        | StopReason::MaxTurns
        | StopReason::Blocked
        | StopReason::Budget => {
            if calls.is_empty() {
                Next::End
            } else {
                Next::Refuse(calls)
            }
        }
    }
}

fn refuse(calls: &[Call], reason: &str, assembler: &mut Assembler) {
    for call in calls {
        assembler.result(call, ToolOutcome::failed(reason), clock::now());
    }
}
