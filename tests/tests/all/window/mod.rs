//! End to end in the real window, on a real screen, with a real keychain.

mod broken;
mod budget;
mod confirm;
mod confirmation;
mod environment;
mod flood;
mod guards;
mod hooks;
mod lost_database;
mod moving;
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

use weir_tests::wait::wait_for;
use weir_tests::{Display, Lock, Sandbox, Window};

/// A person's desk: a screen, a keychain, a home.
struct Desk {
    display: Display,
    sandbox: Sandbox,
}

impl Desk {
    fn new() -> Self {
        Self::with_keychain(Lock::Unlocked)
    }

    fn with_keychain(lock: Lock) -> Self {
        let sandbox = Sandbox::with_keychain(lock);
        let display = Display::start(&sandbox);
        Self { display, sandbox }
    }

    fn open(&self) -> Window {
        Window::open(&self.sandbox, &self.display)
    }

    /// With a screen reader, which has to run already.
    fn open_accessible(&self) -> Window {
        Window::open_accessible(&self.sandbox, &self.display)
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = self
            .sandbox
            .command("xdotool")
            .env("DISPLAY", self.display.name())
            .args(arguments)
            .output()
            .expect("xdotool is there: run `make setup`");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The windows of that title that are on the screen.
    fn visible(&self, title: &str) -> Vec<String> {
        let title = format!("^{}$", title.replace('?', r"\?"));
        let found = self.xdotool(&["search", "--onlyvisible", "--name", &title]);
        found.lines().map(str::to_owned).collect()
    }

    /// The windows of programs that are on the screen, the lowest first.
    fn stack(&self) -> Vec<String> {
        let found = self.xdotool(&["search", "--maxdepth", "1", "--onlyvisible", "--class", "."]);
        found.lines().map(str::to_owned).collect()
    }

    /// Waits for the file picker of that title and saves under that path.
    fn save_as(&self, title: &str, path: &std::path::Path) {
        let picker = wait_for("the file picker", || self.visible(title).pop());
        // There is no window manager on this screen to give it the focus.
        self.xdotool(&["windowfocus", "--sync", &picker]);
        self.xdotool(&["key", "ctrl+a"]);
        self.xdotool(&["type", "--delay", "20", path.to_str().unwrap()]);
        self.xdotool(&["key", "Return"]);
    }

    /// Where the windows of that title are, and how large.
    fn visible_at(&self, title: &str) -> Vec<String> {
        let windows = self.visible(title).into_iter();
        let places = windows.map(|id| self.xdotool(&["getwindowgeometry", &id]));
        places.collect()
    }
}

/// Stores a key for the source that the settings show, and confirms it.
fn store_key(window: &Window, key: &str) {
    window.type_into("settings-key", key);
    window.click("settings-key-save");
    window.accept("Store this key?");
}

/// Gives the source that the settings show another address, and confirms it.
fn set_address(window: &Window, url: &str) {
    window.replace("settings-base-url", url);
    window.accept("Change the address?");
    let stored = format!("{url}/");
    let field = "return document.querySelector('[data-testid=\"settings-base-url\"]')?.value ?? ''";
    window.until("the new address", || {
        window.evaluate(field) == stored.as_str()
    });
}

/// Letters and digits alone: what was read, whatever marks were drawn around it.
fn words(texts: &[String]) -> String {
    let letters = texts.iter().flat_map(|text| text.chars());
    letters.filter(|letter| letter.is_alphanumeric()).collect()
}
