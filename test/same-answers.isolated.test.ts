// What a client sees is equal over every transport. Runs in Node and in Chromium: `#transports` are those of the runtime.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, faultKinds, type FaultOptions, type Mock } from '@service/mock';
import { transports } from '#transports';
import { scenarios } from './scenarios/all.ts';
import { faultCases, lossyTransports } from './scenarios/faults.ts';
import { limits } from './scenarios/limits.ts';
import { type ScenarioResult, runScenario } from './scenarios/run.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { type ExpectedObservation, payAndObserve, type ObservedCreate } from './scenarios/observation.ts';
import { formatTranscript } from './scenarios/transcript.ts';
import { findDeviations } from './support/conformance.ts';
import { injected, type Transport } from './transports.ts';

const [reference] = transports as [Transport, ...Transport[]];
const results = new Map<Scenario, Promise<ScenarioResult>>();

/** Runs a scenario over the injected fetch, at most once. */
function runOnce(scenario: Scenario): Promise<ScenarioResult> {
  const found = results.get(scenario) ?? runScenario(scenario, reference, findDeviations);
  results.set(scenario, found);
  return found;
}

const limitOf = (transport: Transport, { name }: Scenario): (typeof limits)[number] | undefined =>
  limits.find(
    ({ transports: names, scenarios: limited }) => names.includes(transport.name) && limited.includes(name),
  );

describe.each(transports)('responses over $name', (transport) => {
  const equal = scenarios.filter((scenario) => limitOf(transport, scenario) === undefined);

  it.each(equal)('equal the reference: $name', async (scenario) => {
    const isReference = transport === reference;
    const observed = await (isReference
      ? runOnce(scenario)
      : runScenario(scenario, transport, findDeviations));
    expect(observed.problems).toEqual([]);
    expect(observed).toEqual(await runOnce(scenario));
  });

  const different = scenarios.flatMap((scenario) => {
    const { reason, response } = limitOf(transport, scenario) ?? {};
    return response === undefined ? [] : [{ scenario, name: scenario.name, reason, expected: response }];
  });

  it.each(different)('differ from the reference: $name, because $reason', async ({ scenario, expected }) => {
    const { responses } = await runScenario(scenario, transport, findDeviations);
    const { responses: expectedResponses } = await runOnce(scenario);
    expect(responses).toHaveLength(expectedResponses.length);
    for (const [index, response] of responses.entries()) {
      expect(response).toMatchObject(expected);
      expect(response).not.toEqual(expectedResponses[index]);
    }
  });
});

describe('scenarios', () => {
  it('have unique names, and limits name existing scenarios', () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(limits.flatMap((limit) => limit.scenarios).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('have the responses of same-answers.golden.txt in every runtime', async () => {
    const everywhere = scenarios.filter(
      ({ name }) =>
        !limits.some(({ response, scenarios: limited }) => response === undefined && limited.includes(name)),
    );
    const all = await Promise.all(
      everywhere.map(async (scenario) => ({ name: scenario.name, result: await runOnce(scenario) })),
    );
    await expect(await formatTranscript(all)).toMatchFileSnapshot('./same-answers.golden.txt');
  });
});

/** The response body of the create without a fault. */
const completeBody = (async () => {
  const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 'same' });
  return (await payAndObserve(mock, await injected(mock), { completeBody: '', isStalled: false })).text;
})();

async function createWithFault(
  { connect }: Pick<Transport, 'connect'>,
  fault: FaultOptions,
): Promise<ObservedCreate & { mock: Mock }> {
  const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 'same' });
  const connection = await connect(mock);
  onTestFinished(connection.close);
  mock.sandbox.faults.inject(fault);
  const expectation = { completeBody: await completeBody, isStalled: fault.kind === 'stalled' };
  return { mock, ...(await payAndObserve(mock, connection, expectation)) };
}

/** Replaces the pattern of a body with a matcher. */
const toMatcher = (expected: ExpectedObservation): object =>
  'body' in expected && expected.body instanceof RegExp
    ? { ...expected, body: expect.stringMatching(expected.body) }
    : expected;

const references = new Map(
  faultCases.map(({ fault }) => {
    let created: ReturnType<typeof createWithFault> | undefined;
    return [fault, () => (created ??= createWithFault(reference, fault))];
  }),
);

describe.each(transports)('a create with a fault over $name', (transport) => {
  it.each(faultCases)(
    'equals the reference or is marked degraded: $fault',
    async ({ fault, isCreated, observes, degraded }) => {
      const { mock, ...observed } = await createWithFault(transport, fault);
      const { mock: referenceMock, ...expected } = await references.get(fault)!();
      const isDegraded = degraded?.transports.includes(transport.name) === true;
      expect(observed.observation).toEqual(toMatcher(isDegraded ? degraded.observes : observes));
      const isTextLost = observed.text === '' && lossyTransports.includes(transport.name);
      const wanted = { ...expected, ...(isTextLost && { text: '' }) };
      expect(observed).toEqual(isDegraded ? observed : wanted);
      const [entry] = mock.sandbox.requests.list();
      expect(entry?.fault).toMatchObject({ kind: fault.kind, degraded: isDegraded });
      expect(entry?.effects.payment_id !== null).toBe(isCreated);
      expect(await mock.sandbox.stateHash()).toBe(await referenceMock.sandbox.stateHash());
    },
  );
});

describe('fault cases', () => {
  it('send a proper prefix of the body with truncated and stalled', async () => {
    for (const kind of ['truncated', 'stalled'] as const) {
      const { text } = await createWithFault(reference, { kind });
      expect((await completeBody).startsWith(text)).toBe(true);
      expect([text.length > 0, text.length < (await completeBody).length]).toEqual([true, true]);
    }
  });

  it('include every kind of fault', () => {
    expect(new Set(faultCases.map(({ fault }) => fault.kind))).toEqual(new Set(faultKinds));
  });
});
