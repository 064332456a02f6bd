import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Fetch } from '@service/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../clock.ts';
import { modeOfKey, openClient, readSettings, type Settings } from '../config.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { maskKeys } from '../masking.ts';
import { parseDuration, parseWhole } from '../parse.ts';
import type { Bench, Plan } from '../probe/bench.ts';
import type { Finding } from '../probe/finding.ts';
import type { Inbox } from '../probe/inbox.ts';
import type { Probed } from '../probe/probe.ts';
import { type ProfileFile, readProfileFile } from '../profile-file.ts';
import type { Act, Handler, Session } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';
import { UsageError } from '../usage-error.ts';

/** Adds `probe`: finds out what a service does where its document leaves that open (contract.md 8). */
export function addProbe(program: Command, act: Act): void {
  addSecretFile(program.command('probe'))
    .description('Find out the profile of a service: what it does where its document leaves that open.')
    .option('--from <currency>', 'currency to send', toCode, 'USD')
    .option('--to <currency>', 'currency to receive', toCode, 'EUR')
    .option('--amount <amount>', 'amount of each test payment', toAmount, '10.00')
    .option('--name <name>', 'beneficiary', 'Probe')
    .option('--failing <account>', 'beneficiary account with which a payment fails', 'SIM-FAIL')
    .option(
      '--returning <account>',
      'beneficiary account with which a payment fails after it completed',
      'SIM-RETURN',
    )
    .option('--foreign-payment <id>', 'a payment of another account, to see how it is refused')
    .option('--burst <requests>', 'send up to so many to meet the rate limit', parseWhole(0, 10_000), 0)
    .option('--timeout <span>', 'watch each payment for so long (default: 60s)', parseDuration)
    .option('--no-payments', 'create no test payments: their settings stay unknown')
    .addOption(
      new Option('--sandbox', 'have service-cli mock send the webhooks of the key here').conflicts('listen'),
    )
    .option(
      '--listen <port>',
      'receive webhooks at this port of this machine, where the endpoint of the service leads',
      parseWhole(1, 65_535),
    )
    .option('--webhook-timeout <span>', 'wait for each webhook for so long (default: 30s)', parseDuration)
    .option('--save <file>', 'write the settings that were found as JSON, for mock --profile')
    .option('--expect <file>', 'exit 1 when the service does otherwise than the settings in this file')
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli probe --save profile.json && service-cli mock --profile profile.json',
    )
    .action(act(runProbe));
}

type Options = Omit<Plan, 'foreign' | 'patience' | 'webhookPatience'> & {
  readonly foreignPayment?: string;
  readonly timeout?: number;
  readonly sandbox?: true;
  readonly listen?: number;
  readonly secretFile?: string;
  readonly webhookTimeout?: number;
  /** False with `--no-payments`. */
  readonly payments: boolean;
  readonly save?: string;
  readonly expect?: string;
};

