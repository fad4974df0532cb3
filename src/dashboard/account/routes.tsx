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
import { NOTIFY_TOPICS } from "../pages/form.ts";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
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

const PROFILE_FIELDS: readonly FormField[] = [
  { kind: "text", name: "name", label: "Name", required: true, maxlength: 200, hint: "as your team sees you" },
];

async function profileForm(c: AppContext): Promise<EditForm> {
  return {
    title: "Profile",
    section: "account",
    trail,
    fields: PROFILE_FIELDS,
    action: "/app/account/profile",
    keepsDraft: true,
    cancel: "/app/account",
    stored: storedValues(PROFILE_FIELDS, presentMe(await getMe(c.var.ctx))),
  };
}

async function passwordForm(c: AppContext): Promise<ObjectForm> {
  const me = presentMe(await getMe(c.var.ctx));
  const present: readonly FormField[] = me.has_password ? confirmationFields(me, "current_password") : [];
  return {
    title: me.has_password ? "Change password" : "Set password",
    section: "account",
    trail,
    fields: [
      ...present,
      { kind: "password", name: "new_password", label: "New password", required: true },
      { kind: "checkbox", name: "end_tokens", label: "End all API tokens, too" },
    ],
    action: "/app/account/password",
    cancel: "/app/account",
  };
}

/** The form of a new API token; its pages are those that the caller sees. */
async function tokenForm({ var: { ctx } }: AppContext): Promise<ObjectForm> {
  const pages = await listPageChoices(ctx);
  return {
    title: "Create API token",
    section: "account",
    trail,
    fields: [
      { kind: "text", name: "name", label: "Name", required: true, hint: "what it is for" },
      {
        kind: "select",
        name: "expires_in_days",
        label: "Expires",
        empty: "Never",
        options: TOKEN_LIFETIMES_DAYS.map((days) => ({ value: String(days), label: `After ${days} days` })),
      },
      scopesField("Each one includes reading. None chosen: everything that you may."),
      ...pagesFields(pages),
      {
        kind: "lines",
        name: "allowed_networks",
        label: "Accepted from",
        hint: "Addresses and networks such as 192.0.2.0/24, one a line. Empty: from anywhere.",
        advanced: true,
      },
    ],
    submit: "Create API token",
    action: "/app/account/tokens",
    cancel: "/app/account",
  };
}

function toTokenBody({ expires_in_days, ...lists }: Record<string, unknown>): Record<string, unknown> {
  return { ...withoutEmptyLists(lists), expires_in_days: expires_in_days === null ? null : Number(expires_in_days) };
}

const CONFIRM_FIELDS: readonly FormField[] = [
  { kind: "text", name: "code", label: "Code", hint: "the six digits that the app shows", required: true },
];
const twoFactorForm = (fields: readonly FormField[], step: string, submit: string): ObjectForm => ({
  title: "Two-factor sign-in",
  section: "account",
  trail,
  fields,
  submit,
  action: `/app/account/two-factor/${step}`,
  cancel: "/app/account",
});

type Person = z.output<typeof Me>;
const setupForm = (me: Person) => twoFactorForm(confirmationFields(me), "setup", "Continue");
const disableForm = (me: Person) => {
  const [password, ...others] = confirmationFields(me);
  return twoFactorForm([...(password ? [password] : []), codeField(me), ...others], "disable", "Turn off");
};

const PREFERENCE_FIELDS: readonly FormField[] = [
  { kind: "checkbox", name: "mail", label: "By mail" },
  { kind: "checkbox", name: "in_app", label: "In the dashboard" },
  { kind: "checkbox", name: "push", label: "In my browsers and on my phones" },
  {
    kind: "several",
    name: "notify_team",
    label: "When",
    options: NOTIFY_TOPICS.map(([value, label]) => ({ value, label })),
  },
];

async function preferenceForm(c: AppContext): Promise<EditForm> {
  const preferences = await readMyPreferences(c.var.ctx);
  const notify_team = TEAM_TOPICS.filter((topic) => preferences.notify_team[topic]);
  return {
    title: "What reaches you",
    section: "account",
    trail,
    fields: PREFERENCE_FIELDS,
    action: "/app/account/notifications",
    cancel: "/app/account",
    stored: storedValues(PREFERENCE_FIELDS, { ...preferences, notify_team }),
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
    return sent.ok ? redirectWithNotice("/app/account", `Saved.${sent.kept}`) : sent.response;
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
      return sent.ok
        ? redirectWithNotice("/app/account", "The password is changed. All other sessions ended.")
        : sent.response;
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
    if (!sent.ok) return sent.response;
    const { token, name } = CreatedToken.parse(sent.body);
    return showView(c, shownOnce(`Token ${name}`, <CopyText label="API token" text={token} />));
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
      if (!sent.ok) return sent.response;
      const { token, name } = CreatedToken.parse(sent.body);
      return showView(c, shownOnce(`Token ${name}`, <CopyText label="API token" text={token} />));
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
      const secret = TotpSecret.safeParse(Object.fromEntries(entered));
      const body = { code: entered.get("code") ?? "" };
      const answer = await callApi(c, { method: "POST", path: `${CORE}/auth/totp/confirm`, body });
      if (answer.ok) {
        const { recovery_codes } = RecoveryCodes.parse(answer.body);
        const codes = <CopyText label="Recovery codes, each for one sign-in" text={recovery_codes.join("\n")} />;
        return showView(c, shownOnce("Two-factor sign-in is on", codes));
      }
      if (!secret.success) throw errorOf(answer);
      return showSecret(c, secret.data, {
        problems: toSentences(CONFIRM_FIELDS, answer.problems),
        status: answer.status,
      });
    },
  ),
  action({ path: "/app/account/two-factor/disable", summary: "Turn off two-factor sign-in" }, async (c, entered) => {
    const form = disableForm(presentMe(await getMe(c.var.ctx)));
    const sent = await submitForm(c, form, entered, { method: "POST", path: `${CORE}/auth/totp/disable` });
    return sent.ok ? redirectWithNotice("/app/account", "Two-factor sign-in is off.") : sent.response;
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
    return sent.ok ? redirectWithNotice("/app/account", `Saved.${sent.kept}`) : sent.response;
  }),
];

