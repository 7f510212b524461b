//! The calls of one step: each is checked, the user is asked where a rule says so, and what may
//! run runs at the same time.
//!
//! Invariant: a tool runs at most once, and only after its call and the word that allows it are
//! stored. Every call gets one result, whatever becomes of it, in the order they come in; a
//! tool that fails, panics or is stopped has a result too. Rules look at files, which may take
//! forever, so no rule is asked on the runtime's own threads; which rules there are is
//! [`crate::tool`]'s to know.

mod hooked;
mod restored;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinSet, spawn_blocking};
use weir_protocol::{DecidedBy, Decision, DecisionScope, EventBody};

use super::assemble::Call;
use super::guarding::{self, CheckedResult, LONGEST_RESULT, TAINTED};
use super::hooks::{self, After, TurnHooks};
use super::question::{Answer, Questions, Waiting};
use super::step::{Saver, stopped};
use super::{Assembler, Taint};
use crate::clock;
use crate::hook::{Notification, PointOutcome};
use crate::redact::{Checks, Vault};
use crate::store::StoreError;
use crate::tool::permission::answer::{self, Binding};
use crate::tool::permission::{Covered, Judged, Originals, Permissions, Subject, Verdict};
use crate::tool::{LongLines, Mode, Tool, ToolOutcome, Tools, visible};
use hooked::HookVerdicts;

/// A reason quotes a rule, or what a hook said.
const LONGEST_REASON: usize = 10_000;
const STOPPED: &str = "This call was stopped by the user.";
const UNCHECKED: &str = "This call was not run: the check whether it may failed.";
const CHANGED: &str = "The file changed while you were asked; nothing was read.";
const MISTAKE: &str = "The tool ended by a mistake of its own. It may have run in part.";

pub(super) struct Calls<'a> {
    /// The project's, for which an answer may hold for good.
    pub(super) folder: Option<&'a Path>,
    pub(super) tools: &'a Tools,
    pub(super) mode: Mode,
    pub(super) permissions: &'a mut Permissions,
    pub(super) questions: &'a Questions,
    pub(super) hooks: &'a mut TurnHooks,
    pub(super) saver: Saver<'a>,
    pub(super) checks: &'a Checks,
    pub(super) taint: &'a mut Taint,
    /// Turns true when the user stops the turn.
    pub(super) stop: &'a mut watch::Receiver<bool>,
}

/// Whether all calls have come to their own results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Answered,
    Stopped,
    /// A hook lets the turn go no further.
    Blocked,
}

/// A call that has no result yet.
struct Open {
    call: Call,
    state: State,
}

enum State {
    Running,
    /// The user stopped the turn before it ran.
    Held,
    Asked(Arc<dyn Tool>, Judged),
}

/// What becomes of a call before anybody runs anything.
enum Check {
    Run(Arc<dyn Tool>, Judged),
    Ask {
        tool: Arc<dyn Tool>,
        judged: Judged,
        reason: String,
    },
    /// A rule or a hook says no.
    Deny(String, DecidedBy),
    /// It cannot be run at all.
    Refuse(String),
    /// Nobody knows: the user stopped the turn first.
    Hold,
}

/// Whether a call still leads where it did when it was judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    Same,
    Changed,
    /// Nobody knows: the user stopped the turn first.
    Stopped,
}

/// What a check needs, wherever it runs.
struct Checker {
    tools: Tools,
    mode: Mode,
    permissions: Permissions,
    taint: Taint,
    vault: Vault,
}

impl Checker {
    fn check(&self, call: &Call) -> Check {
        if !call.input.is_object() {
            return Check::Refuse(
                "This call was not run: its input was no JSON object, or came in part.".to_owned(),
            );
        }
        let Some(tool) = self.tools.find(&call.name, self.mode) else {
            return Check::Refuse(match self.tools.find(&call.name, Mode::Act) {
                Some(_) => format!(
                    "This call was not run: {} changes things, and this turn only plans.",
                    call.name
                ),
                None => format!("There is no tool {:?}.", call.name),
            });
        };
        let originals = Originals::given(tool.as_ref(), &call.originals);
        let covered = covered(call, &self.vault);
        let judged =
            self.permissions
                .judge(tool.as_ref(), &call.input, originals, covered.as_ref());
        match judged.verdict.clone() {
            Verdict::Allow if self.taint.asks(tool.as_ref()) => Check::Ask {
                tool,
                judged,
                reason: TAINTED.to_owned(),
            },
            Verdict::Allow => Check::Run(tool, judged),
            Verdict::Ask { reason } => Check::Ask {
                tool,
                judged,
                reason,
            },
            Verdict::Deny { reason } => Check::Deny(reason, DecidedBy::Rule),
        }
    }
}

