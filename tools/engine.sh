#!/bin/sh
# For CI and bare machines: sees that a container engine answers. As root on Debian it installs one with a compose command and
# starts it; elsewhere it says what is missing. Quick where nothing is.
set -eu

say() { echo "engine: $*"; }

compose() { docker compose version >/dev/null 2>&1 || docker-compose version >/dev/null 2>&1; }

# answers SECONDS: whether the engine does, within that time.
answers() {
	for _ in $(seq "$1"); do
		docker info >/dev/null 2>&1 && return
		sleep 1
	done
	return 1
}

missing=''
command -v docker >/dev/null || missing='docker.io fuse-overlayfs' # the last is for roots that overlayfs cannot be put on
command -v docker >/dev/null && compose || missing="$missing docker-compose"
command -v mmdebstrap >/dev/null || missing="$missing mmdebstrap" # makes a Postgres image where no registry answers
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	say "installing $missing with apt-get"
	log=$(mktemp)
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # one word a package
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends $missing; } >"$log" 2>&1 || { cat "$log"; exit 1; }
	rm -f "$log"
fi
if ! answers 1 && [ "$(id -u)" = 0 ] && command -v dockerd >/dev/null; then
	say "starting it"
	service docker start >/dev/null 2>&1 || true # how it went is asked below
	answers 30 || { say "it does not start:"; tail -n 20 /var/log/docker.log 2>/dev/null || true; }
fi
if ! answers 1 || ! compose; then
	say "no container engine answers, or there is no compose command. On Debian or Ubuntu: sudo apt-get install docker.io docker-compose"
	exit 1
fi
say "Docker $(docker version --format '{{.Server.Version}}'), compose $(docker compose version --short 2>/dev/null || docker-compose version --short)"
