//! Runs the schema modules on real CRDs and resources.
//!
//! The corpus is too large for the repository. `CRD_CORPUS` names a directory with its
//! `index.json`; without it, the tests print a notice and pass. `hack/corpus-schema.sh` unpacks the
//! corpus and runs the tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use embedded_apiserver::schema::{self, FieldError, FieldErrorKind, Structural};
use serde_json::Value;

/// The path at which the server reports errors in a schema that all versions share.
const PATH: &str = "spec.validation.openAPIV3Schema";

/// Samples that the index calls valid because it ignores the format `byte`; kube-apiserver does
/// not.
const NOT_BASE64: [&str; 3] = [
    "samples/grafana__grafana-operator/GrafanaDashboard-2.yaml",
    "samples/antrea-io__antrea/PacketCapture-1.yaml",
    "samples/external-secrets__external-secrets/SecretStore-40.yaml",
];

pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("CRD_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: CRD_CORPUS is not set (run hack/corpus-schema.sh)");
    }
    folder
}

/// Reads a file like kube-apiserver's tools: YAML 1.1 scalars, the last of duplicate keys wins, and
/// quoted strings may continue on unindented lines (which this parser rejects; indenting them does
/// not change the value).
pub(crate) fn read_yaml(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse_yaml(&text)
        .or_else(|_| parse_yaml(&indent_quoted(&text)))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn parse_yaml(text: &str) -> Result<Value, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 50_000_000,
            max_nodes: 50_000_000,
            max_total_scalar_bytes: 1 << 30,
        },
        with_snippet: false,
        strict_booleans: false,
        strict_indentation: false,
        legacy_octal_numbers: true,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
    };
    serde_saphyr::from_str_with_options(text, options)
}

/// Indents the continuation lines of quoted values.
fn indent_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut open: Option<char> = None;
    for line in text.split_inclusive('\n') {
        let rest = match open {
            Some(_) => {
                out.push_str(&" ".repeat(40));
                line
            }
            None => match line.split_once(": ").map(|(_, value)| value) {
                Some(value) if value.starts_with(['\'', '"']) => {
                    open = value.chars().next();
                    value.get(1..).unwrap_or_default()
                }
                _ => "",
            },
        };
        out.push_str(line);
        if let Some(quote) = open {
            let unescaped = if quote == '"' {
                rest.replace("\\\\", "").replace("\\\"", "")
            } else {
                rest.replace("''", "")
            };
            if unescaped.contains(quote) {
                open = None;
            }
        }
    }
    out
}

