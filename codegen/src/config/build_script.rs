//! Generation from a build script, which communicates with Cargo through standard output.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::{
    Config, Error, Report,
    inputs::{CrdInput, GoInput},
    names::NamesFile,
};
use crate::{Diagnostic, Diagnostics, diag::Severity, output};

impl Config {
    /// Generates, writes, and declares the inputs to Cargo: the entry point for build scripts.
    ///
    /// Prints `cargo::rerun-if-changed` for every input before anything can fail, so that fixing the input reruns the build
    /// script, and a `cargo::warning` for each warning. Files that are up to date keep their modification time.
    ///
    /// # Errors
    ///
    /// [`Error`]; then nothing is written.
    pub fn generate(&self) -> Result<Report, Error> {
        // Cargo reads this through a pipe of its own; if the pipe is closed, Cargo no longer needs the line.
        let _ = io::stdout().lock().write_all(self.watched().as_bytes());
        let mut prepared = self.prepare(&())?;
        let _ = io::stdout()
            .lock()
            .write_all(warned(&prepared.warnings).as_bytes());
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
        let lines = self
            .inputs()
            .map(|path| format!("cargo::rerun-if-changed={}\n", path.display()));
        let go = self.go.iter().flat_map(GoInput::folders);
        let go = go.map(|path| format!("cargo::rerun-if-changed={}\n", path.display()));
        lines.chain(go).collect()
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
