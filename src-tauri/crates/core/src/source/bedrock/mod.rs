//! Amazon Bedrock: the Converse API, for all models that it serves. What comes back is
//! [`mapper`]'s business.
//!
//! A request is signed with the user's AWS keys, which are never sent themselves, or carries a
//! Bedrock API key. The region is part of the address.

pub(crate) mod mapper;
mod request;
mod sigv4;

use futures_util::FutureExt;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde_json::Value;

use self::sigv4::{Scope, Signed, Unsigned};
use super::adapt::{self, Part};
use super::dialect::json::{items, text};
use super::http::{self, Call};
use super::{
    Api, Connection, KeyNeed, Listing, Location, Offers, Opening, Source, SourceError, StepRequest,
};
use crate::clock;
use crate::secret::composite::{AwsCredentials, AwsKeys};

pub(crate) static SOURCE: Source = Source {
    name: "bedrock",
    label: "Amazon Bedrock",
    dialect: &mapper::DIALECT,
    models: &[
        "global.anthropic.claude-sonnet-5-5",
        "global.anthropic.claude-opus-5-5",
        "global.anthropic.claude-haiku-5-5",
        "global.amazon.nova-2-lite-v1:0",
        "openai.gpt-oss-120b-1:0",
    ],
    base_url: "https://bedrock-runtime.us-east-1.amazonaws.com",
    location: Location::Cloud,
    key: KeyNeed::Wanted {
        account: "bedrock",
        variable: API_KEY_VARIABLE,
    },
    offers: Offers::SCHEMA,
    api: &Converse,
};

/// Where the key comes from when the keychain has none: this one, or the three of AWS.
pub(crate) const API_KEY_VARIABLE: &str = "AWS_BEARER_TOKEN_BEDROCK";
pub(crate) const AWS_VARIABLES: [&str; 3] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
];

/// The AWS keys of the environment in the form of a stored key; nothing without the first two.
pub(crate) fn joined_variables(value: impl Fn(&str) -> Option<String>) -> Option<SecretString> {
    let [id, secret, token] = AWS_VARIABLES.map(|name| value(name).unwrap_or_default());
    let keys = AwsKeys::new(id.trim(), secret.trim(), token.trim()).ok()?;
    Some(AwsCredentials::Signing(keys).written())
}

const SERVICE: &str = "bedrock";
const DEFAULT_REGION: &str = "us-east-1";
const JSON: &str = "application/json";

/// What is given up where the server refuses it.
const PARTS: &[Part] = &[Part::SignedThinking];

struct Converse;

impl Api for Converse {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let model = path_of(&request.model)?;
            let path = format!("/model/{model}/converse-stream");
            let url = http::endpoint(&connection.base_url, &path)?;
            let mut request = request;
            request::fit_call_ids(&mut request);
            let mut notes = Vec::new();
            let body = request::body(&request, &mut notes);
            connection.exchange.note_all(notes);
            let call = |body: &[u8]| {
                let signing = Signing {
                    method: "POST",
                    content_type: Some(JSON),
                    body,
                };
                call(&connection, url.clone(), &signing)
            };
            let framing = mapper::DIALECT.framing;
            adapt::stream(&connection, &request.model, call, body, framing, PARTS).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move {
            let models = listed(&connection, "/foundation-models", "modelSummaries").await?;
            // Most newer models are asked through a profile; not everybody may list those.
            let profiles = "/inference-profiles?maxResults=1000";
            let profiles = listed(&connection, profiles, "inferenceProfileSummaries").await;
            let profiles = profiles.unwrap_or_default();
            let profiles = profiles
                .iter()
                .map(|it| text(it, "inferenceProfileId").to_owned());
            let models = models.iter().filter(|model| chats(model));
            let models = models.map(|model| text(model, "modelId").to_owned());
            Ok(profiles.chain(models).collect())
        }
        .boxed()
    }

    fn stored_key(&self, key: &SecretString) -> Result<SecretString, &'static str> {
        Ok(AwsCredentials::parse(key)?.written())
    }
}

/// Lists are kept by another server than the one that is asked for replies.
async fn listed(
    connection: &Connection,
    path: &str,
    field: &str,
) -> Result<Vec<Value>, SourceError> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut url = http::endpoint(&connection.base_url, path)?;
    let host = url.host_str().unwrap_or_default();
    let host = host.replacen("bedrock-runtime", SERVICE, 1);
    // A host with other letters in it is a host all the same.
    let _ = url.set_host(Some(&host));
    if !query.is_empty() {
        url.set_query(Some(query));
    }
    let signing = Signing {
        method: "GET",
        content_type: None,
        body: b"",
    };
    call(connection, url, &signing)?.list(field).await
}

