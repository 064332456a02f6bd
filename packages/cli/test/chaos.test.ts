import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, scenarios } from '../src/chaos/scenarios.ts';
import { listLeftovers, only, runChaos, start } from './chaos.support.ts';
import { runCli } from './support.ts';

describe('chaos with an application that pays once', () => {
  it('exits 0, prints a line for each scenario, and writes JUnit and a report', async () => {
    const files = ['--junit', 'chaos.xml', '--report', 'chaos.html'];
    const { folder, ended } = await start({ options: [...files, ...only('response-lost', 'webhook-again')] });
    const { code, stdout } = await ended;
    const lines = stdout.replaceAll(/\d+\.\d s/g, '# s').split('\n');
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        'passed      baseline                   # s',
        'passed      response-lost              # s',
        'not judged  webhook-again              # s  not judged: needs --handled',
        '',
        '3 scenarios: 2 passed, 0 failed, 0 safe, but a person must decide, 1 not judged',
        '',
      ],
    });
    const junit = readFileSync(join(folder, 'chaos.xml'), 'utf8');
    expect(junit).toContain(
      '<testsuite name="service-cli chaos" tests="3" failures="0" errors="0" skipped="1"',
    );
    expect(junit).toContain('name="webhook-again"');
    expect(readFileSync(join(folder, 'chaos.html'), 'utf8')).toContain('service-cli chaos: 3 scenarios');
    expect(listLeftovers(folder)).toEqual([]);
  });
});

describe('chaos with an application that is wrong', () => {
  it('exits 1, and prints the consequence, the timeline, what to change and the page', async () => {
    const { code, stdout } = await runChaos({ app: 'twice', options: only('response-lost') });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAILED +response-lost .* paid 3 times: 3,009\.00 USD left the wallet for chaos-\d+-3$/m,
    );
    expect(stdout).toContain('trigger 3 starts');
    expect(stdout).toMatch(/\+\d\.\d\d s {2}create: no response \(reset_after_commit\), payment pay_test_/);
    expect(stdout).toContain('What to change: Never repeat a create without a readable response');
    expect(stdout).toContain('docs: https://docs.example.com/payments-kit/cli/chaos#unknown-outcomes');
  });
});

describe('chaos rejects', () => {
  it.each([
    [
      ['--trigger', 'pay {reference}'],
      'The command to run is missing. Write it after --, such as `service-cli chaos -- npm start`.',
    ],
    [['--', 'true'], 'Pass --trigger, which makes the application pay {reference}, or --webhooks, or both.'],
    [['--trigger', 'pay', '--', 'true'], '--trigger must contain {reference} or {amount}'],
    [
      ['--trigger', 'pay {amount}', '--handled', 'true', '--', 'true'],
      '--handled requires --webhooks, whose effects it counts.',
    ],
    [
      ['--trigger', 'pay {amount}', '--only', 'outage', '--', 'true'],
      '--only: there is no scenario "outage". The scenarios: baseline, response-lost, ',
    ],
    [['--webhooks', 'hooks', '--', 'true'], 'Write a URL path, such as /webhooks.'],
    [['--settle', '2', '--', 'true'], 'Write a duration above 0 with its unit'],
    [['--instances', '9', '--', 'true'], 'Write a whole number from 1 to 8.'],
  ])('%j', async (argv, message) => {
    const { code, stderr } = await runCli(['chaos', ...argv]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('the guide of chaos', () => {
  it('lists each scenario, and has a section for each page', () => {
    const guide = readFileSync(new URL('../docs/chaos.md', import.meta.url), 'utf8');
    const expected = scenarios.map(({ name, happens }) => `${name.padEnd(23)}  ${happens}`);
    expect(guide).toContain(`\n${expected.join('\n')}\n`);
    const sections = Array.from(guide.matchAll(/^### (.*)$/gm), ([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    expect(sections).toEqual(Object.keys(pages));
  });
});
