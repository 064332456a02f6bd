// Mistake: verifies the signature of the parsed and serialized body.
import { correct, start } from './application.ts';

start({
  ...correct,
  isGenuine(body, signature) {
    const serialized = JSON.stringify(JSON.parse(body.toString()));
    return correct.isGenuine(Buffer.from(serialized), signature);
  },
});
