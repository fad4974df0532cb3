/** A pause in typing after which the preview follows. */
const SETTLED_MS = 300;

/**
 * Keeps the frame beside a form as the server draws what the fields hold. Each drawing is loaded in a frame of its own behind
 * the shown one, which it then replaces at the same place of its scroll: nothing flickers, and the browser's history gets no
 * entry, because a frame that was just made has nothing to go back to.
 */
export function followForm(): void {
  const button = document.querySelector<HTMLButtonElement>("button[data-preview-button]");
  const place = document.querySelector<HTMLElement>("[data-preview-frame]");
  const form = button?.form;
  if (!button || !place || !form) return;
  const shown = () => place.querySelector("iframe:not(.is-loading)") as HTMLIFrameElement | null;
  const first = shown();
  if (first) {
    if (first.contentDocument?.readyState === "complete") keepIn(first);
    first.addEventListener("load", () => keepIn(first));
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    clearTimeout(timer);
    place.querySelector("iframe.is-loading")?.remove();
    load({ place, form, address: button.formAction, current: shown });
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, SETTLED_MS);
  });
  button.addEventListener("click", (event) => {
    event.preventDefault();
    draw();
    place.scrollIntoView({ block: "nearest" });
  });
}

interface Drawing {
  place: HTMLElement;
  form: HTMLFormElement;
  address: string;
  current(): HTMLIFrameElement | null;
}

let drawn = 0;

function load({ place, form, address, current }: Drawing): void {
  const model = current();
  if (!model) return;
  const next = document.createElement("iframe");
  next.name = `preview-${++drawn}`;
  next.title = model.title;
  next.setAttribute("sandbox", model.getAttribute("sandbox") ?? "");
  next.className = "is-loading";
  place.append(next);
  next.addEventListener("load", () => {
    // The empty document of a new frame is loaded, too.
    if (!next.isConnected || next.contentWindow?.location.href === "about:blank") return;
    const last = current();
    keepIn(next);
    next.contentWindow?.scrollTo(0, last?.contentWindow?.scrollY ?? 0);
    next.classList.remove("is-loading");
    last?.remove();
  });
  submitCopy(form, address, next.name);
}

/** A copy, because the form itself counts as sent once it was submitted. */
function submitCopy(form: HTMLFormElement, address: string, target: string): void {
  const copy = document.createElement("form");
  copy.method = "post";
  copy.action = address;
  copy.target = target;
  copy.hidden = true;
  for (const [name, value] of new FormData(form)) {
    const field = document.createElement("textarea");
    field.name = name;
    field.value = String(value);
    copy.append(field);
  }
  document.body.append(copy);
  copy.submit();
  copy.remove();
}

/** Links of the drawn page would lead the frame away from it. */
function keepIn(frame: HTMLIFrameElement): void {
  frame.contentDocument?.addEventListener("click", (event) => event.preventDefault());
}
