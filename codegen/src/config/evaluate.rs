//! `--evaluate`: CRDs of kinds whose schemas only code knows, from the compiled crate.
//!
//! Reading the source comes first. For kinds that cannot be read, cargo builds the crate's library
//! and a program that prints what their `crd()` returns; of a program, a copy that does. Cargo
//! decides about the network as in the crate itself. What the program printed is kept below the
//! target folder, under a hash of sources, manifest and lock file.

use std::{
    collections::BTreeMap,
    env, fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{
    Config, Error,
    evaluated_program::RootModule,
    layout::{manifest_folder, shown, whole},
    manifest::CargoManifest,
};
use crate::{
    Generated,
    diag::{Diagnostic, Place},
    lower::rust::{DeclaredKind, PROGRAM, declared},
    model::names,
    options::{Faulty, Manifest, Manifests, Options},
    output::Tree,
    read::{self, Parsed, Sources, crd::ReadCrds, markers::ASK_COMPILER},
    source::{RustCrate, Source},
};

/// The folder of CRDs in the run that finds out which can be read.
const PROBE: &str = "probe";

/// A crate that is compiled.
struct Evaluated<'a> {
    source: &'a RustCrate,
    manifest: CargoManifest,
    /// The name of the library or program, with which paths of its types start.
    name: String,
    /// The program, if there is no library that could be linked.
    program: Option<RootModule>,
    folder: PathBuf,
    types: Vec<Asked>,
}

/// A type that is asked for its CRD.
struct Asked {
    /// Its path in the program.
    path: String,
    /// Where it is declared, if source code shows it.
    place: Option<Place>,
}

impl Config {
    /// Returns the CRDs of kinds that cannot be read, and takes these out of the options.
    ///
    /// # Errors
    ///
    /// The program cannot be built, or fails.
    pub(super) fn evaluated(
        &self,
        sources: &Sources,
        options: &mut Options,
    ) -> Result<Vec<Source>, Error> {
        let asked = options.manifests.as_ref();
        let Some(manifests) = asked.filter(|it| it.evaluate && it.uses_crds()) else {
            return Ok(Vec::new());
        };
        if sources.rust_crates.is_empty() {
            return Ok(Vec::new());
        }
        let read = || read::read_beside(ReadCrds::default(), sources, options);
        let parsed = read();
        let known = readable(read(), manifests, options);
        let mut crates = Vec::new();
        for source in &sources.rust_crates {
            let own = parsed.rust_crates.iter();
            let own = own.filter(|it| it.package.root == source.root);
            let kinds = own.flat_map(|it| declared(it, options)).filter(|kind| {
                let file = format!("{PROBE}/{}_{}.yaml", kind.group, kind.plural);
                manifests.selects(&kind.group, &kind.kind)
                    && known
                        .as_ref()
                        .is_some_and(|known| !known.contains_key(Path::new(&file)))
            });
            crates.extend(Evaluated::new(source, kinds.collect(), manifests, self));
        }
        check_types(&crates, manifests)?;
        let mut crds: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
        for one in &crates {
            for crd in one.crds(self)? {
                let text = |path: &str| {
                    let text = crd.pointer(path).and_then(Value::as_str);
                    text.unwrap_or_default().to_owned()
                };
                let key = (text("/spec/group"), text("/spec/names/kind"));
                crds.entry(key).or_default().push(crd);
            }
        }
        if let Some(manifests) = &mut options.manifests {
            manifests.evaluated = crds.keys().cloned().collect();
        }
        let merged = crds.into_iter().map(|((group, kind), versions)| {
            Source::new(
                format!("crd() of {kind} in {group}"),
                merged(versions).to_string(),
            )
        });
        Ok(merged.collect())
    }
}

