//! The one table from what providers say of a failure to Weir's codes.
//!
//! What is said most exactly counts first: a code that means one thing, then the words of the
//! message, then a code that means many things, then the status.

use weir_protocol::code;

/// Codes that mean one thing, in lower case, whoever says them.
const EXACT: &[(&str, &[&str])] = &[
    // An agent's own budget.
    (code::BUDGET, &["error_max_budget_usd"]),
    (
        code::NO_CREDIT,
        &[
            "insufficient_quota",
            "billing_not_active",
            "billing_hard_limit_reached",
            "billing_error",
            "insufficient_balance",
            "insufficient_balance_error",
            "insufficient_credits",
            "insufficient_funds",
            "credit_balance_too_low",
            "payment_required",
            "payment_required_error",
            "exceeded_current_quota_error",
            "arrearage",
            "quota_exceeded",
            // Z.ai's number for an account in arrears.
            "1113",
        ],
    ),
    (
        code::CONTEXT_TOO_LONG,
        &[
            "context_length_exceeded",
            "context_window_exceeded",
            "contextwindowexceedederror",
            "context_too_long",
            "exceed_context_size_error",
            "model_max_prompt_tokens_exceeded",
            "max_prompt_tokens_exceeded",
            "request_too_large",
            "1261",
        ],
    ),
    (
        code::REFUSED,
        &[
            "content_policy_violation",
            "contentpolicyviolationerror",
            "content_policy",
            "content_filter",
            "content_filtered",
            "content_blocked",
            "responsibleaipolicyviolation",
            "policy_violation",
            "invalid_prompt",
            "cyber_policy_violation",
            "bio_policy",
            "moderation",
            "moderation_blocked",
            "image_content_policy_violation",
            "unsupported_country_region_territory",
            "data_inspection_failed",
            "datainspectionfailed",
            "prohibited_content",
            "sensitive_content",
            "refused",
            "1301",
        ],
    ),
    (
        code::MODEL_NOT_FOUND,
        &[
            "model_not_found",
            "model_not_found_error",
            "model_not_available",
            "model_decommissioned",
            "model_not_exist",
            "modelnotfound",
            "model_not_supported",
            "unknown_model",
            "invalid_model",
            "deploymentnotfound",
            "deployment_not_found",
            "1211",
        ],
    ),
    (
        code::INVALID_KEY,
        &[
            "authentication_error",
            "authenticationerror",
            "fatalauthenticationerror",
            "authentication_failed",
            "invalid_api_key",
            "api_key_invalid",
            "incorrect_api_key",
            "invalid_authentication",
            "invalid_authentication_error",
            "incorrect_api_key_error",
            "invalid_key",
            "wrong_api_key",
            "missing_api_key",
            "oauth_org_not_allowed",
            "unauthenticated",
            "unauthorized",
            "account_deactivated",
            "unrecognizedclientexception",
            "expiredtokenexception",
            "invalidsignatureexception",
            "invalidclienttokenid",
        ],
    ),
    (
        code::RATE_LIMITED,
        &[
            "rate_limit_error",
            "ratelimiterror",
            "resourceexhausted",
            "rate_limit_exceeded",
            "rate_limit_reached_error",
            "rate_limit",
            "ratelimitexceeded",
            "ratelimitreached",
            "rate_limited",
            "usage_limit_reached",
            "usage_limit_exceeded",
            "resource_exhausted",
            "too_many_requests",
            "toomanyrequests",
            "too_many_requests_error",
            "throttlingexception",
            "servicequotaexceededexception",
            "throttling",
            "throttling.ratequota",
            "throttling.allocationquota",
            "limit_requests",
            "limit_burst_rate",
            "1302",
            "1303",
            "1305",
        ],
    ),
    (
        code::OVERLOADED,
        &[
            "overloaded_error",
            "overloadederror",
            "serviceunavailableerror",
            "overloaded",
            "engine_overloaded",
            "engine_overloaded_error",
            "server_overloaded",
            "model_overloaded",
            "server_is_overloaded",
            "unavailable",
            "service_unavailable",
            "serviceunavailable",
            "service_unavailable_error",
            "serviceunavailableexception",
            "modelnotreadyexception",
            "service_tier_capacity_exceeded",
            "capacity_exceeded",
            "slow_down",
        ],
    ),
    (
        code::TIMEOUT,
        &[
            "timeout_error",
            "apitimeouterror",
            "timeouterror",
            "timeout",
            "request_timeout",
            "requesttimeout",
            "gateway_timeout",
            "deadline_exceeded",
            "modeltimeoutexception",
        ],
    ),
    (
        code::NETWORK,
        &["apiconnectionerror", "connectionerror", "network_error"],
    ),
];

