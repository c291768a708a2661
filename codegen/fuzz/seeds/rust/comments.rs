/* /* +genclient */ */ pub struct A { /* +optional */ pub a: u8, // +optional
}
