//! Who makes a request.

use serde_json::{Value, json};

/// The group whose members may do everything, whatever the roles say.
pub(crate) const MASTERS: &str = "system:masters";

/// The group of everyone who has a name.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";

/// The beginning of the user names of service accounts.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The user of a request. The default is the administrator, to whom requests without a user belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct User {
    /// Empty for the administrator.
    pub(crate) name: String,
    /// Groups besides those that follow from the name.
    pub(crate) groups: Vec<String>,
}

impl User {
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            groups: Vec::new(),
        }
    }

    /// Returns the name as messages and reviews show it.
    pub(crate) fn shown(&self) -> &str {
        match self.name.as_str() {
            "" => "system:admin",
            name => name,
        }
    }

    /// Returns all groups of the user.
    pub(crate) fn groups(&self) -> Vec<String> {
        let mut groups = self.groups.clone();
        let account = self.name.strip_prefix(SERVICE_ACCOUNT);
        if self.name.is_empty() {
            groups.push(MASTERS.to_owned());
        } else if let Some((namespace, _)) = account.and_then(|it| it.split_once(':')) {
            groups.push("system:serviceaccounts".to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        if !groups.iter().any(|it| it == AUTHENTICATED) {
            groups.push(AUTHENTICATED.to_owned());
        }
        groups
    }

    /// Returns the `userInfo` of an admission review.
    pub(crate) fn info(&self) -> Value {
        json!({ "username": self.shown(), "groups": self.groups() })
    }

    /// Whether a subject of a binding in `namespace` is this user.
    pub(crate) fn is_subject(&self, subject: &Value, namespace: &str) -> bool {
        let text = |field: &str| subject[field].as_str().unwrap_or_default();
        let name = text("name");
        match text("kind") {
            "User" => name == self.shown(),
            "Group" => self.groups().iter().any(|it| it == name),
            "ServiceAccount" => {
                let namespace = match text("namespace") {
                    "" => namespace,
                    own => own,
                };
                let account = self.name.strip_prefix(SERVICE_ACCOUNT);
                !namespace.is_empty()
                    && account.and_then(|it| it.split_once(':')) == Some((namespace, name))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_matched_by_name_group_and_service_account() {
        let check = |user: &str, subject: Value, expected: bool| {
            let is_subject = User::named(user).is_subject(&subject, "shop");
            assert_eq!(is_subject, expected, "{user}: {subject}");
        };
        let account = "system:serviceaccount:shop:web";
        rows![check:
            ("ann", json!({"kind": "User", "name": "ann"}), true),
            ("ann", json!({"kind": "Group", "name": "ann"}), false),
            ("ann", json!({"kind": "Group", "name": "system:authenticated"}), true),
            ("", json!({"kind": "Group", "name": "system:masters"}), true),
            (account, json!({"kind": "ServiceAccount", "name": "web"}), true),
            (account, json!({"kind": "ServiceAccount", "name": "web", "namespace": "shop"}), true),
            (account, json!({"kind": "ServiceAccount", "name": "web", "namespace": "other"}), false),
            (account, json!({"kind": "Group", "name": "system:serviceaccounts:shop"}), true),
            ("web", json!({"kind": "ServiceAccount", "name": "web"}), false),
        ];
    }
}
