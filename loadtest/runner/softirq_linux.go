package runner

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// packetBurst sends packets from this thread to itself on one core, without a pause.
func packetBurst(length time.Duration) (b burst, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tid := unix.Gettid()
	before, err := threadCores(tid)
	if err != nil {
		return burst{}, err
	}
	core := before[len(before)-1]
	if err := pinThread(tid, []int{core}); err != nil {
		return burst{}, err
	}
	defer func() { err = errors.Join(err, pinThread(tid, before)) }()
	out, in, err := packetPair()
	if err != nil {
		return burst{}, fmt.Errorf("packets to ourselves: %w", err)
	}
	defer unix.Close(out)
	defer unix.Close(in)
	began := time.Now()
	first, err := lookAtBurst(tid, core, began)
	if err != nil {
		return burst{}, err
	}
	packet := make([]byte, 1024)
	for time.Since(began) < length {
		for range 64 {
			if _, err := unix.Write(out, packet); err != nil {
				return burst{}, fmt.Errorf("packets to ourselves: %w", err)
			}
			if _, err := unix.Read(in, packet); err != nil && !errors.Is(err, unix.EAGAIN) {
				return burst{}, fmt.Errorf("packets to ourselves: %w", err)
			}
		}
	}
	last, err := lookAtBurst(tid, core, began)
	return last.since(first), err
}

// packetPair is two sockets on the loopback interface, the first of which sends to the second, which does not block.
func packetPair() (out, in int, err error) {
	var fds [2]int
	for i := range fds {
		if fds[i], err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0); err != nil {
			break
		}
		if err = unix.Bind(fds[i], &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			break
		}
	}
	if err == nil {
		var to unix.Sockaddr
		if to, err = unix.Getsockname(fds[1]); err == nil {
			err = unix.Connect(fds[0], to)
		}
	}
	if err != nil {
		for _, fd := range fds {
			if fd > 0 {
				unix.Close(fd)
			}
		}
	}
	return fds[0], fds[1], err
}

// lookAtBurst reads the counters of which a burst is the difference.
func lookAtBurst(tid, core int, began time.Time) (burst, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return burst{}, err
	}
	cores, err := parseCoreTimes(text)
	if err != nil {
		return burst{}, err
	}
	i := slices.IndexFunc(cores, func(c CoreTime) bool { return c.Core == core })
	if i < 0 {
		return burst{}, fmt.Errorf("core %d is not in /proc/stat", core)
	}
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &used); err != nil {
		return burst{}, err
	}
	b := burst{wall: time.Since(began), cpu: time.Duration(used.Utime.Nano() + used.Stime.Nano()),
		interrupts: cores[i].IRQ + cores[i].SoftIRQ, softIRQ: cores[i].SoftIRQ, steal: cores[i].Steal}
	if text, err := os.ReadFile(procPath(os.Getpid(), "task", strconv.Itoa(tid), "schedstat")); err == nil {
		if wait, err := parseSchedstat(text); err == nil {
			b.waited = &wait
		}
	}
	return b, nil
}

func (b burst) since(a burst) burst {
	d := burst{wall: b.wall - a.wall, cpu: b.cpu - a.cpu, interrupts: b.interrupts - a.interrupts, softIRQ: b.softIRQ - a.softIRQ,
		steal: b.steal - a.steal}
	if a.waited != nil && b.waited != nil {
		waited := *b.waited - *a.waited
		d.waited = &waited
	}
	return d
}
