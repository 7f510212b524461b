use serde_json::{Value, json};
use weir_protocol::Thinking;

use super::relatives::{DEEPSEEK, GROQ, LLAMA_CPP, MISTRAL, OPENAI, OPENROUTER};
use super::*;
use crate::source::Block;
use crate::source::dialect::json::items;
use crate::source::request::{example, example_options};

const PLAIN: ChatCompletions = ChatCompletions {
    thinking: AskThinking::Never,
    usage: AskUsage::Option,
    cache: CacheHint::None,
    wire: Wire::PLAIN,
};

impl ChatCompletions {
    fn written(&self, request: &StepRequest) -> Value {
        self.body(request, &mut Vec::new())
    }
}

#[test]
fn sends_the_whole_conversation() {
    let body = PLAIN.written(&example("any"));
    assert_eq!(
        body,
        json!({
            "model": "any",
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {
                "name": "look", "description": "Looks.", "parameters": {"type": "object"},
            }}],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                    {"type": "text", "text": "one"},
                ]},
                {"role": "assistant", "content": "two", "tool_calls": [
                    {"id": "w1", "type": "function",
                     "function": {"name": "look", "arguments": "{\"at\":\"x\"}"}},
                ]},
                {"role": "tool", "tool_call_id": "w1", "content": "{\"seen\":1}"},
                {"role": "user", "content": "three"},
            ],
        })
    );
}

#[test]
fn a_server_that_passes_thinking_on_gets_it_back_with_breakpoints() {
    let api = ChatCompletions {
        thinking: AskThinking::Reasoning,
        usage: AskUsage::Option,
        cache: CacheHint::Breakpoints,
        wire: Wire::PLAIN,
    };
    let body = api.written(&example("anthropic/claude"));
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        body["messages"][2]["reasoning_details"],
        json!([
            {"type": "reasoning.text", "text": "hm", "signature": "seal"},
            {"type": "reasoning.encrypted", "data": "sealed"},
        ])
    );
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], mark);
    assert_eq!(body["messages"][1]["content"][1]["cache_control"], mark);
    assert_eq!(
        body["messages"][4]["content"],
        json!([{"type": "text", "text": "three", "cache_control": mark}])
    );
    let other = api.written(&example("openai/gpt"));
    assert!(!other.to_string().contains("cache_control"));
}

