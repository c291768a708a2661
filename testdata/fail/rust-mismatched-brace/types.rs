/// A spec.
pub struct Spec {
    pub sizes: (i32, i32],
}
