import { defineStylesheet } from "../http/stylesheet.ts";

/** Phone first; logical properties; contrast at least 4.5 : 1; nothing smaller than a thumb. */
export const STYLESHEET = defineStylesheet(
  "app",
  `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --card: #fff; --line: #dfe3e8; --field: #7b8593; --text: #171a20; --quiet: #545d6b;
  --link: #0b57d0; --on-link: #fff; --good: #16774a; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --card: #181c22; --line: #2c333d; --field: #7d8796; --text: #e9ecf0; --quiet: #a6b0bd;
    --link: #8ab4f8; --on-link: #0f1216; --good: #4cc38a; --bad: #ff8f87;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1, h2, h3, p, ul, dl, dd { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1.125rem; margin-block: 2rem .75rem; }
h3 { font-size: 1rem; }
ul { list-style: none; }
p + p { margin-block-start: .75rem; }
a { color: var(--link); text-underline-offset: .15em; }
.wrap { max-inline-size: 46rem; margin-inline: auto; padding-inline: 1rem; }
.narrow { max-inline-size: 30rem; }
.head {
  display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding-block: 1rem; min-block-size: 4.75rem;
}
.brand { color: inherit; font-size: 1.125rem; font-weight: 650; text-decoration: none; padding-block: .5rem; }
.brand:hover { text-decoration: underline; }
main { padding-block: .5rem 3rem; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin-block-start: 1.25rem;
}
.card + .card { margin-block-start: .75rem; }
.card h2 { margin: 0 0 .5rem; }
.card .name { margin: 0; }
.lead { margin-block-start: .75rem; }
.quiet { color: var(--quiet); font-size: .875rem; }
.notice { border-inline-start: .375rem solid var(--good); }
.alert { border-inline-start: .375rem solid var(--bad); }
.facts { display: grid; gap: .25rem 1rem; margin-block-start: 1rem; }
.facts dt { color: var(--quiet); font-size: .875rem; }
.facts dd + dt { margin-block-start: .5rem; }
label { display: block; font-weight: 600; }
.field + .field { margin-block-start: 1.125rem; }
.field .quiet { display: block; margin-block-end: .375rem; }
.problem { color: var(--bad); font-weight: 600; margin-block: .125rem .375rem; }
input {
  display: block; inline-size: 100%; min-block-size: 3rem; margin-block-start: .375rem; padding: .5rem .75rem; font: inherit;
  color: var(--text); background: var(--card); border: 1px solid var(--field); border-radius: .5rem;
}
input[readonly] { background: var(--ground); border-color: var(--line); color: var(--quiet); }
input[aria-invalid="true"] { border: 2px solid var(--bad); }
button {
  font: inherit; font-weight: 600; min-block-size: 3rem; padding: .5rem 1.25rem; cursor: pointer; border-radius: .5rem;
  border: 1px solid var(--link); background: var(--link); color: var(--on-link);
}
.field + button { margin-block-start: 1.5rem; inline-size: 100%; }
button.wide { inline-size: 100%; }
.lead + form, .facts + form { margin-block-start: 1.25rem; }
button.second { background: transparent; color: var(--link); border-color: var(--field); }
.head button { min-block-size: 2.75rem; padding: .375rem 1rem; }
:is(a, button, input, summary):focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
:is(button, input):focus-visible { border-radius: .5rem; }
details { margin-block-start: 1.25rem; }
summary { inline-size: fit-content; cursor: pointer; color: var(--link); min-block-size: 2rem; }
details p { margin-block-start: .5rem; }
pre {
  margin: .5rem 0 0; padding: .75rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
}
code { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.tag {
  display: inline-block; border: 1px solid var(--field); border-radius: 1rem; padding: 0 .5rem; font-size: .75rem; font-weight: 600;
  color: var(--quiet); white-space: nowrap;
}
.pages > li + li { border-block-start: 1px solid var(--line); margin-block-start: 1rem; padding-block-start: 1rem; }
.steps { list-style: disc; padding-inline-start: 1.25rem; margin-block-start: .75rem; }
.steps li + li { margin-block-start: .5rem; }
.row { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; }
@media (min-width: 40rem) {
  h1 { font-size: 1.875rem; }
  .head { padding-block: 1.5rem; }
  .card { padding: 1.5rem; }
}
@media (forced-colors: active) {
  button { border: 2px solid; }
}
`,
);
