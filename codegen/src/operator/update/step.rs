//! What an operator consists of: a step for each command that added to it.
//!
//! The steps say all that its files depend on, so that any release can write them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::{
    Api, Builtin, Controlled, Edit, Handler, Operator, Part, Webhooks, builtin_kind,
    controller_path, edit, metric::Metrics, migration_edits, policy_edits, policy_path,
};
use crate::output::Tree;

/// A command's addition to an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// The operator itself.
    Init(Init),
    /// A kind.
    Api(NewApi),
    /// A controller of a kind of the operator.
    Controller(NewController),
    /// A controller of a kind of Kubernetes.
    Builtin(NewBuiltin),
    /// Webhooks of a kind.
    Webhooks(Webhooks),
    /// The migration of stored objects.
    Migration {
        /// The group of the kind.
        group: String,
        /// The plural of the kind.
        plural: String,
    },
    /// Metrics of the operator's own, whose table is the user's.
    Metrics,
    /// An admission policy, which has the module's name.
    Policy {
        /// The module of the kind.
        module: String,
    },
}

impl Step {
    /// Makes a controller that is as `create api` would have written it a part of its kind's step.
    pub(super) fn joins(&self, steps: &mut [Self]) -> bool {
        let Self::Controller(new) = self else {
            return false;
        };
        let home = steps.iter().find_map(|step| match step {
            Self::Init(init) => Some(init.operator.home()),
            _ => None,
        });
        let is_usual = new.object == SAMPLE && home == Some(&*new.namespace);
        let kind = |api: &Api| (api.group.clone(), api.version.clone(), api.kind.clone());
        let kinds = steps.iter_mut().filter_map(|step| match step {
            Self::Api(NewApi {
                api,
                is_copy: false,
            }) if is_usual => Some(api),
            _ => None,
        });
        let mut of_kind = kinds.filter(|api| kind(api) == kind(&new.api));
        let found = of_kind.find(|api| api.controller.is_none());
        let joins = found.map(|api| api.controller.clone_from(&new.api.controller));
        joins.is_some()
    }
}

/// The name of the object that `create api` writes tests for.
const SAMPLE: &str = "sample";

/// The operator itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Init {
    /// The operator.
    #[serde(flatten)]
    pub operator: Operator,
    /// The dependency on the runtime; `None` for the one of each release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// Files that existed, and are the user's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<PathBuf>,
}

/// A kind of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewApi {
    /// The kind.
    #[serde(flatten)]
    pub api: Api,
    /// Whether its types and its sample come from elsewhere, and not from templates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_copy: bool,
}

/// A controller of a kind of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewController {
    /// The kind, with the controller's name.
    #[serde(flatten)]
    pub api: Api,
    /// The object that its tests start with.
    pub object: String,
    /// The namespace of that object.
    pub namespace: String,
}

/// A controller of a kind of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBuiltin {
    /// The group of the kind.
    pub group: String,
    /// The version of the kind.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The name of the controller.
    pub controller: String,
}

/// The files of an operator with these steps, as this release writes them. `runtime` is the
/// release's own dependency on the runtime.
///
/// Files that come from elsewhere are left out, and so is what is generated.
#[must_use]
pub fn render(steps: &[Step], runtime: &str) -> Tree {
    let mut drawn = Drawn::default();
    let init = steps.iter().find_map(|step| match step {
        Step::Init(init) => Some(init),
        _ => None,
    });
    let Some(init) = init else {
        return drawn.0;
    };
    for step in steps {
        drawn.step(step, &init.operator, runtime);
    }
    drawn.0
}

/// The files so far.
#[derive(Default)]
struct Drawn(Tree);

impl Drawn {
    fn step(&mut self, step: &Step, operator: &Operator, runtime: &str) {
        match step {
            Step::Init(init) => {
                let runtime = init.runtime.as_deref().unwrap_or(runtime);
                let mut files = operator.files(runtime);
                files.retain(|path, _| !init.kept.contains(path));
                self.write(files);
            }
            Step::Api(new) => self.api(new, operator),
            Step::Controller(new) => {
                let api = Api {
                    operator: operator.clone(),
                    ..new.api.clone()
                };
                let controlled = Controlled::Own(api);
                self.write(controlled.started_with(&new.object, &new.namespace));
                self.edit(&controlled.edits());
            }
            Step::Builtin(new) => self.builtin(new, operator),
            Step::Webhooks(webhooks) => {
                let mut webhooks = webhooks.clone();
                webhooks.api.operator = operator.clone();
                self.webhooks(&webhooks);
            }
            Step::Migration { group, plural } => self.edit(&migration_edits(group, plural)),
            Step::Metrics => self.metrics(Metrics(operator)),
            Step::Policy { module } => self.edit(&policy_edits(module)),
        }
    }

