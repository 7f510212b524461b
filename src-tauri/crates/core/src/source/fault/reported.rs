//! Reads what a source says of its failure, in whatever shape it comes.

use serde_json::Value;
use weir_protocol::{ErrorBody, ErrorDetails};

use super::vocabulary::classify;

/// What a source said of a failure, whole: it may hold a key, and half a key looks like none.
/// [`super::clip`] shortens it once it has been checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reported {
    /// Its codes, types and reasons, the most telling first.
    codes: Vec<String>,
    /// What a gateway passes on of the provider behind it.
    upstream: Option<String>,
    message: String,
    status: Option<u16>,
    param: Option<String>,
    retry_after: Option<u32>,
}

/// Where a code may stand, the most telling first.
const CODES: [&str; 8] = [
    "code",
    "type",
    "status",
    "error_type",
    "reason",
    "name",
    "__type",
    "subtype",
];
const STATUSES: [&str; 4] = ["status", "status_code", "code", "http_code"];
/// Words in those places that are no codes: every error has them.
const NO_CODES: [&str; 9] = [
    "",
    "error",
    "errors",
    "failed",
    "exception",
    "result",
    "success",
    "fatal",
    "event",
];
/// More are not read, of whatever somebody nests.
const MOST_CODES: usize = 16;
/// No text is searched further.
const LONGEST_TEXT: usize = 16_000;
/// What is longer is no sentence.
const LONGEST_LINE: usize = 300;

impl Reported {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// What the body of an HTTP answer says; `None` for a success in which nothing is said of an
    /// error. The message is empty where there are no words. `error_type` is what a header names.
    pub(crate) fn answer(status: u16, body: &str, error_type: &str) -> Option<ErrorBody> {
        const MESSAGES: [&str; 8] = [
            "/error/message",
            "/error_description",
            "/error",
            "/message",
            "/Message",
            "/detail",
            "/detail/message",
            "/detail/0/msg",
        ];
        let parsed: Value = serde_json::from_str(body).unwrap_or_default();
        // Some wrap their only error in a list.
        let error = parsed.get(0).unwrap_or(&parsed);
        let words = MESSAGES.iter().find_map(|at| error.pointer(at)?.as_str());
        let words = words.or_else(|| plain_line(body));
        if words.is_none() && (200..300).contains(&status) {
            return None;
        }
        let reported = Self::new(words.unwrap_or_default())
            .with_status(status)
            .with_fields(error)
            .with_code(error_type);
        Some(reported.body())
    }

    /// With the code of a place that only its dialect knows.
    pub(crate) fn with_code(mut self, code: &str) -> Self {
        self.add_code(code);
        self
    }

    /// With the status of the answer; of a success it says nothing.
    pub(crate) fn with_status(mut self, status: u16) -> Self {
        if (400..600).contains(&status) {
            self.status = Some(status);
        }
        self
    }

    /// With what an error's object says beside its message; `error` may be the object itself or
    /// what it is wrapped in.
    pub(crate) fn with_fields(mut self, error: &Value) -> Self {
        for object in [
            &error["error"],
            error,
            &error["response"]["error"],
            &error["data"],
        ] {
            self.read(object);
        }
        self
    }

    fn read(&mut self, object: &Value) {
        if !object.is_object() {
            return;
        }
        for field in CODES {
            match &object[field] {
                Value::String(code) => self.add_code(code),
                Value::Number(code) if !is_status(code.as_u64()) => {
                    self.add_code(&code.to_string());
                }
                Value::Number(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Array(_)
                | Value::Object(_) => {}
            }
        }
        for field in STATUSES {
            let status = match &object[field] {
                Value::Number(status) => status.as_u64().and_then(|it| u16::try_from(it).ok()),
                Value::String(status) => status.parse().ok(),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
            };
            if self.status.is_none() {
                self.status = status.filter(|status| (400..600).contains(status));
            }
        }
        if self.param.is_none() {
            self.param = object["param"].as_str().map(str::to_owned);
        }
        // Azure says inside what a filter found, Google the reason and the wait in its details.
        if let Some(code) = object["innererror"]["code"].as_str() {
            self.add_code(code);
        }
        for detail in object["details"]
            .as_array()
            .into_iter()
            .flatten()
            .take(MOST_CODES)
        {
            if let Some(reason) = detail["reason"].as_str() {
                self.add_code(reason);
            }
            self.retry_after = self.retry_after.or_else(|| retry_delay(detail));
        }
        self.read_upstream(&object["metadata"]);
    }

    /// OpenRouter wraps what the provider behind it said, often as JSON in a text.
    fn read_upstream(&mut self, metadata: &Value) {
        if let Some(kind) = metadata["error_type"].as_str() {
            self.add_code(kind);
        }
        let raw = match &metadata["raw"] {
            Value::String(raw) => raw.clone(),
            Value::Object(_) => metadata["raw"].to_string(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return,
        };
        let parsed: Value = serde_json::from_str(&raw).unwrap_or_default();
        for object in [&parsed["error"], &parsed] {
            for field in CODES {
                if let Some(code) = object[field].as_str() {
                    self.add_code(code);
                }
            }
        }
        let said = parsed["error"]["message"].as_str();
        let said = said.or_else(|| parsed["message"].as_str());
        self.upstream = Some(said.map_or(raw.clone(), str::to_owned));
    }

    fn add_code(&mut self, code: &str) {
        // The names of events are none either.
        let is_code = !NO_CODES.contains(&code.to_ascii_lowercase().as_str())
            && !code.ends_with(".failed")
            && !code.ends_with(".error");
        if is_code && self.codes.len() < MOST_CODES && !self.codes.iter().any(|it| it == code) {
            self.codes.push(code.to_owned());
        }
    }

    /// Weir's code for it, with what the source said as message and as details.
    pub(crate) fn body(self) -> ErrorBody {
        // `ThrottlingException:http://…` is how AWS writes its codes, `com.amazon…#Name` too.
        let plain = |code: &String| {
            let code = code
                .rsplit_once('#')
                .map_or(code.as_str(), |(_, name)| name);
            let code = code.split_once(":http").map_or(code, |(name, _)| name);
            code.to_lowercase()
        };
        let codes: Vec<String> = self.codes.iter().map(plain).collect();
        let upstream = self.upstream.as_deref().unwrap_or_default();
        let text = format!("{}\n{}", head(&self.message), head(upstream));
        let code = classify(&codes, &text, self.status);
        let own = self.upstream.filter(|said| !said.is_empty());
        let details = ErrorDetails {
            code: self.codes.into_iter().next(),
            message: own
                .or_else(|| Some(self.message.clone()))
                .filter(|it| !it.is_empty()),
            status: self.status,
            param: self.param,
        };
        ErrorBody {
            retry_after: self.retry_after,
            details: Some(Box::new(details)),
            ..ErrorBody::new(code, self.message)
        }
    }
}

/// The first line of an answer that is neither JSON nor a page.
fn plain_line(body: &str) -> Option<&str> {
    let line = body.trim().lines().next()?;
    let plain = !line.starts_with(['{', '[', '<']) && line.len() <= LONGEST_LINE;
    (plain && !line.is_empty()).then_some(line)
}

fn is_status(number: Option<u64>) -> bool {
    number.is_some_and(|number| (400..600).contains(&number))
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_TEXT))
        .unwrap_or(text)
}

/// `34.5s`, in whole seconds that are long enough.
fn retry_delay(detail: &Value) -> Option<u32> {
    let delay = detail["retryDelay"].as_str()?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    (seconds >= 0.0).then(|| seconds.ceil() as u32)
}
