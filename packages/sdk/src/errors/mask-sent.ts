import { isRecord, parseJson } from '@service/internal';

/** Creates a function that masks the beneficiary's name and account of a request in a text of the service. */
export function createMask(json: string | undefined): (text: string) => string {
  const body = json === undefined ? undefined : parseJson(json);
  if (!isRecord(body)) return (text) => text;
  const patterns = [body.beneficiary_account, body.beneficiary_name].flatMap(toPatterns);
  return (text) => patterns.reduce((masked, pattern) => masked.replaceAll(pattern, '[masked]'), text);
}

/** Creates a pattern that also matches the value with other spaces and hyphens, as in account numbers. */
function toPatterns(value: unknown): RegExp[] {
  const characters = typeof value === 'string' ? Array.from(value.replaceAll(/[\s-]/g, '')) : [];
  if (characters.length === 0) return [];
  const text = characters
    .map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`))
    .join(String.raw`[\s-]*`);
  // A short name can be part of any word.
  const isShort = characters.length < 4;
  const pattern = isShort ? String.raw`(?<![\p{L}\p{N}])${text}(?![\p{L}\p{N}])` : text;
  return [new RegExp(pattern, 'giu')];
}
