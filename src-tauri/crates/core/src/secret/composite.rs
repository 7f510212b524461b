//! Keys that consist of several parts: what a user may paste, the one form in which it is
//! stored, and which of its parts are secret.
//!
//! Owns the forms of AWS credentials and of Google's service accounts. Knows nothing of how they
//! are used. No error of this module repeats any part of what it was given.

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

/// Credentials for Amazon's services.
pub(crate) enum AwsCredentials {
    /// A key for Bedrock alone, sent as it is.
    ApiKey(SecretString),
    /// Never sent: requests are signed with it.
    Signing(AwsKeys),
}

pub(crate) struct AwsKeys {
    pub(crate) id: String,
    pub(crate) secret: SecretString,
    pub(crate) session_token: Option<SecretString>,
}

/// Credentials for Google Cloud.
pub(crate) enum GoogleCredentials {
    /// An access token, which ends within the hour.
    Token(SecretString),
    ServiceAccount(ServiceAccount),
}

pub(crate) struct ServiceAccount {
    pub(crate) client_email: String,
    pub(crate) project_id: Option<String>,
    pub(crate) private_key_id: Option<String>,
    /// In PEM.
    pub(crate) private_key: SecretString,
    pub(crate) token_uri: String,
}

const AWS_FORMS: &str = "it takes a Bedrock API key, `ACCESS_KEY_ID:SECRET_ACCESS_KEY` with `:SESSION_TOKEN` after it for temporary ones, or the JSON or the lines that AWS shows.";
const GOOGLE_FORMS: &str = "it takes the JSON of a service account's key, or an access token.";
const NO_SERVICE_ACCOUNT: &str = "this JSON is no key of a service account: it wants the fields type, client_email, private_key and token_uri.";

/// Names of the same field in JSON, in `~/.aws/credentials` and in the environment, without case
/// and underscores.
const ID_NAMES: [&str; 2] = ["accesskeyid", "awsaccesskeyid"];
const SECRET_NAMES: [&str; 2] = ["secretaccesskey", "awssecretaccesskey"];
const TOKEN_NAMES: [&str; 3] = ["sessiontoken", "awssessiontoken", "awssecuritytoken"];

impl AwsCredentials {
    pub(crate) fn parse(key: &SecretString) -> Result<Self, &'static str> {
        let text = key.expose_secret().trim();
        if text.starts_with('{') {
            let fields = serde_json::from_str(text).map_err(|_| AWS_FORMS)?;
            return AwsKeys::from_json(&fields).map(Self::Signing);
        }
        if text.contains('=') && text.lines().any(|line| assigned(line, &ID_NAMES).is_some()) {
            return AwsKeys::from_lines(text).map(Self::Signing);
        }
        if text.contains(char::is_whitespace) || text.is_empty() {
            return Err(AWS_FORMS);
        }
        match text.split(':').collect::<Vec<_>>()[..] {
            [_] => Ok(Self::ApiKey(SecretString::from(text))),
            [id, secret] => AwsKeys::new(id, secret, "").map(Self::Signing),
            [id, secret, token] => AwsKeys::new(id, secret, token).map(Self::Signing),
            _ => Err(AWS_FORMS),
        }
    }

    /// As it is stored.
    pub(crate) fn written(&self) -> SecretString {
        match self {
            Self::ApiKey(key) => key.clone(),
            Self::Signing(keys) => {
                let mut text = format!("{}:{}", keys.id, keys.secret.expose_secret());
                if let Some(token) = &keys.session_token {
                    text.push(':');
                    text.push_str(token.expose_secret());
                }
                text.into()
            }
        }
    }
}