    fn api(&mut self, new: &NewApi, operator: &Operator) {
        let mut api = Api {
            operator: operator.clone(),
            is_first: true,
            ..new.api.clone()
        };
        api.is_first_of_version = !self.has(api.path(Part::Version));
        api.brings_support = !self.has(api.path(Part::Support));
        let mut files = api.files();
        if new.is_copy {
            for part in [Part::Types, Part::Sample] {
                files.remove(&api.path(part).unwrap_or_default());
            }
        }
        self.write(files);
        let apis = self.0.get(Path::new("src/apis/mod.rs"));
        let has_group = apis.map(|apis| edit::has_module(apis, &[], &api.group_module));
        if has_group == Some(Ok(false)) {
            self.edit(&[api.group_edit()]);
        }
        self.edit(&api.edits(false));
    }

    fn builtin(&mut self, new: &NewBuiltin, operator: &Operator) {
        let Some(kind) = builtin_kind(&new.group, &new.version, &new.kind) else {
            return;
        };
        let builtin = Builtin {
            operator: operator.clone(),
            kind,
            controller: Some(new.controller.clone()),
            brings_support: !self.has(Some("tests/operator/support.rs".into())),
        };
        let controlled = Controlled::Builtin(builtin);
        self.write(controlled.files());
        self.edit(&controlled.edits());
    }

    fn webhooks(&mut self, webhooks: &Webhooks) {
        if !self.has(Some(Webhooks::module_path())) {
            self.write(webhooks.shared_files());
            self.edit(&webhooks.shared_edits());
        }
        let mut files = webhooks.spoke_files();
        files.insert(webhooks.path(), webhooks.head());
        self.edit(&[webhooks.file_edit()]);
        if webhooks.has_tests() {
            files.insert(webhooks.test_path(), webhooks.test_head());
            self.edit(&[webhooks.test_file_edit()]);
        }
        self.write(files);
        self.edit(&webhooks.edits());
        let markers = webhooks.handlers.iter();
        let markers: Vec<Edit> = markers
            .filter_map(|handler| webhooks.configuration_marker(*handler))
            .collect();
        if !markers.is_empty() {
            self.edit(&webhooks.configuration_edits());
        }
        self.edit(&markers);
        if webhooks.handlers.contains(&Handler::Conversion) {
            self.edit(&[webhooks.conversion_marker()]);
        }
    }

    /// Adds what belongs to a table of metrics. Its tests write what derives from the table.
    fn metrics(&mut self, metrics: Metrics<'_>) {
        let mut files = metrics.files();
        files.remove(&Metrics::table());
        self.write(files);
        self.edit(&metrics.edits());
        for (path, _) in metrics.derived() {
            self.0.remove(&path);
        }
    }

    fn has(&self, path: Option<PathBuf>) -> bool {
        path.is_some_and(|path| self.0.contains_key(&path))
    }

    /// Adds files, except those that exist.
    fn write(&mut self, files: Tree) {
        for (path, text) in files {
            self.0.entry(path).or_insert(text);
        }
    }

    /// Adds lines, where their files are.
    fn edit(&mut self, edits: &[Edit]) {
        for edit in edits {
            if let Some(text) = self.0.get_mut(&edit.path)
                && let Ok(changed) = edit.add(text)
            {
                *text = changed;
            }
        }
    }
}

/// Removes the steps whose files are gone. A controller that outlives the version that it came with
/// belongs to another version of the kind.
pub(super) fn prune(steps: &mut Vec<Step>, is_gone: &dyn Fn(&Path) -> bool) {
    let mut moved = Vec::new();
    steps.retain_mut(|step| match step {
        Step::Init(_) | Step::Migration { .. } => true,
        Step::Api(NewApi { api, .. }) => {
            let has_controller = |name: &String| !is_gone(&controller_path(name));
            api.controller = api.controller.take().filter(has_controller);
            let is_there = !api.path(Part::Types).is_some_and(|path| is_gone(&path));
            if !is_there && api.controller.is_some() {
                moved.push(api.clone());
            }
            is_there
        }
        Step::Controller(NewController { api, .. }) => !api
            .path(Part::Controller)
            .is_some_and(|path| is_gone(&path)),
        Step::Builtin(new) => !is_gone(&controller_path(&new.controller)),
        Step::Webhooks(webhooks) => {
            webhooks.spokes = std::mem::take(&mut webhooks.spokes)
                .into_iter()
                .filter(|spoke| !is_gone(&webhooks.spoke_path(spoke)))
                .collect();
            let is_empty = webhooks.handlers.is_empty() && webhooks.spokes.is_empty();
            !is_empty && !is_gone(&webhooks.path())
        }
        Step::Metrics => !is_gone(&Metrics::table()),
        Step::Policy { module } => !is_gone(&policy_path(module)),
    });
    for gone in moved {
        let others = steps.iter_mut().filter_map(|step| match step {
            Step::Api(NewApi { api, .. }) => Some(api),
            _ => None,
        });
        let mut of_kind = others.filter(|api| (&api.group, &api.kind) == (&gone.group, &gone.kind));
        if let Some(other) = of_kind.find(|api| api.controller.is_none()) {
            other.controller = gone.controller;
        }
    }
}

/// Removes handlers of a kind from the steps.
pub(super) fn remove_handlers(steps: &mut [Step], module: &str, gone: &[Handler]) {
    for step in steps {
        if let Step::Webhooks(webhooks) = step
            && webhooks.module == module
        {
            webhooks.handlers.retain(|handler| !gone.contains(handler));
        }
    }
}
