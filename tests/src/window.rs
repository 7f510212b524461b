//! The real window on a screen of its own, driven through WebDriver as a user would.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::TimeoutConfiguration;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::display::Display;
use crate::process::{self, Group, Signal};
use crate::sandbox::Sandbox;
use crate::wait::{HANGS, wait_for, wait_until};
use crate::weir::program;

pub struct Window {
    runtime: Runtime,
    pub(crate) client: Client,
    /// The environment variable that tells this window's process from any other.
    mark: String,
    driver: Group,
}

/// Who is told what is in the window, beside the eye.
#[derive(Clone, Copy)]
enum Reader {
    None,
    Screen,
}

impl Reader {
    fn no_bridge(self) -> &'static str {
        match self {
            Self::None => "1",
            Self::Screen => "0",
        }
    }
}

impl Window {
    pub fn open(sandbox: &Sandbox, display: &Display) -> Self {
        Self::open_for(sandbox, display, Reader::None)
    }

    /// As somebody has it whom a screen reader tells what is there.
    pub fn open_accessible(sandbox: &Sandbox, display: &Display) -> Self {
        Self::open_for(sandbox, display, Reader::Screen)
    }

    fn open_for(sandbox: &Sandbox, display: &Display, reader: Reader) -> Self {
        let [port, native_port] = free_ports();
        let driver = Group::spawn(
            sandbox
                .command(tauri_driver())
                .args(["--port", &port.to_string()])
                .args(["--native-port", &native_port.to_string()])
                .env("DISPLAY", display.name())
                .env("GDK_BACKEND", "x11")
                .env("NO_AT_BRIDGE", reader.no_bridge())
                // There is no graphics card.
                .env("LIBGL_ALWAYS_SOFTWARE", "1")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        for port in [port, native_port] {
            wait_until("the web driver", || {
                TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
            });
        }
        let runtime = Runtime::new().expect("a runtime starts");
        let application = program("weir-desktop");
        let capabilities = json!({
            "browserName": "wry",
            "tauri:options": { "application": application },
        });
        let client = runtime
            .block_on(
                ClientBuilder::new(HttpConnector::new())
                    .capabilities(capabilities.as_object().cloned().unwrap_or_default())
                    .connect(&format!("http://127.0.0.1:{port}")),
            )
            .expect("the window opens");
        // A page on a busy machine may take its time with a script.
        let hangs = TimeoutConfiguration::new(Some(HANGS), Some(HANGS), None);
        runtime
            .block_on(client.update_timeouts(hangs))
            .expect("a script may take long");
        Self {
            runtime,
            client,
            mark: format!("WEIR_DATA_DIR={}", sandbox.data().display()),
            driver,
        }
    }

    /// The page begins anew; the program behind it goes on.
    pub fn reload(&self) {
        self.wait_on(self.client.refresh())
            .expect("a page can be loaded again");
    }

    /// Ends the program at once, as `kill -9` would, and returns when it is gone.
    pub fn kill(self) {
        let processes = self.processes();
        assert!(!processes.is_empty(), "the program runs");
        for id in &processes {
            process::kill(*id, Signal::KILL);
        }
        wait_until("the program's end", || {
            processes.iter().all(|id| process::is_over(*id))
        });
    }

    /// Asks the program to end, as the system does at the end of a session.
    pub fn ask_to_end(&self) {
        for id in self.processes() {
            process::kill(id, Signal::TERM);
        }
    }

    pub fn is_over(&self) -> bool {
        self.processes().is_empty()
    }

    /// The program behind the window: one process, unless it has ended.
    pub fn processes(&self) -> Vec<u32> {
        process::find(&program("weir-desktop"), &self.mark, self.driver.id())
    }

    /// Waits for the first element of that test id to be on the page.
    pub fn see(&self, id: &str) -> Seen<'_> {
        let selector = test_id(id);
        self.see_css(&selector)
    }

