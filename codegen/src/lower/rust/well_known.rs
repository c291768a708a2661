//! Foreign types that the model represents specially: primitives, collections, Kubernetes' own
//! types.

use crate::model::{KnownType, TypeRef};

/// The representation of a foreign type.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::lower) enum Foreign {
    /// A type without arguments.
    Plain(TypeRef),
    /// `Option<T>`
    Optional,
    /// A list of its argument.
    List,
    /// A map; its value type is the second argument.
    Map,
    /// An owning pointer to its argument.
    Boxed,
    /// `Cow<'_, T>` and others that are represented by the type in them.
    Cow,
    /// `Either<L, R>`
    Either,
    /// `NonZero<T>`
    NonZero,
}

/// Returns the representation of the type at a foreign path, if known.
pub(in crate::lower) fn well_known(path: &[String]) -> Option<Foreign> {
    let segments: Vec<&str> = path.iter().map(String::as_str).collect();
    match segments.as_slice() {
        [name] => prelude(name),
        ["std" | "core" | "alloc", rest @ ..] => standard(rest),
        [.., "serde_json", "Value"] | [.., "serde_json", "value", "RawValue" | "Value"] => {
            Some(Foreign::Plain(TypeRef::Any))
        }
        [.., "serde_json", "Map"] | [.., "serde_json", "map" | "value", "Map"] => {
            Some(Foreign::Map)
        }
        [.., "serde_json", "Number"] => Some(Foreign::Plain(TypeRef::Float)),
        ["smol_str", "SmolStr"] | ["arrayvec", "ArrayString"] => {
            Some(Foreign::Plain(TypeRef::String))
        }
        // serde writes numbers, for which schemars also permits a string.
        ["bytes", "Bytes" | "BytesMut"] => {
            let byte = TypeRef::Integer("u8".to_owned());
            Some(Foreign::Plain(TypeRef::List(Box::new(byte))))
        }
        // Its argument is an array.
        ["smallvec", "SmallVec"] => Some(Foreign::Cow),
        ["ordered_float", "NotNan" | "OrderedFloat"] => Some(Foreign::Cow),
        ["either", "Either"] => Some(Foreign::Either),
        ["codegen_runtime", "quantity", "Quantity"] => Some(plain(KnownType::Quantity)),
        ["indexmap", "IndexMap"] | ["hashbrown", "HashMap"] => Some(Foreign::Map),
        ["indexmap", "IndexSet"] | ["hashbrown", "HashSet"] => Some(Foreign::List),
        _ => {
            let below = |name: &str| {
                let at = segments.iter().position(|&segment| segment == name)?;
                segments.get(at + 1..)
            };
            below("k8s_openapi")
                .and_then(KnownType::at)
                .or_else(|| kube(below("kube").or_else(|| below("kube_core"))?))
                .map(plain)
        }
    }
}

/// Types with schemas that globs of other crates import.
const PRELUDES: [(&str, &[&str]); 1] = [(
    "chrono::prelude",
    &[
        "DateTime",
        "NaiveDate",
        "NaiveDateTime",
        "NaiveTime",
        "Weekday",
    ],
)];

/// Whether a glob of another crate imports a type that is known.
pub(in crate::lower) fn is_imported(glob: &[String], name: &str) -> bool {
    let from = glob.join("::");
    let mut preludes = PRELUDES.iter();
    preludes.any(|(path, names)| *path == from && names.contains(&name))
        || well_known(&[glob, &[name.to_owned()]].concat()).is_some()
}

fn plain(known: KnownType) -> Foreign {
    Foreign::Plain(TypeRef::Known(known))
}

fn prelude(name: &str) -> Option<Foreign> {
    Some(match name {
        "Option" => Foreign::Optional,
        "Vec" => Foreign::List,
        "Box" => Foreign::Boxed,
        _ => Foreign::Plain(primitive(name)?),
    })
}

fn primitive(name: &str) -> Option<TypeRef> {
    Some(match name {
        "bool" => TypeRef::Bool,
        "i32" => TypeRef::Int32,
        "i64" => TypeRef::Int64,
        "f64" => TypeRef::Float,
        "f32" => TypeRef::Float32,
        "String" => TypeRef::String,
        "i8" | "i16" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            TypeRef::Integer(name.to_owned())
        }
        _ => return None,
    })
}

fn standard(rest: &[&str]) -> Option<Foreign> {
    Some(match rest {
        ["option", "Option"] => Foreign::Optional,
        ["vec", "Vec"]
        | [
            "collections",
            "BinaryHeap" | "BTreeSet" | "HashSet" | "LinkedList" | "VecDeque",
        ] => Foreign::List,
        ["collections", "BTreeMap" | "HashMap"] => Foreign::Map,
        ["boxed", "Box"] | ["sync", "Arc"] | ["rc", "Rc"] => Foreign::Boxed,
        ["borrow", "Cow"]
        | ["cell", "Cell" | "RefCell"]
        | ["cmp", "Reverse"]
        | ["num", "Wrapping"]
        | ["rc", "Weak"]
        | ["sync", "Mutex" | "RwLock" | "Weak"] => Foreign::Cow,
        ["num", "NonZero"] => Foreign::NonZero,
        ["string", "String"] => Foreign::Plain(TypeRef::String),
        ["primitive", name] => Foreign::Plain(primitive(name)?),
        ["sync", "atomic", name] => {
            let name = name.strip_prefix("Atomic")?.to_ascii_lowercase();
            Foreign::Plain(primitive(&name)?)
        }
        _ => return None,
    })
}

/// Resolves kube's re-exports.
fn kube(rest: &[&str]) -> Option<KnownType> {
    let ([name] | ["core" | "api" | "metadata", name] | ["core", "metadata", name]) = rest else {
        return None;
    };
    match *name {
        "ObjectMeta" => Some(KnownType::ObjectMeta),
        "ListMeta" => Some(KnownType::ListMeta),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<Foreign>) {
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        assert_eq!(well_known(&path), expected, "{path:?}");
    }

    #[test]
    fn foreign_types_are_known_by_path_however_they_are_re_exported() {
        let meta = "apimachinery::pkg::apis::meta::v1";
        rows![check:
            (&format!("k8s_openapi::{meta}::Time"), Some(plain(KnownType::Time))),
            (&format!("codegen_runtime::k8s_openapi::{meta}::ObjectMeta"),
                Some(plain(KnownType::ObjectMeta))),
            ("codegen_runtime::quantity::Quantity", Some(plain(KnownType::Quantity))),
            ("kube::api::ObjectMeta", Some(plain(KnownType::ObjectMeta))),
            ("codegen_runtime::kube::core::ObjectMeta", Some(plain(KnownType::ObjectMeta))),
            ("std::collections::BTreeMap", Some(Foreign::Map)),
            ("String", Some(Foreign::Plain(TypeRef::String))),
            ("std::sync::atomic::AtomicBool", Some(Foreign::Plain(TypeRef::Bool))),
            ("std::sync::atomic::Ordering", None),
            ("my_crate::Time", None),
        ];
    }
}
