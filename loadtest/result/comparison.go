package result

// The modes of a run.
const (
	ModeRamp    = "ramp"    // rising rates, one after the other
	ModeSearch  = "search"  // rates that follow from what was seen at those before
	ModeFixed   = "fixed"   // one rate
	ModeClosed  = "closed"  // closed loops
	ModeCompare = "compare" // closed loops of designs to compare, in turn
)

// PartPostgres is the name of the part that is the database; every other part of a design is its application.
const PartPostgres = "postgres"

// PartGenerator is the name under which the lab itself is counted beside the parts of a design.
const PartGenerator = "generator"

// ClosedLoop says that users without think time were the load.
func (r Result) ClosedLoop() bool { return r.Mode == ModeClosed || r.Mode == ModeCompare }

// Resource is a kind of thing that can run out.
type Resource string

// The resources.
const (
	Quotas  Resource = "quotas" // of CPU
	Cores   Resource = "cores"
	Locks   Resource = "locks"   // of rows in Postgres
	Pools   Resource = "pools"   // of connections
	Nothing Resource = "nothing" // all that was looked at had room
)

// RanOut is a step's limiter for programs.
type RanOut struct {
	What  Resource `json:"what"`
	Parts []string `json:"parts"` // those whose quotas ran out, on the cores that were used up, or whose pools were
}

// ComparisonVerdict is the word of a comparison.
type ComparisonVerdict string

// The verdicts of a comparison, in the order in which the first that applies is taken.
const (
	ComparisonInvalid ComparisonVerdict = "INVALID"     // a repeat is
	Undecided         ComparisonVerdict = "not decided" // the repeats are not of the kind that decides
	Ahead             ComparisonVerdict = "ahead"
	Tie               ComparisonVerdict = "tie"
)

// Comparison is what the closed-loop repeats of two designs say of each other. Differences are relative: the larger over the
// smaller, less one, so 0.5 between 100 and 150.
type Comparison struct {
	Base     Side              `json:"base"`
	Other    Side              `json:"other"`
	Ratio    *float64          `json:"ratio"`     // the base's median over the other's; null where one of them is 0 or not known
	Apart    *float64          `json:"apart"`     // the difference of the medians; null as the ratio is
	AASpread *float64          `json:"aa_spread"` // the largest difference between neighbours of one build; null where there were none
	Rounds   []Round           `json:"rounds"`    // neighbours in time, one of each design
	Verdict  ComparisonVerdict `json:"verdict"`
	Leader   string            `json:"leader"` // the design that is ahead, "" where none is
	Width    *float64          `json:"width"`  // of a tie: the difference of medians that these repeats could just not tell; else null
	Why      []string          `json:"why"`    // what the verdict rests on
	Price    bool              `json:"price"`  // the ratio may be quoted as the price of the design
	PriceWhy string            `json:"price_why"`
	Notes    []string          `json:"notes"`
}

// Side is one design's repeats in a comparison. Rates are in iterations/s, null where no repeat has a rate that counts.
type Side struct {
	Design  string   `json:"design"`
	Repeats int      `json:"repeats"` // not INVALID: only these count
	Invalid int      `json:"invalid"`
	Noisy   int      `json:"noisy"` // of Repeats
	Median  *float64 `json:"median_per_s"`
	Low     *float64 `json:"low_per_s"`
	High    *float64 `json:"high_per_s"`
}

// Round is a repeat of each of two designs, the one directly after the other.
type Round struct {
	Round      int      `json:"round"`       // 1, 2, ...
	Base       *float64 `json:"base_per_s"`  // iterations/s; null where the repeat is INVALID
	Other      *float64 `json:"other_per_s"` // the same
	Difference *float64 `json:"diff_per_s"`  // Base less Other
	Ratio      *float64 `json:"ratio"`       // Base over Other
}
