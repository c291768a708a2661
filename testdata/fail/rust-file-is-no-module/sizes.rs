pub struct Size {
    pub cpus: i32,
}