/// Words of a message that mean one thing, in lower case: all of a row's parts have to be there.
const WORDS: &[(&str, &[&[&str]])] = &[
    (
        code::NO_CREDIT,
        &[
            &["credit balance is too low"],
            &["insufficient balance"],
            &["insufficient credits"],
            &["insufficient_quota"],
            &["insufficient account balance"],
            &["requires more credits"],
            &["requires at least", "credits"],
            &["more credits, or fewer max_tokens"],
            &["used all available credits"],
            // xAI, of a team that never bought any.
            &["doesn't have any credits"],
            &["does not have any credits"],
            &["run out of credits"],
            &["out of credits"],
            &["credits are depleted"],
            &["purchase more credits"],
            &["purchase credits"],
            &["monthly spending limit"],
            &["account is not active", "billing"],
            &["reached your specified api usage limits"],
            &["payment required"],
            &["account", "is suspended", "balance"],
            &["exceeded your monthly included credits"],
        ],
    ),
    (
        code::CONTEXT_TOO_LONG,
        &[
            &["prompt is too long"],
            &["prompt too long"],
            &["prompt exceeds max length"],
            &["input is too long"],
            &["input too long"],
            &["inputs are too long"],
            &["maximum context length"],
            &["max context length"],
            &["maximum prompt length"],
            &["maximum model length"],
            &["context length exceeded"],
            &["exceeds", "context length"],
            &["exceeded", "context length"],
            &["larger than", "context length"],
            &["context length of only"],
            &["exceed", "context window"],
            &["ran out of room", "context window"],
            &["exceed", "context limit"],
            &["exceed", "context size"],
            &["larger than", "context size"],
            &["input token count", "exceed"],
            &["exceeds the maximum number of tokens"],
            &["maximum allowed number of input tokens"],
            &["input tokens exceed"],
            &["too many input tokens"],
            &["too many tokens", "maximum"],
            &["exceeded model token limit"],
            &["range of input length should be"],
            &["tokens + `max_new_tokens` must be"],
            &["please reduce the length of the messages"],
            &["reduce the length of the prompt"],
            // More in one request than may be sent in a minute: waiting does not help.
            &["request too large for"],
            &["request exceeds the maximum size"],
            &["request_too_large"],
            &["context_length_exceeded"],
        ],
    ),
    (
        code::REFUSED,
        &[
            &["flagged", "usage policy"],
            &["violat", "usage policies"],
            &["violat", "content policy"],
            &["content management policy"],
            &["content filtering policy"],
            &["moderation", "flagged"],
            &["location is not supported"],
            &["country, region, or territory not supported"],
            &["potentially unsafe or sensitive content"],
            &["inappropriate content"],
            &["rejected as a result of our safety system"],
        ],
    ),
    (
        code::MODEL_NOT_FOUND,
        &[
            &["model", "does not exist"],
            &["model", "not found"],
            &["models/", "is not found"],
            &["model not exist"],
            &["not a valid model"],
            &["model identifier is invalid"],
            &["invalid model"],
            &["unknown model"],
            &["no such model"],
            &["no endpoints found for"],
            &["model", "decommissioned"],
            &["model", "has been deprecated"],
            &["model", "not supported when using"],
            &["deployment", "does not exist"],
            &["supported api model names are"],
            &["issue with the selected model"],
        ],
    ),
    (
        code::INVALID_KEY,
        &[
            &["api key not valid"],
            &["invalid api key"],
            &["incorrect api key"],
            &["invalid x-api-key"],
            &["api key is invalid"],
            &["api key expired"],
            &["api key was reported as leaked"],
            &["no auth credentials found"],
            &["security token", "is invalid"],
            &["invalid bearer token"],
            &["authentication fails"],
            &["please run /login"],
            &["401 unauthorized"],
        ],
    ),
    (
        code::OVERLOADED,
        &[
            &["is currently overloaded"],
            &["model is overloaded"],
            &["server overloaded"],
            &["server busy"],
            &["at capacity"],
            &["over capacity"],
            &["currently experiencing high demand"],
            &["overloaded_error"],
        ],
    ),
    (
        code::RATE_LIMITED,
        &[
            &["rate limit reached"],
            &["rate limit exceeded"],
            &["rate-limited"],
            &["rate_limit_error"],
            &["too many requests"],
            &["usage limit reached"],
            &["hit your usage limit"],
            &["hit your limit"],
            &["tokens per min"],
            &["requests per min"],
        ],
    ),
    (
        code::TIMEOUT,
        &[
            &["request timed out"],
            &["context deadline exceeded"],
            &["upstream request timeout"],
        ],
    ),
    (
        code::NETWORK,
        &[
            &["connection reset by peer"],
            &["connection refused"],
            &["stream disconnected before completion"],
            &["error sending request for url"],
            &["network error"],
        ],
    ),
];

