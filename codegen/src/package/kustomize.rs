//! The objects of a folder with a kustomization, as far as `init` and `create` write them:
//! resources, components, patches, and images as `kustomize edit set image` sets them. Any other
//! field is an error, which says how to pass what the real kustomize builds.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    error::Error,
    object::Object,
    patch::{apply_operations, merge_object},
};
use crate::{read::yaml::read_documents, source::Source};

/// The file of a folder.
const FILE: &str = "kustomization.yaml";

/// How deep kustomizations may include each other.
const MAX_DEPTH: usize = 32;

/// The fields of a kustomization that are known. `configurations` say what a renaming changes,
/// which only kustomize does.
const FIELDS: [&str; 8] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "components",
    "configurations",
    "patches",
    "images",
];

/// Reads a file.
pub type Read<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

/// The objects of a folder.
///
/// # Errors
///
/// A file that cannot be read or has other contents than expected, or a field that is not
/// supported.
pub fn build(folder: &Path, read: Read<'_>) -> Result<Vec<Object>, Error> {
    let mut objects = Vec::new();
    let folder = Kustomization::read(folder, read)?;
    folder.add_to(&mut objects, read, MAX_DEPTH)?;
    Ok(objects)
}

/// The objects of those of the folders below `folder` that are components which its kustomization
/// does not list: parts that a user may want. One that changes other objects is left out.
///
/// # Errors
///
/// As [`build`].
pub fn parts(
    folder: &Path,
    names: &[String],
    read: Read<'_>,
) -> Result<Vec<(String, Vec<Object>)>, Error> {
    let listed = Kustomization::read(folder, read)?.texts("components")?;
    let mut parts = Vec::new();
    for name in names.iter().filter(|name| !listed.contains(name)) {
        let path = folder.join(name);
        if read(&path.join(FILE)).is_err() {
            continue;
        }
        let part = Kustomization::read(&path, read)?;
        let is_component = part.fields.get("kind").and_then(Value::as_str) == Some("Component");
        if is_component && part.items("patches").is_empty() && part.items("images").is_empty() {
            let mut objects = Vec::new();
            part.add_to(&mut objects, read, MAX_DEPTH)?;
            parts.push((name.clone(), objects));
        }
    }
    Ok(parts)
}

/// The objects of a manifest.
///
/// # Errors
///
/// What is not YAML, or not an object.
pub fn objects(path: &Path, text: &str) -> Result<Vec<Object>, Error> {
    let invalid = |message: String| Error::Invalid {
        path: path.to_owned(),
        message,
    };
    let mut objects = Vec::new();
    for value in documents(path, text)? {
        let items = match value.get("items").and_then(Value::as_array) {
            Some(items) if value["kind"] == "List" => items.clone(),
            _ => vec![value],
        };
        objects.extend(items.into_iter().map(Object));
    }
    match objects
        .iter()
        .find(|it| it.kind().is_empty() || it.name().is_empty())
    {
        Some(_) => Err(invalid(
            "an object lacks `kind` or `metadata.name`".to_owned(),
        )),
        None => Ok(objects),
    }
}

fn documents(path: &Path, text: &str) -> Result<Vec<Value>, Error> {
    let source = Source::new(path.display().to_string(), text);
    let read = read_documents(&source).map_err(Error::Yaml)?;
    Ok(read.iter().map(|document| document.to_json()).collect())
}

/// A kustomization, and where it is.
struct Kustomization {
    folder: PathBuf,
    fields: Map<String, Value>,
}

impl Kustomization {
    fn read(folder: &Path, read: Read<'_>) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let text = read(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        let mut read = documents(&path, &text)?.into_iter();
        let kustomization = match (read.next(), read.next()) {
            (Some(Value::Object(fields)), None) => Self {
                folder: folder.to_owned(),
                fields,
            },
            _ => {
                let message = "expected one kustomization".to_owned();
                return Err(Error::Invalid { path, message });
            }
        };
        let unknown = kustomization.fields.keys();
        let mut unknown = unknown.filter(|field| !FIELDS.contains(&field.as_str()));
        match unknown.next() {
            Some(field) => Err(kustomization.unsupported(format!("`{field}`"))),
            None => Ok(kustomization),
        }
    }

