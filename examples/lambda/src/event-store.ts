import { ConditionalCheckFailedException, DynamoDB } from '@aws-sdk/client-dynamodb';
import type { DedupeStore } from '@service/webhooks';

/** Time for which handled events are remembered. */
const TTL = 7 * 24 * 60 * 60 * 1000;

/**
 * Creates a store of handled events in a DynamoDB table with the key `event`. An item has the owner of its claim and the
 * time at which the claim expires, in milliseconds, or `confirmed`. DynamoDB deletes it after its `ttl`.
 */
export function dynamoStore(database: DynamoDB, TableName: string): DedupeStore {
  const read = async (key: string) => {
    // Without a consistent read, a claim of another function could be missed.
    const query = { TableName, Key: { event: { S: key } }, ConsistentRead: true };
    const { Item } = await database.getItem(query);
    return Item && { expires: Number(Item.expires?.N), isConfirmed: Item.confirmed !== undefined };
  };
  const readState = async (key: string): Promise<'in_progress' | 'confirmed' | undefined> => {
    const claim = await read(key);
    if (claim?.isConfirmed) return 'confirmed';
    return claim !== undefined && claim.expires > Date.now() ? 'in_progress' : undefined;
  };
  /** Writes a claim if the condition holds, and returns whether it did. */
  const write = (key: string, owner: string, { lease, condition, confirm = false }: ClaimWrite) =>
    applies(
      database.putItem({
        TableName,
        Item: {
          event: { S: key },
          owner: { S: owner },
          expires: { N: String(Date.now() + lease) },
          ttl: { N: String(Math.ceil((Date.now() + TTL) / 1000)) },
          ...(confirm && { confirmed: { BOOL: true } }),
        },
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: {
          ...(condition.includes(':owner') && { ':owner': { S: owner } }),
          ...(condition.includes(':now') && { ':now': { N: String(Date.now()) } }),
        },
      }),
    );
  return {
    ttl: TTL,
    async claim(key, owner, lease = 60_000) {
      const isClaimed = await write(key, owner, { lease, condition: isFree });
      return isClaimed ? 'claimed' : ((await readState(key)) ?? 'in_progress');
    },
    renew: async (key, owner, lease) =>
      (await write(key, owner, { lease, condition: isOwned })) ? 'renewed' : 'lost',
    confirm: async (key, owner) =>
      (await write(key, owner, { lease: 0, condition: isOwned, confirm: true })) ? 'confirmed' : 'lost',
    async release(key, owner) {
      await applies(
        database.deleteItem({
          TableName,
          Key: { event: { S: key } },
          ConditionExpression: isOwned,
          ExpressionAttributeNames: { '#owner': 'owner' },
          ExpressionAttributeValues: { ':owner': { S: owner } },
        }),
      );
    },
    async wait(key, signal) {
      for (;;) {
        const state = await readState(key);
        if (state === 'confirmed') return 'confirmed';
        if (state === undefined || signal.aborted) return 'released';
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    },
  };
}

interface ClaimWrite {
  /** Milliseconds until the claim expires. */
  readonly lease: number;
  readonly condition: string;
  readonly confirm?: boolean;
}

const isFree = 'attribute_not_exists(#owner) OR (attribute_not_exists(confirmed) AND expires <= :now)';
const isOwned = '#owner = :owner AND attribute_not_exists(confirmed)';

/** Returns whether the condition of a write held. */
async function applies(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
