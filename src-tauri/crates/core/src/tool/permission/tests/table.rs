use serde_json::{Value, json};

use super::{fake, permissions};
use crate::tool::permission::Verdict;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    Allowed,
    Asked,
    Denied,
}
use Is::{Allowed, Asked, Denied};

fn verdict(files: &[&str], tool: &'static str, input: &Value) -> Is {
    match permissions(files).0.verdict(&fake(tool), input) {
        Verdict::Allow => Allowed,
        Verdict::Ask { .. } => Asked,
        Verdict::Deny { .. } => Denied,
    }
}

fn path(path: &str) -> Value {
    json!({ "path": path })
}

fn command(command: &str) -> Value {
    json!({ "command": command })
}

/// Rules in the first file, rules in the second, the call, what comes of it.
type Row = (&'static str, &'static str, &'static str, Value, Is);

fn check(rows: &[Row]) {
    for (settings, second, tool, input, expected) in rows {
        let settings = format!("{{\"permissions\": {settings}}}");
        let is = verdict(&[&settings, second], tool, input);
        assert_eq!(is, *expected, "{settings} {second} {tool} {input}");
    }
}

const NONE: &str = "[]";

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
            Allowed,
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
            Allowed,
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
