//! The webhooks of `{{kind}}` in `{{api_version}}`.

use codegen_runtime::fake::ApiServer;
use codegen_runtime::kube::Api;

use {{crate}}::apis::{{group_module}}::{{version}}::{{kind}};

use crate::support::server;

/// The name of the object in `config/samples`.
const SAMPLE: &str = "{{sample}}";

fn api(server: &ApiServer) -> Api<{{kind}}> {
    {{test_client}}
}
