//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let piece = json!({ "jsonPath": "$.ß", "stringValue": "猫", "willContinue": true });
    let other = json!({ "jsonPath": "$.a[1].b", "numberValue": 1 });
    let code = json!({ "language": "PYTHON", "code": "print('🐍')" });
    let search = json!({ "id": "s", "toolType": "GOOGLE_SEARCH", "args": { "query": "猫" } });
    let mut last = finish("STOP");
    last["usageMetadata"] = json!({ "promptTokenCount": 3, "candidatesTokenCount": 9 });
    last["candidates"][0]["groundingMetadata"] = json!({
        "groundingChunks": [{ "web": { "uri": "ö" } }, 3],
        "groundingSupports": [{ "groundingChunkIndices": [0], "segment": { "text": "ein" } }],
    });
    vec![
        thought("grün 猫 🦀"),
        part(json!({ "text": "", "thought": true, "thoughtSignature": "sig" })),
        text("ein Wörtchen\n\n"),
        signed("猫が好き 🦀🦀", "sig"),
        part(json!({ "executableCode": code })),
        part(json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "🐍" } })),
        part(json!({ "toolCall": search, "thoughtSignature": "sig" })),
        part(json!({ "toolResponse": { "id": "s", "toolType": "GOOGLE_SEARCH" } })),
        part(json!({ "inlineData": { "mimeType": "image/png", "data": "aGk=" } })),
        part(json!({ "fileData": { "mimeType": "image/png", "fileUri": "ü" } })),
        call(json!({ "name": "look", "args": { "ß": "猫" }, "id": "t" })),
        call(json!({ "name": "look", "willContinue": true })),
        call(json!({ "partialArgs": [piece, other], "willContinue": true })),
        call(json!({})),
        json!({ "news": "🗞" }),
        text("fertig"),
        last,
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    vec![
        finish("OTHER"),
        signed("", "sig"),
        parts(json!([{ "text": "a" }, { "text": "b", "thought": true }])),
        json!({ "promptFeedback": { "blockReason": "SAFETY" }, "usageMetadata": {} }),
        json!({ "error": { "code": 429, "message": "ö" } }),
        json!({ "response": text("a") }),
        json!([text("a"), finish("STOP")]),
        json!("[DONE]"),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::each_call_once);
}
