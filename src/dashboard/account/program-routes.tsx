import { requireUser } from "../../access/principal.ts";
import { MetricsToken } from "../../contract/account.ts";
import { CalendarAddress } from "../../contract/on-call.ts";
import { requireApi } from "../call-api.ts";
import { CopyText, PostButton } from "../components/pieces.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { confirmedDeletion } from "../deletion.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice } from "../view.ts";
import { shownOnce, trail } from "./shown-once.tsx";

const CORE = "/api/core/v1";

export const endpoints = [
  action({ path: "/app/account/calendar", summary: "Create the address of the calendar of your shifts" }, async (c) => {
    const path = `${CORE}/user/on-call-calendar`;
    const { url } = CalendarAddress.parse(await requireApi(c, { method: "POST", path }));
    const shown = (
      <>
        <CopyText label="For a calendar program" text={url} />
        <QrCode text={url} label="The same as a QR code" />
      </>
    );
    return showView(c, shownOnce("Calendar of your shifts", shown));
  }),
  action({ path: "/app/account/calendar/revoke", summary: "Revoke the address of that calendar" }, async (c) => {
    await requireApi(c, { method: "DELETE", path: `${CORE}/user/on-call-calendar` });
    return redirectWithNotice("/app/account", "The address of your calendar is revoked.");
  }),
  action({ path: "/app/account/metrics-token", summary: "Create the credential of your Prometheus" }, async (c) => {
    const path = `${CORE}/user/metrics-token`;
    const { token } = MetricsToken.parse(await requireApi(c, { method: "POST", path }));
    return showView(c, shownOnce("Prometheus", <CopyText label="Its credential for /metrics" text={token} />));
  }),
  action(
    { path: "/app/account/metrics-token/revoke", summary: "Revoke the credential of your Prometheus" },
    async (c) => {
      await requireApi(c, { method: "DELETE", path: `${CORE}/user/metrics-token` });
      return redirectWithNotice("/app/account", "The credential of your Prometheus is revoked.");
    },
  ),

  ...confirmedDeletion({ path: "/app/account/end-everything", summary: "End all sessions and tokens" }, async (c) => ({
    kind: "account",
    name: requireUser(c.var.ctx).email,
    word: "address",
    title: "Sign out everywhere",
    verb: ["End all", "ended"],
    section: "account",
    trail,
    path: "/app/account",
    confirmation: "/app/account/end-everything",
    list: "/app/sign-in?signed_out=yes",
    shown: "/app/account",
    api: `${CORE}/auth/revoke-all`,
    method: "POST",
    lost: "All of your sessions end, this one included, and so do API tokens, the metrics token, addresses of calendars, links of wall displays, and tokens that install agents or link chats. Password and passkeys stay.",
    notice: "Everything is ended.",
  })),
];

/** What programs of others read in the person's name. */
export function Programs({ calendar, metrics }: { calendar: boolean; metrics: boolean }) {
  return (
    <section class="card" aria-labelledby="programs">
      <h2 id="programs">Other programs</h2>
      <div class="row">
        <p>
          Calendar of your shifts <span class="quiet">for any calendar program</span>
        </p>
        <span class="actions">
          <PostButton action="/app/account/calendar" label="New calendar address" />
          {calendar ? <PostButton action="/app/account/calendar/revoke" label="Revoke it" kind="danger" /> : null}
        </span>
      </div>
      <div class="row">
        <p>
          Your monitors as metrics <span class="quiet">for Prometheus, at /metrics</span>
        </p>
        <span class="actions">
          <PostButton action="/app/account/metrics-token" label="New metrics credential" />
          {metrics ? (
            <PostButton action="/app/account/metrics-token/revoke" label="Revoke the one before" kind="danger" />
          ) : null}
        </span>
      </div>
      <p class="quiet">A new one replaces the one before.</p>
    </section>
  );
}
