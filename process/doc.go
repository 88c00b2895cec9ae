// Package process is what every binary of the shop does besides its job: flags and SHOP_ environment variables, the log, the
// echo of the effective configuration, the admin listener (/livez, /readyz, /metrics, /stats), readiness, and an ordered
// shutdown inside a grace period. It knows nothing of shops, databases or gRPC.
//
// A binary's life: [Main] parses its flags and calls its command's Run, which wires things in order, names what readiness
// depends on and what is undone at the end ([Process.Needs]), and ends with [Process.Serve].
//
// On SIGTERM or SIGINT: readiness turns false; for the drain time everything is still answered, on connections that close
// after their answer; then the listeners close and what is in flight finishes; then what OnStop named is undone, last first;
// then the statistics are logged as one line and the process exits with 0. A second signal ends it at once.
package process
