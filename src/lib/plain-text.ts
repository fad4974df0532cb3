const ZERO_WIDTH_SPACE = "\u200b";

/** At most so many UTF-16 units, the last of them an ellipsis where something is left out. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // Neither half an escape nor half a surrogate pair, which services refuse together with the whole message.
  return length < 1 ? "" : `${text.slice(0, length - 1).replace(/\\+$|[\ud800-\udbff]$|&[a-z]*$/, "")}…`;
}

/** For messages without parse_mode, in which mentions, commands and hashtags are links all the same. */
export function plainTelegram(text: string): string {
  return text.replace(/([@/#])(?=[A-Za-z0-9])/g, `$1${ZERO_WIDTH_SPACE}`);
}
