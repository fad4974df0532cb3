import { DAY_MS } from "../../lib/durations.ts";
import { dateFormat } from "../formats.ts";
import { words } from "../words.ts";

interface Span {
  start_at: number;
  end_at: number;
}

interface Turn extends Span {
  user_id: string | null;
}

/** Colours of people, in the order in which they appear. */
const COLORS = 6;
/** Of a day, in the picture. */
const WIDTH = 100;
const HEIGHT = 24;

/** The class with the colour of a person; `order` has the ids in the order in which they appear. */
export function personClass(order: readonly (string | null)[], user_id: string): string {
  return `person-${(order.filter((each) => each !== null).indexOf(user_id) % COLORS) + 1}`;
}

/** Whom the turns name, each once. */
export const inOrder = (turns: readonly Turn[]) => [...new Set(turns.map(({ user_id }) => user_id))];

interface BandsProps {
  /** Distinguishes it from others in the document. */
  id: string;
  /** What it is the plan of. */
  name: string;
  days: readonly (Span & { date: string })[];
  turns: readonly Turn[];
  names: ReadonlyMap<string, string>;
  now: number;
  zone: string;
}

/** Who is on call over the days: a row of bands for each person, and one for the time in which no one is. */
export function Bands({ id, name, days, turns, names, now, zone }: BandsProps) {
  const text = words("dashboard-frame").bands;
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const span = { start_at: first.start_at, end_at: last.end_at };
  const order = inOrder(turns);
  const people = order.filter((id) => id !== null);
  const at = (time: number) => placeOf(days, Math.min(Math.max(time, span.start_at), span.end_at));
  const moment = dateFormat({ ...MOMENT, timeZone: zone });
  const row = (user_id: string | null, who: string) => (
    <tr>
      <th scope="row" dir="auto">
        {who}
      </th>
      <td colspan={days.length}>
        <svg
          class={`bands-row ${user_id === null ? "is-gap" : personClass(order, user_id)}`}
          viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={turns
            .filter((turn) => turn.user_id === user_id)
            .map(({ start_at, end_at }) => moment.formatRange(start_at, end_at))
            .join(", ")}
        >
          {user_id === null ? (
            <pattern id={`gap-${id}`} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <path d="M2 0v8" />
            </pattern>
          ) : null}
          {days.slice(1).map((_day, n) => (
            <path class="line" d={`M${(n + 1) * WIDTH} 0v${HEIGHT}`} />
          ))}
          {turns
            .filter((turn) => turn.user_id === user_id)
            .map(({ start_at, end_at }) => (
              <rect
                fill={user_id === null ? `url(#gap-${id})` : undefined}
                x={at(start_at)}
                y={2}
                width={at(end_at) - at(start_at)}
                height={HEIGHT - 4}
              >
                <title>{`${who}, ${moment.formatRange(start_at, end_at)}`}</title>
              </rect>
            ))}
          {now > span.start_at && now < span.end_at ? <path class="now" d={`M${at(now)} 0v${HEIGHT}`} /> : null}
        </svg>
      </td>
    </tr>
  );
  return (
    <div class="table" tabindex={0}>
      <table class="bands">
        <caption class="unseen">{text.title({ name })}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">{text.person}</span>
            </th>
            {days.map((day) => (
              <th scope="col" {...(now >= day.start_at && now < day.end_at ? { "aria-current": "date" } : {})}>
                {dateFormat(WEEKDAY).format(noonOf(day.date))} <span>{Number(day.date.slice(8))}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {people.map((id) => row(id, names.get(id) ?? text.member))}
          {order.includes(null) ? row(null, text.nobody) : null}
        </tbody>
      </table>
    </div>
  );
}

/** A day is as wide as any other, also where it has an hour more or less. */
function placeOf(days: readonly Span[], time: number): number {
  const n = days.findIndex(({ end_at }) => time <= end_at);
  const day = days[n];
  if (!day) return days.length * WIDTH;
  return Math.round((n + (time - day.start_at) / (day.end_at - day.start_at)) * WIDTH);
}

const MOMENT = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
const WEEKDAY = { weekday: "short", timeZone: "UTC" } as const;
const noonOf = (date: string) => Date.parse(date) + DAY_MS / 2;
