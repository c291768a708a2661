//! Tests of package loading on temporary folders.

mod kinds;
mod kubernetes;
mod missing;
mod packages;
mod types;
mod versions;

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::*;
use crate::read::{
    go::{Build, Package, Type, read},
    markers::IgnoredMarkers,
};
use crate::{diag::Style, options::Compat};

/// A folder with a module `main`, a module cache `mod` and a standard library `root`.
struct World {
    folder: TempDir,
    environment: Environment,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a folder");
        let environment = Environment {
            module_cache: folder.path().join("mod"),
            root: Some(folder.path().join("root")),
            mod_flag: None,
            workspace: None,
            build: Build::default(),
        };
        let world = Self {
            folder,
            environment,
        };
        for (name, text) in files {
            world.write(name, text);
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    fn load(&self, patterns: &[&str]) -> Result<GoSources, String> {
        self.load_for(KubernetesSources::Definitions, patterns)
    }

    fn load_for(
        &self,
        kubernetes: KubernetesSources,
        patterns: &[&str],
    ) -> Result<GoSources, String> {
        let patterns: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
        let dir = self.path("main");
        let loaded = load(&patterns, &dir, &self.environment, kubernetes);
        let root = shown(self.folder.path());
        loaded.map_err(|errors| errors.render(Style::Plain).replace(&root, "$"))
    }

    /// Checks the import paths of the loaded packages; those not requested are in parentheses.
    #[track_caller]
    fn check(&self, patterns: &[&str], expected: &[&str]) {
        let sources = self.load(patterns).expect("packages");
        let paths: Vec<String> = sources
            .packages
            .iter()
            .map(|package| match package.requested {
                true => package.path.clone(),
                false => format!("({})", package.path),
            })
            .collect();
        assert_eq!(paths, expected, "{patterns:?}");
    }

    #[track_caller]
    fn check_error(&self, patterns: &[&str], expected: &[&str]) {
        let loaded = self.load(patterns).map(drop);
        let errors = loaded.expect_err(&format!("{patterns:?}"));
        for part in expected {
            assert!(errors.contains(part), "{part} is not in:\n{errors}");
        }
    }
}

const MOD: &str = "module example.com/main\ngo 1.24\n\
                   require (\n\texample.com/Lib v1.2.0\n\texample.com/Lib/sub v1.0.0\n\
                   \tk8s.io/apimachinery v0.36.3\n)\n";

/// The package of `ObjectMeta`, which the table of built-in types has.
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// An object with one field of the specified type.
fn object(import: &str, ty: &str) -> String {
    format!(
        "// +groupName=example.com\npackage v1\nimport (\n\t{import}\n\tmetav1 \"{META}\"\n)\n\
         type Kind struct {{\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec {ty} `json:\"spec\"`\n}}\n"
    )
}

/// Creates a module with the files.
fn module(files: &[(&str, &str)]) -> World {
    let world = World::new(files);
    world.write("main/go.mod", MOD);
    world
}

#[test]
fn folders_paths_and_wildcards_name_packages() {
    let world = World::new(&[
        ("main/go.mod", MOD),
        ("main/a/a.go", "package a\ntype A int\n"),
        ("main/a/b/b.go", "package b\ntype B int\n"),
        ("main/a/b/b_test.go", "package b_test\n"),
        ("main/a/testdata/c.go", "package c\n"),
        ("main/a/.hidden/c.go", "package c\n"),
        ("main/a/_off/c.go", "package c\n"),
        ("main/a/vendor/c/c.go", "package c\n"),
        ("main/a/other/go.mod", "module example.com/other\n"),
        ("main/a/other/c.go", "package c\n"),
        ("main/empty/x.txt", ""),
        ("root/x.txt", ""),
        ("main/tests/x_test.go", "package x\n"),
    ]);
    let (a, b) = ("example.com/main/a", "example.com/main/a/b");
    world.check(&["./a"], &[a]);
    world.check(&["./a/", "./a/b", "example.com/main/a"], &[a, b]);
    world.check(&["./a/..."], &[&format!("({a})"), &format!("({b})")]);
    world.check(&["./...", "./a/b"], &[&format!("({a})"), b]);
    world.check(
        &["example.com/main/..."],
        &[&format!("({a})"), &format!("({b})")],
    );
    let absolute = world.path("main/a");
    world.check(&[absolute.to_str().expect("UTF-8")], &[a]);
    world.check_error(&["./empty"], &["main/empty has no Go files"]);
    world.check_error(&["./tests"], &["main/tests has no Go files"]);
    world.check_error(
        &["./empty/..."],
        &["and the folders below it have no Go files"],
    );
    world.check_error(&["./nowhere"], &["there is no folder", "main/nowhere"]);
    world.check_error(
        &["a/b"],
        &["package a/b not found", "a folder is written `./a/b`"],
    );
    world.check_error(
        &["./a", "./a/other"],
        &["main/a/other belongs to another module"],
    );
    world.check_error(
        &["./a", "../root"],
        &["is not in the module example.com/main"],
    );
    world.check_error(
        &["example.org/x"],
        &["no module that go.mod requires provides it"],
    );
    world.check_error(&[], &["no Go package is specified"]);
}

#[test]
fn a_package_belongs_to_a_module() {
    let world = World::new(&[("main/a/a.go", "package a\n")]);
    world.check_error(&["./a"], &["there is no go.mod in", "or above it"]);
}

#[test]
fn packages_are_read_as_their_types_are_used() {
    let world = module(&[
        (
            "main/v1/types.go",
            &object(
                "lib \"example.com/Lib/api\"\n\t\"example.com/absent/client\"",
                "lib.Spec",
            ),
        ),
        (
            "main/v1/more.go",
            "package v1\nimport \"example.com/absent/client\"\ntype Client struct { C client.Client }\n",
        ),
        (
            "mod/example.com/!lib@v1.2.0/api/api.go",
            "package api\nimport (\n\t\"example.com/Lib/sub/deep\"\n\t\"time\"\n)\n\
             type Spec struct {\n\tA deep.A\n\tB time.Location\n\tD time.Duration\n\tC unread.C `json:\"-\"`\n\td unread.D\n}\n",
        ),
        (
            "mod/example.com/!lib/sub@v1.0.0/deep/deep.go",
            "package deep\ntype A int\n",
        ),
        (
            "root/src/time/time.go",
            "package time\ntype Location struct{}\n",
        ),
    ]);
    let expected = [
        "(example.com/Lib/api)",
        "(example.com/Lib/sub/deep)",
        "example.com/main/v1",
        "(time)",
    ];
    world.check(&["./v1"], &expected);
    world.check(&["./..."], &expected);
    let sources = world.load(&["./v1"]).expect("packages");
    let library = &sources.packages[0];
    assert_eq!(
        (library.module.as_str(), library.version.as_deref()),
        ("example.com/Lib", Some("v1.2.0"))
    );
    assert!(!library.main && sources.packages[2].main);
    // Without the standard library, its types keep their names.
    let mut world = world;
    world.environment.root = None;
    let expected = &expected[..3];
    world.check(&["./v1"], expected);
}

#[test]
fn replacements_lead_to_folders_and_other_modules() {
    let world = module(&[
        (
            "main/v1/types.go",
            &object("lib \"example.com/Lib/api\"", "lib.Spec"),
        ),
        ("local/api/api.go", "package api\ntype Spec int\n"),
        (
            "mod/example.org/fork@v3.0.0/api/api.go",
            "package api\ntype Spec int\n",
        ),
    ]);
    for (replace, module, version) in [
        ("example.com/Lib => ../local", "local", None),
        (
            "example.com/Lib v1.2.0 => example.org/fork v3.0.0",
            "fork",
            Some("v3.0.0"),
        ),
    ] {
        world.write("main/go.mod", format!("{MOD}replace {replace}\n"));
        let sources = world.load(&["./v1"]).expect(replace);
        let library = &sources.packages[0];
        assert_eq!(library.version.as_deref(), version, "{replace}");
        assert!(library.dir.contains(module), "{replace}: {}", library.dir);
    }
    world.write(
        "main/go.mod",
        format!("{MOD}replace example.com/Lib => ../gone\n"),
    );
    world.check_missing(
        "example.com/Lib/api.Spec",
        &[
            "go.mod replaces example.com/Lib by",
            "gone, which is not there",
        ],
    );
    world.write(
        "main/go.mod",
        format!("{MOD}replace example.com/Lib v9.9.9 => ../local\n"),
    );
    world.check_missing("example.com/Lib/api.Spec", &["is not in the module cache"]);
}

#[test]
fn vendored_packages_come_first() {
    let mut world = module(&[
        (
            "main/v1/types.go",
            &object("lib \"example.com/Lib/api\"", "lib.Spec"),
        ),
        (
            "main/vendor/example.com/Lib/api/api.go",
            "package api\ntype Spec int\n",
        ),
        (
            "main/vendor/modules.txt",
            "# example.com/Lib v1.2.0\n## explicit\nexample.com/Lib/api\n",
        ),
        (
            "mod/example.com/!lib@v1.2.0/api/api.go",
            "package api\ntype Spec string\n",
        ),
    ]);
    let dir = |world: &World| {
        let sources = world.load(&["./v1"]).expect("packages");
        assert_eq!(sources.packages[0].version.as_deref(), Some("v1.2.0"));
        sources.packages[0].dir.clone()
    };
    assert!(dir(&world).contains("main/vendor/"));
    world.environment.mod_flag = Some("mod".to_owned());
    assert!(dir(&world).contains("mod/example.com/!lib@v1.2.0"));
    world.environment.mod_flag = Some("vendor".to_owned());
    world.write(
        "main/v1/types.go",
        object("s \"example.com/Lib/sub\"", "s.Spec"),
    );
    world.check_missing(
        "example.com/Lib/sub.Spec",
        &["it is not in", "main/vendor", "run `go mod vendor`"],
    );
}

#[test]
fn a_workspace_has_several_main_modules() {
    let world = module(&[
        ("go.work", "go 1.24\nuse (\n\t./main\n\t./second\n)\n"),
        ("second/go.mod", "module example.com/second\ngo 1.24\n"),
        ("second/api/api.go", "package api\ntype Spec int\n"),
        (
            "main/v1/types.go",
            &object("\"example.com/second/api\"", "api.Spec"),
        ),
    ]);
    world.check(
        &["./v1"],
        &["example.com/main/v1", "(example.com/second/api)"],
    );
    world.check(
        &["./v1", "../second/api"],
        &["example.com/main/v1", "example.com/second/api"],
    );
    let mut world = world;
    world.environment.workspace = Some("off".to_owned());
    world.check_missing(
        "example.com/second/api.Spec",
        &["no module that go.mod requires provides it"],
    );
}

#[test]
fn a_package_need_not_be_called_as_its_path() {
    let world = module(&[
        (
            "main/v1/types.go",
            &object(
                "\"example.com/Lib/go-odd\"\n\t\"example.com/Lib/sub\"",
                "odd.Spec",
            ),
        ),
        (
            "mod/example.com/!lib@v1.2.0/go-odd/a.go",
            "// Odd.\npackage odd\ntype Spec int\n",
        ),
        ("mod/example.com/!lib/sub@v1.0.0/a.go", "package other\n"),
    ]);
    world.check(
        &["./v1"],
        &["(example.com/Lib/go-odd)", "example.com/main/v1"],
    );
    let sources = world.load(&["./v1"]).expect("packages");
    let mut found = Diagnostics::new();
    let packages = read(&sources, IgnoredMarkers(&[]), Compat::Strict, &mut found).packages;
    let kind = packages[1].types.iter().find(|decl| decl.name == "Kind");
    let Some(Type::Struct(fields)) = kind.map(|kind| &kind.ty) else {
        panic!("a struct");
    };
    assert!(
        matches!(&fields[2].ty, Type::Imported(path, ..) if &**path == "example.com/Lib/go-odd")
    );
}

#[test]
fn a_file_that_is_not_utf_8_is_an_error_at_its_first_bad_byte() {
    let world = World::new(&[("main/go.mod", MOD), ("main/a/a.go", "package a\n")]);
    world.write(
        "main/a/b.go",
        [b"package a\n// ".as_slice(), &[0xff, 0xfe]].concat(),
    );
    world.check_error(&["./a"], &["main/a/b.go is not UTF-8", "main/a/b.go:2:4"]);
}

#[test]
fn a_file_of_fifty_megabytes_is_an_error_without_being_read() {
    let world = World::new(&[("main/go.mod", MOD), ("main/a/a.go", "package a\n")]);
    // A sparse file: only its size matters.
    let large = fs::File::create(world.path("main/a/large.go")).expect("a file");
    large.set_len(50 * 1024 * 1024).expect("a length");
    world.check_error(&["./a"], &["main/a/large.go is larger than 32 MiB"]);
}

#[cfg(unix)]
#[test]
fn links_in_circles_end() {
    use std::os::unix::fs::symlink;
    let world = World::new(&[("main/go.mod", MOD), ("main/a/a.go", "package a\n")]);
    symlink(world.path("main/a"), world.path("main/a/loop")).expect("a link");
    world.check(&["./..."], &["(example.com/main/a)"]);
    symlink("self.go", world.path("main/a/self.go")).expect("a link");
    world.check_error(&["./..."], &["cannot read", "main/a/self.go"]);
}

#[test]
fn twenty_megabytes_are_read_in_a_moment() {
    let mut text = "package a\n".to_owned();
    while text.len() < 20_000_000 {
        text.push_str("func f() { if x { y(\"}\", '}', `}`) } // }\n}\n");
    }
    let world = World::new(&[("main/go.mod", MOD), ("main/a/a.go", &text)]);
    world.check(&["./a"], &["example.com/main/a"]);
}

/// The API of Kubernetes itself, where Go's module cache has it.
#[test]
fn the_api_of_kubernetes_is_read() {
    let environment = Environment::from_process();
    let version = |module: &str| {
        let entries = fs::read_dir(environment.module_cache.join("k8s.io")).ok()?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let prefix = format!("{module}@");
        let versions =
            names.filter_map(|name| Some(name.to_str()?.strip_prefix(&prefix)?.to_owned()));
        versions.max()
    };
    let (Some(api), Some(machinery)) = (version("api"), version("apimachinery")) else {
        println!(
            "skipped: {} has no k8s.io/api",
            environment.module_cache.display()
        );
        return;
    };
    let world = World::new(&[]);
    world.write(
        "main/go.mod",
        format!("module example.com/main\ngo 1.24\nrequire k8s.io/api {api}\nrequire k8s.io/apimachinery {machinery}\n"),
    );
    let patterns = [
        "k8s.io/api/...".to_owned(),
        "k8s.io/apimachinery/pkg/apis/meta/v1".to_owned(),
    ];
    let sources = load(
        &patterns,
        &world.path("main"),
        &environment,
        KubernetesSources::Definitions,
    )
    .map_err(|errors| errors.render(Style::Plain))
    .expect("Kubernetes");
    let mut found = Diagnostics::new();
    let packages = read(&sources, IgnoredMarkers(&[]), Compat::Strict, &mut found).packages;
    assert_eq!(found.render(Style::Plain), "");
    let package = |path: &str| -> &Package {
        let found = packages.iter().find(|package| package.path == path);
        found.expect(path)
    };
    let core = package("k8s.io/api/core/v1");
    let pod = core
        .types
        .iter()
        .find(|decl| decl.name == "Pod")
        .expect("Pod");
    assert!(
        pod.docs.starts_with("Pod is a collection of containers"),
        "{}",
        pod.docs
    );
    assert!(core.types.len() > 250 && core.consts.len() > 350);
    let meta = package("k8s.io/apimachinery/pkg/apis/meta/v1");
    let texts = meta.marshalers.iter().map(|m| m.type_name.as_str());
    assert!(
        texts
            .filter(|name| ["Time", "MicroTime", "Duration"].contains(name))
            .count()
            >= 3
    );
}
