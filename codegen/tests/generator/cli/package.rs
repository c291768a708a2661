//! `package`: all formats deploy the same objects.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::cli::{
    helm,
    operator::{Files, compare, files},
    sandbox::{Sandbox, copy, testdata},
};

/// The folder of the sample operator, with its packages in `dist`.
fn sample() -> Sandbox {
    let sandbox = Sandbox::new();
    for path in ["Cargo.toml", "codegen.toml"] {
        let text = fs::read_to_string(testdata().join("operator").join(path)).unwrap();
        sandbox.write(path, &text);
    }
    copy(&testdata().join("operator/config"), &sandbox.path("config"));
    sandbox.succeeds(&["package"]);
    sandbox
}

fn chart(sandbox: &Sandbox) -> Files {
    files(&sandbox.path("dist/chart"))
}

/// What `package` makes of objects: the same text for the same objects.
fn canonical(sandbox: &Sandbox, objects: &str) -> String {
    sandbox.write("objects.yaml", objects);
    let arguments = ["package", "--from", "objects.yaml", "--format", "install"];
    sandbox.succeeds(&[&arguments[..], &["--output", "canonical"]].concat());
    fs::read_to_string(sandbox.path("canonical/install.yaml")).unwrap()
}

#[test]
fn the_packages_of_the_sample_operator_are_as_checked_in() {
    compare("operator-packages", files(&sample().path("dist")));
}

#[test]
fn the_chart_deploys_what_the_manifest_deploys() {
    let sandbox = sample();
    let install = fs::read_to_string(sandbox.path("dist/install.yaml")).unwrap();
    // Helm creates the namespace, and the annotation keeps CRDs when it uninstalls.
    let namespace = fs::read_to_string(sandbox.path("config/namespace.yaml")).unwrap();
    let values = json!({"crds": {"keep": false}});
    let rendered = helm::render(&chart(&sandbox), "a", "sample-operator-system", &values);
    assert_eq!(
        canonical(&sandbox, &format!("{namespace}\n{rendered}")),
        install
    );
}

#[test]
fn the_settings_of_the_chart_change_what_it_deploys() {
    let sandbox = sample();
    let values = json!({
        "image": {"repository": "r.example.com/o", "tag": "", "digest": "sha256:0"},
        "replicas": 3,
        "watchNamespaces": ["a", "b"],
        "extraArgs": ["-v"],
        "extraEnv": [{"name": "E", "value": "1"}],
        "envFrom": [{"secretRef": {"name": "s"}}],
        "resources": null,
        "priorityClassName": "high",
        "topologySpreadConstraints": [{"maxSkew": 1}],
        "podLabels": {"team": "x"},
        "podAnnotations": {"note": "yes please"},
        "serviceAccount": {"annotations": {"role": "z"}},
    });
    let rendered = helm::render(&chart(&sandbox), "a", "ns", &values);
    assert!(!rendered.contains("sample-operator-system"), "{rendered}");
    let lines = [
        "        image: r.example.com/o@sha256:0\n",
        "  replicas: 3\n",
        "        - --namespaces=a,b\n        - -v\n",
        "        - name: E\n          value: \"1\"\n",
        "        envFrom:\n          - secretRef:\n              name: s\n",
        "      priorityClassName: high\n",
        "      topologySpreadConstraints:\n        - maxSkew: 1\n",
        "        team: x\n",
        "      annotations:\n        note: yes please\n",
        "  annotations:\n    role: z\n",
        "    helm.sh/resource-policy: keep\n",
        "  name: metrics-service\n  namespace: ns\n",
    ];
    for line in lines {
        assert!(rendered.contains(line), "{line}");
    }
    assert!(!rendered.contains("limits:"), "{rendered}");
    assert!(rendered.contains("kind: PodDisruptionBudget"));
    assert!(
        !rendered.contains("kind: ServiceMonitor") && !rendered.contains("kind: NetworkPolicy")
    );
    let switches = json!({
        "podDisruptionBudget": {"enabled": false},
        "monitor": {"enabled": true},
        "networkPolicies": {"enabled": true},
    });
    let switched = helm::render(&chart(&sandbox), "a", "ns", &switches);
    assert!(!switched.contains("kind: PodDisruptionBudget"));
    assert!(switched.contains("kind: ServiceMonitor"));
    assert_eq!(switched.matches("kind: NetworkPolicy").count(), 3);
    let cert_manager = json!({"webhooks": {"certManager": {"enabled": true}}});
    let issued = helm::render(&chart(&sandbox), "a", "ns", &cert_manager);
    assert!(!issued.contains("--webhook-self-signed") && !issued.contains("--webhook-secret"));
    for line in [
        "        - --webhook-cert-path=/webhook-certificate\n",
        "        - mountPath: /webhook-certificate\n",
        "          secretName: webhook-certificate\n",
        "  - webhook-service.ns.svc\n",
    ] {
        assert!(issued.contains(line), "{line}");
    }
    let injected = "    cert-manager.io/inject-ca-from: ns/webhook-certificate\n";
    assert_eq!(
        issued.matches(injected).count(),
        3,
        "two configurations and a CRD"
    );
    let none = helm::render(
        &chart(&sandbox),
        "a",
        "ns",
        &json!({"crds": {"enabled": false}}),
    );
    assert!(!none.contains("CustomResourceDefinition"));
}

