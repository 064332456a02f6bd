#!/bin/sh
# Starts a mock of the API, runs the smoke test, and checks that a payment sends its webhooks.
set -eu

PATH="$PWD/node_modules/.bin:$PATH"
port=${PORT:-4010}
export SERVICE_BASE_URL="http://127.0.0.1:$port/api/v1"
export SERVICE_API_KEY=service_test_ci # with `--accounts open` any test key works
export SERVICE_WEBHOOK_SECRET='the signing secret of this run'

service-cli mock --accounts open --port "$port" --speed 10 > mock.log &
mock=$!
trap 'kill "$mock"; wait "$mock" || true' EXIT
curl --silent --fail --retry 30 --retry-delay 1 --retry-connrefused --output /dev/null "http://127.0.0.1:$port/_sandbox/health"

service-cli smoke --junit smoke.xml

# The listener ends by itself after the event, so nothing is left to stop.
service-cli webhooks listen --sandbox --port 0 --until payment.completed --timeout 60s --json > webhooks.jsonl 2> listen.log &
listener=$!
until grep --quiet 'http://' listen.log; do
  kill -0 "$listener" || exit 1
  sleep 0.1
done
service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait
wait "$listener"
grep --quiet '"event":"payment.completed"' webhooks.jsonl
echo 'The smoke test passed.'
