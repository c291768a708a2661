//! The `codegen.toml` of a crate that `kube-codegen crate` wrote.

use super::crd::sandbox;
use crate::cli::sandbox::Sandbox;

fn write(sandbox: &Sandbox, more: &[&str]) {
    let arguments = ["crate", "crds", "--output", "api/vm", "--name", "vm"];
    sandbox.succeeds(&[&arguments[..], more].concat());
}

#[test]
fn a_crate_is_generated_again_with_the_options_of_the_first_time() {
    for more in [
        &[][..],
        &["--emit", "types,validate", "--kind-features", "--builders"],
        &[
            "--emit",
            "types",
            "--schemars",
            "--kubernetes-types",
            "none",
        ],
        &["--kubernetes-version", "1.36", "--map-type", "hash"],
        &["--rename", "VirtualMachine.spec=Machine", "--aliases"],
        &[
            "--boxed",
            "VirtualMachine.status",
            "--names-file",
            "api/names.toml",
        ],
        &["--header-file", "header.txt", "--names-file", ""],
        &[
            "--type-derive",
            "VirtualMachine*=Eq",
            "--type-attribute",
            "VirtualMachine=#[non_exhaustive]",
        ],
        &[
            "--group",
            "cloudnative.czs",
            "--version",
            "v1alpha1",
            "--kind",
            "VirtualMachine",
        ],
        &[
            "--all-versions",
            "--storage-version-only",
            "--keep-going",
            "--runtime-path",
            "::rt",
        ],
    ] {
        let sandbox = sandbox();
        sandbox.write("header.txt", "Licensed.\n");
        write(&sandbox, more);
        let run = sandbox.quiet_in("api/vm", &["generate", "--check"]);
        assert_eq!(run.code, 0, "{more:?}: {}{}", run.stdout, run.stderr);
        let readme = sandbox.read("api/vm/README.md");
        assert!(readme.contains("\nkube-codegen generate\n"), "{readme}");
    }
}

#[test]
fn the_options_of_a_crate_are_its_own_once_written() {
    let sandbox = sandbox();
    write(&sandbox, &["--builders"]);
    let written = sandbox.read("api/vm/codegen.toml");
    assert!(
        written.contains("builders = true\n[crate.crd]\nfiles = [\"../../crds\"]\n"),
        "{written}"
    );
    sandbox.write("api/vm/codegen.toml", &format!("{written}# Mine.\n"));
    write(&sandbox, &[]);
    assert!(sandbox.read("api/vm/codegen.toml").ends_with("# Mine.\n"));
}

#[test]
fn a_crate_from_standard_input_has_no_options_to_read_again() {
    let sandbox = sandbox();
    let crd = sandbox.read("crds/virtualmachine.yaml");
    let run = sandbox.quiet_with(&["crate", "-", "--output", "vm", "--name", "vm"], &crd);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!sandbox.path("vm/codegen.toml").exists());
    let readme = sandbox.read("vm/README.md");
    assert!(
        readme.contains("kube-codegen crate - --output . --name vm < "),
        "{readme}"
    );
}

#[test]
fn a_crate_declares_the_modules_that_it_has() {
    for (emit, has_clients) in [
        ("types", false),
        ("types,validate", false),
        ("types,register", false),
        ("types,lister", true),
        ("all", true),
    ] {
        let sandbox = sandbox();
        write(&sandbox, &["--emit", emit]);
        let library = sandbox.read("api/vm/src/lib.rs");
        assert_eq!(
            library.contains("pub mod generated;"),
            has_clients,
            "{emit}"
        );
        assert_eq!(
            sandbox.path("api/vm/src/generated").exists(),
            has_clients,
            "{emit}"
        );
    }
}
