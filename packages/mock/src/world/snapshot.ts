import type { Account } from './account.ts';
import type { Books } from './books.ts';
import type { World } from './world.ts';

/**
 * Computes a digest of all that the world knows: SHA-256 in hex. Two digests are equal exactly when nothing has changed:
 * keys, money, payments, events, idempotency records, endpoints and the time. Left out is what changes by itself or by being
 * looked at: attempts of deliveries, request ids and rate counters.
 */
export async function hashState(world: World): Promise<string> {
  const text = JSON.stringify(toSnapshot(world), (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value instanceof Map ? [...value] : value,
  );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toSnapshot(world: World): object {
  const accounts = [...world.accounts.values()].map(snapAccount);
  // A running clock moves by itself; only a manual one is part of what a call could change.
  const now = world.clock.mode === 'manual' ? world.clock.now() : null;
  return { now, profile: world.profile, accounts };
}

function snapAccount({ id, name, books, keys, keysIssued, suspended }: Account): object {
  return { id, name, keys, keysIssued, suspended, test: snapBooks(books.test), live: snapBooks(books.live) };
}

function snapBooks(books: Books): object {
  const { ledger, payments, transactions, idempotency, endpoint, profile, secretsIssued } = books;
  return { ledger, payments, transactions, idempotency, endpoint, profile, secretsIssued };
}
