import type { JsonObject } from '@service/internal';
import { createMock, defaultProfile } from '@service/mock';
import {
  compareProfile,
  type Finding,
  probe,
  type ProbeResult,
  type ProfileComparison,
  type ProfileSetting,
  type WebhookSource,
} from '@service/probe';
import { listenForWebhooks } from '@service/probe/node';
import { InvalidArgumentError } from 'commander';
import { defineCommand, flag, offSwitch, preset, toFlag, value, type ValuesOf } from '../command.ts';
import { modeOfKey, openClient, readSettings, requireSecret, type Settings } from '../config.ts';
import { configure, createAddressError, UsageError } from '../errors.ts';
import { checkStdin, readProfileFile } from '../input.ts';
import { type StepReport, toJUnit } from '../junit.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import { parseWhole, secretFile } from '../parse.ts';
import { setTemporaryEndpoint, type TemporaryEndpoint } from '../sandbox/temporary-endpoint.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session } from '../session.ts';
import { type Cell, type Line, type Terminal, toRow, toStatus } from '../terminal.ts';

const input = {
  from: preset('<currency>', 'currency to send', 'USD', toCode),
  to: preset('<currency>', 'currency to receive', 'EUR', toCode),
  amount: preset('<amount>', 'amount of each test payment', '10.00', toAmount),
  failing: preset('<accounts>', 'accounts whose payments do not complete, with commas', 'SIM-FAIL', toList),
  foreign: value('<payments>', 'ids of payments of another account, with commas', toList),
  payments: offSwitch('create no test payments; their settings remain unknown'),
  sandbox: flag('receive the webhooks of a running service-cli mock', { conflicts: ['listen'] }),
  listen: value('<port>', 'port that the webhook endpoint of the service leads to', parseWhole(1, 65_535)),
  secretFile,
  verbose: flag('print each setting with its evidence before the summary'),
  save: value('<file>', 'write the settings as JSON, for mock --profile'),
  expect: value(
    '<file>',
    'print only what differs from the settings in this file, and exit 1 if something does',
  ),
  junit: value('<file>', 'write each expected setting as a case of JUnit XML'),
};

/** The options of `probe`. */
type Options = ValuesOf<typeof input>;

/** Defines `probe`, which measures the profile settings of a service (docs/contract.md#profile-settings). */
export const probeCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: 'Example:\n  $ service-cli probe --save profile.json && service-cli mock --profile profile.json',
  run: runProbe,
});

function toCode(text: string): string {
  if (/^[A-Za-z]{3}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('Write a currency of three letters, such as USD.');
}

function toList(text: string): string {
  if (text.split(',').every((part) => part.trim() !== '')) return text;
  throw new InvalidArgumentError('A part of the list is empty. Is a variable of the shell not set?');
}

const split = (text: string): readonly string[] => text.split(',').map((part) => part.trim());

function toAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text) && /[1-9]/.test(text)) return text;
  throw new InvalidArgumentError('Write an amount above 0 with at most 2 decimals, such as 1.00.');
}

