import { LineIcon } from "../../ui/design/line-icon.tsx";
import { PostButton } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import { durationInWords, listParts } from "../formats.ts";
import { words } from "../words.ts";
import type { MonitorPicture } from "./detail.ts";

/** For how many hours a button mutes a monitor; the API takes any instant of the next 30 days. */
export const MUTE_HOURS = ["1", "4", "24", "168"] as const;
const HOUR_S = 3600;

interface Muted {
  record: { muted_until: number | null };
  now: number;
}

export function isMuted({ record, now }: Muted): boolean {
  return record.muted_until !== null && record.muted_until > now;
}

/** Says that the monitor is muted or flapping, or waits for what it depends on, so that its changes send no alert at once. */
export function WithheldAlerts({ picture: { monitor, now, may_change, is_waiting } }: { picture: MonitorPicture }) {
  const text = words("dashboard-monitors").alerts;
  const { record } = monitor;
  return (
    <>
      {record.muted_until !== null && isMuted({ record, now }) ? (
        <div class="banner is-warn row">
          <span>{text.muted.parts({ time: <ExactTime at={record.muted_until} /> })}</span>
          {may_change ? (
            <PostButton action={`/app/monitors/${record.id}/mute`} label={text.unmute} fields={{ hours: "0" }} />
          ) : null}
        </div>
      ) : null}
      {is_waiting ? <WaitingFor parents={monitor.parents} /> : null}
      {record.flapping ? <p class="banner is-warn">{text.flapping}</p> : null}
    </>
  );
}

function WaitingFor({ parents }: { parents: MonitorPicture["monitor"]["parents"] }) {
  const text = words("dashboard-monitors").alerts;
  const down = parents.filter(({ status }) => status === "down");
  if (down.length === 0) {
    return <p class="banner is-warn">{text.held}</p>;
  }
  return (
    <p class="banner is-warn">
      {text.held_while.parts({
        n: down.length,
        monitors: listParts(down.map(({ id, name }) => <a href={`/app/monitors/${id}`}>{name}</a>)),
      })}
    </p>
  );
}

/** In the menu of the monitor: one press mutes it. */
export function MuteItems({ id }: { id: string }) {
  const text = words("dashboard-monitors").alerts;
  return (
    <>
      <form method="post" action={`/app/monitors/${id}/mute`} class="inline">
        {MUTE_HOURS.map((hours) => (
          <button type="submit" name="hours" value={hours}>
            <LineIcon of="bell-off" />
            {text.mute({ duration: durationInWords(Number(hours) * HOUR_S) })}
          </button>
        ))}
      </form>
      <hr />
    </>
  );
}
