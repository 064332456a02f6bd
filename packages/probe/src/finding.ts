import { redactKeys } from '@service/internal';
import type { ProfileSetting } from './generated/profile-setting.ts';

/** The text in place of an API key. */
export const REDACTED = 'service_test_[redacted]';

export type { ProfileSetting };

/** A setting, or a part of one such as `successStatus.createQuote`. `beside.*` has several parts. */
export type PartName = ProfileSetting | `${ProfileSetting}.${string}`;

/** The measured values by setting. The mock accepts them as `createMock({ profile })`. */
export type MeasuredProfile = object;

/**
 * The result for one setting. `found`: every observation agrees with `value`, also one that was not used to learn it.
 * `partly`: only a part is explained. `unknown`: not measured.
 */
export type Finding = {
  /** The name of the measured setting, such as `'successStatus'`. */
  readonly setting: ProfileSetting;
  /** The observation behind the result, or the reason for its lack and how to find out. */
  readonly evidence: string;
} & (
  | {
      /** Every observation agrees with `value`. */
      readonly state: 'found';
      /** The measured value. */
      readonly value: unknown;
    }
  | {
      /** Only a part of the behavior is explained. */
      readonly state: 'partly';
      /** The explained part, which is safe to use without the rest; absent if there is none. */
      readonly value?: unknown;
      /** What is not explained, by name. */
      readonly missing: readonly string[];
    }
  | {
      /** Not measured: without webhooks, payments or a response. */
      readonly state: 'unknown';
      /** The values that remain possible; absent if the run excluded none. */
      readonly among?: readonly unknown[];
    }
);

type Renamed<Result, Name> = Result extends unknown
  ? Omit<Result, 'setting'> & { readonly setting: Name }
  : never;

/** The result for a setting, or for a part of one. */
export type Part = Renamed<Finding, PartName>;

/** Creates the finding of a setting whose value was measured. */
export function found(setting: PartName, value: unknown, evidence: string): Part {
  return { setting, state: 'found', value, evidence };
}

/** Creates the finding of a setting of which a part is explained, or nothing without a value. */
export function partly(
  setting: PartName,
  missing: readonly string[],
  evidence: string,
  value?: unknown,
): Part {
  return { setting, state: 'partly', missing, evidence, ...(value !== undefined && { value }) };
}

/** Creates the finding of a template: `found` if it explains all fields. */
export function learned(
  setting: PartName,
  value: unknown,
  evidence: string,
  unexplained: readonly string[],
): Part {
  return unexplained.length === 0
    ? found(setting, value, evidence)
    : partly(setting, unexplained, evidence, value);
}

/** Creates the finding of a setting that no profile value describes. */
export function other(setting: PartName, evidence: string): Part {
  return partly(setting, [evidence], evidence);
}

/** Creates the finding of a setting that was not measured; the evidence is the reason. */
export function unknown(setting: PartName, evidence: string, among?: readonly unknown[]): Part {
  return { setting, state: 'unknown', evidence, ...(among && { among }) };
}

/** Joins the parts of each setting: it is found if all of them are. */
export function joinParts(parts: readonly Part[]): Finding[] {
  const names = [...new Set(parts.map(({ setting }) => setting.split('.')[0] as ProfileSetting))];
  return names.map((setting): Finding => {
    const own = parts.filter((part) => part.setting === setting || part.setting.startsWith(`${setting}.`));
    const [only] = own;
    if (only?.setting === setting) return { ...only, setting };
    const value: Record<string, unknown> = {};
    const missing = own.flatMap((part): readonly string[] => {
      const name = part.setting.slice(setting.length + 1);
      const isEmpty = 'value' in part && JSON.stringify(part.value) === '{}';
      if ('value' in part && !isEmpty)
        Object.assign(value, name === '*' ? part.value : { [name]: part.value });
      if (part.state === 'found') return [];
      const reasons = part.state === 'partly' ? part.missing : [`not measured: ${part.evidence}`];
      return reasons.map((reason) => withName(name, reason));
    });
    const evidence = own
      .map((part) => withName(part.setting.slice(setting.length + 1), part.evidence))
      .join('; ');
    if (missing.length === 0) return { setting, state: 'found', value, evidence };
    if (own.every(({ state }) => state === 'unknown')) return { setting, state: 'unknown', evidence };
    return { setting, state: 'partly', missing, evidence, value };
  });
}

/** Adds the name of a part of a setting to a text about it. `*` is the rest of the setting. */
function withName(part: string, text: string): string {
  return part === '*' ? text : `${part}: ${text}`;
}

/** Removes API keys from a finding: a service or proxy can echo the one of a request, also in what becomes a template. */
export function redactFinding(finding: Finding, key: string | undefined): Finding {
  const text = JSON.stringify(finding);
  return JSON.parse(redactKeys(key === undefined ? text : text.replaceAll(key, REDACTED))) as Finding;
}

/** The error of a request without a usable response. It makes the run incomplete. */
export class NoResponse extends Error {
  override readonly name: string = 'NoResponse';
}
