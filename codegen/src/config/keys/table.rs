//! The table of keys that are no options: inputs, and sections.

use crate::options::define::{
    OptionDef,
    Section::{
        self, Accept, Attributes, Compatibility, Crate, Crd, Go, Manifests, Root, Rust, Workspace,
    },
    Type::{self, Bool, String, Strings, Table, Tables},
};

const fn key(
    section: &'static Section,
    name: &'static str,
    ty: Type,
    default: &'static str,
    example: &'static str,
    docs: &'static str,
) -> OptionDef {
    OptionDef {
        sections: std::slice::from_ref(section),
        name,
        default,
        example,
        docs,
        ..OptionDef::of(ty)
    }
}

/// Every key, by section.
#[rustfmt::skip]
pub(in crate::config) const KEYS: &[OptionDef] = &[
    key(&Root, "workspace", Table(Workspace), "", "{ members = [\"controllers/*\"] }",
        "Other folders with a codegen.toml."),
    key(&Root, "crate", Tables(Crate), "", "[{ crd = { files = [\"crds\"] } }]",
        "What to generate, once for each crate or output folder."),
    key(&Workspace, "members", Strings, "[]", "[\"api\", \"controllers/*\"]",
        "Folders whose codegen.toml belongs to this one, relative to this file; `*` as the last part matches every folder that has one."),
    key(&Crate, "path", String, "the folder of this file", "\"api\"",
        "The crate's folder, relative to this file. Other paths of the crate are relative to it, except header-file."),
    key(&Crate, "output", String, "\"src\"", "\"src/kubernetes\"", "The folder that generated code is written to."),
    key(&Crate, "emit", Strings, "[\"all\"]", "[\"types\", \"client\"]",
        "The generators to run. Generators that their output depends on run too."),
    key(&Crate, "header-file", String, "no header", "\"hack/boilerplate.rs.txt\"",
        "A file with the license header for every generated file, relative to this file: comments, or plain text, which becomes a comment."),
    key(&Crate, "base-path", String, "the output folder's module", "\"crate::kubernetes\"",
        "The module path of the output folder."),
    key(&Crate, "names-file", String, "`apis/names.toml` in the output folder", "\"names.toml\"",
        "The file that records the names of modules and types from CRDs, so that they stay stable across releases of the CRDs; empty disables it."),
    key(&Crate, "attributes", Tables(Attributes), "", "[{ types = \"IssuerSpec*\", derives = [\"Eq\"] }]",
        "Derives and attributes for types from CRDs and Go, one table per name pattern."),
    key(&Crate, "rust", Table(Rust), "", "{ apis = \"src\" }",
        "Annotated Rust as input. A crate has at least one of rust, crd and go, or only manifests, for the roles of a crate without types."),
    key(&Crate, "crd", Table(Crd), "", "{ files = [\"crds\"] }", "CRDs as input."),
    key(&Crate, "manifests", Table(Manifests), "", "{}", "Also writes CRDs, roles and webhook configurations."),
    key(&Crate, "go", Tables(Go), "", "[{ packages = [\"./api/...\"] }]",
        "Go packages as input, one table per Go module."),
    key(&Crate, "compatibility", Table(Compatibility), "", "{ base = \"git:v1.2.0\" }",
        "What the CRDs have to be compatible with, which `generate --check` and `diff` check."),
    key(&Compatibility, "base", String, "", "\"git:v1.2.0\"",
        "The CRDs to compare with: `git:REF` for the inputs of the crate at a commit, `git:REF:PATH` for other ones, or a file or folder of CRDs, relative to the crate's folder."),
    key(&Compatibility, "accept", Tables(Accept), "", "[{ id = \"field-removed\", path = \"spec.size\", reason = \"never read\" }]",
        "Findings that are accepted. One that nothing needs is an error."),
    key(&Accept, "id", String, "", "\"field-removed\"", "The finding."),
    key(&Accept, "crd", String, "any CRD", "\"widgets.example.com\"", "The name of the CRD."),
    key(&Accept, "path", String, "any path", "\"spec.size\"", "The path as the finding shows it."),
    key(&Accept, "reason", String, "", "\"never read\"", "Why it is accepted."),
    key(&Accept, "until", String, "for good", "\"2027-01-31\"", "The last day on which it is accepted."),
    key(&Rust, "apis", String, "\"src/apis\"", "\"src\"",
        "The folder with the types, in `<group>/<version>/`; or a crate, a workspace, or a folder or file of a crate, whose kinds derive kube's `CustomResource` and stay where they stand. Without `src/apis`, the crate."),
    key(&Rust, "groups", Strings, "every group of the folder", "[\"cloudnative:v1alpha1\"]",
        "The groups with their versions, as `<group>:<version>[,<version>…]`."),
    key(&Rust, "features", Strings, "[]", "[\"v2\"]",
        "Features of the crate that are on besides its default features, for kinds that derive kube's `CustomResource`: what `cfg` and `cfg_attr` leave out is not read."),
    key(&Rust, "all-features", Bool, "false", "true", "Whether all features of the crate are on."),
    key(&Rust, "default-features", Bool, "true", "false", "Whether the crate's default features are on."),
    key(&Crd, "files", Strings, "[\"crds\"]", "[\"crds\"]", "Files of CRDs (YAML or JSON), or folders of them."),
    key(&Go, "dir", String, "the crate's folder", "\"../operator\"",
        "A folder in the Go module; packages are relative to it."),
    key(&Go, "packages", Strings, "[\"./...\"]", "[\"./api/v1\"]",
        "The packages: folders that start with `./` or `../`, or import paths; `...` matches all packages below."),
    key(&Attributes, "types", String, "", "\"IssuerSpec*\"",
        "Names of structs and enums; `*` matches any characters."),
    key(&Attributes, "derives", Strings, "[]", "[\"schemars::JsonSchema\", \"Eq\"]",
        "Paths of additional derive macros."),
    key(&Attributes, "attributes", Strings, "[]", "[\"#[non_exhaustive]\"]", "Additional attributes."),
];
