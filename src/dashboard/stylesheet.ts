import { defineAsset } from "../http/assets.ts";
import { BASE_STYLES, colorProperties } from "../ui/styles.ts";

/** What the signed-in pages have besides the shared styles. */
export const STYLESHEET = defineAsset(
  "app",
  "css",
  `${colorProperties()}${BASE_STYLES}
.wrap { max-inline-size: 46rem; }
.narrow { max-inline-size: 30rem; }
p + p { margin-block-start: var(--space-3); }
.head {
  display: flex; align-items: center; justify-content: space-between; gap: var(--space-4); padding-block: var(--space-4); min-block-size: 4.75rem;
}
.brand { display: flex; align-items: center; gap: var(--space-2); color: inherit; font-size: var(--size-16); font-weight: 600; text-decoration: none; padding-block: var(--space-2); }
.brand-sign { color: var(--accent-text); }
.brand:hover { text-decoration: underline; }
main { padding-block: var(--space-2) var(--space-12); }
.card { padding: var(--space-5); margin-block-start: var(--space-5); }
.card h2 { margin: 0 0 var(--space-2); }
.card .name { margin: 0; }
.lead { margin-block-start: var(--space-3); }
.notice { border-inline-start: .375rem solid var(--good); }
.alert { border-inline-start: .375rem solid var(--bad); }
.facts { display: grid; gap: var(--space-1) var(--space-4); margin-block-start: var(--space-4); }
.facts dt { color: var(--quiet); font-size: var(--size-14); }
.facts dd + dt { margin-block-start: var(--space-2); }
.field + button { inline-size: 100%; }
button.wide { inline-size: 100%; }
.ways { display: grid; gap: var(--space-3); }
.ways a {
  display: block; min-block-size: 2.75rem; padding: var(--space-25) var(--space-4); border: 1px solid var(--field); border-radius: var(--radius-control);
  font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere;
}
.ways a:hover { text-decoration: underline; }
.passkey { margin-block-start: var(--space-3); }
.passkey button { inline-size: 100%; }
.lead + form, .facts + form { margin-block-start: var(--space-5); }
.head button { min-block-size: 2.75rem; padding: var(--space-15) var(--space-4); }
details { margin-block-start: var(--space-5); }
details p { margin-block-start: var(--space-2); }
pre { background: var(--card); }
.tag { color: var(--quiet); }
.pages > li + li { border-block-start: 1px solid var(--line); margin-block-start: var(--space-4); padding-block-start: var(--space-4); }
.steps { list-style: disc; padding-inline-start: var(--space-5); margin-block-start: var(--space-3); }
.steps li + li { margin-block-start: var(--space-2); }
.row { align-items: baseline; justify-content: flex-start; gap: var(--space-1) var(--space-3); }
@media (min-width: 40rem) {
  .head { padding-block: var(--space-6); }
  .card { padding: var(--space-6); }
}
`,
);
