import { designProperties } from "./design/tokens.ts";

/** Of the reference of the API, which stands in each of its documents. */
const RULES = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--neutral-1); color: var(--neutral-12); font: var(--size-14)/20px system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-inline-size: 56rem; margin-inline: auto; padding: var(--space-6) var(--space-4) var(--space-12); }
h1 { font-size: var(--size-28); line-height: 1.25; }
h2 { font-size: var(--size-20); line-height: 1.3; }
h3 { font-size: var(--size-14); margin-block: var(--space-4) var(--space-2); }
p { margin-block: var(--space-2); }
a { color: var(--accent-text); }
a:hover { text-decoration: none; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.skip { position: absolute; inset-block-start: -4rem; background: var(--neutral-1); padding: var(--space-2); }
.skip:focus { inset-block-start: 0; }
code, pre { font-family: ui-monospace, monospace; font-size: var(--size-12); }
pre { overflow-x: auto; padding: var(--space-3); background: var(--neutral-3); border-radius: var(--radius-control); }
ul.operations { list-style: none; padding: 0; }
ul.operations li { padding-block: var(--space-1); }
article, .object { padding-block-start: var(--space-4); margin-block-start: var(--space-6); border-block-start: 1px solid var(--neutral-6); scroll-margin-block-start: var(--space-4); }
dl { margin: 0; }
dl > div { padding-block: var(--space-2); border-block-end: 1px solid var(--neutral-5); }
dd { margin-inline-start: var(--space-4); }
details { margin-block: var(--space-1); }
summary { cursor: pointer; padding-block: var(--space-1); }
.method { display: inline-block; min-inline-size: 3.5rem; font: 600 var(--size-12)/1.5 ui-monospace, monospace; }
.method.is-delete { color: var(--down-text); }
.quiet, .type { color: var(--neutral-11); }
.tag { color: var(--degraded-text); font-size: var(--size-12); }
.address { font-size: var(--size-14); }
`;

export const REFERENCE_STYLE = `${designProperties()}${RULES}`.replace(/\n\s*/g, "\n");
