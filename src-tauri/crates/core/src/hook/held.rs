//! What stands in the place of a hook that guarded and is not there any more.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use weir_protocol::HookEvent;

use super::reply::Failure;
use super::{Hook, HookInput, HookReply};

/// Says no wherever the hook was asked, and starts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenyStub {
    pub event: HookEvent,
    pub matcher: String,
    /// What the hook was known by.
    pub name: String,
    /// For the user: what happened, and what to do.
    pub reason: String,
}

impl Hook for DenyStub {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&self, _: HookInput) -> BoxFuture<'static, HookReply> {
        let failure = Failure::NotVouched(self.reason.clone());
        std::future::ready(failure.reply(self.event, Some(true))).boxed()
    }
}
