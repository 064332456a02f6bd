// Generated from openapi.yaml by `npm run generate`. Do not edit.
/** The operations of each path, by method. */
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
         * @description Returns every wallet of the account, sorted by currency, including those with a balance of zero. A balance is the available amount: a payment is debited when it is created.
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
         * @description Creates a payment in status `pending` and debits its `send_amount` from the wallet of `from_currency` in the same step. Two requests create two payments: unless the service is known to honor `Idempotency-Key`, do not repeat a request whose response was lost before its outcome is known.
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
         * @description Returns the rate, the fee and the amount that a beneficiary would receive. A quote is indicative: it has no id, is not stored and is not binding.
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
         * @description Returns the transactions of all wallets, newest first. A transaction must match all filters. The amounts of all transactions of a currency add up to its balance.
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
/** The webhooks that the service sends. */
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
         * @description Sent to the endpoint of the account and mode for every status of a payment, including `pending`. A change may be delivered more than once and out of order. Payment id and status together identify a change. The service's document does not show how the endpoint of an account is registered.
         */
        post: operations["receivePaymentEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
/** The schemas, responses, parameters and headers of the document, by name. */
export interface components {
    schemas: {
        /**
         * Format: double
         * @description An amount of money to send, as a JSON number with at most 2 decimals by value (`10.000` is 10). The service's document states the minimum for quotes only, and no maximum; the sandbox accepts up to 999999999.99.
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
             * @description The wallets, including those with a balance of zero.
             * @example [
             *       {
             *         "currency": "USD",
             *         "balance": 99000
             *       }
             *     ]
             */
            balances: components["schemas"]["Wallet"][];
        };
        /** @description The response with the wallets. */
        BalanceEnvelope: {
            /** @description The wallets. */
            data: components["schemas"]["Balance"];
            /** @description The mode of the request. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description The recipient of a payment.
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
         * @description A 3-letter ISO 4217 code in upper case. The service's document does not list the supported currencies. The sandbox supports the 46 currencies in `x-decided` and responds 422 to others.
         * @example USD
         */
        Currency: string;
        /**
         * @description The type and message of an error.
         * @example {
         *       "type": "not_found",
         *       "message": "There is no such payment."
         *     }
         */
        ErrorDetail: {
            /**
             * @description One sentence for people. It never contains a key or a secret.
             * @example There is no such payment.
             */
            message: string;
            /** @description The type of the error, for programs. */
            type: components["schemas"]["ErrorType"];
        };
        /**
         * @description The response to a request that failed.
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
            /** @description The error. */
            error: components["schemas"]["ErrorDetail"];
            /** @description The mode of the request. Absent if the request was not authenticated. */
            mode?: components["schemas"]["Mode"];
            /**
             * @description Always false.
             * @example false
             * @constant
             */
            success: false;
        };
        /**
         * @description The type of an error. A client must accept types that are not listed here.
         * @example validation_error
         * @enum {string}
         */
        ErrorType: "authentication_error" | "idempotency_error" | "insufficient_funds" | "invalid_request_error" | "method_not_allowed" | "not_found" | "payload_too_large" | "permission_error" | "rate_limit_error" | "server_error" | "service_unavailable" | "unsupported_media_type" | "validation_error";
        /**
         * @description The environment that served the request. The prefixes of API keys and of payment ids contain it.
         * @example test
         * @enum {string}
         */
        Mode: "test" | "live";
        /**
         * @description The position of a page among all pages.
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
             * @description The number of this page, starting at 1.
             * @example 1
             */
            current_page: number;
            /**
             * @description Whether a later page has transactions.
             * @example true
             */
            has_more: boolean;
            /**
             * @description The number of transactions per page.
             * @example 20
             */
            per_page: number;
            /**
             * @description The number of matching transactions.
             * @example 45
             */
            total: number;
            /**
             * @description The number of pages.
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
            /** @description The recipient of the payment. */
            beneficiary: components["schemas"]["Beneficiary"];
            /** @description The time of the create. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The currency sent. */
            from_currency: components["schemas"]["Currency"];
            /** @description The unique id of the payment. */
            id: components["schemas"]["PaymentId"];
            /**
             * @description The purpose or reference as sent, or null.
             * @example INV-2026-0042
             */
            purpose: string | null;
            /**
             * Format: double
             * @description Units of `to_currency` per unit of `from_currency`, with up to 6 decimals.
             * @example 0.9213
             */
            rate: number;
            /**
             * Format: double
             * @description The amount that the beneficiary receives, in `to_currency`.
             * @example 916.69
             */
            receive_amount: number;
            /**
             * Format: double
             * @description The amount sent, in `from_currency`. The wallet was debited exactly this amount.
             * @example 1000
             */
            send_amount: number;
            /** @description The status of the payment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The currency received. */
            to_currency: components["schemas"]["Currency"];
        };
        /** @description The response with a payment. */
        PaymentEnvelope: {
            /** @description The payment. */
            data: components["schemas"]["Payment"];
            /** @description The mode of the request. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description A unique payment reference, `pay_<mode>_<unique>`. The service's document does not limit the unique part; the sandbox uses 24 letters or digits.
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
             * @description The purpose or reference of the payment. `null` is the same as absent. With a unique reference, a payment can be found in the transactions if the response to its create was lost.
             * @example INV-2026-0042
             */
            purpose?: components["schemas"]["Text"] | null;
            /** @description The currency that the beneficiary receives. */
            to_currency: components["schemas"]["Currency"];
        };
        /**
         * @description The status of a payment. `completed` and `failed` are final, but a bank can return a completed payment. A client must accept statuses that are not listed here.
         * @example pending
         * @enum {string}
         */
        PaymentStatus: "pending" | "processing" | "completed" | "failed";
        /**
         * @description Cost and result of an exchange.
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
             * Format: double
             * @description The fee, 0.50 % of `send_amount` in `from_currency`, rounded half up. It is included in `send_amount`.
             * @example 5
             */
            fee: number;
            /** @description The currency to send. */
            from_currency: components["schemas"]["Currency"];
            /**
             * Format: double
             * @description Units of `to_currency` per unit of `from_currency`, with up to 6 decimals.
             * @example 0.9213
             */
            rate: number;
            /**
             * Format: double
             * @description The amount that the beneficiary would receive, in `to_currency`, with 2 decimals.
             * @example 916.69
             */
            receive_amount: number;
            /**
             * Format: double
             * @description The amount to send, in `from_currency`.
             * @example 1000
             */
            send_amount: number;
            /** @description The currency to receive. */
            to_currency: components["schemas"]["Currency"];
        };
        /** @description The response with a quote. */
        QuoteEnvelope: {
            /** @description The quote. */
            data: components["schemas"]["Quote"];
            /** @description The mode of the request. */
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
         * @description Text with a visible character and without control characters, stored and returned exactly as sent. The sandbox accepts up to 255 code points after trimming, in well-formed Unicode; the service's document states no limit.
         * @example Acme Supplies Ltd
         */
        Text: string;
        /**
         * @description An ISO 8601 timestamp with a UTC offset.
         * @example 2026-01-31T12:00:00+00:00
         */
        Timestamp: string;
        /**
         * @description One change of a wallet's balance.
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
             * Format: double
             * @description The signed amount. A debit is negative.
             * @example -1000
             */
            amount: number;
            /**
             * Format: double
             * @description The wallet's balance after the transaction.
             * @example 99000
             */
            balance_after: number;
            /** @description The time of the transaction. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The wallet's currency. */
            currency: components["schemas"]["Currency"];
            /**
             * Format: double
             * @description The fee included in the amount, or null without one.
             * @example 5
             */
            fee: number | null;
            /**
             * @description The unique id of the transaction.
             * @example txn_test_000002hZ4mQ9sLc1KdXw8Rt6
             */
            id: string;
            /**
             * @description The id of the payment that caused the transaction, or null.
             * @example pay_test_0000014Kq8ZxWb2TnVd7Rm3s
             */
            payment_id: components["schemas"]["PaymentId"] | null;
            /**
             * @description The `purpose` of the payment, or null.
             * @example INV-2026-0042
             */
            reference: string | null;
            /** @description The status of the transaction. */
            status: components["schemas"]["TransactionStatus"];
            /** @description The cause of the transaction. */
            type: components["schemas"]["TransactionType"];
        };
        /**
         * @description One page of transactions, newest first.
         * @example {
         *       "transactions": [
         *         {
         *           "id": "txn_test_000002hZ4mQ9sLc1KdXw8Rt6",
         *           "type": "payment",
         *           "status": "completed",
         *           "currency": "USD",
         *           "amount": -1000,
         *           "fee": 5,
         *           "balance_after": 99000,
         *           "payment_id": "pay_test_0000014Kq8ZxWb2TnVd7Rm3s",
         *           "reference": "INV-2026-0042",
         *           "created_at": "2026-01-31T12:00:00+00:00"
         *         }
         *       ],
         *       "pagination": {
         *         "current_page": 1,
         *         "per_page": 20,
         *         "total": 1,
         *         "total_pages": 1,
         *         "has_more": false
         *       }
         *     }
         */
        TransactionPage: {
            /** @description The position of this page. */
            pagination: components["schemas"]["Pagination"];
            /**
             * @description The transactions of this page.
             * @example [
             *       {
             *         "id": "txn_test_000002hZ4mQ9sLc1KdXw8Rt6",
             *         "type": "payment",
             *         "status": "completed",
             *         "currency": "USD",
             *         "amount": -1000,
             *         "fee": 5,
             *         "balance_after": 99000,
             *         "payment_id": "pay_test_0000014Kq8ZxWb2TnVd7Rm3s",
             *         "reference": "INV-2026-0042",
             *         "created_at": "2026-01-31T12:00:00+00:00"
             *       }
             *     ]
             */
            transactions: components["schemas"]["Transaction"][];
        };
        /** @description The response with a page of transactions. */
        TransactionsEnvelope: {
            /** @description The page. */
            data: components["schemas"]["TransactionPage"];
            /** @description The mode of the request. */
            mode: components["schemas"]["Mode"];
            /**
             * @description Always true.
             * @example true
             * @constant
             */
            success: true;
        };
        /**
         * @description The status of a transaction. A `payment` transaction has the status of its payment; every other one is `completed`. A client must accept statuses that are not listed here.
         * @example completed
         * @enum {string}
         */
        TransactionStatus: "pending" | "processing" | "completed" | "failed";
        /**
         * @description The cause of a transaction. A client must accept types that are not listed here.
         * @example payment
         * @enum {string}
         */
        TransactionType: "deposit" | "payment" | "refund" | "adjustment";
        /**
         * @description One currency of an account and its available amount.
         * @example {
         *       "currency": "USD",
         *       "balance": 99000
         *     }
         */
        Wallet: {
            /**
             * Format: double
             * @description The available amount. Never negative in the sandbox.
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
            /** @description The time of the change. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The payment immediately after the change. */
            data: components["schemas"]["WebhookEventData"];
            /** @description The name of the event. */
            event: components["schemas"]["WebhookEventName"];
        };
        /**
         * @description The payment immediately after the change.
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
            /** @description The id of the payment. */
            id: components["schemas"]["PaymentId"];
            /** @description The mode of the payment. */
            mode: components["schemas"]["Mode"];
            /**
             * Format: double
             * @description The amount received.
             * @example 916.69
             */
            receive_amount: number;
            /**
             * Format: double
             * @description The amount sent.
             * @example 1000
             */
            send_amount: number;
            /** @description The new status of the payment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description The currency received. */
            to_currency: components["schemas"]["Currency"];
        };
        /**
         * @description The name of the event: `payment.` and the new status. A client must accept names that are not listed here.
         * @example payment.completed
         * @enum {string}
         */
        WebhookEventName: "payment.pending" | "payment.processing" | "payment.completed" | "payment.failed";
    };
    responses: {
        /** @description The payment, in status `pending`. */
        CreatedPayment: {
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
        /** @description A request with the same `Idempotency-Key` is still running. */
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
        /** @description A field of the payment is invalid (`validation_error`; the message names every invalid field), the wallet balance is too low (`insufficient_funds`), the beneficiary would receive 0 (`validation_error`), or the `Idempotency-Key` belongs to another body (`idempotency_error`). */
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
        /** @description A query parameter is invalid. The message names every invalid parameter. */
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
        /** @description A field of the quote is invalid. The message names every invalid field. */
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
        /** @description The path does not support this method. */
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
        /** @description The path does not exist, or the account has no such payment in this mode. */
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
        /** @description Any other failure. The service's document states that other statuses and error types exist, but not which. A gateway may respond with a body that is not JSON. After a create, a payment may exist. */
        OtherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "error": {
                 *         "type": "server_error",
                 *         "message": "The service failed."
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
        /** @description The quote. */
        QuoteResult: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["QuoteEnvelope"];
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
        /** @description The service is temporarily unavailable. A payment may have been created. */
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
        /** @description The media type of the body is not `application/json` in UTF-8, or the body is compressed. */
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
         * @description Binds the request to the payment that it creates, for 24 hours, per account, mode and path. The same key with the same body returns the first payment; with another body the request is rejected. The service's document does not mention this header, so a client must not rely on it unless the service is known to honor it.
         * @example order-7731-attempt-1
         */
        IdempotencyKey: string;
        /**
         * @description The number of the page, starting at 1.
         * @example 1
         */
        Page: number;
        /**
         * @description The `id` of a payment.
         * @example pay_test_0000014Kq8ZxWb2TnVd7Rm3s
         */
        PaymentId: components["schemas"]["PaymentId"];
        /**
         * @description The number of transactions per page.
         * @example 20
         */
        PerPage: number;
        /**
         * @description HMAC-SHA256 over the raw request body, keyed with the webhook signing secret, as 64 lowercase hexadecimal digits. Verify it in constant time over the raw bytes, before parsing them.
         * @example 4a0e0f6b1d1c8f3f0b0d6e9f7a5c3b2a19087f6e5d4c3b2a190817263544556a
         */
        Signature: string;
        /**
         * @description Returns only transactions with this status.
         * @example completed
         */
        TransactionStatusFilter: components["schemas"]["TransactionStatus"];
        /**
         * @description Returns only transactions of this type.
         * @example payment
         */
        TransactionTypeFilter: components["schemas"]["TransactionType"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The methods of this path.
         * @example GET, HEAD, OPTIONS
         */
        Allow: string;
        /**
         * @description No response of this service may be cached.
         * @example no-store
         */
        CacheControl: string;
        /**
         * @description Present, with the value `true`, if the response replays an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        IdempotentReplayed: "true";
        /**
         * @description The number of requests allowed in a window.
         * @example 100
         */
        RateLimitLimit: string;
        /**
         * @description The number of requests left in the current window.
         * @example 0
         */
        RateLimitRemaining: string;
        /**
         * @description The end of the current window, in seconds since 1970-01-01 UTC.
         * @example 1769860801
         */
        RateLimitReset: string;
        /**
         * @description The id of the request, for support cases.
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
        WwwAuthenticate: string;
    };
    pathItems: never;
}
/** An amount of money to send, as a JSON number with at most 2 decimals by value (`10.000` is 10). The service's document states the minimum for quotes only, and no maximum; the sandbox accepts up to 999999999.99. */
export type Amount = components['schemas']['Amount'];
/** All wallets of the account, sorted by currency. */
export type Balance = components['schemas']['Balance'];
/** The response with the wallets. */
export type BalanceEnvelope = components['schemas']['BalanceEnvelope'];
/** The recipient of a payment. */
export type Beneficiary = components['schemas']['Beneficiary'];
/** A 3-letter ISO 4217 code in upper case. The service's document does not list the supported currencies. The sandbox supports the 46 currencies in `x-decided` and responds 422 to others. */
export type Currency = components['schemas']['Currency'];
/** The type and message of an error. */
export type ErrorDetail = components['schemas']['ErrorDetail'];
/** The response to a request that failed. */
export type ErrorEnvelope = components['schemas']['ErrorEnvelope'];
/** The type of an error. A client must accept types that are not listed here. */
export type ErrorType = components['schemas']['ErrorType'];
/** The environment that served the request. The prefixes of API keys and of payment ids contain it. */
export type Mode = components['schemas']['Mode'];
/** The position of a page among all pages. */
export type Pagination = components['schemas']['Pagination'];
/** A supplier payment. */
export type Payment = components['schemas']['Payment'];
/** The response with a payment. */
export type PaymentEnvelope = components['schemas']['PaymentEnvelope'];
/** A unique payment reference, `pay_<mode>_<unique>`. The service's document does not limit the unique part; the sandbox uses 24 letters or digits. */
export type PaymentId = components['schemas']['PaymentId'];
/** The payment to create. */
export type PaymentRequest = components['schemas']['PaymentRequest'];
/** The status of a payment. `completed` and `failed` are final, but a bank can return a completed payment. A client must accept statuses that are not listed here. */
export type PaymentStatus = components['schemas']['PaymentStatus'];
/** Cost and result of an exchange. */
export type Quote = components['schemas']['Quote'];
/** The response with a quote. */
export type QuoteEnvelope = components['schemas']['QuoteEnvelope'];
/** The exchange to quote. */
export type QuoteRequest = components['schemas']['QuoteRequest'];
/** Text with a visible character and without control characters, stored and returned exactly as sent. The sandbox accepts up to 255 code points after trimming, in well-formed Unicode; the service's document states no limit. */
export type Text = components['schemas']['Text'];
/** An ISO 8601 timestamp with a UTC offset. */
export type Timestamp = components['schemas']['Timestamp'];
/** One change of a wallet's balance. */
export type Transaction = components['schemas']['Transaction'];
/** One page of transactions, newest first. */
export type TransactionPage = components['schemas']['TransactionPage'];
/** The response with a page of transactions. */
export type TransactionsEnvelope = components['schemas']['TransactionsEnvelope'];
/** The status of a transaction. A `payment` transaction has the status of its payment; every other one is `completed`. A client must accept statuses that are not listed here. */
export type TransactionStatus = components['schemas']['TransactionStatus'];
/** The cause of a transaction. A client must accept types that are not listed here. */
export type TransactionType = components['schemas']['TransactionType'];
/** One currency of an account and its available amount. */
export type Wallet = components['schemas']['Wallet'];
/** The notification that a payment changed status. */
export type WebhookEvent = components['schemas']['WebhookEvent'];
/** The payment immediately after the change. */
export type WebhookEventData = components['schemas']['WebhookEventData'];
/** The name of the event: `payment.` and the new status. A client must accept names that are not listed here. */
export type WebhookEventName = components['schemas']['WebhookEventName'];
export type ResponseCreatedPayment = components['responses']['CreatedPayment'];
export type ResponseIdempotencyConflict = components['responses']['IdempotencyConflict'];
export type ResponseInvalidPayment = components['responses']['InvalidPayment'];
export type ResponseInvalidQuery = components['responses']['InvalidQuery'];
export type ResponseInvalidQuote = components['responses']['InvalidQuote'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseMethodNotAllowed = components['responses']['MethodNotAllowed'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseOtherError = components['responses']['OtherError'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseQuoteResult = components['responses']['QuoteResult'];
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
/** The parameters, bodies and responses of each operation, by its id. */
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
            default: components["responses"]["OtherError"];
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Binds the request to the payment that it creates, for 24 hours, per account, mode and path. The same key with the same body returns the first payment; with another body the request is rejected. The service's document does not mention this header, so a client must not rely on it unless the service is known to honor it.
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
            200: components["responses"]["CreatedPayment"];
            201: components["responses"]["CreatedPayment"];
            202: components["responses"]["CreatedPayment"];
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
            default: components["responses"]["OtherError"];
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
            /** @description The current state of the payment. */
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
            default: components["responses"]["OtherError"];
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
            200: components["responses"]["QuoteResult"];
            201: components["responses"]["QuoteResult"];
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
            default: components["responses"]["OtherError"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /**
                 * @description The number of the page, starting at 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of transactions per page.
                 * @example 20
                 */
                per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Returns only transactions with this status.
                 * @example completed
                 */
                status?: components["parameters"]["TransactionStatusFilter"];
                /**
                 * @description Returns only transactions of this type.
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
            /** @description One page of transactions. A page past the end is empty. */
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
            default: components["responses"]["OtherError"];
        };
    };
    receivePaymentEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 over the raw request body, keyed with the webhook signing secret, as 64 lowercase hexadecimal digits. Verify it in constant time over the raw bytes, before parsing them.
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
            /** @description The receiver acknowledges the event. After any other response it counts as not delivered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The signature does not match the body. */
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
/** The values of {@link ErrorType}. */
export const errorTypeValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["ErrorType"]> = ["authentication_error", "idempotency_error", "insufficient_funds", "invalid_request_error", "method_not_allowed", "not_found", "payload_too_large", "permission_error", "rate_limit_error", "server_error", "service_unavailable", "unsupported_media_type", "validation_error"];
/** The values of {@link Mode}. */
export const modeValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["Mode"]> = ["test", "live"];
/** The values of {@link PaymentStatus}. */
export const paymentStatusValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["PaymentStatus"]> = ["pending", "processing", "completed", "failed"];
/** The values of {@link TransactionStatus}. */
export const transactionStatusValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["TransactionStatus"]> = ["pending", "processing", "completed", "failed"];
/** The values of {@link TransactionType}. */
export const transactionTypeValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["TransactionType"]> = ["deposit", "payment", "refund", "adjustment"];
/** The values of {@link WebhookEventName}. */
export const webhookEventNameValues: ReadonlyArray<FlattenedDeepRequired<components>["schemas"]["WebhookEventName"]> = ["payment.pending", "payment.processing", "payment.completed", "payment.failed"];
