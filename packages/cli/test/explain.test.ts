import { readFileSync } from 'node:fs';
import * as sdk from '@service/sdk';
import { errorCodes } from '../../webhooks/test/error-codes.ts';
import { describe, expect, it } from 'vitest';
import { runCli } from './support.ts';

/** The names of the exported error classes. */
const classes = Object.keys(sdk).filter((name) => name.endsWith('Error'));
const sandboxCodes = ['invalid_argument', 'invalid_state', 'not_found', 'timeout', 'unavailable'];
const source = ['errors.ts', 'config.ts', 'output.ts', 'pay-file/store.ts', 'commands/explain.ts']
  .map((name) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8'))
  .join('\n');
const thrown = [...source.matchAll(/(?:code = |CODE = |^ +)'([a-z]+_[a-z_]+)'/gm)].map(
  ([, code = '']) => code,
);
const ownCodes = ['usage_error', 'payment_exists', 'no_answer', 'no_control', 'internal_error', ...thrown];

describe('explain', () => {
  it('prints a page for each code', async () => {
    for (const code of [...classes, ...errorCodes, ...sandboxCodes, ...ownCodes]) {
      const { code: exit, lines, stderr } = await runCli(['explain', code]);
      expect({ code, exit, stderr }).toEqual({ code, exit: 0, stderr: '' });
      expect(lines[0]).toMatch(/ \(@service\/\w+\)$/);
      expect(lines.join(' ').length).toBeGreaterThan(60);
      expect(lines.join('\n')).not.toMatch(/\]\(/);
    }
  });

  it('finds the class of an error type', async () => {
    const types = { insufficient_funds: 'InsufficientFundsError', validation_error: 'ValidationError' };
    for (const [type, name] of Object.entries({ ...types, validationerror: 'ValidationError' }))
      expect((await runCli(['explain', type])).lines).toContain(`${name} (@service/sdk)`);
  });

  it('prints the pages of all packages with the code', async () => {
    const { documents } = await runCli(['explain', 'not_found', '--json']);
    const [found] = documents as unknown as { code: string; package: string }[][];
    expect(found?.map(({ code, package: name }) => `${code} ${name}`)).toEqual([
      'NotFoundError @service/sdk',
      'not_found @service/mock',
    ]);
  });

  it('lists all codes without a code', async () => {
    const { code, lines } = await runCli(['explain']);
    expect(code).toBe(0);
    for (const known of ['usage_error', 'ValidationError', 'signature_mismatch', 'invalid_state'])
      expect(lines.some((line) => line.startsWith(`${known} `))).toBe(true);
  });

  it('names the nearest code for an unknown one, and exits 2', async () => {
    const { code, stdout, stderr } = await runCli(['explain', 'signature_mismatches']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/"signature_mismatches" is unknown\. Did you mean "signature_mismatch"\?/);
    expect((await runCli(['explain', 'xyzzy'])).stderr).toContain(
      '"xyzzy" is unknown. Use one of: usage_error, ',
    );
  });
});
