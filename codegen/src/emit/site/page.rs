//! A page.

use std::collections::BTreeMap;

use kube_codegen_templates::site::{SCRIPT, STYLE};

use super::{
    kinds::{Kind, Version},
    versions::differences,
};
use crate::{
    emit::{
        docs,
        fields::{Demand, Field},
    },
    output::html::{START, escape, markdown},
};

/// Nothing is loaded from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page of kinds; `back` is the address of the index, if there is one.
pub(super) fn of(title: &str, kinds: &[Kind], back: Option<&str>) -> String {
    let mut main = String::new();
    kinds.iter().for_each(|kind| kind_section(kind, &mut main));
    let links: String = kinds.iter().map(navigation).collect();
    let back = back.map_or_else(String::new, |it| {
        format!("<p><a href=\"{it}\">All groups</a></p>")
    });
    let side = format!("<nav aria-label=\"Kinds\" class=\"side\">{back}<ul>{links}</ul></nav>");
    document(title, SEARCH, &side, &main)
}

/// The page that leads to those of the groups.
pub(super) fn index(groups: &BTreeMap<&str, Vec<Kind>>) -> String {
    let mut main = String::new();
    for (group, kinds) in groups {
        let page = escape(group);
        main.push_str(&format!(
            "<section><h2><a href=\"{page}.html\">{page}</a></h2>\n<ul>"
        ));
        for kind in kinds {
            let name = escape(&kind.name);
            let versions = kind.versions.iter().map(|version| {
                let version = escape(&version.name);
                format!(" <a href=\"{page}.html#{name}.{version}\">{version}</a>")
            });
            let versions: String = versions.collect();
            main.push_str(&format!("<li>{name}:{versions}</li>\n"));
        }
        main.push_str("</ul></section>\n");
    }
    document("API reference", "", "", &main)
}

/// The field of the search, and where its results appear.
const SEARCH: &str = "<form role=\"search\" class=\"search\" hidden><label for=\"search\">Search</label><input id=\"search\" type=\"search\" \
                      autocomplete=\"off\" placeholder=\"spec.field or words\" aria-controls=\"found\"><span id=\"count\" role=\"status\"></span>\
                      <ul id=\"found\" aria-label=\"Found fields\" hidden></ul></form>";

