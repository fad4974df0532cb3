import type { z } from "zod";
import type { BillingStatus, TierInfo } from "../../contract/account.ts";
import type { Passkey } from "../../contract/passkey.ts";
import type { Me, Session } from "../../contract/session.ts";
import type { Token } from "../../contract/token.ts";
import { browserName } from "../../domain/browser-name.ts";
import { ACTIONS, CopyText, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { words } from "../words.ts";
import { scopeName } from "./token-fields.ts";

export function Profile({ me }: { me: z.output<typeof Me> }) {
  const text = words("dashboard-account").profile;
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">{text.title}</h2>
      <dl class="facts">
        <div>
          <dt>{text.name}</dt>
          <dd dir="auto">{me.name}</dd>
        </div>
        <div class="is-wide">
          <dt>{text.email}</dt>
          <dd dir="auto">{me.email}</dd>
        </div>
        <div>
          <dt>{text.two_factor}</dt>
          <dd>{me.has_two_factor ? text.on : text.off}</dd>
        </div>
      </dl>
      <p class="actions">
        <a class="button second" href="/app/account/profile">
          {text.change_name}
        </a>
        <a class="button second" href="/app/account/password">
          {text.change_password}
        </a>
        <a class="button second" href="/app/account/two-factor">
          {twoFactorVerb(me)}
        </a>
        <a class="button second" href="/app/account/notifications">
          {text.notifications}
        </a>
      </p>
    </section>
  );
}

/** Of the authenticator app; passkeys have a list of their own. */
function twoFactorVerb({ second_factors }: z.output<typeof Me>): string {
  const text = words("dashboard-account").profile;
  if (second_factors.includes("totp")) return text.turn_off;
  return second_factors.length > 0 ? text.add_app : text.turn_on;
}

export function Passkeys({ passkeys, now }: { passkeys: readonly z.output<typeof Passkey>[]; now: number }) {
  const { passkeys: text, shared } = words("dashboard-account");
  return (
    <section aria-labelledby="passkeys">
      <div class="row">
        <h2 id="passkeys">{text.title}</h2>
        <a class="button second" href="/app/account/passkeys/new">
          {text.add}
        </a>
      </div>
      {passkeys.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table
          caption={text.caption}
          head={[text.name, text.works_at, text.added_at, text.last_used, ACTIONS]}
          isStacked
        >
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
                {passkey.last_used_at === null ? (
                  shared.never
                ) : (
                  <Time at={Date.parse(passkey.last_used_at)} now={now} />
                )}
              </td>
              <td>
                <span class="actions">
                  <a class="button second" href={`/app/account/passkeys/${passkey.id}/rename`}>
                    {text.rename}
                  </a>
                  <a class="button danger" href={`/app/account/passkeys/${passkey.id}/remove`}>
                    {text.remove}
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
  const text = words("dashboard-account").plan;
  const of = (used: number, limit: number | null) => (limit === null ? String(used) : text.used({ used, limit }));
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">{text.title}</h2>
      <dl class="facts">
        <div>
          <dt>{text.plan}</dt>
          <dd>{tier.tier.replace("_", "-")}</dd>
        </div>
        <div>
          <dt>{text.monitors}</dt>
          <dd>{of(tier.usage.monitors, tier.limits.monitors)}</dd>
        </div>
        <div>
          <dt>{text.pages}</dt>
          <dd>{of(tier.usage.status_pages, tier.limits.status_pages)}</dd>
        </div>
        <div>
          <dt>{text.seats}</dt>
          <dd>{seats.limit === null ? seats.used : text.seats_used({ used: seats.used, limit: seats.limit })}</dd>
        </div>
        <div>
          <dt>{text.interval}</dt>
          <dd>{text.seconds({ seconds: tier.limits.min_interval })}</dd>
        </div>
        <div>
          <dt>{text.history}</dt>
          <dd>{text.days({ days: tier.limits.history_days })}</dd>
        </div>
      </dl>
    </section>
  );
}

const importCommand = (origin: string) =>
  `VIGIL_URL=${origin} VIGIL_TOKEN=your-token npm run vigil -- import account account.json`;

/** What an account can take along, and how it ends. */
export function Data({ origin }: { origin: string }) {
  const text = words("dashboard-account").data;
  return (
    <section class="card" aria-labelledby="data">
      <h2 id="data">{text.title}</h2>
      <p class="quiet">{text.lead}</p>
      <p class="actions">
        <a class="button second" href="/api/core/v1/user/export" download="account.json">
          {text.export}
        </a>
      </p>
      <CopyText label={text.import_command} text={importCommand(origin)} />
      <p class="quiet">{text.import_hint}</p>
    </section>
  );
}

/** Apart from everything that is pressed every day. */
export function Danger() {
  const text = words("dashboard-account").danger;
  return (
    <section aria-labelledby="danger">
      <h2 id="danger">{text.title}</h2>
      <div class="row">
        <p class="quiet">{text.sign_out_hint}</p>
        <a class="button danger" href="/app/account/end-everything">
          {text.sign_out}
        </a>
      </div>
      <div class="row">
        <p class="quiet">{text.delete_hint}</p>
        <a class="button danger" href="/app/account/delete">
          {text.delete_account}
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
  const text = words("dashboard-account").tokens;
  const rights = scopes?.map(scopeName).join(", ") ?? text.everything;
  const [n, networks] = [status_page_ids?.length, allowed_networks?.join(", ")];
  if (n === undefined) return networks === undefined ? rights : text.from({ rights, networks });
  return networks === undefined ? text.on({ rights, n }) : text.on_from({ rights, n, networks });
}

export function Tokens({ tokens, now }: { tokens: readonly z.output<typeof Token>[]; now: number }) {
  const { tokens: text, shared } = words("dashboard-account");
  return (
    <section aria-labelledby="tokens">
      <div class="row">
        <h2 id="tokens">{text.title}</h2>
        <a class="button second" href="/app/account/tokens">
          {text.create}
        </a>
      </div>
      {tokens.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table
          caption={text.caption}
          head={[text.name, text.begins, text.may, text.last_used, text.expires, ACTIONS]}
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
              <td>
                {token.last_used_at === null ? shared.never : <Time at={Date.parse(token.last_used_at)} now={now} />}
              </td>
              <td>{token.expires_at === null ? shared.never : <Time at={Date.parse(token.expires_at)} now={now} />}</td>
              <td>
                <span class="actions">
                  {token.expires_at !== null && Date.parse(token.expires_at) <= now ? null : (
                    <a class="button second" href={`/app/account/tokens/${token.id}/rotate`}>
                      {text.rotate}
                    </a>
                  )}
                  <a class="button danger" href={`/app/account/tokens/${token.id}/delete`}>
                    {shared.delete}
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
  const text = words("dashboard-account").tokens;
  const until = Date.parse(token.former_until ?? "");
  if (!(until > now)) return null;
  return (
    <p class="quiet">
      {(token.former_used_at === null ? text.former_unused : text.former_used).parts({
        until: <Time at={until} now={now} />,
      })}
    </p>
  );
}

export function Sessions({ sessions, now }: { sessions: readonly z.output<typeof Session>[]; now: number }) {
  const text = words("dashboard-account").sessions;
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{text.title}</h2>
      <p>
        <a href="/app/account/history">{text.history}</a>
      </p>
      <Table caption={text.caption} head={[text.browser, text.address, text.last_used, ACTIONS]} isStacked>
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
                <span class="tag">{text.current}</span>
              ) : (
                <a class="button second" href={`/app/account/sessions/${session.id}/end`}>
                  {text.end}
                </a>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
