// Package compose runs the shop as containers: it builds images of host-built binaries, brings up one design of
// compose/compose.yaml with a preset of cores and quotas, reads back from the kernel what was really applied, and takes
// everything away again.
//
// It owns the search for the compose command, the passwords in compose/.secrets, the choice of a Postgres image, and the
// messages for what goes wrong with an engine. It calls the docker and compose commands, so it needs no client library. It
// does not know the shop beyond its parts' names and its public API's address, and it drives no load.
package compose