#[test]
fn each_server_is_asked_in_its_own_way() {
    let ask = |thinking: AskThinking, model: &str, wanted: Thinking| -> Value {
        let api = ChatCompletions { thinking, ..PLAIN };
        let mut request = example(model);
        request.thinking = wanted;
        let body = api.written(&request);
        let fields = [
            "reasoning_effort",
            "reasoning",
            "thinking",
            "chat_template_kwargs",
        ];
        let said = fields.iter().filter(|field| !body[**field].is_null());
        said.map(|field| json!({ *field: body[*field] }))
            .next()
            .unwrap_or_default()
    };
    let cases = [
        (AskThinking::Never, "any", Thinking::High, json!(null)),
        (AskThinking::Effort, "gpt-4.1", Thinking::High, json!(null)),
        (
            AskThinking::Effort,
            "gpt-5-chat-latest",
            Thinking::High,
            json!(null),
        ),
        (
            AskThinking::Effort,
            "gpt-5.3",
            Thinking::High,
            json!({"reasoning_effort": "high"}),
        ),
        (
            AskThinking::Effort,
            "gpt-6.1-terra",
            Thinking::Off,
            json!({"reasoning_effort": "none"}),
        ),
        (
            // It has tools here.
            AskThinking::Effort,
            "gpt-6.1-terra",
            Thinking::High,
            json!({"reasoning_effort": "none"}),
        ),
        (
            AskThinking::Listed("together"),
            "moonshotai/Kimi-K3",
            Thinking::Xhigh,
            json!({"reasoning_effort": "high"}),
        ),
        (
            AskThinking::Listed("together"),
            "zai-org/GLM-5.3",
            Thinking::Max,
            json!({"reasoning_effort": "max"}),
        ),
        (
            AskThinking::Listed("fireworks"),
            "accounts/fireworks/models/gpt-oss-of-tomorrow",
            Thinking::Max,
            json!({"reasoning_effort": "high"}),
        ),
        (
            AskThinking::Listed("fireworks"),
            "accounts/fireworks/models/glm-4p6",
            Thinking::Max,
            json!(null),
        ),
        (
            AskThinking::Effort,
            "gpt-5-mini",
            Thinking::Off,
            json!({"reasoning_effort": "minimal"}),
        ),
        (
            AskThinking::Effort,
            "o3",
            Thinking::Tokens(9_000),
            json!({"reasoning_effort": "medium"}),
        ),
        (
            AskThinking::Effort,
            "openai/gpt-oss-20b",
            Thinking::Off,
            json!({"reasoning_effort": "low"}),
        ),
        (
            AskThinking::Effort,
            "qwen/qwen3",
            Thinking::High,
            json!(null),
        ),
        (
            AskThinking::Reasoning,
            "any",
            Thinking::Low,
            json!({"reasoning": {"effort": "low"}}),
        ),
        (
            AskThinking::Reasoning,
            "any",
            Thinking::Tokens(5),
            json!({"reasoning": {"max_tokens": 5}}),
        ),
        (
            AskThinking::Reasoning,
            "any",
            Thinking::Off,
            json!({"reasoning": {"enabled": false}}),
        ),
        (
            AskThinking::Switch,
            "any",
            Thinking::Off,
            json!({"thinking": {"type": "disabled"}}),
        ),
        (
            AskThinking::Switch,
            "any",
            Thinking::Medium,
            json!({"reasoning_effort": "high"}),
        ),
        (
            AskThinking::Glm,
            "glm-4.7",
            Thinking::Medium,
            json!({"thinking": {"type": "enabled"}}),
        ),
        (
            AskThinking::Glm,
            "glm-4.7",
            Thinking::Off,
            json!({"thinking": {"type": "disabled"}}),
        ),
        (
            AskThinking::Glm,
            "glm-5.3",
            Thinking::Off,
            json!({"reasoning_effort": "low"}),
        ),
        (
            AskThinking::Glm,
            "glm-5.3-flash",
            Thinking::Xhigh,
            json!({"reasoning_effort": "high"}),
        ),
        (
            AskThinking::Switch,
            "any",
            Thinking::Xhigh,
            json!({"reasoning_effort": "high"}),
        ),
        (AskThinking::OffWord, "any", Thinking::High, json!(null)),
        (
            AskThinking::OffWord,
            "any",
            Thinking::Off,
            json!({"reasoning_effort": "none"}),
        ),
        (AskThinking::Template, "any", Thinking::High, json!(null)),
        (
            AskThinking::Template,
            "any",
            Thinking::Off,
            json!({"chat_template_kwargs": {"enable_thinking": false}}),
        ),
    ];
    for (thinking, model, wanted, expected) in cases {
        assert_eq!(ask(thinking, model, wanted), expected, "{model} {wanted:?}");
    }
}

#[test]
fn what_a_server_refuses_is_left_out() {
    let api = ChatCompletions {
        usage: AskUsage::Unasked,
        cache: CacheHint::Key,
        ..PLAIN
    };
    let body = api.written(&example("any"));
    assert_eq!(body["stream_options"], json!(null));
    assert_eq!(body["prompt_cache_key"], "session");
}

#[test]
fn lists_leave_out_what_cannot_chat() {
    let chats = |model: Value| super::chats(&model);
    for id in [
        "gpt-6-luna",
        "o3",
        "qwen/qwen3.8-27b",
        "mistral-large-latest",
    ] {
        assert!(chats(json!({ "id": id })), "{id}");
    }
    for id in [
        "text-embedding-3-small",
        "whisper-1",
        "gpt-image-1",
        "",
        "tts-1-hd",
    ] {
        assert!(!chats(json!({ "id": id })), "{id}");
    }
    let capabilities = json!({"completion_chat": false});
    assert!(!chats(
        json!({"id": "ministral", "capabilities": capabilities})
    ));
}

#[test]
fn rows_are_whole() {
    for row in [&OPENAI, &OPENROUTER, &DEEPSEEK, &MISTRAL, &LLAMA_CPP] {
        assert!(!row.name.is_empty() && !row.label.is_empty());
        assert!(row.base_url.ends_with("/v1"), "{}", row.name);
        assert!(row.key.account().is_some(), "{}", row.name);
    }
}

