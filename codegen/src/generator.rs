//! The table of generators: [`generators!`] below has one row for each, with all facts about it.
//!
//! A new generator is a row, and a module of [`emit`](crate::emit) that the row names. Its
//! command-line name, file ownership, modules and Cargo features follow from the row, and so does
//! the call of its `emit`. The table is a macro that passes its rows to another one, so that this
//! module, which options and records use, does not import the emitters.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::suggest::closest;

/// A generator: its name, the location of its files, and its relations to others.
pub(crate) struct Definition {
    /// The name on the command line and in `codegen.toml`; `all` selects all generators except
    /// those selected by name only.
    pub(crate) name: &'static str,
    /// The location of its files.
    pub(crate) home: Home,
    /// The generators that its output needs to compile. They run with it.
    pub(crate) needs: &'static [Generator],
    /// The generators whose output it uses if they run too.
    pub(crate) uses: &'static [Generator],
    /// The generators that Go's generator of this name includes, for command lines in Go's terms.
    pub(crate) includes: &'static [Generator],
    /// The Cargo feature of the user's crate that gates its output.
    pub(crate) feature: Option<Feature>,
    /// Whether it runs by default.
    pub(crate) selection: Selection,
    /// Whether its output links against the runtime.
    pub(crate) links_runtime: bool,
}

impl Definition {
    /// A definition whose generator depends only on the runtime.
    const fn new(name: &'static str, home: Home) -> Self {
        Self {
            name,
            home,
            needs: &[],
            uses: &[],
            includes: &[],
            feature: None,
            selection: Selection::WithAll,
            links_runtime: true,
        }
    }
}

/// How a generator is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// By `all` or by name.
    WithAll,
    /// Only by name, since few users need it.
    ByName,
}

/// The location of a generator's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// `apis/` in the output folder.
    Apis,
    /// A module of this name beside the types of each version.
    Beside {
        /// The module's name, which is also the stem of its file.
        module: &'static str,
        /// Whether other generated code refers to it.
        public: bool,
    },
    /// A module next to clientset, listers and informers: a folder, or a file, with this path.
    Generated(&'static str),
}

/// A Cargo feature of the user's crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    /// The feature's name.
    pub(crate) name: &'static str,
    /// The gated code, as in "the feature for …".
    pub(crate) what: &'static str,
    /// The gated code, as a sentence.
    pub(crate) docs: &'static str,
    /// The feature that it enables in turn.
    pub(crate) enables: &'static str,
}

/// Passes the table to a macro, which gets a row for each generator, in the order in which they
/// run: its documentation, its variant, the module of `emit` that writes its files, and its
/// [`Definition`].
macro_rules! generators {
    ($macro:ident) => {
        $macro! {
            /// Rust types from CRDs and Go.
            Types by apis = Definition {
                needs: &[Generator::Deepcopy],
                links_runtime: false,
                ..Definition::new("types", Home::Apis)
            };
            /// `Clone`, serde of root types, object traits.
            Deepcopy by deepcopy = Definition {
                links_runtime: false,
                ..Definition::new("deepcopy", Home::Beside { module: "zz_generated_deepcopy", public: false })
            };
            /// Group, version and kind names, `add_to_scheme`.
            Register by register = Definition::new("register", Home::Beside { module: "zz_generated_register", public: true });
            /// Clientset and typed clients.
            Client by clientset = Definition {
                includes: &[Generator::Fake],
                ..Definition::new("client", Home::Generated("clientset"))
            };
            /// The clientset over the embedded API server.
            Fake by fake = Definition {
                needs: &[Generator::Client],
                feature: Some(Feature {
                    name: "fake",
                    what: "the fake clientset",
                    docs: "The clientset over an embedded API server, for tests.",
                    enables: "codegen-runtime/fake",
                }),
                ..Definition::new("fake", Home::Generated("clientset/fake"))
            };
            /// Listers.
            Lister by lister = Definition::new("lister", Home::Generated("listers"));
            /// Informers and their factory.
            Informer by informer = Definition {
                uses: &[Generator::Client, Generator::Lister],
                ..Definition::new("informer", Home::Generated("informers"))
            };
            /// Validation of objects without a server.
            Validate by validate = Definition {
                needs: &[Generator::Deepcopy],
                feature: Some(Feature {
                    name: "validate",
                    what: "validation",
                    docs: "Validation of objects without a server.",
                    enables: "codegen-runtime/validate",
                }),
                selection: Selection::ByName,
                ..Definition::new("validate", Home::Beside { module: "zz_generated_validate", public: false })
            };
            /// Defaults of objects without a server.
            Defaults by defaults = Definition {
                needs: &[Generator::Deepcopy],
                feature: Some(Feature {
                    name: "defaults",
                    what: "defaults",
                    docs: "Defaults of objects without a server.",
                    enables: "codegen-runtime/defaults",
                }),
                selection: Selection::ByName,
                ..Definition::new("defaults", Home::Beside { module: "zz_generated_defaults", public: false })
            };
            /// Conversion between the versions of a kind.
            Conversion by conversion = Definition {
                needs: &[Generator::Deepcopy],
                uses: &[Generator::Register],
                selection: Selection::ByName,
                ..Definition::new("conversion", Home::Beside { module: "zz_generated_conversion", public: true })
            };
            /// Apply configurations.
            Apply by apply = Definition {
                selection: Selection::ByName,
                ..Definition::new("apply", Home::Generated("applyconfiguration"))
            };
        }
    };
}
pub(crate) use generators;

