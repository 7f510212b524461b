//! Paths that try to get out, and those that only look like it.
#![cfg(unix)]

use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{EntryKind, PathError, ResolvedPath, Root};

/// A project with links in it, beside a folder that is none of its business.
fn place() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let outside = folder.path().join("outside");
    std::fs::create_dir_all(project.join("src/deep")).unwrap();
    std::fs::create_dir_all(project.join("...")).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::create_dir_all(folder.path().join("project-twin")).unwrap();
    let write = |path: &Path| std::fs::write(path, "inside").unwrap();
    for name in [
        "a.txt",
        "src/b.txt",
        "src/deep/c.txt",
        ".../d.txt",
        "..e",
        "%2e%2e",
        "~",
        "a b",
    ] {
        write(&project.join(name));
    }
    for path in ["outside/secret.txt", "project-twin/secret.txt"] {
        std::fs::write(folder.path().join(path), "outside").unwrap();
    }
    let link = |to: &str, name: &str| symlink(to, project.join(name)).unwrap();
    link("a.txt", "in");
    link("src/deep", "src-link");
    link("../a.txt", "src/up-but-in");
    link("../outside/secret.txt", "out");
    link("../outside", "out-folder");
    link("../project-twin", "twin");
    link("/etc/passwd", "passwd");
    link("/", "top");
    link("/proc/self/root", "proc-root");
    link("/dev/zero", "zero");
    link("loop", "loop");
    link("nowhere", "dangling");
    link("out", "chain");
    link("src-link/../../../outside/secret.txt", "clever");
    let inside = project.join("src").canonicalize().unwrap();
    symlink(inside.join("b.txt"), project.join("absolute-in")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let socket = std::os::unix::net::UnixListener::bind(project.join("socket")).unwrap();
    drop(socket);
    let root = Root::open(&project).unwrap();
    (folder, root)
}

