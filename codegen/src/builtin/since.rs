//! The fields of Kubernetes' types by the version that added them.

use super::{below_openapi, definition, openapi::since};
use crate::{
    kubernetes::TypesVersion,
    model::{TypeDef, TypeKind},
};

/// Returns the [`definition`] of a type, with the fields that it has in a version of Kubernetes.
#[must_use]
pub(crate) fn definition_in(path: &str, version: Option<TypesVersion>) -> Option<TypeDef> {
    let mut def = definition(path)?;
    let version = version.filter(|version| *version < TypesVersion::LATEST);
    if let (Some(version), TypeKind::Struct(body)) = (version, &mut def.kind) {
        let mut lines = include_str!("since.txt").lines();
        let later = lines.find_map(|line| {
            let (struct_path, fields) = line.split_once(' ')?;
            (below_openapi(struct_path) == path).then_some(fields)
        });
        let later: Vec<&str> = later
            .into_iter()
            .flat_map(|fields| fields.split(' '))
            .map(since)
            .filter(|(_, since)| *since > version.minor())
            .map(|(name, _)| name)
            .collect();
        let is_there = |name: &str| !later.contains(&name);
        body.fields.retain(|field| is_there(&field.json_name));
    }
    Some(def)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ty: &str, version: &str, field: &str, expected: bool) {
        let version = TypesVersion::parse(version).unwrap();
        let path = format!("k8s_openapi::api::core::v1::{ty}");
        let def = definition_in(&path, Some(version));
        let TypeKind::Struct(body) = def.expect("in the table").kind else {
            panic!("not a struct");
        };
        let mut fields = body.fields.iter();
        let is_there = fields.any(|one| one.json_name == field);
        assert_eq!(is_there, expected, "{field} in {version}");
    }

    #[test]
    fn a_type_has_the_fields_of_a_version_and_of_those_before() {
        rows![check:
            ("PodSpec", "1.30", "containers", true),
            ("PodSpec", "1.30", "resources", false),
            ("PodSpec", "1.32", "resources", true),
            ("PodSpec", "1.33", "hostnameOverride", false),
            ("PodSpec", "1.34", "hostnameOverride", true),
            ("PodSpec", "1.36", "schedulingGroup", true),
            ("PodSpec", "1.36", "evictionResponders", false),
            ("PodSpec", "1.37", "evictionResponders", true),
            // Since 1.34.
            ("PodCertificateProjection", "1.34", "keyPath", true),
            ("PodCertificateProjection", "1.34", "userAnnotations", false),
            ("PodCertificateProjection", "1.35", "userAnnotations", true),
        ];
    }
}
