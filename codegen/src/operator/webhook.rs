//! The webhooks of a kind: their files, and their lines in the user's files.

use std::path::PathBuf;

use kube_codegen_templates::operator::webhook::{
    self, CONVERSION, DEFAULTING, KIND, MODULE, SERVICE, TEST, TEST_DEFAULTING, TEST_SPOKE,
    TEST_VALIDATION, VALIDATION,
};
use serde::{Deserialize, Serialize};

use super::{
    APP, Api, CORE, Certificates, DEPLOYED, Edit, EditKind, Part, TESTS,
    edit::{self, At},
    layout::{chained, implementation},
};
use crate::{
    model::{ApiSet, Scope, Webhook, WebhookEndpoint},
    output::Tree,
    scaffold::fill,
};

/// The file of the module with all webhooks.
const MODULE_PATH: &str = "src/webhooks/mod.rs";

/// The task of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Handler {
    /// Sets defaults on objects.
    Defaulting,
    /// Rejects invalid objects.
    Validation,
    /// Converts between versions of the kind.
    Conversion,
}

impl Handler {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 3] = [Self::Defaulting, Self::Validation, Self::Conversion];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validation => "validation",
            Self::Conversion => "conversion",
        }
    }
}

/// The webhooks of a kind in a version that a command adds or removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhooks {
    /// The kind.
    pub api: Api,
    /// The path of its type, if that is not the operator's: the kind is one of Kubernetes or of
    /// another project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
    /// The module of its handlers.
    pub module: String,
    /// The name of the sample object that tests start with.
    pub sample: String,
    /// The sample's namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The handlers to add or remove, in the order of [`Handler::ALL`].
    pub handlers: Vec<Handler>,
    /// The versions whose conversion is added or removed.
    pub spokes: Vec<String>,
    /// The file of the webhook configurations.
    pub configurations: String,
    /// The issuer of the certificate.
    pub certificates: Certificates,
}

