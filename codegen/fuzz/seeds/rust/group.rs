//! Docs.

// +groupName=../../etc
// +k8s:deepcopy-gen=package

mod zz_generated_deepcopy;
