// The end of `service-cli mock --data` with SIGTERM under 500 clients: answered and cut requests as the clients see them
// and as the mock reports them, its exit code, and the payments of cut requests after a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DrainOptions, type DrainReport, runDrain } from '../../test/support/drain.ts';

const ROUNDS = 5;
const folder = mkdtempSync(join(tmpdir(), 'drain-'));

function isGood(report: DrainReport): boolean {
  return (
    report.cut === report.reportedCut &&
    report.exitCode === (report.cut > 0 ? 5 : 0) &&
    report.rejected + report.wrongPayments + report.wrongAfterRetry === 0 &&
    report.hasStreamEnded
  );
}

const runs: Readonly<Record<string, Omit<DrainOptions, 'file' | 'grace'>>> = {
  '450 quick and 50 slow clients': { quick: 450, fresh: 0, slow: 50, stalledBodies: 0, stalledResponses: 0 },
  '450 clients that connect for each create, and 50 slow clients': {
    quick: 0,
    fresh: 450,
    slow: 50,
    stalledBodies: 0,
    stalledResponses: 0,
  },
  '400 quick, 50 slow and 50 stalled clients': {
    quick: 400,
    fresh: 0,
    slow: 50,
    stalledBodies: 25,
    stalledResponses: 25,
  },
};

try {
  for (const [title, clients] of Object.entries(runs)) {
    const reports: DrainReport[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      reports.push(await runDrain({ file: join(folder, `${title} ${round}`), ...clients, grace: '10s' }));
    console.log(title);
    console.table(reports);
    if (!reports.every(isGood)) process.exitCode = 1;
    if (clients.stalledBodies === 0 && reports.some(({ cut }) => cut > 0)) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
