import { isRecord, parseJson } from '../values/json.ts';

/** Returns a function that replaces the beneficiary name and account number of a request in a text of the service. */
export function createMask(json: string | undefined): (text: string) => string {
  const body = json === undefined ? undefined : parseJson(json);
  if (!isRecord(body)) return (text) => text;
  const patterns = [body.beneficiary_account, body.beneficiary_name].flatMap(toPatterns);
  return (text) => patterns.reduce((masked, pattern) => masked.replaceAll(pattern, '[masked]'), text);
}

/** Returns the pattern of a value, also with other blanks and hyphens, as account numbers are often written. */
function toPatterns(value: unknown): RegExp[] {
  const characters = typeof value === 'string' ? Array.from(value.replaceAll(/[\s-]/g, '')) : [];
  if (characters.length === 0) return [];
  const text = characters
    .map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`))
    .join(String.raw`[\s-]*`);
  // A short name can be a part of any word.
  const isShort = characters.length < 4;
  const pattern = isShort ? String.raw`(?<![\p{L}\p{N}])${text}(?![\p{L}\p{N}])` : text;
  return [new RegExp(pattern, 'giu')];
}
