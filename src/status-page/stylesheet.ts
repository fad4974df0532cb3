import { FONT_FACES } from "../ui/design/fonts.ts";
import { designProperties } from "../ui/design/tokens.ts";

/**
 * The styles of public pages. They stand in each document, so that a phone draws it after one round trip; the policy of
 * the page allows them by their hash. Phone first, logical properties, so that right-to-left pages need few rules of
 * their own, targets of at least 44 px where a finger has to hit them.
 */
const RULES = `
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-block-start: var(--space-6); }
body {
  display: flex; flex-direction: column; min-block-size: 100vh; margin: 0;
  background: var(--neutral-1); color: var(--neutral-12); overflow-wrap: break-word; hyphens: auto;
  font: var(--size-16)/1.5 var(--sans);
}
h1, h2, h3, h4, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
h1, h2, h3, h4 { font-weight: 600; letter-spacing: -.011em; text-wrap: balance; }
h1, h2, h3, h4, .text, bdi, [dir="auto"], .links a { overflow-wrap: anywhere; }
h1 { font-size: var(--size-28); line-height: 34px; }
h2 { font-size: var(--size-20); line-height: 28px; margin-block: var(--space-12) var(--space-4); }
h3, h4 { font-size: var(--size-16); line-height: 24px; }
ul, ol { list-style: none; }
:root[dir="rtl"] :is(h1, h2, h3, h4)[dir="auto"] { text-align: right; }
a { color: var(--accent-text); text-decoration-thickness: 1px; text-underline-offset: .2em; }
strong { font-weight: 600; }
[hidden] { display: none !important; }
code, pre { font: var(--size-14)/1.5 var(--mono); }
pre { margin: 0; padding: var(--space-3); overflow-x: auto; border-radius: var(--radius-control); background: var(--neutral-3); }
blockquote { margin: 0; padding-inline-start: var(--space-3); border-inline-start: 2px solid var(--neutral-6); }
.wrap { max-inline-size: 752px; margin-inline: auto; padding-inline: var(--space-4); }
main { flex: 1 0 auto; inline-size: 100%; padding-block-end: var(--space-8); }
main > .wrap > :first-child:not(.hero, .about, .group, section) { margin-block-start: var(--space-8); }
main > .wrap > h1 { margin-block-end: var(--space-4); }
h1 + .small { margin-block-start: var(--space-2); }
.skip {
  position: absolute; inset-inline-start: var(--space-4); inset-block-start: -64px; z-index: 4; padding: var(--space-2) var(--space-4);
  border-radius: var(--radius-control); background: var(--neutral-1);
}
.skip:focus { inset-block-start: var(--space-2); }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.shapes { position: absolute; inline-size: 0; block-size: 0; }
:is(a, button, input, summary, [tabindex="0"]):focus-visible {
  outline: 2px solid var(--accent-text); outline-offset: 2px; border-radius: var(--radius-control);
}
.brand-sign { color: var(--accent-text); }
.icon { flex: none; inline-size: 16px; block-size: 16px; fill: currentColor; }
.icon .mark, .mark { fill: none; stroke: var(--neutral-1); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.line-icon { flex: none; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.small, .meta, .ends, .as-of { color: var(--neutral-11); font-size: var(--size-14); line-height: 20px; }
.small { hyphens: none; }
.row { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 var(--space-4); }
.text { white-space: pre-line; }
.text + .text { margin-block-start: var(--space-3); }
ul.list { list-style: disc; padding-inline-start: var(--space-5); }
ol.list { list-style: decimal; padding-inline-start: var(--space-6); }
.tag {
  display: inline-block; padding: 0 var(--space-2); border-radius: var(--radius-full); font-size: var(--size-12); line-height: 20px;
  font-weight: 500; white-space: nowrap; background: var(--neutral-3); color: var(--neutral-11);
}
.tag.severity-major, .tag.severity-critical, .tag.is-open { background: var(--down-tint); color: var(--down-text); }
.tag.severity-minor { background: var(--degraded-tint); color: var(--degraded-text); }
.tag.is-active { background: var(--maintenance-tint); color: var(--maintenance-text); }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-block-size: 44px; padding: 0 var(--space-4); cursor: pointer;
  border: 1px solid var(--accent); border-radius: var(--radius-control); background: var(--accent); color: var(--on-accent);
  font: 500 var(--size-14)/20px var(--sans); text-decoration: none;
}
button:hover, .button:hover { filter: brightness(1.08); }
button.second, button.quiet { background: transparent; color: var(--neutral-12); border-color: var(--neutral-7); }
button.second:hover, button.quiet:hover { background: var(--neutral-3); }
label { display: block; font-size: var(--size-14); line-height: 20px; font-weight: 500; }
.field { margin-block-start: var(--space-4); }
.field:first-child, :is([hidden], [type="hidden"]) + .field { margin-block-start: 0; }
.field .quiet { display: block; color: var(--neutral-11); font-size: var(--size-14); }
.field + button, fieldset + button { margin-block-start: var(--space-6); }
.problem { color: var(--down-text); font-size: var(--size-14); font-weight: 500; }
input:not([type="checkbox"], [type="radio"], [type="hidden"]) {
  display: block; inline-size: 100%; min-block-size: 44px; padding: 0 var(--space-3); color: var(--neutral-12); background: var(--neutral-1);
  border: 1px solid var(--neutral-8); border-radius: var(--radius-control); font: var(--size-16)/24px var(--sans);
}
.field input { margin-block-start: var(--space-1); }
::placeholder { color: var(--neutral-10); opacity: 1; }
input[aria-invalid="true"] { border-color: var(--down-text); }
.fields { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: end; }
.fields > :is(.field, input) { flex: 1 1 192px; inline-size: auto; }
.fields button { margin: 0; }
fieldset { border: 0; margin: var(--space-6) 0 0; padding: 0; min-inline-size: 0; }
fieldset:first-child { margin-block-start: 0; }
legend { padding: 0; margin-block-end: var(--space-1); font-size: var(--size-14); font-weight: 500; }
form .tick { display: flex; gap: var(--space-2); align-items: center; font-weight: 400; min-block-size: 32px; }
:is(.tick, .tile) input { flex: none; inline-size: 16px; block-size: 16px; margin: 0; accent-color: var(--accent); }
.ticks, .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 192px), 1fr)); gap: 0 var(--space-4); }
.tiles { grid-template-columns: repeat(auto-fill, minmax(min(100%, 256px), 1fr)); gap: var(--space-2); }
.tile { display: flex; gap: var(--space-2); align-items: center; min-block-size: 44px; padding: var(--space-2) var(--space-3); border: 1px solid var(--neutral-6); border-radius: var(--radius-control); font-weight: 400; }
.tile:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.of-group { margin-block-start: var(--space-3); padding-block-start: var(--space-2); border-block-start: 1px solid var(--neutral-5); }
.of-group > .tick { font-weight: 500; }
.of-group > .ticks { padding-inline-start: var(--space-6); }
.card { border: 1px solid var(--neutral-6); border-radius: var(--radius-surface); padding: var(--space-4); background: var(--neutral-1); }
.card + .card, h1 + .card, h1 + form, .small + .card, .small + form { margin-block-start: var(--space-4); }
.stale { margin-block-start: var(--space-6); border-color: var(--degraded); background: var(--degraded-tint); }
.stripe { block-size: 3px; background: var(--brand, var(--accent)); }
.head { position: relative; z-index: 3; border-block-end: 1px solid var(--neutral-5); background: var(--neutral-1); }
.head > .wrap { display: flex; align-items: center; gap: var(--space-3); min-block-size: 52px; }
.head h1, .home {
  flex: 1; min-inline-size: 0; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  color: inherit; font-size: var(--size-16); line-height: 22px; font-weight: 600; letter-spacing: -.011em; text-decoration: none; text-wrap: wrap;
}
.home:hover { text-decoration: underline; }
.logo { flex: none; inline-size: auto; max-inline-size: 160px; block-size: 28px; object-fit: contain; }
.logo.by-night { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) .logo.by-day { display: none; }
  :root:not([data-theme="light"]) .logo.by-night { display: block; }
}
:root[data-theme="dark"] .logo.by-day { display: none; }
:root[data-theme="dark"] .logo.by-night { display: block; }
.tools { flex: none; display: flex; align-items: center; margin-inline-end: calc(-1 * var(--space-3)); }
.tool {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--space-15); min-block-size: 44px; min-inline-size: 44px; padding-inline: var(--space-3);
  color: var(--neutral-11); font-size: var(--size-14); font-weight: 500; text-decoration: none; border-radius: var(--radius-control); hyphens: none;
}
.tool:hover { color: var(--neutral-12); background: var(--neutral-3); }
summary { cursor: pointer; inline-size: fit-content; }
summary.tool, .group > summary { list-style: none; }
summary.tool::-webkit-details-marker, .group > summary::-webkit-details-marker { display: none; }
.menu { position: relative; }
.menu-panel {
  position: absolute; inset-inline-end: 0; inset-block-start: calc(100% + var(--space-1)); min-inline-size: 256px; padding: var(--space-1);
  border: 1px solid var(--neutral-6); border-radius: var(--radius-surface); background: var(--neutral-1); box-shadow: var(--shadow-menu);
}
.menu-panel :is(a, button) {
  display: flex; align-items: center; justify-content: flex-start; gap: var(--space-2); inline-size: 100%; min-block-size: 40px; padding: 0 var(--space-3);
  border: 0; border-radius: var(--radius-control); background: none; color: var(--neutral-12); font-size: var(--size-14); font-weight: 400; text-decoration: none; text-align: start;
}
.menu-panel nav { max-block-size: min(22rem, 55vh); overflow-y: auto; }
.menu-panel button + nav { margin-block-start: var(--space-1); padding-block-start: var(--space-1); border-block-start: 1px solid var(--neutral-5); }
.menu-panel :is(a, button):hover { background: var(--neutral-3); filter: none; }
.menu-panel a[aria-current] { font-weight: 500; color: var(--accent-text); }
.cover { display: block; inline-size: 100%; block-size: clamp(96px, 16vw, 224px); object-fit: cover; }
.hero { --solid: var(--neutral-9); --words: var(--neutral-12); --tint: var(--neutral-3); background: linear-gradient(var(--tint), var(--neutral-1)); padding-block: var(--space-6) var(--space-2); }
.hero.is-operational { --solid: var(--up); --words: var(--up-text); --tint: var(--up-tint); }
.hero.is-maintenance { --solid: var(--maintenance); --words: var(--maintenance-text); --tint: var(--maintenance-tint); }
.hero.is-degraded { --solid: var(--degraded); --words: var(--degraded-text); --tint: var(--degraded-tint); }
.hero:is(.is-partial_outage, .is-major_outage) { --solid: var(--down); --words: var(--down-text); --tint: var(--down-tint); }
.hero .state { display: flex; align-items: center; gap: var(--space-2); margin-block-end: var(--space-2); color: var(--words); font-size: var(--size-14); line-height: 20px; font-weight: 500; }
.hero :is(h2, .state) > .icon { color: var(--solid); }
.hero h2 { display: flex; align-items: center; gap: var(--space-3); margin: 0; font-size: var(--size-28); line-height: 34px; letter-spacing: -.018em; }
.hero h2 > .icon { inline-size: 28px; block-size: 28px; }
.since-when { margin-block-start: var(--space-1); font-variant-numeric: tabular-nums; }
.since-when + p { margin-block-start: var(--space-4); }
.as-of { margin-block-start: var(--space-4); }
h2 + .as-of { margin-block-start: var(--space-2); }
.reports, .affected { margin-block-start: var(--space-6); }
.reports article + article { margin-block-start: var(--space-6); padding-block-start: var(--space-6); border-block-start: 1px solid var(--neutral-6); }
.incident h3 { font-size: var(--size-16); }
.incident h3 a { color: inherit; text-decoration: none; }
.incident h3 a:hover, .past a:hover { text-decoration: underline; }
.meta { margin-block-start: var(--space-1); }
.meta strong { color: var(--neutral-12); font-weight: 500; }
.newest { margin-block-start: var(--space-3); line-height: 26px; }
.incident .small, .incident > .text { margin-block-start: var(--space-3); }
.affected h3 { color: var(--neutral-11); font-size: var(--size-14); line-height: 20px; font-weight: 500; margin-block-end: var(--space-2); }
.rows { border: 1px solid var(--neutral-6); border-radius: var(--radius-surface); background: var(--neutral-1); }
.rows > li { align-items: center; padding: var(--space-25) var(--space-4); }
.rows > li + li { border-block-start: 1px solid var(--neutral-5); }
.rows a { color: inherit; text-decoration: none; font-weight: 500; }
.rows a:hover { text-decoration: underline; }
.notify { margin-block-start: var(--space-6); }
.notify .fields { margin-block-start: var(--space-2); max-inline-size: 480px; }
.about { margin-block-start: var(--space-6); color: var(--neutral-11); }
.filter { margin-block-start: var(--space-8); }
.filter label { position: relative; display: block; max-inline-size: 384px; }
.filter .line-icon { position: absolute; inset-block-start: 14px; inset-inline-start: var(--space-3); color: var(--neutral-10); }
.filter input[type="search"] { padding-inline-start: calc(var(--space-8) + var(--space-2)); }
.filter .small { min-block-size: 20px; margin-block-start: var(--space-1); }
.about + [data-section], .hero + .wrap > [data-section]:first-child { margin-block-start: var(--space-6); }
section[data-section] > h2 { margin-block: var(--space-8) 0; }
.group { border-block-end: 1px solid var(--neutral-5); }
.group > summary {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 var(--space-4); inline-size: auto; min-block-size: 60px; padding-block: var(--space-3);
}
.group > summary h2 { margin: 0; display: flex; align-items: center; gap: var(--space-2); font-size: var(--size-16); line-height: 24px; }
.group > summary h2::before {
  content: ""; flex: none; inline-size: 7px; block-size: 7px; margin-inline: var(--space-05) var(--space-05); border: solid var(--neutral-10); border-width: 0 1.75px 1.75px 0; transform: rotate(-45deg);
}
:root[dir="rtl"] .group:not([open]) > summary h2::before { transform: rotate(135deg); }
.group[open] > summary h2::before { transform: rotate(45deg) translate(-1px, -1px); }
.status { display: inline-flex; align-items: center; gap: var(--space-15); color: var(--neutral-11); font-size: var(--size-14); line-height: 20px; hyphens: none; }
.status.is-up { color: var(--neutral-11); }
.status.is-up .icon { color: var(--up); }
.status.is-degraded { color: var(--degraded-text); font-weight: 500; }
.status.is-degraded .icon { color: var(--degraded); }
.status.is-down { color: var(--down-text); font-weight: 500; }
.status.is-down .icon { color: var(--down); }
.status.is-maintenance { color: var(--maintenance-text); }
.status.is-maintenance .icon { color: var(--maintenance); }
.status:is(.is-unknown, .is-pending) .icon { color: var(--neutral-9); }
.since { font-weight: 400; font-variant-numeric: tabular-nums; }
.monitor { padding-block: var(--space-4); }
.monitor + .monitor { border-block-start: 1px solid var(--neutral-5); }
.monitor > .row { align-items: center; }
.monitor .axis:last-child { display: none; }
.monitor h3 { font-weight: 500; letter-spacing: 0; text-wrap: wrap; }
.monitor h3 a { color: inherit; text-decoration: none; }
.monitor h3 a:hover { text-decoration: underline; }
.bar { position: relative; margin-block: var(--space-2) var(--space-1); }
.bar-days { overflow: hidden; border-radius: var(--radius-small); }
.bars { display: block; inline-size: 100%; block-size: 28px; }
.bars rect { pointer-events: none; }
.bars:focus-visible { outline: none; }
.bar:has(:focus-visible) { outline: 2px solid var(--accent-text); outline-offset: 4px; border-radius: var(--radius-control); }
.bars .days { mask: url(#days); }
.day-up, .days { fill: var(--neutral-7); }
.bars.is-cut { inline-size: 300%; margin-inline-start: -200%; }
.for-wide, .for-middle { display: none; }
:root[dir="rtl"] :is(.bars, .chart-plot) { transform: scaleX(-1); }
.day-degraded { fill: color-mix(in srgb, var(--degraded) 60%, var(--degraded-text)); }
.day-down { fill: var(--down); }
.day-maintenance { fill: var(--maintenance); }
.day-none { fill: var(--neutral-8); }
.ends { display: flex; justify-content: space-between; gap: var(--space-3); font-size: var(--size-13); font-variant-numeric: tabular-nums; hyphens: none; }
.ends .uptime { text-align: center; }
.tip {
  position: absolute; inset-block-start: calc(100% + var(--space-2)); z-index: 2; inline-size: max-content; max-inline-size: min(320px, 100%); padding: var(--space-3);
  border: 1px solid var(--neutral-6); border-radius: var(--radius-surface); background: var(--neutral-1); box-shadow: var(--shadow-menu);
  font-size: var(--size-13); line-height: 20px; pointer-events: none; text-align: start;
}
.tip p:first-child { font-weight: 600; }
.tip p + p { color: var(--neutral-11); }
.cursor { position: absolute; inset-block: -3px; inline-size: 2px; border-radius: var(--radius-full); background: var(--neutral-12); pointer-events: none; }
details:not(.group) > summary { color: var(--neutral-11); font-size: var(--size-14); line-height: 24px; }
.monitor details, .card details { margin-block-start: var(--space-2); }
.days { font-size: var(--size-14); padding-block-start: var(--space-1); }
.is-compact .group[open] { border: 0; }
.is-compact .monitors { border: 1px solid var(--neutral-6); border-radius: var(--radius-surface); }
.is-compact section .monitors { margin-block-start: var(--space-4); }
.is-compact .monitor { padding: var(--space-25) var(--space-4); }
.is-grid .monitors { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 280px), 1fr)); gap: var(--space-3); margin-block: var(--space-3); }
.is-grid .monitor { border: 1px solid var(--neutral-6); border-radius: var(--radius-surface); padding: var(--space-4); }
.is-grid .group[open] { border: 0; }
.is-grid :is(.for-wide, .for-middle) { display: none !important; }
.is-grid .for-narrow { display: inline !important; }
.day + .day { margin-block-start: var(--space-6); }
.day > h3, .day > h3 + .past { font-size: var(--size-14); }
.day > h3 { color: var(--neutral-11); font-weight: 500; padding-block-end: var(--space-2); border-block-end: 1px solid var(--neutral-5); }
.past > li { padding-block: var(--space-3); }
.past > li + li { border-block-start: 1px solid var(--neutral-5); }
.past :is(h3, h4) { font-size: var(--size-16); font-weight: 500; letter-spacing: 0; }
.past :is(h3, h4) a { color: inherit; text-decoration: none; }
.past > li > .text { margin-block-start: var(--space-2); font-size: var(--size-16); }
.row > h2 + a { font-size: var(--size-14); }
.timeline { margin-block-start: var(--space-6); padding-inline-start: var(--space-4); border-inline-start: 1px solid var(--neutral-6); }
.timeline > li { position: relative; }
.timeline > li::before {
  content: ""; position: absolute; inset-inline-start: -21px; inset-block-start: 7px; inline-size: 9px; block-size: 9px; border-radius: var(--radius-full);
  background: var(--neutral-8); box-shadow: 0 0 0 3px var(--neutral-1);
}
.timeline > li:first-child::before { background: var(--accent); }
.timeline > li + li { margin-block-start: var(--space-6); }
.timeline .text { margin-block-start: var(--space-1); }
.facts { margin-block-start: var(--space-6); }
.facts + .text { margin-block-start: var(--space-4); }
.affected h2 { margin-block: 0 var(--space-3); }
.timeline:not(:first-child) { margin-block-start: var(--space-8); }
.long { font-size: var(--size-36); line-height: 44px; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.turn { display: flex; flex-wrap: wrap; justify-content: space-between; gap: var(--space-3) var(--space-6); margin-block-start: var(--space-8); padding-block-start: var(--space-4); border-block-start: 1px solid var(--neutral-5); font-size: var(--size-14); }
.turn a { display: block; text-decoration: none; }
.turn a:hover { text-decoration: underline; }
.turn > :last-child { text-align: end; margin-inline-start: auto; }
.month { margin-block-start: var(--space-8); }
.month > .row > h2 { margin: 0; }
.month > .past > li:first-child { padding-block-start: 0; }
.month > .past { margin-block-start: var(--space-4); }
.calendar { display: grid; grid-template-columns: repeat(7, 36px); gap: var(--space-1); margin-block-start: var(--space-3); font-size: var(--size-13); font-variant-numeric: tabular-nums; }
.calendar li { display: grid; place-items: center; block-size: 36px; border-radius: var(--radius-control); color: var(--neutral-11); background: var(--neutral-2); }
.calendar a { display: grid; place-items: center; inline-size: 100%; block-size: 100%; border-radius: var(--radius-control); font-weight: 600; text-decoration: none; }
.calendar .severity-minor a { background: var(--degraded-tint); color: var(--degraded-text); box-shadow: inset 0 0 0 1px var(--degraded); }
.calendar .severity-major a { background: var(--down-tint); color: var(--down-text); box-shadow: inset 0 0 0 1px var(--down); }
.calendar .severity-critical a { background: var(--down); color: var(--neutral-1); }
.calendar .is-later { visibility: hidden; }
.calendar .is-future, .weekdays li { background: none; }
.weekdays li { block-size: 20px; font-size: var(--size-12); }
.weekdays + .calendar { margin-block-start: var(--space-1); }
.figures { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-4); margin-block-start: var(--space-4); }
.figures dd { font-size: var(--size-20); line-height: 28px; font-weight: 600; font-variant-numeric: tabular-nums; }
.card > :is(.figures, .chart):first-child { margin-block-start: 0; }
.card > .past > li:first-child { padding-block-start: 0; }
.card > .past > li:last-child { padding-block-end: 0; }
.length { font-variant-numeric: tabular-nums; font-weight: 500; }
.row + .card { margin-block-start: var(--space-4); }
.segments { display: inline-flex; margin-block-start: var(--space-6); padding: var(--space-05); border-radius: var(--radius-control); background: var(--neutral-3); }
.segments a { display: flex; align-items: center; min-block-size: 40px; padding-inline: var(--space-3); border-radius: var(--radius-small); color: var(--neutral-11); font-size: var(--size-14); text-decoration: none; }
.segments a:hover { color: var(--neutral-12); }
.segments a[aria-current] { background: var(--segment); color: var(--neutral-12); font-weight: 500; box-shadow: var(--shadow-segment); }
.chart { position: relative; margin-block-start: var(--space-4); }
.chart-plot { display: block; inline-size: 100%; block-size: 160px; margin-block-end: var(--space-1); }
.chart-plot path { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.chart figcaption { font-weight: 500; margin-block-end: var(--space-1); }
.chart-area { position: relative; }
.chart-plot .chart-bars { fill: var(--accent); stroke: none; }
.chart-line { stroke: var(--neutral-5); }
.chart-plot .chart-band { fill: var(--accent); fill-opacity: .12; }
.chart-median { stroke: var(--accent); stroke-width: 1.75; }
.chart-top { position: absolute; inset-block-start: var(--space-1); inset-inline-start: var(--space-1); }
.key { display: inline-block; inline-size: 16px; block-size: 0; vertical-align: middle; border-block-start: 2px solid var(--accent); }
.key.is-band { border-block-start: 8px solid color-mix(in srgb, var(--accent) 16%, transparent); margin-inline-start: var(--space-3); }
.links { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); }
.card + :is(.links, .feeds) { margin-block-start: var(--space-6); }
.more { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); margin-block-start: var(--space-6); font-size: var(--size-14); }
.foot { margin-block-start: var(--space-8); padding-block: var(--space-6) var(--space-8); border-block-start: 1px solid var(--neutral-5); font-size: var(--size-14); line-height: 20px; color: var(--neutral-11); }
.foot .wrap > * + * { margin-block-start: var(--space-3); }
.foot a { color: inherit; }
dialog.card { inline-size: min(448px, calc(100vw - 32px)); padding: var(--space-6); color: inherit; border-radius: var(--radius-surface); box-shadow: var(--shadow-dialog); }
dialog::backdrop { background: var(--backdrop); }
dialog h2 { margin: 0 var(--space-8) var(--space-1) 0; }
dialog > * + * { margin-block-start: var(--space-4); }
dialog .close { position: absolute; inset-block-start: var(--space-2); inset-inline-end: var(--space-2); margin: 0; padding: 0; inline-size: 44px; border: 0; background: none; color: var(--neutral-11); }
.message { padding-block: 18vh var(--space-12); text-align: center; }
:is(.message, .unlock) .brand-sign { display: block; margin: 0 auto var(--space-6); }
.unlock .brand-sign { margin-inline-start: 0; }
.message p { margin-block-start: var(--space-3); color: var(--neutral-11); }
.unlock { max-inline-size: 416px; padding-block: 16vh var(--space-12); }
@media (min-width: 640px) {
  .bars.is-cut { inline-size: 200%; margin-inline-start: -100%; }
  .for-middle { display: inline; }
  .for-narrow { display: none; }
  .hero { padding-block-start: var(--space-8); }
  .figures { grid-template-columns: repeat(4, 1fr); }
  .card { padding: var(--space-6); }
  .month { display: grid; grid-template-columns: 276px minmax(0, 1fr); column-gap: var(--space-8); align-items: start; }
  .month > .row { grid-column: 1 / -1; }
  .is-list .monitor { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; align-items: center; column-gap: var(--space-4); }
  .is-list .monitor > :is(.row, .ends) { display: contents; }
  .is-list .monitor > * { grid-column: 1 / -1; }
  .is-list .monitor h3 { justify-self: start; }
  .is-list .monitor .uptime { grid-area: 1 / 2; color: var(--neutral-11); font-size: var(--size-14); font-variant-numeric: tabular-nums; }
  .is-list .monitor .status { grid-area: 1 / 3; justify-content: end; min-inline-size: 184px; }
  .is-list .monitor .axis { grid-area: 3 / 1; font-size: var(--size-13); color: var(--neutral-11); }
  .is-list .monitor .axis:last-child { grid-area: 3 / 3; justify-self: end; display: block; }
  .is-list .monitor:not(:last-child) .axis { display: none; }
}
@media (min-width: 900px) {
  .bars.is-cut { inline-size: 100%; margin-inline-start: 0; }
  .for-wide { display: inline; }
  .for-middle { display: none; }
  .hero { padding-block-start: var(--space-12); }
  body:has(> .is-grid) .wrap { max-inline-size: 1032px; }
}
.is-grid .bars.is-cut { inline-size: 300%; margin-inline-start: -200%; }
@media print {
  body { display: block; }
  .tools, .skip, .filter, .more, .turn, .notify, dialog, .tip, .stripe, .cover { display: none; }
  .hero { background: none !important; padding-block: var(--space-4); border-block-end: 1px solid; }
  .card, article, .monitor { break-inside: avoid; }
  .group::details-content { block-size: auto; content-visibility: visible; }
  .bars, .icon { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (prefers-reduced-motion: no-preference) { .bars rect { transition: fill .12s; } }
@media (forced-colors: active) {
  .hero { border-block-end: 2px solid; }
  button, .button { border: 2px solid; }
  .bars { forced-color-adjust: none; }
}
`;

/** Only the tokens in use, because each document carries them. */
export function keepUsed(properties: string, rules: string): string {
  return properties.replace(/ ?--([\w-]+): ([^;]+);/g, (whole, name) =>
    rules.includes(`var(--${name})`) ? whole : "",
  );
}

export const STYLE_TEXT = `${FONT_FACES}${keepUsed(designProperties(), RULES)}${RULES}`.replace(/\n\s*/g, "\n");
