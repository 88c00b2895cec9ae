// Package cgroup reads what the kernel says of control groups, of version 1 and 2: in which one a process is, what CPU it is held
// to, and how often it was throttled.
//
// It changes nothing, and knows neither parts nor containers.
package cgroup
