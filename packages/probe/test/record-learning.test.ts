import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { listen } from '@service/mock/node';
import {
  type Exchange,
  extendProfile,
  formatExchange,
  learnProfile,
  parseRecording,
  recordTraffic,
} from '@service/probe/node';
import { describe, expect, it } from 'vitest';
import { runApplication } from './application.ts';

/** Records the traffic of the application with a mock. */
async function record(profile: ProfileChoice): Promise<Exchange[]> {
  const mock: Mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 'record', profile });
  const exchanges: Exchange[] = [];
  const server = await listen(mock, { port: 0 });
  const now = (): number => mock.sandbox.clock.now().getTime();
  const recorder = await recordTraffic({
    to: new URL(server.baseUrl),
    now,
    onExchange: (one) => exchanges.push(one),
  });
  await runApplication({ baseUrl: recorder.baseUrl.href, mock });
  await recorder.close();
  await server.close();
  await mock.close();
  return exchanges;
}

describe('the profile of a recording', () => {
  it('has what the table of questions reads from the traffic of an application', async () => {
    const given: ProfileChoice = {
      successStatus: { createPayment: 202, createQuote: 201 },
      absent: 'omit',
      timestamps: 'fraction',
      refusals: { validation: { status: 400 } },
    };
    const exchanges = await record(given);
    const kept = parseRecording(`${exchanges.map(formatExchange).join('')}{"at":`);
    expect(kept).toHaveLength(exchanges.length);
    const { profile, differences } = extendProfile({}, learnProfile(kept));
    expect(profile).toMatchObject(given);
    expect(differences).toEqual([]);
    expect(createMock({ profile }).sandbox.profile.get()).toMatchObject(given);
    const kept201 = extendProfile({ successStatus: { createPayment: 201 } }, learnProfile(kept));
    expect(kept201.profile.successStatus).toMatchObject({ createPayment: 201, createQuote: 201 });
    expect(kept201.differences.map(({ setting, details }) => [setting, details])).toEqual([
      ['successStatus', ['createPayment was 201, is 202']],
    ]);
  });

  it('does not depend on a path that cannot be decoded, and names a refusal that one response shows', () => {
    const [at, ms, headers] = ['2026-01-31T12:00:00.000Z', 5, { 'x-key': 'masked …1' }];
    const request = { method: 'GET', path: '/balance', headers: { authorization: 'Bearer key' } };
    const body = { success: false, mode: 'test', error: { type: 'not_found', message: 'No payment.' } };
    const findings = learnProfile([
      {
        at,
        ms,
        request,
        response: { status: 200, headers, body: { success: true, data: { balances: [] } } },
      },
      {
        at,
        ms,
        request: { ...request, path: '/payments/%ff' },
        response: { status: 404, headers, body },
      },
      { at, ms, request, response: { status: 429, headers: { 'retry-after': '7' }, body } },
    ]);
    const find = (name: string) => findings.find(({ setting }) => setting === name);
    expect(find('refusals')).toMatchObject({
      state: 'partly',
      missing: expect.arrayContaining(['rate_limit: a second request of this kind']) as never,
    });
  });
});
