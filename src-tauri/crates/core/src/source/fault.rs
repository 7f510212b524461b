//! Whether a failure passes by itself, so that asking once more may help.
//!
//! Owns the table of statuses, and of the words that providers have for the same things inside a
//! stream that began well. Past this module a failure is passing or lasting, whoever told it.

use std::time::Duration;

use weir_protocol::{ErrorBody, code};

use super::SourceError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The network, or a server that has too much to do just now.
    Passing,
    /// The same question would get the same answer.
    Lasting,
}

/// A step that failed: what to tell, and whether it is worth asking again.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) fault: Fault,
    /// How long the source wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) error: ErrorBody,
}

impl Failure {
    /// One that the source told inside its stream.
    pub(crate) fn told(error: ErrorBody) -> Self {
        Self {
            fault: of_code(&error.code),
            retry_after: error
                .retry_after
                .map(|seconds| Duration::from_secs(u64::from(seconds))),
            error,
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let fault = match &error {
            SourceError::Unreachable { .. }
            | SourceError::Broken(_)
            | SourceError::Silent { .. }
            | SourceError::Slept => Fault::Passing,
            SourceError::Refused { status, code, .. } => of_refusal(*status, code),
            SourceError::Unknown(_)
            | SourceError::NoKey { .. }
            | SourceError::BadBaseUrl(_)
            | SourceError::NoStream { .. }
            | SourceError::Redirected { .. }
            | SourceError::NoModels { .. }
            | SourceError::BadModel(_)
            | SourceError::NoModelThere { .. } => Fault::Lasting,
        };
        let retry_after = if let SourceError::Refused { retry_after, .. } = &error {
            *retry_after
        } else {
            None
        };
        Self {
            fault,
            retry_after,
            error: error.body(),
        }
    }
}

/// An account without money is refused with the status of one that is too fast.
const NO_MONEY: &[&str] = &["insufficient_quota", "billing_not_active"];

fn of_refusal(status: u16, code: &str) -> Fault {
    if NO_MONEY.contains(&code) {
        Fault::Lasting
    } else if (200..300).contains(&status) {
        of_code(code)
    } else {
        of_status(status)
    }
}

fn of_status(status: u16) -> Fault {
    match status {
        408 | 409 | 429 | 500..=599 => Fault::Passing,
        _ => Fault::Lasting,
    }
}

/// What a code inside a stream means: a word of Weir's, a status as text, or a provider's word.
fn of_code(code: &str) -> Fault {
    let number = code.strip_prefix("http_").unwrap_or(code);
    if let Ok(status) = number.parse() {
        return of_status(status);
    }
    match code {
        code::NETWORK
        | code::STREAM_CUT
        | "api_error"
        | "overloaded"
        | "overloaded_error"
        | "rate_limit_error"
        | "rate_limit_exceeded"
        | "timeout_error"
        | "server_error"
        | "internal_error"
        | "internal_server_error"
        | "service_unavailable"
        | "INTERNAL"
        | "UNAVAILABLE"
        | "RESOURCE_EXHAUSTED"
        | "DEADLINE_EXCEEDED" => Fault::Passing,
        _ => Fault::Lasting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_pass_or_last() {
        let passing = [408, 409, 429, 500, 502, 503, 504, 520, 529];
        let lasting = [
            0, 300, 307, 400, 401, 402, 403, 404, 405, 413, 418, 422, 451,
        ];
        for status in passing {
            assert_eq!(of_refusal(status, "x"), Fault::Passing, "{status}");
        }
        for status in lasting {
            assert_eq!(of_refusal(status, "x"), Fault::Lasting, "{status}");
        }
        for code in NO_MONEY {
            assert_eq!(of_refusal(429, code), Fault::Lasting, "{code}");
        }
        assert_eq!(of_refusal(200, "overloaded_error"), Fault::Passing);
        assert_eq!(of_refusal(200, "bad_response"), Fault::Lasting);
    }

    #[test]
    fn words_inside_a_stream_pass_or_last() {
        let passing = [
            "overloaded_error",
            "api_error",
            "rate_limit_exceeded",
            "server_error",
            "UNAVAILABLE",
            "529",
            "http_503",
            code::STREAM_CUT,
        ];
        let lasting = [
            "invalid_request_error",
            "authentication_error",
            "INVALID_ARGUMENT",
            "insufficient_quota",
            "400",
            "http_401",
            "",
            code::BAD_RESPONSE,
            code::FRAME_TOO_LARGE,
        ];
        for code in passing {
            let failure = Failure::told(ErrorBody::new(code, "No."));
            assert_eq!(failure.fault, Fault::Passing, "{code}");
        }
        for code in lasting {
            let failure = Failure::told(ErrorBody::new(code, "No."));
            assert_eq!(failure.fault, Fault::Lasting, "{code}");
        }
    }
}
