import { words } from "./words.ts";

const text = words(MESSAGES.theme);

const YEAR_S = 365 * 86_400;

/** Light or dark without a reload; the cookie is the one that the form would set. */
export function toggleTheme(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-theme-toggle]");
  if (!button) return;
  label(button);
  button.addEventListener("click", (event) => {
    event.preventDefault();
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some browsers.
    document.cookie = `vigil_theme=${theme}; Path=/; SameSite=Lax; Max-Age=${YEAR_S}`;
    label(button);
  });
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function label(button: HTMLButtonElement): void {
  button.value = isDark() ? "light" : "dark";
  const word = button.querySelector("span");
  if (word) word.textContent = isDark() ? text.light : text.dark;
}