fn document(title: &str, search: &str, side: &str, main: &str) -> String {
    let title = escape(title);
    format!(
        "{START}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header><h1>{title}</h1>{search}\
         <button type=\"button\" id=\"theme\" hidden>Dark</button></header>\n{side}\n<main id=\"main\" tabindex=\"-1\">\n{main}</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn navigation(kind: &Kind) -> String {
    let name = escape(&kind.name);
    let versions = kind.versions.iter().map(|version| {
        let version = escape(&version.name);
        format!("<li><a href=\"#{name}.{version}\">{version}</a></li>")
    });
    let versions: String = versions.collect();
    format!("<li><a href=\"#{name}\">{name}</a><ul>{versions}</ul></li>\n")
}

fn kind_section(kind: &Kind, page: &mut String) {
    let name = escape(&kind.name);
    let scope = match kind.is_namespaced {
        true => "in a namespace",
        false => "in the cluster",
    };
    let short: Vec<String> = kind
        .short_names
        .iter()
        .map(|it| format!("<code>{}</code>", escape(it)))
        .collect();
    let short = match short.is_empty() {
        true => String::new(),
        false => format!(" ({})", short.join(", ")),
    };
    page.push_str(&format!(
        "<section class=\"kind\" id=\"{name}\">\n<h2>{name}</h2>\n<p>Resource <code>{}.{}</code>{short}, {scope}.</p>\n",
        escape(&kind.plural),
        escape(&kind.group),
    ));
    differing(kind, page);
    kind.versions
        .iter()
        .for_each(|version| version_section(kind, version, page));
    page.push_str("</section>\n");
}

/// The versions side by side, with the fields that differ.
fn differing(kind: &Kind, page: &mut String) {
    if kind.versions.len() < 2 {
        return;
    }
    let differences = differences(&kind.versions);
    let name = escape(&kind.name);
    page.push_str(&format!("<details class=\"versions\" id=\"{name}.versions\"><summary>What differs between versions</summary>\n"));
    if differences.is_empty() {
        page.push_str("<p>Nothing but descriptions.</p></details>\n");
        return;
    }
    page.push_str("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Fields that differ\"><table><thead><tr><th scope=\"col\">Field</th>");
    for version in &kind.versions {
        page.push_str(&format!("<th scope=\"col\">{}</th>", escape(&version.name)));
    }
    page.push_str("</tr></thead><tbody>\n");
    for difference in differences {
        let path = escape(&difference.path);
        page.push_str(&format!("<tr><th scope=\"row\"><code>{path}</code></th>"));
        for (version, cell) in kind.versions.iter().zip(difference.cells) {
            let version = escape(&version.name);
            match cell {
                Some(said) => page.push_str(&format!(
                    "<td><a href=\"#{name}.{version}.{path}\">{}</a></td>",
                    escape(&said)
                )),
                None => page.push_str("<td class=\"none\">none</td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div></details>\n");
}

fn version_section(kind: &Kind, version: &Version, page: &mut String) {
    let (name, own) = (escape(&kind.name), escape(&version.name));
    let id = format!("{name}.{own}");
    page.push_str(&format!(
        "<section class=\"version\" id=\"{id}\">\n<h3>{name} {own}</h3>\n"
    ));
    let mut facts = vec![format!(
        "<code>apiVersion: {}</code>, <code>kind: {name}</code>",
        escape(&version.api_version)
    )];
    let notes = [
        (!version.is_served, "not served"),
        (version.is_stored, "stored"),
    ];
    facts.extend(
        notes
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, note)| note.to_owned()),
    );
    if !version.subresources.is_empty() {
        facts.push(format!(
            "subresources: {}",
            escape(&version.subresources.join(", "))
        ));
    }
    page.push_str(&format!("<p>{}.</p>\n", facts.join("; ")));
    if let Some(warning) = &version.deprecation {
        page.push_str(&format!(
            "<p class=\"deprecated\"><strong>Deprecated.</strong> {}</p>\n",
            escape(warning)
        ));
    }
    page.push_str(&markdown(&docs::lines(&version.root.description)));
    demands(&version.root.demands, page);
    page.push_str(&format!(
        "<details class=\"sample\"><summary>Sample</summary><pre tabindex=\"0\" aria-label=\"Sample of {name} {own}\"><code>{}</code></pre></details>\n",
        escape(&version.sample)
    ));
    page.push_str("<p class=\"tools\" hidden><button type=\"button\" class=\"open\">Open all</button> <button type=\"button\" class=\"close\">Close all</button></p>\n");
    tree(&version.root.fields, &id, page);
    page.push_str("</section>\n");
}

fn tree(fields: &[Field], id: &str, page: &mut String) {
    if fields.is_empty() {
        return;
    }
    page.push_str("<ul class=\"fields\">\n");
    for field in fields {
        let id = format!("{id}.{}", escape(&field.name));
        page.push_str(&format!("<li id=\"{id}\">"));
        let required = match field.required {
            true => " <span class=\"required\">required</span>",
            false => "",
        };
        let head = format!(
            "<code class=\"name\">{}</code> <span class=\"type\">{}</span>{required}",
            escape(&field.name),
            escape(&field.ty)
        );
        let link = format!(
            "<a class=\"link\" href=\"#{id}\" aria-label=\"Link to {}\">#</a>",
            escape(&field.path)
        );
        if field.fields.is_empty() {
            page.push_str(&format!("<div class=\"leaf\">{head} {link}</div>"));
            body(field, page);
        } else {
            page.push_str(&format!("{link}<details><summary>{head}</summary>"));
            body(field, page);
            tree(&field.fields, &id, page);
            page.push_str("</details>");
        }
        page.push_str("</li>\n");
    }
    page.push_str("</ul>\n");
}

fn body(field: &Field, page: &mut String) {
    page.push_str(&markdown(&docs::of_field(&field.description)));
    demands(&field.demands, page);
}

fn demands(demands: &[Demand], page: &mut String) {
    if demands.is_empty() {
        return;
    }
    page.push_str("<ul class=\"demands\">");
    for Demand { label, value, note } in demands {
        page.push_str(&format!("<li>{}", escape(label)));
        if !value.is_empty() {
            page.push_str(&format!(" <code>{}</code>", escape(value)));
        }
        if !note.is_empty() {
            page.push_str(&format!(": {}", escape(note)));
        }
        page.push_str("</li>");
    }
    page.push_str("</ul>");
}
