//! Notices that the database was written to, by whomever.

use sqlx::SqliteConnection;

use super::StoreError;

pub struct Watcher {
    /// The version only means something to the connection it was asked on.
    connection: SqliteConnection,
    version: i64,
}

impl Watcher {
    pub(super) async fn new(mut connection: SqliteConnection) -> Result<Self, StoreError> {
        let version = version(&mut connection).await?;
        Ok(Self {
            connection,
            version,
        })
    }

    /// Whether anything was committed since the last call.
    pub async fn changed(&mut self) -> Result<bool, StoreError> {
        let version = version(&mut self.connection).await?;
        let changed = version != self.version;
        self.version = version;
        Ok(changed)
    }
}

async fn version(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("PRAGMA data_version")
        .fetch_one(connection)
        .await?)
}
