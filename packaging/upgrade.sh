#!/bin/sh
# Upgrades the service of systemd, and goes back to the release before where the new one is not well within two minutes.
# usage, as root: sh upgrade.sh vigil-VERSION.tgz
set -eu
PACKAGE=${1:?usage: upgrade.sh vigil-VERSION.tgz}
ROOT=/opt/vigil
STATE_DIR=$(systemctl show vigil -p Environment --value | tr ' ' '\n' | sed -n 's/^STATE_DIR=//p')

rm -rf "$ROOT.new"
npm install --prefix "$ROOT.new" --no-audit --no-fund --loglevel=error "$PACKAGE"

# A minute passes until the clock and every queue have shown that they work.
is_well() {
  runuser -u vigil -- env STATE_DIR="$STATE_DIR" "$ROOT/node_modules/.bin/vigil" doctor --wait 120
}

systemctl stop vigil
rm -rf "$ROOT.before"
mv "$ROOT" "$ROOT.before"
mv "$ROOT.new" "$ROOT"
if systemctl start vigil && is_well; then
  echo "upgraded; the release before is in $ROOT.before"
  exit 0
fi
echo "the new release is not well; going back. Its log: journalctl -u vigil" >&2
systemctl stop vigil
rm -rf "$ROOT.failed"
mv "$ROOT" "$ROOT.failed"
mv "$ROOT.before" "$ROOT"
systemctl reset-failed vigil 2>/dev/null || true
systemctl start vigil
is_well
echo "the release before runs again; the other one is in $ROOT.failed" >&2
exit 1
