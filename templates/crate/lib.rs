//! Typed Kubernetes {{what}} for {{groups}}.
//!
//! Each API group is a feature of its own, all of them on by default.
//!
{{groups_docs}}
{{example}}
{{modules}}
