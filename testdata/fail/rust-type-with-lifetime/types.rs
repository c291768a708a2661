pub struct Spec<'a> {
    pub name: &'a str,
}