/// Ends with the place of a call and the word on it, or none when the question was taken back.
type Asked = FuturesUnordered<futures_util::future::BoxFuture<'static, (usize, Option<Answer>)>>;

impl Calls<'_> {
    pub(super) async fn run(
        mut self,
        mut calls: Vec<Call>,
        assembler: &mut Assembler,
    ) -> Result<Outcome, StoreError> {
        self.restore(&mut calls).await;
        let words = match self.ask_hooks(&mut calls, assembler).await? {
            HookVerdicts::Each(words) => words,
            HookVerdicts::EndTurn(reason) => {
                super::refuse(&calls, &reason, assembler);
                self.saver.save(assembler).await?;
                return Ok(Outcome::Blocked);
            }
        };
        let mut end = Outcome::Answered;
        let mut running = JoinSet::new();
        let mut asked = Asked::new();
        let mut open = BTreeMap::new();
        let checks = self.check(&calls).await;
        let mut checks = self
            .settle(&calls, checks, words, assembler)
            .await?
            .into_iter();
        for (at, call) in calls.into_iter().enumerate() {
            let check = checks.next().unwrap_or(Check::Hold);
            let state = match check {
                Check::Hold => State::Held,
                Check::Run(..) | Check::Ask { .. } if *self.stop.borrow() => State::Held,
                Check::Run(tool, judged) => {
                    let after = self.hooks.after(&call, self.stop);
                    start(
                        &mut running,
                        at,
                        tool,
                        call.input.clone(),
                        judged.subject,
                        after,
                        self.checks.clone(),
                    );
                    State::Running
                }
                Check::Ask {
                    tool,
                    judged,
                    reason,
                } => {
                    let waiting = Waiting {
                        folder: self.folder.map(Path::to_owned),
                        tool_name: call.name.clone(),
                        input: call.input.clone(),
                        originals: judged.originals.placeholders().to_vec(),
                        asked_before: 0,
                    };
                    asked.push(answer_to(at, self.questions.ask(&call.id, waiting)));
                    let reason = self.checks.covered_to_send(reason);
                    let reason = visible::cut(&reason, LONGEST_REASON);
                    let waits = format!("{} waits for permission: {reason}", call.name);
                    self.hooks
                        .notify(Notification::PermissionPrompt, waits, self.stop);
                    assembler.tell(request(&call, reason), clock::now());
                    State::Asked(tool, judged)
                }
                Check::Deny(reason, by) => {
                    let decision = (Decision::Deny, DecisionScope::Once, by);
                    let waits = waits(&open);
                    assembler.tell(decided(&call, decision, waits, None), clock::now());
                    let outcome = ToolOutcome::failed(reason);
                    let outcome = outcome.with_long_lines(LongLines::Ends(LONGEST_REASON));
                    self.result(&call, outcome, assembler);
                    continue;
                }
                Check::Refuse(reason) => {
                    self.result(&call, ToolOutcome::failed(reason), assembler);
                    continue;
                }
            };
            open.insert(at, Open { call, state });
        }
        self.saver.save(assembler).await?;
        while !asked.is_empty() || !running.is_empty() {
            tokio::select! {
                biased;
                () = stopped(self.stop) => {
                    // Dropping them stops them; nobody waits for one that does not listen.
                    drop(running);
                    self.give_up(open, assembler).await?;
                    return Ok(Outcome::Stopped);
                }
                Some((at, answer)) = asked.next(), if !asked.is_empty() => {
                    self.take(at, answer, &mut open, &mut running, assembler).await?;
                }
                Some(ended) = running.join_next(), if !running.is_empty() => {
                    // Those that ended meanwhile share a commit.
                    let mut next = Some(ended);
                    while let Some(ended) = next {
                        if let Ok((at, outcome, said)) = ended
                            && let Some(Open { call, .. }) = open.remove(&at)
                        {
                            guarding::result(&call, outcome, self.taint, assembler);
                            hooks::tell(&said, Some(&call.id), assembler);
                            if said.end_turn.is_some() {
                                end = Outcome::Blocked;
                            }
                        }
                        // A result that has been checked is kept; the rest waits for the stop.
                        let is_stopped = *self.stop.borrow();
                        next = if is_stopped {
                            None
                        } else {
                            running.try_join_next()
                        };
                    }
                    self.saver.save(assembler).await?;
                }
            }
        }
        if !open.is_empty() && *self.stop.borrow() {
            self.give_up(open, assembler).await?;
            return Ok(Outcome::Stopped);
        }
        for (_, Open { call, .. }) in open {
            assembler.result(&call, ToolOutcome::failed(MISTAKE), clock::now());
        }
        self.saver.save(assembler).await?;
        Ok(end)
    }

    /// For a sentence of Weir's own.
    fn result(&mut self, call: &Call, outcome: ToolOutcome, assembler: &mut Assembler) {
        let checked = guarding::checked(outcome, self.checks);
        guarding::result(call, checked, self.taint, assembler);
    }

    /// One for each call, or none at all once the user has stopped the turn: a folder on a
    /// network that is gone must not hold that up.
    async fn check(&mut self, calls: &[Call]) -> Vec<Check> {
        let checker = Checker {
            tools: self.tools.clone(),
            mode: self.mode,
            permissions: self.permissions.clone(),
            taint: *self.taint,
            vault: self.checks.vault.clone(),
        };
        let asked = calls.to_vec();
        let checking =
            spawn_blocking(move || asked.iter().map(|call| checker.check(call)).collect());
        tokio::select! {
            biased;
            () = stopped(self.stop) => Vec::new(),
            checked = checking => checked.unwrap_or_else(|_| {
                calls.iter().map(|_| Check::Refuse(UNCHECKED.to_owned())).collect()
            }),
        }
    }

    /// Stores the user's word, and only then acts on it.
    async fn take(
        &mut self,
        at: usize,
        answer: Option<Answer>,
        open: &mut BTreeMap<usize, Open>,
        running: &mut JoinSet<(usize, CheckedResult, PointOutcome)>,
        assembler: &mut Assembler,
    ) -> Result<(), StoreError> {
        let Some(Open {
            call,
            state: State::Asked(tool, judged),
        }) = open.remove(&at)
        else {
            return Ok(());
        };
        let (decision, scope, decided_by) = match &answer {
            Some(answer) => (answer.decision, answer.scope, DecidedBy::User),
            None => (Decision::Deny, DecisionScope::Once, DecidedBy::Nobody),
        };
        let again = match decision {
            Decision::Allow => self.look_again(&tool, &call, &judged).await,
            Decision::Deny => Again::Same,
        };
        let scope = match again {
            Again::Same => scope,
            Again::Changed => DecisionScope::Once,
            Again::Stopped => {
                let state = State::Asked(tool, judged);
                open.insert(at, Open { call, state });
                return Ok(());
            }
        };
        let binding = match &answer {
            Some(_) => self.permissions.remember(&judged.binding, decision, scope),
            None => None,
        };
        if let (DecisionScope::Project, Some(folder), Some(binding)) =
            (scope, self.folder, &binding)
        {
            let (name, value) = answer::stored(folder, binding, &call.name, decision);
            self.saver.store.set_setting(name, value).await?;
        }
        let word = (decision, scope, decided_by);
        assembler.tell(decided(&call, word, waits(open), binding), clock::now());
        if decision == Decision::Deny {
            let reason = "The user did not allow this call.";
            assembler.result(&call, ToolOutcome::failed(reason), clock::now());
        } else if again == Again::Changed {
            assembler.result(&call, ToolOutcome::failed(CHANGED), clock::now());
        }
        self.saver.save(assembler).await?;
        if let Some(answer) = answer {
            // Whoever answered may be gone.
            let _ = answer.stored.send(());
        }
        if decision == Decision::Allow && again == Again::Same {
            let state = if *self.stop.borrow() {
                State::Held
            } else {
                let after = self.hooks.after(&call, self.stop);
                let (input, checks) = (call.input.clone(), self.checks.clone());
                start(running, at, tool, input, judged.subject, after, checks);
                State::Running
            };
            open.insert(at, Open { call, state });
        }
        Ok(())
    }

    /// A yes was about what was shown; it is none to what stands there since.
    async fn look_again(&mut self, tool: &Arc<dyn Tool>, call: &Call, judged: &Judged) -> Again {
        let (tool, input) = (Arc::clone(tool), call.input.clone());
        let covered = covered(call, &self.checks.vault);
        let originals = judged.originals.clone();
        let looking = spawn_blocking(move || {
            originals.bind(Binding::spelled(tool.as_ref(), &input, covered.as_ref()))
        });
        tokio::select! {
            biased;
            () = stopped(self.stop) => Again::Stopped,
            now = looking => match now {
                Ok(binding) if binding == judged.binding => Again::Same,
                Ok(_) | Err(_) => Again::Changed,
            },
        }
    }

    async fn give_up(
        &self,
        open: BTreeMap<usize, Open>,
        assembler: &mut Assembler,
    ) -> Result<(), StoreError> {
        self.questions.take_back();
        for (_, Open { call, state }) in open {
            if let State::Asked(..) = state {
                let nobody = (Decision::Deny, DecisionScope::Once, DecidedBy::Nobody);
                assembler.tell(decided(&call, nobody, Waits::Nobody, None), clock::now());
            }
            assembler.result(&call, ToolOutcome::failed(STOPPED), clock::now());
        }
        self.saver.save(assembler).await
    }
}

