import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { gauge } from '../parts/chart.js';
import { PageElement } from '../parts/element.js';
import { duration, number, rate, time } from '../parts/format.js';
import { DEPTH, ENDED, LATENCY, everyMinute } from '../parts/minutes.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { atLeast, limitDialog, limitText, pauseDialog } from '../parts/queue.js';
import { listLink } from '../address.js';
import { session } from '../session.js';

/** One queue. */
class Queue extends PageElement {
  static properties = { thing: {} };

  queue = new Resource(this, (signal) => get(path('queues', this.thing), null, signal), { on: ['queues'], every: 2_000, slow: 4_000, gap: 1_000 });
  minutes = new Resource(this, (signal) => get(path('stats', 'minutes'), [['since', '1h'], ['queue', this.thing]], signal), { every: 20_000, slow: 20_000 });
  stats = new Resource(this, (signal) => get(path('stats'), [['since', '1h']], signal), { every: 30_000, slow: 30_000 });

  render() {
    return show(this.queue, (queue) => html`
      <div class="head"><p class="crumb"><a href="#/queues">Queues</a></p><h1>${queue.name}</h1>${queue.paused ? status('paused') : nothing}<span class="space"></span>
        <a class="button" href=${listLink('jobs', { q: `queue:${queue.name}` })}>Jobs</a>
        ${session.may('admin') ? html`<button type="button" class="button" data-test="limit" @click=${() => this.act(limitDialog(queue))}>Limit</button>
          <button type="button" class="button ${queue.paused ? 'primary' : ''}" data-test=${queue.paused ? 'resume' : 'pause'} @click=${() => this.act(pauseDialog(queue))}>${queue.paused ? 'Resume' : 'Pause'}</button>` : nothing}</div>
      <div class="stack">
        <section class="tiles">
          ${this.tile('Pending', atLeast(queue, 'pending'), 'pending')}${this.tile('Waiting', atLeast(queue, 'waiting'), 'waiting')}${this.tile('Claimed', atLeast(queue, 'claimed'), 'claimed')}${this.tile('Running', atLeast(queue, 'running'), 'running')}
          <div class="tile"><b>${queue.oldest_due ? time(queue.oldest_due) : '–'}</b><span>Oldest due job</span></div>
          <div class="tile"><b class="text">${limitText(queue) || 'none'}</b><span>Limit</span>${queue.max_running ? gauge(queue.running + queue.claimed, queue.max_running, `${queue.running + queue.claimed} of ${queue.max_running} run`) : nothing}</div>
        </section>
        ${this.charts()}${this.names()}
      </div>`);
  }

  tile(label, value, name) {
    return html`<a class="tile" href=${listLink('jobs', { status: name, q: `queue:${this.thing}` })}><b>${value}</b><span>${label}</span></a>`;
  }

  charts() {
    if (this.minutes.absent || !this.minutes.data) return nothing;
    const { from, to, queues } = this.minutes.data;
    if (!queues[0]?.minutes.length) return html`<section class="card">${empty('No job of this queue ended in the last hour')}</section>`;
    const points = everyMinute(from, to, queues[0].minutes);
    return html`<section class="card"><header><h2>Jobs that ended</h2><span class="muted">per minute, last hour</span></header><div class="body"><muster-chart .points=${points} .series=${ENDED} .height=${160} label="Jobs that ended per minute"></muster-chart></div></section>
      <div class="halves"><section class="card"><header><h2>Latency</h2></header><div class="body"><muster-chart kind="lines" .points=${points} .series=${LATENCY} .format=${duration} label="Latency"></muster-chart></div></section>
      <section class="card"><header><h2>Backlog</h2></header><div class="body"><muster-chart kind="lines" .points=${points} .series=${DEPTH} label="Backlog"></muster-chart></div></section></div>`;
  }

  names() {
    const rows = (this.stats.data?.jobs ?? []).filter((one) => one.queue === this.thing);
    if (!rows.length) return nothing;
    return html`<section class="card"><header><h2>By name</h2><span class="muted">last hour</span></header><div class="table-box"><table class="list cards-small">
      <thead><tr><th>Job</th><th class="right">Completed</th><th class="right">Failed</th><th class="right">Rate</th><th class="right">Run, median</th><th class="right">95 %</th><th class="right">Wait, 95 %</th></tr></thead>
      <tbody>${rows.map((one) => html`<tr data-row tabindex="-1" data-href=${listLink('jobs', { q: `name:${one.name} queue:${one.queue}` })}><td><a class="main" href=${listLink('jobs', { q: `name:${one.name} queue:${one.queue}` })}>${one.name}</a></td>
        <td class="right num" data-label="completed">${number(one.completed)}</td><td class="right num" data-label="failed">${number(one.failed)}</td><td class="right num" data-label="rate">${rate(Number(one.per_minute))}</td>
        <td class="right num" data-label="run, median">${duration(one.run_p50_ms)}</td><td class="right num" data-label="run, 95 %">${duration(one.run_p95_ms)}</td><td class="right num" data-label="wait, 95 %">${duration(one.wait_p95_ms)}</td></tr>`)}</tbody></table></div></section>`;
  }

  async act(promise) {
    if ((await promise) !== undefined) this.queue.reload();
  }
}

customElements.define('muster-queue', Queue);
