#!/usr/bin/env bash
# Finds what the tests need beside Go, and installs it where that is allowed (root on Debian or Ubuntu): server binaries
# of PostgreSQL 15 or newer, pgTAP, plpgsql_check; and nginx, without which the tests behind a proxy are skipped. Says what
# to type where it is not.
set -euo pipefail

newest() { # the newest version that Debian's packages have put here; nothing when there is none
    local dir
    for dir in /usr/lib/postgresql/*/bin; do
        if [ -x "$dir/postgres" ]; then
            basename "$(dirname "$dir")"
        fi
    done | sort -n | tail -1
}

have() { # have VERSION: are server and both extensions there?
    local share="/usr/share/postgresql/$1/extension"
    [ -x "/usr/lib/postgresql/$1/bin/postgres" ] && [ -e "$share/pgtap.control" ] && [ -e "$share/plpgsql_check.control" ]
}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

if ! command -v nginx >/dev/null; then
    if may_install; then
        echo "installing nginx with apt-get" >&2
        apt-get update -qq
        # RUNLEVEL=1: the package is not to start one (invoke-rc.d(8)); the tests start their own.
        DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends nginx-light >/dev/null ||
            echo "nginx could not be installed: the tests behind a proxy will be skipped" >&2
    else
        echo "nginx is not installed: the tests behind a proxy will be skipped (apt-get install nginx-light)" >&2
    fi
fi

# A Postgres that was not installed by Debian's packages tells where its extensions are.
share="$(pg_config --sharedir 2>/dev/null || true)"
if [ -n "$share" ] && [ -e "$share/extension/pgtap.control" ] && [ -e "$share/extension/plpgsql_check.control" ]; then
    exit 0
fi
version="$(newest)"
if [ -n "$version" ] && [ "$version" -ge 15 ] && have "$version"; then
    exit 0
fi

if may_install; then
    export DEBIAN_FRONTEND=noninteractive
    echo "installing PostgreSQL, pgTAP and plpgsql_check with apt-get" >&2
    # The tests start servers of their own; the package is not to start one.
    conf=/etc/postgresql-common/createcluster.d
    if [ ! -e /etc/postgresql-common/createcluster.conf ] && [ ! -e "$conf/umpire.conf" ]; then
        mkdir -p "$conf"
        echo "create_main_cluster = false" > "$conf/umpire.conf"
    fi
    apt-get update -qq
    if [ -z "$version" ] || [ "$version" -lt 15 ]; then
        apt-get install -y -qq --no-install-recommends postgresql >/dev/null
        version="$(newest)"
    fi
    apt-get install -y -qq --no-install-recommends "postgresql-$version-pgtap" "postgresql-$version-plpgsql-check" >/dev/null
    have "$version" && exit 0
fi

cat >&2 <<MSG
The tests need server binaries of PostgreSQL 15 or newer with pgTAP and plpgsql_check. On Debian or Ubuntu:
    sudo apt-get install postgresql postgresql-${version:-15}-pgtap postgresql-${version:-15}-plpgsql-check
MSG
exit 1