fn answer_to(
    at: usize,
    answered: oneshot::Receiver<Answer>,
) -> futures_util::future::BoxFuture<'static, (usize, Option<Answer>)> {
    async move { (at, answered.await.ok()) }.boxed()
}

/// How a call is spelled that is given originals; none where it is given none.
fn covered(call: &Call, vault: &Vault) -> Option<Covered> {
    let covered = || Covered {
        session: vault.session(),
        input: call.stored.clone(),
        known: vault.known(),
    };
    (!call.originals.is_empty()).then(covered)
}

/// On a task of its own, so that one that blocks holds up nobody; a panic is its result. Hooks
/// see the result before it is one.
fn start(
    running: &mut JoinSet<(usize, CheckedResult, PointOutcome)>,
    at: usize,
    tool: Arc<dyn Tool>,
    input: Value,
    judged: Subject,
    after: Option<After>,
    checks: Checks,
) {
    let work = async move { tool.run_judged(input, judged).await };
    running.spawn(async move {
        let outcome = AssertUnwindSafe(work).catch_unwind().await;
        let mut outcome = outcome.unwrap_or_else(|_| ToolOutcome::failed(MISTAKE));
        let mut said = PointOutcome::default();
        if let Some(after) = after {
            let seen = guarding::capped(outcome.clone(), LONGEST_RESULT, 0);
            said = after.look(&seen).await;
            if let Some(result) = said.updated_output.clone() {
                outcome = ToolOutcome { result, ..outcome };
            }
        }
        // A long result takes its time, and a stop does not wait for it.
        let checking = spawn_blocking({
            let checks = checks.clone();
            move || guarding::checked(outcome, &checks)
        });
        let checked = checking
            .await
            .unwrap_or_else(|_| guarding::checked(ToolOutcome::failed(MISTAKE), &checks));
        (at, checked, said)
    });
}

/// Whether anybody else waits for the user's word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    Others,
    Nobody,
}

fn waits(open: &BTreeMap<usize, Open>) -> Waits {
    let is_asked = |open: &Open| matches!(open.state, State::Asked(..));
    if open.values().any(is_asked) {
        Waits::Others
    } else {
        Waits::Nobody
    }
}

fn request(call: &Call, reason: String) -> EventBody {
    EventBody::PermissionRequest {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        input: call.stored.clone(),
        reason,
    }
}

fn decided(
    call: &Call,
    (decision, scope, decided_by): (Decision, DecisionScope, DecidedBy),
    waits: Waits,
    binding: Option<Binding>,
) -> EventBody {
    EventBody::PermissionDecision {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        decision,
        scope,
        decided_by,
        others_wait: waits == Waits::Others,
        binding: binding.map(|binding| binding.to_string()),
    }
}
