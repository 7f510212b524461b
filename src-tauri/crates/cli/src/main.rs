//! `weir`: the engine without a window. A public contract: scripts depend on what it prints
//! and on how it exits.

mod arguments;
mod attach;
mod backup;
mod budget;
mod chat;
mod completions;
mod doctor;
mod export;
mod guard;
mod guarding;
mod hook;
mod keys;
mod limits;
mod memory;
mod moving;
mod normalize;
mod output;
mod permission;
mod print;
mod refusal;
mod session;
mod sessions;
mod settings;
mod sources;
mod trust;
mod usage;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use weir_core::app::{App, AppError};
use weir_core::memory::MemoryError;
use weir_core::project::ProjectError;
use weir_core::secret::SystemKeychain;
use weir_core::source::SourceError;
use weir_protocol::{ErrorBody, code};

use arguments::{Arguments, Command};

/// How the program ends, by the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Done,
    Failed,
    WrongUsage,
    /// A guard, a hook or a budget let it go no further.
    HeldBack,
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::WrongUsage => 2,
            Exit::HeldBack => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// Why a command could not do its work: one sentence, and the code that JSON readers get.
struct Failure {
    exit: Exit,
    error: ErrorBody,
}

impl Failure {
    fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::WrongUsage,
            error: ErrorBody::new(code::BAD_INPUT, message),
        }
    }

    fn failed(code: &str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            error: ErrorBody::new(code, message),
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let exit = match &error {
            // What is named well and is not there is no wrong usage.
            AppError::Project(
                ProjectError::NotTrusted(_)
                | ProjectError::Untrusted(_)
                | ProjectError::Looser { .. }
                | ProjectError::Turned { .. }
                | ProjectError::Mistake(_),
            ) => Exit::Failed,
            AppError::Blocked(_)
            | AppError::NoSteps
            | AppError::BadBudget
            | AppError::BadOptions(_)
            | AppError::EmptyTitle
            | AppError::LongTitle
            | AppError::MoveAsks(_)
            | AppError::Limit(_)
            | AppError::Project(
                ProjectError::NoFolder(_)
                | ProjectError::OddName(_)
                | ProjectError::OtherSession(_),
            ) => Exit::WrongUsage,
            AppError::HeldByHook(_) | AppError::HeldBack(_) | AppError::Budget(_) => Exit::HeldBack,
            AppError::Server(_)
            | AppError::Source(SourceError::Unknown(_) | SourceError::BadBaseUrl(_)) => {
                Exit::WrongUsage
            }
            AppError::Memory(error) => match error {
                MemoryError::Empty | MemoryError::TooLong => Exit::WrongUsage,
                MemoryError::Guarded | MemoryError::Guard(_) => Exit::HeldBack,
                MemoryError::Store(_) => Exit::Failed,
            },
            AppError::Stopped => Exit::Interrupted,
            AppError::Store(_)
            | AppError::Source(_)
            | AppError::Key(_)
            | AppError::Keychain(_)
            | AppError::BadPrice
            | AppError::NotWaiting
            | AppError::NoHook
            | AppError::SourceGone(_)
            | AppError::PromptTooLong(_)
            | AppError::ElsewhereRunning => Exit::Failed,
        };
        let mut body = error.body();
        if let AppError::SourceGone(_) = error {
            body.message.push_str(" See weir chat --source.");
        }
        if let AppError::Budget(_) = error {
            body.message
                .push_str(" See weir budget, and weir chat --over-budget.");
        }
        Self { exit, error: body }
    }
}

/// The code of a failure to write because nobody reads any more (`weir … | head`).
const READER_GONE: &str = "reader_gone";

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Interrupted,
                error: ErrorBody::new(READER_GONE, ""),
            };
        }
        if error.kind() == std::io::ErrorKind::InvalidData {
            return Self::usage("The input is not UTF-8 text.");
        }
        Self::failed("io", format!("Reading or writing failed: {error}."))
    }
}

fn main() -> ExitCode {
    let begun = weir_core::startup::begin();
    tracing_subscriber::fmt()
        .with_env_filter(
            // A failure is one sentence; what led to it is told to whoever asks for it.
            tracing_subscriber::EnvFilter::builder()
                .with_env_var("WEIR_LOG")
                .with_default_directive(tracing_subscriber::filter::LevelFilter::OFF.into())
                .from_env_lossy(),
        )
        .with_writer(std::io::stderr)
        .init();
    if let Err(error) = begun {
        tracing::warn!(%error, "a crash may leave a copy of memory on the disk");
    }
    // Its threads start here, after the environment has been cleaned.
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => {
            let exit = runtime.block_on(answer());
            // What must be saved was waited for. Work that a stop left to itself, as the parsing
            // of a large reply, must not keep the program from ending.
            runtime.shutdown_background();
            exit
        }
        Err(error) => {
            let failure = Failure::from(error);
            output::failure(&failure.error, false);
            failure.exit.into()
        }
    }
}

