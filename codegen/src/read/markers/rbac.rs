//! The marker of controller-gen's RBAC generator. It belongs to the crate and is allowed in any
//! file.

use super::{At, define::markers};

markers! { MARKERS;
    /// A rule that the controller's role needs.
    Rbac = "kubebuilder:rbac", on [Package, File] {
        default: "none",
        differs: "it passes over a rule in a function or glued to a declaration, drops one of two merged rules about the same \
                  resources, and writes rules that the API server refuses (no verbs, no group, URLs beside resources or in a namespace)",
        repeats: true,
    } (
        /// API groups; `""` or `core` is the core group
        groups: Option<At<Vec<String>>> = "groups" as "group",
        /// resources, with `/` before a subresource
        resources: Option<At<Vec<String>>> = "resources" as "resource",
        /// names of single objects
        resource_names: Option<At<Vec<String>>> = "resourceNames" as "name",
        /// verbs
        verbs: At<Vec<String>> = "verbs" as "verb",
        /// non-resource URLs
        urls: Option<At<Vec<String>>> = "urls" as "url",
        /// makes it a Role of that namespace
        namespace: Option<At<String>> = "namespace" as "name",
        /// a role of another name
        role_name: Option<At<String>> = "roleName" as "name",
    );
}
