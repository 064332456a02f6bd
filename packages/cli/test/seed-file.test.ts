import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepSecret, makeFolder, runCli, withMock } from './support.ts';

const balancesOf = async (env: Record<string, string>): Promise<unknown> =>
  (await runCli(['balance', '--json'], { env, reveals: true })).document.balances;

const shop = (usd: number | string): string => `seed: demo
accounts:
  - name: shop
    balances: { USD: ${usd} }
`;

describe('mock with a seed file', () => {
  it.each(['service.sandbox.yaml', 'service.sandbox.json'])(
    'starts with %s of the working directory',
    async (name) => {
      const cwd = makeFolder();
      const text = name.endsWith('json')
        ? '{"accounts":[{"name":"shop","balances":{"USD":12.5}}]}'
        : shop('12.50');
      await writeFile(join(cwd, name), text);
      const { stderr } = await withMock(
        [],
        async (_, env) => expect(await balancesOf(env)).toEqual([{ currency: 'USD', balance: 12.5 }]),
        { cwd },
      );
      expect(stderr).toContain(`Using ${join(cwd, name)}.\n`);
    },
  );

  it('is overridden by options', async () => {
    const cwd = makeFolder();
    await writeFile(
      join(cwd, 'service.sandbox.yaml'),
      `${shop(1)}    endpoint: { url: "http://localhost:9/file", secret: of-the-file }\nclock: manual\nprofile: { successStatus: { createPayment: 202 } }\n`,
    );
    await writeFile(join(cwd, 'profile.json'), '{"successStatus":{"createPayment":200}}');
    const argv = ['--seed', 'other', '--clock', 'real', '--profile', join(cwd, 'profile.json')];
    const keys: unknown[] = [];
    await withMock([], async (mockServer) => void keys.push(mockServer.testKey, mockServer.webhookSecret), {
      cwd,
    });
    await withMock(
      [...argv, '--webhook-url', 'http://localhost:9/option'],
      async (mockServer, env) => {
        keys.push(mockServer.testKey, mockServer.webhookSecret);
        expect(await balancesOf(env)).toEqual([{ currency: 'USD', balance: 1 }]);
        const show = async (path: string) => (await fetch(`${mockServer.url}/_sandbox/${path}`)).json();
        expect(await show('clock')).toMatchObject({ clock: 'real' });
        expect(await show('profile')).toMatchObject({ successStatus: { createPayment: 200 } });
        expect(await show('webhooks/endpoint')).toEqual({ endpoint: { url: 'http://localhost:9/option' } });
      },
      { cwd },
    );
    expect(keys).toEqual([expect.any(String), undefined, expect.any(String), undefined]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('exits 2 with all problems of the file', async () => {
    const cwd = makeFolder();
    await writeFile(join(cwd, 'service.sandbox.yaml'), `${shop(1)}    balnces: {}\n    suspended: 1\n`);
    const { code, stderr } = await runCli(['mock', '--port', '0'], { cwd });
    expect([code, stderr.split('\n').slice(0, 3)]).toEqual([
      2,
      [
        'error: The seed has 2 problems:',
        '  accounts[0].suspended must be true or false, not 1',
        expect.stringMatching(/^ {2}accounts\[0\] has no field "balnces"; .* the nearest is "balances"$/),
      ],
    ]);
  });

  it('is not blamed for --webhook-url', async () => {
    const cwd = makeFolder();
    await writeFile(join(cwd, 'service.sandbox.yaml'), shop(1));
    const argv = ['mock', '--port', '0', '--webhook-url', 'http://example.com/hooks'];
    const { code, stderr } = await runCli(argv, { cwd });
    expect(code).toBe(2);
    expect(stderr).not.toMatch(/service\.sandbox|seed|accounts\[/i);
  });

  it('applies to a new data file only, except its clock, faults and rate limit', async () => {
    const cwd = makeFolder();
    const path = join(cwd, 'service.sandbox.yaml');
    const argv = ['--data', join(cwd, 'data.json')];
    let testKey: string | undefined;
    await writeFile(path, shop(100));
    const first = await withMock(
      argv,
      async (mockServer, env) => {
        ({ testKey } = mockServer);
        await runCli(['pay', 'USD', 'EUR', '40', '--name', 'Acme'], { env, reveals: true });
      },
      { cwd },
    );
    expect(first.stderr).toContain(`Using ${path}.\n`);
    expect(first.stderr).toContain('including keys and signing secrets');
    await writeFile(
      path,
      `${shop(5)}clock: manual\nfaults: [{ kind: status, status: 503, times: unlimited }]\n`,
    );
    const second = await withMock(
      argv,
      async (mockServer, env) => {
        const reset = () => fetch(`${mockServer.url}/_sandbox/reset`, { method: 'POST' });
        const statusOf = async () =>
          (await fetch(`${mockServer.baseUrl}/balance`, { headers: { 'x-api-key': mockServer.testKey! } }))
            .status;
        expect(mockServer.testKey).toBe(testKey);
        expect(await statusOf()).toBe(503);
        await reset();
        expect(await statusOf()).toBe(503);
        await fetch(`${mockServer.url}/_sandbox/faults`, { method: 'DELETE' });
        expect(await balancesOf(env)).toEqual([{ currency: 'USD', balance: 60 }]);
      },
      { cwd },
    );
    expect(second.stderr).toContain('--seed, --webhook-url and --profile apply to new files only');
    expect(second.stderr).toMatch(
      /^Using .* for clock, faults and rate limit only, because .*data\.json has the accounts\.$/m,
    );
  });
});

describe('a seed file of a cloned folder', () => {
  const values = {
    AWS_SECRET_ACCESS_KEY: keepSecret('wJalrXUtnFEMI-of-the-caller'),
    HOME: '/home/of-the-caller',
    service_token: keepSecret('lower-case-of-the-caller'),
    MY_SERVICE_KEY: keepSecret('prefixed-of-the-caller'),
    SERVICE_API_KEY: keepSecret('service_test_of_the_caller_000'),
    SERVICE_WEBHOOK_SECRET: keepSecret('signing-secret-of-the-caller'),
    SERVICE_SANDBOX_TOKEN: keepSecret('token-of-the-caller-01234567'),
  };
  const notRead = 'is not read: those of a seed file begin with SERVICE_SEED_.';

  it('gets no secret of the caller', async () => {
    const names = [...Object.keys(values), '__proto__'];
    const text = `accounts: [{ name: a, profile: { secret: "${names.map((name) => `\${${name}}`).join(' ')}" } }]`;
    for (const name of ['service.sandbox.yaml', 'service.sandbox.json']) {
      const cwd = makeFolder();
      await writeFile(join(cwd, name), text);
      for (const argv of [
        ['mock', '--port', '0'],
        ['dev', '--', 'true'],
      ]) {
        const { code, stdout, stderr } = await runCli(argv, { cwd, env: values });
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        for (const each of names) expect(stderr).toContain(`The variable "${each}" ${notRead}`);
        for (const each of Object.values(values)) expect(stderr).not.toContain(each);
      }
    }
  });

  it('has the variables that begin with SERVICE_SEED_, also if the command line names the file', async () => {
    const cwd = makeFolder();
    const path = join(cwd, 'service.sandbox.yaml');
    await writeFile(
      path,
      'accounts: [{ name: "shop ${SERVICE_SEED_REGION}", testKey: "${SERVICE_SEED_KEY}" }]',
    );
    const env = { SERVICE_SEED_REGION: 'north', SERVICE_SEED_KEY: keepSecret('service_test_of_the_shop_01') };
    for (const argv of [[], ['--seed-file', path]])
      await withMock(
        argv,
        async (mockServer) => {
          expect(mockServer.testKey).toBe('${SERVICE_SEED_KEY}');
          const { accounts } = (await (await fetch(`${mockServer.url}/_sandbox/accounts`)).json()) as {
            accounts: { name: string }[];
          };
          expect(accounts.map(({ name }) => name)).toEqual(['shop north']);
        },
        { cwd, env },
      );
  });
});
