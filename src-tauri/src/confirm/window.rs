//! The confirmation window: a web view of its own that shows one request at a time.
//!
//! Invariant: only this window can answer, and only for the request that it shows. Its page is
//! served under an origin of its own, to windows with its own label, so the main page can neither
//! load, read nor script it; its only command is to answer. Rust supplies the text, keeps the
//! queue and the time, and takes anything but a deliberate Accept for Cancel. What is pressed
//! before a person can have read the request begins the time anew, so neither clicking nor typing
//! on and on answers it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tauri::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use tauri::http::{Request, Response, StatusCode};
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, Manager, UriSchemeContext, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    WindowEvent, Wry,
};
use tokio::sync::{OwnedMutexGuard, Semaphore, oneshot};
use tokio::time::timeout;
use uuid::Uuid;
use weir_protocol::{
    Confirmation, ConfirmationAnswer, ConfirmationSection, ErrorBody, SectionKind, code,
};

use crate::limits::{Rate, RateLimit};

/// The scheme, and with it the origin, of the confirmation page.
pub(crate) const SCHEME: &str = "weir-confirm";
const LABEL: &str = "confirm-";
const PAGE: &str = "confirm.html";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src ipc: http://ipc.localhost; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A click or key that was meant for something else arrives before a person can have read this.
const TOO_SOON: Duration = Duration::from_millis(500);
/// A page that takes longer than this to be drawn has crashed.
const LOADING: Duration = Duration::from_secs(60);
/// Requests that may wait behind the one that is shown, with it.
const QUEUE: usize = 8;

/// Who cancels this often is not asking for it.
const DECLINES: &[Rate] = &[Rate {
    most: 5,
    period: Duration::from_secs(60),
}];

/// What waits for an answer.
pub(crate) struct Confirmations {
    /// A place in the queue, and the turn to be shown.
    places: Semaphore,
    turn: Arc<tokio::sync::Mutex<()>>,
    pending: Mutex<Option<Pending>>,
    opened: AtomicU64,
    declines: RateLimit,
    /// The main window is gone.
    is_closed: AtomicBool,
}

/// The right to have a window on the screen that asks the user something: a confirmation or a
/// picker, never two of them.
pub(crate) type Turn = OwnedMutexGuard<()>;

struct Pending {
    id: Uuid,
    label: String,
    /// Since when its window is on the screen, has the focus, and nothing was pressed too soon.
    /// None until it is on the screen.
    quiet_since: Option<Instant>,
    answer: oneshot::Sender<ConfirmationAnswer>,
}

impl Default for Confirmations {
    fn default() -> Self {
        Self {
            places: Semaphore::new(QUEUE),
            turn: Arc::default(),
            pending: Mutex::new(None),
            opened: AtomicU64::new(0),
            declines: RateLimit::new(DECLINES),
            is_closed: AtomicBool::new(false),
        }
    }
}

impl Confirmations {
    /// Shows a request once those before it are answered. Everything but Accept is an error.
    pub(super) async fn ask(
        &self,
        app: &AppHandle,
        request: &Confirmation,
    ) -> Result<(), ErrorBody> {
        self.check_willing()?;
        let Ok(_place) = self.places.try_acquire() else {
            let message = "Too many confirmations are waiting. Answer those first.";
            return Err(ErrorBody::new(code::BUSY, message));
        };
        let _turn = self.turn.lock().await;
        // Those before it may have ended the user's patience, or the program.
        self.check_willing()?;
        let id = Uuid::new_v4();
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let label = format!("{LABEL}{number}");
        let (answer, answered) = oneshot::channel();
        *self.pending() = Some(Pending {
            id,
            label: label.clone(),
            quiet_since: None,
            answer,
        });
        let window = open(app, &label, id, request).inspect_err(|_| self.cancel());
        let window = window.map_err(|error| {
            let message = format!("The confirmation window could not be opened: {error}.");
            ErrorBody::new(code::DECLINED, message)
        })?;
        let answer = self.wait(answered).await;
        if let Err(error) = window.destroy() {
            tracing::debug!(%error, "the confirmation window was closed already");
        }
        match answer {
            Ok(ConfirmationAnswer::Accept) => {
                self.declines.reset();
                Ok(())
            }
            Ok(ConfirmationAnswer::Cancel | ConfirmationAnswer::TooSoon) | Err(_) => {
                self.count_decline();
                Err(declined())
            }
        }
    }

    /// The turn to show a picker, which may not lie over a confirmation.
    pub(crate) fn try_turn(&self) -> Result<Turn, ErrorBody> {
        self.check_willing()?;
        Arc::clone(&self.turn).try_lock_owned().map_err(|_| {
            let message = "Another window of Weir asks you something. Answer that first.";
            ErrorBody::new(code::BUSY, message)
        })
    }

