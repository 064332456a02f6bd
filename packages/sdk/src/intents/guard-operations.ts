import { hide } from '../errors/service-error.ts';
import type { DuplicateGuard, GuardOperations } from './guard-types.ts';

/** The property of a guard with its operations. Global, because each entry point is bundled separately. */
const GUARD_OPERATIONS: unique symbol = Symbol.for('@service/sdk/guard-operations');

/** Creates the public form of a guard. Only clients call the other operations. */
export function hideOperations(operations: GuardOperations): DuplicateGuard {
  const guard: DuplicateGuard = {
    resolve: (reference, paymentId) => operations.resolve(reference, paymentId),
    release: operations.release,
  };
  hide(guard, GUARD_OPERATIONS, operations);
  return guard;
}

/** Returns the operations of a guard; undefined for any other value. */
export function findGuardOperations(guard: unknown): GuardOperations | undefined {
  return (guard as { readonly [GUARD_OPERATIONS]?: GuardOperations } | null | undefined)?.[GUARD_OPERATIONS];
}
