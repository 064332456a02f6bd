// Accepts a trigger when its job is stored, and pays stored jobs in a worker.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { correct, create, createOnce, place, start, state } from './application.ts';

/** The time from a trigger to its create, and between two creates of a refused job, in milliseconds. */
const DELAY = 150;
let running: Promise<void> = Promise.resolve();

function schedule(delay: number): void {
  setTimeout(() => {
    running = running.then(work);
  }, delay);
}

async function work(): Promise<void> {
  for (const name of readdirSync(state).filter((each) => each.startsWith('job-'))) {
    const reference = name.slice(4);
    // Claimed before it is sent: after a crash its outcome is unknown.
    if (!createOnce('sent', reference)) continue;
    const amount = readFileSync(place('job', reference), 'utf8');
    if ((await create({ reference, amount }, reference)) !== 'rejected') continue;
    rmSync(place('sent', reference));
    schedule(DELAY);
  }
}

start({
  ...correct,
  claim: () => true,
  isOpenAfter: () => false,
  pay: async ({ reference, amount }) => {
    if (existsSync(place('job', reference))) return 'paid';
    writeFileSync(place('job', reference), amount);
    schedule(DELAY);
    return 'paid';
  },
});
process.on('SIGTERM', () => void running.then(() => process.exit()));
schedule(0);
