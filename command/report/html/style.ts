/** How the page looks: light and dark as the reader's system is, and light on paper. */

export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #dfe3e8; --text: #1b2430; --soft: #5b6675; --accent: #2f5fd0;
  --expired: #b3261e; --under7: #d4531c; --under30: #b57a00; --under90: #3d7fc4; --more: #2e8b57; --shade: #f0f2f5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1b2129; --line: #323b47; --text: #e7ebf0; --soft: #9aa6b5; --accent: #8fb0ff;
    --expired: #ff7b72; --under7: #ff9a5c; --under30: #e3b341; --under90: #6cb2f5; --more: #5fc88f; --shade: #232b35;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main, header, footer { max-width: 1120px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 32px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 0 0 4px; }
a { color: var(--accent); }
.soft, .meaning { color: var(--soft); }
.meaning { margin: 0 0 12px; }
code { font: 0.92em ui-monospace, "Cascadia Mono", Menlo, monospace; overflow-wrap: anywhere; }
nav { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px 22px; margin: 20px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 14px; margin: 22px 0 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 18px; }
.tiles b { display: block; font-size: 30px; line-height: 1.25; font-weight: 650; font-variant-numeric: tabular-nums; }
.tiles .soft { font-size: 13px; }
.tiles meter { width: 100%; height: 10px; margin-top: 6px; }
h3 { font-size: 15px; margin: 10px 0 4px; }
.narrow { max-width: 560px; margin-top: 14px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); }
th { font-size: 13px; font-weight: 600; color: var(--soft); white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { font-size: inherit; font-weight: 550; color: inherit; white-space: normal; overflow-wrap: anywhere; min-width: 12em; }
td { overflow-wrap: anywhere; }
.number { text-align: right; }
.date { white-space: nowrap; }
tbody tr:hover { background: var(--shade); }
.sub { display: block; font-weight: 400; font-size: 13px; color: var(--soft); }
.expired { --band: var(--expired); } .under7 { --band: var(--under7); } .under30 { --band: var(--under30); }
.under90 { --band: var(--under90); } .more { --band: var(--more); }
.days { white-space: nowrap; }
.days::before { content: ""; display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: var(--band); margin-right: 7px; }
.tiles .alarm b { color: var(--expired); }
svg { display: block; min-width: 640px; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--soft); }
svg .count { fill: var(--text); font-weight: 650; }
.grid { stroke: var(--line); stroke-width: 1; }
.now { stroke: var(--text); stroke-width: 1.5; }
.end { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 4 3; }
.mark { fill: var(--band); stroke: var(--band); stroke-width: 2; }
.mark.declared { fill: var(--card); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 12px 0 0; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.ring::before, .disc::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 50%; border: 2px solid var(--soft); margin-right: 7px; vertical-align: -1px; }
.disc::before { background: var(--soft); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(280px, 100%), 1fr)); gap: 8px 32px; }
.notes { margin: 8px 0 0; padding-left: 20px; }
footer { padding-top: 4px; padding-bottom: 40px; font-size: 13px; color: var(--soft); }
@media (max-width: 600px) {
  main, header, footer { padding-left: 12px; padding-right: 12px; }
  section { padding: 16px 14px; }
  th, td { padding-right: 10px; }
  th { white-space: normal; }
  tbody th { min-width: 9em; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --card: #ffffff; --line: #c8cdd4; --text: #000000; --soft: #444444; --accent: #1c3f94;
    --expired: #b3261e; --under7: #d4531c; --under30: #8a5d00; --under90: #2a639e; --more: #1f6b41; --shade: #ffffff;
  }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  @page { margin: 14mm; }
  body { font-size: 10.5px; }
  main, header, footer { max-width: none; padding: 0; }
  nav { display: none; }
  section { border: 0; border-radius: 0; padding: 0; margin: 18px 0; }
  th, .sub, .legend, .tiles .soft { font-size: inherit; }
  th, td { padding: 3px 10px 3px 0; }
  .tiles { grid-template-columns: repeat(5, 1fr); gap: 8px; }
  .tiles li { padding: 8px 10px; }
  .tiles b { font-size: 20px; }
  .scroll { overflow: visible; }
  svg { min-width: 0; }
  tr, .tiles li, svg { break-inside: avoid; }
  h2, .meaning { break-after: avoid; }
  thead { display: table-header-group; }
}
`;
