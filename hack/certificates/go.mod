module certificates

go 1.24
