import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { gauge } from '../parts/chart.js';
import { PageElement } from '../parts/element.js';
import { duration, number, time } from '../parts/format.js';
import { limitText } from '../parts/queue.js';
import { writeQuery } from '../parts/query.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { link, listLink } from '../address.js';

/** What is limited: jobs per key, rates, queues. */
class Limits extends PageElement {
  groups = new Resource(this, (signal) => get(path('concurrency_groups'), [['limit', 100]], signal), { every: 4_000, slow: 6_000 });
  limits = new Resource(this, (signal) => get(path('rate_limits'), null, signal), { every: 3_000, slow: 5_000 });
  queues = new Resource(this, (signal) => get(path('queues'), null, signal), { on: ['queues'], every: 5_000, slow: 8_000 });

  render() {
    return html`<div class="head"><h1>Limits</h1></div><div class="stack">
      ${this.limits.absent ? nothing : html`<section class="card"><header><h2>Rate limits</h2></header>${show(this.limits, ({ rate_limits: limits }) => (limits.length ? this.limitTable(limits) : empty('No rate limit is in use')))}</section>`}
      ${this.groups.absent ? nothing : html`<section class="card"><header><h2>Limits per key</h2><span class="muted">jobs with a concurrency, fair or FIFO key wait for admission</span></header>${show(this.groups, ({ concurrency_groups: groups, next }) => (groups.length ? this.groupTable(groups, next) : empty('No job waits in group')))}</section>`}
      <section class="card"><header><h2>Limits of queues</h2></header>${show(this.queues, ({ queues }) => this.queueTable(queues.filter((queue) => queue.max_running || queue.rate)))}</section></div>`;
  }

  limitTable(limits) {
    return html`<div class="table-box"><table class="list cards-small" data-test="limits"><thead><tr><th>Limit</th><th>Used</th><th class="right">Permits</th><th class="right">In</th><th>Resets</th></tr></thead><tbody>
      ${limits.map((one) => html`<tr data-row tabindex="-1"><td class="main">${one.key}</td><td data-label="used">${gauge(one.used, one.permits, `${one.used} of ${one.permits} are used`)}</td><td class="right num tight" data-label="permits">${number(one.used)} / ${number(one.permits)}</td><td class="right num tight" data-label="in">${duration(one.window_ms)}</td><td class="tight" data-label="starts over">${time(one.resets_at)}</td></tr>`)}</tbody></table></div>`;
  }

  groupTable(groups, next) {
    return html`<div class="table-box"><table class="list cards-small" data-test="groups"><thead><tr><th>Group</th><th>Limit</th><th>Running</th><th class="right">Waiting</th><th>Oldest</th></tr></thead><tbody>
      ${groups.map((one) => html`<tr data-row data-test="group" tabindex="-1" data-href=${one.name ? listLink('jobs', { status: 'pending', q: writeQuery([{ name: 'name', value: one.name }]) }) : nothing}>
        <td><span class="main">${one.key ?? one.name ?? one.group}</span>${one.key && one.name ? html` <span class="muted">${one.name}</span>` : nothing}${one.kind ? html` <span class="tag">${one.kind}</span>` : nothing}</td>
        <td data-label="limit">${groupLimit(one)}</td>
        <td data-label="running"><div class="executors one"><span class="num">${atLeastText(one, 'running')}${one.max ? ` / ${number(one.max)}` : ''}</span>${one.max ? gauge(one.running, one.max, `${one.running} of ${one.max} run`) : nothing}</div></td>
        <td class="right num tight" data-label="waiting">${atLeastText(one, 'waiting')}</td><td class="tight ${one.oldest ? '' : 'empty-cell'}" data-label="oldest">${time(one.oldest)}</td></tr>`)}</tbody></table></div>
      ${next ? html`<p class="more">There are more groups; these are the first ${number(groups.length)}.</p>` : nothing}`;
  }

  queueTable(queues) {
    if (!queues.length) return empty('No queue has a limit', html`<a href="#/queues">Queues</a>`);
    return html`<div class="table-box"><table class="list cards-small"><thead><tr><th>Queue</th><th>Limit</th><th>Running</th><th class="right">Pending</th></tr></thead><tbody>
      ${queues.map((queue) => html`<tr data-row tabindex="-1" data-href=${link('queues', queue.name)}><td><a class="main" href=${link('queues', queue.name)}>${queue.name}</a></td><td data-label="limit">${limitText(queue)}</td><td data-label="running"><div class="executors one"><span class="num" data-test="places">${number(queue.running + queue.claimed)}${queue.max_running ? ` / ${number(queue.max_running)}` : ''}</span>${queue.max_running ? gauge(queue.running + queue.claimed, queue.max_running, `${queue.running + queue.claimed} of ${queue.max_running} run`) : nothing}</div></td><td class="right num" data-label="pending">${number(queue.pending)}</td></tr>`)}</tbody></table></div>`;
  }
}

function groupLimit(group) {
  return [
    group.max ? `${number(group.max)} at once` : null,
    group.rate ? `${number(group.rate)} in ${duration(group.rate_ms)}${group.burst ? `, burst ${number(group.burst)}` : ''}` : null,
  ].filter(Boolean).join('; ') || html`<span class="muted">–</span>`;
}

function atLeastText(group, name) {
  return `${number(group[name])}${group[`${name}_exact`] === false ? '+' : ''}`;
}

customElements.define('muster-limits', Limits);
