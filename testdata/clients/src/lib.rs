//! Holds the tests of the generated code for every case, on the fake clientset and against an API server: `tests/clients`.
