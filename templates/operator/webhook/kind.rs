//! The webhooks of `{{kind}}` in `{{group}}/{{version}}`.

use codegen_runtime::webhook;

use crate::apis::{{group_module}}::{{version}}::{{kind}};
