#!/bin/sh
# Called by mmdebstrap with the new root directory: what turns Debian's packages into an image like the official one.
set -eu
root=$1
here=$(cd "$(dirname "$0")" && pwd)

install -m 755 "$here/entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"
mkdir -p "$root/docker-entrypoint-initdb.d" "$root/var/lib/postgresql/data"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/* "$root"/var/log/* "$root/usr/share/doc" "$root"/usr/share/postgresql/*/man
chroot "$root" chown -R postgres:postgres /var/lib/postgresql
# Any user that the container is given may make its cluster here.
chmod 1777 "$root/var/lib/postgresql" "$root/var/lib/postgresql/data" "$root/run/postgresql"
sed -i "s/^#listen_addresses = 'localhost'/listen_addresses = '*'/" "$root"/usr/share/postgresql/*/postgresql.conf.sample
grep -q "^listen_addresses = '\*'" "$root"/usr/share/postgresql/*/postgresql.conf.sample
