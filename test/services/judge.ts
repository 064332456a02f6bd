// Judges the services of others in `outside/`: builds each, probes it, and compares a mock that plays its profile with it.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import type { ProfileChoice } from '@service/mock';
import { type ComparedCall, compareRuns, formatComparison, keepDescribed } from '../support/judge/compare.ts';
import { callMock, callService, probeService, startService } from '../support/judge/judge.ts';
import type { TestAccounts } from '../support/judge/session.ts';

const folder = new URL('outside/', import.meta.url).pathname;
const folders = readdirSync(folder).filter((name) => existsSync(`${folder}${name}/run.sh`));

async function readAccounts(name: string): Promise<TestAccounts> {
  await using running = await startService(name, { speed: 1, webhookUrl: 'http://127.0.0.1:9/' });
  return running.target.accounts ?? { failing: 'none' };
}

for (const folderName of folders.filter((name) => process.argv.length < 3 || process.argv.includes(name))) {
  execFileSync(`${folder}${folderName}/build.sh`, { stdio: ['ignore', 'ignore', 'inherit'] });
  const name = `outside/${folderName}`;
  const accounts = await readAccounts(name);
  const { findings, profile } = await probeService({ name, accounts }, { speed: 1 });
  const calls = await callService({ name, accounts }, { speed: 1 });
  const compare = async (played: ProfileChoice): Promise<ComparedCall[]> =>
    keepDescribed(
      compareRuns(calls, await callMock({ profile: played, accounts, seed: 1 }), { hasTextAmounts: true }),
    );
  const without = (await compare({})).filter(({ differences }) => differences.length === 0).length;
  const countOf = (state: string): number => findings.filter((finding) => finding.state === state).length;
  console.log(formatComparison(folderName, await compare(profile)));
  console.log(
    `  without the profile ${without}; ${countOf('found')} found, ${countOf('partly')} partly, ${countOf('unknown')} unknown; ${JSON.stringify(profile, null, 2).split('\n').length} lines\n`,
  );
}
