/** Names what a warning is about. */
export type WebhookWarningCode = 'secret_ends_in_newline';

/** Tells of something that is allowed and probably a mistake. */
export interface WebhookWarning {
  readonly code: WebhookWarningCode;
  /** Tells what is probably wrong, without the secret. */
  readonly message: string;
  /** Names the secret. */
  readonly secretId: string;
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
