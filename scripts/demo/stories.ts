import type { IncidentStatus } from "../../src/contract/incident.ts";
import type { PageKey, PersonKey } from "./company.ts";

/** One thing that went wrong at Northwind: the outages of its monitors, and the incident with what people wrote about it. */
export interface Story {
  page: PageKey;
  title: string;
  severity: "critical" | "major" | "minor";
  impact: string;
  /** When it began: so many days before the day on which the demonstration was made, at this time (UTC). */
  days_ago: number;
  at: string;
  minutes: number;
  monitors: string[];
  /** How its monitors were. */
  status: "down" | "degraded";
  cause: string;
  assignee: PersonKey;
  /** Minutes after the beginning. The last one resolves it. */
  updates: [minutes: number, status: IncidentStatus, by: PersonKey, message: string][];
}

export const STORIES: readonly Story[] = [
  {
    page: "shop",
    title: "Orders could not be paid",
    severity: "critical",
    impact: "Payments by card were refused. Baskets and orders were kept.",
    days_ago: 4,
    at: "09:12",
    minutes: 58,
    monitors: ["Checkout", "Card payments"],
    status: "down",
    cause: "HTTP 502",
    assignee: "mira",
    updates: [
      [4, "investigating", "mira", "Payments by card fail. We are looking into it."],
      [
        16,
        "identified",
        "jonas",
        "A certificate between us and the payment provider has expired. **Bank transfers work.**",
      ],
      [41, "monitoring", "mira", "The certificate is renewed. The first payments arrive again; we keep watching."],
      [58, "resolved", "mira", "All payments arrive. Nobody was charged twice.\n\nWe now watch that certificate, too."],
    ],
  },
  {
    page: "shop",
    title: "Slow search results",
    severity: "minor",
    impact: "Search took up to six seconds.",
    days_ago: 9,
    at: "17:40",
    minutes: 96,
    monitors: ["Product search", "Recommendations"],
    status: "degraded",
    cause: "answered in 5,820 ms",
    assignee: "jonas",
    updates: [
      [12, "investigating", "jonas", "Search answers slowly since the new catalogue was loaded."],
      [47, "identified", "jonas", "One of three search servers rebuilds its index. We have taken it out."],
      [96, "resolved", "jonas", "Search is as fast as before."],
    ],
  },
  {
    page: "shop",
    title: "Parcel tracking shows old positions",
    severity: "minor",
    impact: "Parcels seemed to stand still. Deliveries were not affected.",
    days_ago: 15,
    at: "06:05",
    minutes: 214,
    monitors: ["Parcel tracking"],
    status: "down",
    cause: "no answer within 10 s",
    assignee: "jonas",
    updates: [
      [22, "investigating", "jonas", "Our carrier's interface does not answer."],
      [75, "identified", "jonas", "The carrier confirms an outage of its own and expects to be back before noon."],
      [190, "monitoring", "mira", "Positions arrive again, the oldest first."],
      [214, "resolved", "mira", "All positions are up to date."],
    ],
  },
  {
    page: "shop",
    title: "The shop was unreachable",
    severity: "critical",
    impact: "No page of the shop could be opened.",
    days_ago: 23,
    at: "20:31",
    minutes: 19,
    monitors: ["Web shop", "Shopping basket", "Product search", "Gift cards"],
    status: "down",
    cause: "connection refused",
    assignee: "mira",
    updates: [
      [3, "investigating", "mira", "The shop cannot be reached."],
      [9, "identified", "mira", "A change of the load balancer was wrong. We have taken it back."],
      [
        19,
        "resolved",
        "mira",
        "The shop works. The change now has to pass a test with real requests before it is made.",
      ],
    ],
  },
  {
    page: "shop",
    title: "Confirmation mails arrive late",
    severity: "minor",
    impact: "Confirmations came up to an hour after the order.",
    days_ago: 37,
    at: "11:20",
    minutes: 131,
    monitors: ["Outgoing mail"],
    status: "degraded",
    cause: "answered in 4,410 ms",
    assignee: "jonas",
    updates: [
      [30, "identified", "jonas", "A newsletter with 400,000 readers stands in front of the confirmations."],
      [60, "monitoring", "jonas", "Confirmations have a queue of their own now."],
      [131, "resolved", "jonas", "All mails are delivered."],
    ],
  },
  {
    page: "shop",
    title: "Some customers could not sign in",
    severity: "major",
    impact: "Every fifth attempt to sign in failed.",
    days_ago: 52,
    at: "07:48",
    minutes: 44,
    monitors: ["Sign-in"],
    status: "down",
    cause: "HTTP 503",
    assignee: "mira",
    updates: [
      [6, "investigating", "mira", "Signing in fails now and then."],
      [
        21,
        "identified",
        "priya",
        "One server refuses sessions that another one made. We restart it with the right key.",
      ],
      [44, "resolved", "mira", "Everybody can sign in."],
    ],
  },
  {
    page: "shop",
    title: "Delivery slots could not be chosen",
    severity: "major",
    impact: "Orders with a wished time of delivery could not be completed.",
    days_ago: 71,
    at: "13:02",
    minutes: 67,
    monitors: ["Delivery slots", "Warehouse system"],
    status: "down",
    cause: "HTTP 500",
    assignee: "jonas",
    updates: [
      [11, "investigating", "jonas", "The calendar of deliveries does not load."],
      [38, "identified", "jonas", "The warehouse had more than 10,000 slots for one day, which nobody had expected."],
      [67, "resolved", "jonas", "Slots can be chosen again."],
    ],
  },
  {
    page: "developers",
    title: "Elevated errors of the REST API",
    severity: "major",
    impact: "About 8 % of requests were answered with 503.",
    days_ago: 6,
    at: "14:26",
    minutes: 37,
    monitors: ["REST API", "Orders API"],
    status: "down",
    cause: "HTTP 503",
    assignee: "priya",
    updates: [
      [5, "investigating", "priya", "Some requests are answered with 503. Requests may be repeated safely."],
      [18, "identified", "priya", "A deployment left too few servers in one zone."],
      [37, "resolved", "priya", "The error rate is back at its usual level."],
    ],
  },
  {
    page: "developers",
    title: "Webhooks are delivered with delay",
    severity: "minor",
    impact: "Webhooks arrived up to 25 minutes late; none was lost.",
    days_ago: 19,
    at: "10:15",
    minutes: 88,
    monitors: ["Webhook delivery"],
    status: "degraded",
    cause: "answered in 3,960 ms",
    assignee: "priya",
    updates: [
      [15, "investigating", "priya", "The queue of webhooks grows."],
      [
        52,
        "monitoring",
        "priya",
        "One receiver answered very slowly and held up others. It has a queue of its own now.",
      ],
      [88, "resolved", "priya", "All webhooks are delivered."],
    ],
  },
  {
    page: "developers",
    title: "Sandbox unavailable",
    severity: "minor",
    impact: "Test orders could not be made. Production was not affected.",
    days_ago: 33,
    at: "08:40",
    minutes: 152,
    monitors: ["Sandbox", "GraphQL gateway"],
    status: "down",
    cause: "HTTP 504",
    assignee: "priya",
    updates: [
      [20, "identified", "priya", "The database of the sandbox is full of old test orders."],
      [110, "monitoring", "priya", "Test orders older than 90 days are deleted."],
      [152, "resolved", "priya", "The sandbox works, and deletes old test orders by itself."],
    ],
  },
  {
    page: "developers",
    title: "Tokens were refused",
    severity: "critical",
    impact: "Tokens that were issued between 05:10 and 05:32 UTC were refused.",
    days_ago: 60,
    at: "05:10",
    minutes: 26,
    monitors: ["OAuth tokens", "REST API"],
    status: "down",
    cause: "HTTP 401",
    assignee: "priya",
    updates: [
      [8, "investigating", "priya", "New tokens are refused."],
      [22, "identified", "priya", "A signing key was changed in one place alone."],
      [26, "resolved", "priya", "Request a new token if yours was issued between 05:10 and 05:32 UTC."],
    ],
  },
  {
    page: "internal",
    title: "Orders database failed over",
    severity: "major",
    impact: "Orders were accepted and processed four minutes later.",
    days_ago: 12,
    at: "02:17",
    minutes: 14,
    monitors: ["Orders database"],
    status: "down",
    cause: "connection refused",
    assignee: "jonas",
    updates: [
      [2, "investigating", "jonas", "The primary does not answer; the replica takes over."],
      [
        14,
        "resolved",
        "jonas",
        "The replica is the primary now. The disk of the old one is broken and will be replaced.",
      ],
    ],
  },
  {
    page: "internal",
    title: "Uplink of the office is down",
    severity: "minor",
    impact: "Nobody in the office could reach the internet; phones worked.",
    days_ago: 28,
    at: "12:44",
    minutes: 83,
    monitors: ["Office uplink"],
    status: "down",
    cause: "no reply to 5 of 5 packets",
    assignee: "tomas",
    updates: [
      [10, "identified", "jonas", "An excavator met the fibre on the street."],
      [35, "monitoring", "jonas", "The office uses the mobile uplink."],
      [83, "resolved", "jonas", "The fibre is spliced."],
    ],
  },
];

