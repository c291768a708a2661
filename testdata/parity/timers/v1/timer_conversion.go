package v1

// Hub marks this version as the one that all others are converted to and from.
func (*Timer) Hub() {}
