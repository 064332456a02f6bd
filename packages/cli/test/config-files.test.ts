import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUserFile } from '../src/config.ts';
import type { Environment } from '../src/session.ts';
import { keepSecret, type Ran, runCli, type RunOptions } from './support.ts';

const keys = {
  flag: keepSecret('service_test_of_the_flag_00000000'),
  variable: keepSecret('service_test_of_the_variable_0000'),
  staging: keepSecret('service_test_of_staging_000000000'),
  default: keepSecret('service_test_of_default_000000000'),
  live: keepSecret('service_live_of_production_000000'),
};
const secret = keepSecret('a signing secret of a profile');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const userFile = (): string => join(home, '.config', 'service', 'config.json');

function write(path: string, content: unknown, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  // The umask of the process applies to a new file only.
  chmodSync(path, mode);
}

/** Runs `balance` against a stub, and returns the base URL and the key of its request. */
async function send(argv: string[] = [], options: RunOptions = {}): Promise<Ran & { sent: string[] }> {
  const sent: string[] = [];
  const ran = await runCli(['balance', ...argv], {
    cwd: home,
    fetch: async ({ url, headers }) => {
      sent.push(url.replace('/balance', ''), String(headers.get('authorization')).replace('Bearer ', ''));
      return Response.json({ success: true, mode: 'test', data: { balances: [] } });
    },
    ...options,
    env: { HOME: home, ...options.env },
  });
  return { ...ran, sent };
}

const profiles = {
  default: { baseUrl: 'https://default.example/api/v1', apiKey: keys.default },
  staging: { baseUrl: 'https://staging.example/api/v1', apiKey: keys.staging, webhookSecret: secret },
  production: { baseUrl: 'https://pay.example/api/v1', apiKey: keys.live },
  other: { apiKey: keys.live },
};

describe('profiles of service-cli', () => {
  it.each([
    ['the profile default', [], {}, ['https://default.example/api/v1', keys.default]],
    [
      'SERVICE_CONFIG_PROFILE',
      [],
      { SERVICE_CONFIG_PROFILE: 'staging' },
      ['https://staging.example/api/v1', keys.staging],
    ],
    [
      '--config-profile before SERVICE_CONFIG_PROFILE and SERVICE_API_KEY',
      ['--config-profile', 'staging'],
      { SERVICE_CONFIG_PROFILE: 'production', SERVICE_API_KEY: keys.variable },
      ['https://staging.example/api/v1', keys.staging],
    ],
    [
      'SERVICE_API_KEY before SERVICE_CONFIG_PROFILE',
      [],
      { SERVICE_CONFIG_PROFILE: 'staging', SERVICE_API_KEY: keys.variable },
      ['https://staging.example/api/v1', keys.variable],
    ],
    [
      '--key and --base-url before everything',
      ['--config-profile', 'staging', '--key', keys.flag, '--base-url', 'https://flag.example/api/v1'],
      { SERVICE_API_KEY: keys.variable, SERVICE_BASE_URL: 'https://variable.example/api/v1' },
      ['https://flag.example/api/v1', keys.flag],
    ],
  ])('take key and base URL from %s', async (_, argv, env, expected) => {
    write(userFile(), { profiles });
    expect((await send(argv, { env })).sent).toEqual(expected);
  });

  it('are read from XDG_CONFIG_HOME, and from APPDATA on Windows', async () => {
    const folder = join(home, 'elsewhere');
    write(join(folder, 'service', 'config.json'), { profiles });
    const expected = ['https://default.example/api/v1', keys.default];
    expect((await send([], { env: { XDG_CONFIG_HOME: folder } })).sent).toEqual(expected);
    const windows = { env: { APPDATA: folder }, platform: 'win32' } as const;
    expect((await send([], windows)).sent).toEqual(expected);
    expect((await send([], { env: { XDG_CONFIG_HOME: 'elsewhere' }, cwd: home })).code).toBe(2);
  });

  it.each([
    { HOME: '.' },
    { HOME: 'home' },
    { HOME: '', XDG_CONFIG_HOME: 'config' },
    { APPDATA: '.' },
    { APPDATA: String.raw`config\service` },
  ])('are not read from the working directory, with the relative path of %j', (env) => {
    const platform = 'APPDATA' in env ? 'win32' : 'linux';
    expect(findUserFile({ env, platform } as Partial<Environment> as Environment)).toBeUndefined();
  });

  it('must exist if they are selected', async () => {
    write(userFile(), { profiles });
    const { code, stderr } = await send(['--config-profile', 'stagin']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `There is no profile "stagin" in ${userFile()}. Its profiles: default, staging, production, other.`,
    );
    const unset = await send([], { env: { HOME: '', SERVICE_CONFIG_PROFILE: 'staging' } });
    expect(unset.stderr).toContain(
      'There is no profile "staging" in a configuration file. Its profiles: none.',
    );
  });

  it.each([0o644, 0o604, 0o620])('with keys are refused in a file of mode %o', async (mode) => {
    write(userFile(), { profiles }, mode);
    const { code, stderr, sent } = await send();
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    expect(stderr).toContain(`${userFile()} contains keys or secrets, and other users have access to it`);
    execFileSync('sh', ['-c', /^ {2}(chmod .*)$/m.exec(stderr)?.[1] ?? 'exit 1']);
    expect(statSync(userFile()).mode & 0o777).toBe(0o600);
    write(userFile(), { profiles: { default: { baseUrl: 'https://default.example/api/v1' } } }, mode);
    expect((await send([], { env: { SERVICE_API_KEY: keys.variable } })).code).toBe(0);
  });
});

