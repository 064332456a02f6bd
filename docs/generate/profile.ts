// The reference of the sandbox: each profile setting with its observed effects, and tables of operations, settings, faults
// and magic values.
import type { Profile } from '@service/mock';
import { profileSettings } from '../../packages/internal/src/profile.ts';
import { settingDocs, settingGroups } from '../../packages/internal/src/profile-docs/index.ts';
import { magicValues } from '../../packages/mock/src/domain/outcome.ts';
import { deliveryFaultKinds, faultKinds } from '../../packages/mock/src/domain/fault.ts';
import { formatValues } from '../../scripts/generate-profiles.ts';
import { toAnchor } from '../../scripts/language/anchors.ts';
import { readServiceDocument } from './http-api.ts';
import { formatBlock, formatCode, formatTable, type Pages } from './markdown.ts';
import { compare, type Difference, type Observation, WEBHOOK } from './observation.ts';
import { observeProfile } from './observe.ts';
import { type Arrival, observeFault, observeLife } from './observe-faults.ts';
import { listRoutes } from './openapi.ts';
import { linkSetting } from './openapi-page.ts';
import { operationIds } from './sandbox-calls.ts';

/** A value of a setting, and its differences from the default. */
export interface ObservedValue {
  readonly value: unknown;
  readonly differences: readonly Difference[];
}

type SettingName = keyof Profile;
const settingNames = Object.keys(settingDocs) as SettingName[];

/** Returns the values of a setting that are not its default: those of a list, and the example. */
export function listOtherValues(name: SettingName): readonly unknown[] {
  const { example } = settingDocs[name];
  const [, ...others]: readonly unknown[] =
    (profileSettings as Readonly<Record<string, readonly unknown[]>>)[name] ?? [];
  return example === undefined ? others : [...others, example];
}

/** The values of each setting. */
export type Observed = ReadonlyMap<SettingName, readonly ObservedValue[]>;

/** Observes the sandbox with each value of each setting. */
export async function observeSettings(): Promise<Observed> {
  const before = await observeProfile({});
  const observed = new Map<SettingName, ObservedValue[]>();
  for (const name of settingNames) observed.set(name, await observeSetting(name, before));
  return observed;
}

/** Returns other settings without which a value has no effect. */
function listCompanions(name: SettingName, value: unknown): Partial<Profile> | undefined {
  if (name === 'hold') return { debitAt: 'completed' };
  if (name === 'returnRefund') return { refund: value === 'full' ? 'none' : 'full' };
  if (name === 'issues' || name === 'problems')
    return { refusals: { validation: { body: { errors: ['{each issues}', '{issue}'] } } } };
  return undefined;
}

async function observeSetting(name: SettingName, usual: readonly Observation[]): Promise<ObservedValue[]> {
  const found: ObservedValue[] = [];
  for (const value of listOtherValues(name)) {
    const others = listCompanions(name, value);
    const before = others === undefined ? usual : await observeProfile(others);
    found.push({ value, differences: compare(before, await observeProfile({ ...others, [name]: value })) });
  }
  return found;
}

/** Returns the operations that a setting changes, and \`webhook\`, in the order of the reference. */
export function listOperations(values: readonly ObservedValue[]): string[] {
  const found = new Set(values.flatMap(({ differences }) => differences.map(({ operation }) => operation)));
  return [...operationIds, WEBHOOK].filter((operation) => found.has(operation));
}

/** Generates both pages. */
export async function generateProfile(observed: Observed): Promise<Pages> {
  return new Map([
    ['profile', formatProfile(observed)],
    ['sandbox', await formatSandbox(observed)],
  ]);
}

function formatProfile(observed: Observed): string {
  const groups = settingGroups.map((group) => {
    const names = settingNames.filter((name) => settingDocs[name].group === group);
    return `## ${group}\n\n${names.map((name) => formatSetting(name, observed.get(name) ?? [])).join('')}`;
  });
  return `# Profile settings in detail

The effects of each [profile setting](/mock/profiles), observed with a sandbox: a request with the default, and the same request with
another value. A row has the first difference of the operations at its end.

${groups.join('')}`;
}

function formatSetting(name: SettingName, values: readonly ObservedValue[]): string {
  const { description, example } = settingDocs[name];
  const rows = values.flatMap(({ value, differences }) =>
    [...groupDifferences(differences)].map(([difference, operations]) => [
      formatObserved(name, value),
      difference.title,
      formatFact(difference),
      operations.map(linkOperation).join(', '),
    ]),
  );
  return `### ${name}

${capitalize(description).replaceAll(/\]\(([\w-]+)\.md\)/g, '](/mock/$1)')}.

Values: ${formatValues(name)}.

${example === undefined ? '' : formatBlock('json', JSON.stringify({ [name]: example }, null, 2))}${formatTable(['value', 'request', 'difference', 'operations'], rows)}`;
}

