"""Style: one sheet for every page, in light and in dark."""

STYLE = """
:root {
  --ground: #f6f7f5; --paper: #ffffff; --ink: #1d2b2f; --faint: #5b6b70; --line: #d9dfdd; --mark: #fff1d6; --mark-ink: #7a4100;
  --accent: #0b6e75; --good: #2f855a; --bad: #b83232; --warn: #b7791f;
}
body.body--dark {
  --ground: #12191b; --paper: #1b2427; --ink: #e4ebea; --faint: #9fb0b3; --line: #334145; --mark: #4a3715; --mark-ink: #ffdf9e;
  --accent: #4fb3ba; --good: #68d391; --bad: #fc8181; --warn: #f6c667;
}
body { background: var(--ground); color: var(--ink); font-size: 15px; }
.nicegui-content { padding: 0; gap: 0; align-items: stretch; }
.bar { background: #0b4f54; color: #fff; padding: 4px 16px; align-items: center; gap: 12px; flex-wrap: nowrap; }
.brand { font-size: 1.15rem; font-weight: 600; white-space: nowrap; }
.motto { opacity: .75; white-space: nowrap; }
.desk { display: flex; width: 100%; min-height: calc(100vh - 52px); }
.steps { display: flex; flex-direction: column; gap: 4px; flex: 0 0 176px; padding: 16px 8px; }
.steps { border-right: 1px solid var(--line); }
a.step { display: flex; gap: 10px; align-items: center; padding: 9px 12px; border-radius: 8px; }
a.step { color: var(--ink); text-decoration: none; }
a.step:hover { background: var(--line); }
a.step.here { background: var(--accent); color: var(--ground); font-weight: 600; }
a.step:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.content { flex: 1; min-width: 0; padding: 16px 24px 48px; }
.step-title { display: flex; align-items: baseline; gap: 12px; margin-bottom: 12px; }
.step-title .title { font-size: 1.5rem; font-weight: 600; }
.step-title .purpose { color: var(--faint); }
.paper { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 16px; width: 100%; }
.faint { color: var(--faint); }
.problem { color: var(--bad); white-space: pre-wrap; font-family: ui-monospace, monospace; font-size: .9rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.columns { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); width: 100%; }
.grid { height: min(62vh, 640px); width: 100%; }
.changed-cell { background: var(--mark) !important; color: var(--mark-ink); }
.row-number { color: var(--faint); }
@media (max-width: 900px) {
  .desk { flex-direction: column; }
  .steps { flex-direction: row; flex: none; overflow-x: auto; padding: 6px 8px; }
  .steps { border-right: 0; border-bottom: 1px solid var(--line); }
  a.step { padding: 8px 10px; white-space: nowrap; }
  .motto { display: none; }
  .content { padding: 12px; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
"""
