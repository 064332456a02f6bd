import { parseReceiverOptions } from './receiver-options.ts';
import type { ReceiverOptions } from './receiver-options.ts';
import { buildReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { createVerifier } from './verifier.web.ts';

/** Creates a receiver that verifies, dispatches each event once and answers. Throws `invalid_options`, `unusable_secret`. */
export function createReceiver(options: ReceiverOptions): Receiver {
  const settings = parseReceiverOptions(options);
  const { verify } = createVerifier({ secrets: options.secrets, mode: options.mode });
  return buildReceiver(verify, settings);
}
