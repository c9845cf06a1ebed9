#!/bin/sh
# Back up a store while it is in use:
#   BENCHSIDE_STORE=/var/lib/benchside backup.sh FOLDER
# The settings are those of the app; docs/deployment.md says how to restore.
set -eu
target=${1:?name the folder of the backup}
store=${BENCHSIDE_STORE:?say where the store is}
umask 077
mkdir -p "$target"
# The database first: a file is kept before the row that names it, so that none is missing in the copy.
if [ -n "${BENCHSIDE_DATABASE_URL:-}" ]; then
    pg_dump --format=custom --file="$target/benchside.dump" "$(printf %s "$BENCHSIDE_DATABASE_URL" | sed 's/+psycopg//')"
else
    "${PYTHON:-python3}" - "$store/benchside.db" "$target/benchside.db" <<'END'
import sqlite3
import sys

source = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
copy = sqlite3.connect(sys.argv[2])
source.backup(copy)
END
fi
mkdir -p "$store/files" "$target/files"
cp -R -p "$store/files/." "$target/files/"
echo "Backed up to $target."
