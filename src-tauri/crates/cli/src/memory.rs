//! `weir memory`: what is remembered, and whether more will be.

use std::path::Path;
use std::sync::Arc;

use weir_core::app::App;
use weir_protocol::{Forget, Memory, MemorySwitch};

use crate::arguments::{ForgetMemory, Memory as Action};
use crate::{Exit, Failure, output};

pub(crate) async fn run(app: &Arc<App>, action: Action) -> Result<Exit, Failure> {
    match action {
        Action::List { project, json } => list(app, project.as_deref(), json).await?,
        Action::On { project } => switch(app, project.as_deref(), MemorySwitch::On).await?,
        Action::Off { project } => switch(app, project.as_deref(), MemorySwitch::Off).await?,
        Action::Edit { id, text } => {
            app.edit_memory(id, &text).await?;
            output::write("It says that from now on.\n")?;
        }
        Action::Forget(asked) => forget(app, asked).await?,
    }
    Ok(Exit::Done)
}

async fn list(app: &Arc<App>, project: Option<&Path>, json: bool) -> Result<(), Failure> {
    let memories = match project {
        Some(_) => app.memories(project).await?.memories,
        None => app.all_memories().await?,
    };
    for memory in &memories {
        if json {
            output::line(memory)?;
        } else {
            output::write(&line(memory))?;
        }
    }
    Ok(())
}

fn line(memory: &Memory) -> String {
    let project = memory.project.as_deref().unwrap_or("no project");
    let content = output::plain(&memory.content).replace(['\n', '\t'], " ");
    let uses = memory.uses;
    let seen = memory.seen_at;
    format!(
        "{}  {seen}  {uses:>3} uses  {project}  {content}\n",
        memory.id
    )
}

async fn switch(
    app: &Arc<App>,
    project: Option<&Path>,
    switch: MemorySwitch,
) -> Result<(), Failure> {
    app.switch_memory(project, switch).await?;
    let whose = match project {
        Some(_) => "this project",
        None => "sessions without a project",
    };
    let said = match switch {
        MemorySwitch::On => format!(
            "Memory is on for {whose}: what you say is remembered on this machine, and the five best memories go with the first prompt of a session.\n"
        ),
        MemorySwitch::Off => {
            format!("Memory is off for {whose}. What is remembered stays until you forget it.\n")
        }
    };
    Ok(output::write(&said)?)
}

async fn forget(app: &Arc<App>, asked: ForgetMemory) -> Result<(), Failure> {
    let which = match asked {
        ForgetMemory { id: Some(id), .. } => Forget::One { id },
        ForgetMemory {
            session: Some(session),
            ..
        } => Forget::Session { session },
        ForgetMemory {
            project: Some(project),
            ..
        } => Forget::Project {
            project: Some(project.to_string_lossy().into_owned()),
        },
        ForgetMemory { .. } => Forget::Everything,
    };
    let forgotten = app.forget_memories(which).await?;
    if asked.json {
        output::line(&forgotten)?;
        return Ok(());
    }
    let count = match forgotten.count {
        1 => "1 memory is forgotten.".to_owned(),
        count => format!("{count} memories are forgotten."),
    };
    let later = if forgotten.swept {
        ""
    } else {
        " Another Weir is reading the database: the last bytes leave it at the next start."
    };
    Ok(output::write(&format!("{count}{later}\n"))?)
}
