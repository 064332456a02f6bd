// Runs of `service-cli pay --file` that are killed while they pay, for each store and each behavior of keys. Needs a build.
// `npm run faults -- pay-file`; STORES=file,sqlite,postgres,redis selects stores, KILLS and LINES set the counts.
import { payWithKills } from '../../packages/cli/test/kill-pay-file.ts';
import { startDatabase } from './support/databases.ts';

const SEED = 20_260_131;
const kills = Number(process.env.KILLS ?? 15);
const lines = Number(process.env.LINES ?? 200);
const stores = (process.env.STORES ?? 'file,sqlite,postgres,redis').split(',');

for (const store of stores) {
  const engine = await startDatabase(store);
  for (const idempotency of ['replayed', 'conflict', 'ignored'] as const) {
    const url = engine && `${engine.url}?${store === 'redis' ? 'prefix' : 'table'}=run_${idempotency}`;
    const figures = await payWithKills({
      seed: SEED,
      lines,
      kills,
      signal: 'SIGKILL',
      idempotency,
      store: store === 'sqlite' ? 'run.sqlite' : url,
    });
    const { twice, wrong, created, unknown } = figures;
    const isLost = created + unknown !== lines || (idempotency === 'replayed' && unknown > 0);
    if (twice + wrong > 0 || isLost) process.exitCode = 1;
    console.log(store, idempotency, figures);
  }
  await engine?.stop();
}
