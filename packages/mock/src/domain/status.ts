/** A payment status. */
export type Status = 'pending' | 'processing' | 'completed' | 'failed';
