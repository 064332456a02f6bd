const LAGOS_OFFSET = 3_600_000;

/** Runs a task after a duration at speed 1, in milliseconds. */
export type Scheduler = (milliseconds: number, task: () => void) => void;

export function createScheduler(speed: number): Scheduler {
  return (milliseconds, task) => {
    setTimeout(task, milliseconds / speed);
  };
}

/** Time of the payments API: `time.RFC3339` in the zone of the servers, Africa/Lagos. */
export function formatLocalTime(time: number): string {
  return `${new Date(time + LAGOS_OFFSET).toISOString().slice(0, 19)}+01:00`;
}

/** JSON form of `google.protobuf.Timestamp`: no fraction if it is zero. */
export function protoTimestamp(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
