//! Processes of a hook that have left its group: found by the mark in their environment.
//!
//! Linux only, where `/proc` tells; see [`super::process`] for what that leaves open.

/// Ends what still runs of this run, and of runs whose Weir is gone.
#[cfg(target_os = "linux")]
pub(super) fn sweep(mark: &str) {
    /// Whoever starts new ones faster than this is not caught by looking.
    const ROUNDS: usize = 20;
    /// One that begins another program has no environment for an instant, so one look is none.
    const LOOKS: usize = 3;
    let mut empty = 0;
    for _ in 0..ROUNDS {
        let left = left_over(mark);
        if left.is_empty() {
            empty += 1;
            if empty == LOOKS {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
            continue;
        }
        empty = 0;
        for pid in left {
            // It may have ended by itself in this instant.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn sweep(_mark: &str) {}

#[cfg(target_os = "linux")]
fn left_over(mark: &str) -> Vec<rustix::process::Pid> {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let others = numbers.filter(|pid: &i32| u32::try_from(*pid) != Ok(own));
    let left =
        others.filter(|pid| mark_of(*pid).is_some_and(|it| it == mark || is_orphan(*pid, &it)));
    left.filter_map(rustix::process::Pid::from_raw).collect()
}

/// Those of other users cannot be read and are none of ours.
#[cfg(target_os = "linux")]
fn mark_of(pid: i32) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let name = format!("{}=", super::environment::MARK);
    let mut variables = environment.split(|byte| *byte == 0);
    let mark = variables.find_map(|variable| variable.strip_prefix(name.as_bytes()))?;
    String::from_utf8(mark.to_vec()).ok()
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
