//! `streamGenerateContent?alt=sse`: whole responses that carry a few words each, calls in one
//! piece, usage in every one, lines that end with CRLF.

use super::{OUTPUT_TOKENS, REASONING_TOKENS, Reply, Stream, quoted};

/// Its pieces are longer than those of others.
const PIECES_A_CHUNK: usize = 6;

pub(super) fn write(reply: &Reply) -> Stream {
    let mut out = String::new();
    let mut deltas = 0;
    // Every chunk counts what came so far.
    let mut visible = 0;
    for pieces in reply.thinking.chunks(PIECES_A_CHUNK) {
        let text = quoted(&pieces.concat());
        chunk(
            &mut out,
            &format!(r#"{{"text":{text},"thought":true}}"#),
            "",
            visible,
        );
        deltas += 1;
    }
    for pieces in reply.text.chunks(PIECES_A_CHUNK) {
        let text = quoted(&pieces.concat());
        visible += 1;
        chunk(&mut out, &format!(r#"{{"text":{text}}}"#), "", visible);
        deltas += 1;
    }
    for call in &reply.calls {
        let (name, input) = (call.name, call.pieces.concat());
        let call = format!(r#"{{"functionCall":{{"name":"{name}","args":{input}}}}}"#);
        chunk(&mut out, &call, "", visible);
    }
    let visible = OUTPUT_TOKENS - REASONING_TOKENS;
    chunk(
        &mut out,
        r#"{"text":""}"#,
        r#","finishReason":"STOP""#,
        visible,
    );
    Stream {
        dialect: "gemini",
        bytes: out.into(),
        deltas,
        says: reply.says(),
    }
}

fn chunk(out: &mut String, part: &str, finish: &str, visible: u64) {
    let total = 2469 + visible + REASONING_TOKENS;
    out.push_str(&format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{part}],\"role\":\"model\"}}{finish},\"index\":0}}],\"usageMetadata\":{{\"promptTokenCount\":2469,\"candidatesTokenCount\":{visible},\"totalTokenCount\":{total},\"cachedContentTokenCount\":2048,\"promptTokensDetails\":[{{\"modality\":\"TEXT\",\"tokenCount\":2469}}],\"thoughtsTokenCount\":{REASONING_TOKENS}}},\"modelVersion\":\"gemini-bench\",\"responseId\":\"bench\"}}\r\n\r\n"
    ));
}
