//! What hooks say of the calls of a step, before any rule is asked.
//!
//! Invariant: a hook makes a call stricter, or settles a question that no rule asks; what a rule
//! denies or asks about stays so. What is judged, shown and run is the input as the last hook
//! left it; the log keeps what the model said.

use futures_util::future::join_all;
use weir_protocol::{DecidedBy, Decision, DecisionScope};

use super::{Call, Calls, Check, Waits, decided};
use crate::clock;
use crate::hook::{Permission, Point, PointOutcome};
use crate::store::StoreError;
use crate::tool::permission::{Originals, Verdict};
use crate::turn::{Assembler, hooks};

const ENDED: &str = "This call was not run: a hook ended the turn.";

/// What hooks decide about the calls of a step.
pub(super) enum HookVerdicts {
    /// One for each call, where hooks have one.
    Each(Vec<Option<(Permission, String)>>),
    /// The turn ends here; why none of them runs.
    EndTurn(String),
}

impl Calls<'_> {
    /// Asks the hooks about every call that could run, about all at the same time, and puts
    /// their input in the place of the model's.
    pub(super) async fn ask_hooks(
        &mut self,
        calls: &mut [Call],
        assembler: &mut Assembler,
    ) -> Result<HookVerdicts, StoreError> {
        let asking = calls.iter().map(|call| {
            let mut stop = self.stop.clone();
            let (hooks, tools, mode) = (&*self.hooks, self.tools, self.mode);
            async move {
                if !call.input.is_object() || tools.find(&call.name, mode).is_none() {
                    return PointOutcome::default();
                }
                let point = Point::PreToolUse {
                    tool_name: call.name.clone(),
                    tool_input: call.input.clone(),
                    tool_use_id: call.id.clone(),
                };
                hooks.at(point, &mut stop).await
            }
        });
        let all = join_all(asking).await;
        let mut words = Vec::with_capacity(calls.len());
        let mut end_turn = false;
        for (call, said) in calls.iter_mut().zip(all) {
            hooks::tell(&said, Some(&call.id), assembler);
            if let Some(updated) = said.updated_input {
                call.stored = self.checks.covered_value(updated.clone());
                call.originals = self.checks.originals_in(&updated);
                call.input = updated;
            }
            end_turn |= said.end_turn.is_some();
            words.push(said.permission);
        }
        self.saver.save(assembler).await?;
        Ok(if end_turn {
            HookVerdicts::EndTurn(ENDED.to_owned())
        } else {
            HookVerdicts::Each(words)
        })
    }

    /// What the rules make of the calls, with the word of the hooks on top. Where that lets one
    /// run, it is stored before anything does.
    pub(super) async fn settle(
        &self,
        calls: &[Call],
        checks: Vec<Check>,
        words: Vec<Option<(Permission, String)>>,
        assembler: &mut Assembler,
    ) -> Result<Vec<Check>, StoreError> {
        let all = calls.iter().zip(checks).zip(words);
        let settled = all.map(|((call, check), word)| match word {
            Some((permission, reason)) => {
                self.settle_one(call, check, permission, reason, assembler)
            }
            None => check,
        });
        let settled = settled.collect();
        self.saver.save(assembler).await?;
        Ok(settled)
    }

    fn settle_one(
        &self,
        call: &Call,
        check: Check,
        permission: Permission,
        reason: String,
        assembler: &mut Assembler,
    ) -> Check {
        match (permission, check) {
            (_, check @ (Check::Deny(..) | Check::Refuse(_) | Check::Hold)) => check,
            (Permission::Deny, Check::Run(..) | Check::Ask { .. }) => {
                Check::Deny(reason, DecidedBy::Hook)
            }
            (Permission::Ask | Permission::Defer, Check::Run(tool, judged)) => Check::Ask {
                tool,
                judged,
                reason: if reason.is_empty() {
                    "A hook wants you to decide.".to_owned()
                } else {
                    reason
                },
            },
            (Permission::Allow, Check::Ask { tool, judged, .. })
                if matches!(judged.verdict, Verdict::Ask { .. })
                    && judged.originals == Originals::Withheld
                    && !self.taint.asks(&*tool)
                    && !self.permissions.rules_on(&*tool, &call.input, &judged) =>
            {
                let allowed = (Decision::Allow, DecisionScope::Once, DecidedBy::Hook);
                let told = decided(call, allowed, Waits::Nobody, None);
                assembler.tell(told, clock::now());
                Check::Run(tool, judged)
            }
            (Permission::Ask | Permission::Defer | Permission::Allow, check) => check,
        }
    }
}