/** Returns the first difference of each operation with the operations that have the same one. */
function groupDifferences(differences: readonly Difference[]): Map<Difference, string[]> {
  const found = new Map<Difference, string[]>();
  for (const [operation, [first]] of Map.groupBy(differences, (each) => each.operation)) {
    if (first === undefined) continue;
    const same = [...found.keys()].find((other) => hasSameEffect(other, first));
    if (same === undefined) found.set(first, [operation]);
    else found.get(same)?.push(operation);
  }
  return found;
}

const hasSameEffect = (one: Difference, other: Difference): boolean =>
  one.title === other.title &&
  one.fact === other.fact &&
  one.before === other.before &&
  one.after === other.after;

/** Formats a value in a table. The reference of a setting shows its example. */
const formatValue = (value: unknown): string => (typeof value === 'object' ? 'example' : formatCode(value));

function formatObserved(name: SettingName, value: unknown): string {
  const others = listCompanions(name, value);
  const conditions = Object.entries(others ?? {}).map(([key, each]) =>
    formatCode(`${key}: ${typeof each === 'string' ? each : JSON.stringify(each)}`),
  );
  return [formatValue(value), ...conditions].join(' with ');
}

const capitalize = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** Formats a difference: its fact, the value with the default and the other value. */
function formatFact({ fact, before, after }: Difference): string {
  return `${formatCode(fact)}: ${formatFactValue(before)} → ${formatFactValue(after)}`;
}

const MAX_VALUE = 60;

function formatFactValue(value: string | undefined): string {
  if (value === undefined) return 'absent';
  return formatCode(value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value);
}

const summaries = new Map(
  listRoutes(readServiceDocument()).map(({ path, operation: { operationId, summary } }) => [
    path === undefined ? WEBHOOK : operationId,
    summary,
  ]),
);

function linkOperation(operation: string): string {
  return `[${formatCode(operation)}](/reference/http-api#${toAnchor(summaries.get(operation) ?? '')})`;
}

async function formatSandbox(observed: Observed): Promise<string> {
  const operations = [...operationIds, WEBHOOK];
  const settings = settingNames.map((name) => {
    const values = observed.get(name) ?? [];
    const cells = operations.map((operation) =>
      values
        .filter(({ differences }) => differences.some((each) => each.operation === operation))
        .map(({ value }) => formatValue(value))
        .join(' '),
    );
    return [linkSetting(name), ...cells];
  });
  return `# Sandbox matrix

Each table was observed with a sandbox. A cell of a setting has the values that change the operation, \`example\` those of an object or a list.

## Settings by operation

${formatTable(['setting', ...operations.map(linkOperation)], settings)}## Faults by operation

The response of a valid request with a [request fault](/mock/faults#request-faults): \`status\` with 503, \`latency\` with 1 ms, the others with
their defaults.

${formatTable(['kind', ...operationIds.map(linkOperation)], await listFaultRows())}## Delivery faults

The events of a payment with a [delivery fault](/mock/faults#delivery-faults) of \`payment.processing\`, in the order of their arrival, with the
time after the create. \`delay\` is 30 s.

${formatTable(['kind', 'events'], await listDeliveryRows())}## Magic values

The payment of a create with a [magic value](/mock/magic-values) as \`beneficiary_account\`.

${formatTable(['value', 'response', 'statuses', 'events'], await listMagicRows())}`;
}

async function listFaultRows(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const kind of faultKinds) {
    const cells: string[] = [];
    for (const operation of operationIds) cells.push(await observeFault(kind, operation));
    rows.push([formatCode(kind), ...cells]);
  }
  return rows;
}

async function listDeliveryRows(): Promise<string[][]> {
  const rows: string[][] = [['none', formatArrivals((await observeLife('SIM-OK')).arrivals)]];
  for (const kind of deliveryFaultKinds)
    rows.push([formatCode(kind), formatArrivals((await observeLife('SIM-OK', kind)).arrivals)]);
  return rows;
}

async function listMagicRows(): Promise<string[][]> {
  const rows: string[][] = [];
  for (const value of magicValues) {
    const { response, statuses, arrivals, isEventFirst } = await observeLife(value);
    const first = isEventFirst ? ', after the first event' : '';
    rows.push([formatCode(value), `${response}${first}`, statuses.join(', '), formatArrivals(arrivals)]);
  }
  return rows;
}

function formatArrivals(arrivals: readonly Arrival[]): string {
  return arrivals
    .map(
      ({ status, second, isAuthentic }) =>
        `${status} at ${second} s${isAuthentic ? '' : ' (wrong signature)'}`,
    )
    .join(', ');
}
