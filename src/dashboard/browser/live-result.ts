/** A pause in typing after which the result follows. */
const SETTLED_MS = 400;
/** What is measured changes by itself, too. */
const REPEAT_MS = 10_000;

/**
 * Keeps the result of a form as its fields are: of `form[data-live-intent]` the button with this intent is pressed, so to
 * speak, and the part of the answer with `data-live-result` shown. A hidden document asks nothing.
 */
export function followResult(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-live-intent]");
  if (!form) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const ask = async () => {
    const turn = ++asked;
    const result = document.hidden ? null : await load(form).catch(() => null);
    // Only the newest answer fits what the fields hold.
    if (turn !== asked) return;
    if (result) form.querySelector("[data-live-result]")?.replaceChildren(...result.childNodes);
    askAfter(REPEAT_MS);
  };
  const askAfter = (delay: number) => {
    clearTimeout(timer);
    timer = setTimeout(ask, delay);
  };
  form.addEventListener("input", () => askAfter(SETTLED_MS));
  askAfter(SETTLED_MS);
}

async function load(form: HTMLFormElement): Promise<Element | null> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  body.set("intent", form.dataset.liveIntent ?? "");
  const response = await fetch(form.action, { method: "POST", body, redirect: "error" });
  if (!response.headers.get("content-type")?.startsWith("text/html")) return null;
  const answer = new DOMParser().parseFromString(await response.text(), "text/html");
  return answer.querySelector("[data-live-result]");
}