    pub fn see_css(&self, selector: &str) -> Seen<'_> {
        let element = wait_for(selector, || {
            self.wait_on(self.client.find(Locator::Css(selector))).ok()
        });
        Seen {
            window: self,
            selector: selector.to_owned(),
            element,
        }
    }

    pub fn click(&self, id: &str) {
        self.see(id).click();
    }

    /// Types as a person would, after what is there already.
    pub fn type_into(&self, id: &str, text: &str) {
        self.see(id).type_text(text);
    }

    /// Types in place of what is there, and ends with Enter.
    pub fn replace(&self, id: &str, text: &str) {
        const CONTROL: char = '\u{e009}';
        const ENTER: char = '\u{e007}';
        self.see(id)
            .type_text(&format!("{CONTROL}a{CONTROL}{text}{ENTER}"));
    }

    /// Clicks the radio button of that value.
    pub fn choose(&self, id: &str, value: &str) {
        let selector = format!("{} [data-value=\"{value}\"]", test_id(id));
        self.see_css(&selector).click();
    }

    /// Chooses from a list that folds out.
    pub fn select(&self, id: &str, value: &str) {
        let selector = format!("{} option[value=\"{value}\"]", test_id(id));
        self.see_css(&selector).click();
    }

    /// Clicks what is only shown while the pointer or the keyboard is near, by the keyboard's way.
    pub fn click_near(&self, id: &str) {
        self.see(id);
        self.evaluate(&format!(
            "document.querySelector('{}').focus()",
            test_id(id)
        ));
        self.click(id);
    }

    pub fn open_session(&self, session: &str) {
        let selector = format!("[data-session-id=\"{session}\"] button");
        self.see_css(&selector).click();
    }

    /// Writes a prompt and sends it with the button.
    pub fn send(&self, prompt: &str) {
        self.type_into("composer", prompt);
        self.click("send");
    }

    pub fn count(&self, id: &str) -> usize {
        let script = format!("return document.querySelectorAll('{}').length", test_id(id));
        let count = self.evaluate(&script);
        usize::try_from(count.as_u64().unwrap_or(0)).unwrap_or(0)
    }

    /// The text of every element of that test id, in order, folded away or not.
    pub fn texts(&self, id: &str) -> Vec<String> {
        self.collect(id, "element.textContent")
    }

    pub fn attributes(&self, id: &str, name: &str) -> Vec<String> {
        self.collect(id, &format!("element.getAttribute('{name}') ?? ''"))
    }

    fn collect(&self, id: &str, expression: &str) -> Vec<String> {
        let script = format!(
            "return [...document.querySelectorAll('{}')].map((element) => {expression})",
            test_id(id)
        );
        let values = self.evaluate(&script);
        let values = values.as_array().cloned().unwrap_or_default();
        let texts = values.iter().map(|value| value.as_str().unwrap_or(""));
        texts.map(str::to_owned).collect()
    }

    pub fn until(&self, what: &str, holds: impl FnMut() -> bool) {
        wait_until(what, holds);
    }

    /// Waits for a whole reply at a human pace.
    pub fn until_end_of_reply(&self) {
        wait_until("the end of the reply", || {
            self.count("stop") == 0 && self.count("send") == 1
        });
    }

    /// From now on nothing in the page ends by itself after seconds: a busy machine may need
    /// longer for a click.
    pub fn hold_long_timers(&self) {
        self.evaluate(
            "const real = window.setTimeout;
            window.setTimeout = (work, after, ...rest) =>
                after >= 2000 ? 0 : real(work, after, ...rest);",
        );
    }

    /// From now on notes every value that an expression has, also those that are gone again before
    /// a test could look.
    pub fn record(&self, expression: &str) {
        self.evaluate(&format!(
            "window.recorded = [];
            const look = () => {{
                const value = {expression};
                if (value !== window.recorded.at(-1)) window.recorded.push(value);
            }};
            new MutationObserver(look).observe(document.body, {{
                subtree: true, childList: true, attributes: true, characterData: true,
            }});
            look();"
        ));
    }

    /// What was noted so far, in order.
    pub fn recorded(&self) -> Vec<String> {
        let values = self.evaluate("return window.recorded");
        let values = values.as_array().cloned().unwrap_or_default();
        let texts = values.iter().map(|value| value.as_str().unwrap_or(""));
        texts.map(str::to_owned).collect()
    }

    /// Runs a script with a `return` in the page.
    pub fn evaluate(&self, script: &str) -> Value {
        self.wait_on(self.client.execute(script, Vec::new()))
            .unwrap_or_else(|error| panic!("{error} in {script}"))
    }

    /// Runs a script that calls `done(value)` at its end.
    pub fn evaluate_later(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.wait_on(self.client.execute_async(&script, Vec::new()))
            .unwrap_or_else(|error| panic!("{error} in {script}"))
    }

    /// What `invoke` of a Tauri command comes to: `Ok` or the reason for its refusal.
    pub fn invoke(&self, command: &str, arguments: &Value) -> Result<Value, String> {
        let answer = self.evaluate_later(&format!(
            "window.__TAURI_INTERNALS__.invoke({}, {arguments}).then(
                (value) => done({{ ok: value ?? null }}),
                (error) => done({{ error: typeof error === 'string' ? error : JSON.stringify(error) }}),
            )",
            json!(command)
        ));
        answer.get("error").map_or_else(
            || Ok(answer["ok"].clone()),
            |error| Err(error.as_str().unwrap_or("").to_owned()),
        )
    }

    /// Where in the page `needle` is: in its text, its fields, its storage, or any value
    /// that a script in it could reach.
    pub fn holding(&self, needle: &str) -> Vec<String> {
        // Backwards, so that the search does not find itself.
        let backwards: String = needle.chars().rev().collect();
        let script = format!("const backwards = {};{SEARCH}", json!(backwards));
        let found = self.evaluate(&script);
        let found = found.as_array().expect("a list of places");
        found.iter().map(ToString::to_string).collect()
    }

    pub fn resize(&self, width: u32, height: u32) {
        self.wait_on(self.client.set_window_rect(0, 0, width, height))
            .expect("the window can be resized");
        let inner = || self.evaluate("return [innerWidth, innerHeight]");
        wait_until("the window's new size", || {
            inner() == json!([width, height])
        });
    }

    /// A picture for the eye, in `target/screenshots`.
    pub fn screenshot(&self, name: &str) {
        let picture = self
            .wait_on(self.client.screenshot())
            .expect("a picture can be taken");
        assert!(picture.starts_with(b"\x89PNG"), "a picture of {name}");
        let path = screenshots().join(format!("{name}.png"));
        std::fs::write(&path, picture).expect("a picture can be saved");
    }

    pub(crate) fn wait_on<T>(
        &self,
        command: impl Future<Output = Result<T, CmdError>>,
    ) -> Result<T, CmdError> {
        self.runtime.block_on(command)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What the person would have seen; a window that is gone leaves none.
            let test = std::thread::current().name().unwrap_or("test").to_owned();
            if let Ok(picture) = self.wait_on(self.client.screenshot()) {
                let name = format!("failed-{}.png", test.replace("::", "-"));
                let _ = std::fs::write(screenshots().join(name), picture);
            }
        }
        for id in self.processes() {
            process::kill(id, Signal::KILL);
        }
    }
}

