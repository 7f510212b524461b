//! Helpers that the agent sends out, and what they say beside its answer.

use super::*;

const TASK: &str = "Count words";

fn send() -> Value {
    let input = json!({ "subagent_type": "Explore", "description": TASK, "prompt": "Count." });
    assistant("m", json!([call("h", "Agent", input)]))
}

/// What these lines of the helper's add.
fn check_helper(lines: &[Value], expected: Value) {
    let before = events(&[send()]).len();
    let lines = lines.iter().map(|line| of_helper("h", line.clone()));
    let lines: Vec<Value> = [send()].into_iter().chain(lines).collect();
    assert_eq!(Value::Array(events(&lines).split_off(before)), expected);
}

fn status(message: &str) -> Value {
    json!({ "type": "status", "message": message })
}

#[test]
fn a_call_sends_a_helper_out_and_its_result_brings_it_back() {
    for tool in ["Task", "Agent"] {
        let input = json!({ "subagent_type": "Explore", "description": TASK, "prompt": "Count." });
        let lines = [
            assistant("m", json!([call("h", tool, input)])),
            answer("h", json!("two")),
        ];
        let found = events(&lines);
        assert_eq!(
            found[3],
            json!({ "type": "subagent_start", "subagentId": "h", "name": "Explore", "task": TASK })
        );
        assert_eq!(
            found[5],
            json!({ "type": "subagent_end", "subagentId": "h", "name": "Explore",
                "summary": "two", "isError": false })
        );
        assert_eq!(summary(&lines).tool_calls.len(), 1);
    }
}

#[test]
fn what_it_came_back_with_has_no_notes_for_the_agent() {
    let notes = json!([text_block("two"), text_block("agentId: a")]);
    let mut back = answer("h", notes);
    back["tool_use_result"] = json!({ "status": "completed", "content": [text_block("two")] });
    let found = events(&[send(), back]);
    assert_eq!(found.last().unwrap()["summary"], "two");
}

#[test]
fn its_words_are_status_lines_and_never_the_answer() {
    check_helper(
        &[
            assistant("n", json!([{ "type": "thinking", "thinking": "well" }])),
            assistant("n", json!([text_block(" I look. \n")])),
        ],
        json!([status("Explore: well"), status("Explore: I look.")]),
    );
}

#[test]
fn its_words_in_pieces_are_told_once_and_whole() {
    check_helper(
        &[
            message_start("n"),
            text_delta(0, "I "),
            text_delta(0, "look."),
            assistant("n", json!([text_block("I look.")])),
            stop(0),
            message_stop(),
        ],
        json!([status("Explore: I look.")]),
    );
    // Cut off, they are not lost.
    check_helper(&[text_delta(0, "half")], json!([status("Explore: half")]));
}

#[test]
fn its_calls_and_results_say_whose_they_are() {
    let detail = json!({ "parent_tool_use_id": "h" });
    check_helper(
        &[
            assistant("n", json!([call("t", "Bash", json!({ "command": "ls" }))])),
            answer("t", json!("a b")),
        ],
        json!([
            { "type": "tool_use_start", "id": 1, "toolCallId": "t", "name": "Bash",
              "executedBy": "source", "detail": detail },
            { "type": "tool_use_end", "id": 1, "input": { "command": "ls" } },
            { "type": "tool_result", "toolCallId": "t", "name": "Bash", "result": "a b",
              "isError": false, "detail": detail },
        ]),
    );
}

