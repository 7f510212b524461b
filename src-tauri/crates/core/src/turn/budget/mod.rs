//! Budgets: what may still be spent, looked at before every step and again after it.
//!
//! Invariant: no step begins once a budget is spent, unless the user let this turn go on past
//! it. A step that is under way is read to its end and a tool that runs is not disturbed, so a
//! budget is passed by what the steps under way use, and by no more. The limits are read anew
//! every time: what the user changes holds from the next step on. Limits that cannot be read
//! stop the turn. What a budget of money could not count asks first ([`unpriced`]).

mod ledger;
pub(crate) mod limit;
#[cfg(test)]
mod tests;
pub(crate) mod unpriced;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use weir_protocol::{Budget, BudgetLevel, Event, EventBody, StopReason, Usage};

use super::step::stopped;
use super::{Assembler, End, Turn, compact};
use crate::clock;
use crate::hook::Notification;
use crate::source::price::Prices;
use crate::source::{Charges, Count, Location, Source, offers};
use crate::store::{Spender, Store, StoreError};
pub(crate) use ledger::Ledger;
use ledger::Reservation;
pub(crate) use limit::{Costs, Payer};
use limit::{Estimate, Limit, Standing, Start};
pub(crate) use words::amount;
pub use words::{dollars, sentence};

/// Why calls that the crossing step asked for are not run.
pub(super) const NOT_RUN: &str = "This call was not run: the budget is spent.";

/// The budgets that the user lets a turn go past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raise {
    /// These, by the keys of their limits.
    Limits(HashSet<String>),
    Everything,
}

impl Default for Raise {
    fn default() -> Self {
        Self::Limits(HashSet::new())
    }
}

impl Raise {
    pub(crate) fn has(&self, limit: &Limit) -> bool {
        match self {
            Self::Limits(keys) => keys.contains(&limit.key()),
            Self::Everything => true,
        }
    }

    /// Whether a model may be used that no budget of money can count.
    pub(crate) fn has_unpriced(&self) -> bool {
        match self {
            Self::Limits(keys) => keys.contains(unpriced::KEY),
            Self::Everything => true,
        }
    }
}

/// What a turn knows of the budgets it spends from.
pub(crate) struct Purse {
    ledger: Arc<Ledger>,
    payer: Payer,
    raised: Raise,
    /// What the step under way holds.
    reservation: Option<Reservation>,
    /// What this turn has said already, so that it says it once.
    told: HashSet<String>,
}

impl Purse {
    /// With the events that say which of the spent limits the turn goes past.
    pub(crate) fn open(
        ledger: Arc<Ledger>,
        payer: Payer,
        raised: Raise,
        limits: &[(Limit, f64)],
    ) -> (Self, Vec<EventBody>) {
        let passed = spent(limits).filter(|(limit, _)| raised.has(limit));
        let passed = passed.map(|(limit, spent)| limit.event(BudgetLevel::Raised, *spent));
        let events: Vec<EventBody> = passed.collect();
        let purse = Self {
            ledger,
            payer,
            raised,
            reservation: None,
            told: events.iter().filter_map(said).collect(),
        };
        (purse, events)
    }

    /// Whether nothing is left of a budget that the turn may not go past.
    pub(super) async fn is_empty(&self, store: &Store) -> Result<bool, StoreError> {
        let limits = limits(store, &self.payer).await?;
        Ok(spent(&limits).any(|(limit, _)| !self.raised.has(limit)))
    }
}

/// Whether a turn may go on after a step.
pub(super) enum Left {
    Something,
    Nothing,
}

const BUDGETS: &str = "budgets";

/// The user's limits.
pub(crate) async fn read(store: &Store) -> Result<Vec<Budget>, StoreError> {
    parse(store.setting(BUDGETS).await?)
}

fn parse(stored: Option<String>) -> Result<Vec<Budget>, StoreError> {
    match stored {
        Some(stored) => Ok(serde_json::from_str(&stored)?),
        None => Ok(Vec::new()),
    }
}

/// Puts a limit in the place of the one that limits the same.
pub(crate) async fn set(store: &Store, budget: Budget) -> Result<(), StoreError> {
    let set = move |stored| {
        let mut budgets = parse(stored)?;
        match budgets.iter_mut().find(|old| old.limits_the_same(&budget)) {
            Some(old) => *old = budget,
            None => budgets.push(budget),
        }
        Ok(Some(serde_json::to_string(&budgets)?))
    };
    store.update_setting(BUDGETS, set).await.map(drop)
}

