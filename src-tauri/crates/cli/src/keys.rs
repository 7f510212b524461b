//! `weir keys`: what the keychain holds. A key comes on stdin, never on the command line,
//! where every process could read it.

use std::io::Read;
use std::sync::Arc;

use weir_core::app::{App, AppError};
use weir_core::source::{KeyNeed, Source};
use weir_protocol::{KeyState, code};

use crate::arguments::Keys;
use crate::{Exit, Failure, output};

/// More than any key has.
const LONGEST_INPUT: u64 = 64 * 1024;

pub(crate) async fn run(app: &Arc<App>, action: Keys) -> Result<Exit, Failure> {
    match action {
        Keys::Set { source } => {
            let source = with_key(app, &source).await?;
            let mut key = String::new();
            std::io::stdin()
                .take(LONGEST_INPUT)
                .read_to_string(&mut key)?;
            app.secrets()
                .store(source, key.into())
                .await
                .map_err(AppError::from)?;
            output::write(&format!(
                "Stored the key for {} in the keychain.\n",
                source.label
            ))?;
        }
        Keys::List => {
            let sources = app.sources().await?;
            let states = app.secrets().states(&sources).await;
            for (source, state) in sources.iter().zip(states) {
                let state = describe(&state);
                output::write(&format!("{:<18} {state}\n", source.name))?;
            }
        }
        Keys::Delete { source } => {
            let source = with_key(app, &source).await?;
            let stored = app.secrets().is_stored(source).await;
            if !stored.map_err(AppError::from)? {
                return Err(Failure::failed(
                    code::NO_KEY,
                    format!("The keychain has no key for {}.", source.label),
                ));
            }
            app.secrets().delete(source).await.map_err(AppError::from)?;
            output::write(&format!("Removed the key for {}.\n", source.label))?;
        }
    }
    Ok(Exit::Done)
}

async fn with_key(app: &App, name: &str) -> Result<&'static Source, Failure> {
    let source = app.source(name).await?;
    match source.key {
        KeyNeed::Wanted { .. } | KeyNeed::Optional { .. } => Ok(source),
        KeyNeed::None => Err(Failure::usage(format!("{} needs no key.", source.label))),
    }
}

/// Whether a key is there, in words.
pub(crate) fn describe(state: &KeyState) -> String {
    match state {
        KeyState::NotNeeded => "needs no key".into(),
        KeyState::Missing => "no key".into(),
        KeyState::Optional => "needs no key, takes one".into(),
        KeyState::Stored => "stored in the keychain".into(),
        KeyState::ThisRunOnly { reason } => format!("held for this run only: {reason}"),
        KeyState::Environment { variable } => format!("from {variable}"),
        KeyState::Unavailable { reason } => format!("unknown: {reason}"),
    }
}
