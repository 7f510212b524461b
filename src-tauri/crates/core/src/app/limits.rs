//! The user's limits on one reply: one setting, written like the others.

use super::{App, AppError};
use crate::store::StoreError;
use crate::turn::limits::{Limit, ReplyLimits};

const LIMITS: &str = "limits";

impl App {
    /// The limits in force.
    pub async fn limits(&self) -> Result<ReplyLimits, StoreError> {
        let stored = self.store.setting(LIMITS).await?;
        Ok(ReplyLimits::parse(&stored.unwrap_or_default()))
    }

    /// Sets one limit, or with no value goes back to its default.
    pub async fn set_limit(
        &self,
        limit: &'static Limit,
        value: Option<u64>,
    ) -> Result<(), AppError> {
        if let Some(value) = value {
            ReplyLimits::default().set(limit, value)?;
        }
        let update = move |stored: Option<String>| {
            let mut limits = ReplyLimits::parse(&stored.unwrap_or_default());
            match value {
                // Checked above.
                Some(value) => drop(limits.set(limit, value)),
                None => limits.reset(limit),
            }
            Ok(Some(serde_json::to_string(&limits)?))
        };
        self.store.update_setting(LIMITS, update).await?;
        Ok(())
    }
}
