//! The confirmation window, beside the main one: read and answered as a person would.

use fantoccini::Locator;
use fantoccini::wd::WindowHandle;
use serde_json::Value;

use crate::wait::wait_for;
use crate::window::{Window, test_id};

impl Window {
    /// Waits for the confirmation of that title; reads it, and comes back to the main window.
    pub fn confirmation(&self, title: &str) -> Confirmation<'_> {
        let main = self.wait_on(self.client.window()).expect("the main window");
        let script = "return [document.querySelector('[role=alertdialog] h1')?.textContent ?? null, document.body.innerText]";
        let (handle, text) = wait_for(&format!("the confirmation {title:?}"), || {
            let others = self.other_windows(&main);
            let found = others.into_iter().find_map(|handle| {
                let shown = self.within(&handle, script)?;
                (shown[0] == title).then(|| (handle, shown[1].as_str().unwrap_or("").to_owned()))
            });
            self.switch_to(&main);
            found
        });
        Confirmation {
            window: self,
            main,
            handle,
            text,
        }
    }

    /// Accepts the confirmation of that title.
    pub fn accept(&self, title: &str) {
        self.confirmation(title).press("accept");
    }

    /// Cancels the confirmation of that title.
    pub fn cancel(&self, title: &str) {
        self.confirmation(title).press("cancel");
    }

    fn other_windows(&self, main: &WindowHandle) -> Vec<WindowHandle> {
        let all = self.wait_on(self.client.windows()).unwrap_or_default();
        all.into_iter().filter(|handle| handle != main).collect()
    }

    fn switch_to(&self, handle: &WindowHandle) -> bool {
        let switched = self.client.switch_to_window(handle.clone());
        self.wait_on(switched).is_ok()
    }

    /// What a script returns in a window, none where the window is gone.
    fn within(&self, handle: &WindowHandle, script: &str) -> Option<Value> {
        if !self.switch_to(handle) {
            return None;
        }
        self.wait_on(self.client.execute(script, Vec::new())).ok()
    }
}

/// A confirmation that is on the screen.
pub struct Confirmation<'a> {
    window: &'a Window,
    main: WindowHandle,
    handle: WindowHandle,
    text: String,
}

impl Confirmation<'_> {
    /// All that it shows.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Runs a script with a `return` in its page.
    pub fn evaluate(&self, script: &str) -> Value {
        let value = self.window.within(&self.handle, script);
        self.window.switch_to(&self.main);
        value.expect("a script runs in the confirmation")
    }

    pub fn is_open(&self) -> bool {
        self.window.other_windows(&self.main).contains(&self.handle)
    }

    /// Its inner size, and a picture of it.
    pub fn screenshot(&self, name: &str, width: u32, height: u32) {
        let Window { client, .. } = self.window;
        self.window.switch_to(&self.handle);
        let resized = self
            .window
            .wait_on(client.set_window_rect(0, 0, width, height));
        resized.expect("the confirmation can be resized");
        let script = "return [innerWidth, innerHeight, document.querySelector('[data-testid=accept]').ariaDisabled]";
        let shown = || self.window.evaluate(script);
        self.window.until("the confirmation's new size", || {
            shown() == serde_json::json!([width, height, "false"])
        });
        self.window.screenshot(name);
        self.window.switch_to(&self.main);
    }

    /// Clicks a button as soon as that counts; a click before would begin the time anew.
    pub fn press(self, button: &str) {
        let selector = test_id(button);
        let window = self.window;
        let readable = "return document.querySelector('[data-testid=accept]')?.ariaDisabled";
        window.until(&format!("the end of the confirmation by {button}"), || {
            window.until("a confirmation that takes an answer", || {
                let state = window.within(&self.handle, readable);
                state.is_none_or(|state| state == "false")
            });
            if let Ok(element) = window.wait_on(window.client.find(Locator::Css(&selector))) {
                // It may close under the click.
                let _ = window.wait_on(element.click());
            }
            window.switch_to(&self.main);
            !self.is_open()
        });
    }
}
