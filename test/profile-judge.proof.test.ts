// The comparison of services with mocks that play their profiles, in its short form: no call waits for a payment or a
// webhook. `npm run prove` makes all calls.
import { describe, expect, it } from 'vitest';
import { listWrong, type ReferenceService, referenceServices } from './services/services.ts';
import { compareRuns, formatComparison, keepDescribed, share } from './support/judge/compare.ts';
import { compareServices, judgeService } from './support/judge/judge.ts';
import { runs } from './support/runs.ts';

const isShort = runs(1) === 1;
const options = { speed: 4, isShort };
const find = (name: string): ReferenceService => referenceServices.find((service) => service.name === name)!;

describe('the profile judge', () => {
  it('finds every answer of a service equal to the same answer of another process of it', async () => {
    const service = find('nest-tiers');
    const compared = await compareServices(service, service, options);
    expect(
      compared.flatMap(({ name, differences }) => (differences.length > 0 ? [name, differences] : [])),
    ).toEqual([]);
    expect(compared.length).toBeGreaterThan(50);
  });

  it('finds few answers of two different services equal', async () => {
    const compared = await compareServices(find('nest-tiers'), find('hono-lagging'), options);
    expect(share(compared)).toBeLessThan(10);
  });

  it.each([
    ['a status', { status: 200 }, { status: 201 }],
    ['a type', { body: { amount: 10 } }, { body: { amount: '10' } }],
    [
      'the order of events',
      ['payment.processing', 'payment.completed'],
      ['payment.completed', 'payment.processing'],
    ],
    ['a rate that moved too far', { rate: 1 }, { rate: 1.02 }],
    ['a gap between retries', { gap_seconds: 1 }, { gap_seconds: 5 }],
  ])('reports %s that differs', (_, service, mock) => {
    const [compared] = compareRuns(
      [{ name: 'call', observation: service }],
      [{ name: 'call', observation: mock }],
      { rateTolerance: 0.01 },
    );
    expect(compared?.differences).toHaveLength(Array.isArray(service) ? 2 : 1);
  });
});

describe('a mock that plays the probed profile', () => {
  it.for(referenceServices)(
    'answers as $name, in at least as many calls as before',
    { timeout: 300_000 },
    async (service, { annotate }) => {
      const { compared, findings } = await judgeService(service, options);
      const described = keepDescribed(compared);
      await annotate(formatComparison(service.name, described));
      expect(listWrong(service, findings)).toEqual([]);
      expect(share(described)).toBeGreaterThanOrEqual(service.minimum[isShort ? 'short' : 'full']);
    },
  );
});
