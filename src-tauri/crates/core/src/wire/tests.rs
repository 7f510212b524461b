use proptest::prelude::*;

use super::{Frame, FrameError, Framer, Framing};

type Owned = (String, String);

/// The frames of `pieces`, pushed one by one, and whether one was too large.
fn frames<'a>(
    mut framer: Framer,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Owned>, Result<(), FrameError>) {
    let mut found = Vec::new();
    let mut keep = |frame: Frame<'_>| found.push((frame.event.to_owned(), frame.data.to_owned()));
    for piece in pieces {
        if let Err(too_large) = framer.push(piece, &mut keep) {
            return (found, Err(too_large));
        }
    }
    framer.finish(&mut keep);
    (found, Ok(()))
}

/// Reads `bytes` whole and in every small split, and holds each to `expected`.
fn check(framing: Framing, bytes: &[u8], expected: &[(&str, &str)]) {
    for split in [usize::MAX, 1, 2, 3, 7, 64] {
        let (found, result) = frames(Framer::new(framing), bytes.chunks(split));
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(event, data)| (event.as_str(), data.as_str()))
            .collect();
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(found, expected, "{text:?} split by {split}");
        assert_eq!(result, Ok(()));
    }
}

#[test]
fn sse_rules() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("", &[]),
        ("data: a\n\n", &[("", "a")]),
        ("data: a\r\n\r\n", &[("", "a")]),
        ("data: a\r\r", &[("", "a")]),
        ("data: a\r\n\rdata: b\n\n", &[("", "a"), ("", "b")]),
        ("\u{feff}data: a\n\n", &[("", "a")]),
        (
            "data: \u{feff}a\n\n\u{feff}data: b\n\n",
            &[("", "\u{feff}a")],
        ),
        ("event: x\ndata: a\n\n", &[("x", "a")]),
        ("data: a\nevent: x\n\n", &[("x", "a")]),
        ("event: x\nevent: y\ndata: a\n\n", &[("y", "a")]),
        ("event: x\ndata: a\n\ndata: b\n\n", &[("x", "a"), ("", "b")]),
        // An event without data is dropped, and its name with it.
        ("event: x\n\ndata: a\n\n", &[("", "a")]),
        ("data: a\ndata: b\ndata:\ndata: c\n\n", &[("", "a\nb\n\nc")]),
        // One space is removed, not more, and no space is needed.
        ("data:a\n\n", &[("", "a")]),
        ("data:  a \n\n", &[("", " a ")]),
        ("data:\ta\n\n", &[("", "\ta")]),
        ("data: a:b: c\n\n", &[("", "a:b: c")]),
        (": a comment\ndata: a\n:\n\n", &[("", "a")]),
        ("data\n\ndata\ndata\n\n", &[("", ""), ("", "\n")]),
        (
            "id: 7\nretry: 10\ndata: a\nother: b\nDATA: c\n data: d\n\n",
            &[("", "a")],
        ),
        ("\n\n\ndata: a\n\n\n\n", &[("", "a")]),
        // The end of the stream dispatches what is there.
        ("data: a", &[("", "a")]),
        ("data: a\n", &[("", "a")]),
        ("event: x\ndata: a\ndata: b", &[("x", "a\nb")]),
        ("event: x\n", &[]),
        ("data: größer 猫 🦀\n\n", &[("", "größer 猫 🦀")]),
    ];
    for (bytes, expected) in table {
        check(Framing::Sse, bytes.as_bytes(), expected);
    }
}

#[test]
fn line_rules() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("", &[]),
        ("{}\n[]\n", &[("", "{}"), ("", "[]")]),
        ("{}\r\n[]\r1\n", &[("", "{}"), ("", "[]"), ("", "1")]),
        ("\n \n\t\r\n{}\n\n", &[("", "{}")]),
        ("{}", &[("", "{}")]),
        ("\u{feff}{}\n", &[("", "{}")]),
        ("\u{feff}{}", &[("", "{}")]),
        ("\"猫🦀\"\n", &[("", "\"猫🦀\"")]),
    ];
    for (bytes, expected) in table {
        check(Framing::Lines, bytes.as_bytes(), expected);
    }
}

#[test]
fn invalid_utf8_is_replaced() {
    check(
        Framing::Sse,
        b"event: \xFF\ndata: a\xC3\n\n",
        &[("\u{fffd}", "a\u{fffd}")],
    );
    check(
        Framing::Lines,
        b"a\xF0\x9F\nb\n",
        &[("", "a\u{fffd}"), ("", "b")],
    );
}

/// What would be copied is outside the pushed slice; what is handed out must lie inside it.
#[test]
fn a_frame_inside_one_read_is_borrowed() {
    for framing in [Framing::Sse, Framing::Lines] {
        let bytes = b"event: x\ndata: {\"a\":1}\n\nevent: y\ndata: {}\n\n";
        let inside = bytes.as_ptr_range();
        let mut count = 0;
        let mut each = |frame: Frame<'_>| {
            count += 1;
            assert!(inside.contains(&frame.data.as_ptr()));
        };
        Framer::new(framing).push(bytes, &mut each).unwrap();
        assert!(count >= 2);
    }
}

