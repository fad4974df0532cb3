import { isTimeZone } from "../lib/zoned-days.ts";

/** Cookies of the dashboard besides the session: none of them carries a right. */

export const THEME_COOKIE = "vigil_theme";
/** The reader's time zone, which the script says. */
export const ZONE_COOKIE = "vigil_zone";
/** Says that the first steps were dismissed. */
export const FIRST_STEPS_COOKIE = "vigil_first_steps";
const NOTICE_COOKIE = "vigil_notice";
const YEAR_S = 365 * 86_400;
const NOTICE_LENGTH_MAX = 500;
const UNDO_LENGTH_MAX = 2200;

export function readCookie(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The zone of the reader; UTC before a script has said it. */
export function readerZone(request: Request): string {
  // A slash is the only character of a zone that a cookie would not be written with.
  const zone = readCookie(request, ZONE_COOKIE)?.replaceAll("%2F", "/") ?? "UTC";
  return isTimeZone(zone) ? zone : "UTC";
}

/** What the next view says once, as after a form. */
export interface Notice {
  text: string;
  /** Which form takes back what was done: its address, whose query is what it sends. */
  undo: string | null;
}

export function noticeCookie({ text, undo }: Notice): string {
  const said = text.slice(0, NOTICE_LENGTH_MAX).replaceAll("\n", " ").toWellFormed();
  // A browser keeps no cookie of more than 4 kB.
  const value = encodeURIComponent(undo === null || undo.length > UNDO_LENGTH_MAX ? said : `${said}\n${undo}`);
  return `${NOTICE_COOKIE}=${value}; Path=/app; HttpOnly; SameSite=Lax; Max-Age=60`;
}

export const CLEAR_NOTICE = `${NOTICE_COOKIE}=; Path=/app; HttpOnly; SameSite=Lax; Max-Age=0`;

export function readNotice(request: Request): Notice | null {
  const value = readCookie(request, NOTICE_COOKIE);
  if (!value) return null;
  try {
    const [text = "", undo = null] = decodeURIComponent(value).split("\n");
    return { text, undo };
  } catch {
    return null;
  }
}

export function themeCookie(theme: "light" | "dark"): string {
  return `${THEME_COOKIE}=${theme}; Path=/; SameSite=Lax; Max-Age=${YEAR_S}`;
}

export function firstStepsCookie(): string {
  return `${FIRST_STEPS_COOKIE}=dismissed; Path=/app; HttpOnly; SameSite=Lax; Max-Age=${YEAR_S}`;
}
