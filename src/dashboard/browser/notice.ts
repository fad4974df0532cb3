/** Long enough to read the longest one twice. */
const LASTS_MS = 20_000;

/** What was said of an action would soon be wrong of what it stands beside; one with a button waits for it. */
export function endNotice(): void {
  const notice = document.querySelector(".notice");
  if (!notice || notice.querySelector("button")) return;
  const end = () => {
    if (notice.matches(":hover")) setTimeout(end, LASTS_MS);
    else notice.remove();
  };
  setTimeout(end, LASTS_MS);
}