const runProbe: Handler<readonly [], Options> = async (session, { options }) => {
  const { output, environment } = session;
  const settings = await readSettings(session);
  const client = await openClient(settings);
  if (modeOfKey(settings.apiKey) === 'live')
    throw new UsageError('probe creates payments to look at them: it takes a test key only.');
  const expected = options.expect === undefined ? undefined : await readProfileFile(options.expect, session);
  if (expected !== undefined) await checkNames(expected);
  output.note(`Probing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  // What is wrong with the key or the address is told as every command tells it.
  await client.balance.retrieve({ signal: environment.signal });
  const { findings, isComplete } = await probeAll(session, settings, options);
  const report = toReport(findings, expected);
  if (output.json) await output.result({ base_url: settings.baseUrl, ...report }, []);
  else await output.result(undefined, ['', ...summarize(report, findings)]);
  if (options.save !== undefined) await save(options.save, report.profile);
  return toExitCode(report, isComplete);
};

/** Throws UsageError for a file that holds the service to nothing, or to a setting that nobody would look at. */
async function checkNames(expected: ProfileFile): Promise<void> {
  const { experiments } = await import('../probe/probe.ts');
  const known = new Set<string>(experiments.flatMap(({ settings }) => settings));
  const strange = Object.keys(expected).find((name) => !known.has(name));
  if (strange !== undefined)
    throw new UsageError(
      `${JSON.stringify(strange)} is no setting of a profile; there are ${[...known].join(', ')}.`,
    );
  if (Object.keys(expected).length === 0)
    throw new UsageError(
      'The file of --expect holds no setting, so nothing is expected; --save writes one that does.',
    );
}

/** Makes all experiments, with an inbox for webhooks where one was asked for, and shows each finding as it comes. */
async function probeAll(session: Session, settings: Settings, options: Options): Promise<Probed> {
  const { output } = session;
  const { openMailbox } = await import('../probe/mailbox.ts');
  const { probe } = await import('../probe/probe.ts');
  const { sandbox = false, listen, secretFile, payments } = options;
  const mailbox = await openMailbox(session, { key: settings.apiKey, sandbox, listen, secretFile });
  try {
    return await probe(await openBench(session, settings, { options, inbox: mailbox.inbox }), {
      pays: payments,
      onFinding: async (finding) => {
        if (!output.json) await output.result(undefined, [toLine(finding)]);
      },
    });
  } finally {
    await mailbox.close();
  }
}

type Means = { readonly options: Options; readonly inbox: Inbox | undefined };

async function openBench(
  { environment }: Session,
  settings: Settings,
  { options, inbox }: Means,
): Promise<Bench> {
  const { signal, clock = systemClock } = environment;
  const { foreignPayment: foreign, timeout: patience = 60_000, webhookTimeout = 30_000 } = options;
  const { createAsk, send } = await import('../probe/wire.ts');
  const fetch: Fetch = settings.fetch ?? ((request) => globalThis.fetch(request));
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const wire = { baseUrl, key: settings.apiKey, fetch, signal, sleep: clock.sleep, timeout: 30_000 };
  return {
    plan: { ...options, foreign, patience, webhookPatience: webhookTimeout },
    key: settings.apiKey,
    inbox,
    ask: createAsk(wire),
    askOnce: (path, question = {}) => send(wire, path, question),
    signal,
    ...clock,
  };
}

type Report = {
  readonly profile: ProfileFile;
  readonly findings: readonly Finding[];
  readonly differences?: readonly Difference[];
  /** Names the settings that were expected to be some way, and could not be told. */
  readonly unseen?: readonly string[];
};

type Difference = { readonly setting: string; readonly expected: unknown; readonly found: unknown };

function toReport(findings: readonly Finding[], expected: ProfileFile | undefined): Report {
  const profile = Object.fromEntries(
    findings.flatMap((finding) => (finding.state === 'found' ? [[finding.setting, finding.value]] : [])),
  );
  if (expected === undefined) return { profile, findings };
  const open = findings.filter(({ setting, state }) => state === 'unknown' && setting in expected);
  const unseen = open.map(({ setting }) => setting);
  return { profile, findings, differences: findDifferences(findings, expected), unseen };
}

/** Lists the settings that are otherwise than expected. */
function findDifferences(findings: readonly Finding[], expected: ProfileFile): Difference[] {
  return findings.flatMap((finding) => {
    const { setting, state } = finding;
    if (!(setting in expected) || state === 'unknown') return [];
    const found = state === 'found' ? finding.value : finding.evidence;
    const isSame = state === 'found' && isDeepStrictEqual(found, expected[setting]);
    return isSame ? [] : [{ setting, expected: expected[setting], found }];
  });
}

function toLine(finding: Finding): string {
  const { setting, state, evidence } = finding;
  const value = finding.state === 'found' ? show(finding.value) : '-';
  const among =
    finding.state === 'unknown' && finding.among ? `${finding.among.map(show).join(' or ')}; ` : '';
  return `${state.padEnd(7)}  ${setting.padEnd(16)}  ${value.padEnd(16)}  ${among}${evidence}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function summarize({ differences, unseen = [] }: Report, findings: readonly Finding[]): string[] {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const counts = `${findings.length} settings: ${count('found')} found, ${count('other')} other, ${count('unknown')} unknown`;
  if (differences === undefined) return [counts];
  const lines = [
    ...differences.map(
      ({ setting, expected, found }) =>
        `DIFFERS  ${setting}: expected ${show(expected)}, found ${show(found)}`,
    ),
    ...unseen.map((setting) => `UNSEEN   ${setting}: expected, and could not be told`),
  ];
  return [counts, ...(lines.length === 0 ? ['As expected.'] : lines)];
}

async function save(path: string, profile: ProfileFile): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(`The profile was found and cannot be written to ${JSON.stringify(path)}: ${code}.`);
  }
}

/** A difference is certain; what was not seen is not known to be as before. */
function toExitCode({ differences = [], unseen = [] }: Report, isComplete: boolean): ExitCode {
  if (differences.length > 0) return exitCodes.refused;
  return isComplete && unseen.length === 0 ? exitCodes.ok : exitCodes.unknown;
}

function toCode(text: string): string {
  if (/^[A-Za-z]{3}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('Write a currency of three letters, such as USD.');
}

function toAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text) && /[1-9]/.test(text)) return text;
  throw new InvalidArgumentError('Write an amount above 0 with at most 2 decimals, such as 1.00.');
}