#[test]
fn memory_is_bounded_however_the_frame_grows() {
    let long_line = b"data: 0123456789012345678901234567890123456789";
    let many_lines = b"data: 0123456789\ndata: 0123456789\ndata: 0123456789\n";
    let names = b"event: 0123456789\nevent: 0123456789\nevent: 0123456789\n";
    let comment = b": 0123456789012345678901234567890123456789012345678901234567890";
    for bytes in [&long_line[..], many_lines, names, comment] {
        for split in [usize::MAX, 1, 2, 3, 7] {
            let stream = [b"data: ok\n\n", bytes].concat();
            let framer = Framer::with_limit(Framing::Sse, 40);
            let (found, result) = frames(framer, stream.chunks(split));
            assert_eq!(found, [(String::new(), "ok".to_owned())]);
            assert_eq!(result, Err(FrameError::TooLarge), "split by {split}");
        }
    }
    let framer = Framer::with_limit(Framing::Lines, 40);
    let (_, result) = frames(framer, long_line.chunks(1));
    assert_eq!(result, Err(FrameError::TooLarge));
}

#[test]
fn what_is_not_kept_does_not_count() {
    let stream = ": a comment\nid: 12345\ndata: a\n\n".repeat(100) + &": more\n".repeat(100);
    let framer = Framer::with_limit(Framing::Sse, 40);
    let (found, result) = frames(framer, stream.as_bytes().chunks(5));
    assert_eq!((found.len(), result), (100, Ok(())));
}

#[test]
fn the_default_limit_takes_a_large_frame_and_refuses_a_larger_one() {
    let frame = |size: usize| format!("data: {}\n\n", "x".repeat(size));
    let read = |size| {
        frames(
            Framer::new(Framing::Sse),
            frame(size).as_bytes().chunks(8_192),
        )
        .1
    };
    assert_eq!(read(super::MAX_FRAME - 6), Ok(()));
    assert_eq!(read(super::MAX_FRAME - 5), Err(FrameError::TooLarge));
}

/// Streams made of the pieces in which framing goes wrong.
fn tricky() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"data: "[..]),
        Just(&b"data"[..]),
        Just(&b"event:"[..]),
        Just(&b":"[..]),
        Just(&b"\n"[..]),
        Just(&b"\r"[..]),
        Just(&b"\r\n"[..]),
        Just(&b"\n\n"[..]),
        Just("\u{feff}".as_bytes()),
        Just("猫🦀ß".as_bytes()),
        Just(&b"\xF0\x9F"[..]),
        Just(&b"{\"a\":1}"[..]),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// `bytes` cut at the given places.
fn cut_at<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn every_split_gives_the_same_frames(
        bytes in tricky(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        limit in prop_oneof![Just(24_usize), Just(1_000)],
    ) {
        for framing in [Framing::Sse, Framing::Lines] {
            let read = |pieces: Vec<&[u8]>| frames(Framer::with_limit(framing, limit), pieces);
            let whole = read(vec![&bytes]);
            prop_assert_eq!(&read(cut_at(&bytes, &cuts)), &whole);
            prop_assert_eq!(&read(bytes.chunks(1).collect()), &whole);
        }
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for framing in [Framing::Sse, Framing::Lines] {
            let (_, result) = frames(Framer::new(framing), bytes.chunks(5));
            prop_assert_eq!(result, Ok(()));
        }
    }
}

#[test]
fn lines_and_server_sent_events_in_one_stream() {
    let table: &[(&str, &[(&str, &str)])] = &[
        (
            "{\"a\":1}\n{\"b\":2}\n",
            &[("", "{\"a\":1}"), ("", "{\"b\":2}")],
        ),
        ("event: message\ndata: {}\n\n", &[("message", "{}")]),
        ("event: message\r\ndata: {}\r\n\r\n", &[("message", "{}")]),
        ("data: {}\nevent: complete\n\n", &[("complete", "{}")]),
        ("data: {\ndata: }\n\n", &[("", "{\n}")]),
        ("event:x\ndata:a\n\ndata:b\n\n", &[("x", "a"), ("", "b")]),
        // The blank lines were lost on the way.
        (
            "event: x\ndata: a\nevent: y\ndata: b\n",
            &[("x", "a"), ("y", "b")],
        ),
        // An agent's own line between two events ends the first.
        (
            "event: x\ndata: a\n{}\ndata: b\n\n",
            &[("x", "a"), ("", "{}"), ("", "b")],
        ),
        (": ping\n\nid: 7\nretry: 3\ndata: a\n\n", &[("", "a")]),
        ("event: x\n\ndata: a\n\n", &[("", "a")]),
        ("\u{feff}data: a\n\n", &[("", "a")]),
        ("  {\"a\":1}\n\n\n", &[("", "{\"a\":1}")]),
        (
            "note: this is no field\n",
            &[("", "note: this is no field")],
        ),
        ("data: no end", &[("", "no end")]),
        ("event: no data\n\n", &[]),
    ];
    for (text, expected) in table {
        check(Framing::LinesOrSse, text.as_bytes(), expected);
    }
}

#[test]
fn an_event_of_many_lines_is_bounded() {
    let framer = Framer::with_limit(Framing::LinesOrSse, 64);
    let bytes = "data: 0123456789\n".repeat(10);
    let (found, result) = frames(framer, [bytes.as_bytes()]);
    assert_eq!((found.len(), result), (0, Err(FrameError::TooLarge)));
}
