//! Many rows in one statement: what a group of changes puts into a table costs a few
//! statements, not one a row.
//!
//! Statements come in a few sizes, so that each is prepared once and kept.

use std::sync::LazyLock;

use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, Encode, Sqlite, SqliteConnection, Type};

use super::StoreError;

/// From the largest to one.
const SIZES: [usize; 5] = [512, 128, 32, 8, 1];

/// The statements that put rows into one table, a size each.
pub(super) type Inserts = LazyLock<[String; SIZES.len()]>;

/// `INSERT INTO table (columns) VALUES (?, …), …` in every size.
pub(super) fn inserts(table: &str, columns: &[&str]) -> [String; SIZES.len()] {
    let row = format!("({})", vec!["?"; columns.len()].join(", "));
    SIZES.map(|size| {
        let rows = vec![row.as_str(); size].join(", ");
        format!("INSERT INTO {table} ({}) VALUES {rows}", columns.join(", "))
    })
}

/// The values of some rows, in the order of their columns.
#[derive(Default)]
pub(super) struct Values(SqliteArguments);

impl Values {
    pub(super) fn add<'v>(
        &mut self,
        value: impl Encode<'v, Sqlite> + Type<Sqlite>,
    ) -> Result<(), StoreError> {
        self.0
            .add(value)
            .map_err(|error| sqlx::Error::Encode(error).into())
    }
}

/// Puts all rows in, in order, in as few statements as the sizes allow.
pub(super) async fn insert<Row>(
    connection: &mut SqliteConnection,
    inserts: &'static Inserts,
    rows: Vec<Row>,
    bind: fn(Row, &mut Values) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut rows = rows.into_iter();
    for (size, statement) in SIZES.iter().zip(inserts.iter()) {
        while rows.len() >= *size {
            let mut values = Values::default();
            for row in rows.by_ref().take(*size) {
                bind(row, &mut values)?;
            }
            sqlx::query_with(statement.as_str(), values.0)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(())
}
