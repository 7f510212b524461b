//! What a user has chosen, and what the sources say of themselves: the settings page.

use std::collections::HashSet;
use std::time::Duration;

use secrecy::SecretString;
use weir_protocol::{
    FoundSource, ModelPrice, Settings, SettingsChange, SourceSettings, Theme, Thinking,
};

use super::{App, AppError};
use crate::clock;
use crate::secret::{Secrets, SourceSecrets};
use crate::source::catalogue;
use crate::source::{self, Connection, Exchange, Location, SOURCES, Sent, Source, SourceError};
use crate::store::{Reckon, StoreError};
use crate::turn::{LEARNED, interrupted};
use crate::value_search::Extent;

impl App {
    /// The settings page. The theme is the window's own and comes from it.
    pub async fn settings(&self, theme: Theme) -> Result<Settings, AppError> {
        let all = self.sources().await?;
        let mut sources = Vec::with_capacity(all.len());
        let keys = self.secrets.states(&all).await;
        for (number, (source, key)) in all.iter().zip(keys).enumerate() {
            sources.push(SourceSettings {
                name: source.name.to_owned(),
                label: source.label.to_owned(),
                model: self.model(source).await?,
                models: source
                    .models
                    .iter()
                    .map(|&model| model.to_owned())
                    .collect(),
                base_url: self.base_url(source).await?,
                local: source.location == Location::Here,
                own: number >= SOURCES.len(),
                provider_tools: source.offers.tools.to_vec(),
                takes_schema: source.offers.schema,
                key,
            });
        }
        Ok(Settings {
            source: self.configured_source().await?,
            thinking: self.thinking().await?,
            sources,
            theme,
            prices_as_of: catalogue::date().to_owned(),
            prices: self.own_prices().await?,
            budgets: self.budgets().await?,
        })
    }

    /// Keeps one change; the theme is the window's own and is not kept here.
    pub async fn change(&self, change: SettingsChange) -> Result<(), AppError> {
        let (name, value) = match change {
            SettingsChange::Source { source } => (
                "source".to_owned(),
                self.source(&source).await?.name.to_owned(),
            ),
            SettingsChange::Model { source, model } => (
                model_setting(self.source(&source).await?),
                model.trim().to_owned(),
            ),
            SettingsChange::BaseUrl { source, base_url } => (
                base_url_setting(self.source(&source).await?),
                source::plain_base_url(&base_url)?,
            ),
            SettingsChange::Thinking { thinking } => (THINKING.to_owned(), written(&thinking)?),
            SettingsChange::Theme { .. } => return Ok(()),
            SettingsChange::Price { price } => {
                let price = checked(price)?;
                let set = move |prices: &mut Vec<ModelPrice>| {
                    prices.retain(|own| own.model != price.model);
                    prices.push(price);
                    prices.sort_by(|a, b| a.model.cmp(&b.model));
                };
                return Ok(self.change_prices(set).await?);
            }
            SettingsChange::Budget { budget } => return self.set_budget(budget).await,
            SettingsChange::AddServer { server } => return self.add_server(&server).await,
            SettingsChange::RemoveServer { name } => return self.remove_server(&name).await,
            SettingsChange::RemoveBudget { budget } => {
                return self.remove_budget(&budget).await.map(drop);
            }
            SettingsChange::ForgetPrice { model } => {
                let forget = move |prices: &mut Vec<ModelPrice>| {
                    prices.retain(|own| own.model != model);
                };
                return Ok(self.change_prices(forget).await?);
            }
        };
        Ok(self.store.set_setting(name, value).await?)
    }

    /// The models a source has, asked from it.
    pub async fn models(&self, source: &str) -> Result<Vec<String>, AppError> {
        let source = self.source(source).await?;
        let key = self.secrets.key(source).await?;
        let connection = Connection {
            http: self.http.clone(),
            base_url: self.base_url(source).await?,
            secrets: SourceSecrets::new(key.as_ref()),
            key,
            sent: Sent::default(),
            exchange: Exchange::default(),
        };
        Ok(listed(source, connection).await?)
    }

