"""Style: holds one sheet for every page, in light and in dark."""

STYLE = """
:root {
  --ground: #f6f7f5; --paper: #ffffff; --ink: #1d2b2f; --faint: #5b6b70; --line: #d9dfdd;
  --mark: #fff1d6; --mark-ink: #7a4100;
  --accent: #0b6e75; --good: #26704a; --bad: #b83232; --warn: #8a5a00;
}
body.body--dark {
  --ground: #12191b; --paper: #1b2427; --ink: #e4ebea; --faint: #9fb0b3; --line: #334145;
  --mark: #4a3715; --mark-ink: #ffdf9e;
  --accent: #4fb3ba; --good: #68d391; --bad: #fc8181; --warn: #f6c667;
}
:root:has(body.body--dark) { color-scheme: dark; }
body { background: var(--ground); color: var(--ink); font-size: 15px; }
.nicegui-content { padding: 0; gap: 0; align-items: stretch; }
.bar { background: #0b4f54; color: #fff; padding: 4px 16px; align-items: center; gap: 12px;
  flex-wrap: nowrap; }
.brand { font-size: 1.15rem; font-weight: 600; white-space: nowrap; }
.motto { opacity: .75; white-space: nowrap; }
.desk { display: flex; width: 100%; min-height: calc(100vh - 52px); }
.steps { display: flex; flex-direction: column; gap: 4px; flex: 0 0 176px; padding: 16px 8px; }
.steps { position: sticky; top: 50px; align-self: flex-start; height: calc(100vh - 50px);
  overflow-y: auto; z-index: 3; }
.steps { border-right: 1px solid var(--line); background: var(--ground); }
a.step { display: flex; gap: 10px; align-items: center; padding: 9px 12px; border-radius: 8px; }
a.step { color: var(--ink); text-decoration: none; }
a.step:hover { background: var(--line); }
a.step.here { background: var(--accent); color: var(--ground); font-weight: 600; }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
:where(button, [tabindex]:not(input, .ag-cell, .ag-header-cell, .tree-row)):focus-visible {
  box-shadow: 0 0 0 2px var(--paper), 0 0 0 5px var(--accent); border-radius: 6px;
}
:is(.q-tab, .q-item, .q-btn-group > .q-btn):focus-visible {
  box-shadow: inset 0 0 0 2px var(--accent), inset 0 0 0 4px var(--paper);
}
.bar button:focus-visible { box-shadow: 0 0 0 3px #fff; }
.q-field__control:has(:focus-visible) { box-shadow: 0 0 0 3px var(--accent); border-radius: 4px; }
.content { flex: 1; min-width: 0; padding: 16px 24px 48px; }
.step-title { display: flex; flex-wrap: wrap; width: 100%; align-items: baseline; gap: 4px 12px;
  margin-bottom: 12px; }
.step-title .title { font-size: 1.5rem; font-weight: 600; }
.step-title .purpose { color: var(--faint); }
.paper { background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
  padding: 16px; width: 100%; }
.faint { color: var(--faint); }
.problem { color: var(--bad); white-space: pre-wrap; font-family: ui-monospace, monospace;
  font-size: .9rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.columns { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr));
  width: 100%; }
.grid { height: min(62vh, 640px); width: 100%; }
.changed-cell { background: var(--mark) !important; color: var(--mark-ink); }
.row-number { color: var(--faint); }
body.body--dark :is(.q-btn--flat, .q-btn--outline, .q-field, .q-radio, .q-checkbox) {
  --q-primary: var(--accent);
}
body.body--dark :is(.q-slider, .q-toggle) { --q-primary: var(--accent); }
.q-btn.bg-primary .q-focus-helper, .q-loading-bar { display: none; }
body.body--dark :is(.q-tab, .q-item, .q-item__label) { color: var(--ink); }
.stack { display: flex; flex-direction: column; gap: 12px; width: 100%; min-width: 0; }
.drop { width: 100%; max-height: none; background: var(--paper); color: var(--ink);
  border: 2px dashed var(--line); }
.drop .q-uploader__header { display: none; }
.drop .q-uploader__list { padding: 10px 16px; min-height: 0; }
.choices, .facts, .progress { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.facts { margin-top: 12px; }
.content .nicegui-link { color: var(--accent); }
.progress, .refusal { margin-top: 12px; }
.progress { min-height: 36px; }
.over { position: relative; z-index: 4; }
.over .progress { position: absolute; }
.refusal { display: flex; flex-direction: column; gap: 12px; }
.progress .q-linear-progress { flex: 1 1 120px; width: auto; }
.welcome { display: flex; flex-wrap: wrap; gap: 16px 32px; align-items: center;
  margin-bottom: 12px; }
.welcome > .stack { flex: 1 1 320px; }
.welcome-picture { display: flex; flex-wrap: wrap; gap: 12px; align-items: center;
  font-size: .85rem; }
.small-table { display: grid; grid-template-columns: repeat(var(--columns), auto);
  border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.small-table > * { padding: 3px 10px; border-bottom: 1px solid var(--line); }
.arrow { font-size: 1.6rem; }
.project { border-top: 1px solid var(--line); padding-top: 4px; }
.formats { display: grid; gap: 8px 16px; align-items: center;
  grid-template-columns: minmax(90px, auto) 220px minmax(120px, 1fr) minmax(120px, 1.4fr);
  overflow-wrap: anywhere; }
.kinds { width: 100%; }
.kinds { display: grid; gap: 10px 12px;
  grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); padding: 4px 0 12px; }
.side-by-side { display: grid; gap: 12px;
  grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); width: 100%; }
.side-by-side > * { min-width: 0; }
.side-title { font-weight: 600; }
.side-title, .faint, .warn, .tile, .told, .what { overflow-wrap: anywhere; min-width: 0; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; }
.tile { background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
  padding: 8px 16px; }
.tile-value { font-size: 1.3rem; font-weight: 600; white-space: nowrap; }
.told { padding: 8px 0; border-top: 1px solid var(--line); }
.figures { background: transparent; width: 100%; }
.figures td:first-child { overflow-wrap: anywhere; }
.transparent-panels { background: transparent; }
.transparent-panels > .q-panel > .q-tab-panel { padding: 12px 0; display: flex;
  flex-direction: column; gap: 16px; }
.term { text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; }
a.term { text-decoration: underline; cursor: pointer; }
.typed { font-family: ui-monospace, monospace; font-size: .9rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.roles { display: grid; gap: 16px; grid-template-columns: minmax(0, 1fr) 320px;
  align-items: start; }
.picture { position: sticky; top: 64px; }
.stale { opacity: .6; }
.picture-words { font-size: 1.1rem; font-weight: 600; margin-bottom: 8px; }
.lines { padding: 4px 16px; }
.line { display: grid; gap: 2px 16px; grid-template-columns: minmax(0, 1fr) auto; padding: 10px 0;
  align-items: center; }
.line + .line { border-top: 1px solid var(--line); }
.line-name { display: flex; gap: 10px; align-items: baseline; min-width: 0; }
.line-name .name { flex: 0 1 auto; max-width: 100%; overflow-wrap: break-word; }
.line-name .samples { flex: 1 1 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.name, .side-title, .tree-column, .tree-label, .q-field__label { unicode-bidi: isolate; }
.samples { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.line .q-btn-toggle { border: 1px solid var(--line); }
.effect { min-width: 200px; font-size: .9rem; }
.effect > :first-child { min-height: 1.5em; }
.track { height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; }
.bar-of { height: 100%; background: var(--accent); }
.bar-of.alone { background: var(--bad); } .bar-of.other { background: var(--faint); }
.meanings { display: grid; gap: 6px 12px; grid-template-columns: auto 1fr; font-size: .9rem; }
@media (max-width: 1100px) {
  .roles { grid-template-columns: minmax(0, 1fr); }
  .picture { position: static; order: -1; }
}
.dial { display: flex; gap: 16px; align-items: center; width: 100%; }
.dial .q-slider { flex: 1 1 120px; min-width: 0; }
.dial .q-field { flex: 0 0 116px; }
.asked { display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; overflow-wrap: anywhere; }
.asked .what { color: var(--accent); }
.ladders { display: flex; flex-wrap: wrap; gap: 12px 24px; }
.ladder { list-style: none; margin: 4px 0 0; padding: 0 10px; min-width: 130px;
  border: solid var(--line); border-width: 0 3px; }
.rung { padding: 2px 8px; margin: 2px 0; border-bottom: 2px solid var(--line); color: var(--faint);
  overflow-wrap: anywhere; max-width: 240px; }
.rung.taken { background: var(--accent); color: var(--ground); font-weight: 600;
  border-radius: 4px; }
.left { display: grid; gap: 6px 12px; align-items: center;
  grid-template-columns: minmax(80px, auto) minmax(90px, 200px) minmax(0, 1fr); }
.left-bar { display: flex; height: 14px; border: 1px solid var(--faint); border-radius: 3px;
  overflow: hidden; background: var(--paper); }
.left-exact { background: var(--accent); }
.left-widened { background: repeating-linear-gradient(135deg,
  var(--accent) 0 2px, transparent 2px 6px); }
.left-lost { background: repeating-linear-gradient(90deg, var(--bad) 0 1px, transparent 1px 4px),
  repeating-linear-gradient(0deg, var(--bad) 0 1px, transparent 1px 4px); }
.lost { border-left: 4px solid var(--warn); padding-left: 10px; }
.trial { display: grid; gap: 12px 24px;
  grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); }
.ten { display: grid; gap: 2px 10px; grid-template-columns: auto auto 1fr; font-size: .9rem;
  overflow-wrap: anywhere; align-content: start; }
.matters { display: grid; gap: 8px 16px; align-items: center;
  grid-template-columns: minmax(80px, auto) minmax(120px, 1fr) minmax(140px, 1.4fr) auto; }
.matters .stack { gap: 2px; font-size: .85rem; }
.weight { display: grid; grid-template-columns: minmax(80px, 1fr) 110px; gap: 10px;
  align-items: center; padding: 0 8px; }
.end { width: 150px; }
.ten-people { overflow-x: auto; }
.people { border-collapse: collapse; font-size: .88rem; }
.people :is(td, th) { padding: 3px 10px; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
.exposed { width: 100%; min-width: 680px; }
.exposed td { max-width: 420px; overflow-wrap: anywhere; }
.was { font-size: .78rem; }
.run, .model { min-width: 0; }
.paper > .q-expansion-item .q-item, .more .q-expansion-item__container > .q-item {
  padding-left: 0; padding-right: 0;
}
.paper > .q-expansion-item .nicegui-expansion-content { padding: 4px 0; }
.q-expansion-item__content { height: auto !important; }
@media (max-width: 900px) {
  .desk { flex-direction: column; }
  .steps { flex-direction: row; flex: none; align-self: stretch; height: auto;
    overflow: auto hidden; padding: 6px 8px; }
  .steps { border-right: 0; border-bottom: 1px solid var(--line); }
  a.step { padding: 8px 10px; white-space: nowrap; }
  .motto { display: none; }
  .content { padding: 12px; }
  .left { grid-template-columns: minmax(70px, auto) minmax(70px, 1fr); }
  .left-words { grid-column: 1 / -1; }
  a.step { flex: none; }
  .matters, .formats { grid-template-columns: minmax(0, 1fr); }
  .matters .name { margin-top: 10px; }
}
@media (max-width: 640px) {
  .line { grid-template-columns: minmax(0, 1fr); }
  .line-name { flex-wrap: wrap; }
  .line-name .samples { flex: 0 1 auto; }
  .line .q-btn-toggle { flex-wrap: wrap; }
  .dial { flex-wrap: wrap; }
}
@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important; }
}
"""
