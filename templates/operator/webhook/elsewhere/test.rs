//! The webhooks of `{{kind}}` in `{{api_version}}`, called without an API server: objects have only what the handlers read.

use codegen_runtime::fake::Reviews;
use {{types}};

fn object() -> {{kind}} {
    let mut object = {{kind}}::default();
    object.metadata.name = Some("sample".to_owned());
    object
}