macro_rules! declare {
    ($($(#[doc = $doc:literal])+ $variant:ident by $module:ident = $definition:expr;)+) => {
        /// A generator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Generator {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Generator {
            /// All generators, in the order in which they run.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            /// The generator's definition.
            pub(crate) const fn definition(self) -> &'static Definition {
                match self {
                    $(Self::$variant => const { &$definition },)+
                }
            }
        }
    };
}

generators!(declare);

impl Generator {
    /// The name on the command line and in `codegen.toml`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition().name
    }

    /// The generators that `all` selects.
    pub fn in_all() -> impl Iterator<Item = Self> {
        let all = Self::ALL.into_iter();
        all.filter(|generator| generator.definition().selection == Selection::WithAll)
    }

    /// Parses a name: one generator, or all that `all` selects.
    ///
    /// # Errors
    ///
    /// A message that lists the valid names.
    pub fn parse(word: &str) -> Result<Vec<Self>, String> {
        if word == "all" {
            return Ok(Self::in_all().collect());
        }
        let known = Self::ALL.iter().find(|known| known.name() == word);
        known.map(|known| vec![*known]).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            closest(word, names).map_or_else(
                || format!("the generators are {}, or all", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            )
        })
    }

    /// The generators, and those that their output needs to compile.
    #[must_use]
    pub fn with_needed(generators: impl IntoIterator<Item = Self>) -> BTreeSet<Self> {
        let mut all = BTreeSet::new();
        let mut rest: Vec<Self> = generators.into_iter().collect();
        while let Some(generator) = rest.pop() {
            if all.insert(generator) {
                rest.extend(generator.definition().needs);
            }
        }
        all
    }

    /// This generator, and those that Go's generator of this name includes.
    #[must_use]
    pub fn with_included(self) -> Vec<Self> {
        [&[self], self.definition().includes].concat()
    }

    /// Whether it supports annotated Rust; otherwise its output only comes from CRDs and Go.
    #[must_use]
    pub fn serves_annotated_rust(self) -> bool {
        self.definition().home != Home::Apis
    }

    /// The location of its files, for users: `listers/ in OUTPUT`, the folder with clientset,
    /// listers and informers.
    #[must_use]
    pub fn place(self) -> String {
        match self.definition().home {
            Home::Apis => "apis/ in the output folder".to_owned(),
            Home::Beside { module, .. } => format!("{module}.rs beside the types"),
            Home::Generated(path) if path.contains('/') => format!("{path}.rs in OUTPUT"),
            Home::Generated(path) => format!("{path}/ in OUTPUT"),
        }
    }

    /// The generator that owns a file, by its path. `None` for files that several generators share,
    /// such as the `mod.rs` of `generated`, the folder with clientset, listers and informers.
    pub(crate) fn of(path: &Path, generated: &Path) -> Option<Self> {
        if is_crd_file(path) {
            return Some(Self::Register);
        }
        let all = Self::ALL.into_iter();
        let owners = all.filter_map(|generator| {
            let depth = generator.definition().home.holds(path, generated)?;
            Some((depth, generator))
        });
        owners
            .max_by_key(|(depth, _)| *depth)
            .map(|(_, generator)| generator)
    }

    /// Whether its output is already on disk in `generated`.
    pub(crate) fn is_present(self, generated: &Path) -> bool {
        let Home::Generated(path) = self.definition().home else {
            return false;
        };
        let module = generated.join(path);
        module.join("mod.rs").exists() || module.with_extension("rs").exists()
    }
}