#[test]
fn thinking_that_nobody_signed_goes_back_to_whom_it_helps() {
    let mut request = example("any");
    request.messages[1]
        .blocks
        .insert(0, Block::Reasoning("hm".into()));
    let sent = |thinking: AskThinking| {
        let api = ChatCompletions { thinking, ..PLAIN };
        api.written(&request)["messages"][2]["reasoning_content"].clone()
    };
    assert_eq!(sent(AskThinking::Switch), "hm");
    assert_eq!(sent(AskThinking::Never), Value::Null);
}

#[test]
fn options_go_where_the_server_takes_them() {
    let api = |thinking: AskThinking, wire: Wire| ChatCompletions {
        thinking,
        wire,
        ..PLAIN
    };
    let openai = || api(AskThinking::Effort, Wire::OPENAI);
    let fields = [
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "stop",
        "tool_choice",
    ];
    let choice = json!({"type": "function", "function": {"name": "look"}});
    let all = json!([500, null, 0.5, 0.25, ["END"], choice]);
    let cases = [
        (PLAIN, "any", Thinking::Medium, all.clone(), 1),
        (
            openai(),
            "gpt-4.1",
            Thinking::Medium,
            json!([null, 500, 0.5, 0.25, ["END"], choice]),
            1,
        ),
        (
            openai(),
            "gpt-5",
            Thinking::Low,
            json!([null, 500, null, null, null, choice]),
            3,
        ),
        (
            api(AskThinking::Switch, Wire::PLAIN),
            "deepseek-v4-pro",
            Thinking::High,
            json!([500, null, null, 0.25, ["END"], null]),
            2,
        ),
        (
            openai(),
            "gpt-6-astra",
            Thinking::Off,
            json!([null, 500, null, null, null, choice]),
            3,
        ),
        (
            openai(),
            "gpt-6.1-terra",
            Thinking::Off,
            json!([null, 500, 0.5, 0.25, null, choice]),
            1,
        ),
        (
            api(AskThinking::Kimi, Wire::PLAIN),
            "kimi-k3",
            Thinking::High,
            json!([500, null, null, null, ["END"], null]),
            3,
        ),
        (
            api(AskThinking::Kimi, Wire::PLAIN),
            "kimi-k2.6",
            Thinking::Off,
            json!([500, null, null, null, ["END"], choice]),
            2,
        ),
        (
            api(AskThinking::Kimi, Wire::PLAIN),
            "moonshot-v1-8k",
            Thinking::Medium,
            all.clone(),
            1,
        ),
        (
            api(AskThinking::Enable, Wire::PLAIN),
            "qwen3.8-max",
            Thinking::High,
            json!([500, null, 0.5, 0.25, ["END"], null]),
            2,
        ),
        (
            api(AskThinking::Enable, Wire::PLAIN),
            "qwen3.8-max",
            Thinking::Off,
            all.clone(),
            0,
        ),
        (
            api(AskThinking::Enable, Wire::PLAIN),
            "qwq-plus",
            Thinking::Off,
            json!([500, null, 0.5, 0.25, ["END"], null]),
            2,
        ),
        (
            api(AskThinking::Glm, Wire::PLAIN),
            "glm-4.7",
            Thinking::Off,
            json!([500, null, 0.5, 0.25, ["END"], null]),
            1,
        ),
        (
            api(AskThinking::Switch, Wire::PLAIN),
            "deepseek-v4-pro",
            Thinking::Off,
            all,
            0,
        ),
    ];
    for (api, model, thinking, expected, count) in cases {
        let mut request = example(model);
        request.thinking = thinking;
        request.options = example_options();
        let mut notes = Vec::new();
        let body = api.body(&request, &mut notes);
        let sent: Vec<&Value> = fields.iter().map(|field| &body[*field]).collect();
        assert_eq!(json!(sent), expected, "{model} {thinking:?}");
        assert_eq!(notes.len(), count, "{model} {thinking:?}: {notes:?}");
    }
}

