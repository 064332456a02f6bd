import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { BodyEncryption } from '@service/sdk/payer';

const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** Encrypts bodies with a key of 32 bytes. A body cannot be decrypted under another reference. */
export function createBodyEncryption(key: Uint8Array): BodyEncryption {
  return {
    encrypt: (body, reference) => {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(reference));
      const text = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64');
    },
    decrypt: (encrypted, reference) => {
      const bytes = Buffer.from(encrypted, 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_LENGTH), {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(Buffer.from(reference)).setAuthTag(bytes.subarray(-TAG_LENGTH));
      const text = bytes.subarray(NONCE_LENGTH, -TAG_LENGTH);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    },
  };
}
