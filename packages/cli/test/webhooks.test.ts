import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { secret, secretEnv as env, signBody as digest } from './listen.support.ts';
import { eventBody as body, expectRefusals, keepSecret, runCli, toExplainLine } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
const secretFile = join(folder, 'secret');
const bodyFile = join(folder, 'body.json');
writeFileSync(secretFile, `${secret}\n`);
writeFileSync(bodyFile, body);
afterAll(() => rmSync(folder, { recursive: true }));

const verify = ['webhooks', 'verify', '--signature'];

describe('the input of webhooks verify', () => {
  const run = [...verify, digest(body)];

  it.each([
    ['stdin by default', [], body],
    ['stdin by its name', ['-'], body],
    ['a file', [bodyFile], ''],
  ])('is %s', async (_, argv, stdin) => {
    const { code, lines, stderr } = await runCli([...run, ...argv], { env, stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toContain('data.receive_amount: 916.69 EUR');
  });

  it('has the secret of --secret-file before SERVICE_WEBHOOK_SECRET', async () => {
    const argv = [...run, bodyFile, '--secret-file', secretFile];
    expect((await runCli(argv, { env: { SERVICE_WEBHOOK_SECRET: 'other' } })).code).toBe(0);
  });

  it.each([
    ['a byte order mark', Buffer.from(`\ufeff${secret}\r\n`)],
    ['UTF-16', Buffer.from(`\ufeff${secret}\r\n`, 'utf16le')],
  ])('has the secret of a Windows file with %s', async (_, stdin) => {
    const argv = [...run, bodyFile, '--secret-file', '-'];
    expect((await runCli(argv, { stdin })).code).toBe(0);
  });

  it('is no secret that is not valid UTF-8, which would be replaced by other text', async () => {
    const argv = [...run, bodyFile, '--secret-file', '-'];
    const { code, stderr } = await runCli(argv, { stdin: Buffer.from([0xc3, 0x28, 0x41]) });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: --secret-file: stdin must be text in UTF-8 or UTF-16.\n${toExplainLine()}`,
    });
  });

  it('is any raw bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const { stderr } = await runCli([...verify, digest(bytes)], { env, stdin: bytes });
        expect(stderr).not.toContain('signature_mismatch');
      }),
    );
  });

  it('is refused without a body or a secret', async () => {
    await expectRefusals({ command: run.join(' ') }, [
      [[], 'Set SERVICE_WEBHOOK_SECRET', { env: {} }],
      ['- --secret-file -', "Only one option or argument can be '-'", { env }],
      [[join(folder, 'nothing')], 'no such file or directory', { env }],
      [[], 'unusable_secret', { env: { SERVICE_WEBHOOK_SECRET: ' ' } }],
    ]);
  });
});

describe('webhooks verify', () => {
  it('prints the event as a JSON document', async () => {
    const { document } = await runCli([...verify, digest(body), '--json'], {
      env,
      stdin: body,
    });
    expect(document).toEqual({ kind: 'payment', source: 'webhook', ...JSON.parse(body) });
  });
});

describe('the probable causes of webhooks verify', () => {
  const indented = JSON.stringify(JSON.parse(body), null, 2);
  const explain = async (stdin: string, signature: string, secrets: Record<string, string> = env) => {
    const argv = [...verify, signature];
    const ran = await runCli(argv, { env: secrets, stdin });
    const { document } = await runCli([...argv, '--json'], { env: secrets, stdin });
    return { ...ran, document };
  };

  const other = 'The body was changed after it was signed, or another secret signed it.';

  /** The codes of the errors that are no mismatch. */
  const codes: Readonly<Record<string, string>> = {
    'a signature in upper case': 'malformed_signature',
    'a prefix': 'malformed_signature',
    'a byte order mark': 'invalid_json',
    'an event without fields': 'invalid_event',
  };

  it.each([
    ['a changed amount', body.replace('916.69', '916.68'), digest(body), 'unknown_cause', other],
    ['an added field', body.replace('{', '{"a":1,'), digest(body), 'unknown_cause', other],
    ['another secret', body, digest(body, 'another secret'), 'unknown_cause', other],
    ['a body that was serialized again', indented, digest(body), 're_serialised_body', 'serialized again'],
    ['a line break at its end', `${body}\n`, digest(body), 'line_break_in_body', 'the line break at the end'],
    ['a secret with a line break', body, digest(body, `${secret}\n`), 'line_break_in_secret', 'the secret'],
    ['a signature in upper case', body, digest(body).toUpperCase(), 'upper_case_signature', 'upper case'],
    ['a prefix', body, `sha256=${digest(body)}`, 'prefixed_signature', 'has a prefix'],
    ['no body', '', digest(body), 'empty_body', 'The body is empty.'],
    ['a byte order mark', '\ufeff{', digest('\ufeff{'), 'refused_event', 'The signature is valid, but'],
    ['an event without fields', '{}', digest('{}'), 'refused_event', 'The signature is valid, but'],
  ])(
    'names the cause for %s, after the error and in the document',
    async (name, stdin, signature, hint, text) => {
      const { code, stdout, stderr, document } = await explain(stdin, signature);
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      const lines = stderr.split('\n');
      const error = codes[name] ?? 'signature_mismatch';
      expect(lines[0]).toMatch(new RegExp(`^error: .* \\(${error}\\)$`));
      expect(document.error).toMatchObject({ name: 'WebhookError', code: error });
      expect(lines.slice(1, -2).join('\n')).toMatch(/^probable cause: /);
      expect(lines.slice(1, -2).join('\n')).toContain(text);
      expect(lines.at(-2)).toMatch(/^explain: service-cli explain [a-z_]+$/);
      const { hints } = document.error as unknown as { hints: { code: string; message: string }[] };
      expect(hints.map((each) => each.code)).toContain(hint);
    },
  );

  it('are none for an empty signature', async () => {
    const { code, stderr } = await explain(body, '');
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error: .* \(malformed_signature\)\nexplain: /);
  });

  it('are not printed in production, where they would help a forger', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { code, stderr } = await explain(body, 'a'.repeat(64));
    expect(code).toBe(4);
    expect(stderr).not.toContain('probable cause');
  });
});

describe('a signing secret with white space', () => {
  it.each([
    'a secret of many words ',
    '"a-quoted-secret-of-a-file"',
    'a-secret\u200B-with-a-mark',
    'two\nlines',
  ])('causes one warning of verify: %j', async (text) => {
    keepSecret(text);
    const own = { SERVICE_WEBHOOK_SECRET: text };
    const emitWarning = vi.spyOn(process, 'emitWarning');
    for (const signature of [digest(body, text), 'a'.repeat(64)]) {
      const { stderr } = await runCli([...verify, signature], { env: own, stdin: body });
      expect([signature, stderr.match(/white space/g)?.length]).toEqual([signature, 1]);
    }
    expect(emitWarning).not.toHaveBeenCalled();
    emitWarning.mockRestore();
  });
});
