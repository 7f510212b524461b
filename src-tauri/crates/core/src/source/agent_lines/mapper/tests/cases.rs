//! One case for each event that a framework prints.

use super::*;

mod claude;

pub(super) use claude::*;

/// Lines, and all that they come to.
pub(super) struct Case {
    lines: Vec<Value>,
    expected: Value,
}

impl Case {
    fn new(lines: impl IntoIterator<Item = Value>, expected: Value) -> Self {
        Self {
            lines: lines.into_iter().collect(),
            expected,
        }
    }

    pub(super) fn check(self) {
        check(&self.lines, self.expected);
    }
}

fn started(model: Value) -> Value {
    json!([{ "type": "start", "messageId": null, "model": model }])
}

fn words(kind: &str, pieces: &[&str]) -> Value {
    let delta = |text: &&str| json!({ "type": format!("{kind}_delta"), "id": 0, "text": text });
    let mut events = vec![json!({ "type": format!("{kind}_start"), "id": 0 })];
    events.extend(pieces.iter().map(delta));
    events.push(match kind {
        "thinking" => {
            json!({ "type": "thinking_end", "id": 0, "signature": null, "redacted": null })
        }
        _ => json!({ "type": "text_end", "id": 0 }),
    });
    json!(events)
}

pub(super) fn start() -> Case {
    let data = json!({ "prompt_preview": "…", "architecture": "orchestrator_subagent" });
    Case::new([line("start", data)], started(json!(null)))
}

pub(super) fn start_with_model() -> Case {
    let data = json!({ "model": "some-model" });
    Case::new([line("start", data)], started(json!("some-model")))
}

pub(super) fn status() -> Case {
    let message = "Starting…";
    Case::new(
        [line("status", json!({ "message": message }))],
        json!([{ "type": "status", "message": message }]),
    )
}

pub(super) fn text() -> Case {
    let text = |words: &str| line("text", json!({ "content": words }));
    Case::new(
        [text("# One\n"), text("two 🦀")],
        words("text", &["# One\n", "two 🦀"]),
    )
}

pub(super) fn thinking() -> Case {
    let thinking = |words: &str| line("thinking", json!({ "content": words }));
    Case::new(
        [thinking("Well, "), thinking("then.")],
        words("thinking", &["Well, ", "then."]),
    )
}

pub(super) fn think() -> Case {
    Case::new(
        [
            line("think", json!({ "id": "1", "thought": "Found three. " })),
            line("thinking", json!({ "content": "Good." })),
        ],
        words("thinking", &["Found three. ", "Good."]),
    )
}

fn ask() -> Value {
    line(
        "tool_use",
        json!({ "id": "t", "name": "web_search", "input": { "q": "猫" } }),
    )
}

pub(super) fn tool_use() -> Case {
    Case::new(
        [ask()],
        json!(call_events(0, "t", "web_search", json!({ "q": "猫" }))),
    )
}

pub(super) fn tool_result() -> Case {
    let answer = line(
        "tool_result",
        json!({ "tool_use_id": "t", "content": "cats" }),
    );
    let asked = call_events(0, "t", "web_search", json!({ "q": "猫" }));
    let answered = answer_event("t", "web_search", json!("cats"));
    Case::new([ask(), answer], json!([&asked[..], &[answered]].concat()))
}

pub(super) fn tool_call_start() -> Case {
    let begun = line("tool_call_start", json!({ "id": "t", "name": "look" }));
    let whole = line(
        "tool_use",
        json!({ "id": "t", "name": "look", "input": { "a": 1 } }),
    );
    let [start, end] = call_events(0, "t", "look", json!({ "a": 1 }));
    let delta = json!({ "type": "tool_use_delta", "id": 0, "json": "{\"a\":1}" });
    Case::new([begun, whole], json!([start, delta, end]))
}

fn todo(content: &str, status: &str) -> Value {
    json!({ "content": content, "status": status })
}

pub(super) fn todo_create() -> Case {
    let items = json!([todo("a", "pending"), todo("b", "in_progress")]);
    let told = json!({ "type": "todo_create", "todos": items });
    Case::new(
        [
            line("todo_create", json!({ "items": items })),
            line("todos", json!({ "todos": items })),
        ],
        json!([told, told]),
    )
}

pub(super) fn todo_update() -> Case {
    let items = json!([todo("a", "completed"), todo("b", "cancelled")]);
    Case::new(
        [line("todo_update", json!({ "items": items }))],
        json!([{ "type": "todo_update", "todos": items }]),
    )
}

