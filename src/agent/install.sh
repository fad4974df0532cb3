#!/bin/sh
# Installs the Vigil agent: downloads the program, checks its checksum, enrols it and starts it as a service.
# Needs Node.js 20 or newer, and curl or wget. Works without root, too. --dry-run shows what would be done.
set -eu

URL='@VIGIL_URL@'
TOKEN=${VIGIL_INSTALL_TOKEN:-}
DIR=''
NAME=''
NODE=''
PUBLIC_KEY=''
ALLOW=''
TYPES=''
READ_ONLY=''
MODE='service'
DRY_RUN=''
ACCOUNT='vigil-agent'
SERVICE='vigil-agent'
# As src/agent/frugality.ts has it.
FRUGAL='--max-semi-space-size=1 --optimize-for-size'
FRUGAL_ENV='MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536'
UNIT="/etc/systemd/system/$SERVICE.service"
INIT="/etc/init.d/$SERVICE"

usage() {
  cat <<'USAGE'
usage: VIGIL_INSTALL_TOKEN=TOKEN install.sh [options]
  --token TOKEN              install token of this agent, better in the environment as VIGIL_INSTALL_TOKEN, because every
                             user of this host sees arguments; not needed to update the program of an enrolled agent
  --url URL                  address of the Vigil service
  --dir DIR                  where to install; default /opt/vigil-agent, without root ~/.vigil-agent
  --name NAME                name of the agent; default: the host's name
  --node PATH                the Node.js to use; default: the first `node` in PATH
  --update-public-key FILE   PEM of an Ed25519 key; the agent then installs no update without its signature
  --allow CIDR               monitors reach this network alone; may be given several times
  --types TYPE,TYPE          types of monitors that this agent checks
  --read-only                monitors send GET and HEAD requests alone
  --foreground               run now, in this terminal, without a service
  --dry-run                  print what would be done, and do nothing
  --uninstall                stop the service and remove everything that was installed
USAGE
}

say() { printf '%s\n' "$*"; }
die() { printf 'vigil-agent: %s\n' "$*" >&2; exit 1; }

# Runs a command, or only shows it.
run() {
  if [ -n "$DRY_RUN" ]; then say "would run: $*"; else "$@"; fi
}

# Writes standard input to a file, or only shows it.
write() {
  if [ -n "$DRY_RUN" ]; then
    say "would write $1:"
    sed 's/^/    /'
  else
    cat >"$1"
    say "wrote $1"
  fi
}

is_root() { [ "$(id -u)" = 0 ]; }
has() { command -v "$1" >/dev/null 2>&1; }
has_systemd() { [ -d /run/systemd/system ] && has systemctl; }
has_openrc() { has rc-service && has rc-update; }
has_user_systemd() { ! is_root && has systemctl && systemctl --user show-environment >/dev/null 2>&1; }

fetch() {
  if has curl; then curl -fsS --proto '=https,http' --max-time 120 "$1"
  elif has wget; then wget -q -T 120 -O - "$1"
  else die 'curl or wget is needed'
  fi
}

checksum() {
  if has sha256sum; then sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then shasum -a 256 "$1" | cut -d ' ' -f 1
  else "$NODE" -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$1"
  fi
}

member() { printf '%s' "$2" | sed -n "s/.*\"$1\"[[:space:]]*:[[:space:]]*\"\([^\"]*\)\".*/\1/p"; }

find_node() {
  [ -n "$NODE" ] || NODE=$(command -v node || true)
  [ -n "$NODE" ] || die 'Node.js 20 or newer is needed; install it (https://nodejs.org), or name it with --node PATH'
  major=$("$NODE" -p 'process.versions.node.split(".")[0]') || die "$NODE is not Node.js"
  [ "$major" -ge 20 ] || die "Node.js 20 or newer is needed, $NODE is $("$NODE" --version)"
}

download() {
  about=$(fetch "$URL/api/uptime/v1/agents/version") || die "$URL does not answer as a Vigil service"
  version=$(member version "$about")
  sha256=$(member sha256 "$about")
  program=$(member url "$about")
  if [ -z "$sha256" ] || [ -z "$program" ]; then die "$URL does not answer as a Vigil service"; fi
  if [ -n "$DRY_RUN" ]; then
    say "would download $program (version $version, sha256 $sha256) to $DIR/vigil-agent.mjs"
    return
  fi
  umask 077
  mkdir -p "$DIR"
  fetch "$program" >"$DIR/vigil-agent.mjs.new" || die "the program could not be downloaded from $program"
  found=$(checksum "$DIR/vigil-agent.mjs.new")
  if [ "$found" != "$sha256" ]; then
    rm -f "$DIR/vigil-agent.mjs.new"
    die "the checksum of the download is $found instead of $sha256; nothing was installed"
  fi
  chmod 755 "$DIR/vigil-agent.mjs.new"
  mv "$DIR/vigil-agent.mjs.new" "$DIR/vigil-agent.mjs"
  say "downloaded version $version to $DIR/vigil-agent.mjs, checksum matches"
}

