//! What a person sees: escape codes only where a terminal obeys them, help that lists what there
//! is, completions and manual pages.

use weir_tests::Sandbox;

const ESCAPE: char = '\u{1b}';

/// Runs `weir` with a terminal of its own, which `script` makes.
fn at_a_terminal(sandbox: &Sandbox, variables: &[(&str, &str)]) -> String {
    let program = weir_tests::weir::program("weir");
    let call = format!("{} chat 'hello fast'", program.display());
    let mut command = sandbox.command("script");
    command.args(["-qec", &call, "/dev/null"]);
    command.envs(variables.iter().copied());
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn escape_codes_are_for_terminals_that_obey_them() {
    let sandbox = Sandbox::new();
    let rows: [(&[(&str, &str)], bool); 6] = [
        (&[("TERM", "xterm")], true),
        (&[], true),
        (&[("TERM", "dumb")], false),
        (&[("TERM", "xterm"), ("NO_COLOR", "1")], false),
        // An empty variable says nothing.
        (&[("TERM", "xterm"), ("NO_COLOR", "")], true),
        (&[("TERM", "dumb"), ("NO_COLOR", "")], false),
    ];
    for (variables, expected) in rows {
        let said = at_a_terminal(&sandbox, variables);
        assert!(said.contains("tok/s") || said.contains("out"), "{said}");
        assert_eq!(said.contains(ESCAPE), expected, "{variables:?}: {said:?}");
    }
}

#[test]
fn what_is_piped_has_no_escape_codes() {
    let sandbox = Sandbox::new();
    let rows: [&[&str]; 7] = [
        &["chat", "hello fast"],
        &["--help"],
        &["chat", "--help"],
        &["oracle"],
        &["sessions"],
        &["man"],
        &["doctor"],
    ];
    for arguments in rows {
        let call = sandbox
            .weir(arguments)
            .env("TERM", "xterm")
            .env("WEIR_LOG", "debug");
        let outcome = call.run();
        assert!(
            !outcome.stdout.contains(ESCAPE),
            "{arguments:?}: {:?}",
            outcome.stdout
        );
        assert!(
            !outcome.stderr.contains(ESCAPE),
            "{arguments:?}: {:?}",
            outcome.stderr
        );
    }
}

#[test]
fn help_lists_every_source_and_dialect() {
    let sandbox = Sandbox::new();
    let general = sandbox.weir(&["--help"]).run().code(0).stdout;
    let chat = sandbox.weir(&["chat", "--help"]).run().code(0).stdout;
    for source in weir_core::source::SOURCES {
        assert!(general.contains(source.name), "{}", source.name);
        assert!(chat.contains(source.name), "{}", source.name);
    }
    let normalize = sandbox.weir(&["normalize", "--help"]).run().code(0).stdout;
    for dialect in weir_core::source::DIALECTS {
        assert!(general.contains(dialect.name), "{}", dialect.name);
        assert!(normalize.contains(dialect.name), "{}", dialect.name);
    }
}

#[test]
fn shells_complete_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.weir(&["completions", shell]).run().code(0).stdout;
        for name in ["chat", "normalize", "stop", "fork", "--image"] {
            assert!(
                script.contains(name.trim_start_matches('-')),
                "{shell}: {name}"
            );
        }
        // Not all of them complete values.
        if ["bash", "zsh", "fish"].contains(&shell) {
            for value in ["claude-code", "ai-sdk"] {
                assert!(script.contains(value), "{shell}: {value}");
            }
        }
    }
    let script = sandbox.weir(&["completions", "bash"]).run().code(0).stdout;
    let mut bash = sandbox.command("bash");
    let checked = bash.args(["-n", "-c", &script]).output().unwrap();
    assert!(checked.status.success(), "bash reads it: {checked:?}");
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let sandbox = Sandbox::new();
    let rows: [(&[&str], &str); 4] = [
        (&["man"], ".TH weir 1"),
        (&["man", "chat"], "\\-\\-image"),
        (&["man", "keys", "set"], "SOURCE"),
        (&["man", "normalize"], "claude\\-code"),
    ];
    for (arguments, words) in rows {
        let page = sandbox.weir(arguments).run().code(0).stdout;
        assert!(page.contains(words), "{arguments:?}: {page}");
    }
}
