use super::Is::{Allowed, Asked, Denied};
use super::{NONE, check, path, verdict};
#[cfg(unix)]
use crate::tool::permission::argument::{BadPattern, PathGlobs, Reach};

#[test]
fn paths() {
    let rows = [
        ("{}", NONE, "read_file", path("a"), Allowed),
        ("{}", NONE, "write_file", path("a"), Asked),
        (
            r#"{"deny": ["Read"]}"#,
            NONE,
            "read_file",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["Read"]}"#,
            NONE,
            "search_text",
            path("."),
            Denied,
        ),
        (
            r#"{"deny": ["Read"]}"#,
            NONE,
            "list_folder",
            path("."),
            Denied,
        ),
        (
            r#"{"deny": ["Grep"]}"#,
            NONE,
            "read_file",
            path("a"),
            Allowed,
        ),
        (
            r#"{"deny": ["Grep"]}"#,
            NONE,
            "search_text",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["LS"]}"#,
            NONE,
            "list_folder",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["Glob"]}"#,
            NONE,
            "list_folder",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["read_file"]}"#,
            NONE,
            "read_file",
            path("a"),
            Denied,
        ),
        (r#"{"deny": ["*"]}"#, NONE, "read_file", path("a"), Denied),
        (
            r#"{"deny": ["*_file"]}"#,
            NONE,
            "read_file",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["*_file"]}"#,
            NONE,
            "search_text",
            path("a"),
            Allowed,
        ),
        (
            r#"{"deny": ["Read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("secrets/a"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("secrets/a/b"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("Secrets/A"),
            Denied,
        ),
        (
            r#"{"deny": ["read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("secrets/a"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("link"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(./link)"]}"#,
            NONE,
            "read_file",
            path("link"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("src/secrets/a"),
            Allowed,
        ),
        (
            r#"{"deny": ["Read(./secrets/**)"]}"#,
            NONE,
            "read_file",
            path("secretsx"),
            Allowed,
        ),
        (
            r#"{"deny": ["Read(secrets)"]}"#,
            NONE,
            "read_file",
            path("src/secrets/a"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(secrets/)"]}"#,
            NONE,
            "read_file",
            path("src/secrets/a"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(/secrets)"]}"#,
            NONE,
            "read_file",
            path("src/secrets/a"),
            Allowed,
        ),
        (
            r#"{"deny": ["Read(/secrets)"]}"#,
            NONE,
            "read_file",
            path("secrets/a"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(*.sql)"]}"#,
            NONE,
            "read_file",
            path("db/x.sql"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(./*.sql)"]}"#,
            NONE,
            "read_file",
            path("db/x.sql"),
            Allowed,
        ),
        (
            r#"{"deny": ["Read(**/*.sql)"]}"#,
            NONE,
            "read_file",
            path("x.sql"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(db/*.{sql,csv})"]}"#,
            NONE,
            "read_file",
            path("db/x.csv"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(db/?.sql)"]}"#,
            NONE,
            "read_file",
            path("db/xy.sql"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(*)"]}"#,
            NONE,
            "read_file",
            path("deep/er"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(.)"]}"#,
            NONE,
            "read_file",
            path("deep/er"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(//projects/one/x/**)"]}"#,
            NONE,
            "read_file",
            path("x/y"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(//projects/**)"]}"#,
            NONE,
            "read_file",
            path("y"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(//**/x)"]}"#,
            NONE,
            "read_file",
            path("a/x"),
            Denied,
        ),
        (
            r#"{"deny": ["Read(//elsewhere/**)"]}"#,
            NONE,
            "read_file",
            path("x"),
            Allowed,
        ),
        (
            r#"{"deny": ["Read(../x)"]}"#,
            NONE,
            "read_file",
            path("x"),
            Denied,
        ),
        (
            r#"{"ask": ["Read(src/**)"]}"#,
            NONE,
            "read_file",
            path("src/a"),
            Asked,
        ),
        (
            r#"{"ask": ["Read(src/**)"]}"#,
            NONE,
            "search_text",
            path("src/a"),
            Asked,
        ),
        (
            r#"{"ask": ["Read(src/**)"]}"#,
            NONE,
            "read_file",
            path("a"),
            Allowed,
        ),
        (
            r#"{"allow": ["Edit(src/**)"]}"#,
            NONE,
            "Edit",
            path("src/a"),
            Allowed,
        ),
        (
            r#"{"allow": ["Edit(src/**)"]}"#,
            NONE,
            "Edit",
            path("SRC/a"),
            Asked,
        ),
        (
            r#"{"allow": ["Edit(src/**)"]}"#,
            NONE,
            "Edit",
            path("a"),
            Asked,
        ),
        // A link is allowed only when both it and where it leads are.
        (
            r#"{"allow": ["Edit(./link)"]}"#,
            NONE,
            "Edit",
            path("link"),
            Asked,
        ),
        (
            r#"{"allow": ["Edit(./link)", "Edit(secrets/**)"]}"#,
            NONE,
            "Edit",
            path("link"),
            Asked,
        ),
        (r#"{"allow": ["Edit"]}"#, NONE, "Edit", path("a"), Allowed),
        (r#"{"allow": ["*"]}"#, NONE, "Edit", path("a"), Allowed),
    ];
    check(&rows);
}

#[test]
fn deny_beats_ask_beats_allow_whatever_the_file() {
    let rows = [
        (
            r#"{"allow": ["Edit"], "ask": ["Edit"]}"#,
            NONE,
            "Edit",
            path("a"),
            Asked,
        ),
        (
            r#"{"allow": ["Edit"], "deny": ["Edit"]}"#,
            NONE,
            "Edit",
            path("a"),
            Denied,
        ),
        (
            r#"{"ask": ["Edit"], "deny": ["Edit"]}"#,
            NONE,
            "Edit",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["Edit"], "ask": ["Edit"], "allow": ["Edit"]}"#,
            NONE,
            "Edit",
            path("a"),
            Denied,
        ),
        (
            r#"{"deny": ["Edit"]}"#,
            r#"["Edit"]"#,
            "Edit",
            path("a"),
            Denied,
        ),
        (
            r#"{"ask": ["Edit"]}"#,
            r#"["Edit"]"#,
            "Edit",
            path("a"),
            Asked,
        ),
        (
            r#"{"allow": ["Edit"]}"#,
            r#"{"permissions": {"deny": ["Edit"]}}"#,
            "Edit",
            path("a"),
            Denied,
        ),
        (
            r#"{"allow": ["Edit"]}"#,
            r#"{"permissions": {"ask": ["*"]}}"#,
            "Edit",
            path("a"),
            Asked,
        ),
        (
            r#"{"allow": ["Edit(a)"]}"#,
            r#"{"deny": ["Edit(b)"]}"#,
            "Edit",
            path("a"),
            Allowed,
        ),
        (
            r#"{"allow": ["Edit(./a)"]}"#,
            r#"{"deny": ["*(a)"]}"#,
            "Edit",
            path("a"),
            Denied,
        ),
        // What looks like a secret asks, and no rule of the project's makes it not ask.
        ("{}", NONE, "read_file", path(".env"), Asked),
        ("{}", NONE, "read_file", path("web/.env.local"), Asked),
        ("{}", NONE, "read_file", path(".ENV"), Asked),
        ("{}", NONE, "read_file", path("keys/id_rsa"), Asked),
        ("{}", NONE, "read_file", path("tls/server.pem"), Asked),
        ("{}", NONE, "read_file", path(".ssh/known_hosts"), Asked),
        ("{}", NONE, "search_text", path(".env"), Asked),
        ("{}", NONE, "read_file", path("environment.md"), Allowed),
        (
            r#"{"allow": ["Read"]}"#,
            NONE,
            "read_file",
            path(".env"),
            Asked,
        ),
        (
            r#"{"allow": ["Read(./.env)", "*"]}"#,
            r#"["Read"]"#,
            "read_file",
            path(".env"),
            Asked,
        ),
        (
            r#"{"deny": ["Read(.env)"]}"#,
            NONE,
            "read_file",
            path("a/.env"),
            Denied,
        ),
    ];
    check(&rows);
}

/// Each is written in a way that means this file, or may.
#[test]
fn a_rule_that_holds_back_is_read_as_it_was_meant() {
    let rows = [
        ("Read(sub/../x.txt)", "x.txt", Denied),
        ("Read({..,a}/x.txt)", "x.txt", Denied),
        ("*(sub/../x.txt)", "x.txt", Denied),
        ("Read(a//b.txt)", "a/b.txt", Denied),
        ("Read( c.txt )", "c.txt", Denied),
        ("Read(src/./x)", "src/x", Denied),
        ("Read(././x)", "x", Denied),
        ("Read(././x)", "src/x", Allowed),
        ("Read(src/./)", "src/x", Denied),
        ("Read(.hidden/)", "src/.hidden/x", Denied),
        ("Read(.hidden)", "src/.hidden", Denied),
        ("Read(a?c.txt)", "a\u{e4}c.txt", Denied),
        ("Read(a[!b]c.txt)", "a\u{e4}c.txt", Denied),
        ("Read(a[\u{e4}\u{f6}]c.txt)", "a\u{e4}c.txt", Denied),
        ("Read(a[0-9].txt)", "a7.txt", Denied),
        ("Read(a[0-9].txt)", "ab.txt", Allowed),
        ("Read(a[]].txt)", "a].txt", Denied),
        ("Read(\u{c4}rger.txt)", "\u{e4}rger.txt", Denied),
        ("Read(\u{e4}rger.txt)", "\u{c4}RGER.TXT", Denied),
        ("Read(a[b)", "q", Denied),
        ("Read(//projects//one/./x)", "x", Denied),
        ("Read(//projects/one/../one/x)", "x", Denied),
        ("*(//elsewhere/x)", "x", Allowed),
    ];
    for (rule, at, expected) in rows {
        let text = serde_json::json!({ "deny": [rule] }).to_string();
        let is = verdict(&[&text], "read_file", &path(at));
        assert_eq!(is, expected, "{rule} {at}");
    }
}

#[cfg(unix)]
#[test]
fn a_place_on_the_disk_is_found_behind_links() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("true/project/inner")).unwrap();
    for (target, link) in [("true", "link"), ("nowhere", "gone"), ("loop", "loop")] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    let project = root.join("true/project");
    let rows = [
        ("link/project/x.txt", true),
        ("link/project/inner/x.txt", false),
        ("link/project/*.txt", true),
        ("link/**", true),
        ("true/project/x.txt", true),
        ("true/other/x.txt", false),
        // Who knows where these lead.
        ("gone/x.txt", true),
        ("loop/x.txt", true),
    ];
    for (at, expected) in rows {
        let rule = format!("/{}/{at}", root.display());
        let globs = PathGlobs::parse(&rule, Reach::Wide, &project);
        let holds = match globs {
            Ok(globs) => globs.matches("x.txt", &project),
            Err(BadPattern::NotUnderstood) => true,
            Err(BadPattern::Elsewhere | BadPattern::ProgramAlone) => false,
        };
        assert_eq!(holds, expected, "{rule}");
    }
}
