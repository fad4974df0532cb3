import { toNodes, words } from "./words.ts";

const text = words(MESSAGES.undo);

/** What was sent waits this long on the screen, and can be taken back; nothing of it has left until then. */
const WAIT_S = 10;
const KEY = "vigil-sending";

/** An update or an incident that is about to be posted, until a view has shown what became of it. */
interface Sending {
  action: string;
  body: string;
  /** Where its text is kept, and that text, in case it is refused after its view was left. */
  draft: [key: string, text: string];
  /** Its view was left, so that nobody saw the answer. */
  isLeft: boolean;
}

export function holdUpdates(): void {
  void settle();
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-holds]")) hold(form);
}

function hold(form: HTMLFormElement): void {
  let isReleased = false;
  form.addEventListener("submit", (event) => {
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    // Buttons that only show something take the form as it is; what is not published has no readers.
    const publishes = form.elements.namedItem("is_public");
    const isPrivate = publishes instanceof HTMLInputElement && !publishes.checked;
    if (isReleased || event.defaultPrevented || button?.formNoValidate || isPrivate) return;
    event.preventDefault();
    wait(form, button, () => {
      isReleased = true;
      form.requestSubmit(button);
    });
  });
}

function wait(form: HTMLFormElement, button: HTMLButtonElement | null, release: () => void): void {
  addOnce(form);
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) body.append(name, String(value));
  const key = `vigil-draft:${form.dataset.draft}`;
  const sending: Sending = {
    action: form.action,
    body: body.toString(),
    draft: [key, sessionStorage.getItem(key) ?? ""],
    isLeft: false,
  };
  remember(sending);
  const strip = document.createElement("p");
  strip.className = "banner is-info waiting";
  strip.setAttribute("role", "status");
  const count = document.createElement("span");
  count.setAttribute("aria-hidden", "true");
  const [undo, now] = [newButton(text.undo), newButton(text.now)];
  strip.append(...toNodes(text.waiting.parts({ count, undo, now })));
  const parts = [...form.querySelectorAll<HTMLElement>(".fields, .actions")];
  const setInert = (isInert: boolean) => {
    for (const part of parts) part.inert = isInert;
  };
  let left = WAIT_S;
  const tick = () => {
    count.textContent = text.seconds({ n: left });
    if (left-- <= 0) end(release);
  };
  const send = () => void fetch(sending.action, { method: "POST", body, keepalive: true, redirect: "manual" });
  const leave = () => {
    remember({ ...sending, isLeft: true });
    send();
  };
  const stop = () => {
    clearInterval(timer);
    removeEventListener("pagehide", leave);
  };
  // The next person at this tab neither sends nor reads it.
  const signOut = document.querySelector('form[action="/app/sign-out"]');
  const part = () => {
    stop();
    sessionStorage.removeItem(KEY);
    send();
  };
  const end = (then: () => void) => {
    stop();
    signOut?.removeEventListener("submit", part);
    strip.remove();
    setInert(false);
    then();
  };
  undo.addEventListener("click", () =>
    end(() => {
      sessionStorage.removeItem(KEY);
      const message = form.querySelector("textarea");
      message?.dispatchEvent(new Event("input", { bubbles: true }));
      message?.focus();
    }),
  );
  now.addEventListener("click", () => end(release));
  addEventListener("pagehide", leave);
  signOut?.addEventListener("submit", part);
  setInert(true);
  form.prepend(strip);
  tick();
  const timer = setInterval(tick, 1000);
  undo.focus();
}

function newButton(label: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = label;
  return button;
}

/** By which the server knows an update that it receives twice. */
function addOnce(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>("input[name=once]") ?? document.createElement("input");
  input.type = "hidden";
  input.name = "once";
  input.value = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  form.append(input);
}

function remember(sending: Sending): void {
  sessionStorage.setItem(KEY, JSON.stringify(sending));
}

/**
 * What was left before its answer came is sent again, which changes nothing where it has arrived, and its answer shown.
 */
async function settle(): Promise<void> {
  const kept = sessionStorage.getItem(KEY);
  if (kept === null) return;
  const { action, body, draft, isLeft } = JSON.parse(kept) as Sending;
  const isAnswered = document.querySelector(".notice, form[data-typed]") !== null;
  if (isAnswered && !isLeft) return sessionStorage.removeItem(KEY);
  const again = new URLSearchParams(body);
  again.set("again", "yes");
  const response = await fetch(action, { method: "POST", body: again, redirect: "manual" }).catch(() => null);
  // Without an answer the next view tries.
  if (response === null) return;
  sessionStorage.removeItem(KEY);
  const isUpdate = action.endsWith("/updates");
  const view = action.replace(/\/(updates|new)$/, "");
  const isPosted = response.type === "opaqueredirect";
  const [key, draftText] = draft;
  if (isPosted) sessionStorage.removeItem(key);
  else if (draftText !== "") sessionStorage.setItem(key, draftText);
  // The view of it shows what is stored.
  if (location.href.startsWith(view) && document.querySelector("form[data-holds]")) return location.reload();
  const said = document.createElement("p");
  said.className = isPosted ? "banner is-info" : "banner is-bad";
  said.setAttribute("role", isPosted ? "status" : "alert");
  const link = document.createElement("a");
  link.href = isPosted || isUpdate ? view : action;
  link.textContent = text.show;
  const outcomes = isUpdate ? text.update : text.written;
  said.append(...toNodes((isPosted ? outcomes.posted : outcomes.refused).parts({ link })));
  document.getElementById("main")?.prepend(said);
}
