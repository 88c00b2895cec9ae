#!/bin/bash
# Makes the image splitshop/postgres:15-RECIPE from Debian packages, for machines that reach no image registry: a minute, once.
# Where it is there already, nothing happens. Prints the image's name on standard output, progress on standard error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

major=15 suite=bookworm
image=splitshop/postgres:$major-$(cat "$here/Dockerfile" "$here/build.sh" "$here/customize.sh" "$here/entrypoint.sh" | sha256sum | cut -c 1-12)

say() { echo "postgres-image: $*" >&2; }

if [ "${1:-}" = --name ] || docker image inspect "$image" >/dev/null 2>&1; then
	echo "$image"
	exit
fi

if ! command -v mmdebstrap >/dev/null; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		say "needs mmdebstrap. On Debian or Ubuntu run: sudo apt-get install mmdebstrap debian-archive-keyring"
		exit 1
	fi
	say "installing mmdebstrap with apt-get"
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends mmdebstrap debian-archive-keyring; } >&2
fi

work=$(mktemp -d) log=$(mktemp)
trap 'rm -rf "$work" "$log"' EXIT
begun=$SECONDS

# step WORDS COMMAND...: runs it, and says every ten seconds that it still does.
step() {
	local what=$1
	shift
	say "$what"
	"$@" >>"$log" 2>&1 &
	local job=$! waited=0
	while kill -0 "$job" 2>/dev/null; do
		sleep 1
		waited=$((waited + 1))
		[ $((waited % 10)) != 0 ] || say "$what: ${waited} s"
	done
	wait "$job" || { say "$what failed:"; tail -n 30 "$log" >&2; exit 1; }
}

# Left out: documentation and translations; the just-in-time compiler, 120 MB which the shop's short queries never call.
left_out=(
	'/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' '/usr/share/i18n/*' '/usr/share/lintian/*'
	'/usr/lib/*/libLLVM*' '/usr/lib/llvm*' '/usr/lib/*/libz3.so*'
	"/usr/lib/postgresql/*/lib/llvmjit*" "/usr/lib/postgresql/*/lib/bitcode/*"
)
excludes=()
for path in "${left_out[@]}"; do excludes+=("--dpkgopt=path-exclude=$path"); done

# The recipe names its time, so that nothing in the image says when it was made.
SOURCE_DATE_EPOCH=1700000000 step "unpacking Postgres $major and what it needs from Debian $suite (about a minute)" \
	mmdebstrap --variant=essential --include="postgresql-$major,libnss-wrapper" "${excludes[@]}" \
	--aptopt='Apt::Install-Recommends "false"' \
	--essential-hook='mkdir -p "$1/etc/postgresql-common/createcluster.d"' \
	--essential-hook='echo create_main_cluster = false >"$1/etc/postgresql-common/createcluster.d/image.conf"' \
	--customize-hook="$here/customize.sh" --skip=output/dev,cleanup/run \
	"$suite" "$work/root.tar"
cp "$here/Dockerfile" "$work/"
step "making the image $image" docker build --tag "$image" --build-arg "MAJOR=$major" "$work"
say "$image: $(docker image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MB", $1 / 1e6}'), made in $((SECONDS - begun)) s"
echo "$image"
