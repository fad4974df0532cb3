import type { z } from "zod";
import type { BillingStatus, TierInfo } from "../../contract/account.ts";
import type { Me, Session } from "../../contract/session.ts";
import type { Token } from "../../contract/token.ts";
import { ACTIONS, CopyText, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { RIGHT_NAMES } from "../team/views.tsx";
import { browserName } from "./browser-name.ts";

export function Profile({ me }: { me: z.output<typeof Me> }) {
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <dl class="facts">
        <div>
          <dt>Name</dt>
          <dd dir="auto">{me.name}</dd>
        </div>
        <div class="is-wide">
          <dt>E-mail</dt>
          <dd dir="auto">{me.email}</dd>
        </div>
        <div>
          <dt>Two-factor sign-in</dt>
          <dd>{me.has_two_factor ? "On" : "Off"}</dd>
        </div>
      </dl>
      <p class="actions">
        <a class="button second" href="/app/account/profile">
          Change name
        </a>
        <a class="button second" href="/app/account/password">
          Change password
        </a>
        <a class="button second" href="/app/account/two-factor">
          {me.has_two_factor ? "Turn off two-factor sign-in" : "Turn on two-factor sign-in"}
        </a>
        <a class="button second" href="/app/account/notifications">
          Choose what reaches you
        </a>
      </p>
    </section>
  );
}

interface PlanProps {
  tier: z.output<typeof TierInfo>;
  seats: z.output<typeof BillingStatus>["seats"];
}

export function Plan({ tier, seats }: PlanProps) {
  const of = (used: number, limit: number | null) => (limit === null ? String(used) : `${used} of ${limit}`);
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">Plan and usage</h2>
      <dl class="facts">
        <div>
          <dt>Plan</dt>
          <dd>{tier.tier.replace("_", "-")}</dd>
        </div>
        <div>
          <dt>Monitors</dt>
          <dd>{of(tier.usage.monitors, tier.limits.monitors)}</dd>
        </div>
        <div>
          <dt>Status pages</dt>
          <dd>{of(tier.usage.status_pages, tier.limits.status_pages)}</dd>
        </div>
        <div>
          <dt>Seats</dt>
          <dd>{of(seats.used, seats.limit)}</dd>
        </div>
        <div>
          <dt>Shortest interval</dt>
          <dd>{tier.limits.min_interval} s</dd>
        </div>
        <div>
          <dt>History</dt>
          <dd>{tier.limits.history_days} days</dd>
        </div>
      </dl>
    </section>
  );
}

const importCommand = (origin: string) =>
  `VIGIL_URL=${origin} VIGIL_TOKEN=your-token npm run vigil -- import account account.json`;

/** What an account can take along, and how it ends. */
export function Data({ origin }: { origin: string }) {
  return (
    <section class="card" aria-labelledby="data">
      <h2 id="data">Your data</h2>
      <p class="quiet">Everything that you own, as one JSON document, with the secrets that you may read.</p>
      <p class="actions">
        <a class="button second" href="/api/core/v1/user/export" download="account.json">
          Export account
        </a>
        <a class="button danger" href="/app/account/delete">
          Delete account
        </a>
      </p>
      <CopyText label="To import an export into the account of a token" text={importCommand(origin)} />
      <p class="quiet">
        It makes pages, monitors, incidents and channels that are not there yet, may be repeated, and prints what it
        left out.
      </p>
    </section>
  );
}

/** What a token may do, in a few words. */
function describeLimits({ scopes, status_page_ids, allowed_networks }: z.output<typeof Token>): string {
  const rights = scopes?.map((scope) => (scope === "read" ? "Read" : RIGHT_NAMES[scope])).join(", ") ?? "Everything";
  const pages = status_page_ids && `on ${status_page_ids.length} ${status_page_ids.length === 1 ? "page" : "pages"}`;
  const networks = allowed_networks && `from ${allowed_networks.join(", ")}`;
  return [rights, pages, networks].filter(Boolean).join(" ");
}

export function Tokens({ tokens, now }: { tokens: readonly z.output<typeof Token>[]; now: number }) {
  return (
    <section aria-labelledby="tokens">
      <div class="row">
        <h2 id="tokens">API tokens</h2>
        <a class="button" href="/app/account/tokens">
          Create API token
        </a>
      </div>
      {tokens.length === 0 ? (
        <p class="quiet">None. A token lets a program do what you may do.</p>
      ) : (
        <Table
          caption="Your API tokens"
          head={["Name", "Begins with", "May", "Last used", "Expires", ACTIONS]}
          isStacked
        >
          {tokens.map((token) => (
            <tr>
              <th scope="row" dir="auto">
                {token.name}
              </th>
              <td>
                <code>{token.token_prefix}</code>
              </td>
              <td>{describeLimits(token)}</td>
              <td>{token.last_used_at === null ? "Never" : <Time at={Date.parse(token.last_used_at)} now={now} />}</td>
              <td>{token.expires_at === null ? "Never" : <Time at={Date.parse(token.expires_at)} now={now} />}</td>
              <td>
                <a class="button danger" href={`/app/account/tokens/${token.id}/delete`}>
                  Delete
                </a>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function Sessions({ sessions, now }: { sessions: readonly z.output<typeof Session>[]; now: number }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <Table caption="Where you are signed in" head={["Browser", "Address", "Last used", ACTIONS]} isStacked>
        {sessions.map((session) => (
          <tr>
            <th scope="row" title={session.user_agent ?? undefined} dir="auto">
              {browserName(session.user_agent)}
            </th>
            <td>{session.ip ?? "–"}</td>
            <td>
              <Time at={Date.parse(session.last_used_at)} now={now} />
            </td>
            <td>
              {session.is_current ? (
                <span class="tag">This one</span>
              ) : (
                <a class="button second" href={`/app/account/sessions/${session.id}/end`}>
                  End
                </a>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
