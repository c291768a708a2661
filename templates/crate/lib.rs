//! Typed Kubernetes {{what}} for {{groups}}.
//!
//! Each API group has its own feature; all are enabled by default.
//!
{{groups_docs}}
{{example}}
{{modules}}