async fn answer() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error).into(),
    };
    let json = arguments.wants_json();
    let exit = match run(arguments).await {
        Ok(exit) => exit,
        // Whoever reads has gone: there is nobody to tell.
        Err(failure) if failure.error.code == READER_GONE => failure.exit,
        Err(failure) => {
            output::failure(&failure.error, json);
            failure.exit
        }
    };
    // One that was stopped is ended beside everything else; nothing waits for that here.
    weir_core::hook::end_all();
    exit.into()
}

/// Help and version are answers; the rest is one sentence, and an event where JSON was asked.
fn refuse(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        return match output::write(&error.render().to_string()) {
            Ok(()) => Exit::Done,
            Err(_) => Exit::Failed,
        };
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    let asks_for_json = |pair: &[std::ffi::OsString]| pair[0] == "--to" && pair[1] == "json";
    let json = arguments
        .iter()
        .any(|it| it == "--json" || it == "--to=json")
        || arguments.windows(2).any(asks_for_json);
    let message = refusal::sentence(error);
    output::failure(&ErrorBody::new(code::BAD_INPUT, message), json);
    Exit::WrongUsage
}

async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let folder = weir_core::folder::data_folder(arguments.data_dir).ok_or_else(|| {
        Failure::failed(
            code::STORAGE,
            "This system has no home folder; say where to keep data with --data-dir.",
        )
    })?;
    match arguments.command {
        Command::Normalize { dialect, to } => normalize::run(&dialect, to),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { path } => completions::man(&path),
        Command::Stop { session } => {
            let app = open(folder).await?;
            closing(&app, session::stop(&app, session)).await
        }
        Command::Rename { session, title } => {
            let app = open(folder).await?;
            closing(&app, session::rename(&app, session, &title)).await
        }
        Command::Fork { session, turn } => {
            let app = open(folder).await?;
            closing(&app, session::fork(&app, session, turn)).await
        }
        Command::Delete { session } => {
            let app = open(folder).await?;
            closing(&app, session::delete(&app, session)).await
        }
        Command::Guard(asked) => guard::run(folder, &asked).await,
        Command::Doctor { json, rebuild } => {
            doctor::run(folder, doctor::Wish { json, rebuild }).await
        }
        Command::Backup { file, json } => {
            let app = open(folder).await?;
            closing(&app, backup::run(&app, &file, json)).await
        }
        Command::Chat(chat) => {
            let app = open(folder).await?;
            closing(&app, chat::run(&app, *chat)).await
        }
        Command::Sessions { json } => {
            let app = open(folder).await?;
            closing(&app, sessions::list(&app, json)).await
        }
        Command::Export {
            session,
            to,
            output,
            originals,
        } => {
            let app = open(folder).await?;
            let wish = export::Wish {
                to,
                file: output,
                texts: sessions::Texts::of(originals),
            };
            closing(&app, export::run(&app, session, wish)).await
        }
        Command::Events {
            session,
            since,
            find,
            originals,
        } => {
            let app = open(folder).await?;
            let wish = sessions::Wish {
                since,
                find,
                texts: sessions::Texts::of(originals),
            };
            closing(&app, sessions::events(&app, session, wish)).await
        }
        Command::Usage { by, json } => {
            let app = open(folder).await?;
            closing(&app, usage::run(&app, by.into(), json)).await
        }
        Command::Budget { action } => {
            let app = open(folder).await?;
            closing(&app, budget::run(&app, action)).await
        }
        Command::Limits { action } => {
            let app = open(folder).await?;
            let action = action.unwrap_or(limits::Action::List { json: false });
            closing(&app, limits::run(&app, action)).await
        }
        Command::Trust(asked) => {
            let app = open(folder).await?;
            closing(&app, trust::run(&app, asked)).await
        }
        Command::Sources { action } => {
            let app = open(folder).await?;
            closing(&app, sources::run(&app, action)).await
        }
        Command::Keys { action } => {
            let app = open(folder).await?;
            closing(&app, keys::run(&app, action)).await
        }
        Command::Settings(asked) => {
            let app = open(folder).await?;
            closing(&app, settings::run(&app, asked)).await
        }
        Command::Memory { action } => {
            let app = open(folder).await?;
            closing(&app, memory::run(&app, action)).await
        }
    }
}

async fn closing<Answer>(
    app: &App,
    work: impl Future<Output = Result<Answer, Failure>>,
) -> Result<Answer, Failure> {
    let mut outcome = work.await;
    if let Err(failure) = &mut outcome
        && failure.error.code == code::DATABASE_LOST
    {
        let rescued = app.store().rescue(None).await;
        let sentence = rescued.map_or_else(|error| error.to_string(), |it| it.sentence());
        failure.error.message = format!("{} {sentence}", failure.error.message);
    }
    app.close().await;
    outcome
}

async fn open(folder: std::path::PathBuf) -> Result<Arc<App>, Failure> {
    let (app, notices) = App::open(folder, Arc::new(SystemKeychain)).await?;
    for notice in notices {
        output::complain(&notice.message);
    }
    Ok(app)
}
