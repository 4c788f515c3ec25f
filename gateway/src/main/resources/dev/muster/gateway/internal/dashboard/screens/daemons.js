import { html, nothing } from 'lit';
import { get, path, post } from '../api.js';
import { ask } from '../parts/dialog.js';
import { PageElement } from '../parts/element.js';
import { number, time } from '../parts/format.js';
import { nodeLink } from '../parts/links.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { trace } from '../parts/trace.js';
import { session } from '../session.js';

/** Daemons, locks and leader roles: what one node does for all. */
class Daemons extends PageElement {
  daemons = new Resource(this, (signal) => get(path('daemons'), null, signal), { on: ['nodes', 'leaders'], every: 4_000, slow: 8_000 });
  locks = new Resource(this, (signal) => get(path('locks'), null, signal), { every: 4_000, slow: 8_000 });
  leaders = new Resource(this, (signal) => get(path('leaders'), null, signal), { on: ['leaders', 'nodes'], every: 5_000, slow: 15_000 });

  render() {
    return html`<div class="head"><h1>Daemons and locks</h1></div><div class="stack">
      <section class="card"><header><h2>Daemons</h2></header>${show(this.daemons, ({ daemons }) => (daemons.length ? this.daemonTable(daemons) : empty('No daemons', 'A method with @Daemon runs on one node, or on every node, all the time.')))}</section>
      <section class="card"><header><h2>Locks</h2></header>${show(this.locks, ({ locks }) => (locks.length ? this.lockTable(locks) : empty('No lock is held')))}</section>
      <section class="card"><header><h2>Leaders</h2></header>${show(this.leaders, ({ leaders }) => (leaders.length ? this.leaderTable(leaders) : empty('No leader has been elected yet')))}</section></div>`;
  }

  daemonTable(daemons) {
    return html`<div class="table-box"><table class="list cards-small" data-test="daemons"><thead><tr><th>Daemon</th><th>Status</th><th>Node</th><th class="right">Restarts</th><th>Since</th><th><span class="hidden-title">Actions</span></th></tr></thead><tbody>
      ${daemons.map((one) => html`<tr data-row data-test="daemon" data-id=${one.name} tabindex="-1"><td><span class="main">${one.name}</span>${one.per_node ? html` <span class="tag">on every node</span>` : nothing}${one.slot ? html` <span class="muted">${one.slot}</span>` : nothing}${trace(one.last_error)}</td>
        <td class="tight" data-label="status">${status(one.status)}</td><td data-label="node">${one.node ? nodeLink(one.node) : html`<span class="muted">–</span>`}</td><td class="right num" data-label="restarts">${number(one.restarts)}</td>
        <td class="tight" data-label="since">${time(one.failed_at ?? one.started_at)}</td><td class="tight right">${one.status === 'failed' && session.may('admin') ? html`<button type="button" class="button small" data-test="reset" @click=${() => this.reset(one)}>Reset</button>` : nothing}</td></tr>`)}</tbody></table></div>`;
  }

  lockTable(locks) {
    return html`<div class="table-box"><table class="list cards-small" data-test="locks"><thead><tr><th>Lock</th><th>Node</th><th class="right">Token</th><th>Held since</th><th>Expires</th></tr></thead><tbody>
      ${locks.map((one) => html`<tr data-row tabindex="-1"><td class="main">${one.name}</td><td data-label="node">${nodeLink(one.node)}</td><td class="right num" data-label="token">${number(one.token)}</td><td data-label="held since">${time(one.locked_at)}</td><td data-label="expires">${time(one.expires_at)}</td></tr>`)}</tbody></table></div>`;
  }

  leaderTable(leaders) {
    return html`<div class="table-box"><table class="list cards-small" data-test="leaders"><thead><tr><th>Role</th><th>Node</th><th class="right">Term</th><th>Since</th><th>Expires</th></tr></thead><tbody>
      ${leaders.map((one) => html`<tr><td class="main">${one.role}</td><td data-label="node">${one.held && !one.expired ? nodeLink(one.node) : status('nobody', 'Nobody leads now')}</td><td class="right num" data-label="term">${number(one.term)}</td><td data-label="since">${time(one.since)}</td><td data-label="expires">${time(one.expires_at)}</td></tr>`)}</tbody></table></div>`;
  }

  async reset(one) {
    const done = await ask({ title: `Reset ${one.name}?`, text: 'It ended too often and was given up. After the reset a node starts it again.', action: 'Reset', run: () => post(path('daemons', one.name, 'reset')) });
    if (done !== undefined) this.daemons.reload();
  }
}

customElements.define('muster-daemons', Daemons);
