//! Whether what stands there is a secret, and not what a manual puts in its place.

use std::ops::Range;

use crate::guard::shape::Shape;
use crate::guard::stretch::Stretch;

/// A value that tells by its own looks.
pub(in crate::guard) fn shaped(
    stretch: &Stretch,
    shape: &Shape,
    start: usize,
) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let before = start.checked_sub(1).map(|before| bytes[before]);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric()) || (start == 0 && stretch.joined) {
        return None;
    }
    shape.end(bytes, start).map(|end| start..end)
}

/// A value of the shape that is given to the name at `name`.
pub(in crate::guard) fn named(
    _stretch: &Stretch,
    _shapes: &[Shape],
    _name: Range<usize>,
) -> Option<Range<usize>> {
    None
}
