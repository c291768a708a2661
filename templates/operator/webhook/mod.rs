//! The webhooks, one module per kind.

use codegen_runtime::webhook::Webhooks;

{{certificate_roles}}/// Returns all webhooks, by path.
pub fn all() -> Webhooks {
    let webhooks = Webhooks::builder();
    webhooks.build()
}