pub(super) fn todo_done() -> Case {
    Case::new(
        [line("todo_done", json!({ "item": "a" }))],
        json!([{ "type": "todo_done", "todo": todo("a", "completed") }]),
    )
}

pub(super) fn subagent_start() -> Case {
    Case::new(
        [line(
            "subagent_start",
            json!({ "agent": "researcher", "task": "Look it up" }),
        )],
        json!([{ "type": "subagent_start", "subagentId": null, "name": "researcher",
            "task": "Look it up" }]),
    )
}

pub(super) fn subagent_complete() -> Case {
    Case::new(
        [line(
            "subagent_complete",
            json!({ "agent": "researcher", "summary": "Found." }),
        )],
        json!([{ "type": "subagent_end", "subagentId": null, "name": "researcher",
            "summary": "Found.", "isError": false }]),
    )
}

pub(super) fn subagent_spawn() -> Case {
    let said = |message: &str| json!({ "type": "status", "message": message });
    Case::new(
        [
            line("subagent_spawn", json!({ "message": "Spawned." })),
            line(
                "subagent_spawn",
                json!({ "subagent_type": "Explore", "description": "Look" }),
            ),
        ],
        json!([said("Spawned."), said("Explore: Look")]),
    )
}

fn search_for(query: &str, id: Value) -> Value {
    line(
        "search",
        json!({ "id": id, "query": query, "topic": "general" }),
    )
}

pub(super) fn search() -> Case {
    let input = json!({ "query": "safety", "topic": "general" });
    Case::new(
        [search_for("safety", json!("s"))],
        json!(call_events(0, "s", "internet_search", input)),
    )
}

/// Results that name no call answer the searches in order.
pub(super) fn search_result() -> Case {
    let input = |query: &str| json!({ "query": query, "topic": "general" });
    let found = |count: u64| json!({ "count": count, "results": [{ "title": "A" }] });
    Case::new(
        [
            search_for("one", json!("s")),
            search_for("two", json!(null)),
            line("search_result", found(1)),
            line("search_result", found(2)),
        ],
        json!(
            [
                &call_events(0, "s", "internet_search", input("one"))[..],
                &call_events(1, "call_0", "internet_search", input("two")),
                &[
                    answer_event("s", "internet_search", found(1)),
                    answer_event("call_0", "internet_search", found(2)),
                ],
            ]
            .concat()
        ),
    )
}

pub(super) fn usage_of_a_request() -> Case {
    let used = |input: u64| {
        line(
            "usage",
            json!({ "input_tokens": input, "output_tokens": 5 }),
        )
    };
    Case::new(
        [used(10), used(20)],
        json!([
            { "type": "usage", "usage": usage(10, 5) },
            { "type": "usage", "usage": usage(30, 10) },
        ]),
    )
}

pub(super) fn usage_total() -> Case {
    let used = json!({ "input_tokens": 50, "output_tokens": 25 });
    Case::new(
        [line("usage", used.clone()), line("usage_total", used)],
        json!([
            { "type": "usage", "usage": usage(50, 25) },
            { "type": "usage", "usage": usage(50, 25), "isTotal": true },
        ]),
    )
}

pub(super) fn result() -> Case {
    let data = json!({ "session_id": "s", "duration_ms": 1234, "num_turns": 12, "cost": 0.5 });
    Case::new(
        [line("result", data)],
        json!([{ "type": "result", "sessionId": "s", "durationMs": 1234, "turns": 12,
            "cost": 0.5 }]),
    )
}

pub(super) fn error() -> Case {
    let failed = json!({ "code": "source_failed", "message": "It broke." });
    Case::new(
        [
            line("text", json!({ "content": "half" })),
            line("error", json!({ "message": "It broke." })),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "half" },
            { "type": "text_end", "id": 0 },
            { "type": "error", "error": failed },
        ]),
    )
}

pub(super) fn done_ends_the_stream() -> Case {
    Case::new([done()], json!([{ "type": "done", "stopReason": null }]))
}

pub(super) fn done_with_usage() -> Case {
    let details = json!({ "cached_tokens": 4 });
    let used = json!({ "prompt_tokens": 10, "completion_tokens": 5,
        "prompt_tokens_details": details });
    let mut told = usage(6, 5);
    told["cacheReadTokens"] = json!(4);
    Case::new(
        [line(
            "done",
            json!({ "usage": used, "finish_reason": "length" }),
        )],
        json!([
            { "type": "usage", "usage": told, "isTotal": true },
            { "type": "done", "stopReason": "max_tokens" },
        ]),
    )
}