/** The incident that is open: its monitor has been down since. */
export const OPEN_STORY: Story = {
  page: "shop",
  title: "Parcel tracking is not available",
  severity: "major",
  impact: "Positions of parcels are not shown. Deliveries are on their way.",
  days_ago: 0,
  at: "",
  minutes: 47,
  monitors: ["Parcel tracking"],
  status: "down",
  cause: "no answer within 10 s",
  assignee: "jonas",
  updates: [
    [5, "investigating", "jonas", "Positions of parcels are not shown. We are looking into it."],
    [
      19,
      "identified",
      "jonas",
      "Our carrier's interface does not answer. **Deliveries are on their way**; we have written to the carrier.",
    ],
  ],
};

export interface PlannedMaintenance {
  page: PageKey;
  title: string;
  description: string;
  /** Hours from now, rounded to whole ones. */
  starts_in_hours: number;
  minutes: number;
  monitors: string[];
  recurrence?: "weekly" | "monthly";
}

export const MAINTENANCE: readonly PlannedMaintenance[] = [
  {
    page: "shop",
    title: "New database servers",
    description: "The shop is *read only* meanwhile: baskets can be filled, orders follow afterwards.",
    starts_in_hours: 50,
    minutes: 90,
    monitors: ["Web shop", "Checkout", "Order history"],
  },
  {
    page: "shop",
    title: "Move of the picture archive",
    description: "Some pictures load more slowly than usual.",
    starts_in_hours: -1,
    minutes: 240,
    monitors: ["Product pictures"],
  },
  {
    page: "shop",
    title: "Update of the warehouse system",
    description: "Delivery times of the next day cannot be chosen for an hour.",
    starts_in_hours: -24 * 17,
    minutes: 60,
    monitors: ["Warehouse system", "Delivery slots"],
  },
  {
    page: "developers",
    title: "Rotation of signing keys",
    description: "Tokens stay valid. Clients that cache the key set should reload it.",
    starts_in_hours: 26,
    minutes: 30,
    monitors: ["OAuth tokens"],
  },
  {
    page: "developers",
    title: "Refresh of the sandbox",
    description: "All test orders are deleted.",
    starts_in_hours: -24 * 26 + 3,
    minutes: 45,
    monitors: ["Sandbox"],
    recurrence: "weekly",
  },
  {
    page: "internal",
    title: "Security updates of the cluster",
    description: "One machine after the other restarts.",
    starts_in_hours: -24 * 58,
    minutes: 120,
    monitors: ["Kubernetes production", "Virtual machines"],
    recurrence: "monthly",
  },
];
