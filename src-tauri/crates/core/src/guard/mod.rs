//! Checks on text before it is sent, saved or shown.
//!
//! So far on the way in only, and only what makes a prompt impossible to answer. A refused
//! prompt reaches neither the database nor a source.

use weir_protocol::{ErrorBody, Image, code};

/// More than any model reads at once; what is longer was pasted by mistake.
pub const LONGEST_PROMPT: usize = 1024 * 1024;

/// What every provider takes, in base64.
const LARGEST_IMAGE: usize = 5 * 1024 * 1024;
const MOST_IMAGES: usize = 20;
const IMAGE_KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

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
    #[error("A picture is larger than 3.7 MB, more than providers take. Make it smaller.")]
    LargePicture,
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

pub fn check_prompt(prompt: &str, images: &[Image]) -> Result<(), Blocked> {
    if images.len() > MOST_IMAGES {
        return Err(Blocked::ManyPictures);
    }
    images.iter().try_for_each(check_image)?;
    if prompt.chars().all(is_invisible) {
        return Err(Blocked::Empty);
    }
    if prompt.len() > LONGEST_PROMPT {
        return Err(Blocked::TooLong(prompt.len()));
    }
    Ok(())
}

fn check_image(image: &Image) -> Result<(), Blocked> {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if image.data.len() > LARGEST_IMAGE {
        return Err(Blocked::LargePicture);
    }
    let known = IMAGE_KINDS.contains(&image.media_type.as_str());
    if known && !image.data.is_empty() && image.data.bytes().all(base64) {
        Ok(())
    } else {
        Err(Blocked::NoPicture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_pictures_and_nothing_else() {
        let image = |media_type: &str, data: &str| Image {
            media_type: media_type.into(),
            data: data.into(),
        };
        let large = "A".repeat(LARGEST_IMAGE + 1);
        let cases = [
            (vec![image("image/png", "aGk=")], Ok(())),
            (
                vec![image("image/svg+xml", "aGk=")],
                Err(Blocked::NoPicture),
            ),
            (vec![image("image/png", "")], Err(Blocked::NoPicture)),
            (vec![image("image/png", "a\"b")], Err(Blocked::NoPicture)),
            (vec![image("image/png", &large)], Err(Blocked::LargePicture)),
            (
                vec![image("image/png", "aGk="); 21],
                Err(Blocked::ManyPictures),
            ),
        ];
        for (images, expected) in cases {
            assert_eq!(check_prompt("look", &images), expected);
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
            assert_eq!(check_prompt(prompt, &[]), expected, "{prompt:?}");
        }
        let long = "x".repeat(LONGEST_PROMPT + 1);
        assert_eq!(check_prompt(&long, &[]), Err(Blocked::TooLong(long.len())));
        assert_eq!(check_prompt(&long[1..], &[]), Ok(()));
    }
}
