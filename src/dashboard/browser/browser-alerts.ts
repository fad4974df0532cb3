import { forEachPart } from "./updates.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.browser_alerts);

/**
 * The forms that subscribe this browser to alerts: their button asks for permission, subscribes and sends the subscription.
 * They stay hidden where the browser knows no push messages.
 */
export function offerBrowserAlerts(): void {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return;
  forEachPart((part) => {
    for (const form of part.querySelectorAll<HTMLFormElement>("form[data-application-key]")) offer(form);
    for (const each of part.querySelectorAll<HTMLElement>("[data-no-browser-alerts]")) each.hidden = true;
  });
}

function offer(form: HTMLFormElement): void {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    const value = form.querySelector<HTMLInputElement>("input[name=value]");
    if (value?.value !== "") return;
    event.preventDefault();
    void subscribe(form, value);
  });
}

async function subscribe(form: HTMLFormElement, value: HTMLInputElement): Promise<void> {
  const button = form.querySelector("button");
  if (button) button.disabled = true;
  say(form, "");
  try {
    if ((await Notification.requestPermission()) !== "granted") throw new DOMException("", "NotAllowedError");
    const { pushManager } = await navigator.serviceWorker.ready;
    // What another account subscribed in this browser ends with it.
    await (await pushManager.getSubscription())?.unsubscribe();
    const applicationServerKey = form.dataset.applicationKey ?? "";
    value.value = JSON.stringify(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
    form.requestSubmit();
  } catch (error) {
    say(form, explain(error));
  } finally {
    if (button) button.disabled = false;
  }
}

function explain(error: unknown): string {
  return error instanceof DOMException && error.name === "NotAllowedError" ? text.not_allowed : text.unreachable;
}

function say(form: HTMLFormElement, said: string): void {
  form.querySelector("[role=alert]")?.remove();
  if (said === "") return;
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.role = "alert";
  problem.textContent = said;
  form.append(problem);
}

/** The test message has arrived, and proved it: the list of contacts shows so. */
export function followBrowserAlerts(): void {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (data === "verified" && location.pathname === "/app/account/contacts") location.reload();
  });
}
