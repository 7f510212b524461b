//! Google Cloud's Vertex AI: Gemini and Claude under a project of the user's.
//!
//! The requests and the streams are those of Gemini's and Anthropic's own APIs; what differs is
//! where they go and how they prove who asks ([`token`]).

mod token;

use futures_util::FutureExt;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde_json::Value;
use weir_protocol::ProviderTool;

use super::adapt::{self, Part};
use super::call_ids;
use super::dialect::Dialect;
use super::dialect::json::text;
use super::http::{self, Call};
use super::{
    Api, Connection, KeyNeed, Listing, Location, Offers, Opening, Source, SourceError, StepRequest,
    anthropic, gemini,
};
use crate::secret::composite::GoogleCredentials;

const BASE_URL: &str = "https://aiplatform.googleapis.com";
const KEY: KeyNeed = KeyNeed::Wanted {
    account: "vertex",
    variable: "VERTEXAI_CREDENTIALS",
};

pub(crate) static GEMINI: Source = Source {
    name: "vertex",
    label: "Vertex AI",
    dialect: &gemini::mapper::DIALECT,
    models: &[
        "gemini-4-argon",
        "gemini-3.8-flash",
        "gemini-3.5-flash-lite",
    ],
    base_url: BASE_URL,
    location: Location::Cloud,
    key: KEY,
    offers: Offers {
        tools: &[ProviderTool::WebSearch, ProviderTool::CodeExecution],
        schema: true,
    },
    api: &Vertex {
        publisher: "google",
        method: "streamGenerateContent",
        query: Some("alt=sse"),
        body: gemini::body,
        parts: &[],
        call_ids: None,
        dialect: &gemini::mapper::DIALECT,
    },
};

pub(crate) static CLAUDE: Source = Source {
    name: "vertex-claude",
    label: "Claude on Vertex AI",
    dialect: &anthropic::mapper::DIALECT,
    models: &["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"],
    offers: Offers {
        tools: &[ProviderTool::WebSearch],
        schema: false,
    },
    api: &Vertex {
        publisher: "anthropic",
        method: "streamRawPredict",
        query: None,
        body: claude_body,
        parts: anthropic::PARTS,
        call_ids: Some(call_ids::ANTHROPIC),
        dialect: &anthropic::mapper::DIALECT,
    },
    base_url: BASE_URL,
    location: Location::Cloud,
    key: KEY,
};

/// How the models of one publisher are asked.
struct Vertex {
    publisher: &'static str,
    method: &'static str,
    query: Option<&'static str>,
    body: fn(&StepRequest, &mut Vec<String>) -> Value,
    parts: &'static [Part],
    call_ids: Option<call_ids::Rule>,
    dialect: &'static Dialect,
}

/// The model is in the address, and the version of the API in the body.
fn claude_body(request: &StepRequest, notes: &mut Vec<String>) -> Value {
    let mut body = anthropic::body(request, notes);
    if let Some(fields) = body.as_object_mut() {
        fields.remove("model");
        fields.insert("anthropic_version".into(), "vertex-2023-10-16".into());
    }
    body
}

impl Api for Vertex {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let mut request = request;
            let model = &plain_name(&request.model)?.to_owned();
            let credentials = credentials(&connection)?;
            let place = place(&connection.base_url, credentials.as_ref())?;
            let Self {
                publisher, method, ..
            } = self;
            let path = format!("{place}/publishers/{publisher}/models/{model}:{method}");
            let mut url = http::endpoint(&host_of(&connection.base_url), &path)?;
            url.set_query(self.query);
            let headers = authorized(&connection, credentials.as_ref()).await?;
            let call = |_: &[u8]| {
                Ok(Call {
                    connection: &connection,
                    url: url.clone(),
                    headers: headers.clone(),
                })
            };
            if let Some(rule) = self.call_ids {
                call_ids::fit(&mut request.messages, rule);
            }
            let mut notes = Vec::new();
            let body = (self.body)(&request, &mut notes);
            connection.exchange.note_all(notes);
            let framing = self.dialect.framing;
            let answer = adapt::stream(&connection, model, call, body, framing, self.parts).await;
            if let Err(SourceError::Refused { status: 401, .. }) = &answer {
                token::forget(connection.key.as_ref());
            }
            answer
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move {
            let credentials = credentials(&connection)?;
            let path = format!("/v1beta1/publishers/{}/models", self.publisher);
            let mut url = http::endpoint(&host_of(&connection.base_url), &path)?;
            url.set_query(Some("pageSize=300"));
            let mut headers = authorized(&connection, credentials.as_ref()).await?;
            if let Some(GoogleCredentials::ServiceAccount(account)) = &credentials
                && let Some(project) = account.project_id.as_deref().and_then(plain_part)
                && let Ok(project) = project.parse()
            {
                headers.insert("x-goog-user-project", project);
            }
            let call = Call {
                connection: &connection,
                url,
                headers,
            };
            let listed = call.list("publisherModels").await?;
            let name = |model: &Value| text(model, "name").rsplit('/').next().map(str::to_owned);
            let names = listed.iter().filter_map(name);
            Ok(names.filter(|name| chats(name)).collect())
        }
        .boxed()
    }

    fn stored_key(&self, key: &SecretString) -> Result<SecretString, &'static str> {
        let credentials = GoogleCredentials::parse(key)?;
        if let GoogleCredentials::ServiceAccount(account) = &credentials {
            token::check(account)?;
        }
        Ok(credentials.written())
    }
}

