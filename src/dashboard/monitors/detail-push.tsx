import type { PushAccess } from "../../features/push/service.ts";
import { CopyText, PostButton } from "../components/pieces.tsx";
import { words } from "../words.ts";
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
  const texts = words("dashboard-monitors").push;
  const { heartbeat_token, push_key, push_urls } = push;
  const address = push_urls?.heartbeat ?? push_urls?.push;
  if (!push_urls || address === undefined) return null;
  const lines = heartbeat_token !== null ? heartbeatLines(address) : metricsLines(address, push_key ?? "", monitorId);
  return (
    <details class="card" id="push-addresses" open={isNew}>
      <summary>{texts.title}</summary>
      <div class="stack">
        <CopyText label={texts.address} text={address} />
        {isGame ? (
          <p>
            {texts.plugin.parts({
              link: <a href={`/api/uptime/v2/game-server/monitors/${monitorId}/plugin`}>{texts.plugin_link}</a>,
            })}
          </p>
        ) : null}
        {lines.map(({ label, text }) => (
          <CopyText label={label} text={text} />
        ))}
        {push_urls.healthchecks ? <CopyText label={texts.healthchecks} text={push_urls.healthchecks} /> : null}
        {push_urls.uptime_kuma ? <CopyText label={texts.uptime_kuma} text={push_urls.uptime_kuma} /> : null}
        <details id="replace-push-address">
          <summary>{texts.replace.title}</summary>
          <div>
            <p class="quiet">{texts.replace.hint}</p>
            <PostButton
              action={`/app/monitors/${monitorId}/replace-credential`}
              label={texts.replace.button}
              kind="danger"
            />
          </div>
        </details>
      </div>
    </details>
  );
}
