import { createHash } from 'node:crypto';
import { ApiError, errorKinds } from './errors.ts';

interface StoredResponse<Result> {
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly result: Result;
}

const LIFETIME = 24 * 60 * 60 * 1000;
const MAXIMUM_LENGTH = 255;

/** Results of successful requests by account and idempotency key. Failed requests can be repeated. */
export class IdempotencyStore<Result> {
  readonly #responses = new Map<string, StoredResponse<Result>>();

  /**
   * Returns the stored result of the key, or undefined.
   * @throws {ApiError} when the key is invalid or was used with another body.
   */
  find(key: string, body: string): Result | undefined {
    if (key.length > MAXIMUM_LENGTH) {
      throw new ApiError(
        errorKinds.badRequest,
        `Idempotency-Key must have at most ${MAXIMUM_LENGTH} characters.`,
      );
    }
    const stored = this.#responses.get(key);
    if (!stored || stored.expiresAt < Date.now()) return undefined;
    if (stored.fingerprint !== hash(body)) {
      const message = 'This Idempotency-Key was already used with different request parameters.';
      throw new ApiError(errorKinds.idempotencyConflict, message);
    }
    return stored.result;
  }

  save(key: string, body: string, result: Result): void {
    this.#responses.set(key, { fingerprint: hash(body), expiresAt: Date.now() + LIFETIME, result });
  }
}

function hash(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
