module splitshop/tools

go 1.26
