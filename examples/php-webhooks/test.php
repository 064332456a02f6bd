<?php
/** Tests against `service-cli mock`, whose clock the tests advance through its control API. */

declare(strict_types=1);

require 'payments.php';
require 'webhooks.php';

const SECRET = 'the signing secret of the tests';
set_error_handler(fn (int $level, string $message) => (error_reporting() & $level) === 0 ? false : throw new ErrorException($message));

function check(string $title, mixed $actual, mixed $expected): void
{
    if ($actual !== $expected) {
        throw new Exception("$title: expected " . var_export($expected, true) . ', got ' . var_export($actual, true));
    }
    echo "ok $title\n";
}

/** Starts a program and returns its process. */
function start(array $command, mixed &$output, array $env = []): mixed
{
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes, null, getenv() + $env);
    $output = $pipes;
    return $process;
}

/** Calls the control API of the mock. */
function control(string $method, string $path, array $body): array
{
    global $mock;
    $options = ['method' => $method, 'header' => 'Content-Type: application/json', 'content' => json_encode((object) $body)];
    return json_decode(file_get_contents("$mock[url]/_sandbox$path", false, stream_context_create(['http' => $options])), true);
}

function thrown(callable $call): string
{
    try {
        $call();
    } catch (Exception $error) {
        return $error::class;
    }
    return 'nothing';
}

$file = tempnam(sys_get_temp_dir(), 'statuses');
$processes = [];
register_shutdown_function(function () use (&$processes, $file): void {
    array_map(proc_terminate(...), $processes);
    unlink($file);
});

$processes[] = start(['node_modules/.bin/service-cli', 'mock', '--port', '0', '--clock', 'manual', '--json', '--quiet'], $output);
$mock = json_decode(fgets($output[1]), true);
$processes[] = start([PHP_BINARY, '-S', '127.0.0.1:0', 'webhooks.php'], $started, ['SERVICE_WEBHOOK_SECRET' => SECRET, 'STATUS_FILE' => $file]);
preg_match('/http:\S+:\d+/', fgets($started[2]), $address); // "Development Server (http://127.0.0.1:40321) started"
$endpoint = $address[0];

$account = control('POST', '/accounts', []);
control('PUT', '/webhooks/endpoint', ['account' => $account['id'], 'url' => $endpoint, 'secret' => SECRET]);
$client = new PaymentsClient($mock['baseUrl'], $account['testKey']);
$pay = fn (array $fields = [], string $amount = '1000.50') => $client->createPayment($amount, 'Acme Supplies Ltd', 'INV-42', $fields);

$expected = [];
foreach (['SIM-OK' => 'completed', 'SIM-RETURN' => 'failed', 'SIM-HOOK-SHUFFLE' => 'completed'] as $beneficiary => $status) {
    $payment = $pay(['beneficiary_account' => $beneficiary]);
    check("the amount of $beneficiary", $payment['send_amount'], 1000.5);
    $expected[$payment['id']] = $status;
}
control('POST', '/clock/advance', ['duration' => '10s']);
check('webhooks record the status of each payment', json_decode(file_get_contents($file), true) == $expected, true);
check('a payment can be read', $client->findPayment(array_key_last($expected))['status'], 'completed');
check('a payment without funds is rejected', thrown(fn () => $pay([], '999999.00')), ServiceError::class);
foreach ([['kind' => 'reset_after_commit'], ['kind' => 'truncated'], ['kind' => 'garbage'], ['kind' => 'html'], ['kind' => 'html', 'status' => 422]] as $fault) {
    control('POST', '/faults', $fault + ['operation' => 'createPayment']);
    check('an unknown outcome: ' . json_encode($fault), thrown(fn () => $pay()), OutcomeUnknown::class);
}
check('an amount is no JSON', thrown(fn () => $pay([], '1, "x": 2')), InvalidArgumentException::class);

$forged = ['method' => 'POST', 'header' => ['Content-Type: application/json', 'X-Service-Signature: ' . str_repeat('0', 64)], 'content' => '{}', 'ignore_errors' => true];
file_get_contents($endpoint, false, stream_context_create(['http' => $forged]));
check('a forged webhook is rejected', explode(' ', $http_response_header[0])[1], '401');

$vectors = json_decode(file_get_contents('node_modules/@service/webhooks/vectors/signatures.json'), true)['vectors'];
check('there are vectors', count($vectors) > 0, true);
foreach ($vectors as ['title' => $title, 'body' => $body, 'secret' => $secret, 'signatures' => $signatures, 'valid' => $valid]) {
    $isValid = count($signatures) === 1 && is_valid_signature(base64_decode($body), $signatures[0], base64_decode($secret));
    check("vector: $title", $isValid, $valid);
}
