//! The types that cross a border: the database, the web view, the command line.
//!
//! Owns the vocabulary and nothing else. No IO, no clock, no Tauri. The web view reads the
//! TypeScript twin of these types, written by `typescript::declarations` and committed; a
//! stale copy fails the tests.

mod budget;
mod check;
mod confirmation;
mod error;
mod event;
mod guard;
mod hook;
mod memory;
mod options;
mod project;
mod session;
mod settings;
mod stream;
pub mod typescript;
mod usage;
mod view;

pub use budget::{Budget, BudgetPeriod, BudgetScope, BudgetState, UsageBy, UsageReport, UsageRow};
pub use check::{
    BudgetLevel, BudgetUnit, Detection, GuardCategory, GuardChoice, GuardVerdict, HookEvent,
    HookOutcome,
};
pub use confirmation::{
    Confirmation, ConfirmationAnswer, ConfirmationSection, ConfirmationSubject, Fragment,
    SectionKind,
};
pub use error::{ErrorBody, ErrorDetails, code};
pub use event::{
    Citation, DecidedBy, Decision, DecisionScope, Event, EventBody, ExecutedBy, Image,
    PersistenceState, StopReason, merge_chunks,
};
pub use guard::{
    ActionOrigin, GuardConfig, GuardRule, GuardSettings, GuardStage, GuardTrial, HeldAction,
    HeldActions, OutputAction, OwnPattern, OwnWord, RuleAction, SizeLimits, StageActions,
};
pub use hook::{HookStanding, HookSummary, HookTrial, PromptLook};
pub use memory::{Forget, Forgotten, Memory, MemoryKind, MemoryList, MemorySwitch};
pub use options::{ProviderTool, RequestOptions, ToolChoice};
pub use project::ProjectSummary;
pub use session::{NewSession, Origin, SessionChange, SessionStatus, SessionSummary};
pub use settings::{
    CustomServer, FoundSource, KeyState, ModelPrice, ServerKind, Settings, SettingsChange,
    SourceSettings, Theme, Thinking,
};
pub use stream::{BlockId, StreamEvent, Summary, Todo, TodoStatus, ToolCallSummary, UsageSummary};
pub use usage::Usage;
pub use view::{Branches, Frame, Notice, Page, Rendered, Restored, Shown, Snapshot, Startup};
