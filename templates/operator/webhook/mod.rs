//! The webhooks, a module for each kind.

use codegen_runtime::webhook::Webhooks;

/// All webhooks, by their paths.
pub fn all() -> Webhooks {
    let webhooks = Webhooks::builder();
    webhooks.build()
}
