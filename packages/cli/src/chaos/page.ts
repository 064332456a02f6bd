import { escapeXml } from '../junit.ts';
import { type FailureGroup, groupFailures, guide, type RunReport } from './report.ts';
import { shownVerdicts, summarize, toReplay } from './report.ts';
import type { ScenarioResult } from './runner.ts';
import { formatEntry } from './timeline.ts';

/** Writes the results as one HTML page. It needs no script and no network. */
export function writePage(report: RunReport): string {
  const { results, problem, seed } = report;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>service-cli chaos</title>
<style>${STYLE}</style>
<main>
<h1>service-cli chaos</h1>
<p>${escape(summarize(report))}. Seed ${escape(seed)}.</p>
${problem === undefined ? '' : `<p class="group failed">${escape(problem)}</p>`}
${groupFailures(results).map(writeGroup).join('\n')}
<h2>Scenarios</h2>
${results.map((result) => writeScenario(report, result)).join('\n')}
</main>
</html>
`;
}

function writeGroup({ advice, failed }: FailureGroup): string {
  const links = failed.map(({ scenario }) => `<a href="#${scenario.name}">${scenario.name}</a>`);
  return `<section class="group">
<h2>${failed.length} failed</h2>
<p>${escape(advice)} <a href="${escape(guide)}">More</a></p>
<p>${links.join(', ')}</p>
</section>`;
}

/** Writes a row of the table, which opens to its timeline. */
function writeScenario(report: RunReport, result: ScenarioResult): string {
  const { scenario, verdict, sentence, duration_ms, timeline, output } = result;
  const lines = timeline.map((entry) => writeLine(formatEntry(entry), entry.detail));
  return `<details class="scenario" id="${scenario.name}">
<summary><b class="${verdict}">${shownVerdicts[verdict].name.toLowerCase()}</b> <b>${scenario.name}</b>
<span class="time">${(duration_ms / 1_000).toFixed(1)} s</span> <span>${escape(sentence)}</span></summary>
<p>${escape(scenario.happens)}</p>
${lines.join('\n')}
${writeLine('output', output)}
<p>Again:</p>
<pre>${escape(toReplay(report, scenario.name))}</pre>
</details>`;
}

/** Writes a line, and the text of its request or event. */
function writeLine(line: string, detail = ''): string {
  if (detail === '') return `<pre>${escape(line)}</pre>`;
  return `<details><summary>${escape(line)}</summary><pre>${escape(detail)}</pre></details>`;
}

function escape(text: string): string {
  return text.split('\n').map(escapeXml).join('\n');
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --failed: #b3261e; --person: #8a5a00; --passed: #1b6e35; --weak: #767676; }
@media (prefers-color-scheme: dark) { :root { --failed: #ff8a80; --person: #ffca6b; --passed: #81d996; --weak: #a0a0a0; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 1100px; margin: 0 auto; padding: 16px; overflow-wrap: anywhere; }
h1 { font-size: 24px; } h2 { font-size: 18px; }
.group { border-left: 4px solid var(--failed); padding: 4px 12px; margin: 12px 0; } .group * { margin: 4px 0; }
.scenario { border-bottom: 1px solid var(--line); padding: 6px 0; }
.scenario:target { background: var(--line); }
.scenario > :not(summary) { margin-left: 16px; }
.scenario > summary { display: grid; grid-template-columns: 80px 220px 64px 1fr; gap: 0 12px; }
summary { cursor: pointer; } .time { color: var(--weak); text-align: right; }
.failed { color: var(--failed); } .person { color: var(--person); } .passed { color: var(--passed); } .unjudged { color: var(--weak); }
pre, details details summary { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; margin: 4px 0; }
@media (max-width: 600px) {
  .scenario > summary { grid-template-columns: 80px 1fr 64px; }
  .scenario > summary > :last-child { grid-column: 1 / -1; }
}
`;
