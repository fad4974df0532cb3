import { requireUser } from "../../access/principal.ts";
import { MetricsToken } from "../../contract/account.ts";
import { CalendarAddress } from "../../contract/on-call.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { CopyText, PostButton } from "../components/pieces.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice } from "../view.ts";
import { words } from "../words.ts";
import { shownOnce, trail } from "./shown-once.tsx";

const CORE = "/api/core/v1";

export const endpoints = [
  action({ path: "/app/account/calendar", summary: "Create the address of the calendar of your shifts" }, async (c) => {
    const text = words("dashboard-account").programs;
    const path = `${CORE}/user/on-call-calendar`;
    const { url } = CalendarAddress.parse(await requireApi(c, { method: "POST", path }));
    const shown = (
      <>
        <CopyText label={text.calendar.address} text={url} />
        <QrCode text={url} label={text.calendar.qr} />
      </>
    );
    return showView(c, shownOnce(text.calendar.title, shown));
  }),
  action({ path: "/app/account/calendar/revoke", summary: "Revoke the address of that calendar" }, async (c) => {
    await requireApi(c, { method: "DELETE", path: `${CORE}/user/on-call-calendar` });
    return redirectWithNotice("/app/account", words("dashboard-account").programs.calendar.revoked);
  }),
  action({ path: "/app/account/metrics-token", summary: "Create the credential of your Prometheus" }, async (c) => {
    const text = words("dashboard-account").programs;
    const path = `${CORE}/user/metrics-token`;
    const { token } = MetricsToken.parse(await requireApi(c, { method: "POST", path }));
    return showView(c, shownOnce(text.metrics.title, <CopyText label={text.metrics.credential} text={token} />));
  }),
  action(
    { path: "/app/account/metrics-token/revoke", summary: "Revoke the credential of your Prometheus" },
    async (c) => {
      await requireApi(c, { method: "DELETE", path: `${CORE}/user/metrics-token` });
      return redirectWithNotice("/app/account", words("dashboard-account").programs.metrics.revoked);
    },
  ),

  ...confirmedDeletion(
    { path: "/app/account/end-everything", summary: "End all sessions and tokens" },
    endOfEverything,
  ),
];

async function endOfEverything(c: AppContext): Promise<Deletion> {
  const text = words("dashboard-account").everything;
  return {
    kind: text.kind,
    name: requireUser(c.var.ctx).email,
    word: "address",
    title: text.title,
    verb: [text.end, text.ended],
    section: "account",
    trail: trail(),
    path: "/app/account",
    confirmation: "/app/account/end-everything",
    list: "/app/sign-in?signed_out=yes",
    shown: "/app/account",
    api: `${CORE}/auth/revoke-all`,
    method: "POST",
    lost: text.lost,
    notice: text.notice,
  };
}

/** What programs of others read in the person's name. */
export function Programs({ calendar, metrics }: { calendar: boolean; metrics: boolean }) {
  const text = words("dashboard-account").programs;
  return (
    <section class="card" aria-labelledby="programs">
      <h2 id="programs">{text.title}</h2>
      <div class="row">
        <p>{text.calendar.row.parts({ what: <span class="quiet">{text.calendar.what}</span> })}</p>
        <span class="actions">
          <PostButton action="/app/account/calendar" label={text.calendar.new} />
          {calendar ? (
            <PostButton action="/app/account/calendar/revoke" label={text.calendar.revoke} kind="danger" />
          ) : null}
        </span>
      </div>
      <div class="row">
        <p>{text.metrics.row.parts({ what: <span class="quiet">{text.metrics.what}</span> })}</p>
        <span class="actions">
          <PostButton action="/app/account/metrics-token" label={text.metrics.new} />
          {metrics ? (
            <PostButton action="/app/account/metrics-token/revoke" label={text.metrics.revoke} kind="danger" />
          ) : null}
        </span>
      </div>
      <p class="quiet">{text.hint}</p>
    </section>
  );
}
