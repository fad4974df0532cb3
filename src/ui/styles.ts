/** Colours of pages and mails, each for light and for dark grounds. Text has a contrast of at least 4.5 : 1 on both grounds. */
const COLORS = {
  ground: ["#f5f6f8", "#0f1216"],
  card: ["#ffffff", "#181c22"],
  line: ["#dfe3e8", "#2c333d"],
  field: ["#7b8593", "#7d8796"],
  text: ["#171a20", "#e9ecf0"],
  quiet: ["#545d6b", "#a6b0bd"],
  link: ["#0b57d0", "#8ab4f8"],
  "on-link": ["#ffffff", "#0f1216"],
  good: ["#16774a", "#4cc38a"],
  warn: ["#8a5200", "#f0b849"],
  bad: ["#b3261e", "#ff8f87"],
} as const;

/** For mails, which know no variables and are always light. */
export const LIGHT = Object.fromEntries(Object.entries(COLORS).map(([name, [light]]) => [name, light])) as Record<
  keyof typeof COLORS,
  string
>;

type Pairs = Record<string, readonly [light: string, dark: string]>;

/**
 * Custom properties that follow the visitor's colour scheme, or the one that `data-theme` on the root names. Browsers
 * without `light-dark()` show the light colours.
 */
export function colorProperties(more: Pairs = {}): string {
  const pairs = Object.entries<readonly [string, string]>({ ...COLORS, ...more });
  const light = pairs.map(([name, [value]]) => `--${name}: ${value};`).join(" ");
  const both = pairs.map(([name, [day, night]]) => `--${name}: light-dark(${day}, ${night});`).join(" ");
  return `:root { color-scheme: light dark; ${light} }
@supports (color: light-dark(#000, #fff)) { :root { ${both} } }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
`;
}

/**
 * What every page shares: phone first, logical properties, so that right-to-left pages need no rules of their own, targets
 * of at least 44 px where a finger has to hit them.
 */
export const BASE_STYLES = `
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1, h2, h3, h4, p, ul, ol, dl, dd { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1.125rem; margin-block: 2rem .75rem; }
h3, h4 { font-size: 1rem; font-weight: 600; }
ul, ol { list-style: none; }
a { color: var(--link); text-underline-offset: .15em; }
.wrap { max-inline-size: 54rem; margin-inline: auto; padding-inline: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; }
.card + .card { margin-block-start: .75rem; }
.quiet { color: var(--quiet); font-size: .875rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; }
.tag {
  display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; font-size: .75rem;
  font-weight: 600; white-space: nowrap;
}
label { display: block; font-weight: 600; }
.field { margin-block-start: 1.125rem; }
.field:first-child { margin-block-start: 0; }
.field .quiet { display: block; }
.problem { color: var(--bad); font-weight: 600; margin-block: .125rem; }
input:not([type="checkbox"], [type="hidden"]), select {
  display: block; inline-size: 100%; min-block-size: 3rem; margin-block-start: .375rem; padding: .5rem .75rem; font: inherit;
  color: var(--text); background: var(--card); border: 1px solid var(--field); border-radius: .5rem;
}
input[readonly] { background: var(--ground); border-color: var(--line); color: var(--quiet); }
input[aria-invalid="true"] { border: 2px solid var(--bad); }
button {
  font: inherit; font-weight: 600; min-block-size: 3rem; padding: .5rem 1.25rem; cursor: pointer; border-radius: .5rem;
  border: 1px solid var(--link); background: var(--link); color: var(--on-link);
}
.field + button, fieldset + button { margin-block-start: 1.5rem; }
button.second { background: transparent; color: var(--link); border-color: var(--field); }
:is(a, button, input, select, summary, [tabindex="0"]):focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem;
}
:is(button, input, select):focus-visible { border-radius: .5rem; }
summary { inline-size: fit-content; cursor: pointer; color: var(--link); min-block-size: 1.5rem; }
pre {
  margin: .5rem 0 0; padding: .75rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--ground);
}
code { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (min-width: 40rem) {
  h1 { font-size: 1.875rem; }
  .card { padding: 1.25rem 1.5rem; }
}
@media (forced-colors: active) {
  button { border: 2px solid; }
}
`;
