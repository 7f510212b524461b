//! What makes a prompt impossible to answer: nothing in it, too much of it, no picture.
//!
//! A refused prompt reaches neither the database nor a source.

use weir_protocol::{ErrorBody, Image, code};

/// More than any model reads at once; what is longer was pasted by mistake.
pub const LONGEST_PROMPT: usize = 1024 * 1024;

/// What providers take, in base64, of one picture and of all that go with a prompt.
const LARGEST_IMAGE: usize = 5 * 1024 * 1024;
pub(crate) const ALL_IMAGES: usize = 15 * 1024 * 1024;
const MOST_IMAGES: usize = 20;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    #[error("The prompt is empty. Type something to send.")]
    Empty,
    #[error(
        "The prompt is {0} bytes long; Weir sends at most {LONGEST_PROMPT}. Shorten it or send it in parts."
    )]
    TooLong(usize),
    #[error("Weir sends PNG, JPEG, GIF and WebP pictures, and this is none.")]
    NoPicture,
    #[error("A picture is larger than 3.9 MB, more than providers take. Make it smaller.")]
    LargePicture,
    #[error("The pictures are larger than 11 MB together, more than providers take. Send fewer.")]
    LargePictures,
    #[error("At most {MOST_IMAGES} pictures go with one prompt.")]
    ManyPictures,
}

impl Blocked {
    pub fn body(&self) -> ErrorBody {
        ErrorBody::new(code::BAD_INPUT, self.to_string())
    }
}

/// White space, and what takes no space at all: joiners, marks of direction, soft hyphens.
fn is_invisible(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || matches!(letter, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

pub fn check_prompt(prompt: &str) -> Result<(), Blocked> {
    if prompt.chars().all(is_invisible) {
        return Err(Blocked::Empty);
    }
    if prompt.len() > LONGEST_PROMPT {
        return Err(Blocked::TooLong(prompt.len()));
    }
    Ok(())
}

/// Lets pictures pass, each under the name of what it really is: providers look, and refuse a
/// picture under another's name in every turn that follows.
pub fn check_images(images: &mut [Image]) -> Result<(), Blocked> {
    if images.len() > MOST_IMAGES {
        return Err(Blocked::ManyPictures);
    }
    if images.iter().any(|image| image.data.len() > LARGEST_IMAGE) {
        return Err(Blocked::LargePicture);
    }
    if images.iter().map(|image| image.data.len()).sum::<usize>() > ALL_IMAGES {
        return Err(Blocked::LargePictures);
    }
    for image in images {
        image.media_type = image_kind(&image.data)
            .ok_or(Blocked::NoPicture)?
            .to_owned();
    }
    Ok(())
}

/// What a picture is, by its first bytes in base64.
fn image_kind(data: &str) -> Option<&'static str> {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if !data.bytes().all(base64) {
        return None;
    }
    let starts = [
        ("iVBORw0KGgo", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD", "image/gif"),
    ];
    let kind = starts.iter().find(|(start, _)| data.starts_with(start));
    // "RIFF", the length, "WEBP".
    let webp = data.starts_with("UklGR") && data.get(12..16) == Some("RUJQ");
    kind.map(|(_, kind)| *kind)
        .or_else(|| webp.then_some("image/webp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_pictures_by_what_they_are_and_nothing_else() {
        let image = |data: &str| Image {
            media_type: "image/png".into(),
            data: data.into(),
        };
        let long = |length: usize| format!("/9j/{}", "A".repeat(length));
        let cases = [
            (vec![image("iVBORw0KGgoAAAANSUhEUg==")], Ok("image/png")),
            (vec![image("/9j/4AAQ")], Ok("image/jpeg")),
            (vec![image("R0lGODlh")], Ok("image/gif")),
            (vec![image("UklGRiIAAABXRUJQVlA4")], Ok("image/webp")),
            (vec![image("UklGRiIAAABXQVZF")], Err(Blocked::NoPicture)),
            (vec![image("PHN2Zz48L3N2Zz4=")], Err(Blocked::NoPicture)),
            (vec![image("")], Err(Blocked::NoPicture)),
            (vec![image("/9j/\"b")], Err(Blocked::NoPicture)),
            (
                vec![image(&long(LARGEST_IMAGE))],
                Err(Blocked::LargePicture),
            ),
            (
                vec![image(&long(LARGEST_IMAGE - 4)); 4],
                Err(Blocked::LargePictures),
            ),
            (vec![image("/9j/"); 21], Err(Blocked::ManyPictures)),
        ];
        for (mut images, expected) in cases {
            let checked = check_images(&mut images).map(|()| images[0].media_type.as_str());
            assert_eq!(checked, expected);
        }
    }

    #[test]
    fn refuses_what_cannot_be_answered() {
        let cases = [
            ("", Err(Blocked::Empty)),
            (" \n\t", Err(Blocked::Empty)),
            ("\u{200B}\u{FEFF}\u{202E}", Err(Blocked::Empty)),
            (".", Ok(())),
        ];
        for (prompt, expected) in cases {
            assert_eq!(check_prompt(prompt), expected, "{prompt:?}");
        }
        let long = "x".repeat(LONGEST_PROMPT + 1);
        assert_eq!(check_prompt(&long), Err(Blocked::TooLong(long.len())));
        assert_eq!(check_prompt(&long[1..]), Ok(()));
    }
}
