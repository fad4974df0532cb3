import type { GrantedRole } from "../../src/contract/member.ts";
import type { MonitorType } from "../../src/contract/monitor-values.ts";

/**
 * Northwind, the company whose installation the demonstration shows: its status pages, people and what it watches. All names
 * are under `.example`, which belongs to nobody; its agents, which the demonstration plays itself, report on them.
 */
export type PageKey = "shop" | "developers" | "internal";
export type AgentKey = "frankfurt" | "ashburn" | "office";
export type PersonKey = "mira" | "jonas" | "priya" | "tomas";

export const DEMO_OWNER_NAME = "Northwind (demonstration)";
/** Of the page that asks visitors for one. */
export const INTERNAL_PASSWORD = "northwind";

const NOTICE = "This is a demonstration: Northwind does not exist, and what you read here was made up.";

export const PAGES: Record<PageKey, { name: string; slug: string; groups: string[]; more: object }> = {
  shop: {
    name: "Northwind",
    slug: "northwind",
    groups: ["Storefront", "Payments", "Customer accounts", "Delivery", "Mail"],
    more: {
      description: `Orders, payments and deliveries of the Northwind shop. ${NOTICE}`,
      timezone: "Europe/Berlin",
      brand_color: "#1f5f8b",
      footer_text: NOTICE,
      auto_create_incident: true,
      auto_publish_incident: true,
    },
  },
  developers: {
    name: "Northwind for developers",
    slug: "northwind-developers",
    groups: ["API", "Webhooks and events", "Developer portal"],
    more: {
      description: `The programming interfaces of Northwind. ${NOTICE}`,
      timezone: "UTC",
      brand_color: "#5b3fa8",
      layout: "compact",
      footer_text: NOTICE,
      auto_create_incident: true,
      auto_publish_incident: true,
    },
  },
  internal: {
    name: "Northwind internal",
    slug: "northwind-internal",
    groups: ["Databases", "Messaging", "Platform", "Network", "Nightly jobs"],
    more: {
      description: `What the teams of Northwind run. ${NOTICE}`,
      timezone: "Europe/Berlin",
      layout: "grid",
      password: INTERNAL_PASSWORD,
      footer_text: NOTICE,
      auto_create_incident: true,
    },
  },
};

export const PEOPLE: Record<
  PersonKey,
  { name: string; email: string; role: GrantedRole; page: PageKey; other_pages: PageKey[] }
> = {
  mira: {
    name: "Mira Sand",
    email: "mira@northwind.example",
    role: "admin",
    page: "shop",
    other_pages: ["developers", "internal"],
  },
  jonas: {
    name: "Jonas Weber",
    email: "jonas@northwind.example",
    role: "editor",
    page: "shop",
    other_pages: ["internal"],
  },
  priya: {
    name: "Priya Nair",
    email: "priya@northwind.example",
    role: "editor",
    page: "developers",
    other_pages: ["internal"],
  },
  tomas: { name: "Tomás Rivera", email: "tomas@northwind.example", role: "viewer", page: "shop", other_pages: [] },
};

export const AGENTS: Record<AgentKey, { name: string; hostname: string; page: PageKey }> = {
  frankfurt: { name: "Frankfurt", hostname: "probe-fra-1", page: "shop" },
  ashburn: { name: "Ashburn", hostname: "probe-iad-1", page: "developers" },
  office: { name: "Data centre", hostname: "dc1-watch", page: "internal" },
};

/** What the demonstration's agent finds at present; most things are simply up. */
export type Present = "up" | "down" | "degraded";

export interface PlannedMonitor {
  name: string;
  page: PageKey;
  group: string;
  type: MonitorType;
  /** None for heartbeats and what follows other monitors. */
  target: string | null;
  /** Usual latency; 0 where there is none. */
  latency_ms: number;
  interval: number;
  present: Present;
  tags: string[];
  /** Outages of its own in 90 days, besides those of the incidents. */
  outages: number;
  /** Names of its members. */
  members: string[];
  /** Further members of the request. */
  more: object;
}

type Row = [name: string, type: MonitorType, target: string | null, latency_ms: number, more?: Partial<PlannedMonitor>];