impl AwsKeys {
    pub(crate) fn new(id: &str, secret: &str, token: &str) -> Result<Self, &'static str> {
        let fine = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b':')
        };
        if !is_aws_id(id) || secret.len() < 16 || !fine(secret) || !fine(token) {
            return Err(AWS_FORMS);
        }
        Ok(Self {
            id: id.to_owned(),
            secret: secret.into(),
            session_token: (!token.is_empty()).then(|| token.into()),
        })
    }

    /// With the fields at the top, or below `Credentials`.
    fn from_json(fields: &Value) -> Result<Self, &'static str> {
        let fields = fields.get("Credentials").unwrap_or(fields);
        let fields = fields.as_object().ok_or(AWS_FORMS)?;
        let find = |names: &[&str]| {
            let mut named = fields.iter().filter(|(name, _)| is_named(name, names));
            named
                .find_map(|(_, value)| value.as_str())
                .unwrap_or_default()
        };
        Self::new(find(&ID_NAMES), find(&SECRET_NAMES), find(&TOKEN_NAMES))
    }

    fn from_lines(text: &str) -> Result<Self, &'static str> {
        let find = |names: &[&str]| {
            let mut values = text.lines().filter_map(|line| assigned(line, names));
            values.next().unwrap_or_default()
        };
        Self::new(find(&ID_NAMES), find(&SECRET_NAMES), find(&TOKEN_NAMES))
    }
}

fn is_named(name: &str, names: &[&str]) -> bool {
    let plain: String = name.chars().filter(|it| it.is_alphanumeric()).collect();
    names.contains(&plain.to_ascii_lowercase().as_str())
}

/// The value that a line gives to one of these names: `NAME=value`, with what shells add.
fn assigned<'a>(line: &'a str, names: &[&str]) -> Option<&'a str> {
    let line = line.trim().trim_end_matches(';');
    let line = ["export ", "set ", "SET ", "$Env:", "$env:"]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let value = value.trim().trim_matches(['"', '\'']);
    is_named(name.trim(), names).then_some(value)
}

fn is_aws_id(id: &str) -> bool {
    (16..=128).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

impl GoogleCredentials {
    pub(crate) fn parse(key: &SecretString) -> Result<Self, &'static str> {
        let text = key.expose_secret().trim();
        if !text.starts_with('{') {
            let is_token = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
            return if is_token {
                Ok(Self::Token(text.into()))
            } else {
                Err(GOOGLE_FORMS)
            };
        }
        let fields: Value = serde_json::from_str(text).map_err(|_| GOOGLE_FORMS)?;
        let field = |name: &str| {
            let value = fields[name].as_str().map(str::trim);
            value.filter(|value| !value.is_empty())
        };
        let (Some("service_account"), Some(client_email), Some(private_key), Some(token_uri)) = (
            field("type"),
            field("client_email"),
            field("private_key"),
            field("token_uri"),
        ) else {
            return Err(NO_SERVICE_ACCOUNT);
        };
        Ok(Self::ServiceAccount(ServiceAccount {
            client_email: client_email.to_owned(),
            project_id: field("project_id").map(str::to_owned),
            private_key_id: field("private_key_id").map(str::to_owned),
            private_key: private_key.into(),
            token_uri: token_uri.to_owned(),
        }))
    }

    /// As it is stored: without the fields that nobody needs.
    pub(crate) fn written(&self) -> SecretString {
        let account = match self {
            Self::Token(token) => return token.clone(),
            Self::ServiceAccount(account) => account,
        };
        let mut fields = Map::new();
        let mut put = |name: &str, value: &str| fields.insert(name.to_owned(), value.into());
        put("type", "service_account");
        put("client_email", &account.client_email);
        put("private_key", account.private_key.expose_secret());
        put("token_uri", &account.token_uri);
        if let Some(project) = &account.project_id {
            put("project_id", project);
        }
        if let Some(id) = &account.private_key_id {
            put("private_key_id", id);
        }
        Value::Object(fields).to_string().into()
    }
}