pub(crate) fn read_index(folder: &Path) -> Value {
    let text = std::fs::read(folder.join("index.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The schemas of a CRD, by version.
type Versions = BTreeMap<String, Result<Structural, Vec<FieldError>>>;

fn compile_all(folder: &Path, index: &Value) -> BTreeMap<String, Versions> {
    let mut compiled = BTreeMap::new();
    for entry in index["crds"].as_array().unwrap() {
        let crd = read_yaml(&folder.join(text(entry, "path")));
        let mut versions = Versions::new();
        for version in crd["spec"]["versions"].as_array().unwrap() {
            let schema = &version["schema"]["openAPIV3Schema"];
            if schema.is_object() {
                versions.insert(
                    text(version, "name").to_owned(),
                    schema::compile(PATH, schema),
                );
            }
        }
        compiled.insert(text(entry, "name").to_owned(), versions);
    }
    compiled
}

/// The findings of pruning, decoding and validation for a sample, to match with the error in the
/// index.
struct Findings {
    dropped: Vec<String>,
    decode: Option<String>,
    nulls: Vec<FieldError>,
    errors: Vec<FieldError>,
}

impl Findings {
    fn of(schema: &Structural, object: &Value) -> Self {
        let mut object = object.clone();
        let decode = schema.decode_error(&object);
        let dropped = schema.prune(&mut object);
        let nulls = schema.validate(&object);
        schema.apply_defaults(&mut object);
        Self {
            dropped,
            decode,
            nulls,
            errors: schema.validate(&object),
        }
    }

    fn has(&self, error: &Value) -> bool {
        let path = text(error, "path").trim_start_matches('.');
        let detail = text(error, "detail");
        let at = |kind: FieldErrorKind, says: &str| {
            self.errors.iter().any(|e| {
                same_path(&e.field, path) && e.kind == kind && e.to_string().contains(says)
            })
        };
        let anywhere = |says: &str| {
            self.errors
                .iter()
                .any(|e| e.detail.contains(says) && e.detail.contains(path))
        };
        match text(error, "what") {
            "unknown" => self.dropped.iter().any(|dropped| dropped == path),
            "required" => {
                let field = if path.is_empty() {
                    detail.to_owned()
                } else {
                    format!("{path}.{detail}")
                };
                self.errors
                    .iter()
                    .any(|e| e.field == field && e.kind == FieldErrorKind::Required)
            }
            // Nulls in metadata are dropped with unknown fields.
            "null" if path.starts_with("metadata.") => true,
            "null" => self
                .nulls
                .iter()
                .any(|e| same_path(&e.field, path) && e.detail.contains("\"null\"")),
            "meta" => self.decode.is_some() || detail == "no name" || detail == "not an object",
            "type" => at(FieldErrorKind::TypeInvalid, "must be of type") || self.decode.is_some(),
            "format" => at(FieldErrorKind::TypeInvalid, "must be of type"),
            "enum" => at(FieldErrorKind::NotSupported, "supported values"),
            "pattern" => {
                at(FieldErrorKind::Invalid, "should match")
                    || at(FieldErrorKind::Invalid, "should be at least")
            }
            "minLength" => at(FieldErrorKind::Invalid, "should be at least"),
            "minimum" => at(FieldErrorKind::Invalid, "should be greater than"),
            "maximum" => at(FieldErrorKind::Invalid, "should be less than"),
            "minItems" | "minProperties" => at(FieldErrorKind::Invalid, "should have at least"),
            "maxItems" | "maxProperties" => at(FieldErrorKind::TooMany, "must have at most"),
            "int32" => anywhere("must be of type integer with format int32"),
            "oneOf" => anywhere("must validate one and only one schema (oneOf)"),
            "list-map-dup" => self
                .errors
                .iter()
                .any(|e| e.field.starts_with(path) && e.kind == FieldErrorKind::Duplicate),
            other => panic!("unknown reason in the index: {other}"),
        }
    }
}

fn same_path(field: &str, path: &str) -> bool {
    field == path || field == "<nil>" && path.is_empty()
}

/// The schemas of the corpus, and the mismatches found.
struct Run {
    folder: PathBuf,
    compiled: BTreeMap<String, Versions>,
    faults: Vec<String>,
}

impl Run {
    fn check_schemas(&mut self) {
        for (name, versions) in &self.compiled {
            for (version, schema) in versions {
                if let Err(errors) = schema {
                    let shown = first_three(errors);
                    self.faults
                        .push(format!("schema {name} {version}: {shown}"));
                }
            }
        }
    }

    fn findings(&mut self, entry: &Value) -> Option<Findings> {
        let versions = self.compiled.get(text(entry, "crd"));
        let schema =
            versions.and_then(|versions| versions.get(text(entry, "version"))?.as_ref().ok());
        let Some(schema) = schema else {
            self.faults
                .push(format!("{}: no schema", text(entry, "path")));
            return None;
        };
        let object = read_yaml(&self.folder.join(text(entry, "path")));
        Some(Findings::of(schema, &object))
    }

    /// Whether a valid sample is accepted unchanged.
    fn check_valid(&mut self, entry: &Value) -> bool {
        let Some(found) = self.findings(entry) else {
            return false;
        };
        let known = NOT_BASE64.contains(&text(entry, "path"));
        let as_known = |error: &FieldError| known && error.detail.contains("must be of type byte");
        let errors_as_known = found.errors.iter().all(as_known) && known != found.errors.is_empty();
        let holds = found.dropped.is_empty() && errors_as_known && found.decode.is_none();
        if !holds {
            let (path, shown) = (text(entry, "path"), first_three(&found.errors));
            let Findings {
                dropped, decode, ..
            } = found;
            self.faults.push(format!(
                "valid {path}: dropped {dropped:?}, decode {decode:?}, {shown}"
            ));
        }
        holds
    }

    /// Whether an invalid sample is rejected for every reason in the index.
    fn check_invalid(&mut self, entry: &Value) -> bool {
        let Some(found) = self.findings(entry) else {
            return false;
        };
        let reasons = entry["errors"].as_array().unwrap();
        let missed: Vec<&Value> = reasons.iter().filter(|error| !found.has(error)).collect();
        if !missed.is_empty() {
            let (path, shown) = (text(entry, "path"), first_three(&found.errors));
            let dropped = &found.dropped;
            self.faults.push(format!(
                "invalid {path}: not found {missed:?} in {shown} (dropped {dropped:?})"
            ));
        }
        missed.is_empty()
    }
}

fn first_three(errors: &[FieldError]) -> String {
    let shown: Vec<String> = errors.iter().take(3).map(ToString::to_string).collect();
    shown.join("; ")
}

#[test]
fn every_schema_compiles_and_samples_are_judged_as_the_index_says() {
    let Some(folder) = corpus() else {
        return;
    };
    let index = read_index(&folder);
    let mut run = Run {
        compiled: compile_all(&folder, &index),
        folder,
        faults: Vec::new(),
    };
    run.check_schemas();
    let entries = |key: &str| index[key].as_array().unwrap();
    let valid = entries("samples")
        .iter()
        .filter(|entry| run.check_valid(entry))
        .count();
    let refused = entries("samples_invalid")
        .iter()
        .filter(|entry| run.check_invalid(entry))
        .count();
    let schemas: usize = run.compiled.values().map(BTreeMap::len).sum();
    eprintln!(
        "{} CRDs, {schemas} schemas; {valid} samples judged as expected, {refused} refused for the reasons indexed",
        run.compiled.len()
    );
    let faults = run.faults;
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