    fn unsupported(&self, what: String) -> Error {
        let path = self.folder.join(FILE);
        Error::Unsupported { path, what }
    }

    /// Adds and changes objects: resources come first, then components, then patches.
    fn add_to(&self, objects: &mut Vec<Object>, read: Read<'_>, depth: usize) -> Result<(), Error> {
        let Some(depth) = depth.checked_sub(1) else {
            let message = "kustomizations include each other".to_owned();
            let path = self.folder.join(FILE);
            return Err(Error::Invalid { path, message });
        };
        for name in self.texts("resources")? {
            let path = joined(&self.folder, &name);
            match read(&path) {
                Ok(text) => objects.extend(self::objects(&path, &text)?),
                // Reading a folder has another error on each system.
                Err(source) => match read(&path.join(FILE)) {
                    Ok(_) => Self::read(&path, read)?.add_to(objects, read, depth)?,
                    Err(_) => return Err(Error::Read { path, source }),
                },
            }
        }
        for name in self.texts("components")? {
            Self::read(&joined(&self.folder, &name), read)?.add_to(objects, read, depth)?;
        }
        for patch in self.items("patches") {
            self.patch(patch, objects, read)?;
        }
        for image in self.items("images") {
            self.set_image(image, objects)?;
        }
        Ok(())
    }

    fn items(&self, field: &str) -> &[Value] {
        let items = self.fields.get(field).and_then(Value::as_array);
        items.map_or(&[], Vec::as_slice)
    }

    fn texts(&self, field: &str) -> Result<Vec<String>, Error> {
        let texts = self.items(field).iter().map(|item| match item.as_str() {
            Some(text) if text.contains("://") => {
                Err(self.unsupported(format!("the address {text}")))
            }
            Some(text) => Ok(text.to_owned()),
            None => Err(self.unsupported(format!("an item of `{field}` that is no text"))),
        });
        texts.collect()
    }

    fn patch(&self, patch: &Value, objects: &mut [Object], read: Read<'_>) -> Result<(), Error> {
        let (path, text) = match (patch.get("patch"), patch.get("path")) {
            (Some(Value::String(text)), None) => (self.folder.join(FILE), text.clone()),
            (None, Some(Value::String(name))) => {
                let path = joined(&self.folder, name);
                let text = read(&path).map_err(|source| Error::Read {
                    path: path.clone(),
                    source,
                })?;
                (path, text)
            }
            _ => return Err(self.unsupported("a patch without `patch` or `path`".to_owned())),
        };
        for change in documents(&path, &text)? {
            let target = match patch.get("target") {
                Some(target) => Target::of(target),
                None => Target::of_patch(&change),
            };
            let target = target.map_err(|what| self.unsupported(what))?;
            for object in objects.iter_mut().filter(|object| target.selects(object)) {
                let done = match &change {
                    Value::Array(operations) => apply_operations(&mut object.0, operations),
                    change => merge_object(object, change),
                };
                done.map_err(|what| self.unsupported(what))?;
            }
        }
        Ok(())
    }