/// Publishers also list what embeds, draws and speaks.
fn chats(name: &str) -> bool {
    const OTHERWISE: [&str; 6] = ["embedding", "imagen", "veo", "-tts", "-image", "-live"];
    let named = name.starts_with("gemini") || name.starts_with("claude");
    named && !OTHERWISE.iter().any(|word| name.contains(word))
}

fn credentials(connection: &Connection) -> Result<Option<GoogleCredentials>, SourceError> {
    let Some(key) = &connection.key else {
        return Ok(None);
    };
    let label = GEMINI.label;
    let parsed = GoogleCredentials::parse(key);
    parsed
        .map(Some)
        .map_err(|reason| SourceError::BadKey { label, reason })
}

async fn authorized(
    connection: &Connection,
    credentials: Option<&GoogleCredentials>,
) -> Result<HeaderMap, SourceError> {
    match credentials {
        None => Ok(HeaderMap::new()),
        Some(GoogleCredentials::Token(token)) => http::bearer(Some(token)),
        Some(GoogleCredentials::ServiceAccount(account)) => {
            let token = token::of(connection, account).await?;
            http::bearer(Some(&token))
        }
    }
}

/// The address without its path.
fn host_of(base_url: &str) -> String {
    match reqwest::Url::parse(base_url.trim()) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => base_url.to_owned(),
    }
}

/// The project and the location to ask: from the address, where it names them; else the project
/// is the service account's, and the location is the one in the name of the host.
fn place(base_url: &str, credentials: Option<&GoogleCredentials>) -> Result<String, SourceError> {
    let url = http::endpoint(base_url, "")?;
    let path = url.path().trim_end_matches('/');
    let path = path.split("/publishers").next().unwrap_or_default();
    if path.contains("/projects/") {
        return Ok(path.to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    let location = host.strip_suffix("-aiplatform.googleapis.com");
    let location = location.unwrap_or("global");
    let project = match credentials {
        Some(GoogleCredentials::ServiceAccount(account)) => account.project_id.as_deref(),
        Some(GoogleCredentials::Token(_)) | None => None,
    };
    let project = project.and_then(plain_part).ok_or(SourceError::NoAddress {
        name: GEMINI.name,
        label: GEMINI.label,
        example: "https://aiplatform.googleapis.com/v1/projects/YOUR-PROJECT/locations/global",
    })?;
    Ok(format!("/v1/projects/{project}/locations/{location}"))
}

/// A part of the address that can be nothing else.
fn plain_part(part: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let dots = part.chars().all(|c| c == '.');
    (!dots && part.chars().all(plain)).then_some(part)
}

/// Models may carry a version after an `@`.
fn plain_name(model: &str) -> Result<&str, SourceError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    if !model.is_empty() && model.chars().all(plain) {
        Ok(model)
    } else {
        Err(SourceError::BadModel(model.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::request::example;

    fn account(project: &str) -> GoogleCredentials {
        let account = serde_json::json!({
            "type": "service_account", "client_email": "a@b", "private_key": "x",
            "token_uri": "https://oauth2.googleapis.com/token", "project_id": project,
        });
        GoogleCredentials::parse(&SecretString::from(account.to_string())).unwrap()
    }

    #[test]
    fn the_place_is_in_the_address_or_in_the_key() {
        let whole =
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/";
        assert_eq!(
            place(whole, None).unwrap(),
            "/v1/projects/p/locations/europe-west1"
        );
        let with_publisher = format!("{whole}publishers/google");
        assert_eq!(
            place(&with_publisher, None).unwrap(),
            "/v1/projects/p/locations/europe-west1"
        );
        let mine = account("mine");
        let placed = |base_url: &str| place(base_url, Some(&mine)).unwrap();
        assert_eq!(placed(BASE_URL), "/v1/projects/mine/locations/global");
        let region = "https://us-central1-aiplatform.googleapis.com";
        assert_eq!(placed(region), "/v1/projects/mine/locations/us-central1");
        let Err(missing) = place(BASE_URL, None) else {
            panic!("no project is known");
        };
        assert!(missing.to_string().contains("YOUR-PROJECT"), "{missing}");
        assert!(place(BASE_URL, Some(&account("../other"))).is_err());
        assert!(place(BASE_URL, Some(&account(".."))).is_err());
    }

    #[test]
    fn claude_names_the_version_in_the_body_and_not_the_model() {
        let body = claude_body(&example("claude-sonnet-5-5"), &mut Vec::new());
        assert_eq!(body["anthropic_version"], "vertex-2023-10-16");
        assert_eq!(body.get("model"), None);
        assert_eq!(body["stream"], true);
    }
}
