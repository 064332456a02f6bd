import { escapeXml } from '../junit.ts';
import {
  type FailureGroup,
  groupFailures,
  type RunReport,
  shownVerdicts,
  summarize,
  toReplay,
} from './report.ts';
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
<table>
<thead><tr><th>Verdict<th>Scenario<th class="time">Time<th>Reason</thead>
<tbody>
${results.map(writeRow).join('\n')}
</tbody>
</table>
<h2>Timelines</h2>
${results.map((result) => writeScenario(report, result)).join('\n')}
</main>
</html>
`;
}

function writeGroup({ advice, docs, results }: FailureGroup): string {
  const links = results.map(({ scenario }) => `<a href="#${scenario.name}">${scenario.name}</a>`);
  return `<section class="group failed">
<h2>${results.length} failed</h2>
<p>${escape(advice)} <a href="${escape(docs)}">More</a></p>
<p>${links.join(', ')}</p>
</section>`;
}

function writeRow({ scenario, verdict, sentence, duration_ms }: ScenarioResult): string {
  const time = `${(duration_ms / 1_000).toFixed(1)} s`;
  const name = `<a href="#${scenario.name}">${scenario.name}</a>`;
  return `<tr><td>${writeVerdict(verdict)}<td>${name}<td class="time">${time}<td>${escape(sentence)}</tr>`;
}

function writeVerdict(verdict: ScenarioResult['verdict']): string {
  return `<span class="verdict ${verdict}">${shownVerdicts[verdict].name.toLowerCase()}</span>`;
}

function writeScenario(report: RunReport, result: ScenarioResult): string {
  const { scenario, verdict, sentence, timeline, startedOn, exchanges } = result;
  const lines = timeline.map((entry) => escape(formatEntry(entry, startedOn)));
  const texts = exchanges.map(
    ({ title, sent, received }) =>
      `<details><summary>${escape(title)}</summary><pre>${escape(sent)}</pre>${received && `<pre>${escape(received)}</pre>`}</details>`,
  );
  return `<details id="${scenario.name}"${verdict === 'failed' ? ' open' : ''}>
<summary>${writeVerdict(verdict)} ${scenario.name}</summary>
<p>${escape(scenario.happens)} ${escape(sentence)}</p>
<pre>${lines.join('\n')}</pre>
${texts.join('\n')}
<p>Again:</p>
<pre class="command">${escape(toReplay(report, scenario.name))}</pre>
</details>`;
}

function escape(text: string): string {
  return text.split('\n').map(escapeXml).join('\n');
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --failed: #b3261e; --person: #8a5a00; --passed: #1b6e35; --weak: #767676; }
@media (prefers-color-scheme: dark) { :root { --failed: #ff8a80; --person: #ffca6b; --passed: #81d996; --weak: #a0a0a0; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 1100px; margin: 0 auto; padding: 16px; }
h1 { font-size: 24px; margin: 8px 0; } h2 { font-size: 18px; margin: 24px 0 8px; }
.group { border-left: 4px solid var(--failed); padding: 4px 12px; margin: 12px 0; overflow-wrap: anywhere; }
.group h2 { margin: 0; } .group p { margin: 4px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); }
td:last-child { overflow-wrap: anywhere; } .time { text-align: right; white-space: nowrap; }
.verdict { display: inline-block; min-width: 76px; font-weight: 600; }
.failed .verdict, .verdict.failed { color: var(--failed); } .person { color: var(--person); }
.passed { color: var(--passed); } .unjudged { color: var(--weak); }
details { border-bottom: 1px solid var(--line); padding: 6px 0; }
details details { border: 0; padding: 2px 0 2px 16px; }
summary { cursor: pointer; }
pre { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 4px 0 4px 16px; }
@media (max-width: 600px) {
  thead { display: none; } tr { display: block; border-bottom: 1px solid var(--line); padding: 6px 0; }
  td { display: inline-block; border: 0; padding: 0 8px 0 0; } td:last-child { display: block; }
  .time { color: var(--weak); } pre { margin-left: 0; }
}
`;