/// The documents of a file of the packages.
fn documents(sandbox: &Sandbox, path: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&sandbox.read(path)).unwrap()
}

#[test]
fn the_bundle_deploys_what_the_manifest_deploys() {
    let sandbox = sample();
    let install = documents(&sandbox, "dist/install.yaml");
    let of_kind = |kind: &str| -> Vec<&Value> {
        install
            .iter()
            .filter(|object| object["kind"] == kind)
            .collect()
    };
    let csv = "dist/bundle/manifests/sample-operator.clusterserviceversion.yaml";
    let csv = documents(&sandbox, csv).remove(0);
    let installed = &csv["spec"]["install"]["spec"];
    for (names, kind, key) in [
        (
            &["sample-operator", "sample-operator-metrics-auth"][..],
            "ClusterRole",
            "clusterPermissions",
        ),
        (&["sample-operator"], "Role", "permissions"),
    ] {
        let roles = of_kind(kind);
        let roles = roles
            .iter()
            .filter(|role| names.iter().any(|name| role["metadata"]["name"] == *name));
        let rules: Vec<&Value> = roles
            .flat_map(|role| role["rules"].as_array().unwrap())
            .collect();
        let granted: Vec<&Value> = installed[key][0]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .collect();
        assert_eq!(granted, rules, "{kind}");
        assert_eq!(installed[key][0]["serviceAccountName"], "sample-operator");
    }
    // OLM mounts a certificate of its own.
    let mut spec = of_kind("Deployment")[0]["spec"].clone();
    let args = spec
        .pointer_mut("/template/spec/containers/0/args")
        .unwrap();
    let args = args.as_array_mut().unwrap();
    let own = args.split_off(args.len() - 2);
    let expected = [
        "--webhook-self-signed=$(POD_NAMESPACE)/$(WEBHOOK_SERVICE)",
        "--webhook-secret=webhook-service-cert",
    ];
    assert_eq!(own, expected);
    args.push("--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs".into());
    assert_eq!(installed["deployments"][0]["spec"], spec);
    let webhooks = csv["spec"]["webhookdefinitions"].as_array().unwrap();
    let mut configured = Vec::new();
    for kind in [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ] {
        configured.extend(of_kind(kind)[0]["webhooks"].as_array().unwrap());
    }
    let (conversion, admission) = webhooks.split_last().unwrap();
    assert_eq!(admission.len(), configured.len());
    for (webhook, configured) in admission.iter().zip(configured) {
        let service = &configured["clientConfig"]["service"];
        assert_eq!(webhook["generateName"], configured["name"]);
        assert_eq!(webhook["rules"], configured["rules"]);
        assert_eq!(webhook["webhookPath"], service["path"]);
        assert_eq!(webhook["targetPort"], 9443);
    }
    let converted = json!(["widgets.batch.example.com"]);
    assert_eq!(conversion["conversionCRDs"], converted);
    for definition in of_kind("CustomResourceDefinition") {
        let mut definition = definition.clone();
        definition["spec"]
            .as_object_mut()
            .unwrap()
            .remove("conversion");
        let name = definition["metadata"]["name"].as_str().unwrap();
        let path = format!("dist/bundle/manifests/{name}_customresourcedefinition.yaml");
        assert_eq!(documents(&sandbox, &path), [definition]);
    }
}

