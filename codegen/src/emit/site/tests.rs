use std::path::Path;

use serde_json::{Value, json};

use super::emit;

fn version(name: &str, properties: Value) -> Value {
    json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"spec": {"type": "object", "properties": properties}},
    }}})
}

fn crd(versions: Value) -> Value {
    json!({"spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Lamp", "plural": "lamps", "shortNames": ["l"]},
        "versions": versions}})
}

fn page(versions: Value) -> String {
    let mut tree = emit(&[("example.com", crd(versions))], "site", false);
    assert!(tree.contains_key(Path::new("site/index.html")));
    tree.remove(Path::new("site/example.com.html")).unwrap()
}

#[test]
fn nothing_of_a_description_is_taken_for_html() {
    let text = "<script>alert(1)</script> & \"quotes\" see https://example.com/a?b=1&c=<d>.";
    let page = page(json!([version(
        "v1",
        json!({"a": {"type": "string", "description": text}})
    )]));
    assert!(!page.contains("<script>alert"));
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
        "{page}"
    );
    assert!(
        page.contains("<a href=\"https://example.com/a?b=1&amp;c="),
        "{page}"
    );
}

#[test]
fn each_field_has_an_address() {
    let nested = json!({"list": {"type": "array", "items": {"type": "object", "properties": {"deep": {"type": "integer", "minimum": 1}}}}});
    let page = page(json!([version("v1", nested)]));
    for id in [
        "Lamp",
        "Lamp.v1",
        "Lamp.v1.spec",
        "Lamp.v1.spec.list",
        "Lamp.v1.spec.list.deep",
    ] {
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
    assert!(page.contains("at least <code>1</code>"));
}

#[test]
fn versions_are_compared_and_the_newest_comes_first() {
    let old = json!({"watts": {"type": "integer"}, "same": {"type": "string"}, "gone": {"type": "object", "properties": {"x": {"type": "string"}}}});
    let new = json!({"watts": {"type": "integer", "maximum": 60}, "same": {"type": "string"}});
    let page = page(json!([version("v1beta1", old), version("v1", new)]));
    let rows: Vec<&str> = page.split("<th scope=\"row\"><code>").skip(1).collect();
    let paths: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.split('<').next())
        .collect();
    assert_eq!(paths, ["spec.gone", "spec.watts"]);
    assert!(
        rows[0].contains(
            "<td class=\"none\">none</td><td><a href=\"#Lamp.v1beta1.spec.gone\">Object</a></td>"
        ),
        "{}",
        rows[0]
    );
    assert!(
        rows[1].contains(
            ">integer; at most 60</a></td><td><a href=\"#Lamp.v1beta1.spec.watts\">integer</a>"
        ),
        "{}",
        rows[1]
    );
    assert!(page.find("id=\"Lamp.v1\"") < page.find("id=\"Lamp.v1beta1\""));
}

#[test]
fn a_page_loads_nothing() {
    let page = page(json!([version("v1", json!({}))]));
    assert!(page.contains("default-src 'none'"));
    for loading in [" src=", "<link", "@import", "url("] {
        assert!(!page.contains(loading), "{loading}");
    }
}
