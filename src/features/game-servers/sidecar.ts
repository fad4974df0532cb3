import { SIDECAR_RUNTIMES } from "../../contract/game-server.ts";
import { assertNever } from "../../lib/assert-never.ts";
import type { PluginAccess, PluginFile } from "./plugin-file.ts";

/**
 * A program that runs beside a game server and pushes for it: what it finds as JSON at a source of the operator's
 * choice, or just that it is alive. One file, nothing to install.
 */
export type SidecarRuntime = (typeof SIDECAR_RUNTIMES)[number];

export interface Sidecar {
  filename: string;
  type: string;
  text: string;
}

export function writeSidecar(runtime: SidecarRuntime, access: PluginAccess): Sidecar {
  switch (runtime) {
    case "node":
      return { filename: "vigil-sidecar.mjs", type: "text/javascript; charset=utf-8", text: nodeText(access) };
    case "bash":
      return { filename: "vigil-sidecar.sh", type: "text/x-shellscript; charset=utf-8", text: bashText(access) };
    default:
      return assertNever(runtime);
  }
}

/** The program in both languages, and a unit by which systemd keeps it running. */
export function writeSidecars(access: PluginAccess): PluginFile[] {
  const programs = SIDECAR_RUNTIMES.map((runtime) => writeSidecar(runtime, access));
  return [
    ...programs.map(({ filename, text }) => ({ name: `vigil/${filename}`, text })),
    { name: "vigil/vigil-sidecar.service", text: UNIT },
    { name: "README.txt", text: README },
  ];
}

const UNIT = `[Unit]
Description=Pushes the state of a game server to Vigil
After=network-online.target
Wants=network-online.target

[Service]
# Add --source URL|FILE to push more than that the server runs.
ExecStart=/usr/bin/env bash /opt/vigil/vigil-sidecar.sh
Restart=always
RestartSec=10

[Install]
WantedBy=multi-user.target
`;

const README = `Pushes the state of any game server to Vigil. Choose one program:

  vigil/vigil-sidecar.mjs   needs Node 18 or newer
  vigil/vigil-sidecar.sh    needs bash and curl

Run "node vigil/vigil-sidecar.mjs --source http://127.0.0.1:8080/status.json", or let systemd run the script: copy the
folder "vigil" to /opt and vigil-sidecar.service to /etc/systemd/system, then "systemctl enable --now vigil-sidecar".

Address and key are in the programs. After the key was rotated, enter the new one there.
`;

const USAGE = `Pushes the state of a game server. Keep this file private: it holds the server's push key.
  --source URL|FILE  JSON to push: player_count, max_players, fps, map_name, server_name, resources, custom_metrics
  --every SECONDS    how often
  --once             push once and end; the exit code says whether it was taken`;

function nodeText({ push_key, push_url, interval }: PluginAccess): string {
  return `#!/usr/bin/env node
/*
${USAGE}
*/
import { readFile } from "node:fs/promises";

const PUSH_URL = ${JSON.stringify(push_url)};
const PUSH_KEY = ${JSON.stringify(push_key)};

const option = (name) => {
  const place = process.argv.indexOf(name);
  return place < 0 ? undefined : process.argv[place + 1];
};
const source = option("--source");
const every = Number(option("--every") ?? ${interval});

async function readSource() {
  if (source === undefined) return {};
  if (!/^https?:/.test(source)) return JSON.parse(await readFile(source, "utf8"));
  const response = await fetch(source, { signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(\`\${source} answered \${response.status}\`);
  return response.json();
}

async function push() {
  try {
    const response = await fetch(PUSH_URL, {
      method: "POST",
      headers: { authorization: \`Bearer \${PUSH_KEY}\`, "content-type": "application/json" },
      body: JSON.stringify(await readSource()),
      signal: AbortSignal.timeout(10000),
    });
    if (!response.ok) throw new Error(\`the push was answered \${response.status}: \${await response.text()}\`);
    return true;
  } catch (error) {
    console.error(new Date().toISOString(), error.message);
    return false;
  }
}

if (process.argv.includes("--once")) process.exitCode = (await push()) ? 0 : 1;
else
  for (;;) {
    await push();
    await new Promise((resolve) => setTimeout(resolve, every * 1000));
  }
`;
}

function bashText({ push_key, push_url, interval }: PluginAccess): string {
  return `#!/usr/bin/env bash
# ${USAGE.replaceAll("\n", "\n# ")}
# Needs curl.
set -u

PUSH_URL=${quoted(push_url)}
PUSH_KEY=${quoted(push_key)}
SOURCE=
EVERY=${interval}
ONCE=

while [ $# -gt 0 ]; do
  case "$1" in
    --source) SOURCE=$2; shift 2 ;;
    --every) EVERY=$2; shift 2 ;;
    --once) ONCE=1; shift ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
done

read_source() {
  case "$SOURCE" in
    "") echo "{}" ;;
    http://*|https://*) curl --fail --silent --show-error --max-time 5 "$SOURCE" ;;
    *) cat "$SOURCE" ;;
  esac
}

# The key goes in by a file descriptor: other users can see the arguments of a program.
push() {
  local body
  body=$(read_source) || return 1
  curl --fail --silent --show-error --max-time 10 --output /dev/null \\
    --header "content-type: application/json" --header @<(printf 'authorization: Bearer %s' "$PUSH_KEY") \\
    --data-binary @- "$PUSH_URL" <<<"$body"
}

if [ -n "$ONCE" ]; then
  push
  exit $?
fi
while true; do
  push
  sleep "$EVERY"
done
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
