import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import {
  closedEnvironment,
  failedWrite,
  keepSecret,
  openService,
  openWorld,
  type Ran,
  runCli,
  type RunOptions,
} from './support.ts';

type Finding = { setting: string; state: string; value?: unknown; evidence: string };
type Report = {
  base_url: string;
  profile: Record<string, unknown>;
  findings: Finding[];
  differences?: { setting: string; expected: unknown; found: unknown }[];
};

/** A mock in this process, whose clock stands still until the probe waits. */
function openStillWorld(
  profile: ProfileChoice = {},
): RunOptions & { fetch: (request: Request) => Promise<Response> } {
  const mock = createMock({ clock: 'manual', seed: 42, profile });
  return {
    env: { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: mock.baseUrl },
    fetch: mock.fetch,
    clock: clockOf(mock),
  };
}

/** The clock of a mock that stands still until somebody waits. */
function clockOf({ sandbox }: Mock): NonNullable<RunOptions['clock']> {
  return {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
}

function reportOf({ document }: Ran): Report {
  return document as unknown as Report;
}

/** Finds a port of this machine at which nobody listens. */
async function findFreePort(): Promise<number> {
  const { SERVICE_BASE_URL } = await closedEnvironment();
  return Number(new URL(SERVICE_BASE_URL!).port);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'probe-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('probe', () => {
  it('shows what it finds out, a setting a line, and counts it', async () => {
    const ran = await runCli(['probe', '--burst', '2'], openStillWorld({ numbers: 'string' }));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^Probing http:\/\/localhost:4010\/api\/v1 with service_test_….{4}\.\n$/);
    expect(ran.lines).toContain('found    numbers           string            "send_amount": "10"');
    expect(ran.lines).toContain(
      'unknown  rateLimitHeaders  -                 no limit in 2 requests; --burst N sends more, until one is refused',
    );
    expect(ran.lines.at(-1)).toBe('33 settings: 27 found, 0 other, 6 unknown');
  });

  it('writes one document with --json: the profile, and what shows it', async () => {
    const ran = await runCli(['probe', '--json'], openStillWorld({ createStatus: 202 }));
    const { base_url, profile, findings } = reportOf(ran);
    expect(base_url).toBe('http://localhost:4010/api/v1');
    expect(profile).toMatchObject({ createStatus: 202, rounding: 'half_up', debitAt: 'create' });
    expect(findings).toContainEqual({
      setting: 'createStatus',
      state: 'found',
      value: 202,
      evidence: 'POST /payments: 202',
    });
    expect(profile).not.toHaveProperty('events');
  });

  it('saves a profile that a mock plays, and that is what is expected the next time', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'profile.json');
      const odd: ProfileChoice = { feeMode: 'onTop', debitAt: 'processing', pagination: 'laravel' };
      await runCli(['probe', '--save', file], openStillWorld(odd));
      const saved = JSON.parse(await readFile(file, 'utf8')) as ProfileChoice;
      expect(saved).toMatchObject(odd);
      const again = await runCli(['probe', '--expect', file], openStillWorld(saved));
      expect(again.lines.at(-1)).toBe('As expected.');
      expect(again.code).toBe(0);
    });
  });

  it('ends with 1 when the service does otherwise than expected, and says where', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'profile.json');
      await writeFile(file, '{"quoteStatus": 201, "numbers": "number", "foreignPayment": "not_found"}');
      const ran = await runCli(['probe', '--expect', file, '--no-payments'], openStillWorld());
      expect(ran.code).toBe(1);
      expect(ran.lines.slice(-2)).toEqual([
        'DIFFERS  quoteStatus: expected 201, found 200',
        'UNSEEN   foreignPayment: expected, and could not be told',
      ]);
      const json = await runCli(['probe', '--json', '--expect', file, '--no-payments'], openStillWorld());
      expect(reportOf(json).differences).toEqual([{ setting: 'quoteStatus', expected: 201, found: 200 }]);
    });
  });

  it('ends with 3 when what is expected cannot be told', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'profile.json');
      await writeFile(file, '{"quoteStatus": 200, "refund": "full"}');
      const ran = await runCli(['probe', '--expect', file, '--no-payments'], openStillWorld());
      expect(ran.code).toBe(3);
      expect(ran.lines.at(-1)).toBe('UNSEEN   refund: expected, and could not be told');
    });
  });

  it('goes on when an answer does not come, and ends with 3', async () => {
    const world = openStillWorld();
    const ran = await runCli(['probe', '--no-payments', '--json'], {
      ...world,
      fetch: (request) =>
        request.url.endsWith('/balance/')
          ? Promise.reject(new TypeError('fetch failed'))
          : world.fetch(request),
    });
    expect(ran.code).toBe(3);
    expect(reportOf(ran).profile).toMatchObject({ quoteStatus: 200, bothKeys: 'reject' });
    expect(reportOf(ran).findings).toContainEqual({
      setting: 'paths',
      state: 'unknown',
      evidence: 'no answer came: fetch failed',
    });
  });

  it('reads no more than a megabyte of an answer', async () => {
    const world = openStillWorld();
    const ran = await runCli(['probe', '--no-payments', '--json'], {
      ...world,
      fetch: (request) =>
        request.url.endsWith('/balance/')
          ? Promise.resolve(new Response('x'.repeat(1_048_577), { status: 404 }))
          : world.fetch(request),
    });
    expect(reportOf(ran).findings.find(({ setting }) => setting === 'paths')?.evidence).toBe(
      'the answer is larger than a megabyte',
    );
  });

  it('has a mock send its webhooks here with --sandbox, and leaves no endpoint behind', async () => {
    await using world = await openWorld({
      clock: 'manual',
      profile: { ack: '2xx', events: ['completed', 'failed'] },
    });
    const ran = await runCli(['probe', '--sandbox', '--json'], {
      env: world.env,
      clock: clockOf(world.mock),
    });
    expect(ran.code).toBe(0);
    expect(reportOf(ran).profile).toMatchObject({
      events: ['completed', 'failed'],
      ack: '2xx',
      redelivery: 'same',
    });
    expect(world.mock.sandbox.webhooks.endpoint()).toBeNull();
    await inFolder(async (folder) => {
      const file = join(folder, 'profile.json');
      await writeFile(file, '{"events": ["failed", "completed"]}');
      const argv = ['probe', '--sandbox', '--expect', file];
      const again = await runCli(argv, { env: world.env, clock: clockOf(world.mock) });
      expect(again.lines.at(-1)).toBe('As expected.');
    });
  });

  it('takes back the endpoint where the secret that the sandbox gives cannot be used', async () => {
    await using world = await openWorld();
    const spoil = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      return request.method === 'PUT' ? Response.json({ secret: '' }) : response;
    };
    const ran = await runCli(['probe', '--sandbox'], { env: world.env, fetch: spoil });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('unusable_secret');
    expect(world.mock.sandbox.webhooks.endpoint()).toBeNull();
  });

  it('leaves alone an endpoint that somebody has set meanwhile, and says so', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const url = 'http://127.0.0.1:9/other';
    const ran = await runCli(['probe', '--sandbox', '--no-payments'], {
      env: world.env,
      clock: clockOf(world.mock),
      onStdout: () => void world.mock.sandbox.webhooks.setEndpoint({ url }),
    });
    expect(ran.stderr).toContain('set or removed by somebody else meanwhile, and is left so.');
    expect(world.mock.sandbox.webhooks.endpoint()?.url).toBe(url);
  });

  it('ends at once when it is interrupted while it waits for a webhook', async () => {
    await using world = await openWorld({ clock: 'manual', profile: { events: [] } });
    const controller = new AbortController();
    const { now, sleep } = clockOf(world.mock);
    const ran = await runCli(['probe', '--sandbox', '--json'], {
      env: world.env,
      signal: controller.signal,
      clock: {
        now,
        // As the clock of the machine does: once the run is interrupted, no time goes by.
        sleep: async (milliseconds, signal) => {
          if (milliseconds === 200) controller.abort();
          if (!signal.aborted) await sleep(milliseconds, signal);
        },
      },
    });
    const { profile, findings } = reportOf(ran);
    expect(ran.code).toBe(3);
    expect(profile).toHaveProperty('idempotency');
    expect(findings.find(({ setting }) => setting === 'events')?.evidence).toBe('interrupted');
    expect(world.mock.sandbox.webhooks.endpoint()).toBeNull();
  });

  it('receives webhooks of any service with --listen, and counts none that is forged', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const { secret } = world.mock.sandbox.webhooks.setEndpoint({ url });
    const argv = ['probe', '--listen', String(port), '--webhook-timeout', '6m', '--json'];
    const clock = clockOf(world.mock);
    const known = { ...world.env, SERVICE_WEBHOOK_SECRET: keepSecret(secret) };
    const right = await runCli(argv, { env: known, clock });
    expect(reportOf(right).profile).toMatchObject({ ack: 200, retrySchedule: 'default', redelivery: 'same' });
    const other = { ...world.env, SERVICE_WEBHOOK_SECRET: 'another secret' };
    const wrong = await runCli(argv, { env: other, clock });
    expect(wrong.stderr).toContain('A webhook was refused: signature mismatch');
    expect(reportOf(wrong).profile).not.toHaveProperty('events');
    expect(reportOf(wrong).findings).toContainEqual(
      expect.objectContaining({
        setting: 'ack',
        evidence: expect.stringMatching(/\d+ webhooks were refused/),
      }),
    );
  });

  it('says what to do where the port of --listen is in use', async () => {
    await using taken = await openService((_, response) => response.end());
    const { port } = new URL(taken.env.SERVICE_BASE_URL!);
    const ran = await runCli(['probe', '--listen', port], openStillWorld());
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(
      `Port ${port} is in use. The endpoint of the service leads there, so end what listens.`,
    );
  });

  it('makes no payment with --no-payments', async () => {
    const world = openStillWorld();
    const posts: string[] = [];
    const ran = await runCli(['probe', '--no-payments', '--json'], {
      ...world,
      fetch: (request) => {
        if (request.method === 'POST') posts.push(new URL(request.url).pathname);
        return world.fetch(request);
      },
    });
    expect(new Set(posts)).toEqual(new Set(['/api/v1/quotes']));
    expect(reportOf(ran).findings).toContainEqual({
      setting: 'refund',
      state: 'unknown',
      evidence: 'no payment was to be made',
    });
  });

  it.each([
    [['--amount', '0'], 'at most 2 decimals'],
    [['--from', 'DOLLAR'], 'three letters'],
    [['--burst', '-1'], 'whole number from 0'],
    [['--expect', '-', '--key-file', '-'], 'Only one thing can come from stdin'],
    [['--expect', '-', '--listen', '4020', '--secret-file', '-'], 'Only one thing can come from stdin'],
    [['--foreign-payment', '..'], 'It must be an id'],
    [['--secret-file', 'secret'], '--secret-file is for --listen'],
    [['--sandbox', '--secret-file', 'secret'], '--secret-file is for --listen'],
    [['--webhook-timeout', '5s'], '--webhook-timeout limits the waiting for webhooks'],
    [['--expect', '/no/such/file'], 'there is no such file'],
    [['--save', '/no/such/folder/profile.json'], '--save needs a folder that is there'],
  ])('refuses %j before it asks anything', async (flags, hint) => {
    const ran = await runCli(['probe', ...flags], openStillWorld());
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(hint);
    expect(ran.stdout).toBe('');
  });

  it('tells the verdict, and saves, also when nobody reads what it shows', async () => {
    await inFolder(async (folder) => {
      const [file, saved] = [join(folder, 'profile.json'), join(folder, 'saved.json')];
      await writeFile(file, '{"quoteStatus": 201}');
      const onStdout = failedWrite('EPIPE');
      const argv = ['probe', '--no-payments', '--expect', file, '--save', saved];
      expect((await runCli(argv, { ...openStillWorld(), onStdout })).code).toBe(1);
      expect(JSON.parse(await readFile(saved, 'utf8'))).toMatchObject({ quoteStatus: 200 });
      expect(await runCli(['probe'], { ...openStillWorld(), onStdout })).toMatchObject({ code: 0 });
    });
  });

  it('takes no live key', async () => {
    const mock = createMock({ seed: 42 });
    const env = {
      SERVICE_API_KEY: keepSecret(mock.account.liveKey),
      SERVICE_BASE_URL: 'https://pay.example/api/v1',
    };
    const ran = await runCli(['probe'], { env, fetch: mock.fetch });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('it takes a test key only');
  });

  it('tells a wrong key and an address where nobody listens as every command does', async () => {
    const { env = {}, ...world } = openStillWorld();
    const key = keepSecret('service_test_wrong0123456789abcdef');
    expect(await runCli(['probe'], { ...world, env: { ...env, SERVICE_API_KEY: key } })).toMatchObject({
      code: 1,
      stdout: '',
    });
    expect(await runCli(['probe'], { env: await closedEnvironment() })).toMatchObject({
      code: 3,
      stdout: '',
    });
  });

  it('saves nothing over a profile when it did not see all, and says so', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'profile.json');
      await writeFile(file, '{"quoteStatus": 200}');
      const world = openStillWorld();
      const ran = await runCli(['probe', '--no-payments', '--save', file], {
        ...world,
        fetch: (request) =>
          request.url.endsWith('/quotes')
            ? Promise.reject(new TypeError('fetch failed'))
            : world.fetch(request),
      });
      expect(ran.code).toBe(3);
      expect(ran.stderr).toContain('an answer did not come. Nothing was written to');
      expect(await readFile(file, 'utf8')).toBe('{"quoteStatus": 200}');
    });
  });

  it('keeps what it found when it is interrupted, and ends with 3', async () => {
    const world = openStillWorld();
    const controller = new AbortController();
    const ran = await runCli(['probe', '--json'], {
      ...world,
      signal: controller.signal,
      fetch: (request) => {
        if (request.url.endsWith('/payments')) controller.abort();
        return world.fetch(request);
      },
    });
    const { profile, findings } = reportOf(ran);
    expect(ran.code).toBe(3);
    expect(profile).toMatchObject({ numbers: 'number', rounding: 'half_up' });
    expect(profile).not.toHaveProperty('createStatus');
    expect(findings.find(({ setting }) => setting === 'debitAt')?.evidence).toBe('interrupted');
  });

  it('waits as long as a 429 says, and asks again', async () => {
    const world = openStillWorld();
    const waited: number[] = [];
    let refused = 0;
    const ran = await runCli(['probe', '--json', '--no-payments'], {
      ...world,
      clock: { now: () => 0, sleep: async (milliseconds) => void waited.push(milliseconds) },
      fetch: (request) => {
        if (!request.url.endsWith('/quotes') || refused === 2) return world.fetch(request);
        refused += 1;
        return Promise.resolve(new Response('{}', { status: 429, headers: { 'retry-after': '7' } }));
      },
    });
    expect(waited).toEqual([7_000, 7_000]);
    expect(reportOf(ran).profile).toMatchObject({ quoteStatus: 200 });
  });
});
