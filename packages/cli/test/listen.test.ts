import { describe, expect, it } from 'vitest';
import { completed, deliver, pending, secret, secretEnv, signBody, withListener } from './listen.support.ts';
import { expectRefusals, failedWrite, runCli, toExplainLine } from './support.ts';

const json = ['--json'];

describe('webhooks listen', () => {
  it('prints each verified event as a line of JSON with the signed body', async () => {
    const { code, shown, documents, stderr } = await withListener(json, {}, async ({ url }) => {
      const answer = await deliver(url, completed);
      expect([answer.status, await answer.text()]).toEqual([200, 'received']);
    });
    expect(code).toBe(0);
    expect(documents).toEqual([
      {
        result: 'event',
        event: 'payment.completed',
        received_at: expect.stringMatching(/^20\S+Z$/),
        answered: 200,
        created_at: '2026-01-31T12:00:00+00:00',
        data: (JSON.parse(completed) as { data: object }).data,
        body: completed,
      },
    ]);
    expect(signBody(shown[0]!.body)).toBe(signBody(completed));
    expect(stderr).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\/webhooks\. Press Ctrl\+C to stop\.\n$/);
  });

  it('prints an event with an unknown name', async () => {
    const body = '{"event":"payment.refunded\\u001b[2J","note":"new"}';
    const { shown } = await withListener(json, {}, async ({ url }) => void (await deliver(url, body)));
    expect(shown).toMatchObject([{ result: 'event', event: 'payment.refunded\u001b[2J', body }]);
    const human = await withListener([], {}, async ({ url }) => void (await deliver(url, body)));
    expect(human.stdout).toContain('"note":"new"');
    expect(human.stdout).not.toContain('\u001b');
  });

  it.each([
    ['missing_signature', completed, '', 401],
    ['signature_mismatch', completed, 'a'.repeat(64), 401],
    ['invalid_json', '{', signBody('{'), 500],
    ['unreadable_event', '{"event":"payment.failed"}', signBody('{"event":"payment.failed"}'), 500],
    ['body_too_large', 'x'.repeat(65_537), 'a'.repeat(64), 413],
  ])('prints %s as refused and never as an event', async (code, body, given, status) => {
    const ran = await withListener(json, {}, async ({ url }) => {
      expect((await deliver(url, body, given)).status).toBe(status);
    });
    expect(ran.shown).toMatchObject([{ result: 'refused', event: null, code, answered: status }]);
    const human = await withListener([], {}, async ({ url }) => void (await deliver(url, body, given)));
    expect(human.lines[0]).toContain(`  ${status}  REFUSED  `);
    expect(human.stdout).toContain(`(${code})`);
    expect(human.stdout).not.toContain('payment.completed');
  });

  it('prints probable causes of a rejected delivery', async () => {
    const respaced = JSON.stringify(JSON.parse(completed), null, 2);
    const { shown } = await withListener(json, {}, async ({ url }) => {
      await deliver(url, respaced, signBody(completed));
      await deliver(url, completed);
    });
    expect(shown[0]!.hints?.map(({ code }) => code)).toEqual(['re_serialised_body']);
    expect(shown[1]!.hints).toBeUndefined();
    const human = await withListener([], {}, async ({ url }) => {
      await deliver(url, completed, signBody(completed, `${secret}\n`));
    });
    expect(human.stdout).toContain(
      '  probable cause: The signature matches after trimming the secret or adding a line break.',
    );
  });

  it('names the path /webhooks, and accepts every path', async () => {
    const { shown } = await withListener(json, {}, async ({ url }) => {
      expect(url.endsWith('/webhooks')).toBe(true);
      expect((await deliver(`${url}?a=1`, completed)).status).toBe(200);
      expect((await deliver(url.replace('/webhooks', '/other'), completed)).status).toBe(200);
    });
    expect(shown).toHaveLength(2);
  });

  it('reads the secret from stdin, and warns once about a line break at its end', async () => {
    const env = { SERVICE_WEBHOOK_SECRET: `${secret}\n` };
    const { shown, stderr } = await withListener(json, { env }, async ({ url }) => {
      for (const body of [pending, completed]) await deliver(url, body, signBody(body, `${secret}\n`));
    });
    expect(shown.map(({ result }) => result)).toEqual(['event', 'event']);
    expect(stderr.match(/warning: .* contains white space, quotes/g)).toHaveLength(1);
    const stdin = await withListener(
      ['--secret-file', '-', ...json],
      { env: {}, stdin: secret },
      async ({ url }) => {
        await deliver(url, completed);
      },
    );
    expect(stdin.shown).toMatchObject([{ result: 'event' }]);
  });
});

