import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage in several turns of the event loop. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    collect();
  }
}
