//! A hook's run, as a note beside the reply; and the end of hooks when `weir` ends early.

use weir_protocol::{HookEvent, HookOutcome};

/// What a person should know of a run; one that passed in silence is none of their business.
pub(crate) fn note(
    event: HookEvent,
    command: &str,
    outcome: HookOutcome,
    message: Option<&str>,
) -> Option<String> {
    let did = match outcome {
        HookOutcome::Passed => {
            return message.map(|message| format!("{event:?} hook {command}: {message}"));
        }
        HookOutcome::Blocked => "held back",
        HookOutcome::Failed => "failed",
        HookOutcome::TimedOut => "took too long",
        HookOutcome::Stopped => "was stopped",
    };
    let why = message.map_or_else(String::new, |message| format!(": {message}"));
    Some(format!("{event:?} hook {command} {did}{why}"))
}

/// Ends with the hooks that run, at once.
pub(crate) fn exit(code: i32) -> ! {
    weir_core::hook::end_all();
    std::process::exit(code)
}