/// Adds the manifests that evaluated CRDs give.
pub(super) fn add(
    crds: Vec<Source>,
    options: &Options,
    generated: &mut Generated,
) -> Result<(), Error> {
    if crds.is_empty() {
        return Ok(());
    }
    let options = Options {
        emit: [].into(),
        record: None,
        manifests: options.manifests.as_ref().map(|manifests| Manifests {
            evaluated: Vec::new(),
            ..manifests.clone().only(Manifest::Crds)
        }),
        ..options.clone()
    };
    let sources = Sources {
        crds,
        ..Sources::default()
    };
    let more = crate::generate(&sources, &options).map_err(Error::Input)?;
    generated.warnings.extend(more.warnings);
    generated.skipped.extend(more.skipped);
    for (path, text) in more.manifests {
        // One file may hold all CRDs.
        generated.manifests.entry(path).or_default().push_str(&text);
    }
    Ok(())
}

/// Returns the CRDs that can be read completely, by the paths of a folder; `None` if the compiler
/// knows no more about the others than their source.
fn readable(read: Parsed, manifests: &Manifests, options: &Options) -> Option<Tree> {
    let options = Options {
        emit: [].into(),
        faulty: Faulty::Skipped,
        manifests: Some(Manifests {
            crds: Some(PROBE.to_owned()),
            docs: None,
            only_complete: true,
            ..manifests.clone()
        }),
        ..options.clone()
    };
    let (found, tree) = match crate::generate_from(read, &options) {
        Ok(generated) => (generated.skipped, generated.manifests),
        Err(found) => (found, Tree::new()),
    };
    let mut advice = found.as_slice().iter().flat_map(|error| &error.help);
    advice.any(|help| help == ASK_COMPILER).then_some(tree)
}

/// Joins the versions of a kind. `crd()` says of each that it is stored: the most stable one is.
fn merged(mut crds: Vec<Value>) -> Value {
    let name_of = |crd: &Value| {
        let name = crd.pointer("/spec/versions/0/name").and_then(Value::as_str);
        name.unwrap_or_default().to_owned()
    };
    crds.sort_by(|a, b| names::compare_versions(&name_of(a), &name_of(b)));
    let mut crds = crds.into_iter();
    let mut first = crds.next().unwrap_or_default();
    let versions = crds.filter_map(|mut crd| {
        let mut version = crd.pointer_mut("/spec/versions/0")?.take();
        version["storage"] = false.into();
        Some(version)
    });
    if let Some(all) = first
        .pointer_mut("/spec/versions")
        .and_then(Value::as_array_mut)
    {
        all.extend(versions);
    }
    first
}

