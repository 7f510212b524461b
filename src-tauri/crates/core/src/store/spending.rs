//! What was spent: a row a request, written in the transaction of the step's usage event.
//!
//! Invariant: money that is spent stays spent. A row outlives its session, a fork has none, the
//! same event twice is one row, and where the log still has the event a rebuild makes the same
//! row of it. Sums read this table alone, so they cost the rows they add up, not the log.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqlitePool};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, Usage, UsageBy, UsageRow};

use super::sessions::MOST_TOKENS;
use super::{Store, StoreError, damaged};

/// Whose spending is added up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Spender {
    Everybody,
    Session(Uuid),
    /// By its folder.
    Project(String),
    Source(String),
}

/// How much was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub tokens: u64,
    /// US dollars, of the steps whose price was known.
    pub dollars: f64,
}

impl Store {
    /// What was spent since that moment, or ever.
    pub async fn spent(
        &self,
        spender: &Spender,
        since: Option<Timestamp>,
    ) -> Result<Spent, StoreError> {
        spent(&self.readers, spender, since).await
    }

    /// What was used since that moment, or ever: days oldest first, of the rest the dearest
    /// first.
    pub async fn usage(
        &self,
        by: UsageBy,
        since: Option<Timestamp>,
        zone: &TimeZone,
    ) -> Result<Vec<UsageRow>, StoreError> {
        let mut rows = read_usage(&self.readers, by, since).await?;
        match by {
            UsageBy::Day => Ok(days(rows, zone)),
            UsageBy::Session | UsageBy::Project | UsageBy::Model | UsageBy::Source => {
                rows.sort_by(|a, b| {
                    let cost = |row: &UsageRow| row.cost.unwrap_or_default();
                    let by_cost = cost(b).total_cmp(&cost(a));
                    let by_tokens = b.total_tokens.cmp(&a.total_tokens);
                    by_cost.then(by_tokens).then_with(|| a.key.cmp(&b.key))
                });
                Ok(rows)
            }
        }
    }
}

/// A usage event on its way into the table.
pub(super) struct Row {
    id: Uuid,
    session: Uuid,
    /// Who was asked; absent: whom the session asks now.
    source: Option<String>,
    model: String,
    spent_at: i64,
    usage: Usage,
    cost: Option<f64>,
    saved: Option<f64>,
    is_estimate: bool,
}

impl Row {
    /// `None` for what is no usage.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let EventBody::Usage {
            usage,
            cost,
            saved,
            model,
            is_estimate,
            ..
        } = &event.body
        else {
            return None;
        };
        Some(Self {
            id: event.id,
            session: event.session_id,
            source: None,
            model: model.clone(),
            spent_at: event.timestamp.as_millisecond(),
            usage: usage.clone(),
            cost: *cost,
            saved: *saved,
            is_estimate: *is_estimate,
        })
    }

    pub(super) fn asked_of(self, source: &str) -> Self {
        Self {
            source: Some(source.to_owned()),
            ..self
        }
    }
}

