import { BASE_STYLES, colorProperties } from "../ui/styles.ts";

/** What public pages have besides the shared styles. */
export const STYLE_TEXT = `${colorProperties({
  none: ["#5b6573", "#a6b0bd"],
  "bar-up": ["#2f9e6b", "#35a874"],
  "bar-warn": ["#b27b00", "#e3a93c"],
  "bar-bad": ["#d3302a", "#f0625a"],
  "bar-none": ["#858d98", "#77818f"],
})}${BASE_STYLES}
.skip { position: absolute; inset-inline-start: 1rem; inset-block-start: -4rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { inset-block-start: 1rem; }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.shapes { position: absolute; inline-size: 0; block-size: 0; }
.stripe { block-size: 6px; background: var(--brand); }
.head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .75rem 1rem; padding-block: 1.5rem 1.25rem; }
.title { display: flex; align-items: center; gap: .875rem; min-inline-size: 0; }
.tools { display: flex; align-items: center; gap: .5rem; }
.tools button { padding: .5rem; min-inline-size: 2.75rem; min-block-size: 2.75rem; display: grid; place-items: center; }
.button {
  display: inline-flex; align-items: center; min-block-size: 2.75rem; padding: .375rem 1rem; border-radius: .5rem; font-weight: 600;
  text-decoration: none; background: var(--link); color: var(--on-link); border: 1px solid var(--link);
}
.button:hover { text-decoration: underline; }
[hidden] { display: none !important; }
dialog.card { inline-size: min(28rem, calc(100vw - 2rem)); color: var(--text); }
dialog::backdrop { background: rgb(0 0 0 / .5); }
dialog h2 { margin: 0 0 .25rem; }
dialog > * + * { margin-block-start: 1rem; }
.filter { margin-block-start: 1.5rem; max-inline-size: 24rem; }
.tip {
  position: absolute; inset-block-end: calc(100% + .375rem); z-index: 1; max-inline-size: min(20rem, 100%); padding: .375rem .625rem;
  border-radius: .5rem; background: var(--text); color: var(--card); font-size: .8125rem; line-height: 1.4; pointer-events: none;
}
.bar { position: relative; }
.bars:focus-visible { outline: none; }
.bar:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: 4px; border-radius: .25rem; }
.home { color: inherit; font-size: 1.25rem; font-weight: 600; text-decoration: none; }
.home:hover { text-decoration: underline; }
.logo.by-night { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) .logo.by-day { display: none; }
  :root:not([data-theme="light"]) .logo.by-night { display: block; }
}
:root[data-theme="dark"] .logo.by-day { display: none; }
:root[data-theme="dark"] .logo.by-night { display: block; }
.logo { flex: none; inline-size: auto; max-inline-size: 12rem; block-size: 2.5rem; object-fit: contain; }
.text { white-space: pre-line; }
.text + .text { margin-block-start: .75rem; }
.small { color: var(--quiet); font-size: .875rem; }
ul.list { list-style: disc; padding-inline-start: 1.25rem; }
ol.list { list-style: decimal; padding-inline-start: 1.5rem; }
blockquote { margin-inline: 0; padding-inline-start: .75rem; border-inline-start: 3px solid var(--line); }
.more { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-block-start: 1.25rem; }
.stale { border-inline-start: .375rem solid var(--bar-warn); margin-block-end: 1rem; }
.icon { flex: none; inline-size: 1.25rem; block-size: 1.25rem; fill: currentColor; }
.mark { fill: none; stroke: var(--card); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.banner { display: flex; align-items: center; gap: .875rem; margin-block-start: 1.25rem; padding: 1.125rem 1.25rem; border-radius: .75rem; color: #fff; }
.banner h2 { margin: 0; font-size: 1.25rem; line-height: 1.3; }
.banner p { font-size: 1rem; }
.banner .as-of { font-size: .875rem; }
.banner .icon { inline-size: 2rem; block-size: 2rem; }
.banner.is-operational { background: #16774a; --card: #16774a; }
.banner.is-maintenance { background: #1d5fa8; --card: #1d5fa8; }
.banner.is-degraded { background: #8a5200; --card: #8a5200; }
.banner.is-partial_outage { background: #b0400c; --card: #b0400c; }
.banner.is-major_outage { background: #b3261e; --card: #b3261e; }
.banner.is-unknown { background: #4b5563; --card: #4b5563; }
.group { padding-block: 0; margin-block-start: .75rem; }
.group > summary {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; inline-size: auto;
  padding-block: .875rem; color: inherit; list-style: none;
}
.group > summary::-webkit-details-marker { display: none; }
.group > summary h2 { margin: 0; display: flex; align-items: center; gap: .5rem; }
.group > summary h2::before {
  content: ""; flex: none; inline-size: .5rem; block-size: .5rem; border: solid var(--quiet); border-width: 0 2px 2px 0;
  transform: rotate(-45deg); transition: transform .15s;
}
.group[open] > summary h2::before { transform: rotate(45deg); }
.group[open] > summary { border-block-end: 1px solid var(--line); }
.banner + .group, p + .group { margin-block-start: 1.5rem; }
.monitor { padding-block: 1rem; }
.monitor h3 a { color: inherit; text-decoration: none; }
.monitor h3 a:hover { text-decoration: underline; }
.monitor + .monitor { border-block-start: 1px solid var(--line); }
.status { display: inline-flex; align-items: center; gap: .4rem; font-size: .9375rem; font-weight: 600; }
.since { font-weight: 400; }
.is-up { color: var(--good); }
.status.is-degraded { color: var(--warn); }
.status.is-down { color: var(--bad); }
.status.is-maintenance { color: var(--link); }
.status.is-unknown, .status.is-pending { color: var(--none); }
.bars {
  display: block; inline-size: 100%; block-size: 2rem; margin-block: .625rem .375rem;
  -webkit-mask: linear-gradient(90deg, #000 70%, transparent 70%) 0 0 / calc(100% / 90) 100%;
  mask: linear-gradient(90deg, #000 70%, transparent 70%) 0 0 / calc(100% / 90) 100%;
}
:root[dir="rtl"] .bars, :root[dir="rtl"] .chart-plot { transform: scaleX(-1); }
.day-up { fill: var(--bar-up); }
.day-degraded { fill: var(--bar-warn); }
.day-down { fill: var(--bar-bad); }
.day-maintenance { fill: var(--link); }
.day-none { fill: var(--bar-none); }
.uptime { color: var(--text); font-variant-numeric: tabular-nums; }
.monitor details { margin-block: .375rem -.25rem; font-size: .875rem; }
.days { padding-block-start: .25rem; padding-inline-start: 1rem; }
.incident { border-inline-start-width: .375rem; }
.incident.is-minor { border-inline-start-color: var(--bar-warn); }
.incident.is-major { border-inline-start-color: #e2661f; }
.incident.is-critical { border-inline-start-color: var(--bar-bad); }
.incident.is-active { border-inline-start-color: var(--link); }
.incident.is-planned { border-inline-start-color: var(--bar-none); }
.incident h1, .incident h3 { margin-block-end: .25rem; }
.incident .text { margin-block-start: .75rem; }
.timeline { margin-block-start: 1rem; padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }
.timeline > li + li { margin-block-start: 1rem; }
.timeline .text { margin-block-start: .25rem; }
.past > li { margin-block-start: .75rem; }
.past:first-child > li:first-child { margin-block-start: 0; }
.past > li + li { margin-block-start: 1rem; padding-block-start: 1rem; border-block-start: 1px solid var(--line); }
.row > h2 + a { margin-block: 2rem .75rem; }
.timeline + .small { margin-block-start: .75rem; }
.embed { padding: .75rem; display: grid; gap: .75rem; }
.embed h1 { font-size: 1rem; }
.embed .banner { margin: 0; text-decoration: none; }
.embed li + li { margin-block-start: .5rem; padding-block-start: .5rem; border-block-start: 1px solid var(--line); }
.figures { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-block-start: 1.25rem; }
.card > .figures:first-child, .card > .chart:first-child { margin-block-start: 0; }
.card + .links { margin-block-start: 1.25rem; }
.figures dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
h1 + .status { font-size: 1rem; }
.row + .card { margin-block-start: 1rem; }
.tag.is-open { color: var(--bad); }
.chart { position: relative; margin: 1rem 0 0; }
.chart-plot { display: block; inline-size: 100%; block-size: 10rem; margin-block-end: .375rem; }
.chart-plot path { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.chart figcaption { font-weight: 600; margin-block-end: .375rem; }
.chart-area { position: relative; }
.chart-plot .chart-bars { fill: var(--link); stroke: none; }
.chart-line { stroke: var(--line); }
.chart-p95 { stroke: var(--bar-none); stroke-width: 1.5; stroke-dasharray: 4 3; }
.chart-median { stroke: var(--link); stroke-width: 2; }
.chart-top { position: absolute; inset-block-start: .25rem; inset-inline-start: .25rem; }
.key { display: inline-block; inline-size: 1.25rem; block-size: 0; vertical-align: middle; border-block-start: 2px solid var(--link); }
.key.is-p95 { border-block-start: 2px dashed var(--bar-none); margin-inline-start: .75rem; }
.links a[aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
.foot { margin-block-start: 2.5rem; padding-block: 1.5rem 2.5rem; }
.foot > * + * { margin-block-start: 1rem; }
.links { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
.message { padding-block: 20vh; text-align: center; }
.message p { margin-block-start: .75rem; color: var(--quiet); }
.unlock { max-inline-size: 26rem; padding-block: 16vh 4rem; }
.unlock .card { margin-block-start: 1rem; }
.fields { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
form .tick { display: flex; gap: .375rem; font-weight: 400; margin-block: .25rem; min-block-size: 1.5rem; }
.tick input { flex: none; align-self: start; margin-block-start: .3rem; accent-color: var(--link); }
fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0 0; padding: .5rem 1rem; }
.fields .field { flex: 1 1 14rem; }
.fields button { margin: 0; }
dialog form + p { margin-block-start: .5rem; }
h1 + .card, h1 + form { margin-block-start: 1rem; }
main > article + p, main > form + p, main > .card + p:not(.card) { margin-block-start: 1.25rem; }
@media (min-width: 40rem) {
  .head { padding-block: 2.5rem 1.5rem; }
  .group { padding-block: 0; }
  .monitor { padding-block: 1.25rem; }
  .banner { padding: 1.375rem 1.5rem; }
  .banner h2 { font-size: 1.5rem; }
  .figures { grid-template-columns: repeat(4, 1fr); }
}
@media print {
  body { background: #fff; }
  .tools, .skip, .filter, .more, dialog, .tip, .languages { display: none; }
  .banner { --card: #fff !important; }
  .banner { border: 2px solid; color: #000 !important; background: none !important; print-color-adjust: exact; }
  .card, article { break-inside: avoid; }
  .bars, .icon { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) {
  .banner { border: 2px solid; }
  .bars { forced-color-adjust: none; }
}
`;
