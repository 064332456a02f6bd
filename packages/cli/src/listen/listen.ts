import { PAYMENT_EVENT_NAMES } from '@service/webhooks';
import { systemClock } from '../clock.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { ended } from '../listening.ts';
import { isLoopback } from '../loopback.ts';
import { LostOutputError } from '../lost-output-error.ts';
import { statusOfEvent } from '../parse.ts';
import { type BorrowedEndpoint, borrowEndpoint } from '../sandbox/borrow.ts';
import { readControlUrl } from '../sandbox/origin.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { type Door, openDoor } from './door.ts';
import { createForward } from './forward.ts';
import { createTally, GoalMissedError, type Tally } from './goal.ts';
import { createExplain, createInspect } from './inspect.ts';
import type { ListenOptions } from './options.ts';
import { createReception, type Reception } from './reception.ts';
import { readSender, type Sender } from './sender.ts';

/** Receives webhooks until there have been enough, the time is up or the run is interrupted; leaves nothing behind. */
export async function listen(session: Session, options: ListenOptions): Promise<ExitCode> {
  const { note } = session.output;
  checkNames(options, note);
  checkForward(options);
  const sender = await readSender(session, options);
  const { promise: ready, resolve: begin } = Promise.withResolvers<Reception>();
  const { port, host, path } = options;
  // Open before the sandbox is told of it, so that what comes first waits and is not lost.
  const door = await openDoor({ port, host, path, note, deliver: async (d) => (await ready).deliver(d) });
  let endpoint: BorrowedEndpoint | undefined;
  try {
    const { key, secret: own } = sender;
    if (key !== undefined) endpoint = await borrowEndpoint(session, { key, url: door.url, secret: own });
    const tally = createTally(options);
    const secret = endpoint?.secret ?? sender.secret;
    const reception = await openReception(session, options, { secret, mode: sender.mode, tally });
    begin(reception);
    announce(session, options, { door, formerUrl: endpoint?.formerUrl });
    return await lastUntil(reception, session, { timeout: options.timeout, tally });
  } finally {
    await door.close();
    await endpoint?.putBack();
  }
}

function checkNames({ events = [], until }: ListenOptions, note: (line: string) => void): void {
  const known: readonly string[] = PAYMENT_EVENT_NAMES;
  for (const name of [...events, ...(until === undefined ? [] : [until])]) {
    if (known.includes(name)) continue;
    const choice = `there are ${known.join(', ')}`;
    if (statusOfEvent(name) === undefined)
      throw new UsageError(`${JSON.stringify(name)} is no event: ${choice}.`);
    note(`warning: ${name} is no documented event; ${choice}.`);
  }
  if (until !== undefined && events.length > 0 && !events.includes(until))
    throw new UsageError(`--until ${until} would never be reached: it is not among --events.`);
}

/** Refuses an app that is the listener itself: each event would go round and round. */
function checkForward({ forward, host, port }: ListenOptions): void {
  if (forward === undefined || (forward.port || '80') !== String(port)) return;
  const name = forward.hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(name) || name === host || name === '0.0.0.0' || name === '::')
    throw new UsageError(`--forward leads back here, to port ${port}: name the address of your app.`);
}

type Verifying = {
  readonly secret: string | undefined;
  readonly mode: Sender['mode'];
  readonly tally: Tally;
};

async function openReception(
  { output, environment }: Session,
  options: ListenOptions,
  { secret = '', mode, tally }: Verifying,
): Promise<Reception> {
  const { clock = systemClock, fetch = globalThis.fetch } = environment;
  const { forward: url } = options;
  const verifying = {
    secrets: secret,
    mode,
    onWarning: ({ message }: { message: string }) => output.note(`warning: ${message}`),
  };
  return createReception({
    inspect: createInspect(verifying),
    explain: options.explain && (await createExplain(verifying)),
    forward: url && createForward({ url, fetch: (request) => fetch(request), clock }),
    status: options.answer,
    shown: options.events && new Set(options.events),
    tally,
    now: clock.now,
    show: ({ document, lines }) => output.result(document, lines),
    note: output.note,
  });
}

/** Says on stderr that it is ready: stdout is for events alone. */
function announce(
  session: Session,
  { host, forward, sandbox }: ListenOptions,
  { door, formerUrl }: { door: Door; formerUrl: string | undefined },
): void {
  const { output } = session;
  if (!isLoopback(host)) output.note(`warning: whoever reaches ${host} can post here.`);
  if (sandbox)
    output.note(`The sandbox at ${readControlUrl(session).origin} sends the events of this key here.`);
  if (formerUrl !== undefined)
    output.note(`They went to ${withoutQuery(new URL(formerUrl))} so far, and will again when this ends.`);
  if (forward !== undefined) output.note(`Events go on to ${withoutQuery(forward)}.`);
  output.note(`Listening at ${door.url.href}. Ctrl+C ends.`);
}

/** Writes an address without its query, which may hold what is nobody's business. */
function withoutQuery({ protocol, host, pathname }: URL): string {
  return `${protocol}${host && '//'}${host}${pathname}`;
}

/** Says that nobody reads any more; anything else that went wrong is thrown. */
function explainLoss(error: unknown): string {
  if (error instanceof LostOutputError && error.isHangUp) return 'The reader went away';
  throw error;
}

async function lastUntil(
  reception: Reception,
  { environment }: Session,
  { timeout, tally }: { timeout: number | undefined; tally: Tally },
): Promise<ExitCode> {
  const { signal, clock = systemClock } = environment;
  const stop = new AbortController();
  const endings = [
    reception.over.then(() => undefined, explainLoss),
    ended(signal).then(() => 'The run was interrupted'),
    ...(timeout === undefined ? [] : [clock.sleep(timeout, stop.signal).then(() => 'The time was up')]),
  ];
  try {
    const why = await Promise.race(endings);
    if (why !== undefined && tally.goal !== undefined)
      throw new GoalMissedError(`${why} before there was ${tally.goal}.`);
    return exitCodes.ok;
  } finally {
    stop.abort();
    reception.end();
  }
}
