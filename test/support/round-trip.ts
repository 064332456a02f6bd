// Probes a mock with a profile, plays the found profile with another mock, and makes the same calls to both, in process and
// with manual clocks.
import { createMock, type Mock, type Profile } from '@service/mock';
import { probe, type WebhookSink } from '@service/probe';
import { compareRuns, type ComparedCall } from './judge/compare.ts';
import { runCalls } from './judge/judge.ts';
import { createReceiver } from './judge/receiver.ts';
import { Session } from './judge/session.ts';

const accounts = { failing: 'SIM-FAIL', returning: 'SIM-RETURN' };
const start = '2026-01-31T12:00:00Z';
const WEBHOOK_TIMEOUT = 20_000;
const BURST = 1200;

/** The time of a mock for code that waits. */
function clockOf({ sandbox }: Mock): { now: () => number; sleep: (milliseconds: number) => Promise<void> } {
  return {
    now: () => sandbox.clock.now().getTime(),
    sleep: async (milliseconds) => {
      await sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`);
    },
  };
}

/** Creates a payment of another account. Returns its id. */
async function payAsOther({ sandbox, fetch, baseUrl }: Mock): Promise<string> {
  const { testKey } = sandbox.accounts.create({ balances: { USD: '1000.00' } });
  const response = await fetch(`${baseUrl}/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 12,
      beneficiary_name: 'Other Ltd',
    }),
  });
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

/** Probes a mock with a profile. Returns the profile that was found. */
export async function probeProfile(profile: Partial<Profile>): Promise<Partial<Profile>> {
  let sink: WebhookSink | undefined;
  const mock: Mock = createMock({
    clock: 'manual',
    start,
    seed: 42,
    profile,
    fetch: async (request) =>
      new Response(null, {
        status: sink!.record(new Uint8Array(await request.arrayBuffer()), request.headers),
      }),
  });
  const { account, sandbox, baseUrl, fetch } = mock;
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks' });
  const { profile: found } = await probe(
    { apiKey: account.testKey, baseUrl, fetch, onWarning: () => {} },
    {
      foreignPayment: await payAsOther(mock),
      burst: BURST,
      webhookTimeout: WEBHOOK_TIMEOUT,
      webhooks: async (given) => {
        sink = given;
        return async () => {};
      },
      clock: clockOf(mock),
    },
  );
  return found;
}

/** Makes the calls of the judge to a mock with a profile. */
async function callMock(profile: Partial<Profile>, seed: number): ReturnType<typeof runCalls> {
  const mock: Mock = createMock({
    clock: 'manual',
    start,
    seed,
    profile,
    fetch: async (request) =>
      new Response(null, { status: receiver.receive(await request.text(), request.headers) }),
  });
  const { account, sandbox, baseUrl } = mock;
  const { now, sleep } = clockOf(mock);
  const receiver = createReceiver(now);
  const endpoint = { account, mode: 'test', url: 'http://localhost:9/hooks' } as const;
  receiver.secret = sandbox.webhooks.setEndpoint(endpoint).secret;
  const target = {
    baseUrl,
    apiKey: account.testKey,
    webhookSecret: receiver.secret,
    foreignPayment: await payAsOther(mock),
  };
  const context = { fetch: mock.fetch, now, date: now, sleep };
  return runCalls(new Session(target, accounts, receiver, context), { accounts });
}

/** The result of a round trip. */
export interface RoundTrip {
  readonly found: Partial<Profile>;
  readonly compared: readonly ComparedCall[];
}

/** Probes a mock with a profile, and compares its answers with those of a mock that plays the found profile. */
export async function makeRoundTrip(profile: Partial<Profile>): Promise<RoundTrip> {
  const found = await probeProfile(profile);
  const tolerance = Number(profile.rates?.moves?.by ?? 0) * 2;
  const compared = compareRuns(await callMock(profile, 1), await callMock(found, 2), {
    rateTolerance: tolerance,
  });
  return { found, compared };
}
