//! Holds `tests/conformance`: what the generator makes of every case, against an API server.
