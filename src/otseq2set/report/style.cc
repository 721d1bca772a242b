#include "otseq2set/report/style.h"

namespace otseq2set::inline report {

// Colours of series are Okabe and Ito's, which people who see few colours tell apart; darker on white,
// lighter on black.
const char* const kStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #fffefb; --ink: #1d1d1f; --soft: #5c5c61; --axis: #86868b; --grid: #e4e3de; --tint: #f5f4ef;
  --link: #00558f; --shade: #00000030;
  --series-1: #0072b2; --series-2: #d55e00; --series-3: #008f68; --series-4: #b45f94;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16171a; --ink: #e6e5e1; --soft: #a2a2a6; --axis: #7d7d83; --grid: #33343a; --tint: #202126;
    --link: #8cc8f5; --shade: #ffffff38;
    --series-1: #56b4e9; --series-2: #f0a13c; --series-3: #3fc79d; --series-4: #e199c4;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 Charter, "Bitstream Charter", "Source Serif 4", "Iowan Old Style", Georgia, "DejaVu Serif", serif;
}
h1, h2, h3, nav, table, figure, summary, .facts, .badge {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.7rem; line-height: 1.2; font-weight: 650; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; font-weight: 650; margin: 3rem 0 .5rem; }
h3 { font-size: 1rem; font-weight: 650; margin: 1.75rem 0 .5rem; }
p { margin: .5rem 0 1rem; max-width: 44rem; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
.facts { color: var(--soft); font-size: .9rem; margin: 0 0 1.25rem; max-width: none; }
nav { border: solid var(--grid); border-width: 1px 0; padding: .6rem 0; font-size: .85rem; }
nav ol { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.table { margin: 1.1rem 0; min-width: 0; font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.caption { color: var(--soft); font-size: .85rem; line-height: 1.4; margin: 0 0 .45rem; }
/* Where a table goes on to the side, its edge has a line and a shade; at the end of the table, paper covers them. */
.scroll {
  overflow-x: auto; background-repeat: no-repeat; background-attachment: local, local, scroll, scroll;
  background-position: left, right, left, right; background-size: 2.5rem 110%, 2.5rem 110%, 1.1rem 100%, 1.1rem 100%;
  background-image: linear-gradient(to right, var(--paper) 50%, transparent),
    linear-gradient(to left, var(--paper) 50%, transparent),
    linear-gradient(to right, var(--axis) 2px, var(--shade) 2px, transparent),
    linear-gradient(to left, var(--axis) 2px, var(--shade) 2px, transparent);
}
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .86rem; line-height: 1.35; font-variant-numeric: tabular-nums lining-nums;
        border-bottom: 1.5px solid var(--ink); }
thead th { border: solid var(--ink); border-width: 1.5px 0 1px; vertical-align: bottom; }
th, td { padding: .28rem .65rem; text-align: right; white-space: nowrap; font-weight: 400; }
thead th { font-weight: 600; }
th:first-child { text-align: left; padding-left: .1rem; position: sticky; left: 0; background: var(--paper); }
td:last-child, thead th:last-child { padding-right: .1rem; }
tr.group th { color: var(--soft); font-style: italic; padding-top: .75rem; position: static; background: none; }
tr.group span { position: sticky; left: .1rem; }
tbody tr:not(.group):hover > * { background: var(--tint); }
.best { font-weight: 700; }
.spread { display: inline-block; min-width: 3.5em; text-align: left; color: var(--soft); font-weight: 400; font-size: .92em; }
.note, .set { color: var(--soft); }
tr.rule > * { border-top: 1px solid var(--grid); }
tr.spans th { text-align: center; border-bottom: 0; padding-bottom: 0; }
tr.spans + tr th { border-top: 0; }
table.ruled tbody tr:not(.group) td:last-child { white-space: normal; min-width: 14rem; }
table.ruled td:last-child, table.ruled thead th:last-child, table.texts td, table.texts thead th { text-align: left; }
sub { font-size: .75em; line-height: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.5rem 2.5rem;
           align-items: start; }
.figures > div { min-width: 0; }
.figures > div > .table:first-child, .figures > .table { margin-top: 0; }
figure { margin: 0; min-width: 0; max-width: 28rem; }
figure svg { display: block; width: 100%; height: auto; overflow: visible; color: var(--ink); }
figcaption { font-size: .85rem; line-height: 1.4; color: var(--soft); margin-top: .7rem; }
figcaption strong { color: var(--ink); font-weight: 600; }
details { font-size: .9rem; margin: .35rem 0; }
summary { cursor: pointer; color: var(--link); font-size: .85rem; width: fit-content; }
pre { font: .8rem/1.45 ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace; background: var(--tint);
      padding: .75rem .9rem; overflow-x: auto; border-radius: .3rem; margin: .5rem 0 1rem; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; }
pre.command span { display: inline-block; max-width: 100%; }
code { font: .92em ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.paper { border-left: 3px solid var(--series-4); padding-left: .9rem; margin: 1.5rem 0; }
.paper .table { margin: .2rem 0 0; }
.paper th, .paper td { padding-left: .5rem; padding-right: .5rem; }
.paper th:first-child { padding-left: .1rem; }
.badge { display: inline-block; font-size: .75rem; font-weight: 600; letter-spacing: .02em; color: var(--series-4);
         margin: 0 0 .2rem; }
@media (max-width: 30rem) {
  body { padding: 1.25rem 1rem 3rem; }
  h1 { font-size: 1.4rem; }
  h2 { margin-top: 2.25rem; }
  table { font-size: .8rem; }
  th, td { padding: .3rem .45rem; }
  .spread { display: block; min-width: 0; text-align: right; line-height: 1.1; }
  .paper { padding-left: .6rem; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --ink: #000; --soft: #444; --axis: #777; --grid: #ddd; --tint: #f6f6f6; --link: #000;
    --series-1: #0072b2; --series-2: #d55e00; --series-3: #008f68; --series-4: #b45f94;
  }
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2 { margin-top: 1.6rem; break-after: avoid; }
  .scroll { overflow: visible; background: none; }
  table { font-size: 8.2pt; }
  th, td { padding: .2rem .4rem; }
  th:first-child, tr.group span { position: static; }
  section > p, .caption, .badge { break-after: avoid; }
  p, tr, figure, .paper { break-inside: avoid; }
  .figures { grid-template-columns: 1fr 1fr; gap: 1rem 1.5rem; }
  figure details { display: none; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
)css";

}  // namespace otseq2set::inline report
