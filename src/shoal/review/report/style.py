"""Style: the sheet of a report's page.

Colours are those of Okabe & Ito, which colour-blind people tell apart.
"""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #ffffff;
  --tint: #f3f5f8; --line: #d8dde4; --after: #0072b2; --before: #b35c00; --mark: #8a1c1c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --soft: #a3adba; --paper: #14181d; --tint: #1e242c; --line: #38414d;
    --after: #56b4e9; --before: #e69f00; --mark: #ff9d8a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
header p { color: var(--soft); margin: 0; }
.mark { color: var(--mark); border: 1px solid currentColor; border-radius: .25rem;
  padding: .05rem .45rem; margin-right: .4rem; }
nav ol { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem;
  list-style: none; padding: 0; margin: 1rem 0 0; font-size: .92rem; }
a { color: var(--after); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.6rem, 1fr)); gap: .7rem;
  margin: 1rem 0 1.4rem; }
.tiles div { background: var(--tint); border-radius: .5rem; padding: .7rem .9rem; }
.tiles dt { color: var(--soft); font-size: .82rem; line-height: 1.3; }
.tiles dd { margin: .25rem 0 0; font-size: 1.25rem; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .6rem 0 1.2rem; }
th, td { text-align: left; vertical-align: top; padding: .32rem .8rem .32rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th { color: var(--soft); font-weight: 600; }
td:first-child { min-width: 8.5rem; }
.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.right { white-space: normal; }
figure { margin: 1rem 0 1.4rem; overflow-x: auto; }
figcaption { font-weight: 600; font-size: .95rem; margin-bottom: .2rem; overflow-wrap: anywhere; }
.bars { display: block; width: 100%; min-width: 30rem; max-width: 680px; height: auto;
  font-size: 12px; }
.bars text { fill: var(--ink); }
.bars .name { text-anchor: end; }
.bars .figure { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.bars .before { fill: none; stroke: var(--before); stroke-width: 1.5; }
.bars .after { fill: var(--after); stroke: var(--after); }
.bars .axis { stroke: var(--line); }
pre { background: var(--tint); border-radius: .5rem; padding: .7rem .9rem; overflow-x: auto;
  font-size: .88rem; }
li { margin: .2rem 0; }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --tint: #f3f3f3;
    --line: #bbb; --after: #0072b2; --before: #b35c00; --mark: #8a1c1c; }
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav { display: none; }
  .wide, figure { overflow: visible; }
  .bars { min-width: 0; }
  h2 { break-after: avoid; }
  figure, tr, .tiles, pre { break-inside: avoid; }
  pre { white-space: pre-wrap; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
