//! How much a session keeps of what its sources said and nobody understood.

use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use super::{Store, StoreError, damaged};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptRaw {
    pub events: u64,
    pub bytes: u64,
}

impl Store {
    /// Counts all branches: each of them takes its room.
    pub async fn kept_raw(&self, session: Uuid) -> Result<KeptRaw, StoreError> {
        let row: SqliteRow = sqlx::query(
            "SELECT count(*) AS events, sum(octet_length(event)) AS bytes FROM events WHERE session_id = ?1 AND type = 'raw'",
        )
        .bind(session.to_string())
        .fetch_one(&self.readers)
        .await?;
        Ok(KeptRaw {
            events: damaged::count(&row, "events"),
            bytes: damaged::count(&row, "bytes"),
        })
    }
}
