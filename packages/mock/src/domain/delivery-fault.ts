/** Lists what can go wrong with the delivery of an event when a test asks for it (contract.md 7). */
export const deliveryFaultKinds = [
  'duplicate',
  'reorder',
  'drop',
  'delay',
  'tamper',
  'wrong_secret',
] as const;

/** Names what goes wrong with the delivery of an event. */
export type DeliveryFaultKind = (typeof deliveryFaultKinds)[number];

/** Describes what goes wrong with the first attempt at an event; every later attempt is an ordinary one. */
export interface DeliveryFault {
  readonly kind: DeliveryFaultKind;
  /** How long a `delay` is, in milliseconds of the sandbox's clock; 0 for every other kind. */
  readonly by: number;
}

/** Changes one byte of an event body: its last digit, one up, so that it still reads as an event, but of another amount. */
export function tamperBody(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
