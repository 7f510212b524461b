//! `weir sources`: what can be asked, and servers of the user's own.

use std::sync::Arc;

use clap::{Subcommand, ValueEnum};
use serde_json::json;
use weir_core::app::App;
use weir_protocol::{CustomServer, ServerKind};

use crate::{Exit, Failure, output};

#[derive(Subcommand)]
pub(crate) enum Action {
    /// Every source, with its address; your own servers last
    List {
        #[arg(long)]
        json: bool,
    },
    /// Adds a server under a name; `weir keys set NAME` stores its key
    Add {
        #[arg(value_name = "NAME")]
        name: String,
        #[arg(value_name = "ADDRESS")]
        address: String,
        /// The API that it speaks
        #[arg(long, value_enum, default_value_t = Kind::Openai)]
        kind: Kind,
    },
    /// Removes a server that was added, and its key
    Remove {
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    /// Chat completions
    Openai,
    /// The Responses API
    Responses,
    /// The Messages API
    Anthropic,
}

pub(crate) async fn run(app: &Arc<App>, action: Action) -> Result<Exit, Failure> {
    match action {
        Action::List { json } => list(app, json).await?,
        Action::Add {
            name,
            address,
            kind,
        } => {
            let kind = match kind {
                Kind::Openai => ServerKind::Openai,
                Kind::Responses => ServerKind::Responses,
                Kind::Anthropic => ServerKind::Anthropic,
            };
            let server = CustomServer {
                name,
                kind,
                base_url: address,
            };
            app.add_server(&server).await?;
        }
        Action::Remove { name } => app.remove_server(&name).await?,
    }
    Ok(Exit::Done)
}

async fn list(app: &Arc<App>, json: bool) -> Result<(), Failure> {
    let own = app
        .servers()
        .await
        .map_err(weir_core::app::AppError::from)?;
    let sources = app.sources().await?;
    let is_own = |name: &str| own.iter().any(|server| server.name == name);
    if json {
        let rows: Vec<_> = sources
            .iter()
            .map(|source| {
                json!({
                    "name": source.name, "label": source.label, "baseUrl": source.base_url,
                    "dialect": source.dialect.name, "own": is_own(source.name),
                })
            })
            .collect();
        output::line(&rows)?;
        return Ok(());
    }
    for source in sources {
        let mark = if is_own(source.name) { "  (yours)" } else { "" };
        output::write(&format!("{:<18} {}{mark}\n", source.name, source.base_url))?;
    }
    Ok(())
}
