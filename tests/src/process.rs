//! Children that never outlive their test.

use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, kill_process, kill_process_group};

pub use rustix::process::Signal;

use crate::wait::wait_for;

/// A child in a process group of its own; dropping it ends the whole group.
pub struct Group {
    child: Child,
}

impl Group {
    /// Panics with a sentence about `make setup` when the program is not there.
    pub fn spawn(command: &mut Command) -> Self {
        use std::os::unix::process::CommandExt;
        let child = command.process_group(0).spawn().unwrap_or_else(|error| {
            let program = command.get_program().display();
            panic!("{program} could not be started ({error}): run `make setup`")
        });
        Self { child }
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// To the child alone, as a terminal's or a user's `kill` would.
    pub fn signal(&self, signal: Signal) {
        kill(self.id(), signal);
    }

    pub fn wait(&mut self, what: &str, within: Duration) -> ExitStatus {
        wait_for(what, within, || {
            self.child.try_wait().expect("a child can be waited for")
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An error means that everything in the group has ended already.
        let _ = kill_process_group(pid(self.child.id()), Signal::KILL);
        let _ = self.child.wait();
    }
}

/// Sends one signal to one process; one that is gone already needs none.
pub fn kill(id: u32, signal: Signal) {
    let _ = kill_process(pid(id), signal);
}

fn pid(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).expect("a process id fits")).expect("a process id is not 0")
}

/// Whether nothing of a process runs any more. Its first thread ends before one that still
/// waits for the disk, and until that one has ended too, its files are open and locked.
pub fn is_over(id: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else {
        return true;
    };
    threads.flatten().all(|thread| {
        let status = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // "ID (name) STATE …", of which the name may hold anything.
        let state = status.rsplit(") ").next().unwrap_or_default();
        state.is_empty() || state.starts_with(['Z', 'X'])
    })
}

/// The processes of this machine that run `program` with `NAME=value` in their environment.
pub fn find(program: &std::path::Path, variable: &str) -> Vec<u32> {
    let program = program.canonicalize().expect("the program is there");
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let id: u32 = entry.file_name().to_str()?.parse().ok()?;
            let runs = std::fs::read_link(entry.path().join("exe")).ok()? == program;
            let environment = std::fs::read(entry.path().join("environ")).ok()?;
            let has = environment
                .split(|byte| *byte == 0)
                .any(|pair| pair == variable.as_bytes());
            (runs && has).then_some(id)
        })
        .collect()
}
