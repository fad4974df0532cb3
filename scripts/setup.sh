# Installs the locked dependencies when they are missing or older than the lock file; silent when there is nothing to do.
set -e
cd "$(dirname "$0")/.."
if [ ! -x node_modules/.bin/wrangler ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  touch node_modules/.package-lock.json
fi
