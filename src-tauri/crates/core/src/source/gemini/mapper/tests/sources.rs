//! Grounding, citations and pages that were read.

use super::*;

fn web(uri: &str) -> Value {
    json!({ "web": { "uri": uri, "title": format!("Page {uri}") } })
}

fn segment(text: &str) -> Value {
    json!({ "startIndex": 0, "endIndex": text.len(), "text": text })
}

fn grounded(chunks: Value, supports: Value) -> Value {
    chunk(json!({
        "content": { "parts": [{ "text": "So it is." }] },
        "groundingMetadata": { "groundingChunks": chunks, "groundingSupports": supports,
            "webSearchQueries": ["so"], "searchEntryPoint": { "renderedContent": "<p>" } },
    }))
}

fn cited(events: &[StreamEvent]) -> Vec<(Option<String>, Option<String>)> {
    let mut cited = Vec::new();
    for event in events {
        if let StreamEvent::Citation { citation, .. } = event {
            cited.push((citation.url.clone(), citation.cited_text.clone()));
        }
    }
    cited
}

fn pair(url: &str, text: Option<&str>) -> (Option<String>, Option<String>) {
    (Some(url.to_owned()), text.map(str::to_owned))
}

#[test]
fn grounding_supports_tie_passages_to_chunks() {
    let support = json!({ "segment": segment("So"), "groundingChunkIndices": [0] });
    check(
        &[grounded(json!([web("a")]), json!([support]))],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "So it is." },
            { "type": "citation", "id": 0, "citation": {
                "url": "a", "title": "Page a", "citedText": "So",
                "raw": { "segment": segment("So"), "groundingChunk": web("a") } } },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn what_is_repeated_is_told_once_and_what_is_tied_to_nothing_last() {
    let support = |text: &str, places: Value| json!({ "segment": segment(text), "groundingChunkIndices": places });
    let chunks = json!([web("a"), web("b"), web("c")]);
    let events = read(&[
        grounded(chunks.clone(), json!([support("So", json!([0]))])),
        grounded(
            chunks,
            json!([support("So", json!([0])), support("it is.", json!([0, 1]))]),
        ),
        finish("STOP"),
    ]);
    assert_eq!(
        cited(&events),
        [
            pair("a", Some("So")),
            pair("a", Some("it is.")),
            pair("b", Some("it is.")),
            pair("c", None),
        ]
    );
    assert!(matches!(events.last(), Some(StreamEvent::Done { .. })));
}

#[test]
fn every_kind_of_chunk_has_its_address() {
    let chunks = json!([
        { "retrievedContext": { "uri": "gs://b/doc", "title": "Doc", "text": "as written" } },
        { "maps": { "uri": "maps", "title": "Place", "placeId": "p" } },
        { "image": { "sourceUri": "page", "imageUri": "picture" } },
    ]);
    let events = read(&[grounded(chunks, json!([]))]);
    assert_eq!(
        cited(&events),
        [
            pair("gs://b/doc", Some("as written")),
            pair("maps", None),
            pair("page", None),
        ]
    );
}

#[test]
fn citation_metadata_of_both_apis() {
    for list in ["citationSources", "citations"] {
        let source = json!({ "startIndex": 0, "endIndex": 3, "uri": "a", "license": "" });
        let events = read(&[chunk(json!({
            "content": { "parts": [{ "text": "So it is." }] },
            "citationMetadata": { list: [source] },
        }))]);
        assert_eq!(cited(&events), [pair("a", None)]);
    }
}

#[test]
fn url_context_metadata() {
    let page =
        |url: &str, status: &str| json!({ "retrievedUrl": url, "urlRetrievalStatus": status });
    let pages = json!([
        page("a", "URL_RETRIEVAL_STATUS_SUCCESS"),
        page("b", "URL_RETRIEVAL_STATUS_PAYWALL"),
    ]);
    let said = chunk(json!({
        "content": { "parts": [{ "text": "So it is." }] },
        "urlContextMetadata": { "urlMetadata": pages },
    }));
    check(
        &[said.clone(), said, finish("STOP")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "So it is." },
            { "type": "status",
              "message": "b could not be read: URL_RETRIEVAL_STATUS_PAYWALL" },
            { "type": "text_delta", "id": 0, "text": "So it is." },
            { "type": "citation", "id": 0, "citation": {
                "url": "a", "raw": page("a", "URL_RETRIEVAL_STATUS_SUCCESS") } },
            { "type": "text_end", "id": 0 },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    );
}

#[test]
fn a_page_that_a_passage_cites_is_not_told_again() {
    let support = json!({ "segment": segment("So"), "groundingChunkIndices": [0] });
    let mut said = grounded(json!([web("a")]), json!([support]));
    said["candidates"][0]["urlContextMetadata"] =
        json!({ "urlMetadata": [{ "retrievedUrl": "a" }] });
    assert_eq!(cited(&read(&[said])), [pair("a", Some("So"))]);
}

#[test]
fn places_that_are_no_place_are_raw() {
    let support = json!({ "segment": segment("So"), "groundingChunkIndices": [7, "x", 0] });
    let said = grounded(json!([web("a")]), json!([support]));
    let events = read(std::slice::from_ref(&said));
    assert_eq!(cited(&events), [pair("a", Some("So"))]);
    assert!(events.contains(&StreamEvent::Raw { value: said }));
}

#[test]
fn a_long_source_named_again_and_again_does_not_fill_the_memory() {
    let long = "x".repeat(1024 * 1024);
    let support = |text: usize| json!({ "segment": segment(&text.to_string()), "groundingChunkIndices": [0] });
    let supports: Vec<Value> = (0..10_000).map(support).collect();
    let events = read(&[grounded(json!([web(&long)]), json!(supports))]);
    let raws = events
        .iter()
        .filter(|event| matches!(event, StreamEvent::Raw { .. }));
    assert_eq!(raws.count(), 1);
    assert!(cited(&events).len() < 20);
}

#[test]
fn each_source_of_a_passage_keeps_its_confidence() {
    let support = json!({ "segment": segment("So"), "groundingChunkIndices": [1, 0, 2],
        "confidenceScores": [0.25, 0.9760876] });
    let chunks = json!([web("a"), web("b"), web("c")]);
    let events = testing::read_frames(&DIALECT, &[grounded(chunks, json!([support]))]);
    let mut scores = Vec::new();
    for event in &events {
        if let StreamEvent::Citation { citation, .. } = event {
            let url = citation.url.as_deref().unwrap_or_default();
            scores.push((url, citation.confidence));
        }
    }
    assert_eq!(
        scores,
        [("b", Some(0.25)), ("a", Some(0.9760876)), ("c", None)]
    );
}
