// What the screens about nodes share.
import { html, nothing } from 'lit';
import { path, post } from '../api.js';
import { gauge } from './chart.js';
import { ask } from './dialog.js';
import { number, plural } from './format.js';

export function executors(node) {
  if (!node.executors.length) return html`<p class="muted">It runs no jobs.</p>`;
  return html`<div class="executors">${node.executors.map((one) => html`<span title="kind: ${one.kind}">${one.name}</span>
    ${gauge(one.running, one.size, `${one.running} of ${one.size} slots of ${one.name} are used`, one.stuck)}
    <span class="num">${number(one.running)} / ${number(one.size)}${one.stuck ? html` <span class="stuck-text">${number(one.stuck)} stuck</span>` : nothing}</span>`)}</div>`;
}

/** Nodes that live come first; those that do not are kept for who looks for them. */
export function livingFirst(nodes) {
  return [...nodes].sort((one, other) => (one.apparent_status === 'dead') - (other.apparent_status === 'dead'));
}

export function percent(part) {
  return part === null || part === undefined ? '–' : `${Math.round(Number(part) * 100)} %`;
}

/** Whether its last sign of life is older than it should be. */
export function late(node) {
  return node.heartbeat_age_ms > 3 * node.heartbeat_interval_ms;
}

export function drainDialog(node) {
  return ask({
    title: `Drain ${node.id}?`,
    text: html`<p>It takes no more jobs, finishes ${plural(node.current_jobs, 'job')} that it runs now, and leaves the cluster.</p><p>Whoever started the process has to start it again.</p>`,
    action: 'Drain the node',
    danger: true,
    run: () => post(path('nodes', node.id, 'drain')),
  });
}
