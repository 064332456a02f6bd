import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runs } from '../../../../test/support/runs.ts';

/** The statuses and dispatched events of one or all processes. */
export interface RaceResult {
  readonly statuses: Readonly<Record<string, number>>;
  readonly dispatched: readonly string[];
}

const PROCESSES = 8;

/** The number of deliveries to each process. */
export const deliveryCount = runs(200);

/** Sends the same deliveries to 8 concurrent processes with one store, to each in another order. */
export async function race(kind: 'redis' | 'postgres', url: string): Promise<RaceResult> {
  const program = fileURLToPath(new URL('racer.ts', import.meta.url));
  const execArgv = ['--conditions=@service/source'];
  const racers = Array.from({ length: PROCESSES }, (_, index) =>
    fork(program, [kind, url, String(index), String(deliveryCount)], {
      execArgv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  const started = racers.map((racer) => once(racer, 'message') as Promise<[RaceResult | 'ready']>);
  await Promise.all(started);
  const ended = racers.map(async (racer) => {
    const exit = once(racer, 'exit');
    const [result] = (await once(racer, 'message')) as [RaceResult];
    await exit;
    return result;
  });
  for (const racer of racers) racer.send('go');
  const results = await Promise.all(ended);
  const statuses: Record<string, number> = {};
  for (const result of results)
    for (const [status, count] of Object.entries(result.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
  return { statuses, dispatched: results.flatMap(({ dispatched }) => dispatched) };
}
