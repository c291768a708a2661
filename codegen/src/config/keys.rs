//! The keys of `codegen.toml`: one table that reading, the reference, the schema and suggestions follow.

use Section::{Attributes, Crate, Crd, Go, Manifests, Root, Rust, Workspace};
use Type::{Bool, Count, Map, String, Strings, Table, Tables};

/// A table of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The file itself.
    Root,
    /// `[workspace]`
    Workspace,
    /// `[[crate]]`
    Crate,
    /// `[crate.rust]`
    Rust,
    /// `[crate.crd]`
    Crd,
    /// `[crate.manifests]`
    Manifests,
    /// `[[crate.go]]`
    Go,
    /// `[[crate.attributes]]`
    Attributes,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// `true` or `false`.
    Bool,
    /// A whole number, at least 0.
    Count,
    /// A table from string to string.
    Map,
    /// A table with keys of its own.
    Table(Section),
    /// An array of such tables.
    Tables(Section),
}

/// A key: where it stands, what it takes, what it means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) section: Section,
    pub(super) name: &'static str,
    pub(super) ty: Type,
    /// In words or as TOML; empty where absence means nothing in particular.
    pub(super) default: &'static str,
    /// A value, as TOML.
    pub(super) example: &'static str,
    /// Its meaning, as sentences.
    pub(super) docs: &'static str,
}

const fn key(
    section: Section,
    name: &'static str,
    ty: Type,
    default: &'static str,
    example: &'static str,
    docs: &'static str,
) -> Key {
    Key {
        section,
        name,
        ty,
        default,
        example,
        docs,
    }
}

