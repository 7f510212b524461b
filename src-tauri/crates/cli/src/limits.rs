//! `weir limits`: how much one reply may contain.

use std::sync::Arc;

use clap::Subcommand;
use serde_json::json;
use weir_core::app::{App, LIMITS, Limit};

use crate::{Exit, Failure, output};

#[derive(Subcommand)]
pub(crate) enum Action {
    /// Every limit, its value and what it is about
    List {
        #[arg(long)]
        json: bool,
    },
    /// Another value for a limit
    Set {
        #[arg(value_name = "NAME")]
        name: String,
        #[arg(value_name = "VALUE")]
        value: u64,
    },
    /// A limit, or with no name every limit, back to its default
    Reset {
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
}

pub(crate) async fn run(app: &Arc<App>, action: Action) -> Result<Exit, Failure> {
    match action {
        Action::List { json } => list(app, json).await?,
        Action::Set { name, value } => app.set_limit(named(&name)?, Some(value)).await?,
        Action::Reset { name: Some(name) } => app.set_limit(named(&name)?, None).await?,
        Action::Reset { name: None } => {
            for limit in LIMITS {
                app.set_limit(limit, None).await?;
            }
        }
    }
    Ok(Exit::Done)
}

fn named(name: &str) -> Result<&'static Limit, Failure> {
    Limit::named(name).map_err(|error| Failure::usage(error.to_string()))
}

async fn list(app: &Arc<App>, json: bool) -> Result<(), Failure> {
    let limits = app.limits().await.map_err(weir_core::app::AppError::from)?;
    if json {
        let rows: Vec<_> = LIMITS
            .iter()
            .map(|limit| {
                json!({
                    "name": limit.spelling,
                    "value": limits.get(limit),
                    "default": limit.default,
                    "largest": limit.largest,
                    "about": limit.about,
                })
            })
            .collect();
        output::line(&rows)?;
        return Ok(());
    }
    for limit in LIMITS {
        let value = limits.get(limit);
        output::write(&format!(
            "{:<18}{value:>12}  {}\n",
            limit.spelling, limit.about
        ))?;
    }
    Ok(())
}
