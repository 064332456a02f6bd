/** The address of the mock, with a slash at its end: that of this script without `_sandbox/ui/app.js`. */
export const root: string = new URL('../..', import.meta.url).href;

/** The name of the token in the storage of the page. Another mock can be at another path of the origin. */
const TOKEN = `token of ${root}`;

/** Sends a token with the requests from now on, also after a reload of the page. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

/** An error response of the control API. */
export class ApiError extends Error {
  override readonly name = 'ApiError' as const;
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The values of a query. Undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Calls the control API.
 *
 * @throws {ApiError} for an error response
 * @throws {Error} without a response
 */
export async function callApi<Body = void>(
  method: string,
  path: string,
  { query = {}, body }: { readonly query?: Query; readonly body?: object } = {},
): Promise<Body> {
  const token = sessionStorage.getItem(TOKEN);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const response = await fetch(`${root}_sandbox${path}${search && `?${search}`}`, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== null && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The sandbox does not answer. The page reconnects on its own.');
  });
  const text = await response.text();
  if (!response.ok)
    throw new ApiError(response.status, readMessage(text, 'The sandbox gave no readable answer.'));
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

/** Returns the message of an error envelope, or another text. */
export function readMessage(text: string, otherwise: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
    return error?.message ?? otherwise;
  } catch {
    return otherwise;
  }
}
