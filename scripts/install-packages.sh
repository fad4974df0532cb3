# Installs the Debian packages that tests need beside Node (.ci/packages), of all projects or of those that are named.
# Where this is no Debian, or not run as root, it says what is missing; `npm test` then skips the tests that need it, and `.ci/run` fails.
set -e
cd "$(dirname "$0")/.."
wanted=$(awk -v only=" $* " '!/^#/ && NF == 3 && (only == "  " || index(only, " " $1 " ")) { print $3 }' .ci/packages | sort -u)
missing=
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "not installed, so the tests that need them cannot run:$missing" >&2
  exit 0
fi
# Servers are installed for the tests to start; none may start by itself and take its default port.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q -o Acquire::Retries=3 >&2
apt-get install -qy -o Acquire::Retries=3 --no-install-recommends $missing >&2
