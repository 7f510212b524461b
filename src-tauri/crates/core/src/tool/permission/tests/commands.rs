use serde_json::json;

use super::Is::{Allowed, Asked, Denied};
use super::{NONE, check, command, fake, path, permissions, verdict};
use crate::tool::permission::Verdict;

#[test]
fn commands_and_servers() {
    let rows = [
        (
            r#"{"allow": ["Bash(npm run *)"]}"#,
            NONE,
            "Bash",
            command("npm run build"),
            Allowed,
        ),
        (
            r#"{"allow": ["Bash(npm run:*)"]}"#,
            NONE,
            "Bash",
            command("npm run build"),
            Allowed,
        ),
        (
            r#"{"allow": ["Bash(npm test)"]}"#,
            NONE,
            "Bash",
            command("npm test"),
            Allowed,
        ),
        (
            r#"{"allow": ["Bash(npm test)"]}"#,
            NONE,
            "Bash",
            command("npm test --x"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npm run *)"]}"#,
            NONE,
            "Bash",
            command("npm run x; rm -r ."),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npm run *)"]}"#,
            NONE,
            "Bash",
            command("npm run x && y"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npm run *)"]}"#,
            NONE,
            "Bash",
            command("npm run $(y)"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npm run *)"]}"#,
            NONE,
            "Bash",
            command("npm run x\ny"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npm run *)"]}"#,
            NONE,
            "Bash",
            command("npm run > x"),
            Asked,
        ),
        // Never by the name of a program.
        (
            r#"{"allow": ["Bash(npx *)"]}"#,
            NONE,
            "Bash",
            command("npx -c x"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npx:*)"]}"#,
            NONE,
            "Bash",
            command("npx -c x"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npx -c *)"]}"#,
            NONE,
            "Bash",
            command("npx -c x"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(npx*)"]}"#,
            NONE,
            "Bash",
            command("npx x"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash(*)"]}"#,
            NONE,
            "Bash",
            command("npx x"),
            Asked,
        ),
        (
            r#"{"allow": ["Bash"]}"#,
            NONE,
            "Bash",
            command("npx x"),
            Asked,
        ),
        (r#"{"allow": ["*"]}"#, NONE, "Bash", command("npx x"), Asked),
        (
            r#"{"deny": ["Bash(rm *)"]}"#,
            NONE,
            "Bash",
            command("rm -r ."),
            Denied,
        ),
        (
            r#"{"deny": ["Bash(rm:*)"]}"#,
            NONE,
            "Bash",
            command("rm"),
            Denied,
        ),
        (
            r#"{"deny": ["Bash(rm *)"]}"#,
            NONE,
            "Bash",
            command("ls && rm -r ."),
            Denied,
        ),
        (
            r#"{"deny": ["Bash(rm *)"]}"#,
            NONE,
            "Bash",
            command("ls $(rm -r .)"),
            Denied,
        ),
        (
            r#"{"deny": ["Bash(rm *)"]}"#,
            NONE,
            "Bash",
            command("RM -r ."),
            Denied,
        ),
        (
            r#"{"deny": ["Bash(rm *)"]}"#,
            NONE,
            "Bash",
            command("rmdir x"),
            Asked,
        ),
        (
            r#"{"allow": ["mcp__git__log"]}"#,
            NONE,
            "mcp__git__log",
            json!({}),
            Allowed,
        ),
        (
            r#"{"allow": ["mcp__git__log"]}"#,
            NONE,
            "mcp__git__push",
            json!({}),
            Asked,
        ),
        (
            r#"{"allow": ["mcp__git"]}"#,
            NONE,
            "mcp__git__push",
            json!({}),
            Allowed,
        ),
        (
            r#"{"allow": ["mcp__git__*"]}"#,
            NONE,
            "mcp__git__push",
            json!({}),
            Allowed,
        ),
        (
            r#"{"allow": ["mcp__git"]}"#,
            NONE,
            "mcp__github__push",
            json!({}),
            Asked,
        ),
        (
            r#"{"deny": ["mcp__git"]}"#,
            NONE,
            "mcp__git__push",
            json!({}),
            Denied,
        ),
        (
            r#"{"deny": ["mcp__*"]}"#,
            NONE,
            "mcp__git__push",
            json!({}),
            Denied,
        ),
        (
            r#"{"deny": ["mcp__git__push(*force*)"]}"#,
            NONE,
            "mcp__git__push",
            json!({"args": ["--force"]}),
            Denied,
        ),
        (
            r#"{"deny": ["mcp__git__push(*force*)"]}"#,
            NONE,
            "mcp__git__push",
            json!({"args": ["x"]}),
            Asked,
        ),
        (
            r#"{"allow": ["mcp__git__push(*safe*)"]}"#,
            NONE,
            "mcp__git__push",
            json!({"args": ["safe"]}),
            Asked,
        ),
    ];
    check(&rows);
}

/// What is written, whom it hits, and the words by which the user hears of it.
#[test]
fn what_is_not_understood_is_told_and_never_opens() {
    let rows = [
        (
            r#"{"permissions": {"deny": ["Read(./x"]}}"#,
            "read_file",
            Denied,
            "counts for the whole tool",
        ),
        (
            r#"{"permissions": {"deny": ["(./x)"]}}"#,
            "read_file",
            Denied,
            "counts for every tool",
        ),
        (
            r#"{"permissions": {"deny": [""]}}"#,
            "read_file",
            Denied,
            "counts for every tool",
        ),
        (
            r#"{"permissions": {"deny": ["Read([)"]}}"#,
            "read_file",
            Denied,
            "counts for the whole tool",
        ),
        (
            r#"{"permissions": {"deny": ["Read(!x)"]}}"#,
            "read_file",
            Denied,
            "counts for the whole tool",
        ),
        (
            r#"{"permissions": {"deny": ["Read(x\\y)"]}}"#,
            "read_file",
            Denied,
            "counts for the whole tool",
        ),
        (
            r#"{"permissions": {"deny": ["Read()"]}}"#,
            "read_file",
            Denied,
            "counts for the whole tool",
        ),
        (
            r#"{"permissions": {"ask": ["Read([)"]}}"#,
            "read_file",
            Asked,
            "counts for the whole tool",
        ),
        (
            r#"{"permissions": {"deny": [42]}}"#,
            "read_file",
            Asked,
            "is no deny rule",
        ),
        (
            r#"{"permissions": {"deny": {"Read": true}}}"#,
            "read_file",
            Asked,
            "is no deny rule",
        ),
        (
            r#"{"permissions": {"deny": "Read"}}"#,
            "read_file",
            Denied,
            "",
        ),
        (
            r#"{"permissions": {"deny": true}}"#,
            "read_file",
            Asked,
            "is no deny rule",
        ),
        (
            r#"{"permissions": {"deny": null}}"#,
            "read_file",
            Allowed,
            "",
        ),
        (
            r#"{"permissions": 7}"#,
            "read_file",
            Asked,
            "every tool call asks",
        ),
        (
            r#"{"permissions": {"deny": ["Read""#,
            "read_file",
            Asked,
            "every tool call asks",
        ),
        ("", "read_file", Asked, "every tool call asks"),
        ("\"Read\"", "read_file", Asked, "every tool call asks"),
        ("\u{FEFF}{\"deny\": [\"Read\"]}", "read_file", Denied, ""),
        (
            r#"{"deny": ["WebFetch(domain:example.com)"]}"#,
            "WebFetch",
            Denied,
            "counts for the whole tool",
        ),
        (
            r#"{"allow": ["WebFetch(domain:example.com)"]}"#,
            "WebFetch",
            Asked,
            "allows nothing",
        ),
        (r#"{"allow": ["Edit([)"]}"#, "Edit", Asked, "allows nothing"),
        (r#"{"allow": ["Edit("]}"#, "Edit", Asked, "allows nothing"),
        (
            r#"{"allow": [42, "Edit"]}"#,
            "Edit",
            Allowed,
            "allows nothing",
        ),
        (
            r#"{"allow": ["Bash(npx *)"]}"#,
            "Bash",
            Asked,
            "allows nothing",
        ),
        (
            r#"{"deny": ["Reed(./x)"]}"#,
            "read_file",
            Allowed,
            "does not know",
        ),
        (
            r#"{"deny": ["Read(//elsewhere/x)"]}"#,
            "read_file",
            Allowed,
            "outside of this project",
        ),
        (
            r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#,
            "Edit",
            Asked,
            "is not used",
        ),
        (r#"{"Deny": ["Read"]}"#, "read_file", Denied, ""),
        (
            r#"{"permissions": {"DENY": ["Read"]}}"#,
            "read_file",
            Denied,
            "",
        ),
        (
            r#"{"Permissions": {"deny": ["Read"]}}"#,
            "read_file",
            Denied,
            "",
        ),
        (
            r#"{"permissions": {}, "deny": ["Read"]}"#,
            "read_file",
            Denied,
            "",
        ),
        (
            r#"{"permissions": {"Allow": ["Edit"]}}"#,
            "Edit",
            Asked,
            "Allow in settings is not used.",
        ),
        (
            r#"{"permissions": {"denies": ["Read"]}}"#,
            "read_file",
            Allowed,
            "denies in settings is not used.",
        ),
        (
            r#"{"hooks": {}, "env": {"X": "y"}}"#,
            "read_file",
            Allowed,
            "",
        ),
    ];
    for (text, tool, expected, said) in rows {
        let (_, notices) = permissions(&[text]);
        assert_eq!(verdict(&[text], tool, &path("q")), expected, "{text}");
        let heard = notices.join(" ");
        assert!(
            heard.contains(said) && heard.is_empty() == said.is_empty(),
            "{text}: {heard}"
        );
    }
}

#[test]
fn says_which_rule_decided() {
    let (permissions, _) = permissions(&[r#"{"deny": ["Read(./x)"], "ask": ["Read(./y)"]}"#]);
    let reason = |at: &str| match permissions.verdict(&fake("read_file"), &path(at)) {
        Verdict::Allow => String::new(),
        Verdict::Ask { reason } | Verdict::Deny { reason } => reason,
    };
    assert_eq!(reason("x"), "The rule Read(./x) in settings denies it.");
    assert_eq!(reason("y"), "The rule Read(./y) in settings asks first.");
    assert_eq!(reason(".env"), "It looks like a file that holds secrets.");
    assert_eq!(reason("z"), "");
}