/// Codes that say little; a status beside them says more.
const GENERIC: &[(&str, &[&str])] = &[
    (
        code::INVALID_KEY,
        &[
            "permission_error",
            "permissiondeniederror",
            "permission_denied",
            "permission_denied_error",
            "accessdeniedexception",
            "access_denied",
            "forbidden",
        ],
    ),
    (
        code::SERVER_ERROR,
        &[
            "api_error",
            "server_error",
            "internal_error",
            "internal_server_error",
            "internalservererror",
            "internalserverexception",
            "internalfailure",
            "internal",
            "modelerrorexception",
            "modelstreamerrorexception",
            "unknown_upstream_error",
            "bad_gateway",
            "data_loss",
        ],
    ),
    (
        code::INVALID_REQUEST,
        &[
            "invalid_request_error",
            "invalid_request",
            "invalid_argument",
            "invalid_value",
            "invalidparameter",
            "invalid_parameter_error",
            "failed_precondition",
            "out_of_range",
            "bad_request",
            "bad_request_error",
            "badrequest",
            "badrequesterror",
            "validation_error",
            "validationexception",
            "unprocessable_entity",
            "unsupported_parameter",
            "unsupported_value",
            "missing_required_parameter",
            "tool_use_failed",
            "json_validate_failed",
            "method_not_allowed",
            "not_found",
            "not_found_error",
            "notfounderror",
            "resourcenotfoundexception",
            "unimplemented",
        ],
    ),
];

/// What a provider's words mean. `codes` are all that it gave, in lower case.
pub(super) fn classify(codes: &[String], message: &str, status: Option<u16>) -> &'static str {
    let message = message.to_lowercase();
    let said = by_words(&message);
    // Some refuse a request that could never pass with the code of one that is too fast, and an
    // account without money too.
    if matches!(said, Some(code::CONTEXT_TOO_LONG | code::NO_CREDIT)) {
        return said.unwrap_or(code::SOURCE_FAILED);
    }
    by_code(EXACT, codes)
        .or(said)
        .or_else(|| model_not_found(codes, &message, status))
        .or_else(|| status.and_then(by_status))
        .or_else(|| status_in(&message).and_then(by_status))
        .or_else(|| by_code(GENERIC, codes))
        .unwrap_or(code::SOURCE_FAILED)
}

fn by_code(
    table: &[(&'static str, &'static [&'static str])],
    codes: &[String],
) -> Option<&'static str> {
    let is_said = |known: &&str| codes.iter().any(|code| code == known);
    let row = table.iter().find(|(_, known)| known.iter().any(is_said))?;
    Some(row.0)
}

fn by_words(message: &str) -> Option<&'static str> {
    let says = |parts: &&[&str]| parts.iter().all(|part| message.contains(part));
    let row = WORDS.iter().find(|(_, rows)| rows.iter().any(says))?;
    Some(row.0)
}

/// What is not found where a model was asked for is the model, if the message speaks of one;
/// otherwise the address is wrong.
fn model_not_found(codes: &[String], message: &str, status: Option<u16>) -> Option<&'static str> {
    const MISSING: [&str; 4] = [
        "not_found",
        "not_found_error",
        "notfounderror",
        "resourcenotfoundexception",
    ];
    let is_missing =
        status == Some(404) || codes.iter().any(|code| MISSING.contains(&code.as_str()));
    (is_missing && message.contains("model")).then_some(code::MODEL_NOT_FOUND)
}

fn by_status(status: u16) -> Option<&'static str> {
    Some(match status {
        401 | 403 => code::INVALID_KEY,
        402 => code::NO_CREDIT,
        408 | 504 | 522 | 524 => code::TIMEOUT,
        // Another request holds what this one needs.
        409 | 425 => code::OVERLOADED,
        429 => code::RATE_LIMITED,
        451 => code::REFUSED,
        503 | 529 => code::OVERLOADED,
        400..=499 => code::INVALID_REQUEST,
        500..=599 => code::SERVER_ERROR,
        _ => return None,
    })
}

/// The status that a message names: agents put the provider's answer into a sentence.
fn status_in(message: &str) -> Option<u16> {
    let marks = [
        "api error: ",
        "status code ",
        "status ",
        "status: ",
        "error code: ",
        "http ",
    ];
    marks.iter().find_map(|mark| {
        let (_, rest) = message.split_once(mark)?;
        let digits = rest.get(..3)?;
        let ends = !rest
            .get(3..4)
            .is_some_and(|next| next.as_bytes()[0].is_ascii_digit());
        let status = digits
            .parse()
            .ok()
            .filter(|status| (400..600).contains(status));
        status.filter(|_| ends)
    })
}
