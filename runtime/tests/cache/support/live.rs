//! A placeholder until the model server stands.
