//! Budgets as the user sets them, and what they let through before a turn begins.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use jiff::tz::TimeZone;
use uuid::Uuid;
use weir_protocol::{
    Budget, BudgetLevel, BudgetScope, BudgetState, BudgetUnit, ErrorBody, Event, EventBody,
    SettingsChange, code,
};

use super::{App, AppError, Prompt, project};
use crate::clock;
use crate::source::price::Prices;
use crate::source::{Charges, Source, offers};
use crate::store::Spender;
use crate::turn::TurnId;
use crate::turn::budget::limit::{Limit, period_start};
use crate::turn::budget::{self, Payer, Purse, Raise, amount, sentence, unpriced};

/// A budget lets this prompt go no further, and nobody let it go on past that.
#[derive(Debug, thiserror::Error)]
pub enum BudgetSpent {
    #[error("{0} Raise it, or go on this once.")]
    Spent(String),
    #[error(
        "{0} Set its price in Settings, choose another model, or let this session use it uncounted."
    )]
    Unpriced(String),
    #[error(
        "{0} Choose another model, switch the provider's own tools off, or let this session use them uncounted."
    )]
    OwnTools(String),
}

impl BudgetSpent {
    pub(super) fn body(&self) -> ErrorBody {
        ErrorBody::new(code::BUDGET, self.to_string())
    }
}

/// A limit that holds a prompt back, for the user to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentBudget {
    key: String,
    /// What it is for; a folder's name may be in it.
    pub name: String,
    pub limit: String,
    pub why: WhyHeld,
}

/// Why a limit holds a prompt back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyHeld {
    /// So much of it is spent.
    Spent { spent: String },
    /// It is one of money, and the price of the model is not known. The word for it holds
    /// longer than that for a spent one.
    Unpriced { model: String },
    /// It is one of money, and the provider charges for tools of its own beyond the tokens.
    OwnTools { model: String },
}

/// What a change of the settings lets through that a budget has held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loosened {
    Raised {
        from: String,
        to: String,
    },
    Removed {
        limit: String,
    },
    /// Budgets of money count the steps of this model at the user's own price.
    Priced {
        model: String,
    },
}

impl App {
    /// What the turn may spend from, and the events that say what it goes past; refused when
    /// another budget is spent, or could not count what the model costs.
    pub(super) async fn purse(
        &self,
        payer: Payer,
        raise: Raise,
        asked: Asked<'_>,
    ) -> Result<(Purse, Vec<EventBody>), AppError> {
        let limits = budget::limits(&self.store, &payer).await?;
        let spent = budget::spent(&limits).find(|(limit, _)| !raise.has(limit));
        if let Some((limit, spent)) = spent {
            let sentence = sentence(&limit.event(BudgetLevel::Spent, *spent));
            return Err(BudgetSpent::Spent(sentence.unwrap_or_default()).into());
        }
        let uncounted = asked.uncounted(&limits, &payer);
        if let Some(limit) = uncounted.filter(|_| !raise.has_unpriced()) {
            let sentence = sentence(&unpriced::event(limit, BudgetLevel::Unpriced, asked.of()));
            let sentence = sentence.unwrap_or_default();
            return Err(match asked.charges {
                Charges::Tokens => BudgetSpent::Unpriced(sentence),
                Charges::OwnTools => BudgetSpent::OwnTools(sentence),
            }
            .into());
        }
        let agreed =
            uncounted.map(|limit| unpriced::event(limit, BudgetLevel::Uncounted, asked.of()));
        let ledger = Arc::clone(&self.ledger);
        let (purse, mut events) = Purse::open(ledger, payer, raise, &limits);
        events.extend(agreed);
        Ok((purse, events))
    }

    /// What the next prompt of a session, or of a new one, may go past: the user's word for it
    /// is used up.
    pub(super) fn raise_for(&self, session: Option<Uuid>, asked: Raise) -> Raise {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        match (once.remove(&session), asked) {
            (Some(keys), Raise::Limits(mut more)) => {
                more.extend(keys);
                Raise::Limits(more)
            }
            (_, asked) => asked,
        }
    }

    /// Lets the next prompt of a session, or of a new one, go on past these. Whoever calls it
    /// has the user's word.
    pub fn go_over_budget(&self, session: Option<Uuid>, spent: Vec<SpentBudget>) {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = spent.into_iter().map(|spent| spent.key);
        once.insert(session, keys.collect());
    }

    /// What holds back the next prompt of a session, or of a new one in this folder: spent
    /// budgets, and a model that no budget of money can count.
    pub async fn spent_budgets(
        &self,
        session: Option<Uuid>,
        project: Option<&Path>,
    ) -> Result<Vec<SpentBudget>, AppError> {
        let history = match session {
            Some(session) => self.store.events_since(session, 0).await?,
            None => Vec::new(),
        };
        let kept = match session {
            Some(_) => project::project_of(&history),
            None => project.map(Path::to_owned),
        };
        let next = Prompt {
            session,
            ..Prompt::default()
        };
        let destination = self.asked_of(&next).await?;
        let source = destination.source;
        let asked = Asked {
            model: &destination.model,
            charges: offers::charges(source, &destination.options),
            prices: &Prices::new(self.own_prices().await?),
            history: &history,
        };
        let payer = payer(
            session.unwrap_or_default(),
            kept.map(|path| path.to_string_lossy().into_owned()),
            source,
            &asked,
        );
        let limits = budget::limits(&self.store, &payer).await?;
        let held = |limit: &Limit, key: String, why| SpentBudget {
            key,
            name: limit.name.clone(),
            limit: amount(limit.unit, limit.most),
            why,
        };
        let spent = budget::spent(&limits).map(|(limit, spent)| {
            let spent = amount(limit.unit, *spent);
            held(limit, limit.key(), WhyHeld::Spent { spent })
        });
        let uncounted = asked.uncounted(&limits, &payer).map(|(limit, _)| {
            let model = asked.model.to_owned();
            let key = unpriced::KEY.to_owned();
            let why = match asked.charges {
                Charges::Tokens => WhyHeld::Unpriced { model },
                Charges::OwnTools => WhyHeld::OwnTools { model },
            };
            held(limit, key, why)
        });
        Ok(spent.chain(uncounted).collect())
    }

