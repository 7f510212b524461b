use proptest::prelude::*;

use super::testing::{encode, event, exception, raw};
use super::*;
use crate::wire::{Framer, Framing};

type Owned = (String, String);

fn read<'a>(
    limit: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Owned>, Result<(), FrameError>) {
    let mut framer = Framer::with_limit(Framing::AwsEventStream, limit);
    let mut found = Vec::new();
    let mut keep = |frame: Frame<'_>| found.push((frame.event.to_owned(), frame.data.to_owned()));
    for piece in pieces {
        if let Err(error) = framer.push(piece, &mut keep) {
            return (found, Err(error));
        }
    }
    framer.finish(&mut keep);
    (found, Ok(()))
}

fn whole(bytes: &[u8]) -> (Vec<Owned>, Result<(), FrameError>) {
    read(1 << 20, [bytes])
}

fn owned(event: &str, data: &str) -> Owned {
    (event.to_owned(), data.to_owned())
}

fn stream() -> (Vec<u8>, Vec<Owned>) {
    let error = [
        (":message-type", "error"),
        (":error-code", "InternalFailure"),
        (":error-message", "It broke."),
    ];
    let bytes = [
        event("messageStart", r#"{"role":"assistant"}"#),
        event("contentBlockDelta", r#"{"delta":{"text":"Grüße 猫🦀"}}"#),
        event("empty", ""),
        exception("throttlingException", r#"{"message":"Slowly."}"#),
        encode(&error, b""),
        encode(&[], b"no headers"),
    ]
    .concat();
    let frames = vec![
        owned("messageStart", r#"{"role":"assistant"}"#),
        owned("contentBlockDelta", r#"{"delta":{"text":"Grüße 猫🦀"}}"#),
        owned("empty", ""),
        owned("exception:throttlingException", r#"{"message":"Slowly."}"#),
        owned("exception:InternalFailure", "It broke."),
        owned("", "no headers"),
    ];
    (bytes, frames)
}

#[test]
fn every_split_in_two_and_every_size_of_reads_gives_the_same_frames() {
    let (bytes, frames) = stream();
    for at in 0..=bytes.len() {
        let (first, second) = bytes.split_at(at);
        assert_eq!(
            read(1 << 20, [first, second]),
            (frames.clone(), Ok(())),
            "{at}"
        );
    }
    for size in 1..=bytes.len() {
        let found = read(1 << 20, bytes.chunks(size));
        assert_eq!(found, (frames.clone(), Ok(())), "reads of {size}");
    }
}

#[test]
fn a_stream_that_stops_anywhere_gives_the_frames_that_were_whole() {
    let (bytes, frames) = stream();
    for end in 0..bytes.len() {
        let (found, result) = read(1 << 20, bytes[..end].chunks(5));
        assert_eq!(result, Ok(()));
        assert_eq!(found[..], frames[..found.len()], "cut at {end}");
        assert!(found.len() < frames.len());
    }
}

/// Every bit is covered by one of the checksums.
#[test]
fn a_flipped_bit_anywhere_is_noticed() {
    let bytes = event("messageStop", r#"{"stopReason":"end_turn"}"#);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let (found, result) = whole(&damaged);
            assert_eq!(
                (found.len(), result),
                (0, Err(FrameError::Damaged)),
                "{at}.{bit}"
            );
        }
    }
}

#[test]
fn every_kind_of_header_is_skipped_and_a_torn_one_is_noticed() {
    let mut headers = Vec::new();
    let kinds: [(u8, &[u8]); 10] = [
        (0, b""),
        (1, b""),
        (2, b"\x01"),
        (3, b"\x01\x02"),
        (4, b"\x01\x02\x03\x04"),
        (5, b"12345678"),
        (6, b"\x00\x03abc"),
        (7, b"\x00\x02xy"),
        (8, b"87654321"),
        (9, b"0123456789abcdef"),
    ];
    for (kind, value) in kinds {
        headers.extend_from_slice(&[1, b'h', kind]);
        headers.extend_from_slice(value);
    }
    // A number under a name that must be text says nothing.
    headers.extend_from_slice(b"\x0b:event-type\x04\x00\x00\x00\x01");
    let named = headers.len();
    headers.extend_from_slice(b"\x0b:event-type\x07\x00\x01e");
    assert_eq!(whole(&raw(&headers, b"x")), (vec![owned("e", "x")], Ok(())));
    for end in 1..headers.len() {
        let (_, result) = whole(&raw(&headers[..end], b""));
        if result.is_ok() {
            // Between two headers.
            assert!(end <= named);
        }
    }
    for torn in [
        &b"\x05ab"[..],
        b"\x01h",
        b"\x01h\x0a",
        b"\x01h\x07\x00\x05ab",
        b"\x01h\x09short",
    ] {
        assert_eq!(
            whole(&raw(torn, b"")).1,
            Err(FrameError::Damaged),
            "{torn:?}"
        );
    }
}

#[test]
fn lengths_that_lie_are_refused_before_anything_is_held() {
    let prelude = |total: u32, headers: u32| {
        let mut bytes = [total.to_be_bytes(), headers.to_be_bytes()].concat();
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        bytes
    };
    for (total, headers, error) in [
        (0, 0, FrameError::Damaged),
        (15, 0, FrameError::Damaged),
        (16, 1, FrameError::Damaged),
        (100, u32::MAX, FrameError::Damaged),
        (u32::MAX, 0, FrameError::TooLarge),
        (u32::MAX, u32::MAX, FrameError::TooLarge),
        ((1 << 20) + 1, 0, FrameError::TooLarge),
        (1 << 20, 128 * 1024 + 1, FrameError::Damaged),
    ] {
        let bytes = prelude(total, headers);
        assert_eq!(whole(&bytes).1, Err(error), "{total} {headers}");
        assert_eq!(
            read(1 << 20, bytes.chunks(1)).1,
            Err(error),
            "{total} {headers}"
        );
    }
    assert_eq!(whole(&prelude(1 << 20, 128 * 1024)), (vec![], Ok(())));
}

#[test]
fn a_frame_inside_one_read_is_borrowed() {
    let bytes = [event("a", r#"{"a":1}"#), event("b", "{}")].concat();
    let inside = bytes.as_ptr_range();
    let mut count = 0;
    let mut each = |frame: Frame<'_>| {
        count += 1;
        assert!(inside.contains(&frame.data.as_ptr()));
    };
    Framer::new(Framing::AwsEventStream)
        .push(&bytes, &mut each)
        .unwrap();
    assert_eq!(count, 2);
}

/// What is told not to complete a frame completes none.
#[test]
fn completes_is_told_truly() {
    let bytes = event("contentBlockDelta", &"x".repeat(300));
    for at in 1..bytes.len() {
        let mut parser = AwsEventStreamParser::new(1 << 20);
        let mut count = 0;
        parser.push(&bytes[..at], &mut |_| count += 1).unwrap();
        for more in [1, 7, bytes.len() - at] {
            let piece = &bytes[at..(at + more).min(bytes.len())];
            let completes = parser.completes(piece);
            let reaches = at + piece.len() == bytes.len();
            assert!(completes || !reaches, "{at} and {more}");
            if at >= PRELUDE {
                assert_eq!(completes, reaches, "{at} and {more}");
            }
        }
    }
}

proptest! {
    #[test]
    fn garbage_never_panics_and_splits_alike(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        size in 1_usize..40,
    ) {
        prop_assert_eq!(read(1 << 20, bytes.chunks(size)), whole(&bytes));
    }

    #[test]
    fn any_headers_and_payload_come_back(
        payload in prop::collection::vec(any::<u8>(), 0..300),
        name in "[a-zA-Z]{1,20}",
        size in 1_usize..90,
    ) {
        let headers = [(":message-type", "event"), (":event-type", name.as_str())];
        let bytes = [encode(&headers, &payload), encode(&headers, &payload)].concat();
        let frame = (name.clone(), String::from_utf8_lossy(&payload).into_owned());
        let found = read(1 << 20, bytes.chunks(size));
        prop_assert_eq!(found, (vec![frame.clone(), frame], Ok(())));
    }
}
