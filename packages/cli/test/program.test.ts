import { describe, expect, it } from 'vitest';
import { commands } from '../src/commands.ts';
import { closedEnvironment, expectRefusals, failedWrite, runCli, testKey, toExplainLine } from './support.ts';

describe('service-cli', () => {
  it.each([[[]], [['payment']], [['webhooks']], [['config']]])(
    'lists the same commands of %j whether their definitions are loaded or not',
    async (group) => {
      const { stdout } = await runCli([...group, '--help']);
      // Words after --help are ignored, but the definitions that they name are loaded.
      const names = commands.flatMap(({ name }) => name.split(' '));
      expect((await runCli([...group, '--help', ...names])).stdout).toBe(stdout);
    },
  );

  it('prints its version', async () => {
    expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([[['--json']], [['payment']]])('prints the help to stderr and exits 2 for %j', async (argv) => {
    const { code, stderr } = await runCli(argv);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: service-cli');
  });

  it('exits 2 with a hint', async () => {
    await expectRefusals({}, [
      ['paymnt', 'Did you mean payment?'],
      ['balance --jsn', 'Did you mean --json?'],
      ['balance --purpose x', 'The options of a command follow its name: service-cli balance [options].'],
      ['--name x pay USD EUR 1', "unknown option '--name'. The options of a command follow its name"],
      [
        'quote USD',
        /missing required argument 'to'.*\nusage: service-cli quote \[options\] <from> <to> <amount>/,
      ],
      ['--base-url payment pay 1', /\nusage: service-cli pay \[options\] <from> <to> <amount>/],
      ['payment get', /\nusage: service-cli payment get \[options\] <id>/],
      ['balance now', /\nusage: service-cli balance \[options\]/],
      [['balance', testKey], 'service_test_…hij.'],
      ['pay USD EUR 1', "required option '--name <name>' not specified"],
      ['balance --timeout 5', 'Write a duration above 0 with its unit'],
      ['mock --port 70000', 'from 0 to 65535'],
      ['webhooks listen --until paid', 'Allowed choices are payment.pending, payment.processing'],
    ]);
  });

  it.each([
    [['balance', '--timeout', '5'], {}, 'usage_error'],
    [['balance'], {}, 'missing_key'],
    [['nothing'], {}, 'usage_error'],
    [['sandbox', 'health'], { SERVICE_BASE_URL: 'http://127.0.0.1:9' }, 'no_control'],
    [['balance'], { SERVICE_API_KEY: testKey }, 'ConnectionError'],
    [['webhooks', 'verify', '--signature', 'x'], { SERVICE_WEBHOOK_SECRET: 's' }, 'malformed_signature'],
  ])('names the code of the error of %j, in JSON too', async (argv, env, code) => {
    const fetch = async (): Promise<Response> => Response.error();
    const { document, stderr } = await runCli([...argv, '--json'], { env, fetch });
    expect(document.error).toMatchObject({ explain: `service-cli explain ${code}` });
    expect(stderr).toContain(`explain: service-cli explain ${code}\n`);
    expect((await runCli(['explain', code])).code).toBe(0);
  });

  it('prints a usage error as a JSON document with --json', async () => {
    const { code, document } = await runCli(['paymnt', '--json']);
    expect(code).toBe(2);
    expect(document).toEqual({
      error: {
        name: 'UsageError',
        code: 'usage_error',
        message: "unknown command 'paymnt' (Did you mean payment?)",
        explain: 'service-cli explain usage_error',
      },
    });
  });

  it('exits 3 and prints the cause if the connection is refused', async () => {
    const env = await closedEnvironment();
    const { code, stdout, stderr } = await runCli(['balance'], { env });
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('cause: connect ECONNREFUSED');
    const { document } = await runCli(['balance', '--json'], { env });
    expect(document.error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
    expect(document.error.cause).toContain('ECONNREFUSED');
  });

  it('prints an internal error on one line and exits 3', async () => {
    const fetch = (): never => undefined as never;
    const { code, stderr } = await runCli(['balance'], {
      env: new Proxy(
        {},
        {
          get: (_, name) => {
            if (name === 'SERVICE_API_KEY') throw new Error(`broken\nat ${testKey}`);
          },
        },
      ),
      fetch,
    });
    expect(code).toBe(3);
    expect(stderr).toBe(
      String.raw`internal error: broken\u000aat service_test_…ghij` + `\n${toExplainLine('internal_error')}`,
    );
  });

  it.each([['--version'], ['--help'], ['explain']])(
    'exits 3 if the output of %s is lost',
    async (...argv) => {
      const { code, stderr } = await runCli(argv, {
        env: { SERVICE_WEBHOOK_SECRET: 'a secret' },
        onStdout: failedWrite('ENOSPC'),
      });
      expect(code).toBe(3);
      expect(stderr).toBe(`error: The output cannot be written (ENOSPC).\n${toExplainLine('lost_output')}`);
    },
  );
});
