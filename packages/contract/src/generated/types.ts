// Generated from openapi.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the balances
         * @description Returns every wallet of the account, sorted by currency, zero ones included. A balance is the available amount: what a payment sends leaves it when the payment is created.
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a supplier payment
         * @description Creates a payment in status `pending` and debits its `send_amount` from the wallet of `from_currency` in the same step. Two calls make two payments: without an `Idempotency-Key` that the service is known to honour, a call whose answer was lost must not be repeated before the first one's outcome is known.
         */
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{payment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a payment
         * @description Returns the current status and details of one payment of the authenticated account and mode.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote an exchange
         * @description Returns the rate, the fee and the amount that a beneficiary would receive. Indicative: a quote has no id, is not stored and binds nobody.
         */
        post: operations["createQuote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transactions
         * @description Returns the history of what moved the wallets, newest first. Filters are combined; the amounts of all rows of a currency add up to its balance.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    paymentStatusChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment changed status
         * @description Sent to the endpoint of the account and mode for every status that a payment takes, `pending` included. The same change may be delivered more than once and out of order; the pair of payment id and status tells deliveries of one change apart from others.
         */
        post: operations["receivePaymentEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description An amount of money to send, as a JSON number of at most 2 decimals by value (`10.000` is 10).
         * @example 1000
         */
        Amount: number;
        /**
         * @description All wallets of the account, sorted by currency.
         * @example {
         *       "balances": [
         *         {
         *           "currency": "EUR",
         *           "balance": 0
         *         },
         *         {
         *           "currency": "USD",
         *           "balance": 99000
         *         }
         *       ]
         *     }
         */
        Balance: {
            /**
             * @description The wallets, zero ones included.
             * @example [
             *       {
             *         "currency": "USD",
             *         "balance": 99000
             *       }
             *     ]
             */
            balances: components["schemas"]["Wallet"][];
        };
        /** @description The answer that carries the wallets. */
        BalanceEnvelope: {
            /** @description The wallets. */
            data: components["schemas"]["Balance"];
            /** @description The mode that answered. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description Who is paid.
         * @example {
         *       "name": "Acme Supplies Ltd",
         *       "bank": null,
         *       "account": "DE89370400440532013000",
         *       "country": null
         *     }
         */
        Beneficiary: {
            /**
             * @description The beneficiary's account number or IBAN, or null.
             * @example DE89370400440532013000
             */
            account: string | null;
            /**
             * @description The beneficiary's bank, or null.
             * @example null
             */
            bank: string | null;
            /**
             * @description The beneficiary's country, or null.
             * @example null
             */
            country: string | null;
            /**
             * @description The beneficiary's full name.
             * @example Acme Supplies Ltd
             */
            name: string;
        };
        /**
         * @description A 3-letter ISO 4217 code in upper case.
         * @example USD
         */
        Currency: string;
        /**
         * @description What went wrong.
         * @example {
         *       "type": "not_found",
         *       "message": "There is no such payment."
         *     }
         */
        ErrorDetail: {
            /**
             * @description What went wrong, in one sentence, for people. It never holds a key or a secret.
             * @example There is no such payment.
             */
            message: string;
            /** @description The kind of failure, for programs. */
            type: components["schemas"]["ErrorType"];
        };
        /**
         * @description The answer to a request that failed.
         * @example {
         *       "success": false,
         *       "mode": "test",
         *       "error": {
         *         "type": "not_found",
         *         "message": "There is no such payment."
         *       }
         *     }
         */
        ErrorEnvelope: {
            /** @description What went wrong. */
            error: components["schemas"]["ErrorDetail"];
            /** @description The mode that answered; absent when the request was not authenticated. */
            mode?: components["schemas"]["Mode"];
            /**
             * @description Always false.
             * @example false
             * @constant
             */
            success: false;
        };
        /**
         * @description What kind of failure it is. A client should expect types that are not listed here.
         * @example validation_error
         * @enum {string}
         */
        ErrorType: "authentication_error" | "idempotency_error" | "insufficient_funds" | "invalid_request_error" | "method_not_allowed" | "not_found" | "payload_too_large" | "permission_error" | "rate_limit_error" | "server_error" | "service_unavailable" | "unsupported_media_type" | "validation_error";
        /**
         * @description The environment that served the request. A key's prefix and a payment id name the same one.
         * @example test
         * @enum {string}
         */
        Mode: "test" | "live";
        /**
         * @description Where a page stands among all pages.
         * @example {
         *       "current_page": 1,
         *       "per_page": 20,
         *       "total": 45,
         *       "total_pages": 3,
         *       "has_more": true
         *     }
         */
        Pagination: {
            /**
             * @description The number of this page, counted from 1.
             * @example 1
             */
            current_page: number;
            /**
             * @description Whether a later page holds rows.
             * @example true
             */
            has_more: boolean;
            /**
             * @description How many rows a page holds.
             * @example 20
             */
            per_page: number;
            /**
             * @description How many rows match.
             * @example 45
             */
            total: number;
            /**
             * @description How many pages hold them.
             * @example 3
             */
            total_pages: number;
        };
        /**
         * @description A supplier payment.
         * @example {
         *       "id": "pay_test_0000014Kq8ZxWb2TnVd7Rm3s",
         *       "status": "pending",
         *       "from_currency": "USD",
         *       "to_currency": "EUR",
         *       "send_amount": 1000,
         *       "rate": 0.9213,
         *       "receive_amount": 916.69,
         *       "beneficiary": {
         *         "name": "Acme Supplies Ltd",
         *         "bank": null,
         *         "account": "DE89370400440532013000",
         *         "country": null
         *       },
         *       "purpose": "INV-2026-0042",
         *       "created_at": "2026-01-31T12:00:00+00:00"
         *     }
         */
        Payment: {
            /** @description Who is paid. */
            beneficiary: components["schemas"]["Beneficiary"];
            /** @description When the payment was created. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The currency sent. */
            from_currency: components["schemas"]["Currency"];
            /** @description The payment's unique reference. */
            id: components["schemas"]["PaymentId"];
            /**
             * @description The purpose or reference as sent, or null.
             * @example INV-2026-0042
             */
            purpose: string | null;
            /**
             * @description Units of `to_currency` for one of `from_currency`, with up to 6 decimals.
             * @example 0.9213
             */
            rate: number;
            /**
             * @description The amount that the beneficiary receives, in `to_currency`.
             * @example 916.69
             */
            receive_amount: number;
            /**
             * @description The amount sent, in `from_currency`; exactly what the wallet was debited.
             * @example 1000
             */
            send_amount: number;
            /** @description Where the payment stands. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The currency received. */
            to_currency: components["schemas"]["Currency"];
        };
        /** @description The answer that carries a payment. */
        PaymentEnvelope: {
            /** @description The payment. */
            data: components["schemas"]["Payment"];
            /** @description The mode that answered. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description A unique payment reference, `pay_<mode>_` and 24 letters or digits.
         * @example pay_test_0000014Kq8ZxWb2TnVd7Rm3s
         */
        PaymentId: string;
        /**
         * @description The payment to create.
         * @example {
         *       "from_currency": "USD",
         *       "to_currency": "EUR",
         *       "amount": 1000,
         *       "beneficiary_name": "Acme Supplies Ltd",
         *       "beneficiary_account": "DE89370400440532013000",
         *       "purpose": "INV-2026-0042"
         *     }
         */
        PaymentRequest: {
            /** @description The amount to send, in `from_currency`. */
            amount: components["schemas"]["Amount"];
            /**
             * @description The beneficiary's account number or IBAN. `null` is the same as absent.
             * @example DE89370400440532013000
             */
            beneficiary_account?: components["schemas"]["Text"] | null;
            /**
             * @description The beneficiary's bank. `null` is the same as absent.
             * @example Bank of Examples
             */
            beneficiary_bank?: components["schemas"]["Text"] | null;
            /**
             * @description The beneficiary's country. `null` is the same as absent.
             * @example DE
             */
            beneficiary_country?: components["schemas"]["Text"] | null;
            /** @description The beneficiary's full name. */
            beneficiary_name: components["schemas"]["Text"];
            /** @description The currency to send; its wallet is debited. */
            from_currency: components["schemas"]["Currency"];
            /**
             * @description The purpose or reference of the payment. `null` is the same as absent. A reference of the caller's own lets a payment be found again in the transactions when its answer was lost.
             * @example INV-2026-0042
             */
            purpose?: components["schemas"]["Text"] | null;
            /** @description The currency that the beneficiary receives. */
            to_currency: components["schemas"]["Currency"];
        };
        /**
         * @description Where a payment stands. `completed` and `failed` are final, but a bank can return a completed payment.
         * @example pending
         * @enum {string}
         */
        PaymentStatus: "pending" | "processing" | "completed" | "failed";
        /**
         * @description What an exchange would cost and yield.
         * @example {
         *       "from_currency": "USD",
         *       "to_currency": "EUR",
         *       "send_amount": 1000,
         *       "fee": 5,
         *       "rate": 0.9213,
         *       "receive_amount": 916.69
         *     }
         */
        Quote: {
            /**
             * @description 0.50 % of `send_amount`, in `from_currency`, rounded half up; it lies inside the amount sent.
             * @example 5
             */
            fee: number;
            /** @description The currency to send. */
            from_currency: components["schemas"]["Currency"];
            /**
             * @description Units of `to_currency` for one of `from_currency`, with up to 6 decimals.
             * @example 0.9213
             */
            rate: number;
            /**
             * @description The amount that the beneficiary would receive, in `to_currency`, with 2 decimals.
             * @example 916.69
             */
            receive_amount: number;
            /**
             * @description The amount to send, in `from_currency`.
             * @example 1000
             */
            send_amount: number;
            /** @description The currency to receive. */
            to_currency: components["schemas"]["Currency"];
        };
        /** @description The answer that carries a quote. */
        QuoteEnvelope: {
            /** @description The quote. */
            data: components["schemas"]["Quote"];
            /** @description The mode that answered. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description The exchange to quote.
         * @example {
         *       "from_currency": "USD",
         *       "to_currency": "EUR",
         *       "amount": 1000
         *     }
         */
        QuoteRequest: {
            /** @description The amount to send, in `from_currency`. */
            amount: components["schemas"]["Amount"];
            /** @description The currency to send. */
            from_currency: components["schemas"]["Currency"];
            /** @description The currency to receive. */
            to_currency: components["schemas"]["Currency"];
        };
        /**
         * @description 1 to 255 code points counted after trimming, stored and echoed exactly as sent: well-formed Unicode without control characters.
         * @example Acme Supplies Ltd
         */
        Text: string;
        /**
         * @description An ISO 8601 timestamp in whole seconds with UTC offset.
         * @example 2026-01-31T12:00:00+00:00
         */
        Timestamp: string;
        /**
         * @description One movement of a wallet.
         * @example {
         *       "id": "txn_test_000002hZ4mQ9sLc1KdXw8Rt6",
         *       "type": "payment",
         *       "status": "completed",
         *       "currency": "USD",
         *       "amount": -1000,
         *       "fee": 5,
         *       "balance_after": 99000,
         *       "payment_id": "pay_test_0000014Kq8ZxWb2TnVd7Rm3s",
         *       "reference": "INV-2026-0042",
         *       "created_at": "2026-01-31T12:00:00+00:00"
         *     }
         */
        Transaction: {
            /**
             * @description The signed amount; money that leaves the wallet is negative.
             * @example -1000
             */
            amount: number;
            /**
             * @description The wallet's balance after this movement.
             * @example 99000
             */
            balance_after: number;
            /** @description When the movement happened. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The wallet's currency. */
            currency: components["schemas"]["Currency"];
            /**
             * @description The fee inside the amount, or null where there is none.
             * @example 5
             */
            fee: number | null;
            /**
             * @description The transaction's unique reference.
             * @example txn_test_000002hZ4mQ9sLc1KdXw8Rt6
             */
            id: string;
            /**
             * @description The payment behind the movement, or null.
             * @example pay_test_0000014Kq8ZxWb2TnVd7Rm3s
             */
            payment_id: components["schemas"]["PaymentId"] | null;
            /**
             * @description The `purpose` of the payment, or null.
             * @example INV-2026-0042
             */
            reference: string | null;
            /** @description The status of the row. */
            status: components["schemas"]["TransactionStatus"];
            /** @description What moved the wallet. */
            type: components["schemas"]["TransactionType"];
        };
        /**
         * @description One page of transactions, newest first.
         * @example {
         *       "transactions": [],
         *       "pagination": {
         *         "current_page": 1,
         *         "per_page": 20,
         *         "total": 0,
         *         "total_pages": 0,
         *         "has_more": false
         *       }
         *     }
         */
        TransactionPage: {
            /** @description Where this page stands. */
            pagination: components["schemas"]["Pagination"];
            /**
             * @description The rows of this page.
             * @example []
             */
            transactions: components["schemas"]["Transaction"][];
        };
        /** @description The answer that carries a page of transactions. */
        TransactionsEnvelope: {
            /** @description The page. */
            data: components["schemas"]["TransactionPage"];
            /** @description The mode that answered. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description A `payment` row mirrors the status of its payment; every other row is `completed`.
         * @example completed
         * @enum {string}
         */
        TransactionStatus: "pending" | "processing" | "completed" | "failed";
        /**
         * @description What moved the wallet.
         * @example payment
         * @enum {string}
         */
        TransactionType: "deposit" | "payment" | "refund" | "adjustment";
        /**
         * @description One currency of an account and what is available in it.
         * @example {
         *       "currency": "USD",
         *       "balance": 99000
         *     }
         */
        Wallet: {
            /**
             * @description The available amount, never negative.
             * @example 99000
             */
            balance: number;
            /** @description The wallet's currency. */
            currency: components["schemas"]["Currency"];
        };
        /**
         * @description The notification that a payment changed status.
         * @example {
         *       "event": "payment.completed",
         *       "created_at": "2026-01-31T12:00:04+00:00",
         *       "data": {
         *         "id": "pay_test_0000014Kq8ZxWb2TnVd7Rm3s",
         *         "status": "completed",
         *         "from_currency": "USD",
         *         "to_currency": "EUR",
         *         "send_amount": 1000,
         *         "receive_amount": 916.69,
         *         "mode": "test"
         *       }
         *     }
         */
        WebhookEvent: {
            /** @description When the status changed. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The payment as it stood right after the change. */
            data: components["schemas"]["WebhookEventData"];
            /** @description The name of the event. */
            event: components["schemas"]["WebhookEventName"];
        };
        /**
         * @description The payment as it stood right after the change.
         * @example {
         *       "id": "pay_test_0000014Kq8ZxWb2TnVd7Rm3s",
         *       "status": "completed",
         *       "from_currency": "USD",
         *       "to_currency": "EUR",
         *       "send_amount": 1000,
         *       "receive_amount": 916.69,
         *       "mode": "test"
         *     }
         */
        WebhookEventData: {
            /** @description The currency sent. */
            from_currency: components["schemas"]["Currency"];
            /** @description The payment's reference. */
            id: components["schemas"]["PaymentId"];
            /** @description The mode of the payment. */
            mode: components["schemas"]["Mode"];
            /**
             * @description The amount received.
             * @example 916.69
             */
            receive_amount: number;
            /**
             * @description The amount sent.
             * @example 1000
             */
            send_amount: number;
            /** @description The status that the payment took. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The currency received. */
            to_currency: components["schemas"]["Currency"];
        };
        /**
         * @description `payment.` and the status that the payment took.
         * @example payment.completed
         * @enum {string}
         */
        WebhookEventName: "payment.pending" | "payment.processing" | "payment.completed" | "payment.failed";
    };
    responses: {
        /** @description A call with the same `Idempotency-Key` is still running. */
        IdempotencyConflict: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "idempotency_error",
                 *         "message": "A request with this Idempotency-Key is still running."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description A field of the payment is invalid (`validation_error`, the message names every such field), the wallet balance is too low (`insufficient_funds`), or the `Idempotency-Key` belongs to another body (`idempotency_error`). */
        InvalidPayment: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "insufficient_funds",
                 *         "message": "The USD balance is too low for this payment."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description A query parameter is invalid; the message names every such parameter. */
        InvalidQuery: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "validation_error",
                 *         "message": "The request is invalid: per_page must be a whole number from 1 to 100."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description A field of the quote is invalid; the message names every such field. */
        InvalidQuote: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "validation_error",
                 *         "message": "The request is invalid: amount must be a number from 0.01 to 999999999.99; to_currency is required."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The body is not JSON in UTF-8, is empty or too deeply nested, or the `Idempotency-Key` is malformed. */
        InvalidRequest: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "invalid_request_error",
                 *         "message": "The request body is empty."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The path exists, but not for this method. */
        MethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "method_not_allowed",
                 *         "message": "DELETE is not allowed here; use GET, HEAD or OPTIONS."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description There is no such path, or no such payment in this account and mode. */
        NotFound: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "not_found",
                 *         "message": "There is no such payment."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The body is larger than 64 KiB. */
        PayloadTooLarge: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "payload_too_large",
                 *         "message": "The request body is larger than 65536 bytes."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description Too many requests. */
        RateLimited: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "rate_limit_error",
                 *         "message": "Too many requests; retry in 1 second."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The service failed. A payment may have been created. */
        ServerError: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "server_error",
                 *         "message": "The service failed."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The account is suspended. */
        Suspended: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "permission_error",
                 *         "message": "The account is suspended."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The API key is missing, malformed, unknown or revoked, or two different keys were sent. */
        Unauthenticated: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "type": "authentication_error",
                 *         "message": "The API key is missing."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The service is not available for the moment. A payment may have been created. */
        Unavailable: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "service_unavailable",
                 *         "message": "The service is not available."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The body is not declared as `application/json` in UTF-8, or it is compressed. */
        UnsupportedMediaType: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "mode": "test",
                 *       "error": {
                 *         "type": "unsupported_media_type",
                 *         "message": "The Content-Type must be application/json."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
    };
    parameters: {
        /**
         * @description Binds the call to the payment that it creates, for 24 hours, per account, mode and path. The same key with the same body answers with the first payment; with another body it is refused. The service's document does not mention this header, so a client must not rely on it unless the service is known to honour it.
         * @example order-7731-attempt-1
         */
        IdempotencyKey: string;
        /**
         * @description The page to return, counted from 1.
         * @example 1
         */
        Page: number;
        /**
         * @description The `id` of a payment.
         * @example pay_test_0000014Kq8ZxWb2TnVd7Rm3s
         */
        PaymentId: components["schemas"]["PaymentId"];
        /**
         * @description How many rows a page holds.
         * @example 20
         */
        PerPage: number;
        /**
         * @description HMAC-SHA256 over the raw request body, keyed with the webhook signing secret, as 64 lowercase hexadecimal digits. Compare it in constant time, over the bytes as they arrived, before reading them.
         * @example 4a0e0f6b1d1c8f3f0b0d6e9f7a5c3b2a19087f6e5d4c3b2a190817263544556a
         */
        Signature: string;
        /**
         * @description Returns only rows of this status.
         * @example completed
         */
        TransactionStatusFilter: components["schemas"]["TransactionStatus"];
        /**
         * @description Returns only rows of this type.
         * @example payment
         */
        TransactionTypeFilter: components["schemas"]["TransactionType"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The methods that this path knows.
         * @example GET, HEAD, OPTIONS
         */
        Allow: string;
        /**
         * @description Always `no-store`; no answer of this service may be cached.
         * @example no-store
         */
        CacheControl: "no-store";
        /**
         * @description Present, and `true`, when the answer is that of an earlier call with the same `Idempotency-Key`.
         * @example true
         */
        IdempotentReplayed: "true";
        /**
         * @description Requests allowed in a window.
         * @example 100
         */
        RateLimitLimit: string;
        /**
         * @description Requests left in the current window.
         * @example 0
         */
        RateLimitRemaining: string;
        /**
         * @description When the current window ends, in seconds since 1970-01-01 UTC.
         * @example 1769860801
         */
        RateLimitReset: string;
        /**
         * @description Names this request in support cases.
         * @example req_00000001
         */
        RequestId: string;
        /**
         * @description Seconds to wait before the next request.
         * @example 1
         */
        RetryAfter: string;
        /**
         * @description The authentication scheme to use.
         * @example Bearer
         */
        WwwAuthenticate: "Bearer";
    };
    pathItems: never;
}
export type Amount = components['schemas']['Amount'];
export type Balance = components['schemas']['Balance'];
export type BalanceEnvelope = components['schemas']['BalanceEnvelope'];
export type Beneficiary = components['schemas']['Beneficiary'];
export type Currency = components['schemas']['Currency'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type ErrorEnvelope = components['schemas']['ErrorEnvelope'];
export type ErrorType = components['schemas']['ErrorType'];
export type Mode = components['schemas']['Mode'];
export type Pagination = components['schemas']['Pagination'];
export type Payment = components['schemas']['Payment'];
export type PaymentEnvelope = components['schemas']['PaymentEnvelope'];
export type PaymentId = components['schemas']['PaymentId'];
export type PaymentRequest = components['schemas']['PaymentRequest'];
export type PaymentStatus = components['schemas']['PaymentStatus'];
export type Quote = components['schemas']['Quote'];
export type QuoteEnvelope = components['schemas']['QuoteEnvelope'];
export type QuoteRequest = components['schemas']['QuoteRequest'];
export type Text = components['schemas']['Text'];
export type Timestamp = components['schemas']['Timestamp'];
export type Transaction = components['schemas']['Transaction'];
export type TransactionPage = components['schemas']['TransactionPage'];
export type TransactionsEnvelope = components['schemas']['TransactionsEnvelope'];
export type TransactionStatus = components['schemas']['TransactionStatus'];
export type TransactionType = components['schemas']['TransactionType'];
export type Wallet = components['schemas']['Wallet'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookEventData = components['schemas']['WebhookEventData'];
export type WebhookEventName = components['schemas']['WebhookEventName'];
export type ResponseIdempotencyConflict = components['responses']['IdempotencyConflict'];
export type ResponseInvalidPayment = components['responses']['InvalidPayment'];
export type ResponseInvalidQuery = components['responses']['InvalidQuery'];
export type ResponseInvalidQuote = components['responses']['InvalidQuote'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseMethodNotAllowed = components['responses']['MethodNotAllowed'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseServerError = components['responses']['ServerError'];
export type ResponseSuspended = components['responses']['Suspended'];
export type ResponseUnauthenticated = components['responses']['Unauthenticated'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterPage = components['parameters']['Page'];
export type ParameterPaymentId = components['parameters']['PaymentId'];
export type ParameterPerPage = components['parameters']['PerPage'];
export type ParameterSignature = components['parameters']['Signature'];
export type ParameterTransactionStatusFilter = components['parameters']['TransactionStatusFilter'];
export type ParameterTransactionTypeFilter = components['parameters']['TransactionTypeFilter'];
export type HeaderAllow = components['headers']['Allow'];
export type HeaderCacheControl = components['headers']['CacheControl'];
export type HeaderIdempotentReplayed = components['headers']['IdempotentReplayed'];
export type HeaderRateLimitLimit = components['headers']['RateLimitLimit'];
export type HeaderRateLimitRemaining = components['headers']['RateLimitRemaining'];
export type HeaderRateLimitReset = components['headers']['RateLimitReset'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderWwwAuthenticate = components['headers']['WwwAuthenticate'];
export type $defs = Record<string, never>;
export interface operations {
    getBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallets. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceEnvelope"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Suspended"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Binds the call to the payment that it creates, for 24 hours, per account, mode and path. The same key with the same body answers with the first payment; with another body it is refused. The service's document does not mention this header, so a client must not rely on it unless the service is known to honour it.
                 * @example order-7731-attempt-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRequest"];
            };
        };
        responses: {
            /** @description The payment, in status `pending`. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentEnvelope"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Suspended"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidPayment"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of a payment.
                 * @example pay_test_0000014Kq8ZxWb2TnVd7Rm3s
                 */
                payment_id: components["parameters"]["PaymentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment as it stands now. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentEnvelope"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Suspended"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createQuote: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteRequest"];
            };
        };
        responses: {
            /** @description The quote. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteEnvelope"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Suspended"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidQuote"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /**
                 * @description The page to return, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many rows a page holds.
                 * @example 20
                 */
                per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Returns only rows of this status.
                 * @example completed
                 */
                status?: components["parameters"]["TransactionStatusFilter"];
                /**
                 * @description Returns only rows of this type.
                 * @example payment
                 */
                type?: components["parameters"]["TransactionTypeFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of transactions; past the end an empty one. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionsEnvelope"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Suspended"];
            405: components["responses"]["MethodNotAllowed"];
            422: components["responses"]["InvalidQuery"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    receivePaymentEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 over the raw request body, keyed with the webhook signing secret, as 64 lowercase hexadecimal digits. Compare it in constant time, over the bytes as they arrived, before reading them.
                 * @example 4a0e0f6b1d1c8f3f0b0d6e9f7a5c3b2a19087f6e5d4c3b2a190817263544556a
                 */
                "X-Service-Signature": components["parameters"]["Signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description The receiver has taken the event over. Anything else counts as not delivered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The signature does not belong to the body. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
type FlattenedDeepRequired<T> = {
    [K in keyof T]-?: FlattenedDeepRequired<T[K] extends unknown[] | undefined | null ? Extract<T[K], unknown[]>[number] : T[K]>;
};
type ReadonlyArray<T> = [
    Exclude<T, undefined>
] extends [
    unknown[]
] ? Readonly<Exclude<T, undefined>> : Readonly<Exclude<T, undefined>[]>;
export const errorTypeValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["ErrorType"]> = ["authentication_error", "idempotency_error", "insufficient_funds", "invalid_request_error", "method_not_allowed", "not_found", "payload_too_large", "permission_error", "rate_limit_error", "server_error", "service_unavailable", "unsupported_media_type", "validation_error"];
export const modeValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["Mode"]> = ["test", "live"];
export const paymentStatusValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["PaymentStatus"]> = ["pending", "processing", "completed", "failed"];
export const transactionStatusValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["TransactionStatus"]> = ["pending", "processing", "completed", "failed"];
export const transactionTypeValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["TransactionType"]> = ["deposit", "payment", "refund", "adjustment"];
export const webhookEventNameValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["WebhookEventName"]> = ["payment.pending", "payment.processing", "payment.completed", "payment.failed"];