/// The name of the file with the CRD of a kind, which the generator `register` writes beside the
/// types.
pub(crate) fn crd_file(plural: &str) -> String {
    format!("{CRD_START}{plural}{CRD_END}")
}

/// Whether a path has the form of [`crd_file`].
pub(crate) fn is_crd_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let plural = name.and_then(|name| name.strip_prefix(CRD_START)?.strip_suffix(CRD_END));
    plural.is_some_and(|plural| !plural.is_empty())
}

const CRD_START: &str = "zz_generated.";
const CRD_END: &str = ".json";

impl Home {
    /// How specifically the location matches a file's path; `None` if it does not match.
    fn holds(self, path: &Path, generated: &Path) -> Option<usize> {
        let below = path.strip_prefix(generated).ok();
        match self {
            Self::Apis => below.is_none().then_some(0),
            Self::Beside { module, .. } => {
                let file = format!("{module}.rs");
                path.file_name()
                    .is_some_and(|name| name == &*file)
                    .then_some(1)
            }
            Self::Generated(home) => {
                let home = PathBuf::from(home);
                let below = below?;
                let is_within = below.starts_with(&home) || below == home.with_extension("rs");
                is_within.then(|| 1 + home.components().count())
            }
        }
    }

    /// The module that `generated/mod.rs` declares for it; `None` if it is nested in another
    /// module.
    pub(crate) fn generated_module(self) -> Option<&'static str> {
        match self {
            Self::Generated(path) if !path.contains('/') => Some(path),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_generator_that_writes_it() {
        let check = |path: &str, expected: Option<Generator>| {
            let found = Generator::of(Path::new(path), Path::new("x/generated"));
            assert_eq!(found, expected, "{path}");
        };
        check("x/apis/g/v1/kind.rs", Some(Generator::Types));
        let beside = "x/apis/g/v1/zz_generated_deepcopy.rs";
        check(beside, Some(Generator::Deepcopy));
        let clientset = "x/generated/clientset";
        check(&format!("{clientset}/mod.rs"), Some(Generator::Client));
        check(&format!("{clientset}/fake.rs"), Some(Generator::Fake));
        check(&format!("{clientset}/fake/more.rs"), Some(Generator::Fake));
        check("x/generated/listers/g/v1/kinds.rs", Some(Generator::Lister));
        check("x/generated/mod.rs", None);
        let crd = format!("x/apis/g/v1/{}", crd_file("widgets"));
        check(&crd, Some(Generator::Register));
    }

    #[test]
    fn what_the_output_needs_comes_with_it() {
        let needed = |generator| Generator::with_needed([generator]);
        let fake = [Generator::Client, Generator::Fake];
        assert_eq!(needed(Generator::Fake), fake.into());
        let types = [Generator::Types, Generator::Deepcopy];
        assert_eq!(needed(Generator::Types), types.into());
        assert_eq!(needed(Generator::Lister), [Generator::Lister].into());
    }

    #[test]
    fn no_two_generators_share_a_word_or_a_home() {
        let definitions = Generator::ALL.map(Generator::definition);
        for (index, one) in definitions.iter().enumerate() {
            for other in &definitions[index + 1..] {
                assert_ne!(one.name, other.name);
                assert_ne!(one.home, other.home, "{} and {}", one.name, other.name);
            }
        }
    }
}
