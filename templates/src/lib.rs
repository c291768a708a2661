//! The texts of the files that `kube-codegen` writes once for a user, whose they are from then on.
//!
//! `{{name}}` stands for a value that the generator fills in. A manifest is called `manifest.toml` here: Cargo takes a folder with a
//! `Cargo.toml` for another package, and leaves it out of this one. For the same reason files that begin with a dot do without it.

/// Declares texts by the paths of their files.
macro_rules! texts {
    ($($(#[$docs:meta])* $name:ident = $path:literal;)+) => {
        $($(#[$docs])* pub const $name: &str = include_str!(concat!("../", $path));)+
    };
}

/// The crate around types and clients from CRDs, as `kube-codegen crate` writes it.
pub mod package {
    texts! {
        /// The manifest.
        MANIFEST = "crate/manifest.toml";
        /// The root of the library.
        LIB = "crate/lib.rs";
        /// What it is and how to use it.
        README = "crate/README.md";
        /// What git ignores.
        GITIGNORE = "crate/gitignore";
    }
}

/// What the pages of an API reference contain.
pub mod site {
    texts! {
        /// How they look.
        STYLE = "site/style.css";
        /// Search, links to fields, copying, and the choice of light or dark.
        SCRIPT = "site/script.js";
    }
}

/// An operator, as `kube-codegen init` writes it.
pub mod operator {
    texts! {
        /// What is left out of the image's context.
        DOCKERIGNORE = "operator/dockerignore";
        /// What raises pinned images and actions.
        DEPENDABOT = "operator/dependabot.yml";
        /// The workflow that tests it.
        CI = "operator/ci.yml";
        /// The workflow that runs it end to end.
        E2E = "operator/e2e.yml";
        /// What git ignores.
        GITIGNORE = "operator/gitignore";
        /// The manifest.
        MANIFEST = "operator/manifest.toml";
        /// Builds the image.
        DOCKERFILE = "operator/Dockerfile";
        /// What it is and how to use it.
        README = "operator/README.md";
        /// What programs that write code should know.
        AGENTS = "operator/AGENTS.md";
        /// The environment to develop it in.
        DEVCONTAINER = "operator/devcontainer.json";
        /// What is generated.
        CODEGEN = "operator/codegen.toml";
        /// Its Deployment.
        DEPLOYMENT = "operator/deployment.yaml";
        /// Lists what is deployed.
        KUSTOMIZATION = "operator/kustomization.yaml";
        /// Lists the samples.
        SAMPLES = "operator/samples.yaml";
        /// Its namespace.
        NAMESPACE = "operator/namespace.yaml";
        /// Gives the service account its roles.
        ROLE_BINDING = "operator/role-binding.yaml";
        /// What its nodes may not interrupt at once.
        DISRUPTION_BUDGET = "operator/disruption-budget.yaml";
        /// The Service and the roles of its metrics.
        METRICS = "operator/metrics.yaml";
        /// The component for the Prometheus operator.
        MONITOR = "operator/monitor/kustomization.yaml";
        /// How Prometheus reads its metrics.
        SERVICE_MONITOR = "operator/monitor/service-monitor.yaml";
        /// The component that raises alerts.
        ALERTS = "operator/alerts/kustomization.yaml";
        /// The alerts, as the runtime declares them.
        ALERT_RULES = "operator/alerts/rules.yaml";
        /// The component with the dashboard.
        DASHBOARDS = "operator/dashboard/kustomization.yaml";
        /// Shows the runtime's metrics in Grafana.
        DASHBOARD = "operator/dashboard/dashboard.yaml";
        /// The component that restricts its connections.
        RESTRICTED = "operator/network-policies/kustomization.yaml";
        /// What it may connect to, and who may connect to it.
        NETWORK_POLICIES = "operator/network-policies/network-policies.yaml";
        /// The alias `cargo xtask`.
        CARGO_CONFIG = "operator/xtask/config.toml";
        /// The steps from sources to a cluster.
        XTASK = "operator/xtask/main.rs";
        /// Its service account.
        SERVICE_ACCOUNT = "operator/service-account.yaml";
        /// The module of its kinds.
        APIS = "operator/apis.rs";
        /// The program.
        APP = "operator/app.rs";
        /// The module of its controllers.
        CONTROLLERS = "operator/controllers.rs";
        /// The root of the library.
        LIB = "operator/lib.rs";
        /// The root of the program.
        MAIN = "operator/main.rs";
        /// Tests of the deployment files.
        DEPLOY = "operator/deploy.rs";
        /// The end-to-end test.
        END_TO_END = "operator/end_to_end.rs";
        /// The root of the tests.
        TESTS = "operator/tests.rs";
    }

    /// A kind of its own, as `kube-codegen create api` writes it.
    pub mod api {
        texts! {
            /// The types.
            TYPES = "operator/api/types.rs";
            /// The module of the version.
            VERSION = "operator/api/version.rs";
            /// The controller.
            CONTROLLER = "operator/api/controller.rs";
            /// The tests.
            TEST = "operator/api/test.rs";
            /// An example of a test.
            TEST_EXAMPLE = "operator/api/test_example.rs";
            /// What the tests of all kinds and controllers share.
            SUPPORT = "operator/api/support.rs";
            /// An object to try it with.
            SAMPLE = "operator/api/sample.yaml";
        }
    }

    /// The operator's own metrics, as `kube-codegen create metric` writes them.
    pub mod metrics {
        texts! {
            /// The table.
            TABLE = "operator/metrics/table.rs";
            /// The tests of what derives from it.
            TEST = "operator/metrics/test.rs";
        }
    }

    /// A controller of a kind of Kubernetes itself, as `kube-codegen create controller` writes it.
    pub mod builtin {
        texts! {
            /// The controller.
            CONTROLLER = "operator/builtin/controller.rs";
            /// The tests.
            TEST = "operator/builtin/test.rs";
        }
    }

    /// The webhooks of a kind, as `kube-codegen create webhook` writes them.
    pub mod webhook {
        texts! {
            /// The module of all webhooks.
            MODULE = "operator/webhook/mod.rs";
            /// The webhooks of a kind.
            KIND = "operator/webhook/kind.rs";
            /// The function that sets defaults.
            DEFAULTING = "operator/webhook/defaulting.rs";
            /// The functions that reject invalid objects.
            VALIDATION = "operator/webhook/validation.rs";
            /// The module of a kind's conversions.
            CONVERSION = "operator/webhook/conversion.rs";
            /// The tests of a kind's webhooks.
            TEST = "operator/webhook/test.rs";
            /// The test of defaults.
            TEST_DEFAULTING = "operator/webhook/test_defaulting.rs";
            /// The test of validation.
            TEST_VALIDATION = "operator/webhook/test_validation.rs";
            /// The test of one version's conversion.
            TEST_SPOKE = "operator/webhook/test_spoke.rs";
            /// The Service that the API server calls.
            SERVICE = "operator/webhook/service.yaml";
        }

        /// What differs for a kind of Kubernetes or of another project.
        pub mod elsewhere {
            texts! {
                /// The tests of a kind's webhooks.
                TEST = "operator/webhook/elsewhere/test.rs";
                /// The comment on the policy for failed calls.
                FAILURE = "operator/webhook/elsewhere/failure.rs";
                /// The test of defaults.
                TEST_DEFAULTING = "operator/webhook/elsewhere/test_defaulting.rs";
                /// The test of validation.
                TEST_VALIDATION = "operator/webhook/elsewhere/test_validation.rs";
            }
        }

        /// Certificates from cert-manager.
        pub mod cert_manager {
            texts! {
                /// The certificate.
                CERTIFICATE = "operator/webhook/cert-manager/certificate.yaml";
                /// Where objects name each other.
                NAMES = "operator/webhook/cert-manager/names.yaml";
                /// Makes a transformer of the following.
                FOLLOWING = "operator/webhook/cert-manager/names/kustomization.yaml";
                /// Puts new names into texts.
                FOLLOWING_NAMES = "operator/webhook/cert-manager/names/names.yaml";
                /// The component that deploys the webhooks.
                KUSTOMIZATION = "operator/webhook/cert-manager/kustomization.yaml";
            }
        }

        /// Certificates that the program makes itself.
        pub mod self_signed {
            texts! {
                /// The component that deploys the webhooks.
                KUSTOMIZATION = "operator/webhook/self-signed/kustomization.yaml";
                /// Where objects name each other.
                NAMES = "operator/webhook/self-signed/names.yaml";
                /// The tests of the component and its roles.
                TEST = "operator/webhook/self-signed/test.rs";
                /// The markers of what the program may do.
                ROLES = "operator/webhook/self-signed/roles.rs";
                /// The marker for the definition of a kind with conversion.
                DEFINITION_ROLE = "operator/webhook/self-signed/definition_role.rs";
            }
        }
    }
}
