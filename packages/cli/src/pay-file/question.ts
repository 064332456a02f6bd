import { UsageError } from '../errors.ts';
import { type Session, whenAborted } from '../session.ts';

/**
 * Asks on a terminal, unless `--yes` was passed.
 *
 * @throws {UsageError} when the answer is not yes, or there is no terminal.
 */
export async function confirm(
  { environment: { stdin, signal }, output }: Session,
  { question, yes }: { readonly question: string; readonly yes: true | undefined },
): Promise<void> {
  if (yes) return;
  if (stdin.isTTY !== true)
    throw new UsageError('Without a terminal, --yes is required to confirm. Nothing was sent.');
  output.note(`${question} Type yes to continue:`);
  const interrupted = whenAborted(signal).then(() => '');
  const answer = await Promise.race([readLine(stdin).catch(() => ''), interrupted]);
  if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('Not confirmed. Nothing was sent.');
}

async function readLine(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1)[0] ?? '';
}
