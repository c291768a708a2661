#[derive(CustomResource)]
#[kube(group = "", version = "", kind = "r#type", status = "a b", scale = "{}", printcolumn(name))]
pub struct A<'a> { pub a: &'a str, pub b: '\'' }
