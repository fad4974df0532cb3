import { defineAsset } from "../http/assets.ts";
import { BASE_STYLES, colorProperties } from "../ui/styles.ts";

/** What the signed-in pages have besides the shared styles. */
export const STYLESHEET = defineAsset(
  "app",
  "css",
  `${colorProperties()}${BASE_STYLES}
.wrap { max-inline-size: 46rem; }
.narrow { max-inline-size: 30rem; }
p + p { margin-block-start: .75rem; }
.head {
  display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding-block: 1rem; min-block-size: 4.75rem;
}
.brand { display: flex; align-items: center; gap: .5rem; color: inherit; font-size: var(--size-16); font-weight: 600; text-decoration: none; padding-block: .5rem; }
.brand-sign { color: var(--accent-text); }
.brand:hover { text-decoration: underline; }
main { padding-block: .5rem 3rem; }
.card { padding: 1.25rem; margin-block-start: 1.25rem; }
.card h2 { margin: 0 0 .5rem; }
.card .name { margin: 0; }
.lead { margin-block-start: .75rem; }
.notice { border-inline-start: .375rem solid var(--good); }
.alert { border-inline-start: .375rem solid var(--bad); }
.facts { display: grid; gap: .25rem 1rem; margin-block-start: 1rem; }
.facts dt { color: var(--quiet); font-size: var(--size-14); }
.facts dd + dt { margin-block-start: .5rem; }
.field + button { inline-size: 100%; }
button.wide { inline-size: 100%; }
.ways { display: grid; gap: .75rem; }
.ways a {
  display: block; min-block-size: 2.75rem; padding: .625rem 1rem; border: 1px solid var(--field); border-radius: var(--radius-control);
  font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere;
}
.ways a:hover { text-decoration: underline; }
.passkey { margin-block-start: .75rem; }
.passkey button { inline-size: 100%; }
.lead + form, .facts + form { margin-block-start: 1.25rem; }
.head button { min-block-size: 2.75rem; padding: .375rem 1rem; }
details { margin-block-start: 1.25rem; }
details p { margin-block-start: .5rem; }
pre { background: var(--card); }
.tag { color: var(--quiet); }
.pages > li + li { border-block-start: 1px solid var(--line); margin-block-start: 1rem; padding-block-start: 1rem; }
.steps { list-style: disc; padding-inline-start: 1.25rem; margin-block-start: .75rem; }
.steps li + li { margin-block-start: .5rem; }
.row { align-items: baseline; justify-content: flex-start; gap: .25rem .75rem; }
@media (min-width: 40rem) {
  .head { padding-block: 1.5rem; }
  .card { padding: 1.5rem; }
}
`,
);
