module my_reader

go 1.19