    /// Replaces an image in all containers: `name`, `newName`, `newTag`, `digest`.
    fn set_image(&self, change: &Value, objects: &mut [Object]) -> Result<(), Error> {
        let text = |key: &str| change.get(key).and_then(Value::as_str);
        let Some(name) = text("name") else {
            return Err(self.unsupported("an item of `images` without `name`".to_owned()));
        };
        let pods = objects.iter_mut().filter_map(|object| {
            let pod = object.0.pointer_mut("/spec/template/spec")?;
            pod.as_object_mut()
        });
        for pod in pods {
            let lists = ["containers", "initContainers"];
            for (_, list) in pod
                .iter_mut()
                .filter(|(key, _)| lists.contains(&key.as_str()))
            {
                for container in list.as_array_mut().into_iter().flatten() {
                    let old = container.get("image").and_then(Value::as_str);
                    let Some(old) = old.map(Image::parse).filter(|old| old.repository == name)
                    else {
                        continue;
                    };
                    let new = Image {
                        repository: text("newName").unwrap_or(old.repository),
                        tag: text("newTag").unwrap_or(old.tag),
                        digest: text("digest").unwrap_or(old.digest),
                    };
                    container["image"] = new.to_string().into();
                }
            }
        }
        Ok(())
    }
}

/// A path below a folder, without `..`, as messages show it.
fn joined(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for component in Path::new(name).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if path.file_name().is_some() => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path
}

/// The objects that a patch changes.
#[derive(Default)]
struct Target {
    group: Option<String>,
    version: Option<String>,
    kinds: Vec<String>,
    names: Vec<String>,
    namespace: Option<String>,
}

impl Target {
    /// The target that a kustomization states.
    fn of(target: &Value) -> Result<Self, String> {
        let mut found = Self::default();
        for (key, value) in target.as_object().into_iter().flatten() {
            let Some(text) = value.as_str() else {
                return Err(format!("the target's `{key}`"));
            };
            match key.as_str() {
                "group" => found.group = Some(text.to_owned()),
                "version" => found.version = Some(text.to_owned()),
                "kind" => found.kinds = words(text)?,
                "name" => found.names = words(text)?,
                "namespace" => found.namespace = Some(text.to_owned()),
                _ => return Err(format!("the target's `{key}`")),
            }
        }
        Ok(found)
    }

    /// The target of a patch without one: the object that it names.
    fn of_patch(patch: &Value) -> Result<Self, String> {
        if !patch.is_object() {
            return Err("a JSON patch without `target`".to_owned());
        }
        let patch = Object(patch.clone());
        let (group, version) = patch.group_version();
        Ok(Self {
            group: Some(group.to_owned()),
            version: Some(version.to_owned()),
            kinds: vec![patch.kind().to_owned()],
            names: vec![patch.name().to_owned()],
            namespace: None,
        })
    }

    fn selects(&self, object: &Object) -> bool {
        let (group, version) = object.group_version();
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == found)
        };
        let among = |wanted: &[String], found: &str| {
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == found)
        };
        is(&self.group, group)
            && is(&self.version, version)
            && among(&self.kinds, object.kind())
            && among(&self.names, object.name())
            && is(&self.namespace, object.namespace())
    }
}

/// The alternatives of a pattern without other operators.
fn words(pattern: &str) -> Result<Vec<String>, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./|".contains(c);
    match pattern.chars().all(is_plain) {
        true => Ok(pattern.split('|').map(str::to_owned).collect()),
        false => Err(format!("the pattern `{pattern}`")),
    }
}

/// The name of an image: `repository:tag@digest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image<'a> {
    pub(super) repository: &'a str,
    pub(super) tag: &'a str,
    pub(super) digest: &'a str,
}

impl<'a> Image<'a> {
    pub(super) fn parse(text: &'a str) -> Self {
        let (name, digest) = text.split_once('@').unwrap_or((text, ""));
        // The colon of a port comes before a slash.
        let (repository, tag) = match name.rsplit_once(':') {
            Some((repository, tag)) if !tag.contains('/') => (repository, tag),
            _ => (name, ""),
        };
        Self {
            repository,
            tag,
            digest,
        }
    }
}

impl std::fmt::Display for Image<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.repository)?;
        if !self.tag.is_empty() {
            write!(f, ":{}", self.tag)?;
        }
        if !self.digest.is_empty() {
            write!(f, "@{}", self.digest)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "kustomize_tests.rs"]
mod tests;
