module tracer

go 1.26
