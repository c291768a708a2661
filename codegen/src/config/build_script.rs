//! Generation from a build script, which communicates with Cargo through standard output.

use std::{
    collections::BTreeSet,
    io::{self, Write as _},
    path::{Path, PathBuf},
    slice,
};

use super::{
    Config, Error, Report,
    inputs::{CrdInput, GoInput},
    layout::{manifest_folder, whole},
    lock_all,
    names::NamesFile,
    prepare::{Prepared, check_modules},
};
#[cfg(feature = "go")]
use super::{disk::Disk, go::module_folder};
use crate::{Diagnostic, Diagnostics, Source, Sources, diag::Severity, output};

impl Config {
    /// Generates, writes, and declares the inputs to Cargo: the entry point for build scripts.
    ///
    /// Prints `cargo::rerun-if-changed` for every input before anything can fail, so that fixing
    /// the input reruns the build script, then for what else types were read from, and a
    /// `cargo::warning` for each warning and for each dependency and feature that the crate lacks.
    /// Files that are up to date keep their modification time.
    ///
    /// # Errors
    ///
    /// [`Error`]; then nothing is written.
    pub fn generate(&self) -> Result<Report, Error> {
        // Cargo reads this through a pipe of its own; if the pipe is closed, Cargo no longer needs
        // the line.
        let _ = io::stdout().lock().write_all(self.watched().as_bytes());
        let _locked = lock_all(slice::from_ref(self))?;
        let mut used = BTreeSet::new();
        let mut prepared = self.prepare_seen(&(), |sources| used = used_by(sources))?;
        check_modules(slice::from_ref(&prepared))?;
        // Cargo runs a failed build script again in any case.
        let used: String = used.iter().map(|path| watch(path)).collect();
        let said = used + &warned(&prepared.warnings) + &lacking(&prepared);
        let _ = io::stdout().lock().write_all(said.as_bytes());
        if let Some(unwritten) = prepared
            .names
            .as_ref()
            .and_then(|it| self.unwritten_names(it))
        {
            let warning = Diagnostic::warning(unwritten);
            let _ = io::stdout()
                .lock()
                .write_all(warned(&warning.into()).as_bytes());
            prepared.names = None;
        }
        output::apply(prepared.plans())?;
        Ok(prepared.report())
    }

    /// The inputs for Cargo to watch, one line each.
    fn watched(&self) -> String {
        let go = self.go.iter().flat_map(GoInput::folders);
        self.inputs().chain(go).map(|path| watch(&path)).collect()
    }

    /// The files and folders that the output depends on.
    fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let crds = self.crds.iter().filter_map(|input| match input {
            CrdInput::Path(path) => Some(path.as_path()),
            CrdInput::Stdin => None,
        });
        let apis = self.apis.iter().map(|apis| apis.folder.as_path());
        let roots = self.marker_roots();
        let names = match &self.names_file {
            NamesFile::At(path) => Some(path.as_path()),
            NamesFile::InOutput | NamesFile::Nowhere => None,
        };
        let header = self.header_file.as_deref();
        let inputs = crds.chain(apis).chain(header).chain(names);
        inputs.map(Path::to_owned).chain(roots)
    }
}

/// What the output depends on besides the configured inputs: the rest of crates whose kinds are
/// read, the crates that these depend on, and Go packages whose types are used, with their
/// manifests. Modules in Go's cache never change.
fn used_by(sources: &Sources) -> BTreeSet<PathBuf> {
    let mut used = BTreeSet::new();
    for one in &sources.rust_crates {
        used.extend(files_of(&one.root, &one.files));
        for dependency in &one.dependencies {
            used.extend(files_of(&dependency.root, &dependency.files));
        }
    }
    #[cfg(feature = "go")]
    for package in sources.go.iter().flat_map(|go| &go.packages) {
        if package.version.is_some() || package.module == "std" {
            continue;
        }
        let folder = PathBuf::from(&package.dir);
        used.extend(
            module_folder(&Disk::default(), &whole(&folder)).map(|module| module.join("go.mod")),
        );
        used.insert(folder);
    }
    used
}

/// The manifest and the source root of a crate; in place of a root that is the package's folder,
/// which may contain Cargo's output, its files.
fn files_of(root: &str, files: &[Source]) -> Vec<PathBuf> {
    let folder = Path::new(if root.is_empty() { "." } else { root });
    let whole = whole(folder);
    let manifest = manifest_folder(&whole).map(|folder| folder.join("Cargo.toml"));
    let is_package = manifest.as_deref().and_then(Path::parent) == Some(whole.as_path());
    let sources = match is_package {
        true => files.iter().map(|file| PathBuf::from(&file.name)).collect(),
        false => vec![folder.to_owned()],
    };
    sources.into_iter().chain(manifest).collect()
}

