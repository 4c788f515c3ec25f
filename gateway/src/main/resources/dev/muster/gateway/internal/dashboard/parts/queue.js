// What the screens about queues share.
import { html } from 'lit';
import { path, post, put, remove } from '../api.js';
import { ask } from './dialog.js';
import { number, plural } from './format.js';

/** A count of a queue, which may be a lower bound. */
export function atLeast(queue, name) {
  return `${number(queue[name])}${queue.at_least?.includes(name) ? '+' : ''}`;
}

export function limitText(queue) {
  return [
    queue.max_running ? `${number(queue.max_running)} at once` : null,
    queue.rate ? `${queue.rate}${queue.burst ? `, burst ${number(queue.burst)}` : ''}` : null,
  ].filter(Boolean).join('; ');
}

export function pauseDialog(queue) {
  if (queue.paused) {
    return ask({ title: `Resume ${queue.name}?`, text: `Its ${plural(queue.pending, 'pending job')} can start again.`, action: 'Resume', run: () => post(path('queues', queue.name, 'resume')) });
  }
  return ask({ title: `Pause ${queue.name}?`, text: 'Running jobs continue; no other job of this queue starts until you resume it.', action: 'Pause', run: () => post(path('queues', queue.name, 'pause')) });
}

export function limitDialog(queue) {
  const whole = (text) => (text.trim() && !/^[1-9]\d*$/.test(text.trim()) ? 'This must be a whole number, 1 or more.' : null);
  return ask({
    title: `Limit of ${queue.name}`,
    text: html`What is left empty is not limited.`,
    action: 'Save',
    fields: [
      { name: 'max_running', label: 'Jobs that run at once, in the whole cluster', value: queue.max_running ? String(queue.max_running) : '', check: whole },
      { name: 'rate', label: 'Jobs that start in a time', value: queue.rate ?? '', placeholder: '100/1m', hint: 'Such as 10/1s or 100/1m.' },
      { name: 'burst', label: 'Burst', value: queue.burst ? String(queue.burst) : '', check: whole, hint: 'How many may start at once after a quiet time.' },
    ],
    run: ({ max_running, rate, burst }) => {
      const limit = {};
      if (max_running.trim()) limit.max_running = Number(max_running);
      if (rate.trim()) limit.rate = rate.trim();
      if (burst.trim()) limit.burst = Number(burst);
      return Object.keys(limit).length ? put(path('queues', queue.name, 'limit'), limit) : remove(path('queues', queue.name, 'limit'));
    },
  });
}