/// Every key, by section.
pub(super) const KEYS: &[Key] = &[
    key(
        Root,
        "workspace",
        Table(Workspace),
        "",
        "{ members = [\"controllers/*\"] }",
        "Other folders with a codegen.toml.",
    ),
    key(
        Root,
        "crate",
        Tables(Crate),
        "",
        "[{ crd = { files = [\"crds\"] } }]",
        "What to generate, once for each crate or output folder.",
    ),
    key(
        Workspace,
        "members",
        Strings,
        "[]",
        "[\"api\", \"controllers/*\"]",
        "Folders whose codegen.toml belongs to this one, relative to this file; `*` as the last part stands for every folder that has one.",
    ),
    key(
        Crate,
        "path",
        String,
        "the folder of this file",
        "\"api\"",
        "The crate's folder, relative to this file. Other paths of the crate are relative to it, save header-file.",
    ),
    key(
        Crate,
        "output",
        String,
        "\"src\"",
        "\"src/kubernetes\"",
        "The folder that gets the generated folders.",
    ),
    key(
        Crate,
        "generated",
        String,
        "\"generated\"",
        "\"client\"",
        "The module that holds clientset, listers and informers.",
    ),
    key(
        Crate,
        "emit",
        Strings,
        "[\"all\"]",
        "[\"types\", \"client\"]",
        "The generators to run. Those that their output does not compile without run too.",
    ),
    key(
        Crate,
        "header-file",
        String,
        "no header",
        "\"hack/boilerplate.rs.txt\"",
        "A license header for every file, relative to this file: comments, or text that becomes one.",
    ),
    key(
        Crate,
        "runtime-path",
        String,
        "\"::codegen_runtime\"",
        "\"crate::runtime\"",
        "The path of the runtime crate in generated code.",
    ),
    key(
        Crate,
        "k8s-openapi-path",
        String,
        "\"::k8s_openapi\"",
        "\"crate::k8s_openapi\"",
        "The path of k8s-openapi in generated code that needs no runtime.",
    ),
    key(
        Crate,
        "base-path",
        String,
        "the output folder's module",
        "\"crate::kubernetes\"",
        "The module that the output folder is.",
    ),
    key(
        Crate,
        "schemars",
        Bool,
        "false",
        "true",
        "Whether types from CRDs and Go also derive `schemars::JsonSchema`.",
    ),
    key(
        Crate,
        "group-features",
        Bool,
        "false",
        "true",
        "Whether each group is behind a feature of its module's name.",
    ),
    key(
        Crate,
        "renames",
        Map,
        "{}",
        "{ \"VirtualMachine.spec\" = \"MachineSpec\" }",
        "Rust names of types from CRDs, by their path in the schema.",
    ),
    key(
        Crate,
        "aliases",
        Bool,
        "false",
        "true",
        "Whether types from CRDs have an alias for each path of the schema, named after all of it.",
    ),
    key(
        Crate,
        "kubernetes-types",
        String,
        "\"all\"",
        "\"exact\"",
        "Which schemas of CRDs become types of k8s-openapi: `all` of the same structure and of other releases of Kubernetes, which have fewer fields; `exact`, those with every field; or `none`. No value is lost.",
    ),
    key(
        Crate,
        "builders",
        Bool,
        "false",
        "true",
        "Whether structs from CRDs and Go derive `bon::Builder`, so that required fields have to be set before `build()` compiles.",
    ),
    key(
        Crate,
        "attributes",
        Tables(Attributes),
        "",
        "[{ types = \"IssuerSpec*\", derives = [\"Eq\"] }]",
        "Derives and attributes for types from CRDs and Go, once for each pattern of names.",
    ),
    key(
        Crate,
        "rust",
        Table(Rust),
        "",
        "{ apis = \"src\" }",
        "Annotated Rust as input. A crate has this, crd or go, or several of them.",
    ),
    key(
        Crate,
        "crd",
        Table(Crd),
        "",
        "{ files = [\"crds\"] }",
        "CRDs as input.",
    ),
    key(
        Crate,
        "manifests",
        Table(Manifests),
        "",
        "{}",
        "Writes CRDs, roles and webhook configurations too.",
    ),
    key(
        Crate,
        "go",
        Tables(Go),
        "",
        "[{ packages = [\"./api/...\"] }]",
        "Go packages as input, once for each Go module.",
    ),
    key(
        Rust,
        "apis",
        String,
        "\"src/apis\"",
        "\"src\"",
        "The folder with the types, in `<group>/<version>/`.",
    ),
    key(
        Rust,
        "groups",
        Strings,
        "every group of the folder",
        "[\"cloudnative:v1alpha1\"]",
        "The groups with their versions, as `<group>:<version>[,<version>…]`.",
    ),
    key(
        Rust,
        "ignore-markers",
        Strings,
        "[]",
        "[\"operator-sdk:*\"]",
        "Markers of other tools, which are passed over; `*` stands for any rest of a name.",
    ),
    key(
        Crd,
        "files",
        Strings,
        "[\"crds\"]",
        "[\"crds\"]",
        "Files of CRDs (YAML or JSON), or folders of them.",
    ),
    key(
        Crd,
        "groups",
        Strings,
        "every group",
        "[\"example.com\"]",
        "The groups to keep.",
    ),
    key(
        Crd,
        "versions",
        Strings,
        "every served version",
        "[\"v1\"]",
        "The versions to keep.",
    ),
    key(
        Crd,
        "kinds",
        Strings,
        "every kind",
        "[\"VirtualMachine\"]",
        "The kinds to keep.",
    ),
    key(
        Crd,
        "all-versions",
        Bool,
        "false",
        "true",
        "Whether versions that are not served have types too.",
    ),
    key(
        Go,
        "dir",
        String,
        "the crate's folder",
        "\"../operator\"",
        "A folder of the Go module, to which packages are relative.",
    ),
    key(
        Go,
        "packages",
        Strings,
        "[\"./...\"]",
        "[\"./api/v1\"]",
        "The packages: folders that start with `./` or `../`, or import paths; `...` stands for every package below.",
    ),
    key(
        Go,
        "type-paths",
        Map,
        "{}",
        "{ \"github.com/x/y/v1.Z\" = \"my_crate::Z\" }",
        "Rust types in place of Go's, by import path and name; a name without a path renames the generated type.",
    ),
    key(
        Attributes,
        "types",
        String,
        "",
        "\"IssuerSpec*\"",
        "Names of structs and enums; `*` stands for any characters.",
    ),
    key(
        Attributes,
        "derives",
        Strings,
        "[]",
        "[\"schemars::JsonSchema\", \"Eq\"]",
        "Paths of derive macros beside the generator's own.",
    ),
    key(
        Attributes,
        "attributes",
        Strings,
        "[]",
        "[\"#[non_exhaustive]\"]",
        "Attributes beside the generator's own.",
    ),
    key(
        Manifests,
        "crds",
        String,
        "\"config/crd/bases\"",
        "\"deploy/crds\"",
        "The folder of CustomResourceDefinitions, or one `.yaml` file of all, relative to the crate; empty writes none.",
    ),
    key(
        Manifests,
        "roles",
        String,
        "\"config/rbac/role.yaml\"",
        "\"deploy/role.yaml\"",
        "The file of the roles that the crate's controllers need, by their `+kubebuilder:rbac` markers; empty writes none.",
    ),
    key(
        Manifests,
        "role-name",
        String,
        "\"manager-role\"",
        "\"virtualmachine-controller\"",
        "The name of the roles that no marker names.",
    ),
    key(
        Manifests,
        "role-namespace",
        String,
        "the whole cluster",
        "\"virtualmachines\"",
        "The namespace that the controllers are confined to: rules about its resources go to a Role.",
    ),
    key(
        Manifests,
        "user-roles",
        String,
        "none",
        "\"config/rbac\"",
        "The folder of admin, editor and viewer roles for each kind.",
    ),
    key(
        Manifests,
        "webhooks",
        String,
        "\"config/webhook/manifests.yaml\"",
        "\"deploy/webhooks.yaml\"",
        "The file of the webhook configurations; empty writes none.",
    ),
    key(
        Manifests,
        "compat",
        String,
        "\"strict\"",
        "\"controller-gen\"",
        "`strict`, or `controller-gen` for its output to the byte, its mistakes included.",
    ),
    key(
        Manifests,
        "max-description",
        Count,
        "unlimited",
        "0",
        "The most bytes of a description in a schema; 0 leaves all descriptions out.",
    ),
    key(
        Manifests,
        "embedded-object-meta",
        Bool,
        "false",
        "true",
        "Whether the schema of embedded metadata lists name, namespace, labels, annotations and finalizers.",
    ),
    key(
        Manifests,
        "floats",
        Bool,
        "false",
        "true",
        "Whether floating-point numbers are permitted in CRDs.",
    ),
    key(
        Manifests,
        "attribution",
        Bool,
        "false",
        "true",
        "Whether an annotation of CRDs names the generator and its version.",
    ),
];

impl Section {
    /// Every section, in the order of the file.
    pub(super) const ALL: [Self; 8] =
        [Root, Workspace, Crate, Attributes, Rust, Crd, Go, Manifests];

    /// As it is written.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Root => "codegen.toml",
            Workspace => "[workspace]",
            Crate => "[[crate]]",
            Rust => "[crate.rust]",
            Crd => "[crate.crd]",
            Manifests => "[crate.manifests]",
            Go => "[[crate.go]]",
            Attributes => "[[crate.attributes]]",
        }
    }

    /// Its keys.
    pub(super) fn keys(self) -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(move |key| key.section == self)
    }
}

impl Type {
    /// In words.
    pub(super) const fn name(self) -> &'static str {
        match self {
            String => "string",
            Strings => "list of strings",
            Bool => "true or false",
            Count => "whole number",
            Map => "table of strings",
            Table(_) => "table",
            Tables(_) => "array of tables",
        }
    }
}
