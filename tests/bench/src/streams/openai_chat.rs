//! Chat completions: chunks without a name, usage after the finish, and a last word. Its own
//! server tells no thinking.

use super::{OUTPUT_TOKENS, REASONING_TOKENS, Reply, Stream, Told, padding, quoted};

pub(super) fn write(reply: &Reply) -> Stream {
    let mut out = String::new();
    delta(
        &mut out,
        r#"{"role":"assistant","content":"","refusal":null}"#,
        "null",
    );
    for piece in &reply.text {
        let content = quoted(piece);
        delta(&mut out, &format!(r#"{{"content":{content}}}"#), "null");
    }
    for (index, call) in reply.calls.iter().enumerate() {
        let (id, name) = (&call.id, call.name);
        call_delta(
            &mut out,
            &format!(
                r#""index":{index},"id":"{id}","type":"function","function":{{"name":"{name}","arguments":""}}"#
            ),
        );
        for piece in &call.pieces {
            let piece = quoted(piece);
            call_delta(
                &mut out,
                &format!(r#""index":{index},"function":{{"arguments":{piece}}}"#),
            );
        }
    }
    delta(&mut out, "{}", "\"tool_calls\"");
    chunk(
        &mut out,
        "",
        &format!(
            r#"{{"prompt_tokens":2469,"completion_tokens":{OUTPUT_TOKENS},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":2048,"audio_tokens":0}},"completion_tokens_details":{{"reasoning_tokens":{REASONING_TOKENS},"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}}"#,
            2469 + OUTPUT_TOKENS
        ),
    );
    out.push_str("data: [DONE]\n\n");
    Stream {
        dialect: "openai-chat",
        bytes: out.into(),
        deltas: reply.deltas() - reply.thinking.len(),
        says: Told {
            thinking: String::new(),
            ..reply.says()
        },
    }
}

fn call_delta(out: &mut String, call: &str) {
    delta(out, &format!(r#"{{"tool_calls":[{{{call}}}]}}"#), "null");
}

fn delta(out: &mut String, delta: &str, finish: &str) {
    let choice =
        format!(r#"{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}"#);
    chunk(out, &choice, "null");
}

/// With the padding that hides how long the words are.
fn chunk(out: &mut String, choice: &str, usage: &str) {
    let padding = padding(choice.len());
    out.push_str(&format!(
        "data: {{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1767225600,\"model\":\"gpt-bench\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_bench\",\"choices\":[{choice}],\"usage\":{usage},\"obfuscation\":\"{padding}\"}}\n\n"
    ));
}