    /// Whether a confirmation or a picker is on the screen.
    pub(crate) fn is_asking(&self) -> bool {
        self.turn.try_lock().is_err()
    }

    pub(super) fn count_decline(&self) {
        self.declines.count();
    }

    fn check_willing(&self) -> Result<(), ErrorBody> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(declined());
        }
        if self.declines.is_reached() {
            let message = "Several questions were cancelled just now. Try again in a minute.";
            return Err(ErrorBody::new(code::BUSY, message));
        }
        Ok(())
    }

    /// For the answer, and for no window that never came onto the screen: nobody could answer it.
    async fn wait(
        &self,
        mut answered: oneshot::Receiver<ConfirmationAnswer>,
    ) -> Result<ConfirmationAnswer, oneshot::error::RecvError> {
        if let Ok(answer) = timeout(LOADING, &mut answered).await {
            return answer;
        }
        let is_unseen = |it: &Pending| it.quiet_since.is_none();
        if self.pending().as_ref().is_some_and(is_unseen) {
            self.cancel();
        }
        answered.await
    }

    /// Takes the answer of the window that shows the request, and of no other. One that comes too
    /// soon begins the time anew.
    pub(crate) fn answer(
        &self,
        label: &str,
        id: Uuid,
        answer: ConfirmationAnswer,
    ) -> Result<(), ErrorBody> {
        let mut pending = self.pending();
        let is_asked = |it: &mut Pending| it.id == id && it.label == label;
        let is_meant = match answer {
            ConfirmationAnswer::Accept | ConfirmationAnswer::Cancel => Pending::is_readable,
            ConfirmationAnswer::TooSoon => |_: &Pending| false,
        };
        match pending.take_if(|it| is_asked(it) && is_meant(it)) {
            Some(asked) => {
                // Whoever asked may be gone.
                let _ = asked.answer.send(answer);
                Ok(())
            }
            None => {
                if let Some(asked) = pending.as_mut()
                    && is_asked(asked)
                {
                    asked.restart();
                }
                let message = "This confirmation is not waiting for an answer yet, or no longer.";
                Err(ErrorBody::new(code::NOT_WAITING, message))
            }
        }
    }

    /// Ends the request that is shown, if any, without an answer.
    pub(crate) fn cancel(&self) {
        *self.pending() = None;
    }

    /// Ends every request, those that wait too: nobody is left to ask.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.cancel();
    }

    fn cancel_window(&self, label: &str) {
        self.pending().take_if(|it| it.label == label);
    }

    fn is_on_screen(&self, label: &str) {
        if let Some(pending) = self.pending().as_mut().filter(|it| it.label == label) {
            pending.quiet_since.get_or_insert_with(Instant::now);
        }
    }

    /// A window that comes to the front may do so under the pointer, or in the middle of a word.
    fn has_gained_focus(&self, label: &str) {
        if let Some(pending) = self.pending().as_mut().filter(|it| it.label == label) {
            pending.restart();
        }
    }

    fn pending(&self) -> MutexGuard<'_, Option<Pending>> {
        // What is inside is whole even if somebody panicked while holding it.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn is_readable(&self) -> bool {
        self.quiet_since
            .is_some_and(|since| since.elapsed() >= TOO_SOON)
    }

    fn restart(&mut self) {
        self.quiet_since = self.quiet_since.map(|_| Instant::now());
    }
}

fn declined() -> ErrorBody {
    ErrorBody::new(code::DECLINED, "Nothing was changed.")
}

fn open(
    app: &AppHandle,
    label: &str,
    id: Uuid,
    request: &Confirmation,
) -> tauri::Result<WebviewWindow> {
    let url = Url::parse(&format!("{SCHEME}://localhost/")).map_err(tauri::Error::InvalidUrl)?;
    let request_script = format!(
        "Object.defineProperty(window, 'confirmation', {{ value: {} }})",
        json!({ "id": id, "request": request })
    );
    let mut builder = WebviewWindowBuilder::new(app, label, WebviewUrl::CustomProtocol(url))
        .title(&request.title)
        .inner_size(640.0, height(request))
        .min_inner_size(360.0, 240.0)
        .center()
        .visible(false)
        .minimizable(false)
        .maximizable(false)
        .disable_drag_drop_handler()
        .proxy_url(crate::window::no_network()?)
        .initialization_script(request_script)
        .on_navigation(is_confirmation_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Finished {
                show(&window);
            }
        });
    if let Some(main) = app.get_webview_window(crate::window::MAIN) {
        // The system keeps it above the window it belongs to.
        builder = builder.parent(&main)?;
    }
    let window = builder.build()?;
    let (app, label) = (app.clone(), label.to_owned());
    window.on_window_event(move |event| {
        let confirmations = app.state::<Confirmations>();
        if let WindowEvent::CloseRequested { .. } | WindowEvent::Destroyed = event {
            confirmations.cancel_window(&label);
        } else if let WindowEvent::Focused(true) = event {
            confirmations.has_gained_focus(&label);
        }
    });
    Ok(window)
}