const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "1", label: "An hour" },
  { value: "24", label: "A day" },
  { value: "168", label: "A week" },
];

async function rotationForm(c: AppContext, id: string): Promise<ObjectForm> {
  const { name } = await findMyToken(c, id);
  return {
    title: `Rotate ${name}`,
    section: "account",
    trail,
    fields: [
      {
        kind: "select",
        name: "overlap_hours",
        label: "The present secret stays valid",
        hint: "while its programs change over to the new one",
        options: OVERLAPS,
      },
    ],
    submit: "Rotate",
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
  const token = await findMyToken(c, id);
  return {
    kind: "token",
    name: token.name,
    section: "account",
    trail,
    list: "/app/account",
    shown: "/app/account",
    path: `/app/account/tokens/${id}`,
    api: `${CORE}/user/api-tokens/${id}`,
    lost: `Programs that use the token beginning with ${token.token_prefix} are refused from then on.`,
  };
}

async function deletionOfSession(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const { rows: sessions } = await listMySessions(c.var.ctx, { limit: LIST_MAX, offset: 0 });
  const session = sessions.find((each) => each.id === id);
  if (!session) throw notFound("session");
  return {
    kind: "session",
    name: browserName(session.user_agent),
    section: "account",
    trail,
    list: "/app/account",
    shown: "/app/account",
    path: `/app/account/sessions/${id}`,
    confirmation: `/app/account/sessions/${id}/end`,
    api: `${CORE}/auth/sessions/${id}`,
    verb: ["End", "signed out"],
    lost: `The browser at ${session.ip ?? "an unknown address"} is signed out at once.`,
  };
}

interface Shown {
  problems?: Problems;
  status?: number;
}

/** The secret travels through the form, so that a wrong code does not hide it. */
function showSecret(c: AppContext, { secret, otpauth_url }: z.output<typeof TotpSecret>, shown: Shown = {}) {
  const result = (
    <>
      <p>Scan this with your authenticator app, then enter the code that it shows.</p>
      <QrCode text={otpauth_url} label="QR code of the secret below" />
      <CopyText label="Secret" text={secret} />
      <p>
        <a href={otpauth_url}>Open in an app on this device</a>
      </p>
      <input type="hidden" name="secret" value={secret} />
      <input type="hidden" name="otpauth_url" value={otpauth_url} />
    </>
  );
  return showForm(c, twoFactorForm(CONFIRM_FIELDS, "confirm", "Turn on"), {}, { ...shown, result });
}

async function showAccount(c: AppContext, at: z.output<typeof AccountQuery>): Promise<Response> {
  const place = (offset: number, total: number) => ({ total, limit: SHOWN_MAX, offset });
  const href = (where: Partial<typeof at>) => addressWith("/app/account", { ...at, ...where });
  const { ctx } = c.var;
  const { session_id, is_operator, user_id } = requireUser(ctx);
  const [me, passkeys, tokens, workflows, sessions, usage, referrals, programs] = await Promise.all([
    getMe(ctx),
    listMyPasskeys(ctx),
    listMyTokens(ctx, partAt(at.tokens)),
    listMyWorkflows(ctx, { limit: LIST_MAX, offset: 0 }),
    listMySessions(ctx, partAt(at.sessions)),
    countMyUsage(ctx),
    getMyReferrals(ctx),
    findPrograms(ctx.db, user_id),
  ]);
  const shown = { current_id: session_id, session_ms: sessions.session_ms };
  const { url, clicks, signups, credits } = presentReferrals(referrals, c.var.publicUrl);
  return showView(c, {
    title: "Account",
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
        <Programs {...programs} />
        <Sessions sessions={sessions.rows.map((row) => presentSession(row, shown))} now={c.var.now} />
        <ListPages {...place(at.sessions, sessions.total)} href={(from) => href({ sessions: from })} />
        <section class="card" aria-labelledby="referrals">
          <h2 id="referrals">Referrals</h2>
          <CopyText label="Your link" text={url} />
          <p class="quiet">
            {clicks} clicks, {signups} sign-ups, {credits} credits to redeem.
          </p>
        </section>
        <Data origin={c.var.publicUrl} />
        <Danger />
      </>
    ),
  });
}
