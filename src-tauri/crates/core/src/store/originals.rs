//! What guards took out, as rows: sealed values that only a key outside of the database opens.
//! They leave with their session, and a fork has copies.

use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::{StoreError, damaged};
use crate::secret::Sealed;

/// What was taken out of a session's texts, sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedOriginal {
    pub placeholder: String,
    pub taken_from: TakenFrom,
    /// The session that the seal is bound to.
    pub sealed_for: Uuid,
    pub sealed: Sealed,
}

/// One that was sealed with another key since it was stored.
#[derive(Clone, Debug)]
pub struct SealedAnew {
    /// The session that has it.
    pub session: Uuid,
    pub original: SealedOriginal,
    pub sealed: Sealed,
}

/// Whose text it stood in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TakenFrom {
    /// What a source said.
    Output,
    /// What was about to be sent: the user's words, or a tool's.
    Input,
}

impl TakenFrom {
    fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// One that is there already can only turn from output to input: the user has typed it since.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    session: Uuid,
    originals: &[SealedOriginal],
) -> Result<(), StoreError> {
    for original in originals {
        sqlx::query(
            "INSERT INTO originals (session_id, placeholder, taken_from, sealed_for, nonce, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (session_id, placeholder) DO UPDATE SET taken_from = 'input' WHERE excluded.taken_from = 'input'",
        )
        .bind(session.to_string())
        .bind(&original.placeholder)
        .bind(original.taken_from.name())
        .bind(original.sealed_for.to_string())
        .bind(&original.sealed.nonce)
        .bind(&original.sealed.bytes)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(super) async fn copy(
    connection: &mut SqliteConnection,
    from: Uuid,
    to: Uuid,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO originals (session_id, placeholder, taken_from, sealed_for, nonce, sealed)
         SELECT ?2, placeholder, taken_from, sealed_for, nonce, sealed FROM originals WHERE session_id = ?1",
    )
    .bind(from.to_string())
    .bind(to.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn of(
    readers: &SqlitePool,
    session: Uuid,
) -> Result<Vec<SealedOriginal>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT placeholder, taken_from, sealed_for, nonce, sealed FROM originals WHERE session_id = ?1 ORDER BY placeholder",
    )
    .bind(session.to_string())
    .fetch_all(readers)
    .await?;
    Ok(rows.iter().filter_map(read).collect())
}

/// All that is bound to a session, with the sessions that have it: its own, and its forks.
pub(super) async fn sealed_for(
    readers: &SqlitePool,
    session: Uuid,
) -> Result<Vec<(Uuid, SealedOriginal)>, StoreError> {
    let sessions: Vec<SqliteRow> =
        sqlx::query("SELECT DISTINCT session_id FROM originals WHERE sealed_for = ?1")
            .bind(session.to_string())
            .fetch_all(readers)
            .await?;
    let mut all = Vec::new();
    for holder in sessions
        .iter()
        .filter_map(|row| damaged::id(row, "session_id"))
    {
        let bound = of(readers, holder).await?.into_iter();
        let bound = bound.filter(|original| original.sealed_for == session);
        all.extend(bound.map(|original| (holder, original)));
    }
    Ok(all)
}

/// Puts another seal in the place of the one that was read.
pub(super) async fn seal_anew(
    connection: &mut SqliteConnection,
    anew: &[SealedAnew],
) -> Result<(), StoreError> {
    for SealedAnew {
        session,
        original,
        sealed,
    } in anew
    {
        sqlx::query(
            "UPDATE originals SET nonce = ?4, sealed = ?5 WHERE session_id = ?1 AND placeholder = ?2 AND nonce = ?3",
        )
        .bind(session.to_string())
        .bind(&original.placeholder)
        .bind(&original.sealed.nonce)
        .bind(&sealed.nonce)
        .bind(&sealed.bytes)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// One that is damaged opens nowhere; its placeholder is taken all the same.
fn read(row: &SqliteRow) -> Option<SealedOriginal> {
    let bytes = |column: &str| damaged::bytes(row, column).unwrap_or_default();
    Some(SealedOriginal {
        placeholder: damaged::text(row, "placeholder")?,
        taken_from: match damaged::text(row, "taken_from").as_deref() {
            Some("input") => TakenFrom::Input,
            Some(_) | None => TakenFrom::Output,
        },
        sealed_for: damaged::id(row, "sealed_for").unwrap_or_default(),
        sealed: Sealed {
            nonce: bytes("nonce"),
            bytes: bytes("sealed"),
        },
    })
}
