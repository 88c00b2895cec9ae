package result

// Books are the orders that were answered, set against the orders that exist, after the last step. Those of the warm-up are among
// them.
type Books struct {
	Answered  int64  `json:"answered"`  // with a 2xx
	Uncertain int64  `json:"uncertain"` // asked for, without an answer that tells whether they exist
	ReadBack  int64  `json:"read_back"` // of those that were answered, read again and found as they were answered
	Missing   int64  `json:"missing"`   // of those that were answered, the shop knows nothing of them
	Wrong     int64  `json:"wrong"`     // of those that were answered, with other lines or another total
	Made      *int64 `json:"made"`      // rows that the run added to the database; null where that is not ours to ask
	Example   string `json:"example"`   // in words, of one that was not as it was answered
}

// Unread is how many orders were answered of which the shop did not say whether they exist.
func (b Books) Unread() int64 { return b.Answered - b.ReadBack - b.Missing - b.Wrong }
