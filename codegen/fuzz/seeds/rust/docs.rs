#[doc = "+optional"]
#[doc = "a\n+required"]
/** +nullable */
pub struct A(#[doc = "+optional"] u8, r#fn);
