//! Limits on what may be spent, and what was.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::BudgetUnit;

/// A limit. One for a scope, a period and a unit: another one takes its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    pub scope: BudgetScope,
    pub period: BudgetPeriod,
    pub unit: BudgetUnit,
    /// US dollars or tokens, as `unit` says.
    pub limit: f64,
}

impl Budget {
    /// Whether both limit the same: what a second one takes the place of.
    pub fn limits_the_same(&self, other: &Self) -> bool {
        self.scope == other.scope && self.period == other.period && self.unit == other.unit
    }
}

/// Whose spending counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "of", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum BudgetScope {
    Everything,
    /// Each session by itself.
    Session,
    /// This folder, or each project by itself when none is named.
    Project {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        project: Option<String>,
    },
    /// This source, or each by itself when none is named.
    Source {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        source: Option<String>,
    },
}

/// How long it holds before it counts from zero again, in the user's own time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BudgetPeriod {
    Day,
    Month,
    Ever,
}

/// A limit, and how far it is spent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BudgetState {
    pub budget: Budget,
    /// In the present period; absent where each session, project or source has its own.
    pub spent: Option<f64>,
}

/// What a row of the usage adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UsageBy {
    Day,
    Session,
    Project,
    Model,
    Source,
}

/// What some steps used together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// A day (`2026-11-17`, in the user's time zone), a session's id, a project's folder (empty:
    /// none), a model or a source.
    pub key: String,
    /// A session's title, while it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    pub steps: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub reasoning_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    pub total_tokens: u64,
    /// US dollars, of the steps whose price was known; null when none was.
    pub cost: Option<f64>,
    /// What caches saved against the full input price, likewise. Writing to one may cost more
    /// than reading from it has saved so far: then it is below zero.
    pub saved: Option<f64>,
    /// The steps whose price was not known: their tokens are counted, their cost is not.
    pub unpriced_steps: u64,
    /// The steps of which the source did not tell its last count: stopped, cut off or never
    /// counted. What they must have used is in all of these sums.
    #[serde(default)]
    pub estimated_steps: u64,
}

impl UsageRow {
    /// Takes in another row; the key stays.
    pub fn add(&mut self, other: &Self) {
        let sum = |mine: Option<f64>, more: Option<f64>| match (mine, more) {
            (Some(mine), Some(more)) => Some(mine + more),
            (known, None) | (None, known) => known,
        };
        self.steps += other.steps;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.total_tokens += other.total_tokens;
        self.cost = sum(self.cost, other.cost);
        self.saved = sum(self.saved, other.saved);
        self.unpriced_steps += other.unpriced_steps;
        self.estimated_steps += other.estimated_steps;
    }
}

/// What the last days used, as the usage page shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    pub total: UsageRow,
    /// Every day, oldest first, those without a step too.
    pub days: Vec<UsageRow>,
    pub projects: Vec<UsageRow>,
    pub models: Vec<UsageRow>,
    pub sources: Vec<UsageRow>,
}