impl Webhooks {
    /// The file with the handlers.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        format!("src/webhooks/{}.rs", self.module).into()
    }

    /// The file with the handlers' tests.
    #[must_use]
    pub fn test_path(&self) -> PathBuf {
        format!("tests/operator/{}.rs", Self::test_module(&self.module)).into()
    }

    /// The file with the tests of a version's conversion.
    #[must_use]
    pub fn spoke_path(&self, version: &str) -> PathBuf {
        format!("tests/operator/{}.rs", self.spoke_module(version)).into()
    }

    fn spoke_module(&self, version: &str) -> String {
        format!("{}_{version}_conversion", self.module.trim_end_matches('_'))
    }

    /// The module with the tests of a handler module; the trailing `_` of a module named after a
    /// keyword is dropped.
    #[must_use]
    pub fn test_module(module: &str) -> String {
        format!("{}_webhook", module.trim_end_matches('_'))
    }

    /// The file of the module with all webhooks. It exists if the operator has webhooks from
    /// `create webhook`.
    #[must_use]
    pub fn module_path() -> PathBuf {
        MODULE_PATH.into()
    }

    /// The path of the module with all webhooks, as used in tests.
    #[must_use]
    pub fn crate_path(&self) -> String {
        format!("{}::webhooks", self.api.operator.crate_name())
    }

    /// Whether the module with all webhooks is empty.
    #[must_use]
    pub fn is_empty_module(&self, text: &str) -> bool {
        text.replace("\r\n", "\n") == fill(MODULE, &self.values())
    }

    /// The path at which an admission handler is served.
    #[must_use]
    pub fn served_at(&self, handler: Handler) -> Option<String> {
        let prefix = match handler {
            Handler::Defaulting => "mutate",
            Handler::Validation => "validate",
            Handler::Conversion => return None,
        };
        let group = self.api.group.replace('.', "-");
        let kind = self.api.kind.to_lowercase();
        Some(format!("/{prefix}-{group}-{}-{kind}", self.api.version))
    }

    /// Whether a marker of the crate declares the handler's webhook.
    #[must_use]
    pub fn is_declared(&self, handler: Handler, api: &ApiSet) -> bool {
        self.served_at(handler).is_some() && api.webhooks.iter().any(|it| self.is_of(handler, it))
    }

    /// The resource of the first webhook that a marker of the crate declares for the kind.
    #[must_use]
    pub fn declared_resource(&self, api: &ApiSet) -> Option<String> {
        let admission = [Handler::Defaulting, Handler::Validation];
        let is_own = |it: &&Webhook| admission.iter().any(|handler| self.is_of(*handler, it));
        api.webhooks.iter().find(is_own)?.resources.first().cloned()
    }

    /// Whether a webhook calls the handler's path.
    fn is_of(&self, handler: Handler, webhook: &Webhook) -> bool {
        let path = self.served_at(handler);
        matches!(&webhook.endpoint, WebhookEndpoint::Service { path: at, .. } if *at == path)
    }

    /// The files that all webhooks of the operator share.
    #[must_use]
    pub fn shared_files(&self) -> Tree {
        let files = [
            (MODULE_PATH, MODULE),
            ("config/webhooks/service.yaml", SERVICE),
        ];
        let values = self.values();
        let files = files.iter().chain(self.certificates.files());
        files
            .map(|(path, template)| (path.into(), fill(template, &values)))
            .collect()
    }

    /// The lines that all webhooks of the operator share.
    #[must_use]
    pub fn shared_edits(&self) -> Vec<Edit> {
        let tests = self.certificates.test_module();
        let features = self.certificates.features().iter();
        let edits = [
            Edit::item("src/lib.rs", "pub mod webhooks;"),
            Edit::statement(
                APP,
                ("app", At::Start),
                "let app = app.webhooks(crate::webhooks::all());",
            ),
            Edit::statement(
                APP,
                ("demo", At::End),
                "let demo = demo.webhooks(crate::webhooks::all());",
            ),
            Edit::new(
                DEPLOYED,
                EditKind::ListItem {
                    key: "components",
                    item: "webhooks".to_owned(),
                },
            ),
        ];
        let features = features.map(|feature| {
            let dependency = "codegen-runtime";
            Edit::new(
                "Cargo.toml",
                EditKind::Feature {
                    dependency,
                    feature,
                },
            )
        });
        let tests = tests.map(|item| Edit::item(TESTS, item));
        edits.into_iter().chain(features).chain(tests).collect()
    }

    /// The lines that refer to the file of webhook configurations.
    #[must_use]
    pub fn configuration_edits(&self) -> Vec<Edit> {
        let path = &self.configurations;
        let item = path
            .strip_prefix("config/")
            .map_or_else(|| format!("../{path}"), str::to_owned);
        let key = "resources";
        vec![
            Edit::demo_objects(path),
            Edit::new(DEPLOYED, EditKind::ListItem { key, item }),
        ]
    }

    /// The start of the file with handlers.
    #[must_use]
    pub fn head(&self) -> String {
        fill(KIND, &self.values())
    }

    /// The start of the file with their tests.
    #[must_use]
    pub fn test_head(&self) -> String {
        let template = match self.elsewhere {
            Some(_) => webhook::elsewhere::TEST,
            None => TEST,
        };
        fill(template, &self.values())
    }

    /// Whether any handler has tests in the kind's test file.
    #[must_use]
    pub fn has_tests(&self) -> bool {
        self.handlers
            .iter()
            .any(|handler| self.test_block(*handler).is_some())
    }

    fn block(&self, handler: Handler) -> String {
        let template = match handler {
            Handler::Defaulting => DEFAULTING,
            Handler::Validation => VALIDATION,
            Handler::Conversion => CONVERSION,
        };
        fill(template, &self.values())
    }

    fn test_block(&self, handler: Handler) -> Option<String> {
        let template = match (handler, &self.elsewhere) {
            (Handler::Defaulting, None) => TEST_DEFAULTING,
            (Handler::Defaulting, Some(_)) => webhook::elsewhere::TEST_DEFAULTING,
            (Handler::Validation, None) => TEST_VALIDATION,
            (Handler::Validation, Some(_)) => webhook::elsewhere::TEST_VALIDATION,
            (Handler::Conversion, _) => return None,
        };
        Some(fill(template, &self.values()))
    }

    /// The files with the tests of the versions' conversions.
    #[must_use]
    pub fn spoke_files(&self) -> Tree {
        let files = self.spokes.iter().map(|spoke| {
            let mut values = self.values();
            values.extend(self.spoke_values(spoke));
            (self.spoke_path(spoke), fill(TEST_SPOKE, &values))
        });
        files.collect()
    }

    /// The handlers' lines in existing files: those of the kind and shared ones.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit> {
        let kind = &self.api.kind;
        let mut edits = Vec::new();
        for handler in &self.handlers {
            edits.push(Edit::new(
                self.path(),
                EditKind::Block(self.block(*handler)),
            ));
            if let Some(block) = self.test_block(*handler) {
                edits.push(Edit::new(self.test_path(), EditKind::Block(block)));
            }
            edits.push(self.statement(*handler));
        }
        for version in &self.spokes {
            let name = self.spoke_module(version);
            let group = &self.api.group_module;
            let call = format!("spoke::<crate::apis::{group}::{version}::{kind}>()");
            let line = chained("converter", &call);
            edits.extend([
                Edit::item(TESTS, format!("mod {name};")),
                Edit::statement(self.path(), ("convert", At::End), line),
            ]);
        }
        edits
    }

    /// The module declaration of the file with handlers.
    #[must_use]
    pub fn file_edit(&self) -> Edit {
        Edit::item(MODULE_PATH, format!("pub mod {};", self.module))
    }

    /// The module declaration of the file with their tests.
    #[must_use]
    pub fn test_file_edit(&self) -> Edit {
        let module = format!("mod {};", Self::test_module(&self.module));
        Edit::item(TESTS, module)
    }

    /// The statement that registers a handler.
    fn statement(&self, handler: Handler) -> Edit {
        let (module, kind) = (&self.module, &self.api.kind);
        let statement = match handler {
            Handler::Defaulting => chained("webhooks", &format!("defaulter({module}::default)")),
            Handler::Validation => {
                chained("webhooks", &format!("validator({module}::{kind}Rules)"))
            }
            Handler::Conversion => format!("let webhooks = {module}::convert(webhooks);"),
        };
        Edit::statement(MODULE_PATH, ("all", At::End), statement)
    }

    /// The marker that names the configuration of an admission handler.
    #[must_use]
    pub fn configuration_marker(&self, handler: Handler) -> Option<Edit> {
        let mutating = match handler {
            Handler::Defaulting => true,
            Handler::Validation => false,
            Handler::Conversion => return None,
        };
        let name = &self.api.operator.name;
        let marker =
            format!("// +kubebuilder:webhookconfiguration:mutating={mutating},name={name}\n");
        Some(Edit::new(MODULE_PATH, EditKind::Block(marker)))
    }

    /// Whether the crate has other webhooks in the same configuration.
    #[must_use]
    pub fn has_others(&self, handler: Handler, api: &ApiSet) -> bool {
        let mutating = handler == Handler::Defaulting;
        let mut others = api.webhooks.iter().filter(|it| it.mutating == mutating);
        others.any(|other| !self.is_of(handler, other))
    }

    /// The marker for the conversion.
    #[must_use]
    pub fn conversion_marker(&self) -> Edit {
        let namespace = format!("{}-system", self.api.operator.name);
        Edit::new(
            self.api.path(Part::Types).unwrap_or_default(),
            EditKind::Marker {
                type_name: self.api.kind.clone(),
                marker: format!("// +kubebuilder:conversion:webhook:serviceNamespace={namespace}"),
            },
        )
    }

    fn values(&self) -> Vec<(&'static str, String)> {
        let path = |handler| self.served_at(handler).unwrap_or_default();
        let kind = &self.api.kind;
        let mut values = vec![
            ("mutate", path(Handler::Defaulting)),
            ("validate", path(Handler::Validation)),
            ("lower", kind.to_lowercase()),
            (
                "validator_impl",
                implementation(
                    &format!("webhook::Validator<{kind}>"),
                    &format!("{kind}Rules"),
                ),
            ),
            ("webhook_module", self.module.clone()),
            ("sample", self.sample.clone()),
            ("test_client", self.client("server.client()")),
        ];
        values.extend(self.api.values());
        values.extend(self.origin());
        let [roles, definition] = self.certificates.roles();
        let roles = [
            ("certificate_roles", roles),
            ("definition_role", definition),
        ];
        let roles = roles.map(|(name, template)| (name, fill(template, &values)));
        values.extend(roles);
        values
    }

    /// The path of the kind's type, as its handlers import it.
    #[must_use]
    pub fn import(&self) -> String {
        let Api {
            group_module,
            version,
            kind,
            ..
        } = &self.api;
        let own = || format!("crate::apis::{group_module}::{version}::{kind}");
        self.elsewhere.clone().unwrap_or_else(own)
    }

    /// What depends on whose kind it is.
    fn origin(&self) -> [(&'static str, String); 7] {
        let Api {
            operator, group, ..
        } = &self.api;
        let (rule_group, shown) = match group.as_str() {
            "" => ("\"\"", CORE),
            group => (group, group),
        };
        // The names of webhooks have three segments at least, and others may have webhooks for the
        // kind.
        let (domain, annotations, failure, note) = match self.elsewhere {
            None => (group.clone(), group.clone(), "fail", ""),
            Some(_) => (
                format!("{shown}.{}", operator.name),
                operator.annotations(),
                "ignore",
                webhook::elsewhere::FAILURE,
            ),
        };
        [
            ("types", self.import()),
            ("api_version", self.api.api_version()),
            ("rule_group", rule_group.to_owned()),
            ("webhook_domain", domain),
            ("annotations", annotations),
            ("failure", failure.to_owned()),
            ("failure_note", note.to_owned()),
        ]
    }

    /// The call that creates the typed client for the sample's namespace.
    fn client(&self, client: &str) -> String {
        match self.api.scope {
            Scope::Namespaced => format!("Api::namespaced({client}, \"{}\")", self.namespace),
            Scope::Cluster => format!("Api::all({client})"),
        }
    }

    fn spoke_values(&self, spoke: &str) -> [(&'static str, String); 4] {
        let client = |client: &str| {
            let call = self.client(client);
            call.strip_prefix("Api::").unwrap_or(&call).to_owned()
        };
        let mut versions = [self.api.version.as_str(), spoke];
        versions.sort_by(|a, b| edit::by_version(a, b));
        [
            ("spoke", spoke.to_owned()),
            ("versions", format!("{{{}}}", versions.join(", "))),
            ("stored_client", client("client.clone()")),
            ("other_client", client("client")),
        ]
    }
}
