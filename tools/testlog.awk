# Reads `go test -v ./...` and prints one line a package, plus everything a failing package said. It ends with a count and
# fails where a test was skipped or none ran. Failing tests need no word here: go test's own exit code tells (pipefail).
# One reason to skip is allowed, and is no reason in CI: that there is nothing to run containers on.
/^ *--- PASS: / { passed++ }
/^ *--- FAIL: / { failed++ }
/: no container engine answers/ { excused++ }
/^ *--- SKIP: / && excused { unable++; excused--; next }
/^ *--- SKIP: / { skipped++; print "skipped, which counts as failed: " $0 }

/^(ok  |\?   |FAIL)\t/ {
	if ($1 == "FAIL") printf "%s", said
	said = ""
	print
	fflush()
	next
}

!/^(=== (RUN|PAUSE|CONT|NAME)|PASS$|FAIL$| *--- (PASS|SKIP): )/ { said = said $0 "\n" }

END {
	printf "%s%d passed, %d failed, %d skipped\n", said, passed, failed, skipped
	if (unable) printf "%d tests need a container engine, and none answers\n", unable
	if (skipped || !passed) exit 1
}
