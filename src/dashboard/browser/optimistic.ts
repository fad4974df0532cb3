import { words } from "./words.ts";

const text = words(MESSAGES.optimistic);

/**
 * A form with `data-shows` shows its result at once: the content of its template takes the place of what the element of
 * that id contains. The view is loaded again when the server has done it; where it refuses, the view is as before, with
 * the reason.
 */
export function showResultsAtOnce(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.shows === undefined) return;
    event.preventDefault();
    void send(form, form.dataset.shows);
  });
}

async function send(form: HTMLFormElement, targetId: string): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  const takeBack = showResult(form, targetId);
  const problem = await post(form.action, body);
  if (problem === null) {
    // A form that was sent meanwhile loads a view by itself, and would be cancelled.
    if (document.querySelector("form[data-sent]")) return;
    // The stored state, with the notice of the action; or the sign-in form, where the session has ended.
    return location.reload();
  }
  takeBack();
  showProblem(problem);
}

/** Gives the function that restores what was shown before. */
function showResult(form: HTMLFormElement, targetId: string): () => void {
  const button = form.querySelector("button");
  const target = document.getElementById(targetId);
  const before = [...(target?.childNodes ?? [])];
  const result = form.querySelector("template")?.content.cloneNode(true);
  if (result) target?.replaceChildren(result);
  button?.setAttribute("disabled", "");
  return () => {
    target?.replaceChildren(...before);
    button?.removeAttribute("disabled");
    button?.focus();
  };
}

/** Null once it is done, which the server answers by leading elsewhere; otherwise why it is not. */
async function post(address: string, body: URLSearchParams): Promise<string | null> {
  try {
    const response = await fetch(address, { method: "POST", body, redirect: "manual" });
    if (response.type === "opaqueredirect") return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return page.querySelector("main .lead")?.textContent || text.answered({ status: response.status });
  } catch {
    return text.unreachable;
  }
}

function showProblem(reason: string): void {
  document.getElementById("not-done")?.remove();
  const message = document.createElement("p");
  message.id = "not-done";
  message.className = "banner is-bad";
  message.setAttribute("role", "alert");
  message.dir = "auto";
  message.textContent = text.not_done({ reason });
  document.getElementById("main")?.prepend(message);
}