/// Answers whether there was one that limits the same.
pub(crate) async fn remove(store: &Store, budget: Budget) -> Result<bool, StoreError> {
    let remove = move |stored| {
        let budgets = parse(stored)?;
        let (gone, left): (Vec<_>, Vec<_>) = budgets
            .into_iter()
            .partition(|old| old.limits_the_same(&budget));
        match gone.as_slice() {
            [] => Ok(None),
            [_, ..] => Ok(Some(serde_json::to_string(&left)?)),
        }
    };
    store.update_setting(BUDGETS, remove).await
}

/// What the next request is thought to send, and how much of it the source has in its cache since
/// the one before.
pub(super) fn input(history: &[Event]) -> Usage {
    let cached = history.iter().rev().find_map(|event| {
        if let EventBody::Usage { usage, .. } = &event.body {
            let read = usage.cache_read_tokens;
            Some(read.saturating_add(usage.cache_write_tokens))
        } else if let EventBody::Compaction { .. } = &event.body {
            // Another beginning: no cache has it.
            Some(0)
        } else {
            None
        }
    });
    limit::sent(
        compact::estimate(history, Count::Likely),
        cached.unwrap_or_default(),
    )
}

/// The limits that hold for a payer now, each with what is spent of it.
pub(crate) async fn limits(store: &Store, payer: &Payer) -> Result<Vec<(Limit, f64)>, StoreError> {
    let now = clock::now().to_zoned(TimeZone::system());
    let budgets = read(store).await?;
    let limits = budgets
        .iter()
        .filter_map(|budget| Limit::of(budget, payer, &now));
    let mut standing = Vec::with_capacity(budgets.len());
    for limit in limits {
        let spent = store.spent(&limit.spender, limit.since).await?;
        let spent = limit.amount(spent);
        standing.push((limit, spent));
    }
    Ok(standing)
}

/// The limits of which nothing is left.
pub(crate) fn spent(limits: &[(Limit, f64)]) -> impl Iterator<Item = &(Limit, f64)> {
    let is_spent = |(limit, spent): &&(Limit, f64)| limit.standing(*spent) == Standing::Spent;
    limits.iter().filter(is_spent)
}

impl Turn {
    /// Lets a step begin, or says how the turn ends without it. Waits while the steps under way
    /// elsewhere may need what is left.
    pub(super) async fn before_step(
        &mut self,
        assembler: &mut Assembler,
    ) -> Result<Option<End>, StoreError> {
        // What an attempt held that is made again is this one's to hold.
        self.purse.reservation = None;
        let mut released = self.purse.ledger.releases();
        loop {
            let ledger = Arc::clone(&self.purse.ledger);
            let looking = ledger.look().await;
            let limits = limits(&self.store, &self.purse.payer).await?;
            if limits.is_empty() {
                return Ok(None);
            }
            self.warn(&limits, assembler).await?;
            if self.asks_for_price(&limits, assembler) {
                return Ok(Some(End::Complete(StopReason::Budget)));
            }
            let estimate = self.estimate(assembler);
            let mut start = Start::Begin;
            for (limit, spent) in &limits {
                if self.purse.raised.has(limit) {
                    continue;
                }
                let needed = limit.amount(estimate.sure);
                match limit.start(*spent, ledger.held(limit), needed) {
                    Start::Begin => {}
                    Start::Wait => start = Start::Wait,
                    Start::Stop => {
                        self.tell_spent(limit, *spent, needed, assembler);
                        return Ok(Some(End::Complete(StopReason::Budget)));
                    }
                }
            }
            if start == Start::Begin {
                let reservation = ledger.reserve(&self.purse.payer, estimate.likely);
                self.purse.reservation = Some(reservation);
                return Ok(None);
            }
            drop(looking);
            tokio::select! {
                biased;
                () = stopped(&mut self.stop) => {
                    return Ok(Some(End::Complete(StopReason::Cancelled)));
                }
                // The ledger is ours, so somebody is always left who could release.
                _ = released.changed() => {}
            }
        }
    }

    /// Looks again once what the step used is stored.
    pub(super) async fn after_step(
        &mut self,
        assembler: &mut Assembler,
    ) -> Result<Left, StoreError> {
        self.purse.reservation = None;
        let limits = limits(&self.store, &self.purse.payer).await?;
        self.warn(&limits, assembler).await?;
        let mut left = self.after_unpriced(&limits, assembler);
        for (limit, spent) in &limits {
            if limit.standing(*spent) == Standing::Spent {
                if self.purse.raised.has(limit) {
                    self.tell_once(limit.event(BudgetLevel::Raised, *spent), assembler);
                } else {
                    self.tell_spent(limit, *spent, 0.0, assembler);
                    left = Left::Nothing;
                }
            }
        }
        Ok(left)
    }

    fn estimate(&self, assembler: &Assembler) -> Estimate {
        let now = clock::now();
        let price = |usage: &_| assembler.price(usage, now);
        Estimate::of(&input(&self.history), price)
    }

