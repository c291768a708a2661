module example.com/plurals

go 1.24

require github.com/gobuffalo/flect v1.0.3