describe('webhooks listen, end of the command', () => {
  it('prints one event of --until only, also of concurrent deliveries', async () => {
    const statuses: number[] = [];
    const until = ['--until', 'payment.completed', ...json];
    const { code, shown } = await withListener(until, {}, async ({ url }) => {
      await deliver(url, completed, 'a'.repeat(64));
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => deliver(url, completed)));
      for (const each of answers) if (each.status === 'fulfilled') statuses.push(each.value.status);
    });
    expect(code).toBe(0);
    expect(shown.map(({ result }) => result)).toEqual(['refused', 'event']);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  });

  const late = { now: () => 0, sleep: async () => {} };

  it('exits 3 if the timeout is reached before the event of --until', async () => {
    const argv = ['webhooks', 'listen', '--port', '0', '--until', 'payment.completed', '--timeout', '60s'];
    const { code, document } = await runCli([...argv, '--json'], { env: secretEnv, clock: late });
    expect(code).toBe(3);
    expect(document.error).toEqual({
      name: 'StopConditionError',
      code: 'not_reached',
      message: 'The timeout was reached before payment.completed arrived.',
      explain: 'service-cli explain not_reached',
    });
  });

  it('exits 3 if it is interrupted before the event of --until', async () => {
    const { code, stderr } = await withListener(['--until', 'payment.completed'], {}, async ({ url }) => {
      await deliver(url, pending);
    });
    expect(code).toBe(3);
    expect(stderr).toContain('error: The command was interrupted before payment.completed arrived.');
  });

  it.each([
    ['EPIPE', 0, /^Listening on .*\n$/],
    [
      'ENOSPC',
      3,
      /error: The output cannot be written \(ENOSPC\)\.\nexplain: service-cli explain lost_output\n$/,
    ],
  ])(
    'does not acknowledge an event whose output is lost by %s, and exits %i',
    async (reason, expected, message) => {
      const { code, stderr } = await withListener([], { onStdout: failedWrite(reason) }, async ({ url }) => {
        expect((await deliver(url, completed)).status).toBe(503);
      });
      expect(code).toBe(expected);
      expect(stderr).toMatch(message);
    },
  );
});

describe('webhooks listen with wrong usage', () => {
  it('exits 2 if the port is in use', async () => {
    await withListener([], {}, async ({ url }) => {
      const { port } = new URL(url);
      const { code, stderr } = await runCli(['webhooks', 'listen', '--port', port], { env: secretEnv });
      expect(code).toBe(2);
      expect(stderr).toBe(
        `error: Port ${port} is in use. Choose another one with --port, or 0 for any free port.\n${toExplainLine('port_in_use')}`,
      );
    });
  });

  it('exits 2 for an invalid option', async () => {
    await expectRefusals({ command: 'webhooks listen --port 0' }, [
      [[], 'Set SERVICE_WEBHOOK_SECRET', { env: {} }],
      ['--until completed', 'Allowed choices are payment.pending,', { env: secretEnv }],
      ['--host 192.0.2.1', 'Cannot listen on 192.0.2.1', { env: secretEnv }],
      ['--sandbox', 'The API key is missing', { env: secretEnv }],
      ['--sandbox --secret-file - --key-file -', "Only one option or argument can be '-'", { env: {} }],
    ]);
  });
});
