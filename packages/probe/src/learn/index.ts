// Learns the settings of a profile from exchanges, of a run of the probe or of an application.
import {
  errorNames,
  findTemplateProblems,
  headerNames,
  isRecord,
  pageNames,
  type Template,
  type TemplateNames,
  templatePlaces,
  toRecord,
} from '@service/internal';
import type { Exchange } from '../exchange.ts';
import {
  type Finding,
  joinParts,
  type MeasuredProfile,
  type PartName,
  type ProfileSetting,
  redactFinding,
  unknown,
} from '../finding.ts';
import { type Facts, readTraffic } from '../traffic.ts';
import { learnHistory } from './history.ts';
import { learnMoney } from './money.ts';
import { learnRefusals } from './refusals.ts';
import { learnRules } from './rules.ts';
import { learnCommonHeaders, learnEnvelope, learnResponseHeaders, learnShapes } from './shapes.ts';
import { learnStatuses, watchPayments } from './statuses.ts';
import { learnWallet } from './wallet.ts';
import { learnWebhooks } from './webhooks.ts';

/** The settings that are not measured: a profile has them only if somebody writes them. */
const unmeasured: readonly PartName[] = [
  'deliveryFaults',
  'durations',
  'headers.event',
  'latency',
  'problems',
];

/** Learns the settings that exchanges show. Each setting has one finding. */
export function learnFindings(exchanges: readonly Exchange[], facts: Facts, key?: string): Finding[] {
  const traffic = readTraffic(exchanges, facts);
  const watched = watchPayments(traffic);
  const headers = learnCommonHeaders(traffic);
  const envelope = learnEnvelope(traffic);
  const findings = [
    ...learnRules(traffic),
    ...learnMoney(traffic),
    ...learnWallet(traffic, watched),
    ...learnStatuses(traffic, watched),
    ...learnShapes(traffic, envelope),
    learnResponseHeaders(traffic, headers),
    ...learnHistory(traffic, envelope),
    ...learnWebhooks(traffic),
    ...learnRefusals(traffic, headers),
    ...unmeasured.map((name) => unknown(name, `write \`${name}\` into the profile by hand`)),
  ];
  const isAnswered = traffic.calls.some(({ response }) => response.accepted);
  return joinParts(findings).map((finding) =>
    isAnswered
      ? rejectInvalid(redactFinding(finding, key))
      : { setting: finding.setting, state: 'unknown', evidence: 'the service accepted no request' },
  );
}

/** The settings that are of the account and the time of a recording, rather than of the service. */
const ofRun: ReadonlySet<ProfileSetting> = new Set(['wallets', 'rates']);

/** Learns the settings of a recording. Has no finding for a setting that it does not decide. */
export function learnProfile(exchanges: readonly Exchange[]): Finding[] {
  return learnFindings(exchanges, {}).filter(
    ({ setting, state }) => state !== 'unknown' && !ofRun.has(setting),
  );
}

/** Returns the values that were found, and the explained parts of others. */
export function toProfile(findings: readonly Finding[]): MeasuredProfile {
  return Object.fromEntries(
    findings.flatMap((finding) => ('value' in finding ? [[finding.setting, finding.value] as const] : [])),
  );
}

/** Returns the finding, or `unknown` if the mock would reject its value. */
function rejectInvalid(finding: Finding): Finding {
  if (!('value' in finding)) return finding;
  const { setting, value, evidence } = finding;
  const [problem] = listTemplates(setting, value).flatMap(([template, names]) =>
    template === undefined ? [] : findTemplateProblems(template as Template, names, setting),
  );
  return problem === undefined
    ? finding
    : {
        setting,
        state: 'unknown',
        evidence: `learned a template that a profile cannot have, ${problem}; ${evidence}`,
      };
}

type Placed = readonly [template: unknown, names: TemplateNames];

function listRefusal(refusal: unknown): Placed[] {
  return [
    [toRecord(refusal).body, templatePlaces.refusal],
    [toRecord(refusal).headers, { names: errorNames }],
  ];
}

/** Returns the templates of a setting with the values that they may use. */
function listTemplates(
  setting: string,
  value: unknown,
): (readonly [template: unknown, names: TemplateNames])[] {
  const parts = Object.entries(toRecord(value));
  if (setting === 'transactionShape' && Array.isArray(value))
    return value.map((each) => [toRecord(each).row, templatePlaces.row]);
  if (setting === 'headers') return parts.map(([name, each]) => [each, { names: headerNames[name] ?? [] }]);
  if (setting === 'beside') return parts.map(([, each]) => [each, templatePlaces.beside]);
  if (setting === 'issues') return parts.map(([, each]) => [each, templatePlaces.issue]);
  if (setting === 'refusals') return parts.flatMap(([, refusal]) => listRefusal(refusal));
  if (setting === 'errorShape') return listRefusal(value);
  if (setting === 'pagination') {
    const { data, beside, headers } = toRecord(value);
    return [
      [data, templatePlaces.page],
      [beside, templatePlaces.page],
      [headers, { names: pageNames }],
    ];
  }
  const places: Readonly<Record<string, TemplateNames>> = templatePlaces;
  const names = places[setting];
  return isRecord(value) && names !== undefined ? [[value, names]] : [];
}
