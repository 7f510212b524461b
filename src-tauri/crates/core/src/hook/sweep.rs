//! Processes of a hook that have left its group: found by the mark in their environment.
//!
//! Linux only, where `/proc` tells; see [`super::process`] for what that leaves open.

/// Ends what still runs of this run, and of runs whose Weir is gone.
#[cfg(target_os = "linux")]
pub(super) fn sweep(mark: &str) {
    use std::time::{Duration, Instant};
    /// Whoever starts new ones faster than this is not caught by looking.
    const ROUNDS: usize = 20;
    /// How long to wait for processes of which nobody can tell yet. One that begins another
    /// program shows no environment until it is done with that, however busy the machine is; one
    /// that has cleared its environment never shows one.
    const UNDECIDED: Duration = Duration::from_secs(2);
    let begun = Instant::now();
    let mut rounds = 0;
    while rounds < ROUNDS {
        let (left, undecided) = left_over(mark);
        if left.is_empty() {
            if !undecided || begun.elapsed() > UNDECIDED {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
            continue;
        }
        rounds += 1;
        for pid in left {
            // It may have ended by itself in this instant.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn sweep(_mark: &str) {}

/// Those that bear the mark, and whether there are others of which nobody can tell yet.
#[cfg(target_os = "linux")]
fn left_over(mark: &str) -> (Vec<rustix::process::Pid>, bool) {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return (Vec::new(), false);
    };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let others = numbers.filter(|pid: &i32| u32::try_from(*pid) != Ok(own));
    let (mut left, mut undecided) = (Vec::new(), false);
    for pid in others {
        match mark_of(pid) {
            Mark::None => {}
            Mark::Unknown => undecided = true,
            Mark::Some(found) if found == mark || is_orphan(pid, &found) => {
                left.extend(rustix::process::Pid::from_raw(pid));
            }
            Mark::Some(_) => {}
        }
    }
    (left, undecided)
}

#[cfg(target_os = "linux")]
enum Mark {
    Some(String),
    None,
    /// It shows no environment, and may be about to begin another program.
    Unknown,
}

/// Those of other users cannot be read and are none of ours.
#[cfg(target_os = "linux")]
fn mark_of(pid: i32) -> Mark {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else {
        return Mark::None;
    };
    if environment.is_empty() {
        return match (started(pid), started("self")) {
            (Some(it), Some(weir)) if it >= weir => Mark::Unknown,
            _ => Mark::None,
        };
    }
    let name = format!("{}=", super::environment::MARK);
    let mut variables = environment.split(|byte| *byte == 0);
    let mark = variables.find_map(|variable| variable.strip_prefix(name.as_bytes()));
    match mark.and_then(|mark| String::from_utf8(mark.to_vec()).ok()) {
        Some(mark) => Mark::Some(mark),
        None => Mark::None,
    }
}

/// When a process started, in ticks since the machine did; none for one that has ended and for
/// the kernel's own.
#[cfg(target_os = "linux")]
fn started(pid: impl std::fmt::Display) -> Option<u64> {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, brackets too.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let is_over = matches!(*fields.first()?, "Z" | "X" | "x");
    let flags: u64 = fields.get(6)?.parse().ok()?;
    let started = fields.get(19)?.parse().ok()?;
    (!is_over && flags & KERNEL_THREAD == 0).then_some(started)
}

/// Whether the Weir that started it is gone. A mark begins with the process id of that Weir,
/// which means something only where process ids are counted together with ours.
#[cfg(target_os = "linux")]
fn is_orphan(pid: i32, mark: &str) -> bool {
    let weir = mark.split('-').next().and_then(|it| it.parse::<u32>().ok());
    let counted = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
    let here = counted("self");
    weir.is_some_and(|weir| {
        here.is_some()
            && counted(&pid.to_string()) == here
            && !std::path::Path::new(&format!("/proc/{weir}")).exists()
    })
}
