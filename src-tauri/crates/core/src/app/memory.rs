//! What is remembered: the switch of each project, and what a user does with the list.
//!
//! A project's switch is kept beside its trust, in the database. What belongs to no project has
//! a switch of its own. All are off until the user says otherwise.

use std::path::{Path, PathBuf};

use uuid::Uuid;
use weir_protocol::{Event, EventBody, Forget, Forgotten, Memory, MemoryList, MemorySwitch};

use super::guarding::GuardScope;
use super::project::{blocking, project_of};
use super::{App, AppError};
use crate::memory::{Guards, MemoryError, Remembering};
use crate::project::{self, Project, ProjectError};
use crate::turn::TurnId;

impl App {
    /// All that is remembered of a project, or of none, and whether more will be.
    pub async fn memories(&self, project: Option<&Path>) -> Result<MemoryList, AppError> {
        let project = self.known_project(project).await?;
        Ok(self.memories.list(&project).await?)
    }

    /// Every memory there is, by project.
    pub async fn all_memories(&self) -> Result<Vec<Memory>, AppError> {
        Ok(self.store.all_memories().await?)
    }

    /// Those that are still there, in the order asked for.
    pub async fn memories_by_id(&self, ids: &[Uuid]) -> Result<Vec<Memory>, AppError> {
        Ok(self.store.memories_by_id(ids).await?)
    }

    /// Only a trusted project can be switched on. Off is off at once, in its open sessions too.
    pub async fn switch_memory(
        &self,
        project: Option<&Path>,
        switch: MemorySwitch,
    ) -> Result<(), AppError> {
        let known = self.known_project(project).await?;
        if switch == MemorySwitch::On && !known.is_empty() {
            let path = PathBuf::from(&known);
            if !self.is_trusted(&path).await? {
                return Err(ProjectError::Untrusted(path).into());
            }
        }
        Ok(self.memories.set_switch(&known, switch).await?)
    }

    pub async fn edit_memory(&self, id: Uuid, content: &str) -> Result<Memory, AppError> {
        let known = self.store.memories_by_id(&[id]).await?.pop();
        let project = known.and_then(|memory| memory.project).map(PathBuf::from);
        let opened = match &project {
            Some(path) => self.open_project(path).await.ok(),
            None => None,
        };
        let place = match (&opened, project) {
            (Some(opened), _) => GuardScope::Project(opened),
            (None, Some(path)) => GuardScope::Gone(path),
            (None, None) => GuardScope::Everywhere,
        };
        let guards = self.memory_guards(place).await;
        Ok(self.memories.edit(id, content, guards).await?)
    }

    /// For good and everywhere; what went with earlier sessions goes with them no more.
    pub async fn forget_memories(&self, which: Forget) -> Result<Forgotten, AppError> {
        let which = match which {
            Forget::Project { project } => {
                let path = project.map(PathBuf::from);
                let known = self.known_project(path.as_deref()).await?;
                Forget::Project {
                    project: Some(known),
                }
            }
            which @ (Forget::One { .. } | Forget::Session { .. } | Forget::Everything) => which,
        };
        let forgotten = self.memories.forget(which.clone()).await?;
        if let (Forget::One { .. }, 0) = (&which, forgotten.count) {
            return Err(AppError::Store(crate::store::StoreError::NoMemory));
        }
        Ok(forgotten)
    }

    /// Waits for what is still being kept beside the turns, and closes the database.
    pub async fn close(&self) {
        self.memories.settle().await;
        self.keeper.close().await;
        self.store.close().await;
    }

    /// The memory of a turn, where it is on: by the user's word for this turn, else by the
    /// project's switch. A switch that cannot be read is off.
    pub(super) async fn remembering(
        &self,
        asked: Option<MemorySwitch>,
        project: Option<&Project>,
        history: &[Event],
    ) -> Option<Remembering> {
        let path = project.map(|project| project.path.clone());
        let path = path.or_else(|| project_of(history));
        let name = path.map_or_else(String::new, |path| path.to_string_lossy().into_owned());
        let switch = match asked {
            Some(switch) => switch,
            None => match self.memories.switch(&name).await {
                Ok(switch) => switch,
                Err(error) => {
                    tracing::warn!(%error, "whether to remember could not be read");
                    MemorySwitch::Off
                }
            },
        };
        match switch {
            MemorySwitch::On => {
                let guards = self.memory_guards(GuardScope::of(project, history)).await;
                Some(self.memories.for_turn(name, guards))
            }
            MemorySwitch::Off => None,
        }
    }

    /// The guards that look at what is remembered.
    async fn memory_guards(&self, place: GuardScope<'_>) -> Guards {
        let config = self.guard_config(place).await;
        Guards::new(config.map_err(|error| error.to_string()))
    }

    /// The spelling under which a folder's memories are kept; it need not be there any more.
    async fn known_project(&self, path: Option<&Path>) -> Result<String, AppError> {
        let Some(path) = path else {
            return Ok(String::new());
        };
        let asked = path.to_owned();
        let known = blocking(move || match project::true_path(&asked) {
            Ok(path) => Ok(vec![path]),
            Err(_) => project::known_paths(&asked),
        });
        let known = known.await?.into_iter().next();
        let known = known.ok_or_else(|| ProjectError::NoFolder(path.to_owned()))?;
        match known.to_str() {
            Some(name) => Ok(name.to_owned()),
            None => Err(ProjectError::OddName(known).into()),
        }
    }
}

impl From<MemoryError> for AppError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => Self::Store(error),
            error @ (MemoryError::Empty
            | MemoryError::TooLong
            | MemoryError::Guarded
            | MemoryError::Guard(_)) => Self::Memory(error),
        }
    }
}

/// Looks for memories where a session, or a branch of it, begins, and notes them right behind
/// the prompt they go with.
pub(super) async fn recall(
    remembering: Option<&Remembering>,
    id: TurnId,
    history: &[Event],
    first: &mut Vec<Event>,
) {
    let is_prompt = |event: &Event| matches!(event.body, EventBody::UserMessage { .. });
    let (Some(remembering), false) = (remembering, history.iter().any(is_prompt)) else {
        return;
    };
    let Some(at) = first.iter().position(is_prompt) else {
        return;
    };
    let EventBody::UserMessage { content, .. } = &first[at].body else {
        return;
    };
    let memories = remembering.recall(content).await;
    if !memories.is_empty() {
        let body = EventBody::Memories { memories };
        first.insert(at + 1, id.event(body, id.started));
    }
}
