package result

import "time"

// Schema names the version of the document. A reader refuses others.
const Schema = "splitshop-result/1"

// Result is one run of the lab.
type Result struct {
	Schema      string       `json:"schema"`
	Command     []string     `json:"command"` // as it was given, to repeat it
	Mode        string       `json:"mode"`    // one of the modes
	Started     time.Time    `json:"started"`
	Seconds     float64      `json:"seconds"` // the whole run, preparation included
	Interrupted bool         `json:"interrupted"`
	Build       Build        `json:"build"`
	Machine     Machine      `json:"machine"`
	Where       string       `json:"where"` // the designs ran: "local" processes, "containers", or at a given "url"
	Cores       *CorePlan    `json:"cores"` // null for a given URL: its cores are not ours to plan
	Scale       string       `json:"scale"`
	SLO         SLO          `json:"slo"`
	Plan        Plan         `json:"plan"`
	BaseRun     *Design      `json:"base_run"`    // the closed loop that gave a ramp or a search its base; null where that was given
	Designs     []Design     `json:"designs"`     // in the order in which they ran, each repeat its own
	Comparisons []Comparison `json:"comparisons"` // of closed loops: each further design with the first; else none
	Require     *Requirement `json:"require"`     // null where nothing was required
	Warnings    []string     `json:"warnings"`
	Smoke       int          `json:"smoke"` // version of the smoke check that every started design passed before it was measured
}

// Build says which program measured. Revision is "unknown" where the binary does not know.
type Build struct {
	Revision string            `json:"revision"`
	Modified bool              `json:"modified"` // the tree had changes that are in no commit
	Go       string            `json:"go"`
	Versions map[string]string `json:"versions"` // of what took part: modules, Postgres
}

// Machine is where it ran.
type Machine struct {
	OS       string   `json:"os"` // GOOS/GOARCH
	Kernel   string   `json:"kernel"`
	CPU      string   `json:"cpu"`
	Cores    int      `json:"cores"`
	Governor *string  `json:"governor"` // null where the kernel does not say
	Memory   *int64   `json:"memory_bytes"`
	Load1    *float64 `json:"load_before"` // the one-minute load average before the run
	SoftIRQ  *string  `json:"softirq"`     // "of which": in the CPU of processes; "beside": on top of it; null where not found out
}

// CorePlan is which cores each group was given.
type CorePlan struct {
	Generator []int `json:"generator"`
	Postgres  []int `json:"postgres"`
	App       []int `json:"app"`

	Preset string `json:"preset"` // the file of core sets and quotas that containers were given; "" for processes
}

// SLO is what a step must keep.
type SLO struct {
	P99Ms    float64 `json:"p99_ms"`   // from due, below this
	Failures float64 `json:"failures"` // share of requests, below this
	Dropped  float64 `json:"dropped"`  // share of arrivals, below this
}

// Plan is what was offered. Equal plans offer the same iterations at the same instants.
type Plan struct {
	Mix                  string     `json:"mix"`
	Weights              []int      `json:"weights"` // browse, cart, checkout of every 20 iterations
	RequestsPerIteration float64    `json:"requests_per_iteration"`
	Arrivals             string     `json:"arrivals"` // "uniform", "poisson" or "closed loop"
	Seed                 uint32     `json:"seed"`
	Base                 *float64   `json:"base_per_s"` // iterations/s that a ramp's steps, or a search's first, are shares of
	BaseFrom             string     `json:"base_from"`  // where it comes from, in words
	Repeats              int        `json:"repeats"`    // planned for each design
	Users                int        `json:"users"`      // at most (open loop) or exactly (closed loop)
	Steps                []PlanStep `json:"steps"`      // none for a search, whose rates follow from what it sees
	Search               *Search    `json:"search"`     // null for anything else
	TimeoutS             float64    `json:"timeout_s"`
	DrainS               float64    `json:"drain_s"`
	LateLimitMs          float64    `json:"late_limit_ms"`
	WarmupS              float64    `json:"warmup_s"`
	WarmupUsers          int        `json:"warmup_users"`
	Products             int        `json:"products"`
	Page                 int        `json:"page"`
	Leases               int        `json:"leases"` // carts made before the run, of each kind
	Client               string     `json:"client"` // HTTP client of the generator: "own" or "net/http"
}

