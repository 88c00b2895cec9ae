#!/usr/bin/env bash
# The negative control of the import rules: plants imports in a copy of the layout and expects depguard to refuse exactly
# those marked "no". Argument: the golangci-lint to run. Run from the top folder.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases=$(sed 's/#.*//; /^ *$/d' <<'TABLE'
domain                          context                                        yes
domain                          github.com/google/go-cmp/cmp                   no
domain                          google.golang.org/grpc/codes                   no
domain                          golang.org/x/sync/errgroup                     no
domain                          splitshop/sql                                  no
domain/domaintest               splitshop/domain                               yes
domain/domaintest               splitshop/sql                                  no
domain/domaintest               splitshop/domain/smoke                         yes
domain/smoke                    splitshop/domain                               yes
domain/smoke                    splitshop/domain/domaintest                    no
sql                             github.com/jackc/pgx/v5/pgxpool                yes
sql                             splitshop/transport/httpapi                    no
sql                             splitshop/sql/sqltest                          no
sql/sqltest                     splitshop/pgserver                             yes
pgserver                        github.com/jackc/pgx/v5                        no
pgserver                        splitshop/domain                               no
transport/grpcapi               google.golang.org/grpc/status                  yes
transport/grpcapi               google.golang.org/genproto/googleapis/api      no
transport/grpcapi               splitshop/sql                                  no
transport/httpapi               github.com/go-chi/chi/v5                       yes
transport/httpapi               splitshop/transport/grpcapi/shoppb             no
transport/httpapi               splitshop/domain/domaintest                    no
process                         github.com/alecthomas/kong                     yes
process                         splitshop/domain                               no
monolith                        splitshop/sql                                  yes
monolith                        splitshop/transport/grpcapi                    no
monolith                        github.com/jackc/pgx/v5                        no
services/orders                 splitshop/sql                                  yes
services/orders                 splitshop/services/cart                        no
services/orders                 splitshop/transport/grpcapi/shoppb             no
gateway                         splitshop/transport/grpcapi                    yes
gateway                         splitshop/sql                                  no
loadtest                        splitshop/loadtest/runner                      yes
loadtest                        splitshop/domain                               no
loadtest                        splitshop/domain/smoke                         yes
loadtest                        splitshop/domain/domaintest                    no
loadtest/load                   splitshop/loadtest/workload                    no
loadtest/workload               splitshop/loadtest/load                        yes
loadtest/workload               splitshop/transport/httpapi                    no
loadtest/stats                  splitshop/loadtest/result                      yes
loadtest/result                 splitshop/loadtest/stats                       no
loadtest/report                 splitshop/loadtest/load                        no
loadtest/report                 gonum.org/v1/plot/vg                           yes
loadtest/stats                  gonum.org/v1/plot                              no
loadtest/runner                 splitshop/pgserver                             yes
loadtest/runner                 splitshop/sql                                  no
loadtest/runner/compose         splitshop/loadtest/runner                      no
loadtest/runner/compose         encoding/json                                  yes
loadtest/runner/compose         splitshop/loadtest/runner/cgroup               yes
loadtest/runner                 splitshop/loadtest/runner/cgroup               yes
loadtest/runner/cgroup          splitshop/loadtest/runner/compose              no
common                          splitshop/domain                               no   # a folder that no rule names
test                            splitshop/sql                                  yes
TABLE
)

# A module for each importing folder, alone in it, so that nothing planted forms a cycle; plant_3.go is the table's third
# line. What is imported need not be there: depguard reads the import lines only.
lint=$(realpath "$1")
n=0
while read -r folder import _; do
	n=$((n + 1))
	mkdir -p "$work/${folder//\//-}/$folder"
	printf 'package plant\n\nimport _ "%s"\n' "$import" >"$work/${folder//\//-}/$folder/plant_$n.go"
done <<<"$cases"
said=$(for module in "$work"/*/; do
	cp .golangci.yml go.mod "$module"
	(cd "$module" && "$lint" run --enable-only depguard) || true
done 2>&1)

wrong=0 n=0
while read -r folder import allowed; do
	n=$((n + 1))
	got=yes
	grep -qF "$folder/plant_$n.go:" <<<"$said" && got=no
	[ "$got" = "$allowed" ] && continue
	wrong=$((wrong + 1))
	echo "import rules: may $folder import $import? wanted $allowed, got $got"
done <<<"$cases"
if [ "$wrong" != 0 ]; then
	echo "$said"
	exit 1
fi
echo "import rules: $n planted imports, each allowed or refused as it should be"