/// After the session's line has been brought up to date: it says whose project it is.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    rows: Vec<Row>,
) -> Result<(), StoreError> {
    // What a source reports may be any number; sums must stay numbers.
    let count = |tokens: u64| tokens.min(MOST_TOKENS) as i64;
    for row in rows {
        sqlx::query(
            "INSERT INTO spending (id, session_id, project, source, model, spent_at, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, total_tokens, cost, saved, is_estimate)
             SELECT ?1, id, coalesce(project, ''), coalesce(?3, source), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
             FROM sessions WHERE id = ?2
             ON CONFLICT (id) DO NOTHING",
        )
        .bind(row.id.to_string())
        .bind(row.session.to_string())
        .bind(row.source)
        .bind(row.model)
        .bind(row.spent_at)
        .bind(count(row.usage.input_tokens))
        .bind(count(row.usage.output_tokens))
        .bind(count(row.usage.reasoning_tokens))
        .bind(count(row.usage.cache_read_tokens))
        .bind(count(row.usage.cache_write_tokens))
        .bind(count(row.usage.total_tokens()))
        .bind(row.cost)
        .bind(row.saved)
        .bind(row.is_estimate)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Puts what the log says of a session in place of what the table says.
pub(super) async fn replace(
    connection: &mut SqliteConnection,
    session: Uuid,
    rows: Vec<Row>,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM spending WHERE session_id = ?1")
        .bind(session.to_string())
        .execute(&mut *connection)
        .await?;
    insert(connection, rows).await
}

/// A column of counts, each within what can be added up: what is damaged counts for nothing and
/// keeps no sum from being one.
macro_rules! counts {
    ($column:literal) => {
        concat!(
            "sum(CASE WHEN ",
            $column,
            " BETWEEN 0 AND 1000000000000 THEN ",
            $column,
            " END)"
        )
    };
}

/// The same of a column of dollars. What was saved may be below zero.
macro_rules! dollars {
    ("cost") => {
        "sum(CASE WHEN cost BETWEEN 0 AND 1e9 THEN cost END)"
    };
    ("saved") => {
        "sum(CASE WHEN saved BETWEEN -1e9 AND 1e9 THEN saved END)"
    };
}

macro_rules! spent {
    ($whose:literal) => {
        concat!(
            "SELECT ",
            counts!("total_tokens"),
            " AS tokens, ",
            dollars!("cost"),
            " AS dollars FROM spending WHERE spent_at >= ?1",
            $whose
        )
    };
}

async fn spent(
    readers: &SqlitePool,
    spender: &Spender,
    since: Option<Timestamp>,
) -> Result<Spent, StoreError> {
    let (statement, whose) = match spender {
        Spender::Everybody => (spent!(""), None),
        Spender::Session(session) => (spent!(" AND session_id = ?2"), Some(session.to_string())),
        Spender::Project(project) => (spent!(" AND project = ?2"), Some(project.clone())),
        Spender::Source(source) => (spent!(" AND source = ?2"), Some(source.clone())),
    };
    let mut query = sqlx::query(statement).bind(milliseconds(since));
    if let Some(whose) = whose {
        query = query.bind(whose);
    }
    let row: SqliteRow = query.fetch_one(readers).await?;
    Ok(Spent {
        tokens: damaged::count(&row, "tokens"),
        dollars: damaged::amount(&row, "dollars").unwrap_or_default(),
    })
}

fn milliseconds(since: Option<Timestamp>) -> i64 {
    since.map_or(0, Timestamp::as_millisecond)
}

/// Days begin on a quarter of an hour in every time zone there is, so quarters can be added up
/// to anybody's days.
const QUARTER: i64 = 15 * 60 * 1000;

/// One row for each key; for days, for each quarter of an hour in which something was spent.
async fn read_usage(
    readers: &SqlitePool,
    by: UsageBy,
    since: Option<Timestamp>,
) -> Result<Vec<UsageRow>, StoreError> {
    macro_rules! grouped {
        ($key:literal, $title:literal) => {
            concat!(
                "SELECT ",
                $key,
                " AS key, ",
                $title,
                " AS title, count(*) AS steps, ",
                counts!("input_tokens"),
                " AS input_tokens, ",
                counts!("output_tokens"),
                " AS output_tokens, ",
                counts!("reasoning_tokens"),
                " AS reasoning_tokens, ",
                counts!("cache_read_tokens"),
                " AS cache_read_tokens, ",
                counts!("cache_write_tokens"),
                " AS cache_write_tokens, ",
                counts!("total_tokens"),
                " AS total_tokens, ",
                dollars!("cost"),
                " AS cost, ",
                dollars!("saved"),
                " AS saved,
                 count(*) - count(cost) AS unpriced_steps,
                 sum(CASE WHEN is_estimate = 1 THEN 1 END) AS estimated_steps
                 FROM spending WHERE spent_at >= ?1 GROUP BY ",
                $key
            )
        };
    }
    let statement = match by {
        UsageBy::Day => grouped!("CAST(spent_at / 900000 AS TEXT)", "NULL"),
        UsageBy::Session => grouped!(
            "session_id",
            "(SELECT title FROM sessions WHERE sessions.id = session_id AND deleted_at IS NULL)"
        ),
        UsageBy::Project => grouped!("project", "NULL"),
        UsageBy::Model => grouped!("model", "NULL"),
        UsageBy::Source => grouped!("source", "NULL"),
    };
    let rows: Vec<SqliteRow> = sqlx::query(statement)
        .bind(milliseconds(since))
        .fetch_all(readers)
        .await?;
    Ok(rows.iter().map(sum).collect())
}

fn sum(row: &SqliteRow) -> UsageRow {
    let count = |column: &str| damaged::count(row, column);
    UsageRow {
        key: damaged::text(row, "key").unwrap_or_default(),
        title: damaged::text(row, "title"),
        steps: count("steps"),
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
        reasoning_tokens: count("reasoning_tokens"),
        cache_read_tokens: count("cache_read_tokens"),
        cache_write_tokens: count("cache_write_tokens"),
        total_tokens: count("total_tokens"),
        cost: damaged::amount(row, "cost"),
        saved: damaged::amount(row, "saved"),
        unpriced_steps: count("unpriced_steps"),
        estimated_steps: count("estimated_steps"),
    }
}

/// Adds quarters of an hour up to days of that time zone.
fn days(quarters: Vec<UsageRow>, zone: &TimeZone) -> Vec<UsageRow> {
    let mut days: BTreeMap<String, UsageRow> = BTreeMap::new();
    for quarter in quarters {
        let start = quarter.key.parse::<i64>().unwrap_or_default() * QUARTER;
        let Ok(start) = Timestamp::from_millisecond(start) else {
            continue;
        };
        let key = start.to_zoned(zone.clone()).date().to_string();
        let day = days.entry(key.clone()).or_insert_with(|| UsageRow {
            key,
            ..UsageRow::default()
        });
        day.add(&quarter);
    }
    days.into_values().collect()
}
