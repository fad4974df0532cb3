/** Long enough to read the longest one twice. */
const LASTS_MS = 20_000;

/**
 * What was said of an action would soon be wrong of what it stands beside; one with a button waits for it. Who moves the
 * pointer over it reads it; a pointer that merely rests where it appears was left there by the press of a button.
 */
export function endNotice(): void {
  const notice = document.querySelector(".notice");
  if (!notice || notice.querySelector("button")) return;
  let isRead = false;
  notice.addEventListener("mousemove", () => {
    isRead = true;
  });
  notice.addEventListener("mouseleave", () => {
    isRead = false;
  });
  const end = () => {
    if (isRead) setTimeout(end, LASTS_MS);
    else notice.remove();
  };
  setTimeout(end, LASTS_MS);
}
