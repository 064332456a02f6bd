/** The kinds of delivery faults. */
export const deliveryFaultKinds = [
  'duplicate',
  'reorder',
  'drop',
  'delay',
  'tamper',
  'wrong_secret',
] as const;

/** The kind of a delivery fault. */
export type DeliveryFaultKind = (typeof deliveryFaultKinds)[number];

/** A fault of the first attempt of a delivery. Later attempts are not affected. */
export interface DeliveryFault {
  readonly kind: DeliveryFaultKind;
  /** The length of a `delay`, in milliseconds of the sandbox clock; 0 for other kinds. */
  readonly by: number;
}

/** Increments the last digit of an event body, so that the body stays valid JSON with another amount. */
export function tamperBody(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
