// Loads a listening mock for minutes, with deliveries and faults, and prints a markdown table; what it is doing goes to stderr.
import { parseArgs } from 'node:util';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createFigure, type Figure, medianOf, toTable } from './figure.ts';
import { startReceiver } from './soak/receiver.ts';
import { goRound, type Round } from './soak/round.ts';
import { slopeOf } from './soak/trend.ts';

/** How much faster than the system the sandbox's time runs: payments are over, and first retries made, within a round. */
const SPEED = 200;
/** How many rounds go by before the heap counts: until then a runtime still compiles what it runs. */
const WARM_UP = 8;
/** How many rounds the ends of the heap's course are the median of. */
const END = 3;
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
  const asked = Number(values.minutes);
  if (asked >= 1 && asked <= 24 * 60) return asked;
  throw new TypeError(`--minutes must be a number from 1 to 1440, not ${values.minutes}`);
}

async function soak(time: number): Promise<Round[]> {
  await using receiver = await startReceiver(1);
  await using mock = createMock({ clock: { speed: SPEED }, seed: 'soak' });
  await using server = await listen(mock, { port: 0 });
  const end = performance.now() + time;
  const gone: Round[] = [];
  while (performance.now() < end || gone.length < WARM_UP + 2 * END) {
    const round = await goRound({ mock, baseUrl: server.baseUrl, receiver }, gone.length + 1);
    gone.push(round);
    process.stderr.write(
      `round ${gone.length}: ${round.payments} payments, ${round.events} events, heap ${(round.heap / MB).toFixed(2)} MB, ` +
        `${round.violations.length} violations\n`,
    );
  }
  return gone;
}

function listFigures(all: readonly Round[]): Figure[] {
  const heaps = all.slice(WARM_UP).map(({ heap }) => heap / MB);
  const of = (pick: (round: Round) => number): number[] => all.map(pick);
  const ratio = medianOf(heaps.slice(-END)) / medianOf(heaps.slice(0, END));
  const none = { goal: { atMost: 0 } };
  return [
    createFigure(
      'Soak: answers per second, load and deliveries in one process',
      of((round) => round.callsPerSecond),
    ),
    createFigure(
      'Soak: payments of a round',
      of((round) => round.payments),
    ),
    createFigure(
      'Soak: events received in a round',
      of((round) => round.events),
    ),
    createFigure(
      'Soak: faults met in a round',
      of((round) => round.faults),
    ),
    createFigure('Soak: heap after a round, warm-up left out', heaps, { unit: ' MB' }),
    createFigure('Soak: heap, slope of a line through the rounds', [slopeOf(heaps) * 1_000], {
      unit: ' kB',
      goal: { atMost: 60 },
    }),
    createFigure(`Soak: heap, last ${END} / first ${END} rounds`, [ratio], { goal: { atMost: 1.05 } }),
    createFigure(
      'Soak: violations of a round',
      of((round) => round.violations.length),
      none,
    ),
    createFigure('Soak: violations in all', [violations.length], none),
  ];
}