    pub async fn budgets(&self) -> Result<Vec<BudgetState>, AppError> {
        let now = clock::now().to_zoned(TimeZone::system());
        let mut states = Vec::new();
        for budget in budget::read(&self.store).await? {
            let spender = match &budget.scope {
                BudgetScope::Everything => Some(Spender::Everybody),
                BudgetScope::Session => None,
                BudgetScope::Project { project } => project.clone().map(Spender::Project),
                BudgetScope::Source { source } => source.clone().map(Spender::Source),
            };
            let spent = match spender {
                Some(spender) => {
                    let since = period_start(budget.period, &now);
                    let spent = self.store.spent(&spender, since).await?;
                    Some(match budget.unit {
                        BudgetUnit::Dollars => spent.dollars,
                        BudgetUnit::Tokens => spent.tokens as f64,
                    })
                }
                None => None,
            };
            states.push(BudgetState { budget, spent });
        }
        Ok(states)
    }

    /// Sets a limit, in the place of the one that limits the same.
    pub async fn set_budget(&self, budget: Budget) -> Result<(), AppError> {
        if let BudgetScope::Source { source: Some(name) } = &budget.scope
            && self.source(name).await.is_err()
        {
            return Err(AppError::BadBudget);
        }
        Ok(budget::set(&self.store, checked(budget)?).await?)
    }

    /// Answers whether there was one that limits the same.
    pub async fn remove_budget(&self, budget: &Budget) -> Result<bool, AppError> {
        Ok(budget::remove(&self.store, budget.clone()).await?)
    }

    /// What a change lets through that a budget has held back, for the user to agree to; `None`
    /// when it lets through nothing.
    pub async fn loosened(&self, change: &SettingsChange) -> Result<Option<Loosened>, AppError> {
        let budgets = budget::read(&self.store).await?;
        let same = |budget: &Budget| {
            budgets
                .iter()
                .find(|old| old.limits_the_same(budget))
                .cloned()
        };
        let loosened = match change {
            SettingsChange::Budget { budget } => match same(budget) {
                Some(old) if budget.limit > old.limit => {
                    let [from, to] = [old.limit, budget.limit].map(|limit| amount(old.unit, limit));
                    Some(Loosened::Raised { from, to })
                }
                Some(_) | None => None,
            },
            SettingsChange::RemoveBudget { budget } => same(budget).map(|old| Loosened::Removed {
                limit: amount(old.unit, old.limit),
            }),
            SettingsChange::Price { price } => counted(&budgets, &price.model),
            SettingsChange::ForgetPrice { model } => counted(&budgets, model),
            SettingsChange::Source { .. }
            | SettingsChange::Model { .. }
            | SettingsChange::BaseUrl { .. }
            | SettingsChange::Thinking { .. }
            | SettingsChange::Theme { .. }
            | SettingsChange::AddServer { .. }
            | SettingsChange::RemoveServer { .. } => None,
        };
        Ok(loosened)
    }
}

/// A budget of money counts at the user's own prices: who changes one changes the budget.
fn counted(budgets: &[Budget], model: &str) -> Option<Loosened> {
    let in_dollars = budgets
        .iter()
        .any(|budget| budget.unit == BudgetUnit::Dollars);
    in_dollars.then(|| Loosened::Priced {
        model: model.to_owned(),
    })
}

/// What a prompt is about to ask, for the budgets that count it.
pub(super) struct Asked<'a> {
    pub(super) model: &'a str,
    pub(super) charges: Charges,
    pub(super) prices: &'a Prices,
    pub(super) history: &'a [Event],
}

impl Asked<'_> {
    fn of(&self) -> unpriced::Asked<'_> {
        unpriced::Asked {
            model: self.model,
            charges: self.charges,
        }
    }

    fn uncounted<'a>(&self, limits: &'a [(Limit, f64)], payer: &Payer) -> Option<&'a (Limit, f64)> {
        unpriced::uncounted(limits, payer, self.of(), self.prices, self.history)
    }
}

pub(super) fn payer(
    session: Uuid,
    project: Option<String>,
    source: &'static Source,
    asked: &Asked<'_>,
) -> Payer {
    Payer {
        session,
        project,
        source: source.name,
        label: source.label,
        costs: budget::costs(source, asked.model, asked.prices),
    }
}

/// The events of a turn that goes on past budgets.
pub(super) fn told(id: TurnId, bodies: Vec<EventBody>) -> impl Iterator<Item = Event> {
    bodies
        .into_iter()
        .map(move |body| id.event(body, id.started))
}

fn checked(budget: Budget) -> Result<Budget, AppError> {
    let named = match &budget.scope {
        BudgetScope::Everything | BudgetScope::Session => true,
        BudgetScope::Project { project } => project.as_ref().is_none_or(|name| !name.is_empty()),
        // Whether there is such a source was asked before.
        BudgetScope::Source { .. } => true,
    };
    if named && budget.limit.is_finite() && budget.limit >= 0.0 {
        Ok(budget)
    } else {
        Err(AppError::BadBudget)
    }
}