fn chats(model: &Value) -> bool {
    let writes = items(&model["outputModalities"])
        .iter()
        .any(|it| it == "TEXT");
    let streams = model["responseStreamingSupported"]
        .as_bool()
        .unwrap_or(true);
    let kinds = items(&model["inferenceTypesSupported"]);
    let on_demand = kinds.is_empty() || kinds.iter().any(|it| it == "ON_DEMAND");
    (writes || model["outputModalities"].is_null()) && streams && on_demand
}

/// What of a request is signed beside its address.
struct Signing<'a> {
    method: &'static str,
    content_type: Option<&'static str>,
    body: &'a [u8],
}

fn call<'a>(
    connection: &'a Connection,
    url: reqwest::Url,
    signing: &Signing<'_>,
) -> Result<Call<'a>, SourceError> {
    let mut headers = HeaderMap::new();
    let accepted = HeaderValue::from_static("application/vnd.amazon.eventstream, application/json");
    headers.insert(ACCEPT, accepted);
    let Some(key) = &connection.key else {
        return Ok(Call {
            connection,
            url,
            headers,
        });
    };
    let label = SOURCE.label;
    let bad_key = |reason| SourceError::BadKey { label, reason };
    match AwsCredentials::parse(key).map_err(bad_key)? {
        AwsCredentials::ApiKey(key) => headers.extend(http::bearer(Some(&key))?),
        AwsCredentials::Signing(keys) => sign(&mut headers, &url, signing, &keys)?,
    }
    Ok(Call {
        connection,
        url,
        headers,
    })
}

fn sign(
    headers: &mut HeaderMap,
    url: &reqwest::Url,
    signing: &Signing<'_>,
    keys: &AwsKeys,
) -> Result<(), SourceError> {
    let signed_headers: Vec<(&str, &str)> = signing
        .content_type
        .map(|kind| ("content-type", kind))
        .into_iter()
        .collect();
    let request = Unsigned {
        method: signing.method,
        url,
        headers: &signed_headers,
        body: signing.body,
    };
    let scope = Scope {
        keys,
        region: region(url.host_str().unwrap_or_default()),
        service: SERVICE,
        now: clock::now(),
    };
    let Signed {
        date,
        authorization,
    } = sigv4::sign(&request, &scope);
    headers.insert("x-amz-date", http::sensitive(&date.into())?);
    headers.insert(AUTHORIZATION, http::sensitive(&authorization.into())?);
    if let Some(token) = &keys.session_token {
        headers.insert("x-amz-security-token", http::sensitive(token)?);
    }
    Ok(())
}

/// The region that an address names: what follows the service in it.
fn region(host: &str) -> &str {
    let mut labels = host.split('.');
    let named = labels.find(|label| {
        matches!(
            *label,
            "bedrock" | "bedrock-runtime" | "bedrock-fips" | "bedrock-runtime-fips"
        )
    });
    let region = named.and_then(|_| labels.next());
    region
        .filter(|region| region.contains('-'))
        .unwrap_or(DEFAULT_REGION)
}

/// A model's name stands in the address: as one segment of its path, encoded.
fn path_of(model: &str) -> Result<String, SourceError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
    let is_dots = model.chars().all(|c| c == '.');
    if !is_dots && model.chars().all(plain) {
        Ok(sigv4::encoded(model))
    } else {
        Err(SourceError::BadModel(model.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_is_in_the_address() {
        for (host, expected) in [
            ("bedrock-runtime.eu-central-1.amazonaws.com", "eu-central-1"),
            ("bedrock.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
            ("bedrock-runtime-fips.us-west-2.amazonaws.com", "us-west-2"),
            ("bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"),
            (
                "vpce-1.bedrock-runtime.ap-south-1.vpce.amazonaws.com",
                "ap-south-1",
            ),
            ("127.0.0.1", "us-east-1"),
            ("proxy.example.com", "us-east-1"),
        ] {
            assert_eq!(region(host), expected, "{host}");
        }
    }

    #[test]
    fn a_model_is_one_segment_of_the_path() {
        let arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x:0";
        let encoded =
            "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.x%3A0";
        assert_eq!(path_of(arn).unwrap(), encoded);
        for bad in ["", ".", "..", "a b", "a?b", "a#b", "a%2f", "猫"] {
            assert!(path_of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_environment_of_aws_makes_a_key() {
        let id = ["AKIA", "Q7ZK4M2XW9PL5RTY"].concat();
        let secret = "x9Qm/2Lr+7Tz4Wc8Vb1Nk6Jh3Gf5Ds0Pa9Ou2Iy7";
        let both = |name: &str| match name {
            "AWS_ACCESS_KEY_ID" => Some(id.clone()),
            "AWS_SECRET_ACCESS_KEY" => Some(secret.to_owned()),
            _ => None,
        };
        assert!(joined_variables(both).is_some());
        assert!(joined_variables(|name| both(name).filter(|_| name.ends_with("_ID"))).is_none());
        assert!(joined_variables(|_| None).is_none());
    }
}
