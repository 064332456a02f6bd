<?php
/** Calls the payments API. No extension is needed. */

declare(strict_types=1);

/** The service rejected the request and did nothing. */
class ServiceError extends RuntimeException {}

/** The payment may exist. Search the transactions for its purpose, and do not create it again. */
class OutcomeUnknown extends RuntimeException {}

class PaymentsClient
{
    public function __construct(private string $baseUrl, private string $apiKey) {}

    /** Creates a payment. The amount is decimal text, such as '1000.50', and keeps its digits. */
    public function createPayment(string $amount, string $supplier, string $purpose, array $fields = []): array
    {
        if (!preg_match('/^\d{1,12}(\.\d{1,2})?$/D', $amount)) {
            throw new InvalidArgumentException('The amount must be decimal text with at most 2 decimals.');
        }
        $order = ['from_currency' => 'USD', 'to_currency' => 'EUR', 'beneficiary_name' => $supplier, 'purpose' => $purpose];
        $rest = json_encode($fields + $order, JSON_THROW_ON_ERROR);
        return $this->send('POST', '/payments', substr($rest, 0, -1) . ", \"amount\": $amount}");
    }

    public function findPayment(string $id): array
    {
        return $this->send('GET', '/payments/' . rawurlencode($id));
    }

    private function send(string $method, string $path, string $body = ''): array
    {
        $headers = ["Authorization: Bearer $this->apiKey", 'Content-Type: application/json'];
        // A redirect would send the key and the order to another address.
        $options = ['method' => $method, 'header' => $headers, 'content' => $body, 'timeout' => 30, 'ignore_errors' => true, 'follow_location' => 0];
        $text = @file_get_contents($this->baseUrl . $path, false, stream_context_create(['http' => $options]));
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        $envelope = is_string($text) ? json_decode($text, true) : null;
        if ($status >= 200 && $status < 300 && isset($envelope['data']['id'])) {
            return $envelope['data'];
        }
        if (in_array($status, [401, 403, 404, 422, 429], true) && isset($envelope['error']['message'])) {
            throw new ServiceError($envelope['error']['message']);
        }
        throw new OutcomeUnknown($status === 0 ? 'no response' : "HTTP $status");
    }
}
