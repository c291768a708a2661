//! Holds the tests of what the generator makes of every case, on the fake clientset and against an API server: `tests/clients`.
