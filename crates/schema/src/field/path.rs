//! Field paths, built only when a message needs them.

/// One step of a field path, linked to the steps before it.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root(&'a str),
    Child(&'a str),
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// Creates a path that starts at `root` (empty: at the object itself).
    pub fn root(root: &'a str) -> Path<'a> {
        Path {
            parent: None,
            step: Step::Root(root),
        }
    }

    /// Returns `<self>.<name>`.
    pub fn child(&'a self, name: &'a str) -> Path<'a> {
        self.then(Step::Child(name))
    }

    /// Returns `<self>[<key>]`.
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        self.then(Step::Key(key))
    }

    /// Returns `<self>[<index>]`.
    pub fn index(&'a self, index: usize) -> Path<'a> {
        self.then(Step::Index(index))
    }

    fn then(&'a self, step: Step<'a>) -> Path<'a> {
        Path {
            parent: Some(self),
            step,
        }
    }

    /// Formats the path; empty for the object itself.
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// Formats the path for a field error: `<nil>` for the object itself.
    pub fn field(&self) -> String {
        let text = self.render();
        if text.is_empty() {
            "<nil>".to_owned()
        } else {
            text
        }
    }

    /// Formats the field of a child, without building the child's path.
    pub fn field_of(&self, name: &str) -> String {
        Path {
            parent: Some(self),
            step: Step::Child(name),
        }
        .render()
    }

    fn write(&self, out: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(out);
        }
        match self.step {
            Step::Root(root) => out.push_str(root),
            Step::Child(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(name);
            }
            Step::Key(key) => {
                out.push('[');
                out.push_str(key);
                out.push(']');
            }
            Step::Index(index) => {
                out.push('[');
                out.push_str(&index.to_string());
                out.push(']');
            }
        }
    }
}
