mod inner {
    pub struct Hidden {
        pub name: String,
    }
}

pub mod seen {
    pub struct Seen {
        pub name: String,
    }
}

mod exported {
    pub struct Exported {
        pub name: String,
    }
}

pub use exported::Exported;
