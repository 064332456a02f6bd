module payments

go 1.22
