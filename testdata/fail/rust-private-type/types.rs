struct Hidden {
    name: String,
}
