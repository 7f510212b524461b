//! What holds for every run.

use super::legacy::msg;
use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let change = json!({ "id": "item_3", "type": "file_change", "status": "completed",
        "changes": [{ "path": "ä", "kind": "add" }] });
    let asked = json!({ "id": "item_4", "type": "mcp_tool_call", "server": "s", "tool": "t",
        "arguments": {}, "result": { "content": [] }, "error": null, "status": "completed" });
    let search = |query: &str| json!({ "id": "item_5", "type": "web_search", "query": query });
    let helper = |tool: &str, states: Value| {
        json!({ "id": "item_6", "type": "collab_tool_call", "tool": tool, "prompt": "猫",
            "receiver_thread_ids": ["t"], "agents_states": states, "status": "completed" })
    };
    let list = |done: bool| {
        let items = json!([{ "text": "Ä", "completed": done }]);
        json!({ "id": "item_7", "type": "todo_list", "items": items })
    };
    vec![
        json!({ "type": "thread.started", "thread_id": "t" }),
        json!({ "type": "turn.started" }),
        item(
            "started",
            json!({ "id": "item_0", "type": "reasoning", "text": "grün 猫" }),
        ),
        thought("item_0", "grün 猫 🦀"),
        message("item_2", "Wörtchen"),
        command("started", "", json!(null)),
        command("completed", "猫が好き 🦀🦀\n", json!(0)),
        item("started", change.clone()),
        item("completed", change),
        item("completed", asked),
        item("started", search("")),
        item("completed", search("🦀?")),
        item("started", helper("spawn_agent", json!({}))),
        item(
            "completed",
            helper("spawn_agent", json!({ "t": { "status": "running" } })),
        ),
        item(
            "completed",
            helper(
                "wait",
                json!({ "t": { "status": "completed", "message": "ü" } }),
            ),
        ),
        item("started", list(false)),
        item("updated", list(true)),
        item(
            "completed",
            json!({ "id": "item_8", "type": "error", "message": "ö" }),
        ),
        item("completed", json!({ "id": "item_9", "type": "news" })),
        msg("agent_message_delta", json!({ "delta": "ß" })),
        json!({ "type": "news", "value": "🗞" }),
        message("item_10", "猫 🦀"),
        json!("kein JSON ß"),
        turn_completed(),
    ]
}

/// The agent's first protocol, and what goes wrong.
fn others() -> Vec<Value> {
    let usage = json!({ "input_tokens": 10, "output_tokens": 5 });
    let plan = json!([{ "step": "Ä", "status": "in_progress" }]);
    let exec = json!({ "call_id": "c", "command": ["ls"], "stdout": "ü", "exit_code": 1 });
    let asked = json!({ "call_id": "m", "invocation": {}, "result": { "Ok": { "content": [] } } });
    vec![
        json!({ "model": "gpt", "provider": "openai" }),
        json!({ "prompt": "hi" }),
        msg(
            "session_configured",
            json!({ "session_id": "s", "model": "gpt" }),
        ),
        msg("task_started", json!({})),
        msg("agent_message", json!({ "message": "ä" })),
        msg("agent_message_delta", json!({ "delta": "ä" })),
        msg("agent_reasoning", json!({ "text": "ö" })),
        msg("agent_reasoning_delta", json!({ "delta": "ö" })),
        msg("agent_reasoning_section_break", json!({})),
        msg("exec_command_begin", exec.clone()),
        msg("exec_command_end", exec),
        msg("patch_apply_begin", json!({ "changes": { "a": {} } })),
        msg("mcp_tool_call_begin", asked.clone()),
        msg("mcp_tool_call_end", asked),
        msg("web_search_begin", json!({})),
        msg("web_search_end", json!({ "query": "q" })),
        msg(
            "token_count",
            json!({ "info": { "total_token_usage": usage } }),
        ),
        msg("plan_update", json!({ "plan": plan })),
        msg("stream_error", json!({ "message": "ü" })),
        msg("error", json!({ "message": "ü" })),
        msg("task_complete", json!({ "last_agent_message": "ä" })),
        msg("turn_aborted", json!({ "reason": "interrupted" })),
        message("", "ä"),
        command("updated", "ü", json!(2)),
        json!({ "type": "error", "message": "ü" }),
        json!({ "type": "turn.failed", "error": { "message": "ü" } }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::laws_of_agents);
}
