//! What both programs do first, before there is any thread or child process: keys leave the
//! environment, and a crash writes no copy of memory to disk.
//!
//! Invariant: no process that Weir starts (WebKit's, a browser, a hook) inherits a key, and on
//! Linux `/proc/PID/environ` of Weir itself shows none. The keys live on in memory only.
//!
//! The one place with unsafe code: changing the environment is sound only while nobody else can
//! read it, which no type can express. [`begin`] therefore has to be the first call in `main`; a
//! test reads both programs and checks that.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::OnceLock;

use secrecy::{ExposeSecret, SecretString};

use crate::hook;
use crate::source::{SOURCES, bedrock};

/// Names that look like those of a secret and are none: the first lets a desktop give the new
/// window the focus, the second is the path of a socket.
const HARMLESS: [&str; 2] = ["XDG_ACTIVATION_TOKEN", "GNOME_KEYRING_CONTROL"];

static KEYS: OnceLock<HashMap<&'static str, SecretString>> = OnceLock::new();

/// Moves the keys out of the environment and turns core dumps off. Has to be the first call in
/// `main`: another thread that reads the environment at the same time is undefined behavior.
pub fn begin() -> io::Result<()> {
    let mut keys = HashMap::new();
    for variable in source_variables() {
        let value = std::env::var(variable).unwrap_or_default();
        if !value.is_empty() {
            keys.insert(variable, SecretString::from(value));
        }
    }
    // Bedrock's own key comes first; else the keys of AWS make one.
    if !keys.contains_key(bedrock::API_KEY_VARIABLE) {
        let held = |name: &str| keys.get(name).map(|key| key.expose_secret().to_owned());
        if let Some(joined) = bedrock::joined_variables(held) {
            keys.insert(bedrock::API_KEY_VARIABLE, joined);
        }
    }
    for (name, value) in std::env::vars_os() {
        let is_read = source_variables().any(|variable| name == variable);
        if is_read || is_secret(&name) || repeats_a_key(&value, &keys) {
            remove_variable(&name);
        }
    }
    // A second call finds nothing in the environment, and the first one's keys stay.
    let _ = KEYS.set(keys);
    disable_core_dumps()
}

/// The key that an environment variable held when the program started.
pub(crate) fn key(variable: &str) -> Option<SecretString> {
    KEYS.get()?.get(variable).cloned()
}

fn source_variables() -> impl Iterator<Item = &'static str> {
    let of_sources = SOURCES.iter().filter_map(|source| source.key.variable());
    of_sources.chain(bedrock::AWS_VARIABLES)
}

/// Keys for other programs are of no use to Weir and none of its children's business either.
fn is_secret(name: &OsStr) -> bool {
    hook::names_a_secret(name) && !HARMLESS.iter().any(|harmless| name == *harmless)
}

/// The same key under another name, or inside a longer value.
fn repeats_a_key(value: &OsStr, keys: &HashMap<&'static str, SecretString>) -> bool {
    /// A shorter one is no real key, and may be part of anything.
    const SHORTEST: usize = 12;
    let value = value.to_string_lossy();
    let long = |key: &&str| key.len() >= SHORTEST;
    let mut keys = keys.values().map(ExposeSecret::expose_secret).filter(long);
    keys.any(|key| value.contains(key))
}

#[expect(
    unsafe_code,
    reason = "the standard library cannot know that no other thread exists yet"
)]
fn remove_variable(name: &OsString) {
    // SAFETY: `begin` is the first call in `main`, so this is the only thread: nobody else reads
    // the environment or holds a reference into it.
    unsafe {
        #[cfg(target_os = "linux")]
        wipe(name);
        if is_removable(name) {
            std::env::remove_var(name);
        }
    }
}

/// Whether the standard library takes the name. An entry like `=KEY=value` has one that it panics
/// over; on Linux its value is overwritten, which is all that can be done.
fn is_removable(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    !name.is_empty() && !name.contains(&b'=') && !name.contains(&0)
}

/// Overwrites a variable's value where the kernel has put it: `/proc/PID/environ` shows that
/// memory for as long as the process lives, whatever the C library thinks the environment is.
///
/// # Safety
///
/// No other thread may exist.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the C library's list is reached by a raw pointer"
)]
unsafe fn wipe(name: &OsStr) {
    use std::ffi::{CStr, c_char};
    use std::os::unix::ffi::OsStrExt;

    unsafe extern "C" {
        static environ: *const *mut c_char;
    }

    // SAFETY: `environ` is null or a null-terminated list of null-terminated strings that the
    // process owns and may write to; with one thread nobody changes it meanwhile. Only bytes of
    // the string itself are written.
    unsafe {
        let mut entry = environ;
        while !entry.is_null() && !(*entry).is_null() {
            let value_length = CStr::from_ptr(*entry)
                .to_bytes()
                .strip_prefix(name.as_bytes())
                .and_then(|rest| rest.strip_prefix(b"="))
                .map(<[u8]>::len);
            if let Some(length) = value_length {
                let value = (*entry).add(name.len() + 1);
                for offset in 0..length {
                    value.add(offset).write_volatile(0);
                }
            }
            entry = entry.add(1);
        }
    }
}

/// The limit is inherited by WebKit's processes, which hold the text of the page. On Linux a
/// program that receives core dumps through a pipe need not respect the limit, so Weir also says
/// that it must not be dumped; this keeps other programs of the same user from reading its memory
/// too. A debugger that started Weir has all of that already and would only be disturbed.
#[cfg(unix)]
fn disable_core_dumps() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    if !is_traced() {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Windows writes no core dumps; its error reports are the user's choice.
#[cfg(not(unix))]
fn disable_core_dumps() -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut tracer = status
        .lines()
        .filter_map(|it| it.strip_prefix("TracerPid:"));
    tracer.next().is_some_and(|id| id.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_the_standard_library_refuses_is_not_removed() {
        for name in ["", "=", "=FOO_API_KEY", "A=B"] {
            assert!(!is_removable(OsStr::new(name)), "{name:?}");
        }
        assert!(is_removable(OsStr::new("FOO_API_KEY")));
    }
}
