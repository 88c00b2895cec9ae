package runner

import (
	"errors"
	"sync"

	"splitshop/pgserver/spawn"
)

// process is the program behind a part of the shop, over all its starts.
type process struct {
	path string
	env  map[string]string

	mu     sync.Mutex
	child  *spawn.Process // nil before the first start
	wanted bool           // its end was asked for through its Part
}

func (p *process) state() (child *spawn.Process, wanted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.child, p.wanted
}

func (p *process) current() *spawn.Process {
	child, _ := p.state()
	return child
}

func (p *process) running() bool {
	child := p.current()
	return child != nil && child.Running()
}

func (p *process) pid() int { return p.current().PID() }

func (p *process) set(child *spawn.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.child, p.wanted = child, false
}

// expectEnd says that the end of the child is no surprise, and returns the child.
func (p *process) expectEnd() *spawn.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = true
	return p.child
}

// exit is how a child ended, in words also where it ended well.
func exit(child *spawn.Process) error {
	if err := child.Err(); err != nil {
		return err
	}
	return errors.New("exit status 0")
}