    /// Once for a budget and its period, whoever spends from it.
    async fn warn(
        &mut self,
        limits: &[(Limit, f64)],
        assembler: &mut Assembler,
    ) -> Result<(), StoreError> {
        for (limit, spent) in limits {
            if limit.standing(*spent) != Standing::Nearly {
                continue;
            }
            let warning = limit.warning();
            let known = match limit.spender {
                // A session's own events say so, and leave with it.
                Spender::Session(_) => self.history.iter().any(|event| warns_of(event, limit)),
                Spender::Everybody | Spender::Project(_) | Spender::Source(_) => {
                    let stored = self.store.setting(&warning.0).await?;
                    stored.as_ref() == Some(&warning.1)
                }
            };
            if known || !self.purse.ledger.is_news(&warning) {
                continue;
            }
            let event = limit.event(BudgetLevel::Warning, *spent);
            let words = sentence(&event).unwrap_or_default();
            self.hooks
                .notify(Notification::BudgetWarning, words, &self.stop);
            assembler.tell(event, clock::now());
            if !matches!(limit.spender, Spender::Session(_)) {
                self.store.set_setting(warning.0, warning.1).await?;
            }
        }
        Ok(())
    }

    /// Whether the user has to agree before the model is asked, which a budget of money cannot
    /// count; says so.
    fn asks_for_price(&mut self, limits: &[(Limit, f64)], assembler: &mut Assembler) -> bool {
        let model = self.request.model.clone();
        let asked = unpriced::Asked {
            model: &model,
            charges: self.charges(),
        };
        let payer = &self.purse.payer;
        let limit = unpriced::uncounted(limits, payer, asked, assembler.prices(), &self.history);
        let Some(limit) = limit else {
            return false;
        };
        if self.purse.raised.has_unpriced() {
            let body = unpriced::event(limit, BudgetLevel::Uncounted, asked);
            self.tell_once(body, assembler);
            return false;
        }
        let body = unpriced::event(limit, BudgetLevel::Unpriced, asked);
        self.tell_once(body, assembler);
        true
    }

    fn charges(&self) -> Charges {
        offers::charges(self.source, &self.request.options)
    }

    /// What a step cost may turn out to be unknown only after it: a tier of service without a
    /// price, for one. Then nothing is left until the user agrees.
    fn after_unpriced(&mut self, limits: &[(Limit, f64)], assembler: &mut Assembler) -> Left {
        let model = self.request.model.clone();
        let asked = unpriced::Asked {
            model: &model,
            charges: self.charges(),
        };
        let counted = assembler.take_unpriced().is_none();
        let agreed = self.purse.raised.has_unpriced() || unpriced::is_agreed(&self.history, asked);
        match unpriced::in_dollars(limits) {
            Some(limit) if !counted && !agreed => {
                let body = unpriced::event(limit, BudgetLevel::Unpriced, asked);
                self.tell_once(body, assembler);
                Left::Nothing
            }
            Some(_) | None => Left::Something,
        }
    }

    fn tell_spent(&mut self, limit: &Limit, spent: f64, need: f64, assembler: &mut Assembler) {
        let mut body = limit.event(BudgetLevel::Spent, spent);
        if limit.standing(spent) != Standing::Spent
            && let EventBody::Budget { needed, .. } = &mut body
        {
            *needed = Some(need);
        }
        self.tell_once(body, assembler);
    }

    fn tell_once(&mut self, body: EventBody, assembler: &mut Assembler) {
        if said(&body).is_some_and(|said| self.purse.told.insert(said)) {
            assembler.tell(body, clock::now());
        }
    }
}

/// What a turn says once, whatever the numbers are by then.
fn said(body: &EventBody) -> Option<String> {
    if let EventBody::Budget {
        level, name, unit, ..
    } = body
    {
        Some(format!("{level:?} {unit:?} {name}"))
    } else {
        None
    }
}

/// What runs on this machine, and the demo, costs nothing, unless the user says otherwise.
pub(crate) fn costs(source: &Source, model: &str, prices: &Prices) -> Costs {
    let is_paid = source.location == Location::Cloud && source.name != "demo";
    if is_paid || prices.has_own(model) {
        Costs::Money
    } else {
        Costs::Nothing
    }
}

fn warns_of(event: &Event, limit: &Limit) -> bool {
    let EventBody::Budget {
        level: BudgetLevel::Warning,
        name,
        limit: most,
        unit,
        ..
    } = &event.body
    else {
        return false;
    };
    let in_period = limit.since.is_none_or(|since| event.timestamp >= since);
    in_period && *name == limit.name && *most == limit.most && *unit == limit.unit
}
