#!/bin/sh
# `make setup`: says what this machine lacks and, as root on Debian, installs it. Quick where nothing is missing.
# Downloads Debian packages and nothing else.
set -eu

say() { echo "setup: $*"; }

# The places where package pgserver looks for the server, too.
postgres() {
	for bin in "${SHOP_PG_BIN:-}" "$(dirname "$(command -v initdb || echo /nowhere/)")" \
		/usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin /usr/local/opt/postgresql@*/bin \
		/opt/homebrew/opt/postgresql@*/bin /Applications/Postgres.app/Contents/Versions/latest/bin; do
		[ -x "$bin/initdb" ] && [ -x "$bin/postgres" ] && echo "$bin" && return
	done
	return 1
}

browser() {
	for b in chromium chromium-browser google-chrome google-chrome-stable; do command -v "$b" && return; done
	return 1
}

engine() { for e in docker podman; do "$e" info >/dev/null 2>&1 && echo "$e" && return; done; return 1; }

apt_install() {
	say "installing $* with apt-get"
	log=$(mktemp) conf=
	trap 'rm -f "$log" "$conf"' EXIT
	if [ "$1" = postgresql ]; then
		# Debian would start a server of its own on port 5432; the shop starts throw-away ones instead.
		conf=/etc/postgresql-common/createcluster.d/splitshop.conf
		mkdir -p "${conf%/*}"
		echo 'create_main_cluster = false' >"$conf"
	fi
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends "$@"; } >"$log" 2>&1 || { cat "$log"; exit 1; }
}

if ! why=$(go list -m 2>&1); then
	say "this needs $(sed -n 's/^go /Go /p' go.mod) or newer, from https://go.dev/dl/ (${why})"
	exit 1
fi

missing='' # Postgres for all of it; a C compiler (the race detector) and curl (the README's lines) for make test
postgres >/dev/null || missing='postgresql'
command -v "$(go env CC)" >/dev/null || missing="$missing gcc libc6-dev"
command -v curl >/dev/null || missing="$missing curl"

if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	# shellcheck disable=SC2086 # one word a package
	apt_install $missing
fi
# The tests look at the HTML report in a browser; the demo needs none. Ubuntu has no such package, but often Chrome.
if [ "${1:-}" != demo ] && ! browser >/dev/null; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		(apt_install chromium) || true
	fi
	browser >/dev/null || say "make test needs Chromium. On Debian: sudo apt-get install chromium"
fi
if ! { postgres || engine; } >/dev/null; then
	say "no Postgres server here, nor a container engine that answers. On Debian or Ubuntu run:"
	say "    sudo apt-get install $missing"
	exit 1
fi
for tool in "$(go env CC)" curl; do
	command -v "$tool" >/dev/null || say "make test needs $tool. On Debian or Ubuntu: sudo apt-get install gcc libc6-dev curl"
done
say "$(go env GOVERSION); Postgres: $(postgres || echo "in a container, by $(engine)")"
