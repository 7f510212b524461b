//! A place of its own for one test: home, runtime folder, data folder, and an environment
//! that has nothing of the machine's in it but the search path.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::keychain::{Bus, Keychain, Lock};
use crate::weir::Weir;

pub struct Sandbox {
    // Dropped before the folder it lives in.
    keychain: Option<Keychain>,
    variables: Vec<(String, String)>,
    root: TempDir,
}

impl Sandbox {
    /// With no keychain at all.
    pub fn new() -> Self {
        let root = tempfile::Builder::new()
            .prefix("weir-test-")
            .tempdir()
            .expect("a temporary folder can be made");
        for name in ["home", "run"] {
            let path = root.path().join(name);
            std::fs::create_dir(&path).expect("a folder can be made in it");
            // A runtime folder that others can read is refused by those who use it.
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))
                .expect("its mode can be set");
        }
        Self {
            keychain: None,
            variables: Vec::new(),
            root,
        }
    }

    pub fn with_keychain(lock: Lock) -> Self {
        let mut sandbox = Self::new();
        sandbox.keychain = Some(Keychain::start(&sandbox, lock, Bus::Starts));
        sandbox
    }

    /// With a keychain that nobody but the test starts again.
    pub fn with_lonely_keychain() -> Self {
        let mut sandbox = Self::new();
        sandbox.keychain = Some(Keychain::start(&sandbox, Lock::Unlocked, Bus::Bare));
        sandbox
    }

    /// In the environment of every program that starts here from now on.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    pub fn keychain(&mut self) -> &mut Keychain {
        self.keychain.as_mut().expect("this place has a keychain")
    }

    /// Starts the keychain again after it was killed.
    pub fn restart_keychain(&mut self) {
        let mut keychain = self.keychain.take().expect("this place has a keychain");
        keychain.start_again(self);
        self.keychain = Some(keychain);
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub fn runtime(&self) -> PathBuf {
        self.root.path().join("run")
    }

    /// Made by Weir itself, at its first start.
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub fn database(&self) -> PathBuf {
        self.data().join("weir.db")
    }

    /// A program that sees this place and nothing else.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .env("HOME", self.home())
            .env("XDG_RUNTIME_DIR", self.runtime())
            .env("WEIR_DATA_DIR", self.data())
            // Whatever a program asks beyond loopback ends here.
            .env("HTTPS_PROXY", "http://127.0.0.1:9")
            .env("DBUS_SESSION_BUS_ADDRESS", self.bus())
            .envs(self.variables.iter().cloned());
        command
    }

    pub fn weir(&self, arguments: &[&str]) -> Weir {
        Weir::new(self, arguments)
    }

    /// The address of its session bus.
    pub fn bus(&self) -> &str {
        // Any other value makes a D-Bus library go and look for a bus of the machine's.
        self.keychain.as_ref().map_or("disabled:", Keychain::bus)
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}
