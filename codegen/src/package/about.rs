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
        Ok(Self {
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
