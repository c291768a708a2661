//! The webhooks, a module for each kind.

use codegen_runtime::webhook::Webhooks;

{{certificate_roles}}/// All webhooks, by their paths.
pub fn all() -> Webhooks {
    let webhooks = Webhooks::builder();
    webhooks.build()
}