function monitorsOf(page: PageKey, group: string, rows: readonly Row[]): PlannedMonitor[] {
  return rows.map(([name, type, target, latency_ms, more]) => ({
    name,
    page,
    group,
    type,
    target,
    latency_ms,
    interval: 60,
    present: "up",
    tags: [],
    outages: 1,
    members: [],
    more: {},
    ...more,
  }));
}

const CRITICAL = { tags: ["critical"], outages: 1 };
const STEADY = { outages: 0 };

/** Members stand before what is made of them. */
export const MONITORS: readonly PlannedMonitor[] = [
  ...monitorsOf("shop", "Storefront", [
    ["Web shop", "https", "https://www.northwind.example/", 84, { ...CRITICAL, outages: 2 }],
    ["Product search", "https", "https://www.northwind.example/search?q=tea", 132, { tags: ["search"], outages: 2 }],
    ["Product pictures", "https", "https://images.northwind.example/health", 31, { tags: ["cdn"] }],
    ["Shopping basket", "https", "https://www.northwind.example/basket", 96, CRITICAL],
    ["Recommendations", "https", "https://recommend.northwind.example/health", 210, { tags: ["search"], outages: 4 }],
    ["Gift cards", "https", "https://gift.northwind.example/health", 118],
  ]),
  ...monitorsOf("shop", "Payments", [
    ["Checkout", "https", "https://pay.northwind.example/checkout", 141, CRITICAL],
    [
      "Card payments",
      "https",
      "https://pay.northwind.example/cards",
      188,
      { tags: ["critical", "supplier"], outages: 2 },
    ],
    ["Bank transfers", "https", "https://pay.northwind.example/sepa", 164, { tags: ["supplier"] }],
    [
      "Invoices",
      "https",
      "https://billing.northwind.example/invoices",
      420,
      { present: "degraded", interval: 600, tags: ["billing"], outages: 1, more: { latency_threshold_ms: 1_500 } },
    ],
    ["Payment certificate", "ssl", "pay.northwind.example:443", 46, { ...STEADY, interval: 3600, tags: ["expiry"] }],
  ]),
  ...monitorsOf("shop", "Customer accounts", [
    ["Sign-in", "https", "https://login.northwind.example/health", 73, CRITICAL],
    ["Order history", "https", "https://account.northwind.example/orders", 155],
    ["Loyalty points", "https", "https://points.northwind.example/health", 122, { outages: 2 }],
    ["Address book", "https", "https://account.northwind.example/addresses", 91],
    ["Account area", "composite", null, 0, { outages: 0, members: ["Order history", "Address book"] }],
  ]),
  ...monitorsOf("shop", "Delivery", [
    [
      "Parcel tracking",
      "https",
      "https://track.northwind.example/health",
      240,
      { present: "down", interval: 1800, tags: ["supplier"], outages: 3 },
    ],
    ["Delivery slots", "https", "https://slots.northwind.example/health", 176, { outages: 2 }],
    ["Warehouse system", "https", "https://wms.northwind.example/health", 66, { tags: ["warehouse"] }],
    ["Label printing", "tcp", "labels.northwind.example:9100", 12, { tags: ["warehouse"], outages: 2 }],
  ]),
  ...monitorsOf("shop", "Mail", [
    ["Outgoing mail", "smtp", "smtp.northwind.example:587", 58],
    ["Customer service mailbox", "imap", "imap.northwind.example:993", 71],
    ["Mail records", "dns", "northwind.example", 19, { ...STEADY, more: { dns_record_type: "MX" } }],
    ["Domain registration", "domain", "northwind.example", 0, { ...STEADY, interval: 86_400, tags: ["expiry"] }],
  ]),
  ...monitorsOf("developers", "API", [
    ["REST API", "https", "https://api.northwind.example/v2/health", 62, CRITICAL],
    ["Search API", "https", "https://api.northwind.example/v2/search", 148, { outages: 2 }],
    ["Orders API", "https", "https://api.northwind.example/v2/orders", 101, CRITICAL],
    ["OAuth tokens", "https", "https://auth.northwind.example/token", 54, CRITICAL],
    ["GraphQL gateway", "https", "https://graph.northwind.example/graphql", 133, { outages: 3 }],
    ["API certificate", "ssl", "api.northwind.example:443", 39, { ...STEADY, interval: 3600, tags: ["expiry"] }],
  ]),
  ...monitorsOf("developers", "Webhooks and events", [
    ["Webhook delivery", "https", "https://hooks.northwind.example/health", 88, { outages: 2 }],
    ["Event stream", "tcp", "stream.northwind.example:443", 24],
    ["Sandbox", "https", "https://sandbox.northwind.example/health", 260, { outages: 4, tags: ["sandbox"] }],
  ]),
  ...monitorsOf("developers", "Developer portal", [
    ["Portal", "https", "https://developers.northwind.example/", 95],
    ["Documentation", "https", "https://docs.northwind.example/", 48, STEADY],
    ["Package registry", "https", "https://packages.northwind.example/", 110, { outages: 2 }],
    ["Name servers", "dns", "api.northwind.example", 17, STEADY],
  ]),
  ...monitorsOf("internal", "Databases", [
    ["Orders database", "postgres", "postgres://orders-db.northwind.example:5432/orders", 9, CRITICAL],
    ["Orders replica", "postgres", "postgres://orders-ro.northwind.example:5432/orders", 11],
    ["Catalogue", "mysql", "mysql://catalogue-db.northwind.example:3306/catalogue", 14],
    ["Session cache", "redis", "redis://cache.northwind.example:6379", 2, { tags: ["cache"] }],
    ["Page cache", "redis", "redis://pages-cache.northwind.example:6379", 3, { tags: ["cache"], outages: 2 }],
    ["Database cluster", "composite", null, 0, { outages: 0, members: ["Orders database", "Orders replica"] }],
  ]),
  ...monitorsOf("internal", "Messaging", [
    ["Order events", "kafka", "kafka-1.northwind.example:9092,kafka-2.northwind.example:9092", 28, CRITICAL],
    ["Work queue", "rabbitmq", "https://rabbit.northwind.example:15671", 44],
    ["Warehouse sensors", "mqtt", "mqtts://mqtt.northwind.example:8883", 33, { tags: ["warehouse"], outages: 3 }],
  ]),
  ...monitorsOf("internal", "Platform", [
    ["Kubernetes production", "kubernetes", "https://k8s.northwind.example:6443", 37, CRITICAL],
    ["Build runners", "docker", "https://builds.northwind.example:2376", 25, { outages: 2 }],
    ["Virtual machines", "proxmox", "https://pve.northwind.example:8006", 52],
    ["Object storage", "ceph", "https://ceph.northwind.example:8443", 61],
    ["Data centre agent", "agent", null, 0, { ...STEADY, interval: 60 }],
  ]),
  ...monitorsOf("internal", "Network", [
    ["Office uplink", "icmp", "gw.office.northwind.example", 8, { outages: 3 }],
    ["Warehouse uplink", "ping", "gw.warehouse.northwind.example", 16, { tags: ["warehouse"], outages: 2 }],
    ["Core switch", "snmp", "snmp://switch-1.northwind.example", 5, STEADY],
    ["Time server", "udp", "time.northwind.example:123", 7, STEADY],
  ]),
  ...monitorsOf("internal", "Nightly jobs", [
    ["Database backup", "heartbeat", null, 0, { more: { expected_interval: 86_400 } }],
    ["Price import", "heartbeat", null, 0, { outages: 2, more: { expected_interval: 3_600 } }],
    ["Invoice run", "heartbeat", null, 0, { outages: 0, more: { expected_interval: 86_400 } }],
    ["Search index", "heartbeat", null, 0, { more: { expected_interval: 900 } }],
    ["Log archive", "heartbeat", null, 0, { outages: 0, more: { expected_interval: 86_400 } }],
  ]),
];

const AGENT_OF: Record<PageKey, AgentKey> = { shop: "frankfurt", developers: "ashburn", internal: "office" };

/** The agent that checks it; null for what reports by itself or follows others. */
export function agentOf({ page, type }: PlannedMonitor): AgentKey | null {
  return type === "heartbeat" || type === "composite" ? null : AGENT_OF[page];
}

/** Whether checks of it measure how long they took, so that it has a history of results. */
export function isChecked(monitor: PlannedMonitor): boolean {
  return monitor.target !== null;
}
