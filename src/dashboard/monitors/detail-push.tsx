import type { PushAccess } from "../../features/push/service.ts";
import { CopyText, PostButton } from "../components/pieces.tsx";
import { heartbeatLines, metricsLines } from "./push-lines.ts";

interface PushAddressesProps {
  push: PushAccess;
  monitorId: string;
  isGame: boolean;
  /** Nothing was pushed yet, so the lines are what comes next. */
  isNew: boolean;
}

/** Where to push to, for those who may edit the monitor; nothing for monitors that are checked. */
export function PushAddresses({ push, monitorId, isGame, isNew }: PushAddressesProps) {
  const { heartbeat_token, push_key, push_urls } = push;
  const address = push_urls?.heartbeat ?? push_urls?.push;
  if (!push_urls || address === undefined) return null;
  const lines = heartbeat_token !== null ? heartbeatLines(address) : metricsLines(address, push_key ?? "", monitorId);
  return (
    <details class="card" id="push-addresses" open={isNew}>
      <summary>Push address</summary>
      <div class="stack">
        <CopyText label="Address" text={address} />
        {isGame ? (
          <p>
            <a href={`/api/uptime/v2/game-server/monitors/${monitorId}/plugin`}>Download the plug-in</a> for this
            server, with address and key filled in.
          </p>
        ) : null}
        {lines.map(({ label, text }) => (
          <CopyText label={label} text={text} />
        ))}
        {push_urls.healthchecks ? <CopyText label="For Healthchecks clients" text={push_urls.healthchecks} /> : null}
        {push_urls.uptime_kuma ? <CopyText label="For Uptime Kuma clients" text={push_urls.uptime_kuma} /> : null}
        <details id="replace-push-address">
          <summary>Replace the address</summary>
          <div>
            <p class="quiet">Whatever pushes to it now is refused from then on, until it has the new one.</p>
            <PostButton action={`/app/monitors/${monitorId}/replace-credential`} label="Replace" kind="danger" />
          </div>
        </details>
      </div>
    </details>
  );
}
