import { beforeAll, describe, expect, it } from "vitest";
import { type Client, V1, V2 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember, type Grant } from "../support/members.ts";

/** What pushes are proved with is for people who may change the monitor, wherever it could appear. */

interface Watched {
  id: string;
  secret: string;
  /** Everywhere that shows the monitor. */
  details: string[];
  lists: string[];
}

let owner: Account;
let pageId: string;
let watched: Watched[];

beforeAll(async () => {
  owner = await createAccount();
  pageId = await createPage(owner);
  const add = (body: object) =>
    createMonitor(owner.client, { target: undefined, status_page_id: pageId, paused: false, ...body });
  const beat = await add({ type: "heartbeat" });
  const api = await add({ type: "api" });
  const game = await add({ type: "game_server", game_type: "rust", query_method: "push" });
  const lists = [`${V1}/monitors`, `${V1}/monitors?status_page_id=${pageId}`, `${V1}/status-pages/${pageId}/monitors`];
  const own = ({ id }: { id: string }) => `${V1}/monitors/${id}`;
  watched = [
    { id: beat.id, secret: beat.heartbeat_token, details: [own(beat)], lists },
    { id: api.id, secret: api.push_key, details: [own(api), `${V1}/api-monitoring/monitors/${api.id}`], lists },
    {
      id: game.id,
      secret: game.push_key,
      details: [own(game), `${V2}/game-server/monitors/${game.id}`],
      lists: [...lists, `${V2}/game-server/monitors`],
    },
  ];
});

/** What is anywhere else about a page or a monitor. */
const others = ({ id }: Watched) =>
  [
    `${V1}/overview`,
    `${V1}/status-pages/${pageId}`,
    `${V1}/monitors/${id}/results`,
    `${V1}/monitors/${id}/uptime`,
    `${V1}/audit-logs?status_page_id=${pageId}`,
    `${V1}/audit-logs?monitor_id=${id}`,
  ] as const;

async function seen(client: Client, paths: readonly string[], secret: string): Promise<string[]> {
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  return paths.filter((_, n) => JSON.stringify(answers[n]?.body).includes(secret));
}

const BLIND: [string, Grant][] = [
  ["a viewer", { role: "viewer" }],
  ["a custom member without capabilities", { role: "custom", capabilities: [] }],
  [
    "a custom member with everything but monitors.write",
    {
      role: "custom",
      capabilities: ["secrets.read", "agents.write", "alerting.write", "members.manage", "page.write"],
    },
  ],
];
const ENTITLED: [string, Grant][] = [
  ["an editor", { role: "editor" }],
  ["an admin", { role: "admin" }],
  ["a custom member with monitors.write", { role: "custom", capabilities: ["monitors.write"] }],
];

describe("the key of a monitor that is pushed to", () => {
  it.each(BLIND)("is never shown to %s", async (_name, grant) => {
    const { member } = await createMember(owner, grant, pageId);
    for (const each of watched) {
      const paths = [...each.details, ...each.lists, ...others(each)];
      expect(await seen(member.client, paths, each.secret)).toEqual([]);
      for (const path of each.details) {
        const { status, body } = await member.client.get(path);
        const { heartbeat_token = null, push_key = null, push_urls = null, push_url = null } = body;
        expect([status, heartbeat_token, push_key, push_urls, push_url]).toEqual([200, null, null, null, null]);
      }
    }
  });

  it.each(BLIND)("cannot be replaced by %s, nor read in a plug-in", async (_name, grant) => {
    const { member } = await createMember(owner, grant, pageId);
    const [beat, api, game] = watched.map(({ id }) => id);
    const answers = [
      await member.client.post(`${V1}/monitors/${beat}/regenerate-heartbeat-token`),
      await member.client.post(`${V1}/api-monitoring/monitors/${api}/regenerate-key`),
      await member.client.post(`${V2}/game-server/monitors/${game}/regenerate-key`),
      await member.client.get(`${V2}/game-server/monitors/${game}/plugin`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it.each(ENTITLED)("is shown to %s in details, and in no list", async (_name, grant) => {
    const { member } = await createMember(owner, grant, pageId);
    for (const each of watched) {
      expect(await seen(member.client, each.details, each.secret)).toEqual(each.details);
      expect(await seen(member.client, [...each.lists, ...others(each)], each.secret)).toEqual([]);
    }
  });
});
