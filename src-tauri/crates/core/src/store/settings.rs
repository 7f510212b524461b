//! Named values of the user's; never a secret.

use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqliteExecutor, SqlitePool};

use super::writer::Change;
use super::{Store, StoreError, damaged};

/// Makes the new value of the stored one, or leaves it as it is.
pub(super) type Update =
    Box<dyn FnOnce(Option<String>) -> Result<Option<String>, StoreError> + Send>;

impl Store {
    pub async fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        get(&self.readers, name).await
    }

    /// Every setting whose name starts so, by name.
    pub async fn settings_starting(
        &self,
        start: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        starting(&self.readers, start).await
    }

    pub async fn set_setting(&self, name: String, value: String) -> Result<(), StoreError> {
        self.writer.run(Change::Setting { name, value }).await
    }

    /// Reads, changes and writes a setting in one transaction: of two Weirs that do so at the
    /// same moment neither loses what the other has set. Answers whether it was changed.
    pub async fn update_setting(
        &self,
        name: &str,
        update: impl FnOnce(Option<String>) -> Result<Option<String>, StoreError> + Send + 'static,
    ) -> Result<bool, StoreError> {
        let change = Change::UpdateSetting {
            name: name.to_owned(),
            update: Box::new(update),
        };
        Ok(self.writer.count(change).await? > 0)
    }
}

/// Inside the writer's transaction, which nobody else writes beside.
pub(super) async fn update(
    connection: &mut SqliteConnection,
    name: &str,
    update: Update,
) -> Result<u32, StoreError> {
    let stored = get(&mut *connection, name).await?;
    match update(stored)? {
        Some(value) => set(connection, name, &value).await.map(|()| 1),
        None => Ok(0),
    }
}

pub(super) async fn get(
    executor: impl SqliteExecutor<'_>,
    name: &str,
) -> Result<Option<String>, StoreError> {
    Ok(
        sqlx::query_scalar("SELECT value FROM settings WHERE name = ?1")
            .bind(name)
            .fetch_optional(executor)
            .await?,
    )
}

async fn starting(readers: &SqlitePool, start: &str) -> Result<Vec<(String, String)>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT name, value FROM settings WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name",
    )
    .bind(start)
    .fetch_all(readers)
    .await?;
    let read = |row: &SqliteRow| Some((damaged::text(row, "name")?, damaged::text(row, "value")?));
    Ok(rows.iter().filter_map(read).collect())
}

pub(super) async fn remove(
    connection: &mut SqliteConnection,
    name: &str,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM settings WHERE name = ?1")
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn set(
    connection: &mut SqliteConnection,
    name: &str,
    value: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(name)
    .bind(value)
    .execute(connection)
    .await?;
    Ok(())
}
