import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { gauge, sparkline } from '../parts/chart.js';
import { PageElement } from '../parts/element.js';
import { number, rate, time } from '../parts/format.js';
import { ended, everyMinute } from '../parts/minutes.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { link, listLink } from '../address.js';
import { session } from '../session.js';
import { atLeast, limitDialog, limitText, pauseDialog } from '../parts/queue.js';

/** All queues: how deep they are, what runs, how fast they go. */
class Queues extends PageElement {
  queues = new Resource(this, (signal) => get(path('queues'), null, signal), { on: ['queues'], every: 3_000, slow: 5_000, gap: 1_000 });
  minutes = new Resource(this, (signal) => get(path('stats', 'minutes'), [['since', '1h']], signal), { every: 30_000, slow: 30_000 });

  render() {
    return html`<div class="head"><h1>Queues</h1></div>
      <section class="card">${show(this.queues, ({ queues }) => this.table(this.merged(queues)))}</section>`;
  }

  /** Queues that are empty now but were used in the last hour are shown, too. */
  merged(queues) {
    const { from, to, queues: counted = [] } = this.minutes.data ?? {};
    const minutes = new Map(counted.map((one) => [one.name, everyMinute(from, to, one.minutes)]));
    const idle = [...minutes.keys()].filter((name) => !queues.some((queue) => queue.name === name))
      .map((name) => ({ name, paused: false, waiting: 0, pending: 0, claimed: 0, running: 0, oldest_due: null, max_running: null, rate: null, burst: null, at_least: [] }));
    return [...queues, ...idle].map((queue) => ({ ...queue, minutes: minutes.get(queue.name) ?? [] })).sort((a, b) => a.name.localeCompare(b.name));
  }

  table(queues) {
    if (!queues.length) return empty('No queue has jobs', 'Queues show here while they have jobs, are paused or have a limit.');
    const may = session.may('admin');
    return html`<div class="table-box"><table class="list cards-small" data-test="queues">
      <thead><tr><th>Queue</th><th class="right">Pending</th><th class="right">Waiting</th><th>Running</th><th>Ended, last hour</th><th>Oldest due</th><th>Limit</th>${may ? html`<th><span class="hidden-title">Actions</span></th>` : nothing}</tr></thead>
      <tbody>${queues.map((queue) => this.row(queue, may))}</tbody></table></div>`;
  }

  row(queue, may) {
    const busy = queue.running + queue.claimed;
    const counts = queue.minutes.map(ended);
    const recent = counts.slice(-5);
    const perMinute = recent.length ? recent.reduce((sum, one) => sum + one, 0) / recent.length : null;
    return html`<tr data-row data-test="queue" data-id=${queue.name} tabindex="-1" data-href=${link('queues', queue.name)}>
      <td><a class="main" href=${link('queues', queue.name)}>${queue.name}</a> ${queue.paused ? status('paused', `Paused ${queue.paused_at ?? ''}`) : nothing}</td>
      <td class="right num" data-label="pending"><a href=${listLink('jobs', { status: 'pending', q: `queue:${queue.name}` })}>${atLeast(queue, 'pending')}</a></td>
      <td class="right num" data-label="waiting">${atLeast(queue, 'waiting')}</td>
      <td data-label="running"><div class="executors one"><span class="num row nowrap-row"><a href=${listLink('jobs', { status: 'running', q: `queue:${queue.name}` })}>${number(busy)}</a>${queue.max_running ? html`<span class="muted"> / ${number(queue.max_running)}</span>` : nothing}</span>${queue.max_running ? gauge(busy, queue.max_running, `${busy} of ${queue.max_running} run`) : nothing}</div></td>
      <td class="tight ${counts.length ? '' : 'empty-cell'}" data-label="ended"><span class="row nowrap-row left">${sparkline(counts, { label: `Jobs of ${queue.name} that ended per minute` })}<span class="muted num">${perMinute === null ? '' : rate(perMinute)}</span></span></td>
      <td class="tight ${queue.oldest_due ? '' : 'empty-cell'}" data-label="oldest due">${time(queue.oldest_due)}</td>
      <td class="${limitText(queue) ? '' : 'empty-cell'}" data-label="limit">${limitText(queue) || html`<span class="muted">–</span>`}</td>
      ${may ? html`<td class="tight right"><span class="row nowrap-row"><button type="button" class="button small" data-test=${queue.paused ? 'resume' : 'pause'} @click=${() => this.act(pauseDialog(queue))}>${queue.paused ? 'Resume' : 'Pause'}</button>
        <button type="button" class="button small" data-test="limit" @click=${() => this.act(limitDialog(queue))}>Limit</button></span></td>` : nothing}
    </tr>`;
  }

  async act(promise) {
    if ((await promise) !== undefined) this.queues.reload();
  }
}

customElements.define('muster-queues', Queues);
