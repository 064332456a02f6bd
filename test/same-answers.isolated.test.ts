// Runs in Node and in a real browser: `#ways` are the ways into a mock that the runtime has.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, faultKinds, type FaultOptions, type Mock } from '@service/mock';
import { ways } from '#ways';
import { scenarios } from './scenarios/all.ts';
import { faultCases, forgetful } from './scenarios/faults.ts';
import { limits } from './scenarios/limits.ts';
import { type Played, play } from './scenarios/play.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { payAndLook, type Seen } from './scenarios/sight.ts';
import { writeTranscript } from './scenarios/transcript.ts';
import { injected, type Way } from './ways.ts';

const [reference] = ways as [Way, ...Way[]];
const played = new Map<Scenario, Promise<Played>>();

/** Plays a scenario through the injected fetch, once. */
function playOnce(scenario: Scenario): Promise<Played> {
  const found = played.get(scenario) ?? play(scenario, reference);
  played.set(scenario, found);
  return found;
}

const limitOf = (way: Way, { name }: Scenario): (typeof limits)[number] | undefined =>
  limits.find(({ over, scenarios: limited }) => over.includes(way.name) && limited.includes(name));

describe.each(ways)('over $name', (way) => {
  const alike = scenarios.filter((scenario) => limitOf(way, scenario) === undefined);

  it.each(alike)('$name', async (scenario) => {
    const seen = await play(scenario, way);
    expect(seen.problems).toEqual([]);
    expect(seen).toEqual(await playOnce(scenario));
  });

  const unlike = scenarios.flatMap((scenario) => {
    const { why, sees } = limitOf(way, scenario) ?? {};
    return sees === undefined ? [] : [{ scenario, name: scenario.name, why, sees }];
  });

  it.each(unlike)('$name, unlike others: $why', async ({ scenario, sees }) => {
    const { answers } = await play(scenario, way);
    const usual = (await playOnce(scenario)).answers;
    expect(answers).toHaveLength(usual.length);
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatchObject(sees);
      expect(answer).not.toEqual(usual[index]);
    }
  });
});

it('are told apart only where a way and a scenario are named that there are', () => {
  const names = scenarios.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(limits.flatMap((limit) => limit.scenarios).filter((name) => !names.includes(name))).toEqual([]);
});

it('are, over every way and in every runtime, those that are written down', async () => {
  const everywhere = scenarios.filter(
    ({ name }) =>
      !limits.some(({ sees, scenarios: limited }) => sees === undefined && limited.includes(name)),
  );
  const all = await Promise.all(
    everywhere.map(async (scenario) => ({ name: scenario.name, played: await playOnce(scenario) })),
  );
  await expect(await writeTranscript(all)).toMatchFileSnapshot('./same-answers.golden.txt');
});

/** The answer to the create when nothing goes wrong. */
const whole = (async () => {
  const mock = createMock({ clock: 'manual', seed: 'same' });
  return (await payAndLook(mock, await injected(mock), { whole: '', isEndless: false })).text;
})();

async function look({ enter }: Pick<Way, 'enter'>, fault: FaultOptions): Promise<Seen & { mock: Mock }> {
  const mock = createMock({ clock: 'manual', seed: 'same' });
  const access = await enter(mock);
  onTestFinished(access.close);
  mock.sandbox.faults.inject(fault);
  const expectation = { whole: await whole, isEndless: fault.kind === 'stalled' };
  return { mock, ...(await payAndLook(mock, access, expectation)) };
}

describe.each(ways)('over $name, with a fault', (way) => {
  it.each(faultCases)(
    '$fault is seen as it is everywhere, or as near as can be',
    async ({ fault, isMade, sees, nearly }) => {
      const { mock, ...seen } = await look(way, fault);
      const { mock: usualMock, ...usual } = await look(reference, fault);
      const isDegraded = nearly?.over.includes(way.name) === true;
      expect(seen.sight).toEqual(isDegraded ? nearly.sees : sees);
      const isForgotten = seen.text === '' && forgetful.includes(way.name);
      const wanted = { ...usual, ...(isForgotten && { text: '' }) };
      expect(seen).toEqual(isDegraded ? seen : wanted);
      const [entry] = mock.sandbox.requests.list();
      expect(entry?.fault).toMatchObject({ kind: fault.kind, degraded: isDegraded });
      expect(entry?.effects.payment_id !== null).toBe(isMade);
      expect(await mock.sandbox.stateHash()).toBe(await usualMock.sandbox.stateHash());
    },
  );
});

it('a part of an answer is its beginning, and not all of it', async () => {
  for (const kind of ['truncated', 'stalled'] as const) {
    const { text } = await look(reference, { kind });
    expect((await whole).startsWith(text)).toBe(true);
    expect([text.length > 0, text.length < (await whole).length]).toEqual([true, true]);
  }
});

it('meets every kind of fault', () => {
  expect(new Set(faultCases.map(({ fault }) => fault.kind))).toEqual(new Set(faultKinds));
});
