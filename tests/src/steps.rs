//! Whole steps of a reply (thinking, text, tool calls) as streams in each dialect that is spoken
//! over HTTP, with ids and seals shaped as the providers shape theirs.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{eventstream, sse};

/// What a model says in one step, in this order.
#[derive(Clone, Copy, Default)]
pub struct Step<'a> {
    pub thinking: Option<&'a str>,
    /// What the provider itself looks for in the web, where its stream tells of that.
    pub search: Option<&'a str>,
    pub text: Option<&'a str>,
    /// The name and the input of each tool that it calls, all at once.
    pub calls: &'a [(&'a str, Value)],
}

/// Which source says it, and the how-manieth step it is: ids differ between both.
#[derive(Clone, Copy)]
pub struct Speaker<'a> {
    pub source: &'a str,
    pub dialect: &'a str,
    pub number: usize,
}

impl Speaker<'_> {
    /// The bytes of a step.
    pub fn says(self, step: Step<'_>) -> Bytes {
        match self.dialect {
            "anthropic" => self.anthropic(step).into(),
            "openai-chat" => self.openai_chat(step).into(),
            "openai-responses" => self.openai_responses(step).into(),
            "gemini" => self.gemini(step).into(),
            "ollama" => self.ollama(step).into(),
            "bedrock" => self.bedrock(step).into(),
            other => panic!("write what {other} says of a step, here in steps.rs"),
        }
    }

    /// An id as long as the provider's own, the same in every run.
    fn id(self, prefix: &str, index: usize) -> String {
        format!("{prefix}{:02}{index:02}aBcDeFgHiJkLmNoPqRsT", self.number)
    }

    /// Opaque data of the provider's, in base64.
    fn seal(self) -> String {
        format!("c2VhbGVkIGJ5IHRoZSBtb2Rl{:04}", self.number)
    }

    fn anthropic(self, step: Step<'_>) -> String {
        let mut index = 0;
        let mut said = vec![sse::event(&json!({"type": "message_start", "message": {
            "id": self.id("msg_01", 0), "type": "message", "role": "assistant", "content": [],
            "model": "scripted", "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 11, "output_tokens": 1}}}))];
        if let Some(thinking) = step.thinking {
            said.push(sse::thinking(index, thinking, &self.seal()));
            index += 1;
        }
        if let Some(query) = step.search {
            let id = self.id("srvtoolu_01", 0);
            let call =
                json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}});
            let delta = json!({"type": "input_json_delta",
                "partial_json": json!({"query": query}).to_string()});
            let found = json!({"type": "web_search_result", "url": "https://example.org/weir",
                "title": "Weirs", "encrypted_content": self.seal(), "page_age": null});
            let result = json!({"type": "web_search_tool_result", "tool_use_id": id,
                "content": [found]});
            for event in [
                json!({"type": "content_block_start", "index": index, "content_block": call}),
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
                json!({"type": "content_block_stop", "index": index}),
                json!({"type": "content_block_start", "index": index + 1, "content_block": result}),
                json!({"type": "content_block_stop", "index": index + 1}),
            ] {
                said.push(sse::event(&event));
            }
            index += 2;
        }
        if let Some(text) = step.text {
            said.push(sse::text(index, text));
            index += 1;
        }
        for (number, (name, input)) in step.calls.iter().enumerate() {
            let block = json!({"type": "tool_use", "id": self.id("toolu_01", number),
                "name": name, "input": {}});
            let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
            for event in [
                json!({"type": "content_block_start", "index": index, "content_block": block}),
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
                json!({"type": "content_block_stop", "index": index}),
            ] {
                said.push(sse::event(&event));
            }
            index += 1;
        }
        let reason = stop(step, "tool_use", "end_turn");
        said.push(sse::event(&json!({"type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 23}})));
        said.push(sse::event(&json!({"type": "message_stop"})));
        said.concat()
    }

    fn bedrock(self, step: Step<'_>) -> Vec<u8> {
        let event = |name: &str, payload: Value| eventstream::event(name, &payload);
        let mut said = vec![event("messageStart", json!({"role": "assistant"}))];
        let mut index = 0;
        let mut block = |start: Option<Value>, deltas: &[Value]| {
            let at = |field: &str, value: &Value| json!({"contentBlockIndex": index, field: value});
            said.extend(start.map(|start| event("contentBlockStart", at("start", &start))));
            for delta in deltas {
                said.push(event("contentBlockDelta", at("delta", delta)));
            }
            said.push(event(
                "contentBlockStop",
                json!({"contentBlockIndex": index}),
            ));
            index += 1;
        };
        if let Some(thinking) = step.thinking {
            let deltas = [
                json!({"reasoningContent": {"text": thinking}}),
                json!({"reasoningContent": {"signature": self.seal()}}),
            ];
            block(None, &deltas);
        }
        if let Some(text) = step.text {
            block(None, &[json!({"text": text})]);
        }
        for (number, (name, input)) in step.calls.iter().enumerate() {
            let id = self.id("tooluse_", number);
            let start = json!({"toolUse": {"toolUseId": id, "name": name}});
            block(
                Some(start),
                &[json!({"toolUse": {"input": input.to_string()}})],
            );
        }
        let reason = stop(step, "tool_use", "end_turn");
        said.push(event("messageStop", json!({"stopReason": reason})));
        let usage = json!({"inputTokens": 11, "outputTokens": 23, "totalTokens": 34});
        said.push(event("metadata", json!({"usage": usage})));
        said.concat()
    }

    fn openai_chat(self, step: Step<'_>) -> String {
        let chunk = |delta: Value, finish: Value| {
            data(
                &json!({"id": self.id("chatcmpl-", 0), "object": "chat.completion.chunk",
                "model": "scripted",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}),
            )
        };
        let mut said = vec![chunk(
            json!({"role": "assistant", "content": ""}),
            Value::Null,
        )];
        if let Some(thinking) = step.thinking {
            said.extend(
                self.chat_thinking(thinking)
                    .map(|it| chunk(it, Value::Null)),
            );
        }
        if let Some(text) = step.text {
            said.push(chunk(json!({"content": text}), Value::Null));
        }
        for (index, (name, input)) in step.calls.iter().enumerate() {
            let id = if self.source == "mistral" {
                format!("m{:04}{index:04}", self.number)
            } else {
                self.id("call_", index)
            };
            let function = json!({"name": name, "arguments": input.to_string()});
            let call = json!({"index": index, "id": id, "type": "function", "function": function});
            said.push(chunk(json!({"tool_calls": [call]}), Value::Null));
        }
        said.push(chunk(json!({}), stop(step, "tool_calls", "stop").into()));
        said.push(data(
            &json!({"id": self.id("chatcmpl-", 0), "model": "scripted",
            "choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 23,
            "total_tokens": 34}}),
        ));
        said.push("data: [DONE]\n\n".to_owned());
        said.concat()
    }

    /// Thinking has as many forms as there are servers that speak chat completions.
    fn chat_thinking(self, thinking: &str) -> impl Iterator<Item = Value> + use<> {
        let deltas = match self.source {
            "openrouter" => {
                let format = "anthropic-claude-v1";
                let text = json!({"type": "reasoning.text", "text": thinking, "index": 0,
                    "format": format});
                let seal = json!({"type": "reasoning.text", "signature": self.seal(), "index": 0,
                    "format": format});
                vec![
                    json!({"reasoning": thinking, "reasoning_details": [text]}),
                    json!({"reasoning_details": [seal]}),
                ]
            }
            "groq" => vec![json!({"reasoning": thinking})],
            "mistral" => {
                let inner = json!([{"type": "text", "text": thinking}]);
                vec![json!({"content": [{"type": "thinking", "thinking": inner}]})]
            }
            _ => vec![json!({"reasoning_content": thinking})],
        };
        deltas.into_iter()
    }

    fn openai_responses(self, step: Step<'_>) -> String {
        let mut items = Vec::new();
        if let Some(thinking) = step.thinking {
            items.push(json!({"id": self.id("rs_", 0), "type": "reasoning",
                "summary": [{"type": "summary_text", "text": thinking}],
                "encrypted_content": self.seal()}));
        }
        if let Some(query) = step.search {
            items.push(json!({"id": self.id("ws_", 0), "type": "web_search_call",
                "status": "completed", "action": {"type": "search", "query": query}}));
        }
        if let Some(text) = step.text {
            items.push(json!({"id": self.id("msg_", 0), "type": "message",
                "status": "completed", "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}));
        }
        for (index, (name, input)) in step.calls.iter().enumerate() {
            items.push(json!({"id": self.id("fc_", index), "type": "function_call",
                "status": "completed", "call_id": self.id("call_", index), "name": name,
                "arguments": input.to_string()}));
        }
        let event = |value: &Value| {
            let name = value["type"].as_str().unwrap_or_default();
            format!("event: {name}\n{}", data(value))
        };
        let mut said = vec![event(&json!({"type": "response.created",
            "response": {"id": self.id("resp_", 0), "model": "scripted"}}))];
        for (index, item) in items.iter().enumerate() {
            said.push(event(&json!({"type": "response.output_item.added",
                "output_index": index, "item": begun(item)})));
            said.extend(deltas(item, index).iter().map(event));
            said.push(event(&json!({"type": "response.output_item.done",
                "output_index": index, "item": item})));
        }
        said.push(event(&json!({"type": "response.completed",
            "response": {"id": self.id("resp_", 0), "model": "scripted",
            "status": "completed", "output": items, "usage": {"input_tokens": 11,
            "output_tokens": 23, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0}}}})));
        said.concat()
    }

    fn gemini(self, step: Step<'_>) -> String {
        let mut parts = Vec::new();
        if let Some(thinking) = step.thinking {
            parts.push(json!({"text": thinking, "thought": true}));
        }
        if let Some(text) = step.text {
            let seal = step.calls.is_empty() && step.thinking.is_some();
            let mut part = json!({"text": text});
            if seal {
                part["thoughtSignature"] = self.seal().into();
            }
            parts.push(part);
        }
        for (index, (name, input)) in step.calls.iter().enumerate() {
            let call = json!({"id": self.id("", index), "name": name, "args": input});
            let mut part = json!({"functionCall": call});
            // Of calls that are made at once, the first is sealed.
            if index == 0 {
                part["thoughtSignature"] = self.seal().into();
            }
            parts.push(part);
        }
        let candidate = |parts: Value, finish: Value| {
            json!({"index": 0, "content": {"role": "model", "parts": parts},
                "finishReason": finish})
        };
        let frame = |candidate: Value, usage: Value| {
            data(
                &json!({"responseId": self.id("", 0), "modelVersion": "scripted",
                "candidates": [candidate], "usageMetadata": usage}),
            )
        };
        let mut said: Vec<String> = parts
            .into_iter()
            .map(|part| frame(candidate(json!([part]), Value::Null), Value::Null))
            .collect();
        let usage = json!({"promptTokenCount": 11, "candidatesTokenCount": 23,
            "totalTokenCount": 34});
        said.push(frame(candidate(json!([]), "STOP".into()), usage));
        said.concat()
    }

    fn ollama(self, step: Step<'_>) -> String {
        let line = |message: Value| {
            format!(
                "{}\n",
                json!({"model": "scripted", "done": false, "message": message})
            )
        };
        let mut said = Vec::new();
        if let Some(thinking) = step.thinking {
            said.push(line(
                json!({"role": "assistant", "content": "", "thinking": thinking}),
            ));
        }
        if let Some(text) = step.text {
            said.push(line(json!({"role": "assistant", "content": text})));
        }
        if !step.calls.is_empty() {
            let calls = step
                .calls
                .iter()
                .map(|(name, input)| json!({"function": {"name": name, "arguments": input}}));
            let calls: Vec<Value> = calls.collect();
            said.push(line(
                json!({"role": "assistant", "content": "", "tool_calls": calls}),
            ));
        }
        said.push(format!(
            "{}\n",
            json!({"model": "scripted", "done": true, "done_reason": "stop",
            "message": {"role": "assistant", "content": ""},
            "prompt_eval_count": 11, "eval_count": 23})
        ));
        said.concat()
    }
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn stop<'a>(step: Step<'_>, calls: &'a str, end: &'a str) -> &'a str {
    if step.calls.is_empty() { end } else { calls }
}

/// An item of the Responses API as it is announced: with its ids and nothing said yet.
fn begun(item: &Value) -> Value {
    let mut begun = item.clone();
    for (field, empty) in [
        ("summary", json!([])),
        ("content", json!([])),
        ("arguments", json!("")),
    ] {
        if begun.get(field).is_some() {
            begun[field] = empty;
        }
    }
    begun
}

/// What an item says between its announcement and its end.
fn deltas(item: &Value, index: usize) -> Vec<Value> {
    let delta = |kind: &str, text: &Value, more: Value| {
        let mut event = json!({"type": kind, "item_id": item["id"], "output_index": index,
            "delta": text});
        let fields = event.as_object_mut().expect("an event is an object");
        fields.extend(more.as_object().cloned().unwrap_or_default());
        event
    };
    match item["type"].as_str().unwrap_or_default() {
        "reasoning" => vec![delta(
            "response.reasoning_summary_text.delta",
            &item["summary"][0]["text"],
            json!({"summary_index": 0}),
        )],
        "message" => vec![delta(
            "response.output_text.delta",
            &item["content"][0]["text"],
            json!({"content_index": 0}),
        )],
        _ => vec![delta(
            "response.function_call_arguments.delta",
            &item["arguments"],
            json!({}),
        )],
    }
}
