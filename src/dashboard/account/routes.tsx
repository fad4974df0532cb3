import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { notFound } from "../../contract/errors.ts";
import type { Me } from "../../contract/session.ts";
import { TEAM_TOPICS } from "../../contract/team-notification.ts";
import { CreatedToken, TOKEN_LIFETIMES_DAYS } from "../../contract/token.ts";
import { RecoveryCodes, TotpSecret } from "../../contract/two-factor.ts";
import { findPrograms } from "../../data/credentials/read.ts";
import { browserName } from "../../domain/browser-name.ts";
import { presentBilling, presentTier, presentToken } from "../../features/account/present.ts";
import { countMyUsage, listMyTokens } from "../../features/account/service.ts";
import { readMyPreferences } from "../../features/preferences/service.ts";
import { presentReferrals } from "../../features/referrals/present.ts";
import { getMyReferrals } from "../../features/referrals/service.ts";
import { listMyPasskeys } from "../../features/sessions/passkeys.ts";
import { presentMe, presentPasskey, presentSession } from "../../features/sessions/present.ts";
import { getMe, listMySessions } from "../../features/sessions/service.ts";
import { presentWorkflow } from "../../features/trusted-workflows/present.ts";
import { listMyWorkflows } from "../../features/trusted-workflows/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi, errorOf } from "../call-api.ts";
import { CopyText, ListPages } from "../components/pieces.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, type Problems, storedValues, toSentences } from "../form-fields.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, submitForm, wholeBody } from "../object-form.tsx";
import { notifyTopics } from "../pages/form.ts";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { Chats, loadChats } from "./chat-routes.tsx";
import { codeField, confirmationFields } from "./confirmation.ts";
import { Programs } from "./program-routes.tsx";
import { shownOnce, trail } from "./shown-once.tsx";
import { AccountTabs } from "./tabs.tsx";
import { pagesFields, scopesField, withoutEmptyLists } from "./token-fields.ts";
import { Danger, Data, Passkeys, Plan, Profile, Sessions, Tokens } from "./views.tsx";
import { Workflows } from "./workflow-routes.tsx";

const CORE = "/api/core/v1";
const LIST_MAX = 200;
const params = z.object({ id: z.uuid() });

const AccountQuery = z.object({ tokens: ListOffset, sessions: ListOffset });

function profileFields(): FormField[] {
  const text = words("dashboard-account").profile;
  return [{ kind: "text", name: "name", label: text.name, required: true, maxlength: 200, hint: text.name_hint }];
}

async function profileForm(c: AppContext): Promise<EditForm> {
  const fields = profileFields();
  return {
    title: words("dashboard-account").profile.title,
    section: "account",
    trail: trail(),
    fields,
    action: "/app/account/profile",
    keepsDraft: true,
    cancel: "/app/account",
    stored: storedValues(fields, presentMe(await getMe(c.var.ctx))),
  };
}

async function passwordForm(c: AppContext): Promise<ObjectForm> {
  const text = words("dashboard-account").password;
  const me = presentMe(await getMe(c.var.ctx));
  const present: readonly FormField[] = me.has_password ? confirmationFields(me, "current_password") : [];
  return {
    title: me.has_password ? text.change : text.set,
    section: "account",
    trail: trail(),
    fields: [
      ...present,
      { kind: "password", name: "new_password", label: text.new, required: true },
      { kind: "checkbox", name: "end_tokens", label: text.end_tokens },
    ],
    action: "/app/account/password",
    cancel: "/app/account",
  };
}

/** The form of a new API token; its pages are those that the caller sees. */
async function tokenForm({ var: { ctx } }: AppContext): Promise<ObjectForm> {
  const { tokens: text, shared } = words("dashboard-account");
  const pages = await listPageChoices(ctx);
  return {
    title: text.create,
    section: "account",
    trail: trail(),
    fields: [
      { kind: "text", name: "name", label: text.name, required: true, hint: text.name_hint },
      {
        kind: "select",
        name: "expires_in_days",
        label: text.expires,
        empty: shared.never,
        options: TOKEN_LIFETIMES_DAYS.map((days) => ({ value: String(days), label: text.after({ days }) })),
      },
      scopesField(text.scopes_hint),
      ...pagesFields(pages),
      {
        kind: "lines",
        name: "allowed_networks",
        label: text.networks,
        hint: text.networks_hint,
        advanced: true,
      },
    ],
    submit: text.create,
    action: "/app/account/tokens",
    cancel: "/app/account",
  };
}

