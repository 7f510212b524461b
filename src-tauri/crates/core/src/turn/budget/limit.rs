//! What a limit means for one turn: whose spending it adds up, since when, and what follows.
//!
//! Pure: the clock, the sums and the prices come in as arguments. Invariant: a step begins only
//! while a budget has something left, and what is asked for past it is not run.

use std::path::Path;

use jiff::{Timestamp, Zoned};
use uuid::Uuid;
use weir_protocol::{Budget, BudgetLevel, BudgetPeriod, BudgetScope, BudgetUnit, EventBody, Usage};

use crate::store::{Spender, Spent};

/// Who pays for a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payer {
    pub(crate) session: Uuid,
    /// Its folder.
    pub(crate) project: Option<String>,
    pub(crate) source: &'static str,
    /// The source's name as a person reads it.
    pub(crate) label: &'static str,
    pub(crate) costs: Costs,
}

/// Whether a step costs money at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Costs {
    Money,
    /// The demo, and what runs on this machine: no budget of money holds it up.
    Nothing,
}

impl Payer {
    /// Whether what it spends is that one's spending too.
    pub(super) fn spends_as(&self, spender: &Spender) -> bool {
        match spender {
            Spender::Everybody => true,
            Spender::Session(session) => self.session == *session,
            Spender::Project(project) => self.project.as_ref() == Some(project),
            Spender::Source(source) => self.source == source,
        }
    }
}

/// A budget as it holds for one payer at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    pub(crate) spender: Spender,
    pub(crate) period: BudgetPeriod,
    /// When its period began.
    pub(crate) since: Option<Timestamp>,
    pub(crate) unit: BudgetUnit,
    pub(crate) most: f64,
    /// What it is for, in words a person reads.
    pub(crate) name: String,
}

impl Limit {
    /// `None` when the budget is not this payer's.
    pub(crate) fn of(budget: &Budget, payer: &Payer, now: &Zoned) -> Option<Self> {
        if budget.unit == BudgetUnit::Dollars && payer.costs == Costs::Nothing {
            return None;
        }
        let (spender, whose) = match &budget.scope {
            BudgetScope::Everything => (Spender::Everybody, String::new()),
            BudgetScope::Session => (Spender::Session(payer.session), "this session".to_owned()),
            BudgetScope::Project { project } => {
                let own = payer.project.as_ref()?;
                if project.as_ref().is_some_and(|named| named != own) {
                    return None;
                }
                let folder = Path::new(own).file_name();
                let folder = folder.map_or(own.as_str().into(), |name| name.to_string_lossy());
                (
                    Spender::Project(own.clone()),
                    format!("the project {folder}"),
                )
            }
            BudgetScope::Source { source } => {
                if source.as_ref().is_some_and(|named| named != payer.source) {
                    return None;
                }
                (
                    Spender::Source(payer.source.to_owned()),
                    payer.label.to_owned(),
                )
            }
        };
        let when = match budget.period {
            BudgetPeriod::Day => "today",
            BudgetPeriod::Month => "this month",
            BudgetPeriod::Ever => "",
        };
        let name = match (whose.as_str(), when) {
            ("", "") => "everything".to_owned(),
            ("", when) => when.to_owned(),
            (whose, "") => whose.to_owned(),
            (whose, when) => format!("{whose} {when}"),
        };
        Some(Self {
            spender,
            period: budget.period,
            since: period_start(budget.period, now),
            unit: budget.unit,
            most: budget.limit,
            name,
        })
    }

    /// What the sums say in its unit.
    pub(crate) fn amount(&self, spent: Spent) -> f64 {
        match self.unit {
            BudgetUnit::Dollars => spent.dollars,
            BudgetUnit::Tokens => spent.tokens as f64,
        }
    }

    pub(crate) fn standing(&self, spent: f64) -> Standing {
        // Ten times a tenth is a little less than one.
        let reaches = |share: f64| spent >= self.most * share * (1.0 - 1e-9);
        if reaches(1.0) {
            Standing::Spent
        } else if reaches(WARN_AT) {
            Standing::Nearly
        } else {
            Standing::Fine
        }
    }