#[test]
fn what_olm_does_itself_is_not_in_the_bundle() {
    let sandbox = sample();
    let cert_manager = testdata().join("operator-cert-manager");
    copy(&cert_manager, &sandbox.path("config/webhooks"));
    let extra = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: viewer}\nrules: []\n";
    sandbox.edit(
        "config/namespace.yaml",
        "apiVersion: v1\n",
        &format!("{extra}---\napiVersion: v1\n"),
    );
    sandbox.succeeds(&["package"]);
    let bundle = files(&sandbox.path("dist/bundle"));
    let paths: Vec<_> = bundle
        .keys()
        .map(|path| path.display().to_string())
        .collect();
    let expected = [
        "bundle.Dockerfile",
        "manifests/metrics-service_service.yaml",
        "manifests/regions.cache.example.com_customresourcedefinition.yaml",
        "manifests/sample-operator-metrics-reader_clusterrole.yaml",
        "manifests/sample-operator.clusterserviceversion.yaml",
        "manifests/sample-operator_poddisruptionbudget.yaml",
        "manifests/viewer_clusterrole.yaml",
        "manifests/widgets.batch.example.com_customresourcedefinition.yaml",
        "metadata/annotations.yaml",
        "tests/scorecard/config.yaml",
    ];
    assert_eq!(paths, expected);
    for (path, text) in &bundle {
        assert!(!text.contains("cert-manager"), "{}", path.display());
        assert!(!text.contains("webhook-certificate"), "{}", path.display());
    }
    let chart = chart(&sandbox);
    let rendered = helm::render(&chart, "a", "ns", &json!({}));
    for line in [
        "    cert-manager.io/inject-ca-from: ns/webhook-certificate\n",
        "  - webhook-service.ns.svc\n",
        "          secretName: webhook-certificate\n",
    ] {
        assert!(rendered.contains(line), "{line}");
    }
    assert!(!rendered.contains("sample-operator-system"));
}

#[test]
fn a_bundle_shows_what_the_manifest_says_of_the_project() {
    let sandbox = sample();
    let more = "version = \"1.2.3\"\ndescription = \"Runs widgets\"\nauthors = [\"A B <a@example.com>\"]\nkeywords = [\"widget\"]\n\
        homepage = \"https://example.com\"\nrepository = \"https://example.com/code\"";
    sandbox.edit("Cargo.toml", "version = \"0.1.0\"", more);
    sandbox.edit("Cargo.toml", "domain = ", "icon = \"icon.png\"\ndomain = ");
    let missing = sandbox.quiet(&["package"]);
    missing.says("cannot read icon.png");
    sandbox.write("icon.png", "PNG");
    sandbox.succeeds(&["package"]);
    let csv = "dist/bundle/manifests/sample-operator.clusterserviceversion.yaml";
    let csv = documents(&sandbox, csv).remove(0);
    let spec = &csv["spec"];
    assert_eq!(csv["metadata"]["name"], "sample-operator.v1.2.3");
    assert_eq!(
        csv["metadata"]["annotations"]["repository"],
        "https://example.com/code"
    );
    assert_eq!(spec["description"], "Runs widgets");
    assert_eq!(spec["maturity"], "stable");
    assert_eq!(spec["provider"]["name"], "A B");
    assert_eq!(
        spec["maintainers"],
        json!([{"name": "A B", "email": "a@example.com"}])
    );
    assert_eq!(spec["keywords"], json!(["widget"]));
    assert_eq!(
        spec["icon"],
        json!([{"base64data": "UE5H", "mediatype": "image/png"}])
    );
    let chart = documents(&sandbox, "dist/chart/Chart.yaml").remove(0);
    assert_eq!(chart["description"], "Runs widgets");
    assert_eq!(chart["appVersion"], "1.2.3");
    sandbox.edit("Cargo.toml", "icon.png", "icon.txt");
    sandbox
        .quiet(&["package"])
        .says("the icon icon.txt in Cargo.toml is no picture");
}

