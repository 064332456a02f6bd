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

/** Writes a request as a call of the SDK. The API key comes from the environment. */
export function toSdkCode(request: RequestView, origin: string): string {
  return `import { createClient } from '@service/sdk';

const client = createClient({ apiKey: process.env.SERVICE_API_KEY, baseUrl: '${origin}/api/v1' });
${toCall(request)}
`;
}

function toCall({ operation, path, query, body }: RequestView): string {
  const fields = body ?? '{}';
  const id = JSON.stringify(path.split('/').at(-1));
  const options = JSON.stringify(Object.fromEntries(new URLSearchParams(query)));
  switch (operation) {
    case 'createPayment':
      return `const payment = await client.payments.create(${fields});`;
    case 'createQuote':
      return `const quote = await client.quotes.create(${fields});`;
    case 'getPayment':
      return `const payment = await client.payments.retrieve(${id});`;
    case 'getBalance':
      return 'const balance = await client.balance.retrieve();';
    case 'listTransactions':
      return `const page = await client.transactions.list(${options});`;
    case null:
    default:
      return '// The SDK has no call for this path.';
  }
}