fn read(root: &Root, path: &str) -> Result<String, PathError> {
    let place = root.resolve(path)?;
    let mut text = String::new();
    root.file(&place)?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn what_lies_inside_is_read() {
    let (_folder, root) = place();
    let paths = [
        "a.txt",
        "./a.txt",
        "././a.txt",
        "src/b.txt",
        "src//b.txt",
        "./src/./b.txt",
        "src/deep/c.txt",
        "in",
        "src-link/c.txt",
        "src/up-but-in",
        "absolute-in",
        ".../d.txt",
        "..e",
        "%2e%2e",
        "~",
        "a b",
        "a.txt/",
        "a.txt/.",
    ];
    for path in paths {
        assert_eq!(read(&root, path).as_deref(), Ok("inside"), "{path}");
    }
}

#[test]
fn what_leads_out_is_refused() {
    let (folder, root) = place();
    let absolute = folder.path().join("outside/secret.txt");
    let inside = root.path().join("a.txt");
    let long = "a/".repeat(3_000);
    let long_name = "a".repeat(300);
    let rows: &[(&str, &str)] = &[
        ("", "empty"),
        (" ", "empty"),
        (".", "a folder"),
        ("./", "a folder"),
        ("src", "a folder"),
        ("src-link", "a folder"),
        ("..", "\"..\""),
        ("../", "\"..\""),
        ("../outside/secret.txt", "\"..\""),
        ("./../outside/secret.txt", "\"..\""),
        ("src/../../outside/secret.txt", "\"..\""),
        ("src/..", "\"..\""),
        ("src/../a.txt", "\"..\""),
        (".. /outside/secret.txt", "\"..\""),
        ("src-link/../../../outside/secret.txt", "\"..\""),
        ("nowhere/../a.txt", "\"..\""),
        ("../project/a.txt", "\"..\""),
        ("../project-twin/secret.txt", "\"..\""),
        (absolute.to_str().unwrap(), "absolute"),
        (inside.to_str().unwrap(), "absolute"),
        ("/", "absolute"),
        ("//", "absolute"),
        ("/etc/passwd", "absolute"),
        ("//etc/passwd", "absolute"),
        ("///etc/passwd", "absolute"),
        ("/proc/self/environ", "absolute"),
        ("/dev/zero", "absolute"),
        ("\\etc\\passwd", "absolute"),
        ("\\\\server\\share\\x", "absolute"),
        ("//server/share/x", "absolute"),
        ("\\\\?\\C:\\x", "absolute"),
        ("\\\\.\\pipe\\x", "absolute"),
        ("//?/C:/x", "absolute"),
        ("C:\\Windows\\win.ini", "absolute"),
        ("C:/Windows/win.ini", "absolute"),
        ("c:a.txt", "absolute"),
        ("C:", "absolute"),
        ("Z:..\\x", "absolute"),
        ("..\\outside\\secret.txt", "\"..\""),
        ("src\\..\\..\\outside", "\"..\""),
        ("src\\b.txt", "backslash"),
        ("a.txt\\", "backslash"),
        ("a.txt\0", "control"),
        ("\0", "control"),
        ("a.txt\0.png", "control"),
        ("a.txt\n", "control"),
        ("\r../x", "control"),
        ("\u{85}", "control"),
        ("out", "out of the project"),
        ("chain", "out of the project"),
        ("clever", "out of the project"),
        ("out-folder", "out of the project"),
        ("out-folder/secret.txt", "out of the project"),
        ("out-folder/nothing.txt", "There is no"),
        ("twin/secret.txt", "out of the project"),
        ("passwd", "out of the project"),
        ("top", "out of the project"),
        ("top/etc/passwd", "out of the project"),
        ("proc-root/etc/passwd", "out of the project"),
        ("zero", "out of the project"),
        ("loop", "could not be opened"),
        ("dangling", "There is no"),
        ("pipe", "neither a file nor a folder"),
        ("socket", "neither a file nor a folder"),
        ("nothing.txt", "There is no"),
        ("a.txt/x", "not a folder"),
        ("~/x", "not a folder"),
        ("%2e%2e/outside/secret.txt", "not a folder"),
        ("..%2foutside%2fsecret.txt", "There is no"),
        ("..;/outside", "There is no"),
        ("\u{FF0E}\u{FF0E}/outside/secret.txt", "There is no"),
        ("\u{2025}/outside/secret.txt", "There is no"),
        ("..\u{2215}outside", "There is no"),
        ("file:///etc/passwd", "There is no"),
        ("$HOME/x", "There is no"),
        (long.as_str(), "too long"),
        (long_name.as_str(), "could not be opened"),
    ];
    assert!(rows.len() >= 60, "{}", rows.len());
    for (path, said) in rows {
        let refused = read(&root, path).expect_err(path).to_string();
        assert!(refused.contains(said), "{path:?}: {refused}");
        assert!(refused.ends_with('.'), "{refused}");
        assert!(!refused.contains(folder.path().to_str().unwrap()) || path.starts_with('/'));
    }
}

#[test]
fn a_folder_swapped_for_a_link_after_the_look_is_not_followed() {
    let (_folder, root) = place();
    std::fs::create_dir(root.path().join("out-folder-to-be")).unwrap();
    std::fs::write(root.path().join("out-folder-to-be/secret.txt"), "inside").unwrap();
    let file = root.resolve("out-folder-to-be/secret.txt").unwrap();
    let itself = root.resolve("out-folder-to-be").unwrap();
    std::fs::remove_dir_all(root.path().join("out-folder-to-be")).unwrap();
    symlink("../outside", root.path().join("out-folder-to-be")).unwrap();
    assert!(root.file(&file).is_err());
    assert!(root.entries(&itself, 10).is_err());

    let plain = root.resolve("a.txt").unwrap();
    std::fs::remove_file(root.path().join("a.txt")).unwrap();
    symlink("../outside/secret.txt", root.path().join("a.txt")).unwrap();
    assert!(root.file(&plain).is_err());
}

#[test]
fn lists_names_sorted_and_says_what_they_are() {
    let (_folder, root) = place();
    let src = root.entries(&root.resolve("src").unwrap(), 10).unwrap();
    let shown: Vec<_> = src
        .entries
        .iter()
        .map(|entry| (entry.name.to_str().unwrap(), entry.kind))
        .collect();
    assert_eq!(
        shown,
        [
            ("b.txt", EntryKind::File { bytes: 6 }),
            ("deep", EntryKind::Folder),
            ("up-but-in", EntryKind::Link),
        ]
    );
    assert!(!src.cut);
    let few = root.entries(&ResolvedPath::root(), 2).unwrap();
    assert_eq!((few.entries.len(), few.cut), (2, true));
    let refused = root.entries(&root.resolve("a.txt").unwrap(), 2);
    assert!(matches!(refused, Err(PathError::NotFolder(_))));
}

#[test]
fn a_root_is_a_folder() {
    let (folder, root) = place();
    assert!(Root::open(&root.path().join("a.txt")).is_err());
    assert!(Root::open(&root.path().join("pipe")).is_err());
    assert!(Root::open(&root.path().join("nowhere")).is_err());
    let linked = folder.path().join("linked");
    symlink(root.path(), &linked).unwrap();
    assert_eq!(Root::open(&linked).unwrap(), root);
}
