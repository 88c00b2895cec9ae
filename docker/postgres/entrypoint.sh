#!/bin/bash
# Speaks the language of the official Postgres image, as far as the shop needs it: POSTGRES_PASSWORD, _USER, _DB, _INITDB_ARGS,
# _HOST_AUTH_METHOD (each also as ..._FILE), PGDATA, /docker-entrypoint-initdb.d/*.sql|*.sql.gz|*.sh; "postgres -c name=value" or
# just "-c name=value" as arguments; root steps down to the user postgres, any other user stays what it is.
#
# The server listens on TCP only when initialisation is over, so whoever gets an answer there gets the real one.
set -euo pipefail

die() { echo "postgres entrypoint: $*" >&2; exit 1; }

# from_file NAME DEFAULT: exports NAME from the environment, from the file NAME_FILE, or the default.
from_file() {
	local name=$1 file=${1}_FILE value=${2:-}
	[ -z "${!name:-}" ] || [ -z "${!file:-}" ] || die "give $name or $file, not both"
	if [ -n "${!name:-}" ]; then value=${!name}; elif [ -n "${!file:-}" ]; then value=$(<"${!file}"); fi
	export "$name=$value"
	unset "$file"
}

# initdb wants its user to have a name. One given by number has none: a library answers for the list of users.
name_user() {
	getent passwd "$(id -u)" >/dev/null && return
	local wrapper
	wrapper=$(echo /usr/lib/*/libnss_wrapper.so)
	NSS_WRAPPER_PASSWD=$(mktemp) NSS_WRAPPER_GROUP=$(mktemp)
	echo "postgres:x:$(id -u):$(id -g):PostgreSQL:$PGDATA:/bin/false" >"$NSS_WRAPPER_PASSWD"
	echo "postgres:x:$(id -g):" >"$NSS_WRAPPER_GROUP"
	export LD_PRELOAD=$wrapper NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP
}

forget_user() {
	rm -f "${NSS_WRAPPER_PASSWD:-}" "${NSS_WRAPPER_GROUP:-}"
	unset LD_PRELOAD NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP
}

initialise() {
	[ -n "$POSTGRES_PASSWORD" ] || [ "$POSTGRES_HOST_AUTH_METHOD" = trust ] ||
		die "the database is new and has no password: set POSTGRES_PASSWORD or POSTGRES_PASSWORD_FILE"
	# The first process gets no signal that it does not ask for; and half a cluster must not be taken for a whole one.
	trap 'exit 130' INT TERM
	trap 'rm -rf "${PGDATA:?}"/*' EXIT
	name_user
	# shellcheck disable=SC2086 # several arguments in one variable
	if [ -n "$POSTGRES_PASSWORD" ]; then
		initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") $POSTGRES_INITDB_ARGS
	else
		initdb --username="$POSTGRES_USER" $POSTGRES_INITDB_ARGS
	fi
	forget_user
	printf '\nhost all all all %s\n' "$POSTGRES_HOST_AUTH_METHOD" >>"$PGDATA/pg_hba.conf"

	pg_ctl --wait --options="-c listen_addresses=''" start
	export PGPASSWORD=$POSTGRES_PASSWORD PGUSER=$POSTGRES_USER
	if [ "$POSTGRES_DB" != postgres ]; then
		psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 -v db="$POSTGRES_DB" -d postgres <<<'CREATE DATABASE :"db"'
	fi
	local f
	for f in /docker-entrypoint-initdb.d/*; do
		case $f in
		*.sh) if [ -x "$f" ]; then "$f"; else . "$f"; fi ;;
		*.sql) psql --no-psqlrc -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" -f "$f" ;;
		*.sql.gz) gunzip -c "$f" | psql --no-psqlrc -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" ;;
		esac
	done
	unset PGPASSWORD PGUSER
	pg_ctl --wait --mode=fast stop
	trap - EXIT INT TERM
}

[ "${1:0:1}" != - ] || set -- postgres "$@"
[ "$1" = postgres ] || exec "$@"

from_file POSTGRES_PASSWORD
from_file POSTGRES_USER postgres
from_file POSTGRES_DB "$POSTGRES_USER"
from_file POSTGRES_INITDB_ARGS
from_file POSTGRES_HOST_AUTH_METHOD scram-sha-256
export PGDATA=${PGDATA:-/var/lib/postgresql/data}

mkdir -p "$PGDATA"
if [ "$(id -u)" = 0 ]; then
	chown -R postgres:postgres "$PGDATA" /run/postgresql
	exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$0" "$@"
fi
chmod 700 "$PGDATA"
[ -s "$PGDATA/PG_VERSION" ] || initialise
unset POSTGRES_PASSWORD
exec "$@"
