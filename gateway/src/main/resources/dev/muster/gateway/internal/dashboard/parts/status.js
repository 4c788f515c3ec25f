import { html } from 'lit';

export const JOB_STATUSES = ['waiting', 'pending', 'claimed', 'running', 'completed', 'failed', 'cancelled', 'expired'];
export const LIVE_STATUSES = ['waiting', 'pending', 'claimed', 'running'];

/** Statuses of all kinds of things, by the tone in which they are shown. */
const TONES = {
  good: ['completed', 'active', 'done', 'succeeded', 'ok', 'held', 'stored'],
  bad: ['failed', 'dead', 'retired_unresumable', 'blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch', 'refused', 'problem', 'error', 'critical', 'crashed', 'lost'],
  busy: ['running', 'executing'],
  taken: ['claimed', 'compensating', 'draining', 'joining', 'starting', 'restarting'],
  calm: ['pending', 'ready', 'sealed', 'open', 'unknown', 'info', 'released', 'free'],
  waiting: ['waiting', 'sleeping', 'blocked', 'scheduled'],
  ended: ['cancelled', 'cancelled_by_operator', 'compensated', 'skipped', 'left', 'stopped', 'gone', 'debug', 'trace'],
  warn: ['expired', 'paused', 'stale', 'suspect', 'warning', 'warn', 'nobody', 'timed_out', 'timeout', 'retried', 'retrying', 'backoff'],
};
const TONE_OF = new Map(Object.entries(TONES).flatMap(([tone, names]) => names.map((name) => [name, tone])));

export function tone(status) {
  return TONE_OF.get(String(status ?? '').toLowerCase()) ?? 'calm';
}

/** A status as a small label; its colour says nothing that its text does not say. */
export function status(name, title) {
  const text = String(name ?? 'unknown').replaceAll('_', ' ');
  return html`<span class="status ${tone(name)}" data-status=${name} title=${title ?? text}>${text}</span>`;
}