describe('an invalid configuration file', () => {
  it.each([
    ['{"profiles": {', 'the file is not valid JSON.'],
    [`{"profiles": {"default": {"apiKey": ${secret}}}}`, 'the file is not valid JSON.'],
    ['', 'the file is not valid JSON.'],
    ['[]', 'the file must be an object in braces.'],
    ['{"profiles": []}', 'profiles must be an object in braces.'],
    ['{"profiles": {"default": 5}}', 'profile default must be an object in braces.'],
    ['{"profile": {}}', 'in the file, "profile" is unknown. Did you mean "profiles"?'],
    [
      '{"profiles": {"default": {"baseURl": 1}}}',
      'in profile default, "baseURl" is unknown. Did you mean "baseUrl"?',
    ],
    [
      '{"profiles": {"default": {"baseUrl": "https://me:pw@x"}}}',
      'baseUrl of profile default must be an http or https URL',
    ],
    ['{"profiles": {"a b": {"apiKey": ""}}}', 'apiKey of profile a b must be text that is not empty.'],
  ])('%j causes exit 2 with the place of the problem', async (text, problem) => {
    write(userFile(), text);
    const { code, stderr } = await send();
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${userFile()}: ${problem}`);
    expect(stderr).not.toContain(secret.slice(0, 8));
    expect(stderr).toContain('explain: service-cli explain invalid_config_file\n');
  });

  it('does not matter to a command whose settings are given', async () => {
    write(userFile(), '{');
    const env = { SERVICE_API_KEY: keys.variable, SERVICE_BASE_URL: 'https://variable.example/api/v1' };
    expect((await send([], { env })).code).toBe(0);
  });
});

describe('the examples of the guide to the configuration', () => {
  it('are valid files', async () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/configuration.md'), 'utf8');
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    expect(blocks).toHaveLength(1);
    write(userFile(), blocks[0]!.replaceAll('service_test_…', keys.staging).replaceAll('…', secret));
    const { code, document } = await runCli(['config', 'show', '--json'], { env: { HOME: home }, cwd: home });
    expect(code).toBe(0);
    expect(document).toMatchObject({ settings: [{}, { source: 'profile default' }, {}, {}] });
  });
});

describe('config show', () => {
  it.each([
    ['http://user:a-password@service.example/api/v1', '…'],
    ['https://service.example/api/v1?token=a-token', '…'],
    ['service.example/api/v1', 'service.example/api/v1'],
  ])('prints the base URL %s as %s', async (value, shown) => {
    const { document } = await runCli(['config', 'show', '--json'], {
      env: { HOME: home, SERVICE_BASE_URL: value },
      cwd: home,
    });
    const setting = { name: 'baseUrl', value: shown, source: 'SERVICE_BASE_URL' };
    expect(document).toMatchObject({ settings: expect.arrayContaining([setting]) });
  });

  it('prints each setting with its source, and masks keys and secrets', async () => {
    write(userFile(), { profiles });
    const env = { HOME: home, SERVICE_SANDBOX_TOKEN: keepSecret('a-token-of-a-variable') };
    const { stdout } = await runCli(['config', 'show'], { env, cwd: home });
    expect(stdout.replaceAll(/ {2,}/g, '  ').split('\n')).toEqual([
      'name  value  source',
      'baseUrl  https://default.example/api/v1  profile default',
      'apiKey  service_test_…0000  profile default',
      'webhookSecret  -  -',
      'sandboxToken  …  SERVICE_SANDBOX_TOKEN',
      '',
      `user file: ${userFile()}`,
      '',
    ]);
    const argv = ['config', 'show', '--json', '--config-profile', 'staging', '--key-file', '-'];
    const { document } = await runCli(argv, { env, cwd: home });
    expect(document).toEqual({
      settings: [
        { name: 'baseUrl', value: 'https://staging.example/api/v1', source: 'profile staging' },
        { name: 'apiKey', value: '…', source: '--key-file' },
        { name: 'webhookSecret', value: '…', source: 'profile staging' },
        { name: 'sandboxToken', value: '…', source: 'SERVICE_SANDBOX_TOKEN' },
      ],
      user_file: userFile(),
    });
  });
});