// PlanStep is one stretch of constant rate.
type PlanStep struct {
	PerSecond float64 `json:"per_s"` // iterations
	Seconds   float64 `json:"seconds"`
}

// Search is how rates are looked for: a climb to the first failure, a bisection between it and the last pass, and a longer run
// that confirms what was found.
type Search struct {
	From       float64 `json:"from_per_s"`  // iterations/s of the first step
	Factor     float64 `json:"factor"`      // from one step of the climb to the next
	Max        float64 `json:"max_per_s"`   // iterations/s that are not exceeded
	Width      float64 `json:"width"`       // it ends where the first failure is at most this share above the last pass
	StepS      float64 `json:"step_s"`      // of a step, at least: low rates take longer for their claim
	LongerS    float64 `json:"longer_s"`    // of the longer run, at least
	MostTrials int     `json:"trials_most"` // runs of one search, after which it gives up
}

// Requirement is the rate each design had to carry inside the SLO.
type Requirement struct {
	PerSecond float64  `json:"per_s"`
	Missed    []string `json:"missed"` // the designs that did not
}

// Design is one start of one design.
type Design struct {
	Name        string         `json:"name"`
	Repeat      int            `json:"repeat"` // 1, 2, ...
	URL         string         `json:"url"`
	Scheduling  string         `json:"pacer_scheduling"` // what the pacer's thread was granted
	Parts       []Part         `json:"parts"`
	Generator   *Part          `json:"generator"`  // what offered the load
	Stats       map[string]any `json:"stats"`      // what each process said of itself after the last step: its pools, GOMAXPROCS
	Preflight   *Preflight     `json:"preflight"`  // null for a given URL, which is not ours to leave idle
	Warmup      *Step          `json:"warmup"`     // discarded: it is in no figure
	Steps       []Step         `json:"steps"`      // in the order of rising rates
	OtherRuns   []OtherRun     `json:"other_runs"` // of steps that were run more than once: the runs that do not stand in Steps
	DrainedS    float64        `json:"drained_s"`
	Interrupted bool           `json:"interrupted"`
	Books       *Books         `json:"books"`    // null where they were not checked: a run that was cut
	Capacity    *Capacity      `json:"capacity"` // null for a closed loop and a fixed rate
	Warnings    []string       `json:"warnings"`
}

// Preflight is the machine while a started design had no load yet.
type Preflight struct {
	Seconds    float64  `json:"seconds"`
	Background *float64 `json:"background"` // cores used by whatever is no part of the run
	Steal      *float64 `json:"steal"`      // cores
	Busy       *float64 `json:"busy"`       // share of the cores that the parts were given, whoever used it
}

// Part is one process, or group of processes, of a design.
type Part struct {
	Name      string `json:"name"`
	Processes int    `json:"processes"`
	Planned   []int  `json:"cores_planned"`
	Actual    []int  `json:"cores_actual"` // read back from the kernel
	PSS       *int64 `json:"pss_bytes"`    // after the last step; null where it cannot be read
	Image     *Image `json:"image"`        // of a container; null for a process

	QuotaPlanned *float64 `json:"quota_planned"`  // cores; null where none was planned
	Quota        *float64 `json:"quota"`          // cores, read back from the kernel; null where the part has none of its own
	GOMAXPROCS   *int     `json:"gomaxprocs"`     // as the part says; null where it is no Go program or was not asked
	RSSIdle      *int64   `json:"rss_idle_bytes"` // before any load
	RSSPeak      *int64   `json:"rss_peak_bytes"` // of one process, the most it ever had; of several, the most seen at an end of a step
}

// Image is what a container was made of.
type Image struct {
	Name string `json:"name"`
	ID   string `json:"id"` // by its content
	Size int64  `json:"size_bytes"`
}

