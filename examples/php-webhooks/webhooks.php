<?php
/** Verifies webhooks and records the latest status of each payment. Run it with `php -S`, or behind a web server. */

declare(strict_types=1);

/** Compares HMAC-SHA256 of the raw body with the header X-Service-Signature, in constant time. */
function is_valid_signature(string $body, string $signature, string $secret): bool
{
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

const STATUSES = ['pending', 'processing', 'completed', 'failed'];

/** Records a status, unless a later one is known: events can arrive late, out of order and more than once. In an application, this is a table. */
function record_status(string $file, string $id, string $status): void
{
    $handle = fopen($file, 'c+');
    flock($handle, LOCK_EX);
    $known = json_decode(stream_get_contents($handle), true) ?? [];
    $rank = fn (?string $name): int => is_int($place = array_search($name, STATUSES, true)) ? $place : -1;
    if ($rank($status) > $rank($known[$id] ?? null)) {
        $known[$id] = $status;
        ftruncate($handle, 0);
        rewind($handle);
        fwrite($handle, json_encode($known, JSON_THROW_ON_ERROR));
    }
    fclose($handle);
}

/** Handles a webhook and returns the status of its response. Any other status than 200 makes the service send the event again. */
function handle_webhook(string $body, string $signature, string $secret, string $mode, string $file): int
{
    if (!is_valid_signature($body, $signature, $secret)) {
        return 401;
    }
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    if ($event['data']['mode'] === $mode) {
        record_status($file, $event['data']['id'], $event['data']['status']);
    }
    return 200;
}

if (PHP_SAPI !== 'cli') {
    $body = file_get_contents('php://input'); // the raw bytes: a parsed and serialized body has another signature
    $signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
    http_response_code(handle_webhook($body, $signature, getenv('SERVICE_WEBHOOK_SECRET'), 'test', getenv('STATUS_FILE')));
}