/// Reports types of `evaluate-types` that belong to none of the crates.
fn check_types(crates: &[Evaluated<'_>], manifests: &Manifests) -> Result<(), Error> {
    let is_known = |path: &str| {
        let mut names = crates.iter().map(|it| it.name.as_str());
        names.any(|name| path.split("::").next() == Some(name))
    };
    let mut paths = manifests.evaluate_types.iter();
    let Some(unknown) = paths.find(|path| !is_known(path)) else {
        return Ok(());
    };
    let message = format!("`{unknown}` is in none of the crates that are read");
    let help = "a path starts with the name of a library, or of a package without one: `my_operator::crd::Cluster`";
    Err(Error::Config(Diagnostic::error(message).help(help).into()))
}

impl<'a> Evaluated<'a> {
    /// Returns the crate of a source, unless nothing can be asked or there is nothing to ask.
    fn new(
        source: &'a RustCrate,
        kinds: Vec<DeclaredKind>,
        manifests: &Manifests,
        config: &Config,
    ) -> Option<Self> {
        let root = match source.root.as_str() {
            "" => Path::new("."),
            root => Path::new(root),
        };
        let folder = manifest_folder(&whole(root))?.to_owned();
        let manifest = CargoManifest::read(&folder, &config.disk)?;
        let library = manifest.library(&config.disk);
        let (name, program) = match library.filter(|it| !it.is_macros) {
            Some(library) => (library.name, None),
            None => {
                let (program, path) = manifest.program(&config.disk)?;
                let shown = path.strip_prefix(manifest.workspace_folder());
                let root = RootModule {
                    name: program,
                    shown: shown.unwrap_or(&path).to_owned(),
                    path,
                };
                (manifest.name()?.replace('-', "_"), Some(root))
            }
        };
        let types = kinds.into_iter().filter_map(|kind| {
            let path = match program {
                Some(_) => kind.path_inside,
                None => kind.path,
            };
            Some(Asked {
                path: path?,
                place: Some(kind.place),
            })
        });
        let mut types: Vec<Asked> = types.collect();
        let root = program.as_ref().map_or(PROGRAM, |_| "crate");
        types.extend(manifests.evaluate_types.iter().filter_map(|path| {
            let (first, rest) = path.split_once("::")?;
            let path = format!("{root}::{rest}");
            (first == name).then_some(Asked { path, place: None })
        }));
        (!types.is_empty()).then_some(Self {
            source,
            manifest,
            name,
            program,
            folder,
            types,
        })
    }

    /// Returns what `crd()` of each kind returns.
    fn crds(&self, config: &Config) -> Result<Vec<Value>, Error> {
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(target) => self.folder.join(target),
            None => self.manifest.workspace_folder().join("target"),
        };
        let name = self.manifest.name().unwrap_or_default();
        let build = target.join("kube-codegen");
        let folder = build.join("evaluate").join(name);
        let program = self.text(config)?;
        let manifest = self.program_manifest(config);
        let kept = || folder.join(format!("{:016x}.json", self.hash(&program, &manifest)));
        let kept_before = kept();
        if let Some(crds) = fs::read_to_string(&kept_before)
            .ok()
            .and_then(|text| self.parse(&text))
        {
            return Ok(crds);
        }
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["run", "--quiet", "--target-dir"]).arg(&build);
        let written = match &self.program {
            Some(root) => root.write(&program, &folder).map(|wrapper| {
                command.args(["--bin", &root.name]);
                command.args(feature_flags(config));
                command.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
            }),
            None => write_program(&folder, &program, &manifest, self.lock()).map(|manifest| {
                command.arg("--manifest-path").arg(manifest);
            }),
        };
        written.map_err(|error| self.failed(&format!("{}: {error}", shown(&folder))))?;
        let text = self.run(&mut command)?;
        let crds = self
            .parse(&text)
            .ok_or_else(|| self.failed("the program did not print a CRD for each kind"))?;
        // Without the copy, the next run asks again. cargo may have written the lock file.
        let _ = fs::write(kept(), text.as_bytes());
        Ok(crds)
    }

    fn lock(&self) -> Option<Vec<u8>> {
        fs::read(self.manifest.workspace_folder().join("Cargo.lock")).ok()
    }

    /// A hash of all that decides what the program prints.
    fn hash(&self, program: &str, manifest: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        let own = self.manifest.table.to_string();
        (program, manifest, self.lock(), own).hash(&mut hasher);
        let dependencies = self.source.dependencies.iter().flat_map(|it| &it.files);
        for file in self.source.files.iter().chain(dependencies) {
            (&file.name, &file.text).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Builds and runs the program, with the toolchain and configuration of the crate.
    fn run(&self, command: &mut Command) -> Result<String, Error> {
        let output = command.current_dir(&self.folder).output();
        let output = output.map_err(|error| self.failed(&format!("cannot run cargo: {error}")))?;
        if !output.status.success() {
            return Err(self.failed(&String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn failed(&self, why: &str) -> Error {
        let message = format!("cannot evaluate the kinds of {}", shown(&self.folder));
        let mut error = Diagnostic::error(message);
        let mut places = self.types.iter().filter_map(|it| it.place.as_ref());
        if let Some(first) = places.next() {
            error = error.at(first.clone(), "cannot be read without a compiler");
        }
        for line in why.trim().lines() {
            error = error.note(line);
        }
        Error::Input(error.into())
    }

    /// One CRD a line, in the order of the types.
    fn parse(&self, text: &str) -> Option<Vec<Value>> {
        let lines = text.lines().filter(|line| line.starts_with('{'));
        let crds: Option<Vec<Value>> = lines.map(|line| serde_json::from_str(line).ok()).collect();
        crds.filter(|crds| crds.len() == self.types.len())
    }

    /// The root module of the program that prints the CRDs.
    fn text(&self, config: &Config) -> Result<String, Error> {
        let Some(root) = &self.program else {
            return Ok(self.main("kube::CustomResourceExt"));
        };
        if self.manifest.dependency("serde_json").is_none() {
            return Err(
                self.failed("a program prints them with serde_json: add it to the dependencies")
            );
        }
        let copy = root.with_main(&self.main(&self.kube_trait()), &config.disk);
        copy.map_err(|why| self.failed(&why))
    }

    /// The path by which a program names the trait of kinds: as its kinds do.
    fn kube_trait(&self) -> String {
        let mut names = ["kube", "kube_core", "kube-core"].into_iter();
        if let Some(name) = names.find(|name| self.manifest.dependency(name).is_some()) {
            return format!("::{}::CustomResourceExt", name.replace('-', "_"));
        }
        // `#[kube(crates(kube_core = "…"))]`, and the same of stackable-versioned.
        let mut files = self.source.files.iter();
        let named = files.find_map(|file| {
            let (_, rest) = file.text.split_once("kube_core = \"")?;
            rest.split('"').next()
        });
        format!("{}::CustomResourceExt", named.unwrap_or("::kube"))
    }

    fn main(&self, kube_trait: &str) -> String {
        let lines = self.types.iter().map(|Asked { path, .. }| {
            format!(
                "    let crd = ::serde_json::to_string(&<{path} as {kube_trait}>::crd()).unwrap();\n    \
                 writeln!(std::io::stdout(), \"{{crd}}\").unwrap();\n"
            )
        });
        let lines: String = lines.collect();
        format!("fn main() {{\n    use std::io::Write as _;\n{lines}}}\n")
    }

    fn program_manifest(&self, config: &Config) -> String {
        let text = |text: &str| toml::Value::String(text.to_owned());
        let features = config.features.names.iter();
        let mut features: Vec<toml::Value> = features.map(|name| text(name)).collect();
        if config.features.all {
            let names = self.source.features.iter().flat_map(|it| &it.names);
            features = names.map(|name| text(name)).collect();
        }
        let own: toml::Table = [
            ("package", text(self.manifest.name().unwrap_or_default())),
            ("path", text(&self.folder.to_string_lossy())),
            (
                "default-features",
                (!config.features.without_default).into(),
            ),
            ("features", toml::Value::Array(features)),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect();
        let of_crate = |key: &str, otherwise: &str| {
            let found = self.manifest.dependency(key);
            found.unwrap_or_else(|| text(otherwise))
        };
        let dependencies: toml::Table = [
            (PROGRAM.to_owned(), toml::Value::Table(own)),
            ("kube".to_owned(), of_crate("kube", "*")),
            ("serde_json".to_owned(), of_crate("serde_json", "1")),
        ]
        .into_iter()
        .collect();
        let mut manifest = toml::Table::new();
        manifest.insert("dependencies".to_owned(), dependencies.into());
        format!(
            "[package]\nname = \"kube-codegen-evaluation\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n{manifest}"
        )
    }
}

/// Writes the program that links a library, and returns the path of its manifest.
fn write_program(
    folder: &Path,
    program: &str,
    manifest: &str,
    lock: Option<Vec<u8>>,
) -> io::Result<PathBuf> {
    let files = [
        ("src/main.rs", Some(program.as_bytes())),
        ("Cargo.lock", lock.as_deref()),
        ("Cargo.toml", Some(manifest.as_bytes())),
    ];
    fs::create_dir_all(folder.join("src"))?;
    for (path, bytes) in files {
        if let Some(bytes) = bytes {
            fs::write(folder.join(path), bytes)?;
        }
    }
    Ok(folder.join("Cargo.toml"))
}

/// The flags of cargo for the features that are read.
fn feature_flags(config: &Config) -> Vec<String> {
    let mut flags = Vec::new();
    if config.features.all {
        flags.push("--all-features".to_owned());
    }
    if config.features.without_default {
        flags.push("--no-default-features".to_owned());
    }
    if !config.features.names.is_empty() {
        let names = config.features.names.iter().map(String::as_str);
        flags.push(format!(
            "--features={}",
            names.collect::<Vec<_>>().join(",")
        ));
    }
    flags
}