/// Each generation of Kimi takes another field, and refuses the others'.
#[test]
fn moonshot_and_qwen_are_told_to_think_as_their_models_take_it() {
    let api = |thinking: AskThinking| ChatCompletions { thinking, ..PLAIN };
    let asked = |kind: AskThinking, model: &str, thinking: Thinking| {
        let request = StepRequest {
            model: model.into(),
            thinking,
            ..StepRequest::default()
        };
        let mut notes = Vec::new();
        let mut fields = api(kind).thinking(&request, &mut notes);
        assert_eq!(notes, Vec::<String>::new(), "nobody chose it");
        assert!(fields.len() <= 1, "{model}: {fields:?}");
        fields.pop()
    };
    let kimi = |model: &str, thinking| asked(AskThinking::Kimi, model, thinking);
    for (thinking, word) in [
        (Thinking::Off, "low"),
        (Thinking::Low, "low"),
        (Thinking::Medium, "high"),
        (Thinking::High, "high"),
        (Thinking::Max, "max"),
    ] {
        let effort = Some(("reasoning_effort", word.into()));
        assert_eq!(kimi("kimi-k3", thinking), effort);
        assert_eq!(kimi("kimi-k3.1-pro", thinking), effort);
        assert_eq!(kimi("kimi-k2.7-code", thinking), None);
        assert_eq!(kimi("moonshot-v1-8k", thinking), None);
    }
    let off = Some(("thinking", json!({"type": "disabled"})));
    assert_eq!(kimi("kimi-k2.6", Thinking::Off), off);
    assert_eq!(kimi("kimi-k2.6", Thinking::High), None);

    let qwen = |model: &str, thinking| asked(AskThinking::Enable, model, thinking);
    let switched = |on: bool| Some(("enable_thinking", on.into()));
    assert_eq!(qwen("qwen3.8-max", Thinking::Off), switched(false));
    assert_eq!(qwen("qwen3.8-max", Thinking::Low), switched(true));
    assert_eq!(qwen("qwq-plus", Thinking::Off), None);
    assert_eq!(qwen("qwen3-next-80b-a3b-thinking", Thinking::Off), None);

    // Calls that another source made have no thoughts, and Kimi refuses them without.
    let body = api(AskThinking::Kimi).body(&example("kimi-k3"), &mut Vec::new());
    let calling = &body["messages"][2];
    assert!(calling["tool_calls"].is_array(), "{body}");
    assert_eq!(calling["reasoning_content"], " ");
}

/// Models that cannot stop thinking refuse tools here, with every effort.
#[test]
fn a_request_that_chat_completions_refuse_goes_to_responses() {
    let cases = [
        ("gpt-6.1-sol", true),
        ("gpt-6-astra", true),
        ("gpt-6.1-terra", false),
        ("gpt-5.4-mini", false),
        ("gpt-5.2", false),
        ("o3", false),
        ("gpt-4.1", false),
    ];
    for (model, expected) in cases {
        let mut request = example(model);
        let dialect = |request: &StepRequest| OPENAI.dialect_for(request).name;
        let with_tools = match expected {
            true => "openai-responses",
            false => "openai-chat",
        };
        assert_eq!(dialect(&request), with_tools, "{model}");
        request.tools.clear();
        assert_eq!(dialect(&request), "openai-chat", "{model}");
    }
    // Others that speak it have no such API, whatever they call their models.
    let request = example("gpt-6.1-sol");
    assert_eq!(GROQ.dialect_for(&request).name, "openai-chat");
}

/// Mistral's models refuse a message of the user right after the result of a tool.
#[test]
fn mistral_has_answered_the_results_before_the_next_prompt() {
    let api = ChatCompletions {
        wire: Wire {
            call_ids: CallIds::Nine,
            ..Wire::PLAIN
        },
        ..PLAIN
    };
    let roles = |body: &Value| -> Vec<String> {
        let messages = items(&body["messages"]).iter();
        messages.map(|it| text(it, "role").to_owned()).collect()
    };
    let answered = ["system", "user", "assistant", "tool", "assistant", "user"];
    assert_eq!(roles(&api.written(&example("any"))), answered);
    assert_eq!(roles(&PLAIN.written(&example("ministral-8b"))), answered);
    let others = roles(&PLAIN.written(&example("any")));
    assert_eq!(others, ["system", "user", "assistant", "tool", "user"]);
}

#[test]
fn newer_models_of_zai_stream_the_input_of_their_calls() {
    let api = ChatCompletions {
        thinking: AskThinking::Glm,
        ..PLAIN
    };
    let cases = [
        ("glm-4.5-air", false),
        ("glm-4-32b-0414-128k", false),
        ("glm-4.6", true),
        ("glm-5", true),
        ("glm-5.3-flash", true),
    ];
    for (model, expected) in cases {
        let mut request = example(model);
        let is_asked = |request: &StepRequest| api.written(request)["tool_stream"] == true;
        assert_eq!(is_asked(&request), expected, "{model}");
        request.tools.clear();
        assert!(!is_asked(&request), "{model} without tools");
    }
}