enrol() {
  if [ -z "$TOKEN" ]; then
    if [ -z "$DRY_RUN" ] && [ ! -f "$DIR/config.json" ]; then die 'VIGIL_INSTALL_TOKEN or --token is needed to enrol this agent'; fi
    return 0
  fi
  set -- enroll --url "$URL" --dir "$DIR"
  [ -z "$NAME" ] || set -- "$@" --name "$NAME"
  if [ -n "$PUBLIC_KEY" ]; then set -- "$@" --update-public-key "$(cat "$PUBLIC_KEY")"; fi
  # Networks hold no blanks and no patterns.
  for network in $ALLOW; do set -- "$@" --allow "$network"; done
  [ -z "$TYPES" ] || set -- "$@" --types "$TYPES"
  [ -z "$READ_ONLY" ] || set -- "$@" --read-only
  if [ -n "$DRY_RUN" ]; then
    say "would enrol this agent at $URL"
    return 0
  fi
  # By the environment, because every user of this host sees the arguments of a command.
  VIGIL_INSTALL_TOKEN="$TOKEN" "$NODE" "$DIR/vigil-agent.mjs" "$@" || die 'the agent could not be enrolled'
}

add_account() {
  if id "$ACCOUNT" >/dev/null 2>&1; then return 0; fi
  if has useradd; then run useradd --system --user-group --home-dir "$DIR" --no-create-home --shell /usr/sbin/nologin "$ACCOUNT"
  else
    run addgroup -S "$ACCOUNT"
    run adduser -S -D -H -h "$DIR" -s /sbin/nologin -G "$ACCOUNT" "$ACCOUNT"
  fi
}

