//! HTTP answers: provider, status, body, and what it is.

use weir_protocol::code::*;

use super::*;

type Row = (&'static str, u16, &'static str, &'static str);

#[rustfmt::skip]
const ANSWERS: &[Row] = &[
    // Anthropic
    ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: Field required"},"request_id":"req_1"}"#, INVALID_REQUEST),
    ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 207535 tokens > 200000 maximum"}}"#, CONTEXT_TOO_LONG),
    ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again"}}"#, CONTEXT_TOO_LONG),
    ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}"#, NO_CREDIT),
    ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}"#, NO_CREDIT),
    ("anthropic", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#, REFUSED),
    ("anthropic", 401, r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#, INVALID_KEY),
    ("anthropic", 402, r#"{"type":"error","error":{"type":"billing_error","message":"There's an issue with your billing or payment information."}}"#, NO_CREDIT),
    ("anthropic", 403, r#"{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}"#, INVALID_KEY),
    ("anthropic", 404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-of-yesteryear"}}"#, MODEL_NOT_FOUND),
    ("anthropic", 413, r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}"#, CONTEXT_TOO_LONG),
    ("anthropic", 429, r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute."}}"#, RATE_LIMITED),
    ("anthropic", 500, r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#, SERVER_ERROR),
    ("anthropic", 504, r#"{"type":"error","error":{"type":"timeout_error","message":"The request timed out while processing."}}"#, TIMEOUT),
    ("anthropic", 529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, OVERLOADED),
    // OpenAI
    ("openai", 400, r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130241 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#, CONTEXT_TOO_LONG),
    ("openai", 400, r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#, CONTEXT_TOO_LONG),
    ("openai", 400, r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}"#, REFUSED),
    ("openai", 400, r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}"#, INVALID_REQUEST),
    ("openai", 400, r#"{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}"#, INVALID_REQUEST),
    ("openai", 401, r#"{"error":{"message":"Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#, INVALID_KEY),
    ("openai", 403, r#"{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}"#, REFUSED),
    ("openai", 403, r#"{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: model.request.","type":"invalid_request_error","param":null,"code":null}}"#, INVALID_KEY),
    ("openai", 404, r#"{"error":{"message":"The model `gpt-99` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#, MODEL_NOT_FOUND),
    ("openai", 429, r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#, NO_CREDIT),
    ("openai", 429, r#"{"error":{"message":"Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#, RATE_LIMITED),
    ("openai", 429, r#"{"error":{"message":"Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 39000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#, CONTEXT_TOO_LONG),
    ("openai", 429, r#"{"error":{"message":"Your account is not active, please check your billing details on our website.","type":"billing_not_active","param":null,"code":"billing_not_active"}}"#, NO_CREDIT),
    ("openai", 500, r#"{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}"#, SERVER_ERROR),
    ("openai", 503, r#"{"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error","param":null,"code":null}}"#, OVERLOADED),
    ("openai", 503, r#"{"error":{"message":"Slow down.","type":"server_error","param":null,"code":"slow_down"}}"#, OVERLOADED),
    // Azure OpenAI
    ("azure", 400, r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#, REFUSED),
    ("azure", 401, r#"{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}"#, INVALID_KEY),
    ("azure", 404, r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#, MODEL_NOT_FOUND),
    ("azure", 404, r#"{"error":{"code":"404","message":"Resource not found"}}"#, INVALID_REQUEST),
    ("azure", 429, r#"{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current OpenAI S0 pricing tier."}}"#, RATE_LIMITED),
    ("azure", 429, r#"{"error":{"code":"RateLimitReached","message":"Your requests have exceeded the rate limit."}}"#, RATE_LIMITED),
    // Gemini and Vertex
    ("gemini", 400, r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#, INVALID_KEY),
    ("gemini", 400, r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#, CONTEXT_TOO_LONG),
    ("gemini", 400, r#"{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#, REFUSED),
    ("gemini", 400, r#"{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"foo\": Cannot find field.","status":"INVALID_ARGUMENT"}}"#, INVALID_REQUEST),
    ("gemini", 403, r#"{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}"#, INVALID_KEY),
    ("gemini", 403, r#"{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}"#, INVALID_KEY),
    ("gemini", 404, r#"[{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}]"#, MODEL_NOT_FOUND),
    ("gemini", 429, r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17s"}]}}"#, RATE_LIMITED),
    ("gemini", 429, r#"{"error":{"code":429,"message":"Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.","status":"RESOURCE_EXHAUSTED"}}"#, NO_CREDIT),
    ("gemini", 500, r#"{"error":{"code":500,"message":"An internal error has occurred. Please retry.","status":"INTERNAL"}}"#, SERVER_ERROR),
    ("gemini", 503, r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#, OVERLOADED),
    ("gemini", 504, r#"{"error":{"code":504,"message":"Deadline expired before operation could complete.","status":"DEADLINE_EXCEEDED"}}"#, TIMEOUT),
    ("vertex", 404, r#"[{"error":{"code":404,"message":"Publisher Model `projects/p/locations/us/publishers/google/models/gemini-9` was not found or your project does not have access to it.","status":"NOT_FOUND"}}]"#, MODEL_NOT_FOUND),
    ("vertex", 401, r#"[{"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}]"#, INVALID_KEY),
    // OpenRouter
    ("openrouter", 400, r#"{"error":{"message":"nobody/model is not a valid model ID","code":400},"user_id":"u"}"#, MODEL_NOT_FOUND),
    ("openrouter", 401, r#"{"error":{"message":"No auth credentials found","code":401}}"#, INVALID_KEY),
    ("openrouter", 402, r#"{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1432.","code":402}}"#, NO_CREDIT),
    ("openrouter", 403, r#"{"error":{"message":"Your chosen model requires moderation and your input was flagged","code":403,"metadata":{"reasons":["violence"],"flagged_input":"..."}}}"#, REFUSED),
    ("openrouter", 404, r#"{"error":{"message":"No endpoints found for foo/bar.","code":404}}"#, MODEL_NOT_FOUND),
    ("openrouter", 400, r#"{"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 60000 tokens.","code":400}}"#, CONTEXT_TOO_LONG),
    ("openrouter", 429, r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"foo/bar is temporarily rate-limited upstream. Please retry shortly","provider_name":"X"}}}"#, RATE_LIMITED),
    ("openrouter", 400, r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}","provider_name":"Anthropic"}}}"#, CONTEXT_TOO_LONG),
    ("openrouter", 502, r#"{"error":{"message":"Provider returned error","code":502}}"#, SERVER_ERROR),
    // DeepSeek
    ("deepseek", 400, r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#, MODEL_NOT_FOUND),
    ("deepseek", 401, r#"{"error":{"message":"Authentication Fails, Your api key is invalid","type":"authentication_error","param":null,"code":"invalid_request_error"}}"#, INVALID_KEY),
    ("deepseek", 402, r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#, NO_CREDIT),
    ("deepseek", 422, r#"{"error":{"message":"Failed to deserialize the JSON body","type":"invalid_request_error"}}"#, INVALID_REQUEST),
    ("deepseek", 503, r#"{"error":{"message":"Service is too busy","type":"server_error"}}"#, OVERLOADED),
    // Groq
    ("groq", 413, r#"{"error":{"message":"Request too large for model `openai/gpt-oss-120b` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 9541, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}"#, CONTEXT_TOO_LONG),
    ("groq", 400, r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#, CONTEXT_TOO_LONG),
    ("groq", 400, r#"{"error":{"message":"The model `llama2-70b-4096` has been decommissioned and is no longer supported.","type":"invalid_request_error","code":"model_decommissioned"}}"#, MODEL_NOT_FOUND),
    ("groq", 400, r#"{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function"}}"#, INVALID_REQUEST),
    ("groq", 401, r#"{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}"#, INVALID_KEY),
    ("groq", 429, r#"{"error":{"message":"Rate limit reached for model `x` on requests per minute (RPM): Limit 30, Used 30, Requested 1. Please try again in 2s.","type":"requests","code":"rate_limit_exceeded"}}"#, RATE_LIMITED),
    ("groq", 503, r#"{"error":{"message":"Service Unavailable","type":"internal_server_error"}}"#, OVERLOADED),
    ("groq", 498, r#"{"error":{"message":"Flex tier capacity exceeded","type":"internal_server_error","code":"capacity_exceeded"}}"#, OVERLOADED),
    // Mistral
    ("mistral", 400, r#"{"object":"error","message":"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_invalid_args","param":null,"code":"3051"}"#, CONTEXT_TOO_LONG),
    ("mistral", 400, r#"{"object":"error","message":"Invalid model: mistral-nothing","type":"invalid_model","param":null,"code":"1500"}"#, MODEL_NOT_FOUND),
    ("mistral", 401, r#"{"detail":"Unauthorized"}"#, INVALID_KEY),
    ("mistral", 422, r#"{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}"#, INVALID_REQUEST),
    ("mistral", 429, r#"{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}"#, OVERLOADED),
    ("mistral", 429, r#"{"message":"Requests rate limit exceeded"}"#, RATE_LIMITED),
    // xAI
    ("xai", 400, r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}"#, CONTEXT_TOO_LONG),
    ("xai", 400, r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***23. You can obtain an API key from https://console.x.ai."}"#, INVALID_KEY),
    ("xai", 403, r#"{"code":"The caller does not have permission to execute the specified operation","error":"Your team has either used all available credits or reached its monthly spending limit."}"#, NO_CREDIT),
    ("xai", 403, r#"{"code":"The caller does not have permission to execute the specified operation","error":"Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai."}"#, NO_CREDIT),
    ("xai", 403, r#"{"code":"The caller does not have permission to execute the specified operation","error":"Your team doesn't have any credits."}"#, NO_CREDIT),
    ("xai", 404, r#"{"code":"Some requested entity was not found","error":"The model grok-99 does not exist or your team does not have access to it."}"#, MODEL_NOT_FOUND),
    ("xai", 429, r#"{"code":"Some resource has been exhausted","error":"Too many requests for team."}"#, RATE_LIMITED),
    // Bedrock
    ("bedrock", 400, r#"{"message":"Input is too long for requested model."}"#, CONTEXT_TOO_LONG),
    ("bedrock", 400, r#"{"message":"The provided model identifier is invalid."}"#, MODEL_NOT_FOUND),
    ("bedrock", 403, r#"{"message":"The security token included in the request is invalid."}"#, INVALID_KEY),
    ("bedrock", 429, r#"{"__type":"com.amazon.coral.availability#ThrottlingException","message":"Too many tokens, please wait before trying again."}"#, RATE_LIMITED),
    ("bedrock", 400, r#"{"__type":"com.amazonaws.bedrock#ServiceQuotaExceededException","message":"Your account has reached the quota for this model."}"#, RATE_LIMITED),
    // Others that speak chat completions
    ("cerebras", 400, r#"{"message":"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}"#, CONTEXT_TOO_LONG),
    ("cerebras", 429, r#"{"message":"Requests per minute limit exceeded - too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}"#, RATE_LIMITED),
    ("together", 402, r#"{"error":{"message":"Credit limit exceeded, please navigate to the billing page.","type":"invalid_request_error","code":null}}"#, NO_CREDIT),
    ("together", 422, r#"{"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens","type":"invalid_request_error"}}"#, CONTEXT_TOO_LONG),
    ("fireworks", 412, r#"{"error":{"object":"error","type":"invalid_request_error","message":"Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices."}}"#, NO_CREDIT),
    ("fireworks", 404, r#"{"error":{"object":"error","type":"invalid_request_error","code":"NOT_FOUND","message":"Model not found, inaccessible, and/or not deployed"}}"#, MODEL_NOT_FOUND),
    ("moonshot", 400, r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}"#, CONTEXT_TOO_LONG),
    ("moonshot", 429, r#"{"error":{"message":"Your account is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}"#, NO_CREDIT),
    ("moonshot", 429, r#"{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}"#, OVERLOADED),
    ("moonshot", 400, r#"{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}"#, REFUSED),
    ("zai", 429, r#"{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}"#, NO_CREDIT),
    ("zai", 429, r#"{"error":{"code":"1302","message":"High concurrency usage of this API"}}"#, RATE_LIMITED),
    ("zai", 400, r#"{"error":{"code":"1261","message":"Prompt exceeds max length"}}"#, CONTEXT_TOO_LONG),
    ("zai", 400, r#"{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}"#, MODEL_NOT_FOUND),
    ("qwen", 400, r#"{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 30720]","type":"invalid_request_error"}}"#, CONTEXT_TOO_LONG),
    ("qwen", 400, r#"{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing.","type":"Arrearage"}}"#, NO_CREDIT),
    ("qwen", 400, r#"{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content.","type":"data_inspection_failed"}}"#, REFUSED),
    ("qwen", 429, r#"{"error":{"code":"limit_requests","message":"You exceeded your current requests list.","type":"limit_requests"}}"#, RATE_LIMITED),
    ("perplexity", 401, r#"<html><head><title>401 Authorization Required</title></head></html>"#, INVALID_KEY),
    ("perplexity", 400, r#"{"error":{"message":"Invalid model 'sonar-nothing'. Permitted models can be found in the documentation.","type":"invalid_model","code":400}}"#, MODEL_NOT_FOUND),
    // On this machine
    ("ollama", 404, r#"{"error":"model \"llama9\" not found, try pulling it first"}"#, MODEL_NOT_FOUND),
    ("ollama", 400, r#"{"error":"prompt too long; exceeded max context length by 4 tokens"}"#, CONTEXT_TOO_LONG),
    ("ollama", 400, r#"{"error":"registry.ollama.ai/library/phi does not support tools"}"#, INVALID_REQUEST),
    ("ollama", 500, r#"{"error":"model requires more system memory (12.0 GiB) than is available (8.0 GiB)"}"#, SERVER_ERROR),
    ("ollama", 503, r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#, OVERLOADED),
    ("ollama", 402, r#"{"error":"payment required"}"#, NO_CREDIT),
    ("llamacpp", 400, r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#, CONTEXT_TOO_LONG),
    ("llamacpp", 401, r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#, INVALID_KEY),
    ("llamacpp", 503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, OVERLOADED),
    ("vllm", 400, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).","type":"BadRequestError","param":null,"code":400}"#, CONTEXT_TOO_LONG),
    ("vllm", 400, r#"{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","param":null,"code":400}}"#, CONTEXT_TOO_LONG),
    ("vllm", 404, r#"{"object":"error","message":"The model `foo` does not exist.","type":"NotFoundError","param":null,"code":404}"#, MODEL_NOT_FOUND),
    ("lmstudio", 400, r#"{"error":"Trying to keep the first 4656 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}"#, CONTEXT_TOO_LONG),
    // Gateways and proxies
    ("nginx", 404, "404 page not found", INVALID_REQUEST),
    ("nginx", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>", INVALID_REQUEST),
    ("nginx", 504, "upstream request timeout", TIMEOUT),
    ("cloudflare", 524, "<html>A timeout occurred</html>", TIMEOUT),
    ("litellm", 400, r#"{"error":{"message":"litellm.ContextWindowExceededError: input is too long","type":null,"param":null,"code":"400"}}"#, CONTEXT_TOO_LONG),
    // An error under a good status.
    ("gateway", 200, r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#, OVERLOADED),
    ("gateway", 200, r#"{"error":"something else"}"#, SOURCE_FAILED),
];

#[test]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
fn every_answer_has_its_code() {
    let mut wrong = Vec::new();
    for (provider, status, body, expected) in ANSWERS {
        let found = Reported::answer(*status, body, "").unwrap();
        if found.code != *expected {
            wrong.push(format!(
                "{provider} {status} is {}, not {expected}: {body}",
                found.code
            ));
        }
        let details = found.details.unwrap();
        assert_eq!(
            details.status,
            Some(*status).filter(|it| *it >= 400),
            "{body}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} answers of providers, each with its code", ANSWERS.len());
}

#[test]
fn aws_names_its_errors_in_a_header() {
    let cases = [
        (
            "ThrottlingException:http://internal.amazon.com/coral/",
            429,
            RATE_LIMITED,
        ),
        ("ValidationException", 400, INVALID_REQUEST),
        ("ModelTimeoutException", 408, TIMEOUT),
        ("ServiceUnavailableException", 503, OVERLOADED),
        ("AccessDeniedException", 403, INVALID_KEY),
        ("ExpiredTokenException", 403, INVALID_KEY),
    ];
    for (error_type, status, expected) in cases {
        let body = Reported::answer(status, "{\"message\":\"No.\"}", error_type).unwrap();
        assert_eq!(body.code, expected, "{error_type}");
    }
}

/// Whoever waits as told is not refused again; Google says it in the body alone.
#[test]
fn the_wait_is_read_from_the_body() {
    let body = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x",
        "details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"16.2s"}]}}"#;
    assert_eq!(
        Reported::answer(429, body, "").unwrap().retry_after,
        Some(17)
    );
}
