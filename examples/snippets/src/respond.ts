import type { Respond } from '@service/mock';

// #region shape
/** Payments in another shape, with the amount in cents. */
export const otherShape: Respond = ({ payment }, response) => {
  if (payment === null) return response;
  const { id, status, send_amount, from_currency: currency } = payment;
  const money = { cents: Math.round(send_amount * 100), currency };
  return { ...response, body: { success: true, data: { id, status, state: status.toUpperCase(), money } } };
};
// #endregion

// #region ids
/** The reference of a bank beside the id of the payment, which requests use. */
export const bankReference: Respond = ({ payment }, response) => {
  if (payment === null) return response;
  const digits = Array.from(payment.id.slice(-12), (letter) => letter.charCodeAt(0) % 10).join('');
  const { data, ...others } = response.body as { data: object };
  return { ...response, body: { ...others, data: { ...data, bank_reference: `DE89${digits}` } } };
};
// #endregion

// #region validation
/** The details of invalid fields as in FastAPI. */
export const validationDetails: Respond = ({ error }, response) => {
  if (error?.type !== 'validation_error') return response;
  const detail = Object.entries(error.fields).map(([field, msg]) => ({
    loc: ['body', field],
    msg,
    type: 'value_error',
  }));
  return { ...response, body: { detail } };
};
// #endregion

// #region header
/** The address of a new payment in `Location`. */
export const location: Respond = ({ operation, payment }, response) => {
  if (operation !== 'createPayment' || payment === null) return response;
  const Location = `/api/v1/payments/${payment.id}`;
  return { ...response, headers: { ...response.headers, Location } };
};
// #endregion

// #region field
/** The id of the request in each successful response. */
export const requestId: Respond = ({ requestId: request_id, error }, response) =>
  error === null ? { ...response, body: { ...(response.body as object), meta: { request_id } } } : response;
// #endregion
