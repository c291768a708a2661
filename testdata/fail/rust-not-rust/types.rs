pub struct Spec {
    pub name String,
}
