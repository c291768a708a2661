//! Where the API server calls a webhook: a service of the cluster, or a URL.

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::WebhookEndpoint,
    read::markers::At,
};

/// The arguments of a marker that describe its endpoint.
pub(super) struct Endpoint<'a> {
    pub(super) path: Option<&'a At<String>>,
    pub(super) url: Option<&'a At<String>>,
    pub(super) service_name: Option<&'a At<String>>,
    pub(super) service_namespace: Option<&'a At<String>>,
    pub(super) service_port: Option<&'a At<i64>>,
}

/// Creates an error at a place.
#[track_caller]
pub(super) fn error(message: String, place: &Place, label: &str, help: &str) -> Diagnostic {
    let error = Diagnostic::error(message).at(place.clone(), label);
    error.help(help)
}

impl Endpoint<'_> {
    /// Builds the endpoint; the service defaults to kubebuilder's.
    pub(super) fn lower(&self) -> WebhookEndpoint {
        if let Some(url) = given(self.url) {
            return WebhookEndpoint::Url(url.value.clone());
        }
        let (name, namespace) = WebhookEndpoint::SERVICE;
        let or = |text: Option<&At<String>>, default: &str| {
            Some(given(text).map_or_else(|| default.to_owned(), |text| text.value.clone()))
        };
        let port = self.service_port.map(|port| port.value);
        WebhookEndpoint::Service {
            name: or(self.service_name, name),
            namespace: or(self.service_namespace, namespace),
            path: given(self.path).map(|path| path.value.clone()),
            port: port.and_then(|port| i32::try_from(port).ok()),
        }
    }

    /// Reports endpoints that the API server rejects.
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) {
        if let Some(path) = given(self.path)
            && !path.starts_with('/')
        {
            diagnostics.push(error(
                format!("invalid webhook path {:?}", path.value),
                &path.place,
                "does not start with a slash",
                &format!("write `path=/{}`", path.value),
            ));
        }
        if let Some(url) = given(self.url) {
            self.check_url(url, diagnostics);
        }
        let names = [
            ("service", self.service_name),
            ("namespace", self.service_namespace),
        ];
        for (what, name) in names {
            if let Some(name) = given(name)
                && let Some(fault) = kube_names::label_fault(name)
            {
                diagnostics.push(error(
                    format!("invalid {what} name {:?}", name.value),
                    &name.place,
                    "not a DNS label",
                    &fault,
                ));
            }
        }
        if let Some(port) = self.service_port
            && !(1..=65535).contains(&port.value)
        {
            diagnostics.push(error(
                format!("invalid port {}", port.value),
                &port.place,
                "not a port",
                "write a port from 1 to 65535; the default of `servicePort` is 443",
            ));
        }
    }

    fn check_url(&self, url: &At<String>, diagnostics: &mut Diagnostics) {
        let rest = url.strip_prefix("https://");
        let authority = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        let label = match authority {
            None => "not `https`",
            Some("") => "no host",
            Some(authority) if authority.contains('@') => "has a user",
            Some(_) if url.contains('#') => "has a fragment",
            Some(_) if url.contains('?') => "has a query",
            Some(_) => "",
        };
        if !label.is_empty() {
            diagnostics.push(error(
                format!("invalid webhook URL {:?}", url.value),
                &url.place,
                label,
                "write `https://<host>[:<port>]/<path>`",
            ));
        }
        let service = [
            self.service_name.map(|it| &it.place),
            self.service_namespace.map(|it| &it.place),
            self.service_port.map(|it| &it.place),
        ];
        if let Some(place) = service.into_iter().flatten().next() {
            diagnostics.push(error(
                "a webhook with a URL must not have a service".to_owned(),
                place,
                "is not used",
                "remove it, or write `path=` in place of `url=`",
            ));
        }
    }
}

/// Treats an empty string as absent, as in controller-tools.
pub(super) fn given(text: Option<&At<String>>) -> Option<&At<String>> {
    text.filter(|text| !text.value.is_empty())
}
