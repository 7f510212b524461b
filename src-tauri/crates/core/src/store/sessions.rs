//! Sessions as lines of a list: projections of the log, advanced in the transaction that
//! appends to it.

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row, SqliteConnection, SqliteExecutor, SqlitePool};
use uuid::Uuid;
use weir_protocol::{
    Event, EventBody, Origin, RequestOptions, SessionStatus, SessionSummary, Thinking, code,
};

use super::destination::Chosen;
use super::rebuild::Projection;
use super::{StoreError, damaged, journal, title};
use crate::clock;

/// More than one step can use.
pub(super) const MOST_TOKENS: u64 = 1_000_000_000_000;

struct Line(SessionSummary);

/// A line whose id cannot be read is no line. Any other value that cannot be read has something
/// in its place that lets the session be listed and opened; a rebuild computes it anew.
impl FromRow<'_, SqliteRow> for Line {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let id = damaged::id(row, "id").ok_or_else(|| sqlx::Error::ColumnDecode {
            index: "id".to_owned(),
            source: "not the id of a session".into(),
        })?;
        let text = |column: &str| damaged::text(row, column).unwrap_or_default();
        let moment = |column: &str| damaged::moment(row, column).unwrap_or_default();
        let chosen = Chosen::of(row);
        let (source, model) = chosen
            .model
            .unwrap_or_else(|| (text("source"), text("model")));
        Ok(Self(SessionSummary {
            id,
            title: text("title"),
            source,
            model,
            thinking: chosen.thinking.or_else(|| json(row, "thinking")),
            options: chosen
                .options
                .or_else(|| json(row, "options"))
                .unwrap_or_default(),
            status: SessionStatus::from_name(&text("status")).unwrap_or(SessionStatus::Failed),
            turns: damaged::count(row, "turns"),
            tokens: damaged::count(row, "tokens"),
            cost: damaged::amount(row, "cost"),
            created_at: moment("created_at"),
            updated_at: moment("updated_at"),
            forked_from: origin(row),
        }))
    }
}

/// What a column holds as JSON, if it can be read.
fn json<T: DeserializeOwned>(row: &SqliteRow, column: &str) -> Option<T> {
    serde_json::from_str(&damaged::text(row, column)?).ok()
}

fn origin(row: &SqliteRow) -> Option<Origin> {
    let session = damaged::id(row, "origin_session")?;
    let turn = damaged::id(row, "origin_turn")?;
    Some(Origin { session, turn })
}

/// Those that can be read: one that cannot does not hide the others.
pub(super) async fn all(readers: &SqlitePool) -> Result<Vec<SessionSummary>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT * FROM sessions WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC",
    )
    .fetch_all(readers)
    .await?;
    let lines = rows.iter().filter_map(|row| Line::from_row(row).ok());
    Ok(lines.map(|line| line.0).collect())
}

/// How many lines cannot be read, and are left out of the list.
pub(super) async fn count_damaged(readers: &SqlitePool) -> Result<usize, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query("SELECT id FROM sessions")
        .fetch_all(readers)
        .await?;
    let damaged = rows.iter().filter(|row| damaged::id(row, "id").is_none());
    Ok(damaged.count())
}

/// A session's line, and how far its numbers have come.
pub(super) struct Standing {
    pub(super) line: SessionSummary,
    /// Without the chunks that came after the row's last change.
    pub(super) next_index: u64,
    pub(super) last_sequence: u64,
}