pub(super) fn done_with_usage_of_gemini() -> Case {
    let used = json!({ "promptTokenCount": 10, "cachedContentTokenCount": 4,
        "candidatesTokenCount": 5, "thoughtsTokenCount": 2 });
    let mut told = usage(6, 7);
    told["cacheReadTokens"] = json!(4);
    told["reasoningTokens"] = json!(2);
    Case::new(
        [line(
            "done",
            json!({ "usage": used, "finish_reason": "STOP" }),
        )],
        json!([
            { "type": "usage", "usage": told, "isTotal": true },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    )
}

pub(super) fn delta() -> Case {
    let delta = |words: &str| line("delta", json!({ "content": words }));
    Case::new([delta("Hel"), delta("lo")], words("text", &["Hel", "lo"]))
}

pub(super) fn tool_call() -> Case {
    let data = json!({ "id": "t", "name": "look", "arguments": "{\"a\": 1}" });
    Case::new(
        [line("tool_call", data)],
        json!(call_events(0, "t", "look", json!({ "a": 1 }))),
    )
}

pub(super) fn tool_result_by_id() -> Case {
    let data = json!({ "id": "t", "name": "look", "arguments": "not JSON" });
    let asked = call_events(0, "t", "look", json!("not JSON"));
    let answered = answer_event("t", "look", json!("seen"));
    Case::new(
        [
            line("tool_call", data),
            line("tool_result", json!({ "id": "t", "content": "seen" })),
        ],
        json!([&asked[..], &[answered]].concat()),
    )
}

pub(super) fn content() -> Case {
    let content = |words: &str| line("content", json!({ "text": words }));
    Case::new(
        [content("Hel"), content("lo")],
        words("text", &["Hel", "lo"]),
    )
}

fn function_call(name: &str) -> Value {
    line("function_call", json!({ "name": name, "args": { "a": 1 } }))
}

pub(super) fn function_call_makes_its_id() -> Case {
    Case::new(
        [function_call("look"), function_call("look")],
        json!(
            [
                call_events(0, "call_0", "look", json!({ "a": 1 })),
                call_events(1, "call_1", "look", json!({ "a": 1 })),
            ]
            .concat()
        ),
    )
}

/// A response names the function: the oldest call of it that waits is meant.
pub(super) fn function_response() -> Case {
    let response = |name: &str| {
        line(
            "function_response",
            json!({ "name": name, "response": { "of": name } }),
        )
    };
    Case::new(
        [
            function_call("look"),
            function_call("hear"),
            response("hear"),
            response("look"),
        ],
        json!(
            [
                &call_events(0, "call_0", "look", json!({ "a": 1 }))[..],
                &call_events(1, "call_1", "hear", json!({ "a": 1 })),
                &[
                    answer_event("call_1", "hear", json!({ "of": "hear" })),
                    answer_event("call_0", "look", json!({ "of": "look" })),
                ],
            ]
            .concat()
        ),
    )
}

pub(super) fn todo_write_tool() -> Case {
    let items = |status: &str| json!([todo("a", status)]);
    let write = |id: &str, status: &str| {
        let input = json!({ "todos": items(status) });
        line(
            "tool_use",
            json!({ "id": id, "name": "TodoWrite", "input": input }),
        )
    };
    let asked = |block: u64, id: &str, status: &str| {
        call_events(block, id, "TodoWrite", json!({ "todos": items(status) }))
    };
    Case::new(
        [write("t", "pending"), write("u", "completed")],
        json!(
            [
                &asked(0, "t", "pending")[..],
                &[json!({ "type": "todo_update", "todos": items("pending") })],
                &asked(1, "u", "completed"),
                &[json!({ "type": "todo_update", "todos": items("completed") })],
            ]
            .concat()
        ),
    )
}

pub(super) fn task_tool() -> Case {
    let input = json!({ "subagent_type": "Explore", "description": "Look", "prompt": "Look!" });
    Case::new(
        [
            line(
                "tool_use",
                json!({ "id": "t", "name": "Task", "input": input }),
            ),
            line(
                "tool_result",
                json!({ "tool_use_id": "t", "content": "Seen." }),
            ),
        ],
        json!(
            [
                &call_events(0, "t", "Task", input)[..],
                &[
                    json!({ "type": "subagent_start", "subagentId": "t", "name": "Explore",
                    "task": "Look" }),
                    answer_event("t", "Task", json!("Seen.")),
                    json!({ "type": "subagent_end", "subagentId": "t", "name": "Explore",
                    "summary": "Seen.", "isError": false }),
                ],
            ]
            .concat()
        ),
    )
}
