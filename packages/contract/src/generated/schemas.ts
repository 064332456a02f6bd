// Generated from openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod/mini';

/**
 * The environment that served the request. The prefixes of API keys and of payment ids contain it.
 */
export const Mode = z.enum(['test', 'live']);

/**
 * A 3-letter ISO 4217 code in upper case. The service's document does not list the supported currencies. The sandbox supports the 46 currencies in `x-decided` and responds 422 to others.
 */
export const Currency = z.string().check(z.regex(/^[A-Z]{3}$/));

/**
 * An amount of money to send, as a JSON number with at most 2 decimals by value (`10.000` is 10). The service's document states the minimum for quotes only, and no maximum; the sandbox accepts up to 999999999.99.
 */
export const Amount = z.number().check(z.gte(0.01));

/**
 * An ISO 8601 timestamp with a UTC offset.
 */
export const Timestamp = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/));

/**
 * Text with a visible character and without control characters, stored and returned exactly as sent. The sandbox accepts up to 255 code points after trimming, in well-formed Unicode; the service's document states no limit.
 */
export const Text = z.string().check(z.minLength(1), z.regex(/^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0][^\x00-\x1f\x7f-\x9f]*$/));

/**
 * A unique payment reference, `pay_<mode>_<unique>`. The service's document does not limit the unique part; the sandbox uses 24 letters or digits.
 */
export const PaymentId = z.string().check(z.regex(/^pay_(test|live)_.+$/));

/**
 * The status of a payment. `completed` and `failed` are final, but a bank can return a completed payment. A client must accept statuses that are not listed here.
 */
export const PaymentStatus = z.string();

/**
 * The cause of a transaction. A client must accept types that are not listed here.
 */
export const TransactionType = z.string();

/**
 * The status of a transaction. A `payment` transaction has the status of its payment; every other one is `completed`. A client must accept statuses that are not listed here.
 */
export const TransactionStatus = z.string();

/**
 * The exchange to quote.
 */
export const QuoteRequest = z.object({
    from_currency: Currency,
    to_currency: Currency,
    amount: Amount
});

/**
 * Cost and result of an exchange.
 */
export const Quote = z.object({
    from_currency: Currency,
    to_currency: Currency,
    send_amount: z.number().check(z.gte(0.01)),
    fee: z.number().check(z.gte(0)),
    rate: z.number().check(z.gt(0)),
    receive_amount: z.number().check(z.gte(0))
});

/**
 * The payment to create.
 */
export const PaymentRequest = z.object({
    from_currency: Currency,
    to_currency: Currency,
    amount: Amount,
    beneficiary_name: Text,
    beneficiary_bank: z.nullish(Text),
    beneficiary_account: z.nullish(Text),
    beneficiary_country: z.nullish(Text),
    purpose: z.nullish(Text)
});

/**
 * The recipient of a payment.
 */
export const Beneficiary = z.object({
    name: z.string().check(z.minLength(1)),
    bank: z.nullable(z.string()),
    account: z.nullable(z.string()),
    country: z.nullable(z.string())
});

/**
 * A supplier payment.
 */
export const Payment = z.object({
    id: PaymentId,
    status: PaymentStatus,
    from_currency: Currency,
    to_currency: Currency,
    send_amount: z.number().check(z.gte(0.01)),
    rate: z.number().check(z.gt(0)),
    receive_amount: z.number().check(z.gte(0.01)),
    beneficiary: Beneficiary,
    purpose: z.nullable(z.string()),
    created_at: Timestamp
});

/**
 * One currency of an account and its available amount.
 */
export const Wallet = z.object({
    currency: Currency,
    balance: z.number()
});

/**
 * All wallets of the account, sorted by currency.
 */
export const Balance = z.object({
    balances: z.array(Wallet)
});

/**
 * One change of a wallet's balance.
 */
export const Transaction = z.object({
    id: z.string(),
    type: TransactionType,
    status: TransactionStatus,
    currency: Currency,
    amount: z.number(),
    fee: z.nullable(z.number().check(z.gte(0))),
    balance_after: z.number().check(z.gte(0)),
    payment_id: z.nullable(PaymentId),
    reference: z.nullable(z.string()),
    created_at: Timestamp
});

/**
 * The position of a page among all pages.
 */
export const Pagination = z.object({
    current_page: z.int().check(z.gte(1)),
    per_page: z.int().check(z.gte(1), z.lte(100)),
    total: z.int().check(z.gte(0)),
    total_pages: z.int().check(z.gte(0)),
    has_more: z.boolean()
});

/**
 * One page of transactions, newest first.
 */
export const TransactionPage = z.object({
    transactions: z.array(Transaction).check(z.maxLength(100)),
    pagination: Pagination
});

/**
 * The name of the event: `payment.` and the new status. A client must accept names that are not listed here.
 */
export const WebhookEventName = z.string();

/**
 * The payment immediately after the change.
 */
export const WebhookEventData = z.object({
    id: PaymentId,
    status: PaymentStatus,
    from_currency: Currency,
    to_currency: Currency,
    send_amount: z.number().check(z.gte(0.01)),
    receive_amount: z.number().check(z.gte(0.01)),
    mode: Mode
});

/**
 * The notification that a payment changed status.
 */
export const WebhookEvent = z.object({
    event: WebhookEventName,
    created_at: Timestamp,
    data: WebhookEventData
});

/**
 * The type of an error. A client must accept types that are not listed here.
 */
export const ErrorType = z.string();

/**
 * The type and message of an error.
 */
export const ErrorDetail = z.object({
    type: ErrorType,
    message: z.string().check(z.minLength(1))
});

/**
 * The response to a request that failed.
 */
export const ErrorEnvelope = z.object({
    success: z.literal(false),
    mode: z.optional(Mode),
    error: ErrorDetail
});

/**
 * The response with a quote.
 */
export const QuoteEnvelope = z.object({
    success: z.literal(true),
    mode: Mode,
    data: Quote
});

/**
 * The response with a payment.
 */
export const PaymentEnvelope = z.object({
    success: z.literal(true),
    mode: Mode,
    data: Payment
});

/**
 * The response with the wallets.
 */
export const BalanceEnvelope = z.object({
    success: z.literal(true),
    mode: Mode,
    data: Balance
});

/**
 * The response with a page of transactions.
 */
export const TransactionsEnvelope = z.object({
    success: z.literal(true),
    mode: Mode,
    data: TransactionPage
});

/**
 * The `id` of a payment.
 */
export const PaymentId2 = PaymentId;

/**
 * Binds the request to the payment that it creates, for 24 hours, per account, mode and path. The same key with the same body returns the first payment; with another body the request is rejected. The service's document does not mention this header, so a client must not rely on it unless the service is known to honor it.
 */
export const IdempotencyKey = z.string().check(z.minLength(1), z.maxLength(255), z.regex(/^[\x21-\x7e]+$/));

/**
 * The number of the page, starting at 1.
 */
export const Page = z._default(z.int().check(z.gte(1), z.lte(9007199254740991)), 1);

/**
 * The number of transactions per page.
 */
export const PerPage = z._default(z.int().check(z.gte(1), z.lte(100)), 20);

/**
 * Returns only transactions with this status.
 */
export const TransactionStatusFilter = TransactionStatus;

/**
 * Returns only transactions of this type.
 */
export const TransactionTypeFilter = TransactionType;

/**
 * HMAC-SHA256 over the raw request body, keyed with the webhook signing secret, as 64 lowercase hexadecimal digits. Verify it in constant time over the raw bytes, before parsing them.
 */
export const Signature = z.string().check(z.regex(/^[0-9a-f]{64}$/));
