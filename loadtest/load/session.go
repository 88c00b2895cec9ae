package load

import "time"

// Session is one virtual user. Its methods are for the workload, on the user's own goroutine.
type Session struct {
	run      *run
	shard    *shard
	exchange Exchanger
	resp     Response

	step       int
	due        time.Duration // of the next request, from the run's origin
	isOpen     bool
	isFirst    bool
	iterFailed bool
}

func (r *run) session(user int) *Session {
	return &Session{run: r, shard: r.shards[user%shards], exchange: r.Transport.Exchanger()}
}

// Send makes one request of the iteration and records what became of it. It returns the answer, which the next Send
// overwrites, and whether it was a success.
func (s *Session) Send(req *Request) (*Response, bool) {
	sent := s.now()
	if !s.isOpen {
		s.due = sent
	}
	err := s.exchange.Exchange(s.run.ctx, req, &s.resp)
	ended := s.now()
	reason := judge(req, &s.resp, err)
	s.note(req.Route, reason, sent, ended)
	s.due, s.isFirst = ended, false // a later request of the iteration is due when this one ended
	return &s.resp, reason == ""
}

func (s *Session) now() time.Duration { return s.run.Clock.Now() - s.run.origin }

// note records one request.
func (s *Session) note(route string, reason Reason, sent, ended time.Duration) {
	fromSend, fromDue := ended-sent, ended-s.due
	within := s.run.stepAt(ended)
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	t := &s.shard.steps[s.step]
	t.requests++
	if s.isFirst {
		t.started++
		if s.isOpen {
			t.lag.Record(sent - s.due)
		}
	}
	if s.resp.Status != 0 {
		t.completed++
	}
	if within >= 0 && s.resp.Status != 0 {
		w := &s.shard.steps[within]
		w.completedWithin++
		if reason != "" {
			w.non2xxWithin++
		}
	}
	if reason == "" {
		t.ok++
		t.okSend.Record(fromSend)
	} else {
		s.iterFailed = true
		t.failures[failureKey{route, reason}]++
		fromSend, fromDue = max(fromSend, s.run.Timeout), max(fromDue, s.run.Timeout)
	}
	t.send.Record(fromSend)
	if s.isOpen {
		t.due.Record(fromDue)
		if reason == "" {
			t.okDue.Record(fromDue)
		}
	}
}

// open does the iteration of an arrival.
func (s *Session) open(a Arrival) {
	s.isOpen, s.step, s.due = true, a.Step, a.Due
	s.iterate(a.Iteration)
}

// closed does an iteration at once.
func (s *Session) closed(it Iteration) {
	s.run.counters[0].offered.Add(1)
	s.run.Progress.Offered.Add(1)
	s.run.busy.Add(1)
	s.iterate(it)
	s.run.busy.Add(-1)
}

func (s *Session) iterate(it Iteration) {
	s.isFirst, s.iterFailed = true, false
	began := s.run.Workload.Run(s, it)
	within := s.run.stepAt(s.now())
	p := s.run.Progress
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	t := &s.shard.steps[s.step]
	if !began {
		t.leasesDry++
		p.Dropped.Add(1)
		return
	}
	t.finished++
	p.Finished.Add(1)
	if s.iterFailed {
		p.Failed.Add(1)
	} else {
		t.succeeded++
	}
	if within >= 0 {
		w := &s.shard.steps[within]
		w.finishedWithin++
		if !s.iterFailed {
			w.goodWithin++
		}
	}
}