function toTokenBody({ expires_in_days, ...lists }: Record<string, unknown>): Record<string, unknown> {
  return { ...withoutEmptyLists(lists), expires_in_days: expires_in_days === null ? null : Number(expires_in_days) };
}

function codeFields(): FormField[] {
  const text = words("dashboard-account").two_factor;
  return [{ kind: "text", name: "code", label: text.code, hint: text.code_hint, required: true }];
}

const twoFactorForm = (fields: readonly FormField[], step: string, submit: string): ObjectForm => ({
  title: words("dashboard-account").two_factor.title,
  section: "account",
  trail: trail(),
  fields,
  submit,
  action: `/app/account/two-factor/${step}`,
  cancel: "/app/account",
});

type Person = z.output<typeof Me>;
const setupForm = (me: Person) =>
  twoFactorForm(confirmationFields(me), "setup", words("dashboard-account").two_factor.continue);
const disableForm = (me: Person) => {
  const [password, ...others] = confirmationFields(me);
  return twoFactorForm(
    [...(password ? [password] : []), codeField(me), ...others],
    "disable",
    words("dashboard-account").two_factor.turn_off,
  );
};

function preferenceFields(): FormField[] {
  const text = words("dashboard-account").preferences;
  return [
    { kind: "checkbox", name: "mail", label: text.mail },
    { kind: "checkbox", name: "in_app", label: text.in_app },
    { kind: "checkbox", name: "push", label: text.push },
    {
      kind: "several",
      name: "notify_team",
      label: text.when,
      options: notifyTopics(),
    },
  ];
}

async function preferenceForm(c: AppContext): Promise<EditForm> {
  const fields = preferenceFields();
  const preferences = await readMyPreferences(c.var.ctx);
  const notify_team = TEAM_TOPICS.filter((topic) => preferences.notify_team[topic]);
  return {
    title: words("dashboard-account").preferences.title,
    section: "account",
    trail: trail(),
    fields,
    action: "/app/account/notifications",
    cancel: "/app/account",
    stored: storedValues(fields, { ...preferences, notify_team }),
  };
}

