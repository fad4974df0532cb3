import { FONT_FACES } from "./design/fonts.ts";
import { type ColorName, DARK, designProperties, LIGHT as TOKENS } from "./design/tokens.ts";

/** The colours by what they are for; src/ui/design/tokens.ts has them. */
const COLORS = {
  ground: "neutral-2",
  card: "neutral-1",
  line: "neutral-6",
  field: "neutral-8",
  text: "neutral-12",
  quiet: "neutral-11",
  link: "accent-text",
  "on-link": "neutral-1",
  good: "up-text",
  warn: "degraded-text",
  bad: "down-text",
} as const satisfies Record<string, ColorName>;

/** For mails, which know no variables and are always light. */
export const LIGHT = Object.fromEntries(Object.entries(COLORS).map(([name, color]) => [name, TOKENS[color]])) as Record<
  keyof typeof COLORS,
  string
>;

type Pairs = Record<string, readonly [light: string, dark: string]>;

/** Fonts, tokens and these colours as custom properties. */
export function colorProperties(more: Pairs = {}): string {
  const named = Object.entries(COLORS).map(([name, color]) => [name, [TOKENS[color], DARK[color]]] as const);
  return FONT_FACES + designProperties({ ...Object.fromEntries(named), ...more });
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
  font: var(--size-16)/1.5 var(--sans);
}
h1, h2, h3, h4, p, ul, ol, dl, dd { margin: 0; padding: 0; }
h1 { font-size: var(--size-28); line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: var(--size-20); margin-block: var(--space-8) var(--space-3); }
h3, h4 { font-size: var(--size-16); font-weight: 600; }
ul, ol { list-style: none; }
a { color: var(--link); text-underline-offset: .15em; }
.wrap { max-inline-size: 54rem; margin-inline: auto; padding-inline: var(--space-4); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius-surface); padding: var(--space-4); }
.card + .card { margin-block-start: var(--space-3); }
.quiet { color: var(--quiet); font-size: var(--size-14); }
.row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-1) var(--space-4); }
.tag {
  display: inline-block; border: 1px solid currentColor; border-radius: var(--radius-full); padding: 0 var(--space-2);
  font-size: var(--size-12);
  font-weight: 600; white-space: nowrap;
}
label { display: block; font-weight: 600; }
.field { margin-block-start: var(--space-4); }
.field:first-child { margin-block-start: 0; }
.field .quiet { display: block; }
.problem { color: var(--bad); font-weight: 600; margin-block: var(--space-05); }
input:not([type="checkbox"], [type="hidden"]), select {
  display: block; inline-size: 100%; min-block-size: 3rem; margin-block-start: var(--space-15); padding: var(--space-2) var(--space-3); font: inherit;
  color: var(--text); background: var(--card); border: 1px solid var(--field); border-radius: var(--radius-control);
}
input[readonly] { background: var(--ground); border-color: var(--line); color: var(--quiet); }
input[aria-invalid="true"] { border: 2px solid var(--bad); }
button {
  font: inherit; font-weight: 600; min-block-size: 3rem; padding: var(--space-2) var(--space-5); cursor: pointer; border-radius: var(--radius-control);
  border: 1px solid var(--link); background: var(--link); color: var(--on-link);
}
.field + button, fieldset + button { margin-block-start: var(--space-6); }
button.second { background: transparent; color: var(--link); border-color: var(--field); }
:is(a, button, input, select, summary, [tabindex="0"]):focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; border-radius: var(--radius-small);
}
:is(button, input, select):focus-visible { border-radius: var(--radius-control); }
summary { inline-size: fit-content; cursor: pointer; color: var(--link); min-block-size: 1.5rem; }
pre {
  margin: var(--space-2) 0 0; padding: var(--space-3); overflow-x: auto; border: 1px solid var(--line); border-radius: var(--radius-control);
  background: var(--ground);
}
code { font: var(--size-14)/1.5 var(--mono); }
@media (min-width: 40rem) {
  .card { padding: var(--space-5) var(--space-6); }
}
@media (forced-colors: active) {
  button { border: 2px solid; }
}
`;