/// Walks from the window and from every element over all that hangs on them.
const SEARCH: &str = "
    const needle = [...backwards].reverse().join('');
    const found = [];
    const look = (text, where) => { if (text.includes(needle)) found.push(where); };
    look(document.documentElement.outerHTML, 'page');
    look(JSON.stringify(localStorage) + JSON.stringify(sessionStorage), 'storage');
    for (const field of document.querySelectorAll('input, textarea')) look(field.value, 'field');
    const seen = new WeakSet();
    const queue = [['window', window], ...[...document.querySelectorAll('*')].map((node) => [node.tagName, node])];
    while (queue.length > 0) {
        const [where, value] = queue.pop();
        if (typeof value === 'string') { look(value, where); continue; }
        if (value === null || (typeof value !== 'object' && typeof value !== 'function')) continue;
        if (seen.has(value)) continue;
        seen.add(value);
        if (value instanceof Map || value instanceof Set) {
            for (const inner of value) queue.push([where, inner]);
        }
        for (const name of Reflect.ownKeys(value)) {
            let inner;
            try { inner = value[name]; } catch { continue; }
            queue.push([`${where}.${String(name)}`.slice(-200), inner]);
        }
    }
    return found;
";

/// An element that was on the page a moment ago.
pub struct Seen<'a> {
    window: &'a Window,
    selector: String,
    element: Element,
}

impl Seen<'_> {
    pub fn click(self) {
        // What moves or is drawn anew just then is looked up and clicked again.
        let mut element = self.element;
        let window = self.window;
        wait_until(&format!("a click on {}", self.selector), || {
            if window.wait_on(element.click()).is_ok() {
                return true;
            }
            // The driver does not scroll a list inside of a dialog.
            let scroll = format!(
                "document.querySelector('{}')?.scrollIntoView({{ block: 'center' }})",
                self.selector
            );
            window.evaluate(&scroll);
            if let Ok(again) = window.wait_on(window.client.find(Locator::Css(&self.selector))) {
                element = again;
            }
            false
        });
    }

    pub fn type_text(self, text: &str) {
        self.window
            .wait_on(self.element.send_keys(text))
            .unwrap_or_else(|error| panic!("{error}: typing into {}", self.selector));
    }
}

pub(crate) fn test_id(id: &str) -> String {
    format!("[data-testid=\"{id}\"]")
}

pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    // Held together, so that they differ; let go just before somebody takes them.
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

fn tauri_driver() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"),
        PathBuf::from,
    );
    let path = cache.join("weir/tools/bin/tauri-driver");
    assert!(
        path.is_file(),
        "{} is missing: run `make setup`",
        path.display()
    );
    path
}

fn screenshots() -> PathBuf {
    let tests = std::env::current_exe().expect("a test knows its own path");
    let target = tests.ancestors().nth(3).expect("a test is in target");
    let folder = target.join("screenshots");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}