#[test]
fn its_prompt_plan_usage_and_errors_are_not_the_agent_s() {
    let prompt = json!({ "type": "user",
        "message": { "role": "user", "content": [text_block("Count.")] } });
    let plan = assistant(
        "n",
        json!([call("t", "TodoWrite", json!({ "todos": ["a"] }))]),
    );
    let mut used = assistant("n", json!([]));
    used["message"]["usage"] = json!({ "input_tokens": 7 });
    let error = piece(json!({ "type": "error", "error": { "message": "busy" } }));
    let lines = [prompt, plan, used].map(|line| of_helper("h", line));
    let found = events(&[&[send()], &lines[..]].concat());
    let kinds: Vec<&str> = found[4..]
        .iter()
        .map(|e| e["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["tool_use_start", "tool_use_end"]);
    assert!(
        summary(&[send(), of_helper("h", error), result()])
            .errors
            .is_empty()
    );
}

#[test]
fn its_lines_between_the_pieces_of_the_answer_do_not_disturb_it() {
    let lines = [
        send(),
        message_start("n"),
        text_delta(0, "main "),
        of_helper(
            "h",
            assistant(
                "o",
                json!([text_block("aside"), call("t", "Bash", json!({}))]),
            ),
        ),
        text_delta(0, "words"),
        assistant("n", json!([text_block("main words")])),
        stop(0),
    ];
    let summary = summary(&lines);
    assert_eq!(summary.text, "main words");
    assert_eq!(summary.message_ids, ["m", "n"]);
}

fn task(subtype: &str, more: Value) -> Value {
    let mut line = json!({ "type": "system", "subtype": subtype, "task_id": "a" });
    for (field, value) in more.as_object().unwrap() {
        line[field] = value.clone();
    }
    line
}

#[test]
fn task_lines_of_a_known_helper_tell_its_progress_and_no_more() {
    let about = json!({ "tool_use_id": "h", "subagent_type": "Explore", "description": TASK });
    let done = json!({ "tool_use_id": "h", "status": "completed", "summary": TASK });
    let doing = json!({ "tool_use_id": "h", "description": "Running ls" });
    check_last(&[send(), task("task_started", about)], json!([]));
    check_last(
        &[send(), task("task_progress", doing)],
        json!([status("Running ls")]),
    );
    check_last(
        &[send(), task("task_updated", json!({ "patch": {} }))],
        json!([]),
    );
    check_last(&[send(), task("task_notification", done)], json!([]));
}

#[test]
fn a_detached_helper_is_back_when_it_is_notified() {
    let mut launched = answer("h", json!("launched"));
    launched["tool_use_result"] = json!({ "isAsync": true, "status": "async_launched" });
    let about = json!({ "tool_use_id": "h", "status": "failed", "summary": "It broke." });
    let lines = [send(), launched, task("task_notification", about)];
    let found = events(&lines);
    let ends: Vec<&Value> = found
        .iter()
        .filter(|e| e["type"] == "subagent_end")
        .collect();
    let end = json!({ "type": "subagent_end", "subagentId": "h", "name": "Explore",
        "summary": "It broke.", "isError": true });
    assert_eq!(ends, [&end]);
}

#[test]
fn a_helper_that_no_call_sent_is_told_by_its_task_lines() {
    let about = json!({ "subagent_type": "Plan", "description": "Think ahead" });
    let done = json!({ "status": "completed", "summary": "Thought." });
    check(
        &[task("task_started", about), task("task_notification", done)],
        json!([
            { "type": "subagent_start", "subagentId": "a", "name": "Plan", "task": "Think ahead" },
            { "type": "subagent_end", "subagentId": "a", "name": "Plan", "summary": "Thought.",
              "isError": false },
        ]),
    );
}

#[test]
fn other_tasks_are_status_lines() {
    check(
        &[
            task(
                "task_started",
                json!({ "description": "npm test", "task_type": "local_bash" }),
            ),
            task(
                "task_notification",
                json!({ "status": "completed", "summary": "npm test ended" }),
            ),
        ],
        json!([status("npm test"), status("npm test ended")]),
    );
}

#[test]
fn a_notification_that_names_only_the_task_means_its_helper() {
    let mut launched = answer("h", json!("launched"));
    launched["tool_use_result"] = json!({ "isAsync": true });
    let begun = json!({ "tool_use_id": "h", "subagent_type": "Explore" });
    let done = json!({ "status": "completed", "summary": "Two." });
    check_last(
        &[
            send(),
            task("task_started", begun),
            launched,
            task("task_notification", done),
        ],
        json!([{ "type": "subagent_end", "subagentId": "h", "name": "Explore",
            "summary": "Two.", "isError": false }]),
    );
}

#[test]
fn a_helper_may_send_out_another() {
    let input = json!({ "subagent_type": "Plan", "description": "Think" });
    let found = events(&[
        send(),
        of_helper("h", assistant("n", json!([call("i", "Task", input)]))),
        of_helper("i", assistant("o", json!([text_block("well")]))),
        of_helper("h", answer("i", json!("thought"))),
    ]);
    let about = |event: &&Value| event["subagentId"] == "i" || event["type"] == "status";
    let told: Vec<&Value> = found.iter().filter(about).collect();
    assert_eq!(
        json!(told),
        json!([
            { "type": "subagent_start", "subagentId": "i", "name": "Plan", "task": "Think" },
            status("Plan: well"),
            { "type": "subagent_end", "subagentId": "i", "name": "Plan", "summary": "thought",
              "isError": false },
        ])
    );
}

#[test]
fn its_calls_without_ids_are_not_the_agent_s() {
    let block = json!({ "type": "tool_use", "name": "Bash", "input": {} });
    let back = json!({ "type": "user",
        "message": { "content": [{ "type": "tool_result", "content": "seen" }] } });
    let lines = [
        send(),
        assistant("m", json!([block])),
        of_helper("h", assistant("n", json!([block]))),
        of_helper("h", back),
    ];
    let calls = summary(&lines).tool_calls;
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["h", "call_0", "h/call_0"]);
    let found = events(&lines);
    assert_eq!(found.last().unwrap()["toolCallId"], "h/call_0");
}
