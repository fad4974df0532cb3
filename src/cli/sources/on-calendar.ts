/** Schedules by OnCalendar of systemd.time(7), as cron writes them, where cron can. */

const NAMED: Readonly<Record<string, string>> = {
  minutely: "* * * * *",
  hourly: "0 * * * *",
  daily: "0 0 * * *",
  weekly: "0 0 * * 1",
  monthly: "0 0 1 * *",
  quarterly: "0 0 1 1,4,7,10 *",
  semiannually: "0 0 1 1,7 *",
  yearly: "0 0 1 1 *",
  annually: "0 0 1 1 *",
};
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const CRON_FIELD = /^[\d*,/A-Za-z-]+$/;

/** A cron expression of five fields; null where there is none for it. */
export function cronOf(schedule: string): string | null {
  const text = schedule.trim();
  if (text.includes("\n")) return null;
  const fields = text.split(/\s+/);
  if (fields.length === 5 && fields.every((field) => CRON_FIELD.test(field))) return fields.join(" ");
  const named = NAMED[text.toLowerCase()];
  if (named !== undefined) return named;
  return parseCalendar(fields);
}

function parseCalendar(fields: readonly string[]): string | null {
  const rest = [...fields];
  const weekdays = /^[A-Za-z]/.test(rest[0] ?? "") ? weekdaysOf(rest.shift() ?? "") : "*";
  const [date, time] = (rest[0] ?? "").includes(":")
    ? ["*-*-*", rest.shift()]
    : [rest.shift() ?? "*-*-*", rest.shift()];
  if (weekdays === null || rest.length > 0) return null;
  const day = dateOf(date ?? "");
  const clock = timeOf(time ?? "0:0");
  return day === null || clock === null ? null : `${clock} ${day} ${weekdays}`;
}

/** `Mon..Fri`, `Sat,Sun`, with long names, too. */
function weekdaysOf(text: string): string | null {
  const parts = text.split(",").map((part) => {
    const ends = part.split("..").map((name) => DAYS.indexOf(name.slice(0, 3).toLowerCase()));
    if (ends.length > 2 || ends.includes(-1)) return null;
    const [from = 0, to = from] = ends;
    // A week of cron begins on Sunday; ranges to it or over it name their days.
    if (from <= to) return from === to ? `${from}` : `${from}-${to}`;
    return [
      ...Array.from({ length: 7 - from }, (_, n) => from + n),
      ...Array.from({ length: to + 1 }, (_, n) => n),
    ].join(",");
  });
  return parts.includes(null) ? null : parts.join(",");
}

/** Of every year: cron knows none. */
function dateOf(text: string): string | null {
  const parts = text.split("-");
  const [month, day] = parts.length === 3 ? parts.slice(1) : parts;
  if (parts.length < 2 || parts.length > 3 || (parts.length === 3 && parts[0] !== "*")) return null;
  const fields = [fieldOf(day ?? "", 1), fieldOf(month ?? "", 1)];
  return fields.includes(null) ? null : fields.join(" ");
}

/** A minute is the finest step of cron. */
function timeOf(text: string): string | null {
  const [hour = "", minute = "", second = "0"] = text.split(":");
  if (!/^0*$/.test(second)) return null;
  const fields = [fieldOf(minute, 0), fieldOf(hour, 0)];
  return fields.includes(null) ? null : fields.join(" ");
}

/** `*`, `5`, `1..5`, `0/15`, `*\/2`, and lists of them. */
function fieldOf(text: string, first: number): string | null {
  const parts = text.split(",").map((part) => {
    const [, from = "", to, step] = /^(\*|\d{1,2})(?:\.\.(\d{1,2}))?(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (from === "") return null;
    const begin = from === "*" ? "*" : String(Number(from));
    const range = to === undefined ? begin : `${begin}-${Number(to)}`;
    if (step === undefined) return range;
    const isWhole = range === "*" || range === String(first);
    if (isWhole) return `*/${Number(step)}`;
    return to === undefined ? null : `${range}/${Number(step)}`;
  });
  return parts.includes(null) ? null : parts.join(",");
}
