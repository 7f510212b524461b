//! Servers that the user added: each a source of its own, with a name, an address and a key.
//!
//! Owns what a server may be called and how it becomes a row like those of [`super::SOURCES`].
//! Rows live as long as the program, since a turn may still be using one that was removed; the
//! same server is always the same row, so a program holds as many as the user ever named.

use std::sync::{Mutex, PoisonError};

use weir_protocol::{CustomServer, ServerKind};

use crate::repeated::repeated;

use super::{
    KeyNeed, Location, SOURCES, Source, SourceError, anthropic, openai_chat, openai_responses,
    plain_base_url,
};

/// More is no list that anybody reads.
pub(crate) const MOST_SERVERS: usize = 50;
const LONGEST_NAME: usize = 40;

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(
        "{} cannot be the name of a server: it takes 1 to 40 small letters, digits, dots, dashes and underscores, and begins with a letter or a digit.",
        repeated(.0).unwrap_or_else(|| "That".to_owned())
    )]
    BadName(String),
    #[error("{0:?} is the name of a source that Weir brings. Choose another name.")]
    BuiltIn(String),
    #[error("There is a server {} already. Remove it first, its key goes with it.", super::repeated(.0))]
    Taken(String),
    #[error("There is no server {}. `weir sources list` names those that you added.", super::repeated(.0))]
    Missing(String),
    #[error("There are {MOST_SERVERS} servers already. Remove one first.")]
    TooMany,
    #[error(transparent)]
    Address(#[from] SourceError),
}

/// A server as it is stored: with a name that shadows nothing, and the address as it will be
/// asked.
pub(crate) fn checked(server: &CustomServer) -> Result<CustomServer, ServerError> {
    let name = server.name.trim().to_owned();
    let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let rest = |c: char| first(c) || matches!(c, '-' | '_' | '.');
    let fine = name.len() <= LONGEST_NAME && name.starts_with(first) && name.chars().all(rest);
    if SOURCES
        .iter()
        .any(|source| source.name.eq_ignore_ascii_case(&name))
    {
        return Err(ServerError::BuiltIn(name));
    }
    if !fine {
        return Err(ServerError::BadName(name));
    }
    let base_url = plain_base_url(&server.base_url)?;
    if base_url.is_empty() {
        return Err(SourceError::BadBaseUrl(base_url).into());
    }
    Ok(CustomServer {
        name,
        kind: server.kind,
        base_url,
    })
}

/// The row of a server.
pub(crate) fn row(server: &CustomServer) -> &'static Source {
    static ROWS: Mutex<Vec<&'static Source>> = Mutex::new(Vec::new());
    let Source {
        dialect,
        api,
        offers,
        ..
    } = *like(server.kind);
    // A list of finished rows is whole even if somebody panicked while holding it.
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |row: &&&'static Source| {
        row.name == server.name
            && row.base_url == server.base_url
            && std::ptr::eq(row.dialect, dialect)
    };
    if let Some(row) = rows.iter().find(same) {
        return row;
    }
    let name = leaked(&server.name);
    let row: &'static Source = Box::leak(Box::new(Source {
        name,
        label: name,
        dialect,
        models: &[],
        base_url: leaked(&server.base_url),
        location: Location::Cloud,
        key: KeyNeed::Optional {
            // No source that Weir brings has such an account.
            account: leaked(&format!("server.{}", server.name)),
            // Variables are read before anybody knows of the servers.
            variable: "",
        },
        offers,
        api,
    }));
    rows.push(row);
    row
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// The source that a server is asked like.
fn like(kind: ServerKind) -> &'static Source {
    match kind {
        ServerKind::Openai => &openai_chat::relatives::COMPATIBLE,
        ServerKind::Responses => &openai_responses::SOURCE,
        ServerKind::Anthropic => &anthropic::SOURCE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(name: &str) -> CustomServer {
        CustomServer {
            name: name.into(),
            kind: ServerKind::Openai,
            base_url: "http://127.0.0.1:9/v1".into(),
        }
    }

    #[test]
    fn a_name_shadows_nothing_and_is_easy_to_type() {
        for good in ["mine", "a", "box-2", "gpu.local", "0_0"] {
            assert!(checked(&server(good)).is_ok(), "{good}");
        }
        for source in SOURCES {
            let shadow = checked(&server(source.name));
            assert!(
                matches!(shadow, Err(ServerError::BuiltIn(_))),
                "{}",
                source.name
            );
            let loud = source.name.to_ascii_uppercase();
            assert!(
                matches!(checked(&server(&loud)), Err(ServerError::BuiltIn(_))),
                "{loud}"
            );
        }
        let long = "x".repeat(41);
        for bad in [
            "",
            "-a",
            ".a",
            "A",
            "a b",
            "a/b",
            "a:b",
            "ä",
            "a\u{200b}",
            &long,
        ] {
            assert!(
                matches!(checked(&server(bad)), Err(ServerError::BadName(_))),
                "{bad:?}"
            );
        }
        let nowhere = CustomServer {
            base_url: " ".into(),
            ..server("mine")
        };
        assert!(matches!(checked(&nowhere), Err(ServerError::Address(_))));
    }

    #[test]
    fn the_same_server_is_the_same_row() {
        let one = row(&server("same"));
        assert!(std::ptr::eq(one, row(&server("same"))));
        let moved = CustomServer {
            base_url: "http://127.0.0.1:10/v1".into(),
            ..server("same")
        };
        assert!(!std::ptr::eq(one, row(&moved)));
        assert_eq!(one.key.account(), Some("server.same"));
    }
}
