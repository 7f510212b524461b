//! A hook's process: started, fed, read up to a limit, and ended with everything it started.
//!
//! The only place that starts a program. On Unix a hook leads a session of its own, so it has no
//! terminal and its whole group ends with one signal; on Windows it is a job that ends as one.
//! What has left the group (`setsid`) is found on Linux by the mark in its environment; only a
//! process that leaves both behind, group and environment, gets away, and elsewhere on Unix the
//! group is all there is. Once a run is over nothing of it goes on, however it ended: a hook is
//! a check, not a way to start a service. A Weir that exits ends what runs first ([`end_all`]);
//! one that is killed cannot, and what its hooks left on Linux, the next hook that runs ends.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::try_join;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::time::sleep;

use super::sweep::sweep;
use crate::tool::visible;

/// More output than this is no answer any more; the hook is ended.
pub(super) const MOST_OUTPUT: usize = 1024 * 1024;
/// How long what a hook started may keep its output open after it has ended.
const GRACE: Duration = Duration::from_millis(250);

pub(super) struct Launch {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) folder: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
    /// In the environment of all that belongs to the run.
    pub(super) mark: String,
    pub(super) input: Vec<u8>,
    pub(super) timeout: Duration,
}

pub(super) struct Ended {
    pub(super) end: End,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Exited(i32),
    /// By a signal, or by nobody knows what.
    Killed(String),
    TimedOut,
    Flooded,
    NotStarted(String),
}

/// Dropping the future ends the process and all that it started.
pub(super) async fn run(launch: Launch) -> Ended {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let end = match start(&launch) {
        Ok(running) => follow(running, launch, &mut stdout, &mut stderr).await,
        Err(error) => End::NotStarted(visible::reason(&error)),
    };
    Ended {
        end,
        stdout,
        stderr,
    }
}

fn start(launch: &Launch) -> std::io::Result<Running> {
    let mut command = CommandWrap::with_new(&launch.program, |command| {
        command
            .args(&launch.args)
            .current_dir(&launch.folder)
            .env_clear()
            .envs(launch.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    // Started and known in one: whoever ends all of them finds this one, or keeps it from starting.
    let mut all = all();
    if all.is_closed {
        return Err(std::io::Error::other("Weir is closing"));
    }
    let child = command.spawn()?;
    let mark = launch.mark.clone();
    if let Some(id) = child.id() {
        all.leaders.insert(mark.clone(), Some(id));
    }
    drop(all);
    Ok(Running {
        child,
        mark,
        is_over: false,
    })
}

/// What runs in this program.
struct All {
    /// By its mark, with the id of the process that leads it while its group is to be ended.
    leaders: BTreeMap<String, Option<u32>>,
    /// The program is about to exit: nothing starts any more.
    is_closed: bool,
}

static ALL: Mutex<All> = Mutex::new(All {
    leaders: BTreeMap::new(),
    is_closed: false,
});

fn all() -> MutexGuard<'static, All> {
    // What is inside is whole even if somebody panicked while holding it.
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every hook that runs and lets no other start, for a program that is about to exit and
/// drops nothing.
pub fn end_all() {
    let running = {
        let mut all = all();
        all.is_closed = true;
        std::mem::take(&mut all.leaders)
    };
    for (mark, leader) in running {
        if let Some(leader) = leader {
            end_group(leader);
        }
        sweep(&mark);
    }
}

#[cfg(unix)]
fn end_group(leader: u32) {
    let leader = i32::try_from(leader).ok();
    if let Some(group) = leader.and_then(rustix::process::Pid::from_raw) {
        // It may have ended by itself in this instant.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// There a job ends with whoever holds it.
#[cfg(not(unix))]
fn end_group(_: u32) {}

async fn follow(
    mut running: Running,
    launch: Launch,
    stdout: &mut Vec<u8>,
    stderr: &mut Vec<u8>,
) -> End {
    let stdin = running.child.stdin().take();
    let (out, err) = (running.child.stdout().take(), running.child.stderr().take());
    let mut writing = pin!(write(stdin, launch.input));
    let mut reading = pin!(try_join(read(out, stdout), read(err, stderr)));
    let mut timeout = pin!(sleep(launch.timeout));
    let mut grace = pin!(sleep(launch.timeout));
    let (mut is_written, mut is_read) = (false, false);
    let mut status = None;
    let end = loop {
        if let (Some(ended), true) = (&status, is_read) {
            break exit(ended);
        }
        tokio::select! {
            biased;
            read = &mut reading, if !is_read => match read {
                Ok(_) => is_read = true,
                Err(Flood) => break End::Flooded,
            },
            ended = running.child.wait(), if status.is_none() => {
                status = Some(ended);
                grace.as_mut().reset(tokio::time::Instant::now() + GRACE);
            }
            () = &mut writing, if !is_written => is_written = true,
            () = &mut grace, if status.is_some() => {
                // Something that it started still holds its output open: what came counts.
                is_read = true;
            }
            () = &mut timeout, if status.is_none() => break End::TimedOut,
        }
    };
    running.end().await;
    end
}

fn exit(status: &std::io::Result<ExitStatus>) -> End {
    match status {
        Ok(status) => match status.code() {
            Some(code) => End::Exited(code),
            None => End::Killed(status.to_string()),
        },
        Err(error) => End::Killed(visible::reason(error)),
    }
}

struct Flood;

async fn read(from: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> Result<(), Flood> {
    let Some(mut from) = from else { return Ok(()) };
    let mut piece = vec![0; 16 * 1024];
    loop {
        match from.read(&mut piece).await {
            Ok(0) | Err(_) => return Ok(()),
            Ok(count) if into.len() + count > MOST_OUTPUT => return Err(Flood),
            Ok(count) => into.extend_from_slice(&piece[..count]),
        }
    }
}

/// One that does not read what it is told is free not to.
async fn write(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(&input).await;
    }
}

struct Running {
    child: Box<dyn ChildWrapper>,
    mark: String,
    is_over: bool,
}

impl Running {
    /// Whatever bears its number from now on is somebody else's.
    fn end_group(&mut self) {
        if let Some(leader) = all().leaders.get_mut(&self.mark) {
            *leader = None;
        }
        // Nobody is left in the group, mostly.
        let _ = self.child.start_kill();
    }

    /// Ends whatever is left of it.
    async fn end(mut self) {
        self.is_over = true;
        self.end_group();
        let mark = self.mark.clone();
        let _ = tokio::task::spawn_blocking(move || finish(&mark)).await;
        // So that the system forgets it. Killed, it ends at once.
        let _ = self.child.wait().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        self.end_group();
        let mark = std::mem::take(&mut self.mark);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || finish(&mark))),
            Err(_) => finish(&mark),
        }
    }
}

/// Ends what has left the group. Only then is the run forgotten: a program that exits before this
/// has had its turn ends it by [`end_all`].
fn finish(mark: &str) {
    sweep(mark);
    all().leaders.remove(mark);
}