pub(super) async fn one(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<Standing, StoreError> {
    let row: Option<SqliteRow> =
        sqlx::query("SELECT * FROM sessions WHERE id = ?1 AND deleted_at IS NULL")
            .bind(session.to_string())
            .fetch_optional(executor)
            .await?;
    let row = row.ok_or(StoreError::NoSession(session))?;
    Ok(Standing {
        line: Line::from_row(&row)?.0,
        next_index: damaged::count(&row, "next_index"),
        last_sequence: damaged::count(&row, "last_sequence"),
    })
}

/// The sessions that say they are streaming, and whose turn it is.
pub(super) async fn owned(readers: &SqlitePool) -> Result<Vec<(Uuid, String)>, StoreError> {
    let rows: Vec<SqliteRow> =
        sqlx::query("SELECT id, owner FROM sessions WHERE owner IS NOT NULL")
            .fetch_all(readers)
            .await?;
    let owned = |row: &SqliteRow| Some((damaged::id(row, "id")?, damaged::text(row, "owner")?));
    Ok(rows.iter().filter_map(owned).collect())
}

/// The row for a new session; its first events fill it.
pub(super) async fn create(
    connection: &mut SqliteConnection,
    session: Uuid,
    events: &[Event],
) -> Result<(), StoreError> {
    let now = events
        .first()
        .map_or_else(clock::now, |event| event.timestamp)
        .as_millisecond();
    let (origin, project) = match events.first().map(|event| &event.body) {
        Some(EventBody::SessionStart {
            forked_from,
            project,
            ..
        }) => (*forked_from, project.as_deref()),
        Some(_) | None => (None, None),
    };
    sqlx::query(
        "INSERT INTO sessions (id, title, source, model, status, created_at, updated_at, origin_session, origin_turn, project) VALUES (?1, '', '', '', ?2, ?3, ?3, ?4, ?5, ?6)",
    )
    .bind(session.to_string())
    .bind(SessionStatus::Idle.name())
    .bind(now)
    .bind(origin.map(|origin| origin.session.to_string()))
    .bind(origin.map(|origin| origin.turn.to_string()))
    .bind(project)
    .execute(connection)
    .await?;
    Ok(())
}

/// Makes the session this Weir's until its turn ends; one turn at a time.
pub(super) async fn claim(
    connection: &mut SqliteConnection,
    session: Uuid,
    owner: &str,
) -> Result<(), StoreError> {
    let claimed = sqlx::query(
        "UPDATE sessions SET owner = ?2 WHERE id = ?1 AND owner IS NULL AND deleted_at IS NULL",
    )
    .bind(session.to_string())
    .bind(owner)
    .execute(&mut *connection)
    .await?
    .rows_affected();
    if claimed == 1 {
        return Ok(());
    }
    Err(match owner_of(connection, session).await? {
        Some(_) => StoreError::Busy,
        None => StoreError::NoSession(session),
    })
}

/// `None` when there is no such session; an empty name when nobody owns it.
pub(super) async fn owner_of(
    connection: &mut SqliteConnection,
    session: Uuid,
) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT coalesce(owner, '') FROM sessions WHERE id = ?1 AND deleted_at IS NULL",
    )
    .bind(session.to_string())
    .fetch_optional(connection)
    .await?)
}

pub(super) async fn rename(
    connection: &mut SqliteConnection,
    session: Uuid,
    title: &str,
) -> Result<SessionSummary, StoreError> {
    let line: Option<Line> = sqlx::query_as(
        "UPDATE sessions SET title = ?2, user_title = ?2 WHERE id = ?1 AND deleted_at IS NULL RETURNING *",
    )
    .bind(session.to_string())
    .bind(title)
    .fetch_optional(connection)
    .await?;
    line.map(|line| line.0)
        .ok_or(StoreError::NoSession(session))
}

/// Hides a session from now on; it can be restored until it is purged.
pub(super) async fn delete(
    connection: &mut SqliteConnection,
    session: Uuid,
) -> Result<(), StoreError> {
    match owner_of(connection, session).await? {
        None => Err(StoreError::NoSession(session)),
        Some(owner) if !owner.is_empty() => Err(StoreError::Busy),
        Some(_) => {
            sqlx::query("UPDATE sessions SET deleted_at = ?2 WHERE id = ?1")
                .bind(session.to_string())
                .bind(clock::now().as_millisecond())
                .execute(connection)
                .await?;
            Ok(())
        }
    }
}

/// Shows a deleted session again, as it was.
pub(super) async fn restore(
    connection: &mut SqliteConnection,
    session: Uuid,
) -> Result<SessionSummary, StoreError> {
    let line: Option<Line> =
        sqlx::query_as("UPDATE sessions SET deleted_at = NULL WHERE id = ?1 RETURNING *")
            .bind(session.to_string())
            .fetch_optional(connection)
            .await?;
    line.map(|line| line.0)
        .ok_or(StoreError::NoSession(session))
}

/// How many sessions were deleted before that moment, and are still here.
pub(super) async fn count_deleted(
    readers: &SqlitePool,
    before: Timestamp,
) -> Result<i64, StoreError> {
    Ok(
        sqlx::query_scalar("SELECT count(*) FROM sessions WHERE deleted_at < ?1")
            .bind(before.as_millisecond())
            .fetch_one(readers)
            .await?,
    )
}

