import { MONITOR_TYPES, type MonitorType } from "../../contract/monitor-values.ts";
import { monitorType } from "../../probes/registry.ts";
import type { LineIconName } from "../../ui/design/icon-names.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { TileChoice } from "../components/tile-choice.tsx";

const FAMILIES = {
  web: { heading: "Web", icon: "panels-top-left" },
  network: { heading: "Network", icon: "network" },
  mail: { heading: "Mail", icon: "mail" },
  data: { heading: "Data and queues", icon: "database" },
  jobs: { heading: "Jobs", icon: "clock" },
  infrastructure: { heading: "Infrastructure", icon: "container" },
  other: { heading: "Games and combinations", icon: "workflow" },
} as const satisfies Record<string, { heading: string; icon: LineIconName }>;

/** Where a type stands, and what of it is watched. */
const CHOICES: Record<MonitorType, readonly [family: keyof typeof FAMILIES, note: string]> = {
  http: ["web", "Unencrypted address"],
  https: ["web", "Page, API or journey"],
  ssl: ["web", "Days until it ends"],
  domain: ["web", "Days until it ends"],
  tcp: ["network", "Opens, greets"],
  dns: ["network", "Records of a name"],
  telnet: ["network", "Greets"],
  icmp: ["network", "Answers, how fast"],
  ping: ["network", "Answers, losses"],
  udp: ["network", "Answers a packet"],
  smtp: ["mail", "Takes mail"],
  imap: ["mail", "Greets"],
  pop3: ["mail", "Greets"],
  postgres: ["data", "Connects, queries"],
  mysql: ["data", "Connects, queries"],
  redis: ["data", "Answers PING"],
  kafka: ["data", "Brokers, topics"],
  rabbitmq: ["data", "Nodes, queues"],
  mqtt: ["data", "Takes messages"],
  heartbeat: ["jobs", "Cron job or backup"],
  api: ["jobs", "Figures you send"],
  agent: ["infrastructure", "An agent itself"],
  docker: ["infrastructure", "Containers"],
  podman: ["infrastructure", "Containers"],
  docker_swarm: ["infrastructure", "Services, nodes"],
  kubernetes: ["infrastructure", "Workloads, nodes"],
  proxmox: ["infrastructure", "Nodes, machines"],
  vmware: ["infrastructure", "Hosts, machines"],
  ceph: ["infrastructure", "Health of storage"],
  snmp: ["infrastructure", "Values of a device"],
  network_device: ["infrastructure", "Switch or router"],
  game_server: ["other", "Players, answers"],
  composite: ["other", "Several as one"],
};

interface TypeTilesProps {
  chosen: MonitorType;
  hasAgents: boolean;
  /** What led here chose the type. */
  isFolded: boolean;
}

/** The way to a form for one type. Those that an agent checks lead to the agents while there is none. */
export function TypeTiles({ chosen, hasAgents, isFolded }: TypeTilesProps) {
  const tileOf = (value: MonitorType) => {
    const { label, source, follows } = monitorType(value);
    const [family, note] = CHOICES[value];
    const leadsAway = !hasAgents && (source === "agent" || follows === "agent");
    return {
      value,
      href: leadsAway ? "/app/agents" : `/app/monitors/new?type=${value}`,
      mark: <LineIcon of={FAMILIES[family].icon} />,
      text: label,
      note: leadsAway ? "Needs an agent" : note,
      leadsAway,
    };
  };
  return (
    <TileChoice
      of="type"
      label="Kinds of monitors"
      heading={isFolded ? "Watch something else" : "Or choose what to watch"}
      isFolded={isFolded}
      families={Object.entries(FAMILIES).map(([family, { heading }]) => ({
        heading,
        tiles: MONITOR_TYPES.filter((value) => CHOICES[value][0] === family).map(tileOf),
      }))}
      chosen={chosen}
    />
  );
}