// OtherRun is a further run of a step, kept beside the one that stands for it.
type OtherRun struct {
	Step int  `json:"step"` // 1 for the first of Steps
	Run  Step `json:"run"`
}

// Step is what was measured in one step.
type Step struct {
	OfferedPerSecond  float64   `json:"offered_per_s"` // planned, iterations
	Seconds           float64   `json:"seconds"`       // the step's own time; rates are over it
	Offered           int64     `json:"offered"`       // arrivals that fell due
	Started           int64     `json:"started"`
	Succeeded         int64     `json:"succeeded"`      // iterations without any failure
	AchievedPerSecond float64   `json:"achieved_per_s"` // successful iterations that ended within the step
	Requests          int64     `json:"requests"`       // sent by the step's iterations
	Completed         int64     `json:"completed"`      // answered with a status
	RequestsPerSecond float64   `json:"requests_per_s"` // answered with a status within the step
	Dropped           Dropped   `json:"dropped"`
	Failed            int64     `json:"failed"` // requests
	Failures          []Failure `json:"failures"`

	FromDue           *Latency `json:"from_due"` // null in a closed loop
	FromSend          *Latency `json:"from_send"`
	SuccessesFromDue  *Latency `json:"successes_from_due"`
	SuccessesFromSend *Latency `json:"successes_from_send"`

	InFlightStart int64 `json:"in_flight_start"` // iterations
	InFlightEnd   int64 `json:"in_flight_end"`

	Generator Generator `json:"generator"`
	Parts     []Usage   `json:"parts"`
	Pools     []Pool    `json:"pools"`    // of connections; none where not every part could be asked
	Postgres  *Activity `json:"postgres"` // null where it was not ours to ask
	Machine   *Busy     `json:"machine"`  // null where it was not sampled

	Verdict Verdict `json:"verdict"`
	Runs    int     `json:"runs"`    // of the step, this one included
	Longer  bool    `json:"longer"`  // this is the longer run by which a search confirms a rate
	Limiter string  `json:"limiter"` // of a step that failed, and of closed loops: what ran out, with its figure
	RanOut  *RanOut `json:"ran_out"` // the same for programs; null where there is no limiter
}

// Dropped counts arrivals that could not start, by cause.
type Dropped struct {
	UsersBusy int64 `json:"users_busy"`
	Generator int64 `json:"generator"`
	Leases    int64 `json:"leases"`
}

// Total is all of them.
func (d Dropped) Total() int64 { return d.UsersBusy + d.Generator + d.Leases }

