// +gen[31mclient‮"*/
pub struct Spec {
    pub name: String,
}
