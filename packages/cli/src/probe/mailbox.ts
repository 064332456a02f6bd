import type { Answer, Delivery } from '@service/webhooks';
import { systemClock } from '../clock.ts';
import { createInspect } from '../listen/inspect.ts';
import { openDoor } from '../listen/door.ts';
import { type BorrowedEndpoint, borrowEndpoint } from '../sandbox/borrow.ts';
import type { Session } from '../session.ts';
import { needSecret } from '../signing-secret.ts';
import { createInbox, type Inbox } from './inbox.ts';

/** Says where webhooks come from: a mock that is told to send them here, or a service whose endpoint leads to a port here. */
export type MailboxOptions = {
  readonly key: string;
  readonly sandbox: boolean;
  /** Is the port that the endpoint of the service leads to. */
  readonly listen: number | undefined;
  readonly secretFile: string | undefined;
};

/** Is an inbox that is open for deliveries. */
export type Mailbox = { readonly inbox: Inbox | undefined; readonly close: () => Promise<void> };

/** Opens an inbox where one was asked for. Throws UsageError, ControlError. */
export async function openMailbox(session: Session, options: MailboxOptions): Promise<Mailbox> {
  const { key, sandbox, listen, secretFile } = options;
  if (!sandbox && listen === undefined) return { inbox: undefined, close: async () => {} };
  const { note } = session.output;
  const { promise: ready, resolve: begin } = Promise.withResolvers<(delivery: Delivery) => Promise<Answer>>();
  const door = await openDoor({
    port: listen ?? 0,
    host: '127.0.0.1',
    advice: 'The endpoint of the service leads there, so end what listens.',
    path: undefined,
    note,
    deliver: async (delivery) => (await ready)(delivery),
  });
  let endpoint: BorrowedEndpoint | undefined;
  const close = async (): Promise<void> => {
    await door.close();
    await endpoint?.putBack();
  };
  try {
    if (sandbox) endpoint = await borrowEndpoint(session, { key, url: door.url, secret: undefined });
    const secret = endpoint?.secret ?? (await needSecret(session, secretFile));
    const { clock = systemClock } = session.environment;
    const inbox = createInbox(clock.now);
    begin(createTaker(secret, inbox, note));
    note(`Listening for webhooks at ${door.url.href}.`);
    return { inbox, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes what takes deliveries: those that are genuine reach the inbox, which says how they are answered. */
function createTaker(
  secret: string,
  inbox: Inbox,
  note: (line: string) => void,
): (delivery: Delivery) => Promise<Answer> {
  const inspect = createInspect({
    secrets: secret,
    onWarning: ({ message }) => note(`warning: ${message}`),
  });
  return async (delivery) => {
    const { event, body, error, answer } = await inspect(delivery);
    if (error !== undefined) {
      inbox.refuse();
      note(`A webhook was refused: ${error.message}`);
    }
    if (event === undefined || body === undefined) return answer;
    return { ...answer, status: inbox.take(body), body: '' };
  };
}
