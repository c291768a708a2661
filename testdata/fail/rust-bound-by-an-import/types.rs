use std::fmt::{self, Display};

pub trait Near {}

pub mod below {
    pub trait Deep {}
}

pub struct One<T: Display> {
    pub value: T,
}

pub struct Two<T: fmt::Debug + Near, U: self::Near + below::Deep> {
    pub value: T,
    pub other: U,
}

pub struct Whole<T: std::fmt::Display + ::core::fmt::Debug + Default + ?Sized> {
    pub value: Box<T>,
}

#[derive(Clone)]
pub struct Cloned<T: Display> {
    pub value: T,
}
