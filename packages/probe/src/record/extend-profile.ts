import { isRecord, type JsonObject, toRecord } from '@service/internal';
import { compareProfile, isSameValue } from '../compare.ts';
import type { Finding, ProfileSetting } from '../finding.ts';

/** A setting, or a part of one such as `refusals.rate_limit`, and the traffic that shows it. */
export interface ProfileEntry {
  /** The setting and its part, such as `refusals.rate_limit`. */
  readonly name: string;
  /** The value that the traffic shows. */
  readonly value: unknown;
  /** The observation behind the value. */
  readonly evidence: string;
}

/** A part of a profile that the traffic contradicts. The profile keeps its value. */
export interface Contradiction extends ProfileEntry {
  /** The value in the profile. */
  readonly kept: unknown;
}

/** A profile with the settings of a recording. */
export interface ExtendedProfile {
  /** All settings: the earlier ones, which did not change, and the added ones. */
  readonly profile: JsonObject;
  /** The settings that the profile did not have. */
  readonly added: readonly ProfileEntry[];
  /** The settings of the profile that differ from the traffic. */
  readonly contradictions: readonly Contradiction[];
}

/** Settings whose fields are learned one by one. */
const byField: ReadonlySet<string> = new Set<ProfileSetting>(['refusals', 'headers', 'durations', 'ids']);

/**
 * Adds the findings of a recording to a profile. A setting, a row template, a refusal or a duration that the profile has
 * stays, and is reported if the recording contradicts it.
 */
export function extendProfile(profile: JsonObject, findings: readonly Finding[]): ExtendedProfile {
  const extended: Record<string, unknown> = { ...profile };
  const added: ProfileEntry[] = [];
  const contradictions: Contradiction[] = [];
  for (const finding of findings) {
    if (finding.state !== 'found') continue;
    const { setting, value, evidence } = finding;
    const merged = mergeSetting(finding, profile[setting]);
    extended[setting] = merged.value;
    added.push(...merged.added.map((part) => ({ ...part, evidence })));
    contradictions.push(...merged.contradictions.map((part) => ({ ...part, evidence })));
    if (isEmpty(value) && profile[setting] === undefined) delete extended[setting];
  }
  return { profile: extended, added, contradictions };
}

interface Merged {
  readonly value: unknown;
  readonly added: readonly Omit<ProfileEntry, 'evidence'>[];
  readonly contradictions: readonly Omit<Contradiction, 'evidence'>[];
}

type Found = Extract<Finding, { readonly state: 'found' }>;

function mergeSetting(finding: Found, kept: unknown): Merged {
  const { setting, value } = finding;
  if (kept === undefined)
    return { value, added: isEmpty(value) ? [] : [{ name: setting, value }], contradictions: [] };
  if (setting === 'transactionShape' && Array.isArray(kept) && Array.isArray(value))
    return mergeRows(kept.map(toRecord), value.map(toRecord));
  if (byField.has(setting) && isRecord(kept) && isRecord(value)) return mergeFields(finding, kept, value);
  const isSame = isEqual(finding, kept);
  return { value: kept, added: [], contradictions: isSame ? [] : [{ name: setting, value, kept }] };
}

function mergeFields(finding: Found, kept: JsonObject, value: JsonObject): Merged {
  const { setting } = finding;
  const fields = Object.entries(value);
  const isNew = ([name]: [string, unknown]): boolean => kept[name] === undefined;
  const isContradicted = ([name, part]: [string, unknown]): boolean => {
    const own = kept[name];
    if (own === undefined) return false;
    const partial = { ...finding, value: { [name]: part } } as Found;
    return !isEqual(partial, { [name]: own });
  };
  return {
    value: { ...Object.fromEntries(fields.filter(isNew)), ...kept },
    added: fields.filter(isNew).map(([name, part]) => ({ name: `${setting}.${name}`, value: part })),
    contradictions: fields
      .filter(isContradicted)
      .map(([name, part]) => ({ name: `${setting}.${name}`, value: part, kept: kept[name] })),
  };
}

/** Adds the row templates of other kinds. The one of all other rows stays the last. */
function mergeRows(kept: readonly JsonObject[], learned: readonly JsonObject[]): Merged {
  const find = ({ of }: JsonObject): JsonObject | undefined => kept.find((each) => each.of === of);
  const more = learned.filter((template) => find(template) === undefined);
  const all = [...kept, ...more];
  return {
    value: [...all.filter((each) => !isAny(each)), ...all.filter(isAny)],
    added: more.map(({ of, row }) => ({ name: `transactionShape.${String(of)}`, value: row })),
    contradictions: learned.flatMap((template) => {
      const own = find(template);
      if (own === undefined || isSameValue(own.row, template.row)) return [];
      return [{ name: `transactionShape.${String(template.of)}`, value: template.row, kept: own.row }];
    }),
  };
}

function isAny({ of }: JsonObject): boolean {
  return of === 'any';
}

/** Compares a value of the profile with a finding, as `probe --expect` does. */
function isEqual(finding: Found, kept: unknown): boolean {
  return compareProfile([finding], { [finding.setting]: kept }).differences.length === 0;
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