async function runProbe(session: Session, options: Options): Promise<ExitCode> {
  const { output } = session;
  checkOptions(options);
  checkStdin([session.globals().keyFile, options.secretFile, options.expect]);
  const settings = await readSettings(session);
  // Checks the key and the base URL, which are printed below.
  await openClient(settings);
  if (modeOfKey(settings.apiKey) === 'live')
    throw new UsageError('probe creates payments, so it accepts only a test key (service_test_…).');
  const expected = await readExpected(session, options);
  await checkFolder('--save', options.save);
  await checkFolder('--junit', options.junit);
  output.note(`Probing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  const { profile, isComplete, ...result } = await probeService(session, settings, options);
  const findings = result.findings.map(toCliFinding);
  const comparison = expected && compareProfile(findings, expected);
  const table = options.verbose ? toTable(findings, output.terminal) : [];
  const document = { base_url: settings.baseUrl, profile, findings, ...comparison };
  await output.result(document, [
    ...table,
    ...(comparison ? toComparisonLines(comparison) : summarize(findings)),
  ]);
  const { save, junit } = options;
  if (save !== undefined && isComplete)
    await writeReport('--save', save, `${JSON.stringify(profile, null, 2)}\n`);
  if (junit !== undefined && expected && comparison)
    await writeReport(
      '--junit',
      junit,
      maskKeys(toJUnit(toCases(findings, expected, comparison), 'service-cli probe')),
    );
  // An incomplete profile must not replace a complete one.
  const unsaved = save === undefined ? '' : ` Nothing was written to ${JSON.stringify(save)}.`;
  if (!isComplete)
    output.note(`The probe is incomplete: it was interrupted, or a response was missing.${unsaved}`);
  const { differences = [], unmeasured = [] } = comparison ?? {};
  if (differences.length > 0) return exitCodes.refused;
  return isComplete && unmeasured.length === 0 ? exitCodes.ok : exitCodes.unknown;
}

/**
 * Checks the options that need another one.
 *
 * @throws {UsageError} when one has no effect.
 */
function checkOptions({ listen, secretFile: path, junit, expect }: Options): void {
  if (path !== undefined && listen === undefined)
    throw new UsageError('--secret-file requires --listen; with --sandbox the mock returns its own secret.');
  if (junit !== undefined && expect === undefined) throw new UsageError('--junit requires --expect.');
}

/**
 * Reads the expected profile.
 *
 * @throws {UsageError} when the file has no settings, or settings that no profile has.
 */
async function readExpected(session: Session, { expect }: Options): Promise<JsonObject | undefined> {
  if (expect === undefined) return undefined;
  const expected = await readProfileFile(expect, session, '--expect');
  if (Object.keys(expected).length === 0) {
    throw new UsageError('The file of --expect contains no settings. Create one with --save.');
  }
  // The mock validates the settings and values of a profile.
  await configure(() => createMock({ profile: expected }), '--expect');
  return expected;
}

/** Runs the probe, with a webhook listener if one was requested, and shows what is measured. */
async function probeService(session: Session, settings: Settings, options: Options): Promise<ProbeResult> {
  const { signal, clock, output } = session;
  const {
    sandbox,
    listen,
    secretFile: path,
    save: _,
    expect: __,
    verbose: ___,
    junit: ____,
    ...probeOptions
  } = options;
  const isListening = sandbox === true || listen !== undefined;
  let endpoint: TemporaryEndpoint | undefined;
  const readSecret = async (url: URL): Promise<string> => {
    if (sandbox !== true) return requireSecret(session, path);
    endpoint = await setTemporaryEndpoint(session, settings.apiKey, url, undefined);
    return endpoint.secret;
  };
  const { note } = output;
  const source = listenForWebhooks({
    port: listen,
    secret: readSecret,
    onListening: ({ href }) => note(`Listening for webhooks at ${href}.`),
    onRejected: ({ message }) => note(`Rejected a webhook: ${message}`),
    onWarning: ({ message }) => note(`warning: ${message}`),
  });
  const receiveWebhooks: WebhookSource = (sink) =>
    source(sink).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error;
      throw createAddressError({ host: '127.0.0.1', port: listen ?? 0 }, error, PORT_ADVICE);
    });
  let done = 0;
  let subjects: readonly string[] = [];
  const { apiKey, baseUrl, allowInsecureHttp, fetch, onWarning } = settings;
  const connection = { apiKey, baseUrl, allowInsecureHttp, fetch, onWarning };
  const run = (): Promise<ProbeResult> =>
    probe(connection, {
      ...probeOptions,
      failing: split(probeOptions.failing),
      foreign: probeOptions.foreign === undefined ? [] : split(probeOptions.foreign),
      webhooks: isListening ? receiveWebhooks : undefined,
      onProgress: (present) => {
        done = Math.min(done + 1, total);
        subjects = present;
      },
      signal,
      clock,
    });
  try {
    return await output.wait(() => ({ text: 'Measuring', details: subjects, done, total }), run);
  } finally {
    await endpoint?.restore();
  }
}

/** The number of steps of a run of the probe, and of its waits. */
const total = 20;

const PORT_ADVICE = 'The endpoint of the service points to this port, so stop the process that uses it.';

/** Formats each finding as a row: one line, and more on a narrow terminal. */
function toTable(findings: readonly Finding[], terminal: Terminal): Line[] {
  const rows = findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    const found = 'value' in finding ? formatSetting(finding.value) : '-';
    const missing = state === 'partly' ? `open: ${finding.missing.join(', ')}; ` : '';
    // An example has several lines; `--save` and `--json` contain it.
    const column = /^[[{]/.test(found) && found.length > VALUE_WIDTH ? 'example' : found;
    const cells: Cell[] = [
      [toStatus(state, terminal), terminal.isTTY ? 9 : 7],
      [setting, 16],
      [column, VALUE_WIDTH],
    ];
    return toRow(cells, `${missing}${evidence}`, terminal);
  });
  const heading: Line = [
    { text: 'state      setting           value             evidence', style: 'strong' },
  ];
  return [...(terminal.isTTY ? [heading] : []), ...rows, ''];
}

const VALUE_WIDTH = 16;

function formatSetting(setting: unknown): string {
  const isList = Array.isArray(setting) && setting.every((item) => typeof item === 'string');
  return isList ? setting.join(',') : typeof setting === 'string' ? setting : JSON.stringify(setting);
}

/** What an application does about a service that differs from the document. Other settings change no application. */
const advice: { readonly [Name in ProfileSetting]?: string } = {
  successStatus: 'Accept every 2xx, as the SDK does.',
  absent: 'Read null, an absent field and empty text alike.',
  numbers: 'Keep amounts as decimal text; never add doubles.',
  timestamps: 'Parse times with an ISO 8601 parser, not with a fixed pattern.',
  refusals: 'Decide by the class of the error of the SDK, not by status and text.',
  readLag: 'Set `readLag` of the client to the longest of these times.',
  paths: 'Request the documented paths exactly.',
  requestBody: 'Send JSON as application/json with documented fields only.',
  amounts: 'Check limits and decimals before a create, and show the refusal.',
  currencies: 'Offer only these currencies, in upper case.',
  idempotency: 'Set `keyRetention` of the client only if keys are replayed.',
  minorUnits: 'Format each currency with the decimals that the service sends.',
  rounding: 'Show the amounts of the service; never recompute them.',
  fees: 'Show the fee of a quote before a payment; never compute it.',
  wallets: 'Read the balances before a payment; do not assume a currency.',
  debitAt: 'Do not rely on the balance as a limit before this status.',
  refund: 'After a failure, read the balance instead of assuming a refund.',
  statuses: 'Wait for a final status, whatever comes before it.',
  outcomes: 'Use these accounts to test failures.',
  rows: 'Reconcile with the rows as they are: one payment can leave several.',
  pagination: 'Follow the next page as the SDK reads it.',
  listQuery: 'Check the size of a page, filters and the order yourself.',
  events: 'Poll the payment for statuses that send no event.',
};

/** The most lines of a summary. */
const [MAX_DIFFERENCES, MAX_OPEN] = [18, 16];

/** Formats what differs from the document and changes an application, with what to do, and then what is open. */
function summarize(findings: readonly Finding[]): Line[] {
  const of = (state: Finding['state']): readonly Finding[] =>
    findings.filter((finding) => finding.state === state);
  const [found, partly, unknown] = [of('found'), of('partly'), of('unknown')];
  const { differences } = compareProfile(findings, defaultProfile);
  const differing = differences.flatMap(({ setting, details }): string[] => {
    const sentence = advice[setting];
    const [detail = ''] = details;
    const more = details.length > 1 ? `, and ${details.length - 1} more` : '';
    return sentence === undefined ? [] : [`  ${setting}: ${shorten(detail)}${more}. ${sentence}`];
  });
  const open = partly.map(
    ({ setting, ...finding }) =>
      `  ${setting}: ${shorten('missing' in finding ? (finding.missing[0] ?? '') : '')}`,
  );
  return [
    `${findings.length} settings: ${found.length} found, ${partly.length} partly, ${unknown.length} unknown`,
    ...section('Differs from the document:', differing, MAX_DIFFERENCES),
    ...section('Open, because something contradicts or is missing:', open, MAX_OPEN),
    `Unknown: ${names(unknown)}.`,
    'Pass --verbose for each setting with its evidence, and how to find out what is unknown.',
  ];
}

function section(title: string, lines: readonly string[], most: number): string[] {
  if (lines.length === 0) return [];
  const rest = lines.length > most ? [`  and ${lines.length - most} more: pass --verbose`] : [];
  return [title, ...lines.slice(0, most), ...rest];
}

const names = (some: readonly Finding[]): string => some.map(({ setting }) => setting).join(', ') || 'none';

const LINE_WIDTH = 100;
const shorten = (text: string): string => (text.length > LINE_WIDTH ? `${text.slice(0, LINE_WIDTH)}…` : text);

/** Formats only what differs from the expected profile. */
function toComparisonLines({ differences, unmeasured }: ProfileComparison): Line[] {
  const lines = [
    ...differences.flatMap(({ setting, details }) =>
      details.map((detail): Line => [{ text: 'DIFFERS', style: 'bad' }, `  ${setting}: ${detail}`]),
    ),
    ...unmeasured.map((setting): Line => [
      { text: 'UNKNOWN', style: 'waiting' },
      `  ${setting}: expected, but not measured`,
    ]),
  ];
  return lines.length === 0 ? ['As expected.'] : lines;
}

/** Converts the expected settings to the cases of a JUnit file. */
function toCases(
  findings: readonly Finding[],
  expected: JsonObject,
  { differences, unmeasured }: ProfileComparison,
): StepReport[] {
  const relevant = findings.filter(({ setting }) => expected[setting] !== undefined);
  return relevant.map(({ setting, evidence }): StepReport => {
    const details = differences.find((one) => one.setting === setting)?.details;
    const status = details ? 'failed' : unmeasured.includes(setting) ? 'skipped' : 'ok';
    return { name: setting, status, detail: details?.join('; ') ?? evidence, duration_ms: 0 };
  });
}

/** The options of `@service/probe` that have another form on the command line. */
const probeTerms: Readonly<Record<string, string>> = {
  'payments: false': '--no-payments',
  webhooks: '--sandbox or --listen',
};

/** Replaces the options in the evidence of a finding with those of the command line. */
function toCliFinding(finding: Finding): Finding {
  const evidence = finding.evidence.replaceAll(
    /`([^`]+)`/g,
    (text, option: string) => probeTerms[option] ?? (Object.hasOwn(input, option) ? toFlag(option) : text),
  );
  return { ...finding, evidence };
}