hide_home() {
  case "$DIR $NODE" in
    */home/* | */root/*) say no ;;
    *) say yes ;;
  esac
}

# What a unit of root and one of a person have in common: filters of system calls, and what it may take of its host.
seal() {
  cat <<SEAL
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
# Node.js compiles at run time, so that memory may become code; ping and mtr drop what they have with capset and setuid.
SystemCallFilter=@system-service
SystemCallFilter=~@chown @keyring @memlock @resources
SystemCallErrorNumber=EPERM
# Some five times of what a thousand checks a minute take. What exceeds it is ended and started again, its results kept.
MemoryMax=512M
OOMPolicy=continue
TasksMax=2048
SEAL
}

system_unit() {
  cat <<UNIT
[Unit]
Description=Vigil agent
Documentation=$URL
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
User=$ACCOUNT
Group=$ACCOUNT
Environment=$FRUGAL_ENV
ExecStart="$NODE" $FRUGAL "$DIR/vigil-agent.mjs" run --dir "$DIR"
Restart=always
RestartSec=5
SuccessExitStatus=75
TimeoutStopSec=45
# For ping alone.
AmbientCapabilities=CAP_NET_RAW
CapabilityBoundingSet=CAP_NET_RAW
$(seal)
ProtectSystem=strict
# The program is in it, too, because it updates itself.
ReadWritePaths=$DIR
ProtectHome=$(hide_home)
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes

[Install]
WantedBy=multi-user.target
UNIT
}

user_unit() {
  cat <<UNIT
[Unit]
Description=Vigil agent
StartLimitIntervalSec=0

[Service]
Environment=$FRUGAL_ENV
ExecStart="$NODE" $FRUGAL "$DIR/vigil-agent.mjs" run --dir "$DIR"
Restart=always
RestartSec=5
SuccessExitStatus=75
TimeoutStopSec=45
$(seal)

[Install]
WantedBy=default.target
UNIT
}

openrc_script() {
  cat <<INIT
#!/sbin/openrc-run
description="Vigil agent"
supervisor=supervise-daemon
command="$NODE"
command_args="$FRUGAL $DIR/vigil-agent.mjs run --dir $DIR"
export $FRUGAL_ENV
command_user="$ACCOUNT:$ACCOUNT"
respawn_delay=5
respawn_max=0
umask=0077
output_log="/var/log/$SERVICE.log"
error_log="/var/log/$SERVICE.log"
depend() {
  need net
}
INIT
}

install_service() {
  if is_root && { has_systemd || has_openrc; }; then
    add_account
    run chown -R "$ACCOUNT:$ACCOUNT" "$DIR"
    run chmod 700 "$DIR"
  fi
  if is_root && has_systemd; then
    system_unit | write "$UNIT"
    run systemctl daemon-reload
    run systemctl enable "$SERVICE"
    run systemctl restart "$SERVICE"
    say "the agent runs as the service $SERVICE; its log: journalctl -u $SERVICE"
  elif is_root && has_openrc; then
    if [ -z "$DRY_RUN" ]; then
      touch "/var/log/$SERVICE.log"
      chown "$ACCOUNT" "/var/log/$SERVICE.log"
    fi
    openrc_script | write "$INIT"
    run chmod 755 "$INIT"
    run rc-update add "$SERVICE" default
    run rc-service "$SERVICE" restart
    say "the agent runs as the service $SERVICE; its log: /var/log/$SERVICE.log"
  elif has_user_systemd; then
    units="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
    run mkdir -p "$units"
    user_unit | write "$units/$SERVICE.service"
    run systemctl --user daemon-reload
    run systemctl --user enable "$SERVICE"
    run systemctl --user restart "$SERVICE"
    say "the agent runs as your service $SERVICE; its log: journalctl --user -u $SERVICE"
    say "to keep it running while you are not signed in: loginctl enable-linger"
  else
    say 'no service manager was found; start the agent with'
    say "  $NODE $DIR/vigil-agent.mjs run --foreground --dir $DIR"
    return 0
  fi
  say "what it does: $NODE $DIR/vigil-agent.mjs status --dir $DIR"
}

uninstall() {
  if is_root && [ -f "$UNIT" ]; then
    run systemctl disable --now "$SERVICE" || true
    run rm -f "$UNIT"
    run systemctl daemon-reload
  fi
  if is_root && [ -f "$INIT" ]; then
    run rc-service "$SERVICE" stop || true
    run rc-update del "$SERVICE" || true
    run rm -f "$INIT"
  fi
  # Root may have no HOME, as in a service or at the first boot of a cloud server.
  if ! is_root; then
    user_file="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/$SERVICE.service"
    if [ -f "$user_file" ]; then
      run systemctl --user disable --now "$SERVICE" || true
      run rm -f "$user_file"
    fi
  fi
  if [ -f "$DIR/vigil-agent.mjs" ]; then
    # By name: the directory may hold what is not the agent's.
    for file in vigil-agent.mjs vigil-agent.mjs.new vigil-agent.mjs.new.mjs vigil-agent.mjs.previous config.json assignments.json results.jsonl agent.sock; do
      run rm -f "$DIR/$file"
    done
    run rmdir "$DIR" || true
  else
    say "no agent is installed in $DIR"
  fi
  if is_root && id "$ACCOUNT" >/dev/null 2>&1; then
    if has userdel; then run userdel "$ACCOUNT" || true; else run deluser "$ACCOUNT" || true; fi
  fi
  say 'the agent is removed from this host; delete it in Vigil as well'
}

main() {
  while [ $# -gt 0 ]; do
    case "$1" in
      --foreground) MODE='foreground' ;;
      --dry-run) DRY_RUN='yes' ;;
      --uninstall) MODE='uninstall' ;;
      -h | --help) usage; exit 0 ;;
      --read-only) READ_ONLY=yes ;;
      --token | --url | --dir | --name | --node | --update-public-key | --allow | --types)
        [ $# -ge 2 ] || die "$1 needs a value"
        case "$1" in
          --token) TOKEN=$2 ;;
          --url) URL=$2 ;;
          --dir) DIR=$2 ;;
          --name) NAME=$2 ;;
          --node) NODE=$2 ;;
          --update-public-key) PUBLIC_KEY=$2 ;;
          --types) TYPES=$2 ;;
          --allow)
            case "$2" in
              *[!0-9a-fA-F.:/]*) die '--allow must be a network such as 10.0.0.0/8' ;;
            esac
            ALLOW="$ALLOW $2"
            ;;
        esac
        shift
        ;;
      *) usage >&2; die "unknown option $1" ;;
    esac
    shift
  done
  URL=${URL%/}
  if [ -z "$DIR" ]; then
    if is_root; then DIR=/opt/vigil-agent; else DIR="$HOME/.vigil-agent"; fi
  fi
  case "$DIR" in
    /*) ;;
    *) DIR="$PWD/$DIR" ;;
  esac
  case "$DIR" in
    *[!A-Za-z0-9_./@+-]*) die '--dir may hold letters, digits and _ . / @ + - only' ;;
  esac
  if [ "$MODE" = uninstall ]; then
    uninstall
    return 0
  fi
  find_node
  download
  enrol
  if [ "$MODE" = foreground ]; then
    if [ -n "$DRY_RUN" ]; then say "would run: $NODE $DIR/vigil-agent.mjs run --foreground --dir $DIR"; return 0; fi
    exec "$NODE" "$DIR/vigil-agent.mjs" run --foreground --dir "$DIR"
  fi
  install_service
}

# Last, so that half a download does nothing.
main "$@"
