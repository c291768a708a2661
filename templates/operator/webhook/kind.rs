//! The webhooks of `{{kind}}` in `{{api_version}}`.

use codegen_runtime::webhook;

use {{types}};
