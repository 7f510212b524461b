//! The TypeScript twin of what crosses to the web view: `ui/src/host/protocol.ts`.

use ts_rs::{Config, TS};

use crate::*;

/// The whole file, in the order of this list.
pub fn declarations() -> String {
    let config = Config::new().with_large_int("number");
    let mut file = String::from(
        "// Written by `make types` from src-tauri/crates/protocol. Do not edit: a stale copy fails the tests.\n",
    );
    macro_rules! declare {
        ($($type:ty),* $(,)?) => {
            $(
                file.push_str("\nexport ");
                file.push_str(<$type as TS>::decl(&config).trim());
                file.push('\n');
            )*
        };
    }
    declare!(
        ErrorDetails,
        ErrorBody,
        Usage,
        PersistenceState,
        ExecutedBy,
        StopReason,
        Decision,
        DecisionScope,
        DecidedBy,
        GuardVerdict,
        GuardCategory,
        Detection,
        GuardChoice,
        RuleAction,
        OutputAction,
        StageActions,
        OwnWord,
        OwnPattern,
        SizeLimits,
        GuardConfig,
        GuardRule,
        ActionOrigin,
        HeldAction,
        HeldActions,
        GuardSettings,
        GuardStage,
        GuardTrial,
        HookEvent,
        HookOutcome,
        BudgetLevel,
        BudgetUnit,
        BudgetScope,
        BudgetPeriod,
        Budget,
        BudgetState,
        UsageRow,
        UsageReport,
        Citation,
        Image,
        Origin,
        ProviderTool,
        ToolChoice,
        RequestOptions,
        EventBody,
        Event,
        SessionStatus,
        SessionSummary,
        SessionChange,
        NewSession,
        KeyState,
        SourceSettings,
        Theme,
        Thinking,
        Fragment,
        SectionKind,
        ConfirmationSubject,
        ConfirmationSection,
        Confirmation,
        ConfirmationAnswer,
        ModelPrice,
        Settings,
        ServerKind,
        CustomServer,
        SettingsChange,
        FoundSource,
        ProjectSummary,
        HookStanding,
        HookSummary,
        HookTrial,
        PromptLook,
        MemoryKind,
        Memory,
        MemorySwitch,
        MemoryList,
        Forget,
        Forgotten,
        Rendered,
        Restored,
        Shown,
        Branches,
        Snapshot,
        Page,
        Frame,
        Notice,
        Startup,
    );
    file
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Fails when the committed copy is stale; `make types` (WEIR_WRITE_TYPES=1) renews it.
    #[test]
    fn committed_copy_is_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/host/protocol.ts");
        let declared = super::declarations();
        if std::env::var_os("WEIR_WRITE_TYPES").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &declared).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == declared,
            "ui/src/host/protocol.ts is stale: run `make types` and commit it"
        );
    }
}
