//! OpenAI's Responses API.

use serde_json::{Value, json};
use weir_tests::events::{content, of_kind, session};
use weir_tests::{Reply, Sandbox, Server};

use super::{chat, list, notes, refused, stream};

const VERIFY: &str = "Your organization must be verified to generate reasoning summaries. Please \
    go to: https://platform.openai.com/settings/organization/general and click on Verify \
    Organization.";

/// Thinks, says something, and asks for a tool where `call` names one.
fn reply(number: u32, call: Option<&str>) -> Reply {
    let reasoning = json!({"type": "reasoning", "id": format!("rs_{number}"), "summary": [],
        "encrypted_content": format!("sealed{number}")});
    let message = json!({"type": "message", "id": format!("msg_{number}"), "role": "assistant",
        "status": "completed", "phase": "final_answer",
        "content": [{"type": "output_text", "text": "So.", "annotations": []}]});
    let mut output = vec![reasoning, message];
    output.extend(call.map(|id| {
        json!({"type": "function_call", "id": format!("fc_{number}"), "call_id": id,
            "name": "fly", "arguments": "{}", "status": "completed"})
    }));
    let response = |status: &str, output: &[Value]| json!({"id": "r1", "model": "scripted", "status": status, "output": output});
    let created = json!({"type": "response.created", "response": response("in_progress", &[])});
    let mut events = vec![created];
    for (index, item) in output.iter().enumerate() {
        for kind in ["added", "done"] {
            events.push(json!({"type": format!("response.output_item.{kind}"),
                "output_index": index, "item": item}));
        }
    }
    let completed = response("completed", &output);
    events.push(json!({"type": "response.completed", "response": completed}));
    stream(&events)
}

/// As the API does, whatever the types say.
fn judge(body: &Value) -> Option<Reply> {
    let input = list(&body["input"]);
    for (at, item) in input.iter().enumerate() {
        let kind = item["type"].as_str().unwrap_or_default();
        let is_item = kind == "reasoning" || item["content"][0]["type"] == "output_text";
        if is_item && item["id"].as_str().is_none_or(str::is_empty) {
            let param = format!("input[{at}].id");
            return Some(refused(
                &format!("Missing required parameter: '{param}'."),
                &param,
            ));
        }
        if kind == "reasoning" && item["encrypted_content"].is_null() {
            let message = "Item not found. Items are not persisted when `store` is set to false.";
            return Some(refused(message, "input"));
        }
        let next = &input.get(at + 1).unwrap_or(&Value::Null)["type"];
        if kind == "reasoning" && *next != "message" && *next != "function_call" {
            let message = "Item of type 'reasoning' was provided without its required following \
                item.";
            return Some(refused(message, "input"));
        }
        for part in list(&item["content"]) {
            let wants = match part["type"].as_str().unwrap_or_default() {
                "output_text" => "annotations",
                "input_image" => "detail",
                _ => continue,
            };
            if part[wants].is_null() {
                let message = format!("Missing required parameter: '{wants}'.");
                return Some(refused(&message, wants));
            }
        }
    }
    None
}

