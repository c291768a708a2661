#!/bin/sh
// +genclient
pub struct A;
