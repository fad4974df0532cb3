import { forEachPart } from "./updates.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.passkeys);

/** Challenges end after five minutes; one that waits in a page is asked for anew before. */
const ASKED_AGAIN_MS = 4 * 60_000;

/** The request that waits for a name to be chosen below the address field; a browser has one request at a time. */
let waiting: AbortController | undefined;

/**
 * Buttons that ask the browser for a passkey, or to make one, and send its answer with their form. They stay hidden where
 * the browser knows none.
 */
export function offerPasskeys(): void {
  if (typeof PublicKeyCredential === "undefined" || !("parseRequestOptionsFromJSON" in PublicKeyCredential)) return;
  forEachPart((part) => {
    for (const place of part.querySelectorAll<HTMLElement>("[data-passkey]")) {
      place.hidden = false;
      place.querySelector("button")?.addEventListener("click", () => void answer(place));
      if (place.dataset.autofill !== undefined) void answerByAutofill(place);
      if (place.dataset.making !== undefined) answerOnEnter(place);
    }
    for (const each of part.querySelectorAll<HTMLElement>("[data-no-passkey]")) each.hidden = true;
  });
}

/** The button is the only one of its form: Enter in the name presses it. */
function answerOnEnter(place: HTMLElement): void {
  const field = place.querySelector<HTMLInputElement>("input[type=hidden]");
  field?.form?.addEventListener("submit", (event) => {
    if (field.value !== "") return;
    event.preventDefault();
    void answer(place);
  });
}

async function answer(place: HTMLElement): Promise<void> {
  waiting?.abort();
  say(place, "");
  try {
    const { making } = place.dataset;
    send(place, making === undefined ? await ask(place, {}) : await make(making));
  } catch (error) {
    say(place, explain(error));
  }
}

/** Passkeys stand among what the browser offers below the address field. */
async function answerByAutofill(place: HTMLElement): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const controller = new AbortController();
  waiting = controller;
  const again = setTimeout(() => {
    controller.abort();
    void answerByAutofill(place);
  }, ASKED_AGAIN_MS);
  try {
    send(place, await ask(place, { mediation: "conditional", signal: controller.signal }));
  } catch {
    // Nothing was chosen; the button asks aloud.
  } finally {
    if (controller.signal.aborted) clearTimeout(again);
  }
}

async function ask(place: HTMLElement, options: CredentialRequestOptions): Promise<PublicKeyCredential> {
  const response = await fetch(place.dataset.passkey ?? "", { method: "POST" });
  if (!response.ok) throw new Error(`the challenge was refused with ${response.status}`);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await response.json());
  return asPasskey(await navigator.credentials.get({ ...options, publicKey }));
}

async function make(options: string): Promise<PublicKeyCredential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  return asPasskey(await navigator.credentials.create({ publicKey }));
}

function asPasskey(credential: Credential | null): PublicKeyCredential {
  if (credential instanceof PublicKeyCredential) return credential;
  throw new Error("the browser gave no passkey");
}

function send(place: HTMLElement, credential: PublicKeyCredential): void {
  const field = place.querySelector<HTMLInputElement>("input[type=hidden]");
  if (!field?.form) return;
  field.value = JSON.stringify(credential.toJSON());
  // It stands for what is left empty.
  field.form.noValidate = true;
  field.form.requestSubmit();
}

function explain(error: unknown): string {
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "AbortError":
      return text.none;
    case "InvalidStateError":
      return text.known;
    case "SecurityError":
      return text.insecure;
    default:
      return text.failed;
  }
}

function say(place: HTMLElement, said: string): void {
  place.querySelector("[role=alert]")?.remove();
  if (said === "") return;
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.role = "alert";
  problem.textContent = said;
  place.prepend(problem);
}