// Failure counts failed requests of one route and one reason: "status 503", "timeout", "reset", "refused", "retried",
// "unfinished", "wrong body", "other".
type Failure struct {
	Route  string `json:"route"`
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// Latency is in microseconds. It is null where there is no sample.
type Latency struct {
	Count    int64 `json:"count"`
	P50      int64 `json:"p50_us"`
	P90      int64 `json:"p90_us"`
	P95      int64 `json:"p95_us"`
	P99      int64 `json:"p99_us"`
	P999     int64 `json:"p999_us"`
	Max      int64 `json:"max_us"`
	Overflow int64 `json:"overflow"` // samples above 60 s
}

// Generator is how the lab itself fared.
type Generator struct {
	Lag      *Latency `json:"lag"`        // from due to sent, where a user was free; null in a closed loop
	PacerLag *Latency `json:"pacer_lag"`  // the part of it up to the pacer's hand-over
	CoreBusy *float64 `json:"core_busy"`  // share of its cores that was busy, whoever used it
	Taken    *float64 `json:"core_taken"` // share of its cores that other processes used, interrupts apart
	RunWait  *float64 `json:"run_wait"`   // time its threads together waited for a core, also for each other, as a share of the step's
}

// Usage is what one part used in a step.
type Usage struct {
	Name    string   `json:"name"`
	Cores   *float64 `json:"cores"`          // CPU seconds a second
	CPUMs   *float64 `json:"cpu_ms_per_req"` // per request answered within the step; null unless all of those were good
	RSS     *int64   `json:"rss_bytes"`      // at the end of the step
	RunWait *float64 `json:"run_wait"`       // seconds a second that its threads waited for a core, added up

	Throttled *Throttled `json:"throttled"` // null where the part has no quota of its own
}

// Throttled is what a CPU quota did in a step.
type Throttled struct {
	Periods   int64   `json:"periods"`   // in which the part had something to run
	Throttled int64   `json:"throttled"` // of these, in which the quota ran out
	Ms        float64 `json:"ms"`        // it was kept waiting, added up over its cores
}

// Pool is what one part's pool of connections did in a step.
type Pool struct {
	Part          string  `json:"part"`
	Name          string  `json:"name"` // "pool", or "pool.cart" where a part has several
	Max           int64   `json:"max"`  // connections
	Acquires      int64   `json:"acquires"`
	EmptyAcquires int64   `json:"empty_acquires"` // of these, had to wait for one
	WaitMs        float64 `json:"wait_ms"`        // all their waiting
}

// Activity is what Postgres did for the design, looked at once a second and at both ends of the step.
type Activity struct {
	Looks   int     `json:"looks"`
	Active  float64 `json:"active"`    // backends that executed a statement, on average
	Waiting float64 `json:"waiting"`   // of these, for anything: a lock, the disk, the log
	Locked  float64 `json:"locked"`    // of these, for a lock that another transaction held
	WAL     int64   `json:"wal_bytes"` // of write-ahead log, the whole server's
}

// Busy is the machine in a step.
type Busy struct {
	Cores      []*float64 `json:"cores"`      // busy share of each core, in the order of their numbers; null where it is not what was used
	SoftIRQ    []*float64 `json:"softirq_s"`  // seconds of each core for packets, timers and the like; null as above
	Background *float64   `json:"background"` // cores used by whatever is no part of the run
	Steal      *float64   `json:"steal"`      // cores
}

// Outcome is a verdict's word.
type Outcome string

// The outcomes, in the order in which the first that applies is taken.
const (
	Invalid      Outcome = "INVALID"      // the lab did not measure what it meant to
	Insufficient Outcome = "INSUFFICIENT" // too few arrivals for the claim
	Fail         Outcome = "FAIL"
	Pass         Outcome = "PASS"
)

// Verdict is an outcome and what it rests on.
type Verdict struct {
	Outcome   Outcome  `json:"outcome"`
	Criterion string   `json:"criterion"` // of a FAIL, the one that bound: "p99", "failures", "dropped"
	Reasons   []string `json:"reasons"`
	Noisy     bool     `json:"noisy"` // background or steal above the noise gate
}

// CapacityStatus says what a capacity's figures mean.
type CapacityStatus string

// The statuses of a capacity.
const (
	Found          CapacityStatus = "found"         // between Low, which passed, and High, the first that failed
	AtLeast        CapacityStatus = "at least"      // the last step passed
	Below          CapacityStatus = "below"         // the first step failed
	NonMonotonic   CapacityStatus = "non-monotonic" // as found, but a step above the first failure passed
	NotValid       CapacityStatus = "invalid"       // a step at or below the first failure is INVALID
	TooFewArrivals CapacityStatus = "insufficient"  // a step at or below the first failure is INSUFFICIENT
)

// Capacity is the highest offered rate such that it and every lower step passed.
type Capacity struct {
	Status    CapacityStatus `json:"status"`
	Low       *float64       `json:"low_per_s"`  // iterations/s of the last pass; null where none passed
	High      *float64       `json:"high_per_s"` // of the first step that did not pass; null where all did
	Criterion string         `json:"criterion"`  // that bound at High, or what kept it from being judged
	Limiter   string         `json:"limiter"`    // what ran out at High

	// ByP99 is the same question asked with p99 below other limits, of the same ramp.
	ByP99 []CapacityAt `json:"by_p99"`
}

// CapacityAt is a capacity with another limit of p99.
type CapacityAt struct {
	P99Ms  float64        `json:"p99_ms"`
	Status CapacityStatus `json:"status"`
	Low    *float64       `json:"low_per_s"`
	High   *float64       `json:"high_per_s"`
}
