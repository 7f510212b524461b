//! `weir completions` and `weir man`: what the arguments say of themselves.

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::{Exit, Failure, output};

pub(crate) fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "weir", &mut script);
    output::bytes(&script)?;
    Ok(Exit::Done)
}

/// The manual page of the program, or of one of its commands.
pub(crate) fn man(path: &[String]) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    // Fills in what a command has from those above it.
    command.build();
    for name in path {
        command = inside(&command, name)?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    output::bytes(&page)?;
    Ok(Exit::Done)
}

fn inside(command: &Command, name: &str) -> Result<Command, Failure> {
    let found = command.find_subcommand(name).cloned();
    found.ok_or_else(|| {
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let names = names.join(", ");
        Failure::usage(format!("There is no command {name:?}; there are: {names}."))
    })
}
