import type { z } from "zod";
import type { BillingStatus, TierInfo } from "../../contract/account.ts";
import type { Passkey } from "../../contract/passkey.ts";
import type { Me, Session } from "../../contract/session.ts";
import type { Token } from "../../contract/token.ts";
import { browserName } from "../../domain/browser-name.ts";
import { ACTIONS, CopyText, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { RIGHT_NAMES } from "../team/views.tsx";

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
          {twoFactorVerb(me)}
        </a>
        <a class="button second" href="/app/account/notifications">
          Choose what reaches you
        </a>
      </p>
    </section>
  );
}

/** Of the authenticator app; passkeys have a list of their own. */
function twoFactorVerb({ second_factors }: z.output<typeof Me>): string {
  if (second_factors.includes("totp")) return "Turn off two-factor sign-in";
  return second_factors.length > 0 ? "Add authenticator app" : "Turn on two-factor sign-in";
}

export function Passkeys({ passkeys, now }: { passkeys: readonly z.output<typeof Passkey>[]; now: number }) {
  return (
    <section aria-labelledby="passkeys">
      <div class="row">
        <h2 id="passkeys">Passkeys</h2>
        <a class="button second" href="/app/account/passkeys/new">
          Add passkey
        </a>
      </div>
      {passkeys.length === 0 ? (
        <p class="quiet">None. A passkey signs in with your finger, face or PIN, and cannot be phished.</p>
      ) : (
        <Table caption="Your passkeys" head={["Name", "Works at", "Added", "Last used", ACTIONS]} isStacked>
          {passkeys.map((passkey) => (
            <tr>
              <th scope="row" dir="auto">
                {passkey.name}
              </th>
              <td>{passkey.host}</td>
              <td>
                <Time at={Date.parse(passkey.created_at)} now={now} />
              </td>
              <td>
                {passkey.last_used_at === null ? "Never" : <Time at={Date.parse(passkey.last_used_at)} now={now} />}
              </td>
              <td>
                <span class="actions">
                  <a class="button second" href={`/app/account/passkeys/${passkey.id}/rename`}>
                    Rename
                  </a>
                  <a class="button danger" href={`/app/account/passkeys/${passkey.id}/remove`}>
                    Remove
                  </a>
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
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
          <dd>{seats.limit === null ? seats.used : `${seats.used} on all pages, at most ${seats.limit} on each`}</dd>
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
      </p>
      <CopyText label="To import an export into the account of a token" text={importCommand(origin)} />
      <p class="quiet">
        It makes pages, monitors, incidents and channels that are not there yet, may be repeated, and prints what it
        left out.
      </p>
    </section>
  );
}

/** Apart from everything that is pressed every day. */
export function Danger() {
  return (
    <section aria-labelledby="danger">
      <h2 id="danger">Danger</h2>
      <div class="row">
        <p class="quiet">Signing out everywhere ends all sessions and tokens, as after a device was lost.</p>
        <a class="button danger" href="/app/account/end-everything">
          Sign out everywhere
        </a>
      </div>
      <div class="row">
        <p class="quiet">Deleting the account deletes what you own: pages, monitors and their history.</p>
        <a class="button danger" href="/app/account/delete">
          Delete account
        </a>
      </div>
    </section>
  );
}

/** What a token may do, in a few words. */
export function describeLimits({
  scopes,
  status_page_ids,
  allowed_networks,
}: Pick<z.output<typeof Token>, "scopes" | "status_page_ids" | "allowed_networks">): string {
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
        <a class="button second" href="/app/account/tokens">
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
                <FormerSecret token={token} now={now} />
              </td>
              <td>{describeLimits(token)}</td>
              <td>{token.last_used_at === null ? "Never" : <Time at={Date.parse(token.last_used_at)} now={now} />}</td>
              <td>{token.expires_at === null ? "Never" : <Time at={Date.parse(token.expires_at)} now={now} />}</td>
              <td>
                <span class="actions">
                  {token.expires_at !== null && Date.parse(token.expires_at) <= now ? null : (
                    <a class="button second" href={`/app/account/tokens/${token.id}/rotate`}>
                      Rotate
                    </a>
                  )}
                  <a class="button danger" href={`/app/account/tokens/${token.id}/delete`}>
                    Delete
                  </a>
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

/** The secret before, as long as it is accepted. */
function FormerSecret({ token, now }: { token: z.output<typeof Token>; now: number }) {
  const until = Date.parse(token.former_until ?? "");
  if (!(until > now)) return null;
  return (
    <p class="quiet">
      The one before ends <Time at={until} now={now} />
      {token.former_used_at === null ? ", unused since." : "; it is still in use."}
    </p>
  );
}

export function Sessions({ sessions, now }: { sessions: readonly z.output<typeof Session>[]; now: number }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p>
        <a href="/app/account/history">Sign-in history</a>
      </p>
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
