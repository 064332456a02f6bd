import { writeFileSync } from 'node:fs';
import { sign } from '@service/webhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { commands } from '../src/commands.ts';
import { toCsv } from './payment-csv.ts';
import { eventBody, makeFolder, runCli, startMockServer } from './support.ts';

const all = ['', ...commands.map(({ name }) => name)];
const readHelp = (name: string, ...options: string[]) =>
  runCli([...name.split(' ').filter(Boolean), '--help', '--no-color', ...options], { columns: 100 });

describe('the help', () => {
  it('fits 100 columns and 30 lines, 40 with all commands, and has at most 12 options and an example', async () => {
    for (const name of all) {
      const { code, stdout, stderr } = await readHelp(name);
      const lines = stdout.split('\n').slice(0, -1);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
      expect(lines.length > (name === '' ? 40 : 30) ? stdout : '').toBe('');
      // Indented lines can be commands to copy, which are not broken.
      const long = lines.filter((line) => line.length > 100 && !/^ {2}(?:\$|\S+ )/.test(line));
      expect(long).toEqual([]);
      expect(lines.filter((line) => /^ {2}--/.test(line)).length).toBeLessThanOrEqual(12);
      const isGroup = all.some((each) => each.startsWith(`${name} `)) || name === '';
      const example = new RegExp(String.raw`Example:\n  \$ .*service-cli ${name}`);
      expect([name, isGroup || example.test(stdout)]).toEqual([name, true]);
      expect(stdout).toContain('--json');
    }
  });

  it('has all options with --all', async () => {
    const { stdout } = await readHelp('pay-file', '--all');
    expect(stdout).toMatch(/^ {2}--clock-skew <span> +\S/m);
    expect(stdout).not.toContain(' more options: ');
  });
});

/** Returns the commands of the examples in the help of each command, without other programs. */
async function listExamples(): Promise<string[]> {
  const pages = await Promise.all(all.map((name) => runCli([...name.split(' ').filter(Boolean), '--help'])));
  return pages
    .flatMap(({ stdout }) => [...stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line))
    .flatMap((line) => line.replace(/ +#.*$/, '').split(/ && | \| | > |<\(|\)/))
    .filter((line) => line.startsWith('service-cli '));
}

describe('the examples of the help', () => {
  const before = process.cwd();
  afterEach(() => process.chdir(before));

  it('run as they are printed', async () => {
    await using mockServer = await startMockServer();
    const { mock } = mockServer;
    process.chdir(makeFolder());
    const env = { ...mockServer.env, SERVICE_WEBHOOK_SECRET: 'a secret', PATH: process.env.PATH ?? '' };
    writeFileSync('payments.csv', toCsv(2));
    writeFileSync('body.json', eventBody);
    writeFileSync('profile.json', '{}');
    const { id } = mock.sandbox.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '100.00',
      beneficiary_name: 'Acme Supplies Ltd',
      status: 'completed',
    });
    const examples = (await listExamples()).filter((line) => !line.startsWith('service-cli chaos'));
    expect(examples.length).toBeGreaterThan(25);
    const failed: unknown[] = [];
    for (const example of examples) {
      const words = (example.match(/(?:'[^']*'|[^\s'])+/g) ?? []).slice(1);
      const [own = '', command] = words.join('\n').split('\n--\n');
      const argv = own
        .split('\n')
        .map((word) => word.replaceAll("'", '').replace('pay_test_…', id))
        .map((word) => word.replace('5f2c…', sign(eventBody, env.SERVICE_WEBHOOK_SECRET)));
      const isEndless = /^(?:mock|record --to|webhooks listen|sandbox .*--follow|probe)/.test(argv.join(' '));
      // Another test can have the default port.
      const port = /^(?:mock|dev|record --to|webhooks listen)/.test(argv.join(' ')) ? ['--port', '0'] : [];
      const ran = await runCli(
        [...argv, ...port, ...(command === undefined ? [] : ['--', process.execPath, '--version'])],
        {
          env,
          cwd: process.cwd(),
          stdin: 'yes\n',
          isTTY: argv[0] === 'pay-file',
          signal: isEndless ? AbortSignal.timeout(300) : new AbortController().signal,
          reveals: true,
        },
      );
      if (ran.code === 2) failed.push({ example, ...ran });
    }
    expect(failed).toEqual([]);
  });
});
