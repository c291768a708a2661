//! The table of options. A row declares a field, its default, its setter on
//! [`Config`](crate::Config), its key in `codegen.toml` and its flags; readers, writers, flags and
//! references follow from it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{
    define::{CRATE, CRD, GO, GROUPS, MANIFESTS, options},
    fields::CrdField,
    paths::{crate_path, go_type, service_account, type_path},
    types::TypeAttributes,
    words::{Compat, DocsFormat, Faulty, MapType, Visibility},
};
use crate::{
    generator::Generator,
    kubernetes::{KubernetesTypes, KubernetesVersion, TypesVersion},
    record::Record,
};

options! { ROWS of Options, setters;
    /// Which resources of the CRDs to keep; an empty list keeps all.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Filters at |options| options.filters; {
        /// The groups to keep, of all inputs of the crate.
        groups: Vec<String> = Vec::new() => [fn group(text)] {
            "groups" in [Crd, Go], commands: CRD | CRATE | GO, flag: "group", value: "GROUP", separated: true,
            default: "every group", example: "[\"example.com\"]",
        };
        /// The versions to keep, of all inputs of the crate.
        versions: Vec<String> = Vec::new() => [fn version(text)] {
            "versions" in [Crd, Go], commands: CRD | CRATE | GO, flag: "version", value: "VERSION", separated: true,
            default: "every served version", example: "[\"v1\"]",
        };
        /// The kinds to keep, of all inputs of the crate, with the types that they use.
        kinds: Vec<String> = Vec::new() => [fn kind(text)] {
            "kinds" in [Crd, Go], commands: CRD | CRATE | GO, flag: "kind", value: "KIND", separated: true,
            default: "every kind", example: "[\"VirtualMachine\"]",
        };
        /// Whether to keep versions that are not served too, for conversion and stored objects.
        /// They get types, but no clients.
        unserved: bool = false => [fn all_versions(bool)] { "all-versions" in [Crd], commands: CRD | CRATE };
        /// Whether to keep only the storage version of each kind.
        stored_only: bool = false => [fn storage_version_only(bool)] { "storage-version-only" in [Crd], commands: CRD | CRATE };
    }

    /// The options of a generation.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Options at |options| options; {
        /// The generators to run.
        emit: BTreeSet<Generator> = Generator::in_all().collect() => [] {};
        /// A license header, as comment lines or plain text, placed above the generated-code
        /// marker.
        header: Option<String> = None => [fn header(text)] {};
        /// The name of the module that contains clientset, listers and informers.
        generated: String = "generated".to_owned() => [fn generated_module(text)] {
            "generated" in [Crate], default: "\"generated\"", example: "\"client\"",
        };
        /// The path of the runtime crate in generated code.
        runtime_path: String = "::codegen_runtime".to_owned() => [fn runtime_path(text)] {
            "runtime-path" in [Crate], commands: CRD | CRATE | GO | GROUPS, value: "PATH", check: Some(crate_path),
            default: "\"::codegen_runtime\"", example: "\"crate::runtime\"",
        };
        /// The path of k8s-openapi in generated code that does not use the runtime, which
        /// re-exports it.
        k8s_openapi_path: Option<String> = None => [fn k8s_openapi_path(text)] {
            "k8s-openapi-path" in [Crate], commands: CRD | CRATE | GO, value: "PATH", check: Some(crate_path),
            default: "\"::k8s_openapi\"", example: "\"crate::k8s_openapi\"",
        };
        /// The path of the module that contains `apis` and `generated` (`crate`, or `crate::kube`
        /// in a build script).
        base_path: String = "crate".to_owned() => [] {};
        /// Whether types from CRDs and Go also derive `schemars::JsonSchema`.
        schemars: bool = false => [fn schemars(bool)] { "schemars" in [Crate], commands: CRD | CRATE | GO };
        /// Whether each group has a Cargo feature named after its module.
        group_features: bool = false => [fn group_features(bool)] { "group-features" in [Crate] };
        /// Whether each kind of each version from CRDs has a Cargo feature of its own, such as
        /// `cloudnative_v1alpha1_virtual_machine`; a group's feature enables all its kinds.
        kind_features: bool = false => [fn kind_features(bool)] { "kind-features" in [Crate], commands: CRATE };
        /// Which CRDs to keep.
        filters: Filters = Filters::default() => [] {};
        /// Rust names of types from CRDs, by their path in the schema.
        renames: BTreeMap<String, String> = BTreeMap::new() => [fn rename(text, text)] {
            "renames" in [Crate], commands: CRD | CRATE, flag: "rename", value: "PATH=NAME",
            example: "{ \"VirtualMachine.spec.resource\" = \"MachineSize\" }",
        };
        /// What is said of fields of CRDs, where no marker can stand.
        crd_fields: Vec<CrdField> = Vec::new() => [] {};
        /// The recorded names of types and modules from CRDs, which are kept; `None` records no
        /// names.
        record: Option<Arc<Record>> = None => [] {};
        /// Whether types from CRDs get an alias per schema path, named after the full path
        /// (`VirtualMachineSpecResource`).
        aliases: bool = false => [fn aliases(bool)] { "aliases" in [Crate], commands: CRD | CRATE };
        /// Which schemas of CRDs become types of k8s-openapi: `all` with the same structure,
        /// including those of other Kubernetes releases, which have fewer fields; `exact`, those
        /// with every field; or `none`. No data is lost.
        kubernetes_types: KubernetesTypes = KubernetesTypes::default() => [fn kubernetes_types(crate::KubernetesTypes)] {
            "kubernetes-types" in [Crate], commands: CRD | CRATE, value: "WHICH", default: "\"all\"", example: "\"exact\"",
        };
        /// The lowest Kubernetes version that k8s-openapi is compiled for (its features `v1_33` to
        /// `v1_37`). Schemas with fields of that version become types of k8s-openapi too; with a
        /// feature of an earlier version the types don't compile.
        kubernetes_version: Option<KubernetesVersion> = None => [fn kubernetes_version(crate::KubernetesVersion)] {
            "kubernetes-version" in [Crate], commands: CRD | CRATE, value: "VERSION",
            default: "every version that k8s-openapi supports", example: "\"1.36\"",
        };
        /// The shape of types from CRDs and Go.
        types: TypeOptions = TypeOptions::default() => [] {};
        /// Whether to generate for the other CRDs if some have errors, which are reported, with
        /// exit code 1.
        faulty: Faulty = Faulty::Refused => [fn keep_going(bool)] { "keep-going" in [Crd], commands: CRD | CRATE };
        /// Rust types in place of Go types, by import path and name (`github.com/x/y/v1.Z`); a bare
        /// Rust name renames the generated type.
        type_paths: BTreeMap<String, String> = BTreeMap::new() => [fn type_path(text, text)] {
            "type-paths" in [Go], commands: GO, flag: "type-path", value: "GO=RUST",
            check: Some(type_path), check_key: Some(go_type),
            example: "{ \"github.com/x/y/v1.Z\" = \"my_crate::Z\" }",
        };
        /// Markers of other tools in annotated Rust, which are ignored; a trailing `*` matches any
        /// suffix.
        ignored_markers: Vec<String> = Vec::new() => [] {
            "ignore-markers" in [Rust], commands: GO, value: "MARKER", example: "[\"operator-sdk:*\"]",
        };
        /// `strict`, or `controller-gen` for its exact output, including its mistakes.
        compat: Compat = Compat::Strict => [fn compat(crate::Compat)] {
            "compat" in [Manifests], commands: MANIFESTS, value: "MODE", default: "\"strict\"", example: "\"controller-gen\"",
        };
        /// Manifests to write beside the code; `None` writes no manifests.
        manifests: Option<Manifests> = None => [] {};
    }

    /// The shape of types from CRDs and Go. Annotated Rust is left as written.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TypeOptions at |options| options.types; {
        /// Whether structs from CRDs and Go derive `bon::Builder`, whose `build()` only compiles
        /// once all required fields are set. The crate then needs
        /// `bon = { version = "3", default-features = false }`.
        builders: bool = false => [fn builders(bool)] { "builders" in [Crate], commands: CRD | CRATE | GO };
        /// Additional derives and attributes; a type gets those of every matching pattern.
        attributes: Vec<TypeAttributes> = Vec::new() => [] {};
        /// Fields of types from CRDs and Go to put in a `Box`, by schema path. Fields that would
        /// make a type contain itself are always boxed.
        boxed: BTreeSet<String> = BTreeSet::new() => [fn boxed(text)] {
            "boxed" in [Crate], commands: CRD | CRATE | GO, value: "PATH", example: "[\"VirtualMachine.spec.template\"]",
        };
        /// The type of map fields from CRDs: `btree` (`BTreeMap`), or `hash` (`HashMap`), which is
        /// serialized in key order too. Maps within lists and maps, and maps of quantities, times
        /// and other values that k8s-openapi's serde would change, stay `BTreeMap`.
        map_type: MapType = MapType::Btree => [fn map_type(crate::options::MapType)] {
            "map-type" in [Crate], commands: CRD | CRATE, value: "TYPE", default: "\"btree\"", example: "\"hash\"",
        };
        /// The visibility of generated items: `public` (`pub`), or `crate` (`pub(crate)`) for a
        /// private module of a crate, without warnings about unused items.
        visibility: Visibility = Visibility::Public => [fn visibility(crate::options::Visibility)] {
            "visibility" in [Crate], commands: CRD | GO, value: "WHO", default: "\"public\"", example: "\"crate\"",
        };
    }

    /// Which manifests to write, and how.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Manifests at |options| options.manifests.get_or_insert_default(); {
        /// The folder of CustomResourceDefinitions, or one `.yaml` or `.yml` file for all, relative
        /// to the crate; empty writes none.
        crds: Option<String> = Some("config/crd/bases".to_owned()) => [] {
            "crds" in [Manifests], commands: MANIFESTS, value: "DIR", default: "\"config/crd/bases\"", example: "\"deploy/crds\"",
        };
        /// The file of the roles that the crate's controllers need, by their `+kubebuilder:rbac`
        /// markers; empty writes none.
        roles: Option<String> = Some("config/rbac/role.yaml".to_owned()) => [] {
            "roles" in [Manifests], commands: MANIFESTS, value: "FILE",
            default: "\"config/rbac/role.yaml\"", example: "\"deploy/role.yaml\"",
        };
        /// The names of those roles.
        role: RoleOptions = RoleOptions::default() => [] {};
        /// The folder of admin, editor and viewer roles for each kind.
        user_roles: Option<String> = None => [] {
            "user-roles" in [Manifests], default: "none", example: "\"config/rbac\"",
        };
        /// The file of the webhook configurations; empty writes none.
        webhooks: Option<String> = Some("config/webhook/manifests.yaml".to_owned()) => [] {
            "webhooks" in [Manifests], commands: MANIFESTS, value: "FILE",
            default: "\"config/webhook/manifests.yaml\"", example: "\"deploy/webhooks.yaml\"",
        };
        /// The folder of the API reference, or one `.md` or `.html` file for all.
        docs: Option<String> = None => [] {
            "docs" in [Manifests], commands: MANIFESTS, value: "DIR", default: "none", example: "\"docs/api\"",
        };
        /// The format of the API reference in a folder: `markdown` with a page per version, or
        /// `html` with a page per group and an index.
        docs_format: DocsFormat = DocsFormat::Markdown => [] {
            "docs-format" in [Manifests], commands: MANIFESTS, value: "FORMAT", default: "\"markdown\"", example: "\"html\"",
        };
        /// The maximum length of a description in a schema, in bytes; 0 removes all descriptions.
        max_description: Option<usize> = None => [] {
            "max-description" in [Manifests], commands: MANIFESTS, value: "BYTES", default: "unlimited", example: "0",
        };
        /// Whether the schema of embedded metadata lists name, namespace, labels, annotations and
        /// finalizers, instead of only permitting an object.
        embedded_object_meta: bool = false => [] { "embedded-object-meta" in [Manifests], commands: MANIFESTS };
        /// Whether floating-point numbers, which differ in precision between languages, are
        /// permitted in CRDs.
        floats: bool = false => [] { "floats" in [Manifests], commands: MANIFESTS };
        /// Whether an annotation of CRDs names the generator and its version.
        attribution: bool = false => [] { "attribution" in [Manifests], commands: MANIFESTS };
        /// The Kubernetes version whose types schemas describe, from `1.30` on: with fields of
        /// earlier versions only.
        types_version: Option<TypesVersion> = None => [] {
            "kubernetes-version" in [Manifests], commands: MANIFESTS, value: "VERSION",
            default: "that of the crate's feature of k8s-openapi, else the latest", example: "\"1.32\"",
        };
        /// Whether cargo builds the crate and a small program that asks its types for the CRDs
        /// that cannot be read from source. The result is kept in the target folder until sources
        /// or Cargo.lock change.
        evaluate: bool = false => [] { "evaluate" in [Manifests], commands: MANIFESTS };
        /// Public types of libraries that source code does not show, such as those that macros
        /// declare, for `evaluate`: by their paths, which start with the name of the crate.
        evaluate_types: Vec<String> = Vec::new() => [] {
            "evaluate-types" in [Manifests], commands: MANIFESTS, value: "PATHS", separated: true,
            example: "[\"my_operator::crd::v1alpha1::Cluster\"]",
        };
        /// The groups and kinds whose CRDs were asked for in this way.
        evaluated: Vec<(String, String)> = Vec::new() => [] {};
        /// Whether CRDs that lack what only the compiler knows, such as a default, count as unread.
        only_complete: bool = false => [] {};
        /// The groups whose CRDs are written. Others may be in the crate as types of other
        /// projects' CRDs.
        groups: Vec<String> = Vec::new() => [] {
            "groups" in [Manifests], commands: MANIFESTS, value: "NAMES", separated: true,
            default: "every group", example: "[\"example.com\"]",
        };
        /// The kinds whose CRDs are written.
        kinds: Vec<String> = Vec::new() => [] {
            "kinds" in [Manifests], commands: MANIFESTS, value: "NAMES", separated: true,
            default: "every kind", example: "[\"VirtualMachine\"]",
        };
    }

    /// Options of roles that come from the configuration rather than from markers.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RoleOptions at |options| options.manifests.get_or_insert_default().role; {
        /// The name of roles whose markers do not name one.
        role_name: String = "manager-role".to_owned() => [] {
            "role-name" in [Manifests], commands: MANIFESTS, value: "NAME",
            default: "\"manager-role\"", example: "\"virtualmachine-controller\"",
        };
        /// The namespaces that the controllers are confined to: rules about namespaced resources
        /// that do not name another one go to a Role in each.
        namespaces: Vec<String> = Vec::new() => [] {
            "role-namespaces" in [Manifests], default: "the whole cluster", example: "[\"virtualmachines\"]",
        };
        /// The service account of the controllers, `NAMESPACE/NAME`: each role gets a binding to
        /// it.
        account: Option<String> = None => [] {
            "role-account" in [Manifests], check: Some(service_account),
            default: "none, and no bindings", example: "\"virtualmachines/controller\"",
        };
    }
}
