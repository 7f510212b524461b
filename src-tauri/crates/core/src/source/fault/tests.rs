//! Error bodies as providers publish them or users report them, each with Weir's word for it.

mod answers;
mod streams;

use std::time::Duration;

use weir_protocol::code;

use super::*;
use crate::source::Quiet;

#[test]
fn what_passes_is_asked_again_and_what_lasts_is_not() {
    let passing = [
        code::RATE_LIMITED,
        code::OVERLOADED,
        code::SERVER_ERROR,
        code::TIMEOUT,
        code::NETWORK,
        code::STREAM_CUT,
    ];
    let lasting = [
        code::NO_CREDIT,
        code::INVALID_KEY,
        code::CONTEXT_TOO_LONG,
        code::MODEL_NOT_FOUND,
        code::REFUSED,
        code::INVALID_REQUEST,
        code::SOURCE_FAILED,
        code::BAD_RESPONSE,
        code::FRAME_TOO_LARGE,
        "",
        "a code that nobody knows",
    ];
    for code in passing {
        assert_eq!(
            Failure::told(ErrorBody::new(code, "No.")).fault,
            Fault::Passing,
            "{code}"
        );
    }
    for code in lasting {
        assert_eq!(
            Failure::told(ErrorBody::new(code, "No.")).fault,
            Fault::Lasting,
            "{code}"
        );
    }
}

/// Silence has been waited for already, unlike a timeout of the provider's.
#[test]
fn silence_is_a_timeout_that_is_not_asked_again() {
    let failure = Failure::from(SourceError::Silent {
        quiet: Quiet::Dead,
        after: Duration::from_secs(180),
    });
    assert_eq!(failure.error.code, code::TIMEOUT);
    assert_eq!(failure.fault, Fault::Lasting);
}

#[test]
fn statuses_alone_have_a_meaning() {
    let cases = [
        (400, code::INVALID_REQUEST),
        (401, code::INVALID_KEY),
        (402, code::NO_CREDIT),
        (403, code::INVALID_KEY),
        (404, code::INVALID_REQUEST),
        (408, code::TIMEOUT),
        (409, code::OVERLOADED),
        (413, code::INVALID_REQUEST),
        (418, code::INVALID_REQUEST),
        (422, code::INVALID_REQUEST),
        (429, code::RATE_LIMITED),
        (451, code::REFUSED),
        (500, code::SERVER_ERROR),
        (502, code::SERVER_ERROR),
        (503, code::OVERLOADED),
        (504, code::TIMEOUT),
        (520, code::SERVER_ERROR),
        (524, code::TIMEOUT),
        (529, code::OVERLOADED),
    ];
    for (status, expected) in cases {
        let page = "<html><body>No.</body></html>";
        let body = Reported::answer(status, page, "").unwrap();
        assert_eq!(body.code, expected, "{status}");
        assert_eq!(body.details.unwrap().status, Some(status));
    }
    assert_eq!(Reported::answer(200, "{\"models\":[]}", ""), None);
}

#[test]
fn details_keep_the_providers_own_words_within_bounds() {
    let long = "x".repeat(100_000);
    let many: Vec<_> = (0..1_000)
        .map(|number| serde_json::json!({"reason": format!("R{number}{long}")}))
        .collect();
    let error = serde_json::json!({"error": {"code": long, "type": "t", "param": long,
        "message": "No.", "details": many, "metadata": {"raw": long}}});
    let mut body = Reported::new("No.").with_fields(&error).body();
    check(&mut body, &|text| text);
    clip(&mut body);
    let longest = LONGEST_CODE + '…'.len_utf8();
    let details = body.details.unwrap();
    assert!(details.code.unwrap().len() <= longest);
    assert!(details.param.unwrap().len() <= longest);
    assert!(details.message.unwrap().len() <= LONGEST_MESSAGE + '…'.len_utf8());
    let plain = serde_json::json!({"error": {"type": "invalid_request_error",
        "code": "unsupported_value", "param": "temperature", "message": "Unsupported value."}});
    let body = Reported::answer(400, &plain.to_string(), "").unwrap();
    let details = body.details.unwrap();
    assert_eq!(details.code.as_deref(), Some("unsupported_value"));
    assert_eq!(details.message.as_deref(), Some("Unsupported value."));
    assert_eq!(details.status, Some(400));
    assert_eq!(details.param.as_deref(), Some("temperature"));
}
