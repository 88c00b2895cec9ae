package sql

// What tests of the behaviour, which are outside the package, need of its inside.
var (
	SeedProduct   = seedProduct
	SchemaVersion = schemaVersion
	ExecShared    = execShared
)
