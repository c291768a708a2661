//! What `Cargo.toml` says of an operator: the facts that charts and bundles show.

use toml::{Table, Value};

/// What `Cargo.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The package's version.
    pub version: String,
    /// One sentence.
    pub description: String,
    /// `Name <mail>`.
    pub authors: Vec<String>,
    /// The address of the project.
    pub homepage: String,
    /// The address of its sources.
    pub repository: String,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// The path of its icon, in `[package.metadata.kube-codegen]`.
    pub icon_path: Option<String>,
    /// The icon itself.
    pub icon: Option<Icon>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    /// Its media type.
    pub media: &'static str,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Icon {
    /// The media type of a picture, by the name of its file; `None` if charts and bundles cannot
    /// show it.
    #[must_use]
    pub fn media(path: &str) -> Option<&'static str> {
        let (_, extension) = path.rsplit_once('.')?;
        let types = [
            ("svg", "image/svg+xml"),
            ("png", "image/png"),
            ("jpg", "image/jpeg"),
            ("jpeg", "image/jpeg"),
            ("gif", "image/gif"),
        ];
        let found = types.into_iter().find(|(name, _)| *name == extension)?;
        Some(found.1)
    }
}

impl About {
    /// Reads a manifest. `workspace` is the manifest of the workspace that it inherits from.
    ///
    /// # Errors
    ///
    /// The name of a key that a package needs here and that is missing.
    pub fn read(manifest: &Table, workspace: Option<&Table>) -> Result<Self, &'static str> {
        let inherited = workspace.and_then(|it| it.get("workspace")?.get("package"));
        let value = |key: &str| {
            let own = manifest.get("package")?.get(key)?;
            let is_inherited = own.get("workspace").and_then(Value::as_bool) == Some(true);
            if is_inherited {
                inherited?.get(key)
            } else {
                Some(own)
            }
        };
        let text = |key: &str| value(key).and_then(Value::as_str).map(str::to_owned);
        let texts = |key: &str| {
            let items = value(key).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let metadata = manifest.get("package").and_then(|it| it.get("metadata"));
        let icon = metadata.and_then(|it| it.get("kube-codegen")?.get("icon")?.as_str());
        Ok(Self {
            icon_path: icon.map(str::to_owned),
            icon: None,
            version: text("version").ok_or("package.version")?,
            description: text("description").unwrap_or_default(),
            authors: texts("authors"),
            homepage: text("homepage").unwrap_or_default(),
            repository: text("repository").unwrap_or_default(),
            keywords: texts("keywords"),
        })
    }
}

/// One of the authors.
pub(super) struct Person<'a> {
    name: &'a str,
    mail: Option<&'a str>,
}

impl Person<'_> {
    pub(super) const fn has_mail(&self) -> bool {
        self.mail.is_some()
    }

    /// As charts and bundles write it.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::json!({ "name": self.name });
        if let Some(mail) = self.mail {
            json["email"] = mail.into();
        }
        json
    }
}

impl About {
    /// The name of the first author.
    pub(super) fn provider(&self) -> Option<&str> {
        self.maintainers().next().map(|person| person.name)
    }

    /// The authors.
    pub(super) fn maintainers(&self) -> impl Iterator<Item = Person<'_>> {
        self.authors
            .iter()
            .map(|author| match author.split_once('<') {
                Some((name, mail)) => Person {
                    name: name.trim(),
                    mail: Some(mail.trim_end_matches('>')),
                },
                None => Person {
                    name: author,
                    mail: None,
                },
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_the_package_and_its_workspace() {
        let manifest = "[package]\nversion.workspace = true\ndescription = \"It runs\"\nauthors = [\"A <a@example.com>\"]";
        let workspace = "[workspace.package]\nversion = \"1.2.3\"\ndescription = \"Other\"";
        let (manifest, workspace) = (manifest.parse().unwrap(), workspace.parse().unwrap());
        let expected = About {
            version: "1.2.3".to_owned(),
            description: "It runs".to_owned(),
            authors: vec!["A <a@example.com>".to_owned()],
            ..About::default()
        };
        assert_eq!(About::read(&manifest, Some(&workspace)), Ok(expected));
        assert_eq!(About::read(&manifest, None), Err("package.version"));
    }
}
