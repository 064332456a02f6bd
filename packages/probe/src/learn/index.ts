// Learns the settings of a profile from exchanges, of a run of the probe or of an application.
import { findTemplateProblems, type Template, type TemplateNames, templatePlaces } from '@service/internal';
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

/** The values that the templates of a setting may use. */
const places: Readonly<Record<string, TemplateNames>> = {
  ...templatePlaces,
  errorShape: templatePlaces.refusal,
  issues: templatePlaces.issue,
  pagination: templatePlaces.page,
  refusals: templatePlaces.refusal,
  transactionShape: templatePlaces.row,
};

/** Returns the finding, or `unknown` if the mock would reject its value. */
function rejectInvalid(finding: Finding): Finding {
  if (!('value' in finding)) return finding;
  const { setting, value, evidence } = finding;
  const names = places[setting];
  const [problem] = names ? findTemplateProblems(value as Template, names, setting) : [];
  const reason = `learned a template that a profile cannot have, ${problem}; ${evidence}`;
  return problem === undefined ? finding : { setting, state: 'unknown', evidence: reason };
}
