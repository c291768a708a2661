//! Strings that Go omits when empty but k8s-openapi always writes.

use super::Written;
use crate::model::{Field, Omission, TypeRef};

/// Whether the field is such a string, which the codec can omit when empty.
pub(crate) fn is_optional_text(field: &Field, written: Written) -> bool {
    let omits = field.go.as_ref().map(|go| go.omits);
    field.ty == TypeRef::String && written == Written::Always && omits == Some(Omission::Empty)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kube_codec::sources::Part;

    use super::*;
    use crate::{
        builtin::{below_openapi, definition, openapi_structs},
        kubernetes::KubernetesVersion,
        model::TypeKind,
    };

    /// Names of structs and fields, formatted as in the codec's list.
    fn pairs(wanted: impl Fn(&Field, Written) -> bool) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for one in openapi_structs(KubernetesVersion::LATEST) {
            let path = below_openapi(one.path);
            let Some(TypeKind::Struct(body)) = definition(&path).map(|def| def.kind) else {
                panic!("{path} is not a struct");
            };
            let (_, name) = path.rsplit_once("::").expect("a path");
            for (property, written) in one.fields() {
                let mut fields = body.fields.iter();
                let field = fields.find(|field| field.json_name == property);
                if wanted(field.expect("a field"), written) {
                    found.insert(format!("    ({name:?}, {property:?}),"));
                }
            }
        }
        found
    }

    #[test]
    fn the_codec_lists_every_text_that_is_left_out() {
        let source = Part::named("optional_text").expect("a part").source;
        let listed = source.lines().filter(|line| line.starts_with("    (\""));
        let listed: Vec<&str> = listed.collect();
        let expected = pairs(is_optional_text);
        assert_eq!(listed, expected.iter().collect::<Vec<_>>());
    }

    /// serde cannot tell apart structs of the same name in different groups.
    #[test]
    fn no_struct_of_the_same_name_always_has_such_a_text() {
        let others = pairs(|field, written| !is_optional_text(field, written));
        let both: Vec<_> = others
            .intersection(&pairs(is_optional_text))
            .cloned()
            .collect();
        assert!(both.is_empty(), "{both:?}");
    }
}
