//! Children that never outlive their test.

use std::process::{Child, Command, ExitStatus};

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

    pub fn wait(&mut self, what: &str) -> ExitStatus {
        wait_for(what, || {
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

/// The processes of this machine that run `program`, and have `NAME=value` in their environment
/// or come from `ancestor`. One that hides its environment from others shows its parents still.
pub fn find(program: &std::path::Path, variable: &str, ancestor: u32) -> Vec<u32> {
    let program = program.canonicalize().expect("the program is there");
    let is_meant = |id: &u32| {
        let command = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let name = command.split(|byte| *byte == 0).next().unwrap_or_default();
        if name != program.as_os_str().as_encoded_bytes() || is_over(*id) {
            return false;
        }
        match environment(*id) {
            Some(environment) => environment.iter().any(|it| it == variable.as_bytes()),
            None => descendants(ancestor).contains(id),
        }
    };
    all().into_iter().filter(is_meant).collect()
}

/// The variables that a process was started with, as far as it lets others see them.
pub fn environment(id: u32) -> Option<Vec<Vec<u8>>> {
    let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
    let variables = environment.split(|byte| *byte == 0);
    Some(variables.map(<[u8]>::to_vec).collect())
}

/// What a process is called, without its path and cut by the system.
pub fn name(id: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// All that a process has started, and what that has started in turn.
pub fn descendants(id: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = all()
        .into_iter()
        .filter_map(|id| {
            let status = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // "ID (name) STATE PARENT …", of which the name may hold anything.
            let after = status.rsplit(") ").next()?;
            Some((id, after.split(' ').nth(1)?.parse().ok()?))
        })
        .collect();
    let mut found = vec![id];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let children = parents.iter().filter(|(_, of)| *of == parent);
        found.extend(children.map(|(id, _)| *id));
        next += 1;
    }
    found.split_off(1)
}

fn all() -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect()
}
