// Payers of a batch that end or stop: at each step, by 50 kills, and by SIGSTOP past their lease. And batches of similar lines.
// `npm run faults -- payer`; FAULTS=steps,kills,stops,twins and STORES=file,sqlite,postgres,redis select parts, KILLS, LINES
// and WORKERS=1,2 set the counts of the kill loop.
import { createMemoryStore } from '@service/sdk/intents';
import {
  type Idempotency,
  killAtEachStep,
  killAtRandom,
  type KillFigures,
  stopAtEachStep,
} from '../../packages/sdk/test/intents/kill-payers.ts';
import { isShared, type StoreKind } from '../../packages/sdk/test/intents/open-store.ts';
import { simulate } from '../../packages/sdk/test/intents/payer-simulation.ts';
import type { Engine } from '../../packages/webhooks/test/stores/servers.ts';
import { startDatabase } from './support/databases.ts';

const SEED = 20_260_131;
const kills = Number(process.env.KILLS ?? 50);
const lines = Number(process.env.LINES ?? 200);
const workerCounts = (process.env.WORKERS ?? '1,2').split(',').map(Number);
const parts = (process.env.FAULTS ?? 'steps,kills,stops,twins').split(',');
const kinds = (process.env.STORES ?? 'file,sqlite,postgres,redis').split(',') as readonly StoreKind[];
const behaviors: readonly Idempotency[] = ['replayed', 'conflict', 'ignored'];

const databases = new Map<StoreKind, Engine>();
for (const kind of kinds) {
  const engine = await startDatabase(kind);
  if (engine === undefined) continue;
  databases.set(kind, engine);
  process.env[`${kind.toUpperCase()}_URL`] = engine.url;
}

/** Fails if a payment was made twice, belongs to another line or is lost, or if a service that replays leaves work. */
function check(figures: KillFigures, idempotency: Idempotency): object {
  const { twice, wrong, lost, unknown } = figures;
  if (twice + wrong + lost > 0 || (idempotency === 'replayed' && unknown > 0)) process.exitCode = 1;
  return figures;
}

/** Runs a part for each store and behavior, and prints the figures. */
async function runPart(
  title: string,
  stores: readonly StoreKind[],
  run: (kind: StoreKind, idempotency: Idempotency) => Promise<KillFigures>,
): Promise<void> {
  console.log(title);
  for (const kind of stores)
    for (const idempotency of behaviors)
      console.log(kind, idempotency, check(await run(kind, idempotency), idempotency));
}

if (parts.includes('steps'))
  await runPart('Killed before and after each step, 2 lines', kinds, (kind, idempotency) =>
    killAtEachStep({ kind, idempotency, seed: SEED, lines: 2 }),
  );
for (const workers of parts.includes('kills') ? workerCounts : [])
  await runPart(`${kills} kills, ${lines} lines, ${workers} workers`, kinds, (kind, idempotency) =>
    killAtRandom({ kind, idempotency, seed: SEED, lines, kills, workers, database: databases.get(kind) }),
  );
for (const next of parts.includes('stops') ? (['worker', 'person'] as const) : [])
  await runPart(
    `Stopped past the lease at each step, then a ${next}, 2 lines`,
    // A locked file is the same for a worker and a person.
    next === 'person' ? kinds.filter(isShared) : kinds,
    (kind, idempotency) => stopAtEachStep({ kind, idempotency, seed: SEED, lines: 2, next }),
  );
if (parts.includes('twins')) {
  const rows: object[] = [];
  for (const idempotency of behaviors) {
    const figures = { batches: 300, twice: 0, wrong: 0, created: 0, unknown: 0 };
    for (let seed = SEED; seed < SEED + figures.batches; seed += 1) {
      const store = createMemoryStore();
      const { intents, made, wrong } = await simulate({
        seed,
        idempotency,
        store,
        runs: 6,
        faults: 0.3,
        stops: 0.6,
      });
      figures.twice += [...made.values()].filter((count) => count > 1).length;
      figures.wrong += wrong.length;
      figures.created += intents.filter(({ state }) => state === 'created').length;
      figures.unknown += intents.filter(({ state }) => state === 'unknown').length;
    }
    rows.push({ keys: idempotency, ...figures });
    if (figures.twice + figures.wrong > 0) process.exitCode = 1;
  }
  console.log('Batches of 6 similar lines');
  console.table(rows);
}
for (const engine of databases.values()) await engine.stop();
