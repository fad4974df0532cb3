import { API } from "./day.ts";
import type { Random } from "./random.ts";
import type { Service } from "./service.ts";
import type { Site } from "./targets.ts";

const SECOND = 1_000;
/** A number that no network has. */
const ASN = 64_500;
const POLL_S = 25;
const POLL_MS = POLL_S * SECOND;
/** A call that hangs is given up after so much more. */
const PATIENCE_MS = 15 * SECOND;
const TRIES = 3;
const BETWEEN_TRIES_MS = 400;

interface Command {
  id: string;
  type: string;
  params: { asked_at: number; assignment: { id: string } };
}

/** An answer that the service has acknowledged. */
export interface Answer {
  monitor_id: string;
  asked_at: number;
  sent_at: number;
  noted_at: number;
  isReached: boolean;
}

/**
 * An agent in another network than the edge's, which is asked before an outage begins. While it is ill, answers are late,
 * are said twice, or say that it could not check.
 */
export class Outside {
  readonly #service: Service;
  readonly #random: Random;
  readonly #sites: ReadonlyMap<string, Site>;
  readonly #seen = new Set<string>();
  #agent = { token: "", asn: ASN };
  readonly answers: Answer[] = [];
  isIll = false;

  constructor(service: Service, random: Random, sites: ReadonlyMap<string, Site>) {
    this.#service = service;
    this.#random = random;
    this.#sites = sites;
  }

  async enroll(ownerToken: string): Promise<void> {
    const service = this.#service;
    const agents = `${API}/agents`;
    const minted = await service.await(service.request("GET", `${agents}/token`, { token: ownerToken }));
    const agent = { ...this.#agent, token: minted.body.install_token };
    const body = { hostname: "outside", capabilities: ["confirm", "rules", "http"] };
    const { body: enrolled } = await service.await(service.request("POST", `${agents}/enroll`, { agent, body }));
    const location = { token: ownerToken, body: { is_location: true } };
    const marked = await service.await(service.request("PUT", `${agents}/${enrolled.agent_id}`, location));
    if (marked.status !== 200) throw new Error(`PUT /agents: ${marked.status} ${JSON.stringify(marked.body)}`);
    this.#agent = { ...this.#agent, token: enrolled.agent_token };
    void this.#listen();
  }

  async #listen(): Promise<void> {
    const { clock } = this.#service;
    const asked = this.#service.request("GET", `${API}/agents/commands?wait=${POLL_S}`, { agent: this.#agent });
    const given_up = clock.sleep(POLL_MS + PATIENCE_MS).then(() => ({ status: 0, body: [] }));
    const { status, body } = await Promise.race([asked, given_up]);
    const unseen = status === 200 ? (body as Command[]).filter(({ id }) => !this.#seen.has(id)) : [];
    for (const command of unseen) void this.#answer(command);
    const isWaiting = status === 200 && body.length === unseen.length;
    clock.after(isWaiting ? this.#random.between(5, 50) : 2 * SECOND, () => void this.#listen());
  }

  async #answer({ id, params: { asked_at, assignment } }: Command): Promise<void> {
    const random = this.#random;
    const { clock } = this.#service;
    this.#seen.add(id);
    await clock.sleep(random.between(5, 400));
    const isReached = this.#sites.get(assignment.id)?.isReachedFromOutside ?? false;
    const couldCheck = !this.isIll || random.happens(0.9);
    if (this.isIll && random.happens(0.2)) await clock.sleep(random.between(SECOND, 60 * SECOND));
    const result = { status: isReached ? "up" : "down", latency_ms: 20, message: "" };
    const body = couldCheck ? { ok: true, result } : { ok: false, error: "could not check" };
    const sent_at = clock.now;
    for (let tries = 0; tries < TRIES; tries++) {
      const path = `${API}/agents/commands/${id}/ack`;
      const { status } = await this.#service.request("POST", path, { agent: this.#agent, body });
      if (status === 200) {
        this.answers.push({
          monitor_id: assignment.id,
          asked_at,
          sent_at,
          noted_at: clock.now,
          isReached: couldCheck && isReached,
        });
        if (!this.isIll || random.happens(0.8)) return;
      }
      await clock.sleep(BETWEEN_TRIES_MS);
    }
  }
}
