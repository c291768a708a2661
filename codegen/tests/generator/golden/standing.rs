//! Golden crates of kinds that stay where they stand: their input is part of the crate.

use kube_codegen::{Config, Generator, Manifests};

use super::{check, check_manifests};
use crate::support::testdata;

/// Each crate, with the folder that its codegen.toml names.
pub(super) const CASES: [(&str, &str); 4] = [
    ("kinds-in-file", "src"),
    ("kinds-in-groups", "src"),
    ("kinds-in-lib", "src"),
    ("kinds-in-member", "../kinds-in-groups"),
];

#[test]
fn kinds_anywhere_in_a_workspace_give_the_golden_crates() {
    for (case, apis) in CASES {
        let folder = testdata().join("expected").join(case);
        let config = Config::new()
            .apis(folder.join(apis))
            .out_dir(folder.join("src"))
            // What a conversion does not decide has to be written.
            .emit(
                Generator::ALL
                    .into_iter()
                    .filter(|&it| it != Generator::Conversion),
            );
        let config = match apis {
            "src" => config.manifests(&folder, Manifests::default()),
            _ => config,
        };
        let generated = config
            .generated(&())
            .unwrap_or_else(|error| panic!("{error}"));
        check(case, &generated.files);
        check_manifests(case, &generated.manifests);
    }
}

#[test]
fn kinds_of_another_crate_are_converted_there() {
    let folder = testdata().join("expected/kinds-in-member");
    let config = Config::new()
        .apis(folder.join("../kinds-in-groups"))
        .out_dir(folder.join("src"))
        .emit([Generator::Conversion]);
    let error = config.generated(&()).unwrap_err().to_string();
    let expected = "error[K0502]: Ship of fleet.example.com/v1beta1 is a type of another crate, which alone can convert it";
    assert!(error.contains(expected), "{error}");
}
