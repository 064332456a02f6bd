import { registeredJson } from '../../domain/schema.ts';
import type { Context } from '../context.ts';
import type { Operation } from '../operation.ts';
import type { KeyAccess } from './access.ts';
import { ControlError } from './control-error.ts';
import { listFields } from './read-input.ts';

/** Returns whether the API key of an account can run an operation on that account. */
export function isSelfService(operation: Operation): boolean {
  return operation.checkOwner !== undefined || Object.hasOwn(listFields(operation), 'account');
}

/**
 * Checks that the API key of an account can run an operation.
 *
 * @throws {ControlError}
 */
export function checkSelfService(operation: Operation, token: string | null): void {
  if (isSelfService(operation)) return;
  const remedy = token === null ? 'Leave out the key.' : 'It needs the token of the control API.';
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, and ${operation.id} is about the whole sandbox. ${remedy}`,
  );
}

/** A request with the API key of an account. */
interface OwnRequest {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key: KeyAccess;
}

/**
 * Limits the fields of an operation to the account of a key, or selects that account and its mode where one is left out.
 *
 * @throws {ControlError} for the id of another account
 * @throws {SandboxError} for other fields that do not belong to the account
 */
export function applyKey(
  parts: Context,
  { operation, input, key: { account, mode, isLimited } }: OwnRequest,
): Readonly<Record<string, unknown>> {
  const { checkOwner } = operation;
  const fields = listFields(operation);
  // Without an account, other operations are about all accounts.
  const isOfOne = fields['account'] !== undefined && registeredJson(fields['account'])['x-default'] !== 'all';
  const isSelected = isOfOne && input.account === undefined;
  const own = isSelected ? { account, ...(fields.mode !== undefined && { mode }), ...input } : input;
  if (!isLimited) return own;
  if (checkOwner === undefined) return { ...own, account: checkAccount(input.account, account) };
  checkOwner(parts, input, account);
  return input;
}

function checkAccount(given: unknown, account: string): string {
  if (given === undefined || given === account) return account;
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, ${account}. Leave out \`account\` or the key.`,
  );
}