#[test]
fn items_go_back_as_they_came_through_a_loop_of_tools() {
    let sandbox = Sandbox::new();
    let replies = [
        reply(1, Some("call_a")),
        reply(2, Some("call_b")),
        reply(3, None),
        reply(4, None),
    ];
    let server = Server::judging(Box::new(|request| judge(&request.body)), replies);
    let model = ["--model", "gpt-5.4", "Fly!"];
    let events = chat(&sandbox, "openai", &server, &model)
        .run()
        .code(0)
        .events();
    let id = session(&events);
    let more = ["--model", "gpt-5.4", "--session", &id, "Again!"];
    chat(&sandbox, "openai", &server, &more).run().code(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    let shape = |item: &Value| match item["type"].as_str().unwrap_or_default() {
        "message" if item["role"] == "user" => "user".to_owned(),
        "function_call" | "function_call_output" => item["call_id"].to_string(),
        _ => item["id"].to_string(),
    };
    let input: Vec<String> = list(&requests[3].body["input"]).iter().map(shape).collect();
    let expected = [
        "user",
        "\"rs_1\"",
        "\"msg_1\"",
        "\"call_a\"",
        "\"call_a\"",
        "\"rs_2\"",
        "\"msg_2\"",
        "\"call_b\"",
        "\"call_b\"",
        "\"rs_3\"",
        "\"msg_3\"",
        "user",
    ];
    assert_eq!(input, expected);
    let said = &requests[3].body["input"][2];
    assert_eq!(said["status"], "completed");
    assert_eq!(said["phase"], "final_answer");
}

#[test]
fn a_summary_that_is_refused_is_not_asked_for_again() {
    let sandbox = Sandbox::new();
    let unverified = |body: &Value| {
        let is_asked = !body["reasoning"]["summary"].is_null();
        is_asked.then(|| refused(VERIFY, "reasoning.summary"))
    };
    let server = Server::judging(
        Box::new(move |request| unverified(&request.body)),
        [reply(1, None), reply(2, None), reply(3, None)],
    );
    let model = ["--model", "gpt-5.4", "Why?"];
    let events = chat(&sandbox, "openai", &server, &model)
        .run()
        .code(0)
        .events();
    assert_eq!(content(of_kind(&events, "message")[0]), "So.");
    assert_eq!(of_kind(&events, "error").len(), 0);
    assert_eq!(of_kind(&events, "retry").len(), 0, "it is no failure");
    let told = notes(&events);
    assert!(told.len() == 1 && told[0].contains("verified"), "{told:?}");

    // Another process knows it, for another model too.
    let id = session(&events);
    let more = ["--model", "gpt-5.4", "--session", &id, "And then?"];
    let events = chat(&sandbox, "openai", &server, &more)
        .run()
        .code(0)
        .events();
    assert_eq!(notes(&events), Vec::<&str>::new(), "said once a session");
    let other = ["--model", "o3", "Why?"];
    chat(&sandbox, "openai", &server, &other).run().code(0);
    let requests = server.requests();
    let asked: Vec<bool> = requests
        .iter()
        .map(|request| !request.body["reasoning"]["summary"].is_null())
        .collect();
    assert_eq!(asked, [true, false, false, false]);
    for request in &requests {
        assert_eq!(
            request.body["reasoning"]["effort"], "medium",
            "the effort stays"
        );
    }
}

#[test]
fn a_level_that_is_refused_becomes_the_nearest_that_is_not() {
    let sandbox = Sandbox::new();
    let judge = |body: &Value| {
        let effort = body["reasoning"]["effort"].as_str().unwrap_or_default();
        let message = format!(
            "Unsupported value: '{effort}' is not supported with the 'gpt-6.1-terra' model. \
             Supported values are: 'low', 'medium', and 'high'."
        );
        (effort == "max").then(|| refused(&message, "reasoning.effort"))
    };
    let server = Server::judging(
        Box::new(move |request| judge(&request.body)),
        [reply(1, None), reply(2, None)],
    );
    let more = ["--model", "gpt-6.1-terra", "--thinking", "max", "Why?"];
    let events = chat(&sandbox, "openai", &server, &more)
        .run()
        .code(0)
        .events();
    assert!(
        notes(&events)[0].contains("\"high\""),
        "{:?}",
        notes(&events)
    );
    chat(&sandbox, "openai", &server, &more).run().code(0);
    let efforts: Vec<Value> = server
        .requests()
        .iter()
        .map(|request| request.body["reasoning"]["effort"].clone())
        .collect();
    assert_eq!(efforts, ["max", "high", "high"]);
}

/// Any other refusal is told as it is, and asked once.
#[test]
fn what_is_refused_for_another_reason_is_not_asked_again() {
    for (message, param) in [
        (
            "Your organization must be verified to stream this model.",
            "stream",
        ),
        ("Invalid 'reasoning': it is not an object.", "reasoning"),
        ("The model 'x' does not exist.", "model"),
    ] {
        let sandbox = Sandbox::new();
        let server = Server::judging(Box::new(move |_| Some(refused(message, param))), []);
        let model = ["--model", "gpt-5.4", "Why?"];
        let events = chat(&sandbox, "openai", &server, &model)
            .run()
            .code(1)
            .events();
        let error = &of_kind(&events, "error")[0]["error"]["message"];
        assert!(error.as_str().unwrap().contains(message), "{error}");
        assert_eq!(server.requests().len(), 1, "{message}");
    }
}
