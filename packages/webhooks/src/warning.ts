/** Names what a warning is about. */
export type WebhookWarningCode = 'secret_ends_in_newline' | 'max_age_below_retries';

/** Tells of something that is allowed and probably a mistake. */
export interface WebhookWarning {
  readonly code: WebhookWarningCode;
  /** Tells what is probably wrong, without the secret. */
  readonly message: string;
  /** The id of the secret, for a warning about a secret. */
  readonly secretId?: string;
}

/** Hears of warnings. */
export type WarningListener = (warning: WebhookWarning) => unknown;

interface Runtime {
  readonly process?: { readonly emitWarning?: (message: string, options: object) => void };
}

/** Warns as the runtime does: as a process warning where there are such, else on the console. */
export function warnRuntime({ code, message }: WebhookWarning): void {
  const runtime = (globalThis as Runtime).process;
  if (runtime?.emitWarning) runtime.emitWarning(message, { type: 'WebhookWarning', code });
  // oxlint-disable-next-line no-console -- the only voice that every other runtime has
  else console.warn(`${code}: ${message}`);
}

/** Creates the warning about a secret that ends in a line break, which is part of the key and never trimmed. */
export function newlineWarning(secretId: string): WebhookWarning {
  const message = `The secret ${secretId} ends in a line break, which is part of the key: was it read from a file?`;
  return { code: 'secret_ends_in_newline', message, secretId };
}

/** Creates the warning about a `maxAge` that drops the late retries of a delivery. */
export function maxAgeWarning(): WebhookWarning {
  const message =
    'freshness.maxAge is below 28 h, so that late retries are dropped: they keep their created_at.';
  return { code: 'max_age_below_retries', message };
}
