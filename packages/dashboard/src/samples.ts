import type { RequestView } from './types.ts';

const skippedHeaders =
  /^(?:host|connection|content-length|accept-encoding|user-agent|accept|accept-language|sec-.*|priority)$/;

/** Writes a request as a shell command. The API key is `$SERVICE_API_KEY`. */
export function toCurl(request: RequestView, origin: string): string {
  const { method, path, query, headers, body } = request;
  const lines = [`curl -X ${method} ${quote(`${origin}${path}${query && `?${query}`}`)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (skippedHeaders.test(name)) continue;
    if (name === 'authorization') lines.push('-H "Authorization: Bearer $SERVICE_API_KEY"');
    else if (name === 'x-api-key') lines.push('-H "X-API-Key: $SERVICE_API_KEY"');
    else lines.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  if (body !== null) lines.push(`--data-raw ${quote(body)}`);
  return lines.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The calls of the SDK by operation, with the parts of the request in capitals. */
const calls: Readonly<Record<string, string>> = {
  createPayment: 'const payment = await client.payments.create(BODY);',
  createQuote: 'const quote = await client.quotes.create(BODY);',
  getPayment: 'const payment = await client.payments.retrieve(ID);',
  getBalance: 'const balance = await client.balance.retrieve();',
  listTransactions: 'const page = await client.transactions.list(QUERY);',
};

/** Writes a request as a call of the SDK. The API key comes from the environment. */
export function toSdkCode({ operation, path, query, body }: RequestView, origin: string): string {
  const parts: Readonly<Record<string, string>> = {
    BODY: body ?? '{}',
    ID: JSON.stringify(path.split('/').at(-1)),
    QUERY: JSON.stringify(Object.fromEntries(new URLSearchParams(query))),
  };
  const call = calls[operation ?? ''] ?? '// The SDK has no call for this path.';
  return `import { createClient } from '@service/sdk';

const client = createClient({ apiKey: process.env.SERVICE_API_KEY, baseUrl: '${origin}/api/v1' });
${call.replace(/BODY|ID|QUERY/, (part) => parts[part] ?? '')}
`;
}
