import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { live } from '../events.js';
import { gauge } from '../parts/chart.js';
import { PageElement } from '../parts/element.js';
import { bounded, duration, number, plural, time } from '../parts/format.js';
import { icon } from '../parts/icons.js';
import { livingFirst } from '../parts/node.js';
import { DEPTH, ENDED, LATENCY, ended } from '../parts/minutes.js';
import { Resource } from '../parts/resource.js';
import { show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { link, listLink } from '../address.js';

/** What needs attention, then how the cluster does. */
class Overview extends PageElement {
  overview = new Resource(this, (signal) => get(path('overview'), null, signal), { on: ['nodes', 'leaders', 'queues', 'crons'], every: 4_000, slow: 10_000, gap: 4_000 });
  nodes = new Resource(this, (signal) => get(path('nodes'), null, signal), { on: ['nodes'], every: 5_000, slow: 15_000, gap: 2_000 });
  leaders = new Resource(this, (signal) => get(path('leaders'), null, signal), { on: ['leaders', 'nodes'], every: 8_000, slow: 30_000 });
  #counts = null;
  #undo = null;

  connectedCallback() {
    super.connectedCallback();
    this.#undo = live.on(['counts'], (event) => {
      this.#counts = { ...this.#counts, ...event.detail };
      this.requestUpdate();
    });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#undo?.();
  }

  render() {
    return html`<h1 class="hidden-title">Overview</h1><div class="stack">
      ${this.overview.absent ? nothing : show(this.overview, (data) => this.figures(data))}
      <div class="halves">${this.nodesCard()}${this.leadersCard()}</div>
    </div>`;
  }

  figures(data) {
    const counts = { ...data.counts, ...this.#counts };
    const minutes = (data.minutes ?? []).map((minute) => ({ at: minute.minute, ...minute }));
    const last = minutes.slice(-10);
    const failed = sum(minutes, 'failed');
    const all = minutes.reduce((count, minute) => count + ended(minute), 0);
    return html`
      ${this.attention(data.attention ?? [])}
      <section class="tiles" aria-label="Counts">
        ${tile('Running', bounded(counts.running), listLink('jobs', { status: 'running' }), '', 'Jobs and runs of workflows that nodes work on')}
        ${tile('Claimed', bounded(counts.claimed), listLink('jobs', { status: 'claimed' }), '', 'Jobs and runs of workflows that nodes are about to start')}
        ${tile('Pending', bounded(counts.pending), listLink('jobs', { status: 'pending' }), '', 'Jobs that no node has claimed, and runs of workflows that are due')}
        ${tile('Waiting', bounded(counts.waiting), listLink('jobs', { status: 'waiting' }))}
        ${tile('Failed in 24 h', bounded(data.counts.failed), listLink('jobs', { status: 'failed' }), data.counts.failed?.count ? 'bad' : '')}
        ${tile('Ended in 1 h', number(all), listLink('jobs', { status: 'completed' }))}
        ${tile('Failure rate, 1 h', all ? `${((100 * failed) / all).toFixed(failed && failed / all < 0.1 ? 1 : 0)} %` : '–', listLink('jobs', { status: 'failed' }), failed ? 'warn' : '')}
        ${tile('Jobs per minute', number(Math.round(average(last.map(ended)))), null)}
      </section>
      <section class="card"><header><h2>Jobs that ended</h2><span class="muted">per minute, last hour</span></header>
        <div class="body"><muster-chart .points=${minutes} .series=${ENDED} .height=${190} label="Jobs that ended per minute"></muster-chart></div></section>
      <div class="halves">
        <section class="card"><header><h2>Latency</h2><span class="muted">per minute, last hour</span></header>
          <div class="body"><muster-chart kind="lines" .points=${minutes} .series=${LATENCY} .format=${duration} .height=${150} label="Latency"></muster-chart></div></section>
        <section class="card"><header><h2>Backlog</h2><span class="muted">due jobs that no node has claimed, last hour</span></header>
          <div class="body"><muster-chart kind="lines" .points=${minutes} .series=${DEPTH} .height=${150} label="Backlog"></muster-chart></div></section>
      </div>`;
  }

  attention(list) {
    if (!list.length) {
      return html`<p class="note" data-test="all-well">${icon('check')} Nothing needs attention.</p>`;
    }
    return html`<section class="card attention" aria-label="What needs attention" data-test="attention">
      ${list.map((one) => html`<a href=${safeLink(one.link)} data-row tabindex="-1" data-kind=${one.kind}>${status(one.severity)}<span class="wrap">${one.message}</span><span class="go">${icon('next')}</span></a>`)}
    </section>`;
  }

  nodesCard() {
    return html`<section class="card"><header><h2>Nodes</h2><span class="space"></span><a href=${link('nodes')}>All nodes</a></header>
      ${show(this.nodes, ({ nodes }) => html`<div class="table-box"><table class="list cards-small"><tbody>
        ${livingFirst(nodes).slice(0, 12).map((node) => html`<tr data-row tabindex="-1" data-href=${link('nodes', node.id)}>
          <td><a class="main" href=${link('nodes', node.id)}>${node.id}</a><span class="sub">${node.roles.join(', ')}</span></td>
          <td class="tight">${status(node.apparent_status)}</td>
          <td>${gauge(used(node), size(node), `${used(node)} of ${size(node)} slots are used`)}</td>
          <td class="tight right num" data-label="slots">${number(used(node))} / ${number(size(node))}</td></tr>`)}
      </tbody></table></div>`)}</section>`;
  }

  leadersCard() {
    return html`<section class="card"><header><h2>Leaders</h2></header>
      ${show(this.leaders, ({ leaders }) => html`<div class="table-box"><table class="list cards-small">
        <thead><tr><th>Role</th><th>Node</th><th class="right">Term</th><th>Since</th></tr></thead><tbody>
        ${leaders.map((one) => html`<tr><td class="main">${one.role}</td>
          <td data-label="node">${one.held && !one.expired ? html`<a href=${link('nodes', one.node)}>${one.node}</a>` : status('nobody', 'Nobody leads now')}</td>
          <td class="right num" data-label="term">${number(one.term)}</td><td data-label="since">${time(one.since)}</td></tr>`)}
      </tbody></table></div>${leaders.length ? nothing : html`<p class="body muted">${plural(0, 'leader')}: no node has been elected yet.</p>`}`)}</section>`;
  }
}

/** Only addresses within the page. */
function safeLink(address) {
  return String(address ?? '').startsWith('#/') ? address : '#/';
}

function tile(label, value, href, tone = '', title = nothing) {
  const body = html`<b>${value || '–'}</b><span>${label}</span>`;
  return href ? html`<a class="tile ${tone}" href=${href} title=${title} data-test="tile-${label.split(' ')[0].toLowerCase()}">${body}</a>` : html`<div class="tile ${tone}">${body}</div>`;
}

function sum(minutes, name) {
  return minutes.reduce((all, minute) => all + Number(minute[name] ?? 0), 0);
}

function average(values) {
  return values.length ? values.reduce((all, value) => all + value, 0) / values.length : 0;
}

export function used(node) {
  return node.executors.reduce((all, one) => all + one.running, 0);
}

export function size(node) {
  return node.executors.reduce((all, one) => all + one.size, 0);
}

customElements.define('muster-overview', Overview);