#[test]
fn package_writes_checks_and_removes_its_own_files_only() {
    let sandbox = sample();
    sandbox.succeeds(&["package", "--check"]);
    let stale = Path::new("dist/chart/templates/secret.yaml");
    let marker = "# Code generated by kube-codegen. DO NOT EDIT.\n";
    sandbox.write(stale.to_str().unwrap(), marker);
    sandbox.write("dist/chart/templates/own.yaml", "a: b\n");
    let checked = sandbox.quiet(&["package", "--check", "--image", "a:1"]);
    assert_eq!(checked.code, 1);
    assert!(
        checked
            .stdout
            .contains("orphaned: dist/chart/templates/secret.yaml"),
        "{}",
        checked.stdout
    );
    assert!(
        checked.stdout.contains("+        image: a:1"),
        "{}",
        checked.stdout
    );
    sandbox.succeeds(&["package"]);
    assert!(!sandbox.path("dist/chart/templates/secret.yaml").exists());
    assert!(sandbox.path("dist/chart/templates/own.yaml").exists());
    sandbox.write("dist/install.yaml", "a: b\n");
    let refused = sandbox.quiet(&["package"]);
    assert_eq!(refused.code, 2);
    refused.says("refusing to overwrite dist/install.yaml");
}

#[test]
fn package_says_what_it_cannot_package() {
    let mut sandbox = sample();
    let kustomization = "resources: [namespace.yaml]\n";
    let prefixed = format!("{kustomization}namePrefix: a-\n");
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";
    let cases = [
        ("config/kustomization.yaml", kustomization),
        ("config/kustomization.yaml", &prefixed),
        ("config/kustomization.yaml", "resources: [missing.yaml]\n"),
        ("config/kustomization.yaml", "resources: [../config]\n"),
        ("config/namespace.yaml", "kind: [\n"),
        ("config/deployment.yaml", deployment),
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
    ];
    for (path, text) in cases {
        let old = sandbox.read(path);
        sandbox.note(&format!("{path}:\n{text}"));
        sandbox.write(path, text);
        sandbox.run(&["package"]);
        sandbox.write(path, &old);
    }
    sandbox.check("package_errors");
}

#[test]
fn the_controllers_of_this_repository_are_packaged() {
    let controllers = testdata().join("../controllers");
    for name in [
        "controller-manager",
        "network",
        "podbuggertool",
        "podset",
        "virtualmachine",
    ] {
        let sandbox = Sandbox::new();
        let folder = controllers.join(name);
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        let manifest = read("Cargo.toml");
        let manifest = manifest.replace("version.workspace = true", "version = \"0.1.0\"");
        sandbox.write("Cargo.toml", &manifest);
        sandbox.write("codegen.toml", &read("codegen.toml"));
        copy(&folder.join("deploy"), &sandbox.path("deploy"));
        let run = sandbox.quiet(&["package", "--config", "deploy"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let install = sandbox.read("dist/install.yaml");
        let namespace = documents(&sandbox, "deploy/namespace.yaml").remove(0);
        let namespace = namespace["metadata"]["name"].as_str().unwrap();
        let values = json!({"crds": {"keep": false}});
        let rendered = helm::render(&chart(&sandbox), "a", namespace, &values);
        let objects = format!("{}\n{rendered}", read("deploy/namespace.yaml"));
        assert_eq!(canonical(&sandbox, &objects), install, "{name}");
    }
}
