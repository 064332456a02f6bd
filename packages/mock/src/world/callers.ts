import { accountIdOf } from './account.ts';
import { deriveText } from './ids.ts';
import { openWallets, usualOpenings } from './opening.ts';
import { addAccount, type Caller, type World } from './world.ts';

/** The form of a key that opens an account: a test key as clients know it (spec §5), of at most 268 characters. */
const OPENING_KEY = /^service_test_[\w.~-]{1,255}$/;

/**
 * Finds who calls with a key. In a world that is open, a well-formed test key that nobody has ever had opens an account of its
 * own; one that was replaced by a new key stays dead. Undefined when the key is nobody's.
 */
export function findCaller(world: World, key: string): Caller | undefined {
  const caller = world.callers.get(key);
  if (caller !== undefined || !canOpen(world, key)) return caller;
  openAccountOf(world, key);
  return world.callers.get(key);
}

function canOpen(world: World, key: string): boolean {
  return world.admission === 'open' && OPENING_KEY.test(key) && !world.retiredKeys.has(key);
}

/** Opens the account of a key; its name, and so its id, tell nothing of the key. */
function openAccountOf(world: World, key: string): void {
  let name = nameAfter(world, key);
  // Somebody may have given that name to an account of theirs.
  while (world.accounts.has(accountIdOf(world.seed, name))) name = nameAfter(world, `${key}\n${name}`);
  openWallets(world, addAccount(world, { name, testKey: key }), usualOpenings);
}

function nameAfter({ seed }: World, key: string): string {
  return `open-${deriveText(`${seed}\n${key}`, 'name of an opened account', 12)}`;
}
