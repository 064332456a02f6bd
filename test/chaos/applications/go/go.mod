module applications

go 1.22