    /// Whether a step may begin. `held` is what the steps under way elsewhere are thought to
    /// need, `needed` what this one is sure to.
    pub(crate) fn start(&self, spent: f64, held: f64, needed: f64) -> Start {
        match self.standing(spent) {
            Standing::Spent => Start::Stop,
            Standing::Fine | Standing::Nearly if needed > self.most => Start::Stop,
            // Whether those leave something, their end will tell.
            Standing::Fine | Standing::Nearly if self.standing(spent + held) == Standing::Spent => {
                Start::Wait
            }
            Standing::Fine | Standing::Nearly => Start::Begin,
        }
    }

    pub(crate) fn event(&self, level: BudgetLevel, spent: f64) -> EventBody {
        EventBody::Budget {
            level,
            name: self.name.clone(),
            limit: self.most,
            spent,
            unit: self.unit,
            needed: None,
            model: None,
            own_tools: false,
        }
    }

    /// What tells it from every other limit, whatever it is set to.
    pub(crate) fn key(&self) -> String {
        let whose = match &self.spender {
            Spender::Everybody => "everything".to_owned(),
            Spender::Session(session) => format!("session:{session}"),
            Spender::Project(project) => format!("project:{project}"),
            Spender::Source(source) => format!("source:{source}"),
        };
        let period = match self.period {
            BudgetPeriod::Day => "day",
            BudgetPeriod::Month => "month",
            BudgetPeriod::Ever => "ever",
        };
        let unit = match self.unit {
            BudgetUnit::Dollars => "dollars",
            BudgetUnit::Tokens => "tokens",
        };
        format!("{whose}.{period}.{unit}")
    }

    /// Under which name it is remembered that its user was warned; and of what.
    pub(super) fn warning(&self) -> (String, String) {
        let since = self.since.map_or(0, Timestamp::as_millisecond);
        (
            format!("budget_warned.{}", self.key()),
            format!("{since} {}", self.most),
        )
    }
}

/// Of a limit, in shares of one.
const WARN_AT: f64 = 0.8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Fine,
    /// Four fifths are spent.
    Nearly,
    Spent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Begin,
    /// Steps under way elsewhere may need what is left.
    Wait,
    Stop,
}

/// When a period began, by the clock on the user's wall.
pub(crate) fn period_start(period: BudgetPeriod, now: &Zoned) -> Option<Timestamp> {
    let first = match period {
        BudgetPeriod::Day => now.date(),
        BudgetPeriod::Month => now.date().first_of_month(),
        BudgetPeriod::Ever => return None,
    };
    let start = first.to_zoned(now.time_zone().clone()).ok()?;
    Some(start.timestamp())
}

/// What a step is thought to use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Estimate {
    /// What is sent, at the least.
    pub(crate) sure: Spent,
    /// With a reply of the usual length.
    pub(crate) likely: Spent,
}

/// A reply of the usual length, in tokens.
const USUAL_REPLY: u64 = 1_000;

/// `tokens` that are sent, of which the source has `cached` in its cache.
pub(super) fn sent(tokens: u64, cached: u64) -> Usage {
    let cached = cached.min(tokens);
    Usage {
        input_tokens: tokens - cached,
        cache_read_tokens: cached,
        ..Usage::default()
    }
}

impl Estimate {
    /// `price` is what so much usage costs, where that is known.
    pub(crate) fn of(input: &Usage, price: impl Fn(&Usage) -> Option<f64>) -> Self {
        let spent = |output_tokens: u64| {
            let usage = Usage {
                output_tokens,
                ..input.clone()
            };
            Spent {
                tokens: usage.total_tokens(),
                dollars: price(&usage).unwrap_or_default(),
            }
        };
        Self {
            sure: spent(0),
            likely: spent(USUAL_REPLY),
        }
    }
}
