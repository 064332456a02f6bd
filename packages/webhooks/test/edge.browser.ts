// The suites of both entry points, run against /edge in a real browser.
import './bad-inputs.test.ts';
import './create-receiver.test.ts';
import './create-verifier.test.ts';
import './event-age.test.ts';
import './is-valid-signature.test.ts';
import './memory-store.test.ts';
import './rotation.test.ts';
import './sign.test.ts';
import './testing-aids.test.ts';
import './vector-file.test.ts';
import './webhook-event.test.ts';
