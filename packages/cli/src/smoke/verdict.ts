/** Says how a step ended that did not fail, and what was seen. */
export type Verdict = { readonly status: 'ok' | 'warning' | 'skipped'; readonly detail: string };

/** Reports a service that answered otherwise than its contract says. */
export class Discrepancy extends Error {
  override readonly name = 'Discrepancy' as const;
}

/** Makes the verdict of a step that found what it looked for. */
export function pass(detail: string): Verdict {
  return { status: 'ok', detail };
}

/** Makes the verdict of a step that cannot tell, within what the contract leaves open. */
export function skip(detail: string): Verdict {
  return { status: 'skipped', detail };
}

/** Makes the verdict of a step after which `payment reconcile` cannot be relied on. */
export function warn(detail: string): Verdict {
  return {
    status: 'warning',
    detail: `${detail}. PAYMENT RECONCILE WILL NOT WORK: it cannot tell which payment a record belongs to`,
  };
}

/** Insists on what the contract promises. Throws Discrepancy. */
export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Discrepancy(message);
}
