import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runs } from '../../../../test/support/runs.ts';

/** Holds what all processes of a race have told. */
export interface RaceResult {
  readonly statuses: Readonly<Record<string, number>>;
  readonly dispatched: readonly string[];
}

const PROCESSES = 8;

/** The number of deliveries that every process of a race receives. */
export const DELIVERIES = runs(200);

/** Lets 8 processes receive the same deliveries at once, each in an order of its own, over one store. */
export async function race(kind: 'redis' | 'postgres', url: string): Promise<RaceResult> {
  const program = fileURLToPath(new URL('racer.ts', import.meta.url));
  const execArgv = ['--conditions=@service/source'];
  const racers = Array.from({ length: PROCESSES }, (_, index) =>
    fork(program, [kind, url, String(index), String(DELIVERIES)], {
      execArgv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  const told = racers.map((racer) => once(racer, 'message') as Promise<[RaceResult | 'ready']>);
  await Promise.all(told);
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
