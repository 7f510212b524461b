//! A hook that is a command of the user's.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use uuid::Uuid;
use weir_protocol::HookEvent;

use super::environment::environment;
use super::process::{self, Ended, Launch};
use super::reply::{self, Failure, HookReply, text};
use super::settings::{Definition, Handler};
use super::{Hook, HookInput, patience};

/// Says right before a command runs whether it still is what it was; if not, why it does not run.
/// Blocks on the disk.
pub type Vouch = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

#[derive(Clone)]
pub struct CommandHook {
    event: HookEvent,
    handler: Handler,
    folder: PathBuf,
    vouch: Option<Vouch>,
}

/// What came of one that was tried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub reply: HookReply,
    pub duration: Duration,
    pub stdout: String,
    pub stderr: String,
}

impl CommandHook {
    pub fn new(definition: &Definition, folder: &Path) -> Self {
        Self {
            event: definition.event,
            handler: definition.handler.clone(),
            folder: folder.to_owned(),
            vouch: None,
        }
    }

    /// It runs only where this has nothing against it.
    pub fn vouched_for(mut self, vouch: Vouch) -> Self {
        self.vouch = Some(vouch);
        self
    }

    /// What is really started, word for word.
    pub fn argv(&self) -> Vec<String> {
        match &self.handler.args {
            Some(args) => {
                let program = std::iter::once(&self.handler.command);
                program.chain(args).cloned().collect()
            }
            None => {
                let shell = if cfg!(windows) {
                    ["cmd.exe", "/D", "/S", "/C"].as_slice()
                } else {
                    ["/bin/sh", "-c"].as_slice()
                };
                let words = shell.iter().copied().chain([self.handler.command.as_str()]);
                words.map(str::to_owned).collect()
            }
        }
    }

    /// Runs it once and keeps what it wrote.
    pub async fn sample(&self, input: HookInput) -> Sample {
        let started = Instant::now();
        let (mut reply, stdout, stderr) = match self.launch(&input).await {
            Ok(ended) => (self.reply(&ended), text(&ended.stdout), text(&ended.stderr)),
            Err(failure) => (self.failed(&failure), String::new(), String::new()),
        };
        reply.cut();
        Sample {
            reply,
            duration: started.elapsed(),
            stdout,
            stderr,
        }
    }

    async fn launch(&self, input: &HookInput) -> Result<Ended, Failure> {
        if let Some(vouch) = self.vouch.clone() {
            let word = tokio::task::spawn_blocking(move || vouch()).await;
            let word = word.unwrap_or_else(|panic| Err(panic.to_string()));
            word.map_err(Failure::NotVouched)?;
        }
        let mut words = self.argv().into_iter().map(Into::into);
        let mark = format!("{}-{}", std::process::id(), Uuid::new_v4());
        let ended = process::run(Launch {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            environment: environment(std::env::vars_os(), &self.folder, &mark),
            folder: self.folder.clone(),
            mark,
            input: format!("{}\n", input.json()).into_bytes(),
            timeout: match self.handler.timeout_ms {
                Some(milliseconds) => Duration::from_millis(milliseconds),
                None => patience(self.event),
            },
        });
        Ok(ended.await)
    }

    fn failed(&self, failure: &Failure) -> HookReply {
        failure.reply(self.event, self.handler.fail_closed)
    }

    fn reply(&self, ended: &Ended) -> HookReply {
        let by_shell = match self.handler.args {
            Some(_) => reply::Starter::Program,
            None => reply::Starter::Shell,
        };
        reply::read(self.event, self.handler.fail_closed, by_shell, ended)
    }
}

impl Hook for CommandHook {
    fn name(&self) -> String {
        self.handler.words()
    }

    fn run(&self, input: HookInput) -> BoxFuture<'static, HookReply> {
        let hook = self.clone();
        async move {
            match hook.launch(&input).await {
                Ok(ended) => hook.reply(&ended),
                Err(failure) => hook.failed(&failure),
            }
        }
        .boxed()
    }
}
