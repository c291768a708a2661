//! Who makes a request.

use serde_json::{Value, json};

/// The group whose members may do everything, whatever the roles say.
pub(crate) const MASTERS: &str = "system:masters";

/// The group of everyone who has a name.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";

/// The name of whoever shows no credentials, and the group that it alone belongs to.
const ANONYMOUS: &str = "system:anonymous";
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// The beginning of the user names of service accounts.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The user of a request. The default is the administrator, to whom requests without a user belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct User {
    /// Empty for the administrator.
    pub(crate) name: String,
    /// Empty for none.
    pub(crate) uid: String,
    /// Groups besides those that follow from the name.
    pub(crate) groups: Vec<String>,
}

impl User {
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Whoever shows no credentials to a listener that asks for them.
    pub(crate) fn anonymous() -> Self {
        Self::named(ANONYMOUS)
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
        if self.name.is_empty() {
            groups.push(MASTERS.to_owned());
        } else if let Some((namespace, _)) = self.service_account() {
            groups.push("system:serviceaccounts".to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        let everyone = match self.name.as_str() {
            ANONYMOUS => UNAUTHENTICATED,
            _ => AUTHENTICATED,
        };
        if !groups.iter().any(|it| it == everyone) {
            groups.push(everyone.to_owned());
        }
        groups
    }

    /// Returns the `userInfo` of an admission review.
    pub(crate) fn info(&self) -> Value {
        let mut info = json!({ "username": self.shown(), "groups": self.groups() });
        if !self.uid.is_empty() {
            info["uid"] = json!(self.uid);
        }
        info
    }

    /// Returns the namespace and the name of the service account that the user is.
    pub(crate) fn service_account(&self) -> Option<(&str, &str)> {
        self.name.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')
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
                !namespace.is_empty() && self.service_account() == Some((namespace, name))
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
            (ANONYMOUS, json!({"kind": "Group", "name": "system:unauthenticated"}), true),
            (ANONYMOUS, json!({"kind": "Group", "name": "system:authenticated"}), false),
        ];
    }
}