/// Enough for a short request, and for the beginning of a long one.
fn height(request: &Confirmation) -> f64 {
    let has_quotation = |section: &ConfirmationSection| {
        matches!(section.kind, SectionKind::Code | SectionKind::Prose)
    };
    match request.sections.len() {
        0..=2 if !request.sections.iter().any(has_quotation) => 260.0,
        0..=2 => 340.0,
        _ => 600.0,
    }
}

fn show(window: &WebviewWindow) {
    for result in [window.show(), window.set_focus()] {
        if let Err(error) = result {
            tracing::warn!(%error, "the confirmation window could not be brought to the front");
        }
    }
    let confirmations = window.state::<Confirmations>();
    confirmations.is_on_screen(window.label());
}

/// `weir-confirm://localhost`, or its form on Windows.
fn is_confirmation_page(url: &Url) -> bool {
    match url.scheme() {
        SCHEME => true,
        "http" | "https" => url.host_str() == Some("weir-confirm.localhost"),
        _ => false,
    }
}

/// Serves the confirmation page and what it is made of, to confirmation windows alone.
pub(crate) fn serve(
    context: UriSchemeContext<'_, Wry>,
    request: Request<Vec<u8>>,
) -> Response<Cow<'static, [u8]>> {
    let path = match request.uri().path().trim_start_matches('/') {
        "" => PAGE,
        path => path,
    };
    let is_part = path == PAGE || path.starts_with("assets/");
    let asset = (is_part && context.webview_label().starts_with(LABEL))
        .then(|| context.app_handle().asset_resolver().get(path.to_owned()))
        .flatten();
    let response = match asset {
        Some(asset) => Response::builder()
            .header(CONTENT_TYPE, asset.mime_type)
            .header(CONTENT_SECURITY_POLICY, POLICY)
            .body(Cow::Owned(asset.bytes)),
        None => Response::builder()
            .status(StatusCode::NOT_FOUND)
            .body(Cow::Borrowed(&[] as &[u8])),
    };
    response.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot;
    use uuid::Uuid;
    use weir_protocol::ConfirmationAnswer::{Accept, Cancel, TooSoon};
    use weir_protocol::code;

    use super::{Confirmations, Pending, TOO_SOON, Url, is_confirmation_page};

    fn asked(
        confirmations: &Confirmations,
        id: Uuid,
    ) -> oneshot::Receiver<super::ConfirmationAnswer> {
        let (answer, answered) = oneshot::channel();
        *confirmations.pending() = Some(Pending {
            id,
            label: "confirm-1".to_owned(),
            quiet_since: None,
            answer,
        });
        answered
    }

    fn let_pass(confirmations: &Confirmations, time: Duration) {
        if let Some(pending) = confirmations.pending().as_mut() {
            let since = pending.quiet_since.unwrap();
            pending.quiet_since = since.checked_sub(time);
        }
    }

    #[test]
    fn only_the_window_that_shows_the_request_answers_and_not_too_soon() {
        let confirmations = Confirmations::default();
        let id = Uuid::new_v4();
        let mut answered = asked(&confirmations, id);
        assert!(
            confirmations.answer("confirm-1", id, Accept).is_err(),
            "not shown yet"
        );
        confirmations.is_on_screen("confirm-1");
        assert!(
            confirmations.answer("confirm-1", id, Accept).is_err(),
            "just shown"
        );
        assert!(
            confirmations.answer("confirm-1", id, Cancel).is_err(),
            "just shown"
        );
        let_pass(&confirmations, TOO_SOON);
        assert!(
            confirmations.answer("main", id, Accept).is_err(),
            "another window"
        );
        assert!(
            confirmations.answer("confirm-0", id, Accept).is_err(),
            "an earlier window"
        );
        assert!(
            confirmations
                .answer("confirm-1", Uuid::new_v4(), Accept)
                .is_err(),
            "another request"
        );
        assert!(answered.try_recv().is_err(), "none of these counted");
        assert!(confirmations.answer("confirm-1", id, Accept).is_ok());
        assert_eq!(answered.try_recv(), Ok(Accept));
        assert!(
            confirmations.answer("confirm-1", id, Accept).is_err(),
            "answered once"
        );
    }

    #[test]
    fn what_is_pressed_too_soon_begins_the_time_anew() {
        type Press = fn(&Confirmations, Uuid);
        let presses: [(&str, Press); 4] = [
            ("an early Accept", |it, id| {
                assert!(it.answer("confirm-1", id, Accept).is_err());
            }),
            ("an early Cancel", |it, id| {
                assert!(it.answer("confirm-1", id, Cancel).is_err());
            }),
            ("a press that the page reports", |it, id| {
                assert!(it.answer("confirm-1", id, TooSoon).is_err());
            }),
            ("the focus", |it, _| it.has_gained_focus("confirm-1")),
        ];
        for (what, press) in presses {
            let confirmations = Confirmations::default();
            let id = Uuid::new_v4();
            let mut answered = asked(&confirmations, id);
            confirmations.is_on_screen("confirm-1");
            let_pass(&confirmations, TOO_SOON - Duration::from_millis(1));
            press(&confirmations, id);
            let_pass(&confirmations, TOO_SOON / 2);
            let early = confirmations.answer("confirm-1", id, Accept);
            assert_eq!(early.unwrap_err().code, code::NOT_WAITING, "after {what}");
            let_pass(&confirmations, TOO_SOON);
            assert!(confirmations.answer("confirm-1", id, Accept).is_ok());
            assert_eq!(answered.try_recv(), Ok(Accept), "after {what}");
        }
    }

    #[test]
    fn other_windows_do_not_hold_the_time_up() {
        let confirmations = Confirmations::default();
        let id = Uuid::new_v4();
        let _answered = asked(&confirmations, id);
        confirmations.is_on_screen("confirm-1");
        let_pass(&confirmations, TOO_SOON);
        confirmations.has_gained_focus("confirm-0");
        assert!(confirmations.answer("main", id, TooSoon).is_err());
        assert!(confirmations.answer("confirm-1", id, Accept).is_ok());
    }

    #[test]
    fn a_picker_and_a_confirmation_take_turns() {
        let confirmations = Confirmations::default();
        let turn = confirmations.try_turn().unwrap();
        assert!(confirmations.is_asking());
        assert_eq!(confirmations.try_turn().unwrap_err().code, code::BUSY);
        drop(turn);
        assert!(!confirmations.is_asking());
        assert!(confirmations.try_turn().is_ok());
    }

    #[test]
    fn who_cancels_again_and_again_is_left_alone_for_a_while() {
        let confirmations = Confirmations::default();
        for _ in 0..5 {
            assert!(confirmations.check_willing().is_ok());
            confirmations.count_decline();
        }
        assert_eq!(confirmations.check_willing().unwrap_err().code, code::BUSY);
        assert_eq!(confirmations.try_turn().unwrap_err().code, code::BUSY);
        confirmations.declines.reset();
        assert!(confirmations.check_willing().is_ok(), "an Accept ends it");
    }

    #[test]
    fn without_a_main_window_everything_is_declined() {
        let confirmations = Confirmations::default();
        let mut answered = asked(&confirmations, Uuid::new_v4());
        confirmations.close();
        assert_eq!(
            answered.try_recv(),
            Err(oneshot::error::TryRecvError::Closed)
        );
        let later = confirmations.check_willing().unwrap_err();
        assert_eq!(later.code, code::DECLINED, "those that wait in the queue");
    }

    #[test]
    fn a_window_that_closes_cancels_its_own_request_only() {
        let confirmations = Confirmations::default();
        let mut answered = asked(&confirmations, Uuid::new_v4());
        confirmations.cancel_window("confirm-0");
        assert_eq!(
            answered.try_recv(),
            Err(oneshot::error::TryRecvError::Empty)
        );
        confirmations.cancel_window("confirm-1");
        assert_eq!(
            answered.try_recv(),
            Err(oneshot::error::TryRecvError::Closed)
        );
    }

    #[test]
    fn the_confirmation_window_goes_nowhere_else() {
        let stays = [
            "weir-confirm://localhost/",
            "http://weir-confirm.localhost/",
        ];
        let leaves = [
            "tauri://localhost/",
            "https://example.com/",
            "data:text/html,x",
            "about:blank",
        ];
        for (urls, expected) in [(&stays[..], true), (&leaves[..], false)] {
            for url in urls {
                assert_eq!(
                    is_confirmation_page(&Url::parse(url).unwrap()),
                    expected,
                    "{url}"
                );
            }
        }
    }
}
