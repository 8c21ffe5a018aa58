#!/bin/sh
# packages.sh VERSION SUITE MIRROR ROOT.tar
#
# A root file system out of Debian's packages: PostgreSQL VERSION with pgTAP and plpgsql_check, and the little that an
# entry point in sh needs. Packages are unpacked, not installed: no maintainer script runs, so what those would have done
# and a server needs (its user, writable folders) is done here.
set -eu
version=$1 suite=$2 mirror=$3 root=$4

complete=$(mktemp)
trap 'rm -f "$complete"' EXIT
cat >"$complete" <<'SH'
set -eu
cd "$1"
printf 'root:x:0:0:root:/root:/bin/sh\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\n' >etc/passwd
printf 'root:x:0:\npostgres:x:999:\n' >etc/group
mkdir -p tmp dev/shm var/lib/postgresql
chmod 1777 tmp dev/shm
chown 999:999 var/lib/postgresql
SH

mmdebstrap --mode=root --variant=extract --format=tar \
    --include="base-files,dash,coreutils,libc-bin,postgresql-$version,postgresql-$version-pgtap,postgresql-$version-plpgsql-check" \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    --aptopt='Acquire::Check-Valid-Until "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --extract-hook="sh $complete \"\$1\"" \
    "$suite" "$root" "$mirror"
