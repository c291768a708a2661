mod a { pub use super::b::*; } mod b { pub use super::a::*; } pub struct S<T, const N: usize>(pub a::T, pub [T; N]) where T: Copy;