/// The line that makes Cargo watch a file or folder.
fn watch(path: &Path) -> String {
    format!("cargo::rerun-if-changed={}\n", path.display())
}

/// What the crate lacks. Features are announced to the compiler, which would advise to declare them
/// without what they enable.
fn lacking(prepared: &Prepared) -> String {
    let advice = prepared.advice.iter();
    let advice = advice.map(|line| format!("cargo::warning={line}\n"));
    let features = prepared.undeclared.iter();
    let features =
        features.map(|name| format!("cargo::rustc-check-cfg=cfg(feature, values({name:?}))\n"));
    advice.chain(features).collect()
}

/// The warnings for Cargo to show, one line each.
fn warned(warnings: &Diagnostics) -> String {
    let text = |warning: &Diagnostic| {
        let place = warning.labels.first().map(|label| {
            let (line, column) = label.place.line_column();
            format!("{}:{line}:{column}: ", label.place.file)
        });
        let help = warning.help.iter().map(|help| format!("; {help}"));
        let place = place.unwrap_or_default();
        let text = format!("{place}{}{}", warning.message, help.collect::<String>());
        format!("cargo::warning={}\n", text.replace(['\n', '\r'], " "))
    };
    let warnings = warnings.as_slice().iter();
    let warnings = warnings.filter(|found| found.severity == Severity::Warning);
    warnings.map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_watches_every_input() {
        let config = Config::new()
            .crds(["crds", "more.yaml"])
            .apis("src/apis")
            .header_file("header.txt");
        assert_eq!(
            config.watched(),
            "cargo::rerun-if-changed=crds\n\
             cargo::rerun-if-changed=more.yaml\n\
             cargo::rerun-if-changed=src/apis\n\
             cargo::rerun-if-changed=header.txt\n"
        );
    }

    #[test]
    fn cargo_shows_every_warning() {
        let source = crate::Source::new("crd.yaml", "a: 1\nb: x\n");
        let place = crate::diag::Place {
            file: source.name.as_str().into(),
            text: source.text.clone(),
            range: 8..9,
        };
        let warning = Diagnostic::warning("odd").at(place, "").help("mend it");
        assert_eq!(
            warned(&warning.into()),
            "cargo::warning=crd.yaml:2:4: odd; mend it\n"
        );
    }

    #[test]
    fn what_the_crate_lacks_is_said_with_what_a_feature_enables() {
        let folder = tempfile::tempdir().unwrap();
        let lib = "pub mod apis;\npub mod generated;\n";
        let manifest = "[package]\nname = \"a\"\n[dependencies]\ncodegen-runtime = \"0.1\"\nserde = \"1\"\nserde_json = \"1\"\n";
        write(
            folder.path(),
            &[("Cargo.toml", manifest), ("src/lib.rs", lib)],
        );
        let crd = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/buildscript/crds");
        let config = Config::new().crds([crd]).out_dir(folder.path().join("src"));
        let said = lacking(&config.prepare(&()).unwrap());
        let (warning, announced) = said.split_once('\n').unwrap();
        let feature =
            "lacks the feature for the fake clientset: `fake = [\"codegen-runtime/fake\"]`";
        assert!(
            warning.starts_with("cargo::warning=") && warning.ends_with(feature),
            "{said}"
        );
        let expected = "cargo::rustc-check-cfg=cfg(feature, values(\"fake\"))\n";
        assert_eq!(announced, expected);
        let declared = format!("{manifest}[features]\nfake = [\"codegen-runtime/fake\"]\n");
        write(folder.path(), &[("Cargo.toml", &declared)]);
        assert_eq!(lacking(&config.prepare(&()).unwrap()), "");
    }

    /// What a configuration reads, as files of the disk: a path may be relative to the current
    /// folder, depending on where that is.
    fn used(config: &Config) -> BTreeSet<PathBuf> {
        let mut used = BTreeSet::new();
        let prepared = config.prepare_seen(&(), |sources| used = used_by(sources));
        prepared.unwrap();
        used.iter()
            .map(|path| path.canonicalize().unwrap())
            .collect()
    }

    /// Writes files, and creates their folders.
    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    #[cfg(feature = "go")]
    #[test]
    fn cargo_watches_the_go_packages_whose_types_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().canonicalize().unwrap().join(path);
        let kind = "// +groupName=a.example.com\npackage v1\n\nimport (\n\t\"a.example.com/units\"\n)\n\n\
                    // +kubebuilder:object:root=true\ntype Lamp struct {\n\tSpec units.Power `json:\"spec\"`\n}\n";
        let files = [
            ("go.mod", "module a.example.com\n\ngo 1.24\n"),
            ("api/v1/types.go", kind),
            ("units/units.go", "package units\n\ntype Power struct{}\n"),
            ("other/other.go", "package other\n"),
        ];
        write(folder.path(), &files);
        let config = Config::new()
            .go(folder.path(), ["./api/v1"])
            .manifests(folder.path(), crate::Manifests::default())
            .manifests_only();
        assert_eq!(used(&config), ["api/v1", "go.mod", "units"].map(at).into());
    }

    #[test]
    fn cargo_watches_what_was_read_besides_the_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().canonicalize().unwrap().join(path);
        let files = [
            (
                "app/Cargo.toml",
                "[package]\nname = \"app\"\n[dependencies]\nunits = { path = \"../units\" }",
            ),
            ("app/src/main.rs", "mod kinds;"),
            (
                "app/src/kinds.rs",
                "#[derive(CustomResource, Serialize, Deserialize, JsonSchema)]\n\
                 #[kube(group = \"a.example.com\", version = \"v1\", kind = \"Lamp\")]\n\
                 pub struct LampSpec { pub power: units::Watts }",
            ),
            // Its root is the package's folder, where Cargo writes its output too.
            (
                "units/Cargo.toml",
                "[package]\nname = \"units\"\n[lib]\npath = \"lib.rs\"",
            ),
            (
                "units/lib.rs",
                "#[derive(Serialize, Deserialize, JsonSchema)]\npub struct Watts(pub u32);",
            ),
            ("units/target/CACHEDIR.TAG", ""),
            ("units/target/debug/build/out.rs", "not Rust"),
        ];
        write(folder.path(), &files);
        let config = Config::new()
            .apis(at("app/src/kinds.rs"))
            .manifests(at("app"), crate::Manifests::default())
            .manifests_only();
        let expected = [
            "app/Cargo.toml",
            "app/src",
            "units/Cargo.toml",
            "units/lib.rs",
        ];
        assert_eq!(used(&config), expected.map(at).into());
    }

    #[test]
    fn a_build_script_prints_the_rendered_error() {
        let diagnostic = crate::Diagnostic::error("no").help("yes");
        let error = Error::Input(diagnostic.into());
        assert_eq!(format!("{error:?}"), "error: no\n |\n = help: yes");
    }

    #[test]
    fn a_build_script_reads_names_and_writes_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let crd = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gates.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Gate", "plural": "gates"}, "versions": [{"name": "v1",
            "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
            "properties": {"port": {"type": "object", "properties": {"x": {"type": "string"}}}}}}}}}]}}"#;
        std::fs::write(at("crd.json"), crd).unwrap();
        let config = Config::new()
            .crds([at("crd.json")])
            .out_dir(at("out"))
            .names_file(at("names.toml"));
        config.generate().unwrap();
        assert!(!at("names.toml").exists() && !at("out/apis/names.toml").exists());
        let record = "[types.\"example.com/v1\"]\n\"GateSpec.port\" = \"Doorway\"\n\"Gate.spec\" = \"GateSpec\"\n";
        std::fs::write(
            at("names.toml"),
            format!("# Code generated by kube-codegen. DO NOT EDIT.\n{record}"),
        )
        .unwrap();
        config.generate().unwrap();
        let types = std::fs::read_to_string(at("out/apis/example/v1/gate.rs")).unwrap();
        assert!(types.contains("pub struct Doorway"), "{types}");
        // The same, with the file among the generated ones.
        std::fs::rename(at("names.toml"), at("out/apis/names.toml")).unwrap();
        let config = config.names_file(at("out/apis/names.toml"));
        config.generate().unwrap();
        let names = std::fs::read_to_string(at("out/apis/names.toml")).unwrap();
        assert!(names.ends_with(record), "{names}");
    }

    #[test]
    fn an_input_that_is_missing_is_an_error() {
        let config = Config::new().crds(["nowhere"]).out_dir("nowhere-either");
        assert!(matches!(config.generate(), Err(Error::Read { .. })));
    }
}
