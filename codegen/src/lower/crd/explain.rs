//! Explains which objects of a CRD became Kubernetes types, and why others did not.

use std::fmt;

use super::{
    recognise::Unlike,
    selection::{Types, is_at_or_below},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{
        TypeRef,
        names::schema::Path,
        schema::{Additional, COMMON_PROPERTIES, Schema},
    },
    options::Options,
    read::crd::Crd,
    record::Line,
};

/// The type chosen for an object of a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// `example.com/v1`.
    pub api_version: String,
    /// The kind and the properties leading to the object: `VirtualMachine.spec.template`.
    pub path: String,
    /// The decision.
    pub verdict: Verdict,
}

/// The decision about the type of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The k8s-openapi type with this path.
    Recognised(String),
    /// The same, with empty strings that k8s-openapi always writes omitted.
    RecognisedSparse(String),
    /// Part of the object at this path, which is a k8s-openapi type.
    Within(String, String),
    /// A generated type, for this reason.
    Own(String),
    /// No type, since it is not an object with properties.
    Plain,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.api_version, self.path)?;
        match &self.verdict {
            Verdict::Recognised(name) => f.write_str(name),
            Verdict::RecognisedSparse(name) => write!(f, "{name}, with empty strings omitted"),
            Verdict::Within(path, name) => write!(f, "part of {path}, which is {name}"),
            Verdict::Own(reason) => write!(f, "a type of its own: {reason}"),
            Verdict::Plain => f.write_str("not an object with properties"),
        }
    }
}

/// Explains the types of the objects at a path and below, in the order of the CRDs' properties.
///
/// # Errors
///
/// No CRD has the path.
pub fn explain(crds: &[Crd], options: &Options, path: &str) -> Result<Vec<Explained>, Diagnostics> {
    let mut found = Vec::new();
    for crd in crds {
        for version in &crd.versions {
            let mut walk = Walk {
                types: Types::of(options, &options.renames, (&crd.group, &version.name)),
                asked: path,
                api_version: format!("{}/{}", crd.group, version.name),
                found: &mut found,
            };
            if let Some(schema) = &version.schema {
                let root = Path::root(&crd.kind);
                walk.properties((&root, Some(&crd.kind)), schema, &COMMON_PROPERTIES);
            }
        }
    }
    if found.is_empty() {
        let error = Diagnostic::error(format!("no CRD has an object at {path}"))
            .help("write the kind and the properties that lead to the object, such as `VirtualMachine.spec.resource`");
        return Err(error.into());
    }
    Ok(found)
}

struct Walk<'a> {
    types: Types<'a>,
    asked: &'a str,
    api_version: String,
    found: &'a mut Vec<Explained>,
}

impl Walk<'_> {
    /// Explains the properties of an object with a path and a recorded name.
    fn properties(
        &mut self,
        (path, holder): (&Path, Option<&str>),
        schema: &Schema,
        without: &[&str],
    ) {
        for (name, property) in &schema.properties {
            if !without.contains(&name.as_str()) {
                let line = self.types.line(holder, name);
                self.value((&path.property(name), line), name, property);
            }
        }
    }

    /// Explains a value. List items and map values share the path of their property.
    fn value(&mut self, (path, line): (&Path, Option<&Line>), name: &str, schema: &Schema) {
        let is_asked = is_at_or_below(path.as_str(), self.asked);
        if !is_asked && !is_at_or_below(self.asked, path.as_str()) {
            return;
        }
        if schema.properties.is_empty() {
            let value = match &schema.additional {
                Additional::Schema(value) => Some(value),
                _ => None,
            };
            match schema.items.as_ref().or(value) {
                Some(element) => self.value((path, line), name, element),
                None if path.as_str() == self.asked => self.push(path, Verdict::Plain),
                None => {}
            }
            return;
        }
        let within = (path, line.map(|line| line.name.as_str()));
        if schema.validation.embedded_resource {
            if is_asked {
                let reason = "it is an embedded resource".to_owned();
                self.push(path, Verdict::Own(reason));
            }
            return self.properties(within, schema, &COMMON_PROPERTIES);
        }
        match self.types.kubernetes_type(path, name, line, schema) {
            Ok(known) if is_asked => {
                let name = shown(&known.ty);
                self.push(
                    path,
                    if known.sparse {
                        Verdict::RecognisedSparse(name)
                    } else {
                        Verdict::Recognised(name)
                    },
                );
            }
            Ok(known) => {
                let within = Verdict::Within(path.as_str().to_owned(), shown(&known.ty));
                self.found.push(Explained {
                    api_version: self.api_version.clone(),
                    path: self.asked.to_owned(),
                    verdict: within,
                });
            }
            Err(unlike) => {
                if is_asked {
                    let later = match unlike {
                        Unlike::Recorded(..) => String::new(),
                        _ => self.with_later_version(path, name, schema),
                    };
                    self.push(path, Verdict::Own(format!("{unlike}{later}")));
                }
                self.properties(within, schema, &[]);
            }
        }
    }

    /// Describes the first later Kubernetes version with which the object is recognised; empty if
    /// there is none.
    fn with_later_version(&self, path: &Path, name: &str, schema: &Schema) -> String {
        match self.types.later(path, name, schema) {
            Some((version, known)) => format!(
                "; with `kubernetes-version` {version} it is {}",
                shown(&known.ty)
            ),
            None => String::new(),
        }
    }

    fn push(&mut self, path: &Path, verdict: Verdict) {
        self.found.push(Explained {
            api_version: self.api_version.clone(),
            path: path.as_str().to_owned(),
            verdict,
        });
    }
}

fn shown(ty: &TypeRef) -> String {
    ty.path().unwrap_or_default()
}
