//! Named values of the user's; never a secret.

use sqlx::{SqliteConnection, SqlitePool};

use super::StoreError;

pub(super) async fn get(readers: &SqlitePool, name: &str) -> Result<Option<String>, StoreError> {
    Ok(
        sqlx::query_scalar("SELECT value FROM settings WHERE name = ?1")
            .bind(name)
            .fetch_optional(readers)
            .await?,
    )
}

/// Every setting whose name starts so, by name.
pub(super) async fn starting(
    readers: &SqlitePool,
    start: &str,
) -> Result<Vec<(String, String)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT name, value FROM settings WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name",
    )
    .bind(start)
    .fetch_all(readers)
    .await?)
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

/// Sets it only where it still is what it was: whoever changed it since knew better.
pub(super) async fn replace(
    connection: &mut SqliteConnection,
    name: &str,
    before: &str,
    value: &str,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE settings SET value = ?3 WHERE name = ?1 AND value = ?2")
        .bind(name)
        .bind(before)
        .bind(value)
        .execute(connection)
        .await?;
    Ok(())
}