/// Takes out for good what was deleted before that moment, with all it holds.
pub(super) async fn purge(
    connection: &mut SqliteConnection,
    before: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM sessions WHERE deleted_at < ?1")
        .bind(before.as_millisecond())
        .execute(connection)
        .await?;
    Ok(())
}

/// The numbers that an append may use.
pub(super) struct Numbers {
    pub(super) first_index: u64,
    pub(super) first_sequence: u64,
}

/// What a run of events changes in a session's line.
#[derive(Default)]
pub(super) struct Advance {
    title: Option<String>,
    asked: Option<(String, String)>,
    thinking: Option<Thinking>,
    options: Option<RequestOptions>,
    status: Option<SessionStatus>,
    turns: i64,
    tokens: i64,
    cost: Option<f64>,
    stored: i64,
    updated_at: Option<i64>,
}

impl Advance {
    fn over(events: &[Event]) -> Self {
        let mut advance = Self::default();
        for event in events {
            advance.add(event);
        }
        advance
    }

    pub(super) fn add(&mut self, event: &Event) {
        if event.body.is_chunk() {
            return;
        }
        self.stored += 1;
        // The events of a fork are older than the fork.
        self.updated_at = self.updated_at.max(Some(event.timestamp.as_millisecond()));
        match &event.body {
            EventBody::SessionStart { source, model, .. } => {
                self.asked = Some((source.clone(), model.clone()));
            }
            EventBody::UserMessage {
                content,
                source,
                model,
                thinking,
                options,
                ..
            } => {
                self.thinking = thinking.or(self.thinking);
                self.options = Some(options.clone());
                self.title.get_or_insert_with(|| title::of_prompt(content));
                self.asked = Some((source.clone(), model.clone()));
                self.status = Some(SessionStatus::Running);
                self.turns += 1;
            }
            EventBody::Usage { usage, cost, .. } => {
                // What a source reports may be any number; sums must stay numbers.
                self.tokens += usage.total_tokens().min(MOST_TOKENS) as i64;
                if let Some(cost) = cost {
                    *self.cost.get_or_insert(0.0) += cost;
                }
            }
            // Whoever goes back to another branch has seen how the last turn ended.
            EventBody::Complete { .. } | EventBody::BranchChoice { .. } => {
                self.status = Some(SessionStatus::Idle);
            }
            EventBody::Error { error } => {
                self.status = Some(if error.code == code::INTERRUPTED {
                    SessionStatus::Interrupted
                } else {
                    SessionStatus::Failed
                });
            }
            EventBody::PermissionRequest { .. } => self.status = Some(SessionStatus::Waiting),
            EventBody::PermissionDecision { others_wait, .. } => {
                self.status = Some(if *others_wait {
                    SessionStatus::Waiting
                } else {
                    SessionStatus::Running
                });
            }
            EventBody::Thinking { .. }
            | EventBody::Retry { .. }
            | EventBody::Compaction { .. }
            | EventBody::GuardrailsTriggered { .. }
            | EventBody::OutputGuardrailsTriggered { .. }
            | EventBody::Hook { .. }
            | EventBody::Budget { .. }
            | EventBody::Memories { .. }
            | EventBody::Message { .. }
            | EventBody::File { .. }
            | EventBody::ToolUse { .. }
            | EventBody::ToolResult { .. }
            | EventBody::Processing { .. }
            | EventBody::Raw { .. }
            | EventBody::ThinkingChunk { .. }
            | EventBody::MessageChunk { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::ProcessingChunk { .. } => {}
        }
    }
}

/// Takes numbers for `events` and brings the line up to date, in one statement, if the turn is
/// still the owner's. A turn that ends lets go of the session. The row does not count the
/// chunks that came after its last change: `least` does, or else the journal.
pub(super) async fn advance(
    connection: &mut SqliteConnection,
    session: Uuid,
    owner: &str,
    events: &[Event],
    least: Option<u64>,
) -> Result<(SessionSummary, Numbers), StoreError> {
    let least = match least {
        Some(least) => least,
        None => journal::next_index(&mut *connection, session).await?,
    };
    let advance = Advance::over(events);
    if advance.stored == 0 {
        return advance_index(connection, session, owner, events.len(), least).await;
    }
    let (source, model) = advance.asked.unzip();
    let thinking = written(advance.thinking)?;
    let options = written(advance.options)?;
    let row: Option<SqliteRow> = sqlx::query(
        "UPDATE sessions SET
            title = CASE WHEN title = '' THEN coalesce(?2, title) ELSE title END,
            source = coalesce(?3, source),
            model = coalesce(?4, model),
            owner = CASE WHEN coalesce(?5, 'running') IN ('running', 'waiting') THEN owner END,
            status = coalesce(?5, status),
            turns = turns + ?6,
            tokens = tokens + ?7,
            cost = CASE WHEN ?8 IS NULL THEN cost ELSE coalesce(cost, 0) + ?8 END,
            last_sequence = last_sequence + ?9,
            next_index = CASE WHEN next_index < ?13 THEN ?13 ELSE next_index END + ?10,
            updated_at = coalesce(?11, updated_at),
            thinking = coalesce(?14, thinking),
            options = coalesce(?15, options),
            chosen = CASE WHEN ?6 > 0 THEN NULL ELSE chosen END
         WHERE id = ?1 AND owner = ?12 RETURNING *",
    )
    .bind(session.to_string())
    .bind(&advance.title)
    .bind(source)
    .bind(model)
    .bind(advance.status.map(SessionStatus::name))
    .bind(advance.turns)
    .bind(advance.tokens)
    .bind(advance.cost)
    .bind(advance.stored)
    .bind(events.len() as i64)
    .bind(advance.updated_at)
    .bind(owner)
    .bind(least as i64)
    .bind(thinking)
    .bind(options)
    .fetch_optional(&mut *connection)
    .await?;
    taken(
        connection,
        session,
        row,
        events.len() as i64,
        advance.stored,
    )
    .await
}

fn written<T: Serialize>(value: Option<T>) -> Result<Option<String>, StoreError> {
    let written = value.map(|value| serde_json::to_string(&value));
    Ok(written.transpose()?)
}

/// The same for chunks alone: they count, and change nothing that an index holds.
async fn advance_index(
    connection: &mut SqliteConnection,
    session: Uuid,
    owner: &str,
    chunks: usize,
    least: u64,
) -> Result<(SessionSummary, Numbers), StoreError> {
    let row: Option<SqliteRow> = sqlx::query(
        "UPDATE sessions SET next_index = CASE WHEN next_index < ?4 THEN ?4 ELSE next_index END + ?2
         WHERE id = ?1 AND owner = ?3 RETURNING *",
    )
    .bind(session.to_string())
    .bind(chunks as i64)
    .bind(owner)
    .bind(least as i64)
    .fetch_optional(&mut *connection)
    .await?;
    taken(connection, session, row, chunks as i64, 0).await
}

/// The line that an update left, and the numbers that it took.
async fn taken(
    connection: &mut SqliteConnection,
    session: Uuid,
    row: Option<SqliteRow>,
    events: i64,
    stored: i64,
) -> Result<(SessionSummary, Numbers), StoreError> {
    let Some(row) = row else {
        return Err(match owner_of(connection, session).await? {
            Some(_) => StoreError::NotOurs,
            None => StoreError::NoSession(session),
        });
    };
    let last_sequence: i64 = row.try_get("last_sequence")?;
    let next_index: i64 = row.try_get("next_index")?;
    let numbers = Numbers {
        first_index: (next_index - events) as u64,
        first_sequence: (last_sequence - stored + 1) as u64,
    };
    Ok((Line::from_row(&row)?.0, numbers))
}

pub(super) async fn ids(connection: &mut SqliteConnection) -> Result<Vec<Uuid>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query("SELECT id FROM sessions ORDER BY id")
        .fetch_all(connection)
        .await?;
    Ok(rows
        .iter()
        .filter_map(|row| damaged::id(row, "id"))
        .collect())
}

