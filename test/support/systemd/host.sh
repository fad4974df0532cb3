#!/bin/sh
# Boots Debian's systemd as the init of namespaces of its own until standard input ends: /etc is a copy that is thrown away,
# /opt and /run are empty, its control groups lie in one that is removed. The network is that of the machine.
# Usage: host.sh DIR, an empty directory; DIR/init.pid then names the process whose namespaces `nsenter` may enter.
set -eu

DIR=$1
UNITS="$DIR/units"

if [ -z "${2:-}" ]; then
  exec unshare --mount --propagation private "$0" "$DIR" outside
fi

if [ "$2" = outside ]; then
  mkdir "$DIR/cgroup" "$DIR/layers" "$UNITS"
  # Nothing of what the machine itself would start.
  for target in sysinit basic multi-user network-online shutdown; do
    printf '[Unit]\nDefaultDependencies=no\n' >"$UNITS/$target.target"
  done
  mount -t cgroup2 cgroup2 "$DIR/cgroup"
  group="$DIR/cgroup/vigil-test-$$"
  mkdir "$group"
  sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" \
    unshare --pid --mount --fork --kill-child --mount-proc --uts --ipc --cgroup "$0" "$DIR" inside >"$DIR/log" 2>&1 &
  outer=$!
  for _ in $(seq 100); do
    inner=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null) || true
    [ -z "$inner" ] || break
    sleep 0.1
  done
  echo "$inner" | tr -d ' ' >"$DIR/init.pid"
  cat >/dev/null
  kill -9 "$outer" || true
  wait "$outer" 2>/dev/null || true
  for _ in $(seq 50); do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
    sleep 0.1
  done
  exit 0
fi

mount -t tmpfs tmpfs "$DIR/layers"
mkdir "$DIR/layers/etc" "$DIR/layers/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$DIR/layers/etc,workdir=$DIR/layers/work" /etc
rm -rf /etc/systemd/system
mkdir -p /etc/systemd/system
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /opt
mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=test SYSTEMD_LOG_TARGET=console \
  SYSTEMD_UNIT_PATH="/etc/systemd/system:$UNITS" /usr/lib/systemd/systemd --system --show-status=no --unit=multi-user.target
