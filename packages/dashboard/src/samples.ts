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