/// A line for every session of the log that has none; how many there were.
pub(super) async fn create_missing(connection: &mut SqliteConnection) -> Result<u64, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT DISTINCT session_id FROM events WHERE session_id NOT IN (SELECT id FROM sessions)",
    )
    .fetch_all(&mut *connection)
    .await?;
    let missing: Vec<Uuid> = rows
        .iter()
        .filter_map(|row| damaged::id(row, "session_id"))
        .collect();
    for session in &missing {
        sqlx::query(
            "INSERT INTO sessions (id, title, source, model, status, created_at, updated_at) VALUES (?1, '', '', '', ?2, 0, 0)",
        )
        .bind(session.to_string())
        .bind(SessionStatus::Idle.name())
        .execute(&mut *connection)
        .await?;
    }
    Ok(missing.len() as u64)
}

/// Takes out the lines whose id cannot be read and that no event belongs to: nothing can be
/// brought back by them. How many there were.
pub(super) async fn remove_unreadable(
    connection: &mut SqliteConnection,
) -> Result<u64, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query("SELECT id FROM sessions")
        .fetch_all(&mut *connection)
        .await?;
    let mut removed = 0;
    for row in rows.iter().filter(|row| damaged::id(row, "id").is_none()) {
        let deleted = sqlx::query(
            "DELETE FROM sessions WHERE CAST(id AS BLOB) = ?1 AND NOT EXISTS (SELECT 1 FROM events WHERE events.session_id = sessions.id)",
        )
        .bind(damaged::bytes(row, "id"))
        .execute(&mut *connection)
        .await?;
        removed += deleted.rows_affected();
    }
    Ok(removed)
}

