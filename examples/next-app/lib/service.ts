import { type Client, createClient } from '@service/sdk';

let client: Client | undefined;

/** Creates the client at the first request, because `next build` has no key. Reads SERVICE_API_KEY and SERVICE_BASE_URL. */
export function getClient(): Client {
  return (client ??= createClient());
}
