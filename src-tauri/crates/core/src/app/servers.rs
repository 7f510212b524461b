//! The servers that the user added beside the sources that Weir brings.

use weir_protocol::CustomServer;

use super::{App, AppError};
use crate::secret::KeychainError;
use crate::source::custom::{self, MOST_SERVERS, ServerError};
use crate::source::{self, SOURCES, Source, SourceError};
use crate::store::StoreError;

const SERVERS: &str = "servers";

impl App {
    /// Every source there is: those that Weir brings, then the user's own.
    pub async fn sources(&self) -> Result<Vec<&'static Source>, AppError> {
        let servers = self.servers().await?;
        let own = servers.iter().map(custom::row);
        Ok(SOURCES.iter().copied().chain(own).collect())
    }

    pub async fn source(&self, name: &str) -> Result<&'static Source, AppError> {
        if let Ok(found) = source::source(name) {
            return Ok(found);
        }
        let servers = self.servers().await?;
        let server = servers.iter().find(|server| server.name == name);
        let server = server.ok_or_else(|| SourceError::Unknown(name.to_owned()))?;
        Ok(custom::row(server))
    }

    /// The servers that the user added. One that a later version would no longer accept is left
    /// out.
    pub async fn servers(&self) -> Result<Vec<CustomServer>, StoreError> {
        Ok(listed(self.store.setting(SERVERS).await?))
    }

    pub async fn add_server(&self, server: &CustomServer) -> Result<(), AppError> {
        let server = custom::checked(server)?;
        let name = server.name.clone();
        let (told, outcome) = std::sync::mpsc::sync_channel(1);
        let update = move |stored: Option<String>| {
            let mut servers = listed(stored);
            let taken = servers.iter().any(|it| it.name == server.name);
            let refused = if taken {
                Some(ServerError::Taken(server.name.clone()))
            } else if servers.len() >= MOST_SERVERS {
                Some(ServerError::TooMany)
            } else {
                servers.push(server);
                servers.sort_by(|a, b| a.name.cmp(&b.name));
                None
            };
            // Whoever asked may be gone.
            let _ = told.send(refused);
            serde_json::to_string(&servers)
                .map(Some)
                .map_err(StoreError::from)
        };
        self.store.update_setting(SERVERS, update).await?;
        match outcome.try_recv().ok().flatten() {
            Some(refused) => Err(refused.into()),
            // What an earlier server of this name had, this one does not.
            None => self.forget_server(&name).await,
        }
    }

    /// Removes a server with its key: another of the same name must not be sent it.
    pub async fn remove_server(&self, name: &str) -> Result<(), AppError> {
        let servers = self.servers().await?;
        let Some(server) = servers.iter().find(|server| server.name == name) else {
            return Err(ServerError::Missing(name.to_owned()).into());
        };
        let row = custom::row(server);
        // First the key: if that fails, the server is still there to try again.
        if self.has_stored_key(row).await? {
            self.secrets.delete(row).await?;
        }
        let gone = name.to_owned();
        let update = move |stored: Option<String>| {
            let mut servers = listed(stored);
            servers.retain(|server| server.name != gone);
            serde_json::to_string(&servers)
                .map(Some)
                .map_err(StoreError::from)
        };
        self.store.update_setting(SERVERS, update).await?;
        self.forget_server(name).await
    }

    /// Where there is no keychain, none is stored in it. One that refuses may hold a key.
    async fn has_stored_key(&self, row: &'static Source) -> Result<bool, KeychainError> {
        match self.secrets.is_stored(row).await {
            Err(KeychainError::Missing(_)) => Ok(false),
            asked => asked,
        }
    }

    /// What was chosen for a server of this name.
    async fn forget_server(&self, name: &str) -> Result<(), AppError> {
        for setting in [format!("model.{name}"), format!("base_url.{name}")] {
            self.store.set_setting(setting, String::new()).await?;
        }
        if self.configured_source().await? == name {
            let first = SOURCES[0].name.to_owned();
            self.store.set_setting("source".to_owned(), first).await?;
        }
        Ok(())
    }
}

fn listed(stored: Option<String>) -> Vec<CustomServer> {
    let servers: Vec<CustomServer> = stored
        .and_then(|value| serde_json::from_str(&value).ok())
        .unwrap_or_default();
    let servers = servers
        .iter()
        .filter_map(|server| custom::checked(server).ok());
    servers.take(MOST_SERVERS).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use weir_protocol::ServerKind;

    use super::*;
    use crate::secret::MemoryKeychain;

    async fn with_server(keychain: MemoryKeychain) -> (tempfile::TempDir, Arc<App>) {
        let folder = tempfile::tempdir().unwrap();
        let (app, _) = App::open(folder.path().join("weir"), Arc::new(keychain))
            .await
            .unwrap();
        let server = CustomServer {
            name: "mine".into(),
            kind: ServerKind::Openai,
            base_url: "http://127.0.0.1:9/v1".into(),
        };
        app.add_server(&server).await.unwrap();
        (folder, app)
    }

    /// Nobody can have stored a key where there is nothing to store it in.
    #[tokio::test]
    async fn a_server_can_be_removed_where_there_is_no_keychain() {
        let (_folder, app) = with_server(MemoryKeychain::missing()).await;
        app.remove_server("mine").await.unwrap();
        assert_eq!(app.servers().await.unwrap(), []);
    }

    #[tokio::test]
    async fn a_server_stays_where_its_key_cannot_be_removed() {
        let (_folder, app) = with_server(MemoryKeychain::locked()).await;
        assert!(app.remove_server("mine").await.is_err());
        assert_eq!(app.servers().await.unwrap().len(), 1);
    }
}