export const endpoints = [
  view({ path: "/app/account", summary: "Account in the dashboard", query: AccountQuery }, (c, { query }) =>
    showAccount(c, query),
  ),

  view({ path: "/app/account/profile", summary: "Form of the profile" }, async (c) => {
    const form = await profileForm(c);
    return showForm(c, form, form.stored);
  }),
  action({ path: "/app/account/profile", summary: "Save the profile" }, async (c, entered) => {
    const path = `${CORE}/auth/me`;
    const sent = await submitForm(c, await profileForm(c), entered, { method: "PATCH", path, toBody: wholeBody });
    return sent.ok ? redirectWithNotice("/app/account", words("dashboard-account").shared.saved(sent)) : sent.response;
  }),

  view({ path: "/app/account/password", summary: "Form of a new password", withoutSecondFactor: true }, async (c) =>
    showForm(c, await passwordForm(c), {}),
  ),
  action(
    { path: "/app/account/password", summary: "Change the password", withoutSecondFactor: true },
    async (c, entered) => {
      const sent = await submitForm(c, await passwordForm(c), entered, {
        method: "POST",
        path: `${CORE}/auth/password`,
      });
      return sent.ok ? redirectWithNotice("/app/account", words("dashboard-account").password.changed) : sent.response;
    },
  ),

  view({ path: "/app/account/tokens", summary: "Form of a new API token" }, async (c) =>
    showForm(c, await tokenForm(c), {}),
  ),
  action({ path: "/app/account/tokens", summary: "Create an API token" }, async (c, entered) => {
    const sent = await submitForm(c, await tokenForm(c), entered, {
      method: "POST",
      path: `${CORE}/user/api-tokens`,
      toBody: toTokenBody,
    });
    return sent.ok ? showToken(c, sent.body) : sent.response;
  }),
  view({ path: "/app/account/tokens/{id}/rotate", summary: "Form of a token's new secret", params }, async (c, at) =>
    showForm(c, await rotationForm(c, at.params.id), { overlap_hours: "24" }),
  ),
  action(
    { path: "/app/account/tokens/{id}/rotate", summary: "Rotate an API token", params },
    async (c, entered, { id }) => {
      const sent = await submitForm(c, await rotationForm(c, id), entered, {
        method: "POST",
        path: `${CORE}/user/api-tokens/${id}/rotate`,
        toBody: ({ overlap_hours }) => ({ overlap_hours: Number(overlap_hours) }),
      });
      return sent.ok ? showToken(c, sent.body) : sent.response;
    },
  ),
  ...confirmedDeletion(
    { path: "/app/account/tokens/{id}/delete", summary: "Delete an API token", params },
    deletionOfToken,
  ),

  ...confirmedDeletion({ path: "/app/account/sessions/{id}/end", summary: "End a session", params }, deletionOfSession),

  view({ path: "/app/account/two-factor", summary: "Two-factor sign-in", withoutSecondFactor: true }, async (c) => {
    const me = presentMe(await getMe(c.var.ctx));
    return showForm(c, me.second_factors.includes("totp") ? disableForm(me) : setupForm(me), {});
  }),
  action(
    { path: "/app/account/two-factor/setup", summary: "Begin two-factor sign-in", withoutSecondFactor: true },
    async (c, entered) => {
      const form = setupForm(presentMe(await getMe(c.var.ctx)));
      const sent = await submitForm(c, form, entered, { method: "POST", path: `${CORE}/auth/totp/setup` });
      return sent.ok ? showSecret(c, TotpSecret.parse(sent.body)) : sent.response;
    },
  ),
  action(
    { path: "/app/account/two-factor/confirm", summary: "Turn on two-factor sign-in", withoutSecondFactor: true },
    async (c, entered) => {
      const text = words("dashboard-account").two_factor;
      const secret = TotpSecret.safeParse(Object.fromEntries(entered));
      const body = { code: entered.get("code") ?? "" };
      const answer = await callApi(c, { method: "POST", path: `${CORE}/auth/totp/confirm`, body });
      if (answer.ok) {
        const { recovery_codes } = RecoveryCodes.parse(answer.body);
        const codes = <CopyText label={text.codes} text={recovery_codes.join("\n")} />;
        return showView(c, shownOnce(text.is_on, codes));
      }
      if (!secret.success) throw errorOf(answer);
      return showSecret(c, secret.data, {
        problems: toSentences(codeFields(), answer.problems),
        status: answer.status,
      });
    },
  ),
  action({ path: "/app/account/two-factor/disable", summary: "Turn off two-factor sign-in" }, async (c, entered) => {
    const form = disableForm(presentMe(await getMe(c.var.ctx)));
    const sent = await submitForm(c, form, entered, { method: "POST", path: `${CORE}/auth/totp/disable` });
    return sent.ok ? redirectWithNotice("/app/account", words("dashboard-account").two_factor.is_off) : sent.response;
  }),

  view({ path: "/app/account/notifications", summary: "Personal notifications" }, async (c) => {
    const form = await preferenceForm(c);
    return showForm(c, form, form.stored);
  }),
  action({ path: "/app/account/notifications", summary: "Save personal notifications" }, async (c, entered) => {
    const toBody = ({ notify_team, ...body }: Record<string, unknown>) => {
      if (!Array.isArray(notify_team)) return body;
      const topics = TEAM_TOPICS.map((topic) => [topic, notify_team.includes(topic)]);
      return { ...body, notify_team: Object.fromEntries(topics) };
    };
    const path = `${CORE}/user/preferences`;
    const sent = await submitForm(c, await preferenceForm(c), entered, { method: "PUT", path, toBody });
    return sent.ok ? redirectWithNotice("/app/account", words("dashboard-account").shared.saved(sent)) : sent.response;
  }),
];

function showToken(c: AppContext, body: unknown): Promise<Response> {
  const text = words("dashboard-account").tokens;
  const { token, name } = CreatedToken.parse(body);
  return showView(c, shownOnce(text.shown({ name }), <CopyText label={text.token} text={token} />));
}

async function rotationForm(c: AppContext, id: string): Promise<ObjectForm> {
  const text = words("dashboard-account").tokens;
  const { name } = await findMyToken(c, id);
  return {
    title: text.rotation({ name }),
    section: "account",
    trail: trail(),
    fields: [
      {
        kind: "select",
        name: "overlap_hours",
        label: text.overlap,
        hint: text.overlap_hint,
        options: [
          { value: "0", label: text.overlaps.none },
          { value: "1", label: text.overlaps.hour },
          { value: "24", label: text.overlaps.day },
          { value: "168", label: text.overlaps.week },
        ],
      },
    ],
    submit: text.rotate,
    action: `/app/account/tokens/${id}/rotate`,
    cancel: "/app/account",
  };
}

async function findMyToken(c: AppContext, id: string) {
  const { rows: tokens } = await listMyTokens(c.var.ctx, { limit: LIST_MAX, offset: 0 });
  const token = tokens.find((each) => each.id === id);
  if (!token) throw notFound("API token");
  return token;
}