    /// The sources whose servers run on this machine right now, with their models. No key is
    /// sent: whoever listens on a usual port need not be who it usually is.
    pub async fn found_here(&self) -> Result<Vec<FoundSource>, AppError> {
        let here = SOURCES
            .iter()
            .filter(|source| source.location == Location::Here);
        let looks = here.map(|source| async {
            let connection = Connection {
                http: self.http.clone(),
                base_url: self.base_url(source).await?,
                key: None,
                secrets: SourceSecrets::default(),
                sent: Sent::default(),
                exchange: Exchange::default(),
            };
            let answer = tokio::time::timeout(LOOK_AROUND, listed(source, connection)).await;
            let models = match answer {
                Ok(Ok(models)) => Some(models),
                // It is there, and wants its key first.
                Ok(Err(SourceError::Refused {
                    status: 401 | 403, ..
                })) => Some(Vec::new()),
                Ok(Err(_)) | Err(_) => None,
            };
            Ok::<_, AppError>(models.map(|models| FoundSource {
                name: source.name.to_owned(),
                models,
            }))
        });
        let found = futures_util::future::try_join_all(looks).await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Stores a key, or holds it for this run when the keychain will not; the settings say
    /// which.
    pub async fn set_key(&self, source: &str, key: SecretString) -> Result<(), AppError> {
        let source = self.source(source).await?;
        // Another account may get what this one was refused.
        self.store
            .set_setting(LEARNED.to_owned(), String::new())
            .await?;
        Ok(self.secrets.store_or_hold(source, key).await?)
    }

    pub async fn delete_key(&self, source: &str) -> Result<(), AppError> {
        Ok(self.secrets.delete(self.source(source).await?).await?)
    }

    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    pub(super) async fn configured_source(&self) -> Result<String, AppError> {
        Ok(self.chosen("source", SOURCES[0].name).await?)
    }

    pub(super) async fn model(&self, source: &Source) -> Result<String, StoreError> {
        let default = source.models.first().copied().unwrap_or_default();
        self.chosen(&model_setting(source), default).await
    }

    pub(super) async fn base_url(&self, source: &Source) -> Result<String, StoreError> {
        self.chosen(&base_url_setting(source), source.base_url)
            .await
    }

    pub(super) async fn thinking(&self) -> Result<Thinking, StoreError> {
        let stored = self.store.setting(THINKING).await?;
        Ok(stored
            .and_then(|value| serde_json::from_str(&value).ok())
            .unwrap_or_default())
    }

    /// Whether the user chose how much new sessions think.
    pub(super) async fn has_thinking(&self) -> Result<bool, StoreError> {
        Ok(self.store.setting(THINKING).await?.is_some())
    }

    /// With what is known of servers.
    pub(super) async fn exchange(&self) -> Result<Exchange, StoreError> {
        let stored = self.store.setting(LEARNED).await?;
        Ok(Exchange::load(stored.as_deref(), clock::now()))
    }

    pub(super) async fn own_prices(&self) -> Result<Vec<ModelPrice>, StoreError> {
        Ok(prices(self.store.setting(PRICES).await?))
    }

    async fn change_prices(
        &self,
        change: impl FnOnce(&mut Vec<ModelPrice>) + Send + 'static,
    ) -> Result<(), StoreError> {
        let update = |stored| {
            let mut prices = prices(stored);
            change(&mut prices);
            written(&prices).map(Some)
        };
        self.store.update_setting(PRICES, update).await.map(drop)
    }

    /// A setting, or the default where none was chosen.
    async fn chosen(&self, name: &str, default: &str) -> Result<String, StoreError> {
        let chosen = self.store.setting(name).await?;
        Ok(chosen
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| default.to_owned()))
    }
}

const THINKING: &str = "thinking";
const PRICES: &str = "prices";

/// How a step is counted that a killed Weir left half done.
pub(super) const RECKON: Reckon = Reckon {
    prices: PRICES,
    used: interrupted::used,
};

fn prices(stored: Option<String>) -> Vec<ModelPrice> {
    stored
        .and_then(|value| serde_json::from_str(&value).ok())
        .unwrap_or_default()
}

/// A server on this machine answers at once or is not there; a busy one may need a moment. Nothing
/// waits for the look.
const LOOK_AROUND: Duration = Duration::from_secs(5);

fn written(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::from)
}

fn checked(price: ModelPrice) -> Result<ModelPrice, AppError> {
    let ModelPrice {
        input,
        output,
        cache_read,
        cache_write,
        ..
    } = price;
    let numbers = [input, output, cache_read, cache_write];
    let fine = numbers.iter().all(|n| n.is_finite() && *n >= 0.0);
    let model = price.model.trim().to_owned();
    if fine && !model.is_empty() {
        Ok(ModelPrice { model, ..price })
    } else {
        Err(AppError::BadPrice)
    }
}

/// A source's models, each once, and nothing of the key in their names.
async fn listed(source: &Source, connection: Connection) -> Result<Vec<String>, SourceError> {
    let secrets = connection.secrets.clone();
    let names = source.api.models(connection).await?;
    let key = secrets.values();
    let mut seen = HashSet::new();
    let names = names.into_iter().filter(|name| !name.is_empty());
    Ok(names
        .map(|name| key.redact(name, Extent::Whole))
        .filter(|name| seen.insert(name.clone()))
        .collect())
}

/// What a server has loaded is what one who named no model means.
pub(super) async fn first_model(
    source: &'static Source,
    connection: Connection,
) -> Result<String, SourceError> {
    let models = listed(source, connection).await?;
    let label = source.label;
    models
        .into_iter()
        .next()
        .ok_or(SourceError::NoModelThere { label })
}

fn model_setting(source: &Source) -> String {
    format!("model.{}", source.name)
}

fn base_url_setting(source: &Source) -> String {
    format!("base_url.{}", source.name)
}
