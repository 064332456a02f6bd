import { compareDecimals, formatDecimal, toMoney, type Decimal } from './decimal.ts';
import type { ModelState } from './model-state.ts';

export type ModelValue = string | Decimal | number | null;

/** Validation attribute: returns the message for an invalid value. Only `required` rejects null. */
export type ValidationAttribute = (value: ModelValue, displayName: string) => string | undefined;

export interface ValidatedProperty {
  /** Name of the .NET property, which messages show. */
  readonly displayName: string;
  readonly attributes: readonly ValidationAttribute[];
}

export const required: ValidationAttribute = (value, displayName) =>
  value === null || (typeof value === 'string' && value.trim() === '')
    ? `The ${displayName} field is required.`
    : undefined;

export function maxLength(length: number): ValidationAttribute {
  return (value, displayName) =>
    typeof value === 'string' && value.length > length
      ? `The field ${displayName} must be a string with a maximum length of ${length}.`
      : undefined;
}

export function regularExpression(pattern: string): ValidationAttribute {
  const expression = new RegExp(pattern);
  return (value, displayName) =>
    typeof value === 'string' && value !== '' && !expression.test(value)
      ? `The field ${displayName} must match the regular expression '${pattern}'.`
      : undefined;
}

export function range(minimum: Decimal, maximum: Decimal): ValidationAttribute {
  return (value, displayName) => {
    if (value === null || typeof value === 'string') return undefined;
    const decimal = typeof value === 'number' ? { units: BigInt(value), scale: 0 } : value;
    const isInside = compareDecimals(decimal, minimum) >= 0 && compareDecimals(decimal, maximum) <= 0;
    if (isInside) return undefined;
    return `The field ${displayName} must be between ${formatDecimal(minimum)} and ${formatDecimal(maximum)}.`;
  };
}

export const twoDecimalPlaces: ValidationAttribute = (value, displayName) =>
  value !== null && typeof value === 'object' && toMoney(value) === undefined
    ? `The field ${displayName} must have at most 2 decimal places.`
    : undefined;

export function validateProperty(
  modelState: ModelState,
  key: string,
  { displayName, attributes }: ValidatedProperty,
  value: ModelValue,
): void {
  for (const attribute of attributes) {
    const message = attribute(value, displayName);
    if (message !== undefined) modelState.add(key, message);
  }
}