/// What of a key is secret by itself, beside the whole of it.
pub(super) fn secret_parts(key: &str) -> Vec<String> {
    let whole = SecretString::from(key);
    if let Ok(AwsCredentials::Signing(keys)) = AwsCredentials::parse(&whole) {
        let token = keys.session_token.as_ref().map(ExposeSecret::expose_secret);
        let parts = [keys.id.as_str(), keys.secret.expose_secret()];
        return parts.into_iter().chain(token).map(str::to_owned).collect();
    }
    if !key.starts_with('{') {
        return Vec::new();
    }
    // A file that is not whole may hold a private key all the same.
    let fields: Value = serde_json::from_str(key).unwrap_or_default();
    let secret = [
        "private_key",
        "private_key_id",
        "client_secret",
        "refresh_token",
    ];
    let values = secret.iter().filter_map(|name| fields[*name].as_str());
    values.map(without_frame).collect()
}

/// The body of a PEM block: its first and last line are the same in all of them.
fn without_frame(value: &str) -> String {
    let body = value.lines().filter(|line| !line.starts_with("-----"));
    body.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "x9Qm/2Lr+7Tz4Wc8Vb1Nk6Jh3Gf5Ds0Pa9Ou2Iy7";

    fn id() -> String {
        ["ASIA", "Q7ZK4M2XW9PL5RTY"].concat()
    }

    #[test]
    fn every_form_that_aws_shows_is_stored_alike() {
        let id = id();
        let forms = [
            format!("{id}:{SECRET}:tok/en+=="),
            format!(
                r#"{{"accessKeyId":"{id}","secretAccessKey":"{SECRET}","sessionToken":"tok/en+=="}}"#
            ),
            format!(
                r#"{{"Credentials": {{"AccessKeyId": "{id}", "SecretAccessKey": "{SECRET}", "SessionToken": "tok/en+==", "Expiration": "2026-11-18T00:00:00Z"}}}}"#
            ),
            format!(
                "export AWS_ACCESS_KEY_ID=\"{id}\"\nexport AWS_SECRET_ACCESS_KEY=\"{SECRET}\"\nexport AWS_SESSION_TOKEN=\"tok/en+==\"\n"
            ),
            format!(
                "[default]\naws_access_key_id = {id}\naws_secret_access_key = {SECRET}\naws_session_token = tok/en+==\n"
            ),
            format!(
                "$Env:AWS_ACCESS_KEY_ID=\"{id}\"\r\n$Env:AWS_SECRET_ACCESS_KEY=\"{SECRET}\"\r\n$Env:AWS_SESSION_TOKEN=\"tok/en+==\""
            ),
        ];
        for form in &forms {
            let parsed = AwsCredentials::parse(&form.as_str().into());
            let written = parsed.map(|it| it.written().expose_secret().to_owned());
            assert_eq!(written.as_ref(), Ok(&forms[0]), "{form}");
        }
        let pair = AwsCredentials::parse(&format!("{id}:{SECRET}").into());
        assert!(matches!(
            pair,
            Ok(AwsCredentials::Signing(AwsKeys {
                session_token: None,
                ..
            }))
        ));
        let bearer = AwsCredentials::parse(&"bedrock-api-key-Zm9v==".into());
        assert!(matches!(bearer, Ok(AwsCredentials::ApiKey(_))));
    }

    #[test]
    fn what_is_no_key_is_refused_in_a_sentence_that_repeats_nothing_of_it() {
        let id = id();
        let bad = [
            String::new(),
            "two words".into(),
            format!("{id}:short"),
            format!("lower:{SECRET}"),
            format!("{id}:{SECRET}:token:more"),
            format!("{id}:{SECRET} :token"),
            "{".into(),
            format!(r#"{{"accessKeyId":"{id}"}}"#),
            format!("AWS_ACCESS_KEY_ID={id}"),
        ];
        for text in bad {
            let parsed = AwsCredentials::parse(&text.as_str().into());
            let Err(reason) = parsed else {
                panic!("{text:?} was taken");
            };
            assert!(!reason.contains(&id) && !reason.contains(SECRET));
        }
        for text in [
            "",
            "a b",
            "{",
            r#"{"type":"authorized_user","refresh_token":"x"}"#,
        ] {
            assert!(GoogleCredentials::parse(&text.into()).is_err(), "{text:?}");
        }
    }
}
