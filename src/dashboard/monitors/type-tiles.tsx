import { MONITOR_TYPES, type MonitorType } from "../../contract/monitor-values.ts";
import { monitorType } from "../../probes/registry.ts";
import type { LineIconName } from "../../ui/design/icon-names.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { TileChoice } from "../components/tile-choice.tsx";
import { typeName } from "../registry-names.ts";
import { words } from "../words.ts";

/** In their order. */
const FAMILIES = {
  web: "panels-top-left",
  network: "network",
  mail: "mail",
  data: "database",
  jobs: "clock",
  infrastructure: "container",
  other: "workflow",
} as const satisfies Record<string, LineIconName>;
type Family = keyof typeof FAMILIES;
const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];

/** Where a type stands; what of it is watched, the catalogue says. */
const FAMILY_OF: Record<MonitorType, Family> = {
  http: "web",
  https: "web",
  ssl: "web",
  domain: "web",
  tcp: "network",
  dns: "network",
  telnet: "network",
  icmp: "network",
  ping: "network",
  udp: "network",
  smtp: "mail",
  imap: "mail",
  pop3: "mail",
  postgres: "data",
  mysql: "data",
  redis: "data",
  kafka: "data",
  rabbitmq: "data",
  mqtt: "data",
  heartbeat: "jobs",
  api: "jobs",
  agent: "infrastructure",
  docker: "infrastructure",
  podman: "infrastructure",
  docker_swarm: "infrastructure",
  kubernetes: "infrastructure",
  proxmox: "infrastructure",
  vmware: "infrastructure",
  ceph: "infrastructure",
  snmp: "infrastructure",
  network_device: "infrastructure",
  game_server: "other",
  composite: "other",
};

interface TypeTilesProps {
  chosen: MonitorType;
  hasAgents: boolean;
  /** What led here chose the type. */
  isFolded: boolean;
}

/** The way to a form for one type. Those that an agent checks lead to the agents while there is none. */
export function TypeTiles({ chosen, hasAgents, isFolded }: TypeTilesProps) {
  const text = words("dashboard-monitors").tiles;
  const tileOf = (value: MonitorType) => {
    const { source, follows } = monitorType(value);
    const leadsAway = !hasAgents && (source === "agent" || follows === "agent");
    return {
      value,
      href: leadsAway ? "/app/agents" : `/app/monitors/new?type=${value}`,
      mark: <LineIcon of={FAMILIES[FAMILY_OF[value]]} />,
      text: typeName(value),
      note: leadsAway ? text.needs_agent : text.notes[value],
      leadsAway,
    };
  };
  return (
    <TileChoice
      of="type"
      label={text.label}
      heading={isFolded ? text.heading.other : text.heading.first}
      isFolded={isFolded}
      families={FAMILY_NAMES.map((family) => ({
        heading: text.families[family],
        tiles: MONITOR_TYPES.filter((value) => FAMILY_OF[value] === family).map(tileOf),
      }))}
      chosen={chosen}
    />
  );
}
