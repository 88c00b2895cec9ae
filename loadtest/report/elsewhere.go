package report

// elsewhere are published figures of the same kind, for scale only. They were measured on other machines with other programs: no
// chart, ratio or verdict of a report mixes them with its own.
func elsewhere() block {
	const (
		lab      = "Monolith vs Microservices, Measured (SumGuy's Lab): Go, i7-9700, 8 cores, Postgres"
		conduit  = "Conduit, one big machine or four services (Arjay McCandless): 8 vCPU, users with think time"
		boutique = "Towards Modern Development of Cloud Applications: Online Boutique at 10,000 requests/s"
	)
	return block{
		Title: "Elsewhere",
		Note: "Published by others, measured on other machines with other programs. " +
			"Not to be compared with the figures above: only with each other.",
		Sheets: []sheet{{
			Head: []string{"what", "one process", "services", "source"},
			Rows: [][]string{
				{"capacity of a ramp, requests/s", "about 4,556", "about 4,556 (tie; lower bound 3,518)", lab},
				{"closed loop on a mix, requests/s", "20 % ahead", "5,824", lab},
				{"application CPU-ms per request, mix", "0.14", "0.42", lab},
				{"Postgres CPU-ms per request, mix", "0.28", "0.32", lab},
				{"memory at peak, MiB", "12.1", "37.2", lab},
				{"application CPU-ms per request", "0.47", "1.2 (HTTP and JSON), 1.01 (gRPC)", conduit},
				{"cores; median latency, ms", "9; 0.38", "78; 5.47 (gRPC)", boutique},
			},
			Words: []int{0, 1, 2, 3},
		}},
	}
}
