//! Holds the tests of what the generator makes of every case: `tests/generated` on the fake clientset, `tests/conformance` against
//! an API server.
