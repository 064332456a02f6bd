import type { ModelState } from './model-state.ts';

const int32 = /^\s*[+-]?\d+\s*$/;

/** Binds an `int` property. Adds a message and returns `defaultValue` if the value is not an `int`. */
export function bindInteger(
  modelState: ModelState,
  query: URLSearchParams,
  name: string,
  displayName: string,
  defaultValue: number,
): number {
  const text = query.get(name);
  if (text === null) return defaultValue;
  if (text.trim() === '') {
    modelState.add(name, `The value '${text}' is invalid.`);
    return defaultValue;
  }
  const value = Number(text);
  if (!int32.test(text) || value !== (value | 0)) {
    modelState.add(name, `The value '${text}' is not valid for ${displayName}.`);
    return defaultValue;
  }
  return value;
}

/** Binds a nullable enum property, by name without regard to case or by number. */
export function bindEnum<Name extends string>(
  modelState: ModelState,
  query: URLSearchParams,
  name: string,
  displayName: string,
  members: readonly Name[],
): Name | null {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return null;
  const member = /^\d+$/.test(text)
    ? members[Number(text)]
    : members.find((candidate) => candidate === text.toLowerCase());
  if (member === undefined) {
    modelState.add(name, `The value '${text}' is not valid for ${displayName}.`);
    return null;
  }
  return member;
}
