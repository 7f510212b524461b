//! The lists that the agent works off.

use weir_protocol::Todo;

use super::*;

/// The lists that these lines tell, in order: how each is told, and its lines as a person
/// reads them.
fn lists(lines: &[Value]) -> Vec<(String, Vec<String>)> {
    let told = events(lines).into_iter().filter_map(|event| {
        let how = event["type"].as_str()?.strip_prefix("todo_")?.to_owned();
        let todos: Vec<Todo> = serde_json::from_value(event["todos"].clone()).ok()?;
        Some((how, todos.iter().map(ToString::to_string).collect()))
    });
    told.collect()
}

fn told(how: &str, lines: &[&str]) -> (String, Vec<String>) {
    let lines = lines.iter().map(ToString::to_string).collect();
    (how.to_owned(), lines)
}

fn ask(id: &str, tool: &str, input: Value) -> Value {
    assistant(id, json!([call(id, tool, input)]))
}

#[test]
fn todo_write_is_a_todo_update_also_the_first_time() {
    let line = |content: &str, status: &str| json!({ "content": content, "status": status });
    let first = json!({ "todos": [line("a", "in_progress"), line("b", "pending")] });
    let then = json!({ "todos": [line("a", "completed"), line("b", "in_progress")] });
    let lines = [ask("t", "TodoWrite", first), ask("u", "TodoWrite", then)];
    let expected = [
        told("update", &["◐ a", "☐ b"]),
        told("update", &["☑ a", "◐ b"]),
    ];
    assert_eq!(lists(&lines), expected);
    // The calls are calls all the same.
    assert_eq!(summary(&lines).tool_calls.len(), 2);
}

#[test]
fn todo_write_in_pieces_is_told_once_when_its_input_ends() {
    let input = json!({ "todos": [{ "content": "a", "status": "pending" }] });
    let json = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
    let lines = [
        message_start("m"),
        start(0, call("t", "TodoWrite", json!({}))),
        delta(0, json),
        assistant("m", json!([call("t", "TodoWrite", input)])),
        stop(0),
    ];
    assert_eq!(lists(&lines), [told("update", &["☐ a"])]);
}

#[test]
fn task_create_and_task_update_keep_the_list() {
    let lines = [
        ask(
            "t",
            "TaskCreate",
            json!({ "subject": "a", "description": "do a" }),
        ),
        ask("u", "TaskCreate", json!({ "subject": "b" })),
        answer("u", json!("Task #2 created successfully: b")),
        answer("t", json!([text_block("Task #1 created successfully: a")])),
        ask(
            "v",
            "TaskUpdate",
            json!({ "taskId": "1", "status": "completed" }),
        ),
        ask(
            "w",
            "TaskUpdate",
            json!({ "taskId": "2", "status": "deleted", "subject": "c" }),
        ),
        ask(
            "x",
            "TaskUpdate",
            json!({ "taskId": "9", "status": "completed" }),
        ),
    ];
    let expected = [
        told("update", &["☐ a"]),
        told("update", &["☐ a", "☐ b"]),
        told("update", &["☑ a", "☐ b"]),
        told("update", &["☑ a", "☒ c"]),
    ];
    assert_eq!(lists(&lines), expected);
}

#[test]
fn a_task_that_could_not_be_made_is_taken_back() {
    let mut failed = answer("t", json!("no"));
    failed["message"]["content"][0]["is_error"] = json!(true);
    let lines = [ask("t", "TaskCreate", json!({ "subject": "a" })), failed];
    assert_eq!(
        lists(&lines),
        [told("update", &["☐ a"]), told("update", &[])]
    );
}

#[test]
fn lists_in_odd_shapes_lose_no_words() {
    let odd = json!({ "todos": ["a", { "title": "b", "done": true }, 7, { "x": 1 }] });
    let lines = [ask("t", "TodoWrite", odd)];
    assert_eq!(
        lists(&lines),
        [told("update", &["☐ a", "☑ b", "☐ 7", "☐ {\"x\":1}"])]
    );
    for input in [
        json!({}),
        json!({ "todos": 3 }),
        json!("cut {"),
        json!(null),
    ] {
        assert!(lists(&[ask("t", "TodoWrite", input)]).is_empty());
    }
}

#[test]
fn a_list_that_could_not_be_written_is_taken_back() {
    let mut failed = answer("u", json!("no such status"));
    failed["message"]["content"][0]["is_error"] = json!(true);
    let lines = [
        ask("t", "TodoWrite", json!({ "todos": ["a"] })),
        answer("t", json!("written")),
        ask("u", "TodoWrite", json!({ "todos": ["b"] })),
        failed,
    ];
    let expected = [["☐ a"], ["☐ b"], ["☐ a"]].map(|lines| told("update", &lines));
    assert_eq!(lists(&lines), expected);
}
