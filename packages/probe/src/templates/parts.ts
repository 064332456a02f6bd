import { listPlaceholders, type ObjectTemplate, type Template, toRecord } from '@service/internal';
import { type DefaultForms, signs } from './known.ts';
import type { Sample } from './sample.ts';

/** The fields of an object with an amount: one with its whole number, and one with its fraction of some digits. */
export interface AmountParts {
  readonly whole: string;
  readonly fraction: string;
  readonly digits: number;
}

/** The numbers of digits that fractions have. */
const DIGITS = [2, 3, 6, 9] as const;
const ONE = 1_000_000n;

/**
 * Learns the two fields of objects that write a known amount as a whole number and a fraction. A fraction of 0 in all samples
 * shows nothing, unless other samples have shown its field.
 */
export function learnParts(
  samples: readonly Sample[],
  { parts: given }: Pick<DefaultForms, 'parts'>,
): ObjectTemplate | undefined {
  const names = Object.keys(toRecord(samples[0]?.json));
  const amounts = Object.keys(samples[0]?.known ?? {});
  for (const amount of amounts)
    for (const { words, of } of signs) {
      const shown = samples.flatMap(({ json, known: { [amount]: known } }) =>
        known?.kind === 'amount' ? [{ json: toRecord(json), micro: of(known.micro) }] : [],
      );
      if (shown.length < samples.length) break;
      const isField = (name: string, partOf: (micro: bigint) => bigint): boolean =>
        shown.every(({ json, micro }) => readWhole(json[name]) === partOf(micro));
      const whole = names.find((name) => isField(name, (micro) => micro / ONE));
      if (whole === undefined || (given === undefined && shown.every(({ micro }) => micro % ONE === 0n)))
        continue;
      const fraction = DIGITS.flatMap((digits) =>
        names
          .filter((name) => isField(name, (micro) => ((micro % ONE) * 10n ** BigInt(digits)) / ONE))
          .map((name) => ({ whole, fraction: name, digits })),
      ).find((each) => each.fraction !== whole && (given === undefined || isSame(each, given)));
      if (fraction === undefined) continue;
      const write = (name: string, form: string): [string, string] => {
        const text = typeof shown[0]?.json[name] === 'string' ? ['text'] : [];
        return [name, `{${[amount, ...words, form, ...text].join(' ')}}`];
      };
      return Object.fromEntries([
        write(whole, 'whole'),
        write(fraction.fraction, `fraction=${fraction.digits}`),
      ]);
    }
  return undefined;
}

function isSame(one: AmountParts, other: AmountParts): boolean {
  return one.whole === other.whole && one.fraction === other.fraction && one.digits === other.digits;
}

function readWhole(value: unknown): bigint | undefined {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && /^-?\d+$/.test(String(value)) ? BigInt(value) : undefined;
}

/** Returns the fields of the parts of amounts in a template. */
export function readParts(template: Template): AmountParts | undefined {
  const found = listPlaceholders(template).map(({ path, words }) => ({
    name: path.split('.').at(-1) ?? '',
    words,
  }));
  const whole = found.find(({ words }) => words.includes('whole'))?.name;
  const [fraction] = found.flatMap(({ name, words }) =>
    words.flatMap((word) => (word.startsWith('fraction=') ? [{ name, digits: Number(word.slice(9)) }] : [])),
  );
  if (whole === undefined || fraction === undefined) return undefined;
  return { whole, fraction: fraction.name, digits: fraction.digits };
}
