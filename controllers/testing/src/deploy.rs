//! Checks the folder `deploy/` of a controller.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use codegen_runtime::app::{App, Invocation};
use codegen_runtime::kube::api::{DynamicObject, PostParams};
use codegen_runtime::kube::core::{GroupVersionKind, discovery::ApiResource};
use codegen_runtime::kube::{self, Api, Client};
use embedded_apiserver::{ApiServer, AuthorizationMode, assert_rbac};
use serde_json::{Value, json};

/// The folder `deploy/` of a controller: its CRD, roles, samples and Deployment.
#[derive(Clone, Debug)]
pub struct Deploy(PathBuf);

impl Deploy {
    /// Returns the folder of a crate; pass `env!("CARGO_MANIFEST_DIR")`.
    pub fn of(manifest_dir: &str) -> Self {
        Self(Path::new(manifest_dir).join("deploy"))
    }

    /// Reads a file.
    pub fn text(&self, file: &str) -> String {
        let path = self.0.join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Parses the documents of a YAML file.
    pub fn documents(&self, file: &str) -> Vec<Value> {
        serde_saphyr::from_multiple(&self.text(file)).unwrap()
    }

    /// Starts a server with the CRD in `crd.yaml`, if there is one, on which the [user](Self::user)
    /// may do what the roles and their bindings allow. As in OpenShift, owner references need
    /// permissions of their own.
    pub fn server(&self) -> ApiServer {
        let crds = match self.0.join("crd.yaml").exists() {
            true => self.documents("crd.yaml"),
            false => Vec::new(),
        };
        let files = [
            "namespace.yaml",
            "service-account.yaml",
            "role.yaml",
            "role-binding.yaml",
        ];
        ApiServer::builder()
            .authorization(AuthorizationMode::Rbac)
            .owner_references_permission_enforcement(true)
            .crd_values(crds)
            .objects(files.into_iter().flat_map(|file| self.documents(file)))
            .build()
            .unwrap()
    }

    /// Returns the user as which the Deployment's pods make requests: their service account.
    pub fn user(&self) -> String {
        let deployment = self.documents("deployment.yaml").remove(0);
        let text = |pointer: &str| deployment.pointer(pointer).unwrap().as_str().unwrap();
        let namespace = text("/metadata/namespace");
        let account = text("/spec/template/spec/serviceAccountName");
        format!("system:serviceaccount:{namespace}:{account}")
    }

    /// Returns an API for the kind of `crd.yaml`; in the namespace `default` if it is namespaced.
    pub fn objects(&self, client: Client) -> Api<DynamicObject> {
        let crd = self.documents("crd.yaml").remove(0);
        let text = |pointer: &str| crd.pointer(pointer).unwrap().as_str().unwrap();
        let kind = GroupVersionKind::gvk(
            text("/spec/group"),
            text("/spec/versions/0/name"),
            text("/spec/names/kind"),
        );
        let resource = ApiResource::from_gvk_with_plural(&kind, text("/spec/names/plural"));
        match text("/spec/scope") {
            "Namespaced" => Api::namespaced_with(client, "default", &resource),
            _ => Api::all_with(client, &resource),
        }
    }

    /// Fails unless the kustomization lists every file, and every file contains objects.
    pub fn check_kustomization(&self) {
        let kustomization = self.documents("kustomization.yaml").remove(0);
        let resources = kustomization["resources"].as_array().unwrap();
        let listed: BTreeSet<String> = resources
            .iter()
            .map(|it| it.as_str().unwrap().to_owned())
            .collect();
        let names = |folder: PathBuf, prefix: &str| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.map(|name| format!("{prefix}{name}")).collect()
        };
        let own = names(self.0.clone(), "");
        let for_users = names(self.0.join("user-roles"), "user-roles/");
        let there: BTreeSet<String> = own
            .into_iter()
            .chain(for_users)
            .filter(|name| name.ends_with(".yaml") && name != "kustomization.yaml")
            .collect();
        assert_eq!(listed, there);
        for file in listed {
            for document in self.documents(&file) {
                assert!(document["kind"].is_string(), "{file}: {document}");
            }
        }
    }

    /// Parses the command line in `deployment.yaml`. Fails unless the program accepts it, its
    /// leader election flags are consistent, and it serves metrics and health checks.
    pub fn check_flags<F: Args>(&self, app: &App) -> Invocation<F> {
        let deployment = self.documents("deployment.yaml").remove(0);
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        let args = container["args"].as_array().unwrap();
        let args = args.iter().map(|it| it.as_str().unwrap().to_owned());
        let all = std::iter::once("controller".to_owned()).chain(args);
        let invocation = app.try_parse_from::<F>(all).unwrap();
        let flags = &invocation.flags;
        flags.election.config("pod").unwrap();
        assert!(flags.metrics_bind_address.0.is_some() && flags.metrics_secure);
        assert!(flags.health_probe_bind_address.0.is_some());
        invocation
    }

    /// Fails unless the server of [`server`](Self::server) stores the sample unchanged, and rejects
    /// it with each change in `wrong`: a JSON pointer and the invalid value there.
    pub async fn check_schema(&self, sample: &str, wrong: &[(&str, Value)]) {
        let objects = self.objects(self.server().client());
        let sample = self.documents(sample).remove(0);
        let create = async |object: Value| {
            let object: DynamicObject = serde_json::from_value(object).unwrap();
            objects.create(&PostParams::default(), &object).await
        };
        let created = create(sample.clone()).await.unwrap();
        assert_eq!(created.data["spec"], sample["spec"]);
        for (pointer, value) in wrong {
            let mut bad = sample.clone();
            bad["metadata"]["name"] = json!("bad");
            *bad.pointer_mut(pointer).unwrap() = value.clone();
            let refused = create(bad).await;
            let is_invalid = matches!(&refused, Err(kube::Error::Api(it)) if it.code == 422);
            assert!(is_invalid, "{pointer}: {refused:?}");
        }
    }

    /// Returns the row that `kubectl get` prints for the object `name`, by column. Empty if there
    /// is no such object.
    pub async fn row(&self, server: &ApiServer, name: &str) -> BTreeMap<String, Value> {
        let client = server.client();
        let url = self.objects(client.clone()).resource_url().to_owned();
        let as_table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        let request = http::Request::get(url).header(http::header::ACCEPT, as_table);
        let request = request.body(Vec::new()).unwrap();
        let table: Value = client.request(request).await.unwrap();
        let columns = table["columnDefinitions"].as_array().unwrap().iter();
        let columns = columns.map(|it| it["name"].as_str().unwrap().to_owned());
        let rows = table["rows"].as_array().unwrap();
        let cells = rows
            .iter()
            .map(|row| row["cells"].as_array().unwrap())
            .find(|cells| cells[0] == name);
        columns.zip(cells.into_iter().flatten().cloned()).collect()
    }

    /// Fails if the [user](Self::user) made a request on `server` that `role.yaml` does not allow;
    /// returns the unused rules.
    pub fn check_roles(&self, server: &ApiServer) -> Vec<String> {
        let role = self.text("role.yaml");
        let unused = assert_rbac(server, &self.user(), [role.as_str()]);
        unused.iter().map(ToString::to_string).collect()
    }
}
