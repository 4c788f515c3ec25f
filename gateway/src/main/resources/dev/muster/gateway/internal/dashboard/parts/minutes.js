// Metrics per minute, as the API sends them: minutes in which nothing happened are left out.

const MINUTE = 60_000;
const NOTHING = { completed: 0, failed: 0, cancelled: 0, expired: 0, run_p95_ms: null, wait_p95_ms: null, depth: 0 };

export const ENDED = ['completed', 'failed', 'cancelled', 'expired'].map((name) => ({ name, label: name, of: (point) => point[name] }));
export const LATENCY = [
  { name: 'run', label: 'run, 95 % are faster', of: (point) => point.run_p95_ms },
  { name: 'wait', label: 'wait, 95 % are faster', of: (point) => point.wait_p95_ms },
];
export const DEPTH = [{ name: 'depth', label: 'due jobs', of: (point) => point.depth }];

/** Every minute between two times, for a chart. */
export function everyMinute(from, to, minutes) {
  const known = new Map(minutes.map((one) => [Math.floor(Date.parse(one.minute) / MINUTE), one]));
  const all = [];
  for (let at = Math.floor(Date.parse(from) / MINUTE); at < Math.floor(Date.parse(to) / MINUTE); at++) {
    all.push({ ...NOTHING, ...known.get(at), at: new Date(at * MINUTE).toISOString() });
  }
  return all;
}

/** How many jobs ended in a minute, however they did. */
export function ended(minute) {
  return ENDED.reduce((sum, { name }) => sum + Number(minute[name] ?? 0), 0);
}
