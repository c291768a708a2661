package a
type A struct { A }
type B struct { C [2]C }
type C struct { *B; b B }
type D = []D
type E E
type F []F
