# Installs the locked dependencies when they are missing or older than the lock file, and builds the static assets, the
# languages, the agent program, the scripts of the dashboard and the description of the API from them and the sources; silent when there
# is nothing to do.
# Node 24 is one of them on Linux, whichever Node runs npm: the scripts after this one find theirs first in PATH.
set -e
cd "$(dirname "$0")/.."
if [ -e /etc/alpine-release ]; then
  echo "the Workers runtime needs glibc, which Alpine lacks: use Debian, Ubuntu or the image of docs/one-machine.md" >&2
  exit 1
fi
node_24() { node -e 'process.exit(parseInt(process.versions.node) < 24 ? 1 : 0)'; }
if [ "$(uname -s)" != Linux ] && ! node_24; then
  echo "Node 24 or newer is needed on $(uname -s), found $(node --version): https://nodejs.org, or brew install node" >&2
  exit 1
fi
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -f "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  echo "installing the dependencies that package-lock.json names" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  touch "$installed"
fi
if [ ! -x node_modules/.bin/node ] && ! node_24; then
  echo "Node 24 or newer is needed on this system, found $(node --version)" >&2
  exit 1
fi
assets=node_modules/.assets
for source in "$installed" scripts/assets.ts scripts/glyph-packs.ts scripts/public-suffixes.ts scripts/web-fonts.ts src/ui/design/fonts.ts src/http/security-headers.ts; do
  if [ ! -d "$assets" ] || [ "$source" -nt "$assets" ]; then
    PATH="$PWD/node_modules/.bin:$PATH" node scripts/assets.ts
  fi
done
languages="$assets/language/made"
if [ ! -f "$languages" ] || [ -n "$(find src/language src/contract src/lib src/notifiers src/probes scripts/language.ts scripts/language "$installed" -newer "$languages" | head -n 1)" ]; then
  PATH="$PWD/node_modules/.bin:$PATH" node scripts/language.ts
fi
# The agent program is bundled from these.
program="$assets/vigil-agent.json"
if [ ! -f "$program" ] || [ -n "$(find src package.json scripts/agent.ts "$installed" -newer "$program" | head -n 1)" ]; then
  PATH="$PWD/node_modules/.bin:$PATH" node scripts/agent.ts
fi
dashboard="$assets/dashboard.json"
if [ ! -f "$dashboard" ] || [ -n "$(find src/dashboard/browser src/dashboard/spans.ts src/cli src/contract src/language src/lib src/ui scripts/dashboard.ts "$languages" "$installed" -newer "$dashboard" | head -n 1)" ]; then
  PATH="$PWD/node_modules/.bin:$PATH" node scripts/dashboard.ts
fi
description="$assets/openapi.json"
if [ ! -f "$description" ] || [ -n "$(find src package.json scripts/openapi.ts "$installed" -newer "$description" | head -n 1)" ]; then
  PATH="$PWD/node_modules/.bin:$PATH" node scripts/openapi.ts
fi
