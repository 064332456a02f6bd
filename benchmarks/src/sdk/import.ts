import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createFigure, type Figure } from '../figure.ts';
import { ratios, runRounds, type Subject } from '../rounds.ts';

/** Measures the time to load each built package in a fresh process. */
export async function measureImport(): Promise<Figure[]> {
  const peers = ['ky', 'stripe', 'openai'] as const;
  const times = await runRounds(
    {
      sdk: timeImport('@service/sdk'),
      'openapi-fetch': timeImport('openapi-fetch'),
      ky: timeImport('ky'),
      stripe: timeImport('stripe'),
      openai: timeImport('openai'),
    },
    15,
  );
  const ratioOf = (name: 'sdk' | (typeof peers)[number]): number[] =>
    ratios(times[name], times['openapi-fetch']);
  return [
    createFigure('Import: time, sdk / openapi-fetch', ratioOf('sdk'), { goal: { atMost: 2 } }),
    ...peers.map((name) => createFigure(`Import: time, ${name} / openapi-fetch`, ratioOf(name))),
    createFigure('Import: time, sdk', times.sdk, { unit: ' ms' }),
    createFigure('Import: time, openapi-fetch', times['openapi-fetch'], { unit: ' ms' }),
  ];
}

/** Returns a subject that times the import of a package in a fresh process, in milliseconds. */
function timeImport(specifier: string): Subject {
  const script = `const start = performance.now(); await import(${JSON.stringify(specifier)}); process.stdout.write(String(performance.now() - start))`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  return async () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { encoding: 'utf8', cwd },
    );
    if (status !== 0) throw new Error(`The package ${specifier} could not be loaded: ${stderr}`);
    return Number(stdout);
  };
}