/// Puts what the log says in place of what the line says, and tells whether they differed. A
/// turn that the log leaves open belongs to whom it belonged, or to nobody, which recovery ends.
pub(super) async fn replace(
    connection: &mut SqliteConnection,
    session: Uuid,
    projection: Projection,
) -> Result<bool, StoreError> {
    let before: SqliteRow = sqlx::query("SELECT * FROM sessions WHERE id = ?1")
        .bind(session.to_string())
        .fetch_one(&mut *connection)
        .await?;
    let line = projection.line;
    let (source, model) = line.asked.unzip();
    let thinking = written(line.thinking)?;
    let options = written(line.options)?;
    let status = line.status.unwrap_or(SessionStatus::Idle);
    let after: SqliteRow = sqlx::query(
        "UPDATE sessions SET
            title = coalesce(user_title, ?2, ''),
            source = coalesce(?3, ''),
            model = coalesce(?4, ''),
            owner = CASE WHEN ?5 IN ('running', 'waiting') THEN coalesce(owner, 'nobody') END,
            status = ?5,
            turns = ?6,
            tokens = ?7,
            cost = ?8,
            last_sequence = ?9,
            next_index = ?10,
            created_at = coalesce(?11, created_at),
            updated_at = coalesce(?12, updated_at),
            origin_session = ?13,
            origin_turn = ?14,
            project = ?15,
            thinking = ?16,
            options = ?17
         WHERE id = ?1 RETURNING *",
    )
    .bind(session.to_string())
    .bind(line.title)
    .bind(source)
    .bind(model)
    .bind(status.name())
    .bind(line.turns)
    .bind(line.tokens)
    .bind(line.cost)
    .bind(projection.last_sequence as i64)
    .bind(projection.next_index as i64)
    .bind(projection.created_at)
    .bind(line.updated_at)
    .bind(projection.origin.map(|origin| origin.session.to_string()))
    .bind(projection.origin.map(|origin| origin.turn.to_string()))
    .bind(projection.project)
    .bind(thinking)
    .bind(options)
    .fetch_one(connection)
    .await?;
    Ok(!says_the_same(&before, &after)?)
}

/// Sums of the same costs in another order may differ in their last digits.
fn says_the_same(before: &SqliteRow, after: &SqliteRow) -> Result<bool, StoreError> {
    // A damaged line may read as the same, with other values in the place of its own.
    let Line(mut before_line) = Line::from_row(before)?;
    let Line(after_line) = Line::from_row(after)?;
    if let (Some(kept), Some(cost)) = (before_line.cost, after_line.cost)
        && (kept - cost).abs() <= 1e-9 * cost.abs()
    {
        before_line.cost = Some(cost);
    }
    let same = |column: &str| damaged::integer(before, column) == damaged::integer(after, column);
    let columns = ["last_sequence", "next_index", "turns", "tokens"];
    let texts = ["title", "source", "model", "status", "thinking", "options"];
    let same_text = |column: &str| damaged::text(before, column) == damaged::text(after, column);
    Ok(before_line == after_line
        && columns.into_iter().all(same)
        && texts.into_iter().all(same_text))
}
