module interlock/ffi-tests/go

go 1.22
