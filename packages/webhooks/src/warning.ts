/** The code of a {@link WebhookWarning}. */
export type WebhookWarningCode = 'secret_ends_in_newline' | 'max_event_age_below_retries';

/** A warning about an option that is valid and probably a mistake. */
export interface WebhookWarning {
  readonly code: WebhookWarningCode;
  /** The probable mistake, without the secret. */
  readonly message: string;
  /** The id of the secret, for a warning about a secret. */
  readonly secretId?: string;
}

/** A function that receives warnings. */
export type WarningListener = (warning: WebhookWarning) => unknown;

interface Runtime {
  readonly process?: { readonly emitWarning?: (message: string, options: object) => void };
}

/** Emits a process warning, or writes to the console in runtimes without process warnings. */
export function warnRuntime({ code, message }: WebhookWarning): void {
  const runtime = (globalThis as Runtime).process;
  if (runtime?.emitWarning) runtime.emitWarning(message, { type: 'WebhookWarning', code });
  // oxlint-disable-next-line no-console -- the only output of other runtimes
  else console.warn(`${code}: ${message}`);
}

export function newlineWarning(secretId: string): WebhookWarning {
  const message = `The secret ${secretId} ends in a line break, which is part of the key. Trim it.`;
  return { code: 'secret_ends_in_newline', message, secretId };
}

export function eventAgeWarning(): WebhookWarning {
  const message = 'maxEventAge is below 28 h: late retries, which keep their created_at, are dropped.';
  return { code: 'max_event_age_below_retries', message };
}
