import { type Fields, isObject, toRecord } from '../json.ts';
import type { Session } from '../session.ts';
import { type Control, openControl, unreadable } from './control.ts';
import { findBooks } from './locate.ts';
import { findOperation } from './operations.ts';
import type { Values } from './values.ts';

/** Is an endpoint of a sandbox that was set for a while. */
export type BorrowedEndpoint = {
  readonly secret: string;
  /** Is where events went before, if anywhere. */
  readonly formerUrl: string | undefined;
  /** Puts back what was there before, unless somebody has set another meanwhile; never rejects, and notes what it could not do. */
  readonly putBack: () => Promise<void>;
};

/** Says whose events are to go where, and what to sign them with: a secret of the sandbox's own where undefined. */
export type Loan = {
  readonly key: string;
  readonly url: URL;
  readonly secret: string | undefined;
};

/** Holds where events went before, and what they were signed with. */
type Former = { readonly url: string; readonly secret?: string };

/** How long putting an endpoint back may take, in milliseconds. */
const PATIENCE = 10_000;

/** Has a running sandbox send the events of an account somewhere, for a while. Throws ControlError, UsageError. */
export async function borrowEndpoint(
  session: Session,
  { key, url, secret }: Loan,
): Promise<BorrowedEndpoint> {
  const control = await openControl(session);
  const books = await findBooks(control, key);
  const former = await findFormer(control, books);
  const undo = async (): Promise<boolean> => restore(await reopen(session), { books, former, url });
  const { note } = session.output;
  const putBack = async (): Promise<void> => {
    try {
      if (!(await undo())) note(left);
    } catch (error) {
      note(`warning: the endpoint in the sandbox was not put back. ${(error as Error).message}`);
    }
  };
  const operation = findOperation('setEndpoint');
  try {
    const issued = toRecord(await control.call(operation, { ...books, url: url.href, secret }));
    if (typeof issued.secret !== 'string') throw unreadable(operation);
    return { secret: issued.secret, formerUrl: former?.url, putBack };
  } catch (error) {
    // Its answer may be lost, and the endpoint set.
    await undo().catch(() => {});
    throw error;
  }
}

const left = 'The endpoint in the sandbox was set or removed by somebody else meanwhile, and is left so.';

/** Opens the control under a signal of its own: an endpoint is put back also when the run was interrupted. */
function reopen(session: Session): Promise<Control> {
  const signal = AbortSignal.timeout(PATIENCE);
  return openControl({ ...session, environment: { ...session.environment, signal } });
}

async function readEndpoint(control: Control, books: Values): Promise<Fields | null> {
  const { endpoint } = toRecord(await control.call(findOperation('getEndpoint'), books));
  return isObject(endpoint) ? endpoint : null;
}

/** Finds the endpoint that is set; nothing but a snapshot tells its secret, and whoever listens there knows no other. */
async function findFormer(control: Control, { account, mode }: Values): Promise<Former | null> {
  const endpoint = await readEndpoint(control, { account, mode });
  if (endpoint === null) return null;
  const { url } = endpoint;
  if (typeof url !== 'string' || !URL.canParse(url)) throw unreadable(findOperation('getEndpoint'));
  const snapshot = toRecord(await control.call(findOperation('takeSnapshot')));
  const { accounts } = toRecord(snapshot.state);
  const owner = Array.isArray(accounts) ? accounts.map(toRecord).find(({ id }) => id === account) : undefined;
  const { secret } = toRecord(toRecord(toRecord(owner?.modes)[String(mode)]).endpoint);
  return { url, ...(typeof secret === 'string' && { secret }) };
}

type Return = { readonly books: Values; readonly former: Former | null; readonly url: URL };

/** Puts back what was there, and tells whether it did. */
async function restore(control: Control, { books, former, url }: Return): Promise<boolean> {
  const endpoint = await readEndpoint(control, books);
  if (endpoint?.url !== url.href) return false;
  if (former === null) await control.call(findOperation('removeEndpoint'), books);
  else if (former.url.startsWith('collect:'))
    await control.call(findOperation('collectEvents'), { ...books, secret: former.secret });
  else await control.call(findOperation('setEndpoint'), { ...books, ...former });
  return true;
}
