//! Converts `{{kind}}` between `{{group}}/{{spoke}}` and the storage version `{{version}}`.
//!
//! Fields with the same name and type are copied. A field that one version lacks is lost unless you convert it, or keep it in an
//! annotation; the test `no_field_is_lost` names those that are.

use codegen_runtime::app::BoxError;
use codegen_runtime::codec::recoded;

use crate::apis::{{group_module}}::{{versions}};

impl TryFrom<{{spoke}}::{{kind}}> for {{version}}::{{kind}} {
    type Error = BoxError;

    fn try_from(object: {{spoke}}::{{kind}}) -> Result<Self, BoxError> {
        Ok(Self {
{{to_hub}}        })
    }
}

impl TryFrom<{{version}}::{{kind}}> for {{spoke}}::{{kind}} {
    type Error = BoxError;

    fn try_from(object: {{version}}::{{kind}}) -> Result<Self, BoxError> {
        Ok(Self {
{{from_hub}}        })
    }
}
