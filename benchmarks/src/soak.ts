// Loads a listening mock for minutes, with deliveries and faults, and prints a markdown table; progress goes to stderr.
import { parseArgs } from 'node:util';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createFigure, type Figure, medianOf, toTable } from './figure.ts';
import { startReceiver } from './soak/receiver.ts';
import { runRound, type Round } from './soak/round.ts';
import { slopeOf } from './soak/trend.ts';

/** Speed of the sandbox clock: payments become final, and first retries are sent, within a round. */
const SPEED = 200;
/** Number of rounds without a heap measurement, while the runtime still compiles hot code. */
const WARM_UP_ROUNDS = 8;
/** Number of first and last rounds whose median heap is compared. */
const COMPARED_ROUNDS = 3;
const MB = 1_000_000;

const minutes = readMinutes();
const rounds = await soak(minutes * 60_000);
const violations = rounds.flatMap((round) => round.violations);
for (const violation of violations.slice(0, 50)) process.stderr.write(`violation: ${violation}\n`);
process.stdout.write(`Node ${process.version}, ${rounds.length} rounds in ${minutes} minutes\n\n`);
process.stdout.write(`${toTable(listFigures(rounds))}\n`);
if (violations.length > 0) process.exitCode = 1;

function readMinutes(): number {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const parsed = Number(values.minutes);
  if (parsed >= 1 && parsed <= 24 * 60) return parsed;
  throw new TypeError(`--minutes must be a number from 1 to 1440, not ${values.minutes}.`);
}

async function soak(time: number): Promise<Round[]> {
  await using receiver = await startReceiver(1);
  await using mock = createMock({ clock: { speed: SPEED }, seed: 'soak' });
  await using server = await listen(mock, { port: 0 });
  const end = performance.now() + time;
  const finished: Round[] = [];
  while (performance.now() < end || finished.length < WARM_UP_ROUNDS + 2 * COMPARED_ROUNDS) {
    const round = await runRound({ mock, baseUrl: server.baseUrl, receiver }, finished.length + 1);
    finished.push(round);
    process.stderr.write(
      `round ${finished.length}: ${round.payments} payments, ${round.events} events, heap ${(round.heap / MB).toFixed(2)} MB, ` +
        `${round.violations.length} violations\n`,
    );
  }
  return finished;
}

function listFigures(all: readonly Round[]): Figure[] {
  const heaps = all.slice(WARM_UP_ROUNDS).map(({ heap }) => heap / MB);
  const of = (pick: (round: Round) => number): number[] => all.map(pick);
  const ratio = medianOf(heaps.slice(-COMPARED_ROUNDS)) / medianOf(heaps.slice(0, COMPARED_ROUNDS));
  const none = { goal: { atMost: 0 } };
  return [
    createFigure(
      'Soak: responses per second, load and deliveries in one process',
      of((round) => round.callsPerSecond),
    ),
    createFigure(
      'Soak: payments per round',
      of((round) => round.payments),
    ),
    createFigure(
      'Soak: events received per round',
      of((round) => round.events),
    ),
    createFigure(
      'Soak: faults fired per round',
      of((round) => round.faults),
    ),
    createFigure('Soak: heap after a round, without warm-up', heaps, { unit: ' MB' }),
    createFigure('Soak: heap, growth per round (least squares)', [slopeOf(heaps) * 1_000], {
      unit: ' kB',
      goal: { atMost: 60 },
    }),
    createFigure(`Soak: heap, last ${COMPARED_ROUNDS} / first ${COMPARED_ROUNDS} rounds`, [ratio], {
      goal: { atMost: 1.05 },
    }),
    createFigure(
      'Soak: violations per round',
      of((round) => round.violations.length),
      none,
    ),
    createFigure('Soak: violations in total', [violations.length], none),
  ];
}
