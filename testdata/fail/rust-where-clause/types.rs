pub struct Page<T>
where
    T: Copy,
{
    pub items: Vec<T>,
}
