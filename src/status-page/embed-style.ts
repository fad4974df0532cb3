import { designProperties } from "../ui/design/tokens.ts";
import { keepUsed } from "./stylesheet.ts";

/**
 * Of the state in a frame: its head fits into eighty pixels, the list of services follows. Fonts are the system's. It
 * has a ground of its own, because nobody knows what colours the other site has behind the frame.
 */
const RULES = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--neutral-1); color: var(--neutral-12); font: var(--size-14)/20px system-ui, sans-serif; overflow-wrap: anywhere; }
h1, p, ul { margin: 0; padding: 0; font-size: var(--size-14); }
ul { list-style: none; }
a { color: inherit; text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: -2px; }
.shapes { position: absolute; inline-size: 0; block-size: 0; }
.unseen { position: absolute; clip-path: inset(50%); }
.icon { flex: none; inline-size: 16px; block-size: 16px; fill: var(--neutral-9); }
.mark { fill: none; stroke: var(--neutral-1); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.hero, li, .status { display: flex; align-items: center; gap: var(--space-3); }
.hero {
  min-block-size: 64px; margin: var(--space-2); padding: var(--space-2) var(--space-4);
  border: 1px solid var(--neutral-6); border-radius: var(--radius-surface);
}
.hero > div { min-inline-size: 0; }
.hero h1 { color: var(--neutral-12); font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.hero .icon { inline-size: 24px; block-size: 24px; }
:is(.is-operational, .is-up) .icon { fill: var(--up); }
.is-degraded .icon { fill: var(--degraded); }
:is(.is-partial_outage, .is-major_outage, .is-down) .icon { fill: var(--down); }
.is-maintenance .icon { fill: var(--maintenance); }
ul, .small { padding-inline: var(--space-6); }
li { justify-content: space-between; min-block-size: 36px; border-block-end: 1px solid var(--neutral-5); }
.status { gap: var(--space-2); }
.small { padding-block: var(--space-2); }
.small, .status, .hero { color: var(--neutral-11); }
`;

export const EMBED_STYLE = `${keepUsed(designProperties(), RULES)}${RULES}`
  .replace(/\n\s*/g, "\n")
  .replace(/([:;,{]) /g, "$1");