async function deletionOfToken(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-account").tokens;
  const token = await findMyToken(c, id);
  return {
    kind: text.kind,
    name: token.name,
    section: "account",
    trail: trail(),
    list: "/app/account",
    shown: "/app/account",
    path: `/app/account/tokens/${id}`,
    api: `${CORE}/user/api-tokens/${id}`,
    lost: text.lost({ prefix: token.token_prefix }),
  };
}

async function deletionOfSession(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-account").sessions;
  const { rows: sessions } = await listMySessions(c.var.ctx, { limit: LIST_MAX, offset: 0 });
  const session = sessions.find((each) => each.id === id);
  if (!session) throw notFound("session");
  return {
    kind: text.kind,
    name: browserName(session.user_agent),
    section: "account",
    trail: trail(),
    list: "/app/account",
    shown: "/app/account",
    path: `/app/account/sessions/${id}`,
    confirmation: `/app/account/sessions/${id}/end`,
    api: `${CORE}/auth/sessions/${id}`,
    verb: [text.end, text.ended],
    lost: session.ip === null ? text.lost_unknown : text.lost({ address: session.ip }),
  };
}

interface Shown {
  problems?: Problems;
  status?: number;
}

/** The secret travels through the form, so that a wrong code does not hide it. */
function showSecret(c: AppContext, { secret, otpauth_url }: z.output<typeof TotpSecret>, shown: Shown = {}) {
  const text = words("dashboard-account").two_factor;
  const result = (
    <>
      <p>{text.scan}</p>
      <QrCode text={otpauth_url} label={text.qr} />
      <CopyText label={text.secret} text={secret} />
      <p>
        <a href={otpauth_url}>{text.open}</a>
      </p>
      <input type="hidden" name="secret" value={secret} />
      <input type="hidden" name="otpauth_url" value={otpauth_url} />
    </>
  );
  return showForm(c, twoFactorForm(codeFields(), "confirm", text.turn_on), {}, { ...shown, result });
}

async function showAccount(c: AppContext, at: z.output<typeof AccountQuery>): Promise<Response> {
  const text = words("dashboard-account").referrals;
  const place = (offset: number, total: number) => ({ total, limit: SHOWN_MAX, offset });
  const href = (where: Partial<typeof at>) => addressWith("/app/account", { ...at, ...where });
  const { ctx } = c.var;
  const { session_id, is_operator, user_id } = requireUser(ctx);
  const [me, passkeys, tokens, workflows, chats, sessions, usage, referrals, programs] = await Promise.all([
    getMe(ctx),
    listMyPasskeys(ctx),
    listMyTokens(ctx, partAt(at.tokens)),
    listMyWorkflows(ctx, { limit: LIST_MAX, offset: 0 }),
    loadChats(c),
    listMySessions(ctx, partAt(at.sessions)),
    countMyUsage(ctx),
    getMyReferrals(ctx),
    findPrograms(ctx.db, user_id),
  ]);
  const shown = { current_id: session_id, session_ms: sessions.session_ms };
  const { url, clicks, signups, credits } = presentReferrals(referrals, c.var.publicUrl);
  return showView(c, {
    title: words("dashboard-account").shared.account,
    section: "account",
    children: (
      <>
        <AccountTabs open="/app/account" isOperator={is_operator} />
        <Profile me={presentMe(me)} />
        <Passkeys passkeys={passkeys.map(presentPasskey)} now={c.var.now} />
        <Plan tier={presentTier(usage)} seats={presentBilling(usage).seats} />
        <Tokens tokens={tokens.rows.map(presentToken)} now={c.var.now} />
        <ListPages {...place(at.tokens, tokens.total)} href={(from) => href({ tokens: from })} />
        <Workflows workflows={workflows.rows.map((row) => presentWorkflow(row, c.var.publicUrl))} now={c.var.now} />
        <Chats chats={chats} now={c.var.now} />
        <Programs {...programs} />
        <Sessions sessions={sessions.rows.map((row) => presentSession(row, shown))} now={c.var.now} />
        <ListPages {...place(at.sessions, sessions.total)} href={(from) => href({ sessions: from })} />
        <section class="card" aria-labelledby="referrals">
          <h2 id="referrals">{text.title}</h2>
          <CopyText label={text.link} text={url} />
          <p class="quiet">{text.counts({ clicks, signups, credits })}</p>
        </section>
        <Data origin={c.var.publicUrl} />
        <Danger />
      </>
    ),
  });
}
