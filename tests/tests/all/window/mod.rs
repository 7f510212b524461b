//! End to end in the real window, on a real screen, with a real keychain.

mod broken;
mod budget;
mod confirm;
mod guards;
mod hooks;
mod neighbour;
mod permission;
mod pictures;
mod providers;
mod restart;
mod safety;
mod sessions;
mod settings;
mod startup;
mod turn;

use weir_tests::{Display, Lock, Place, Window};

/// A person's desk: a screen, a keychain, a home.
struct Desk {
    display: Display,
    place: Place,
}

impl Desk {
    fn new() -> Self {
        Self::with_keychain(Lock::Unlocked)
    }

    fn with_keychain(lock: Lock) -> Self {
        let place = Place::with_keychain(lock);
        let display = Display::start(&place);
        Self { display, place }
    }

    fn open(&self) -> Window {
        Window::open(&self.place, &self.display)
    }
}

/// Letters and digits alone: what was read, whatever marks were drawn around it.
fn words(texts: &[String]) -> String {
    let letters = texts.iter().flat_map(|text| text.chars());
    letters.filter(|letter| letter.is_alphanumeric()).collect()
}
