module manyrt

go 1.19
