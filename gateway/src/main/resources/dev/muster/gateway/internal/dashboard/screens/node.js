import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { PageElement } from '../parts/element.js';
import { bytes, duration, number, time } from '../parts/format.js';
import { json } from '../parts/json.js';
import { drainDialog, executors, late, percent } from '../parts/node.js';
import { Resource } from '../parts/resource.js';
import { show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { link, listLink } from '../address.js';
import { session } from '../session.js';

/** One node: its executors, what it can do, what it runs now. */
class NodeScreen extends PageElement {
  static properties = { thing: {} };

  node = new Resource(this, (signal) => get(path('nodes', this.thing), null, signal), { on: ['nodes'], every: 2_000, slow: 5_000 });
  leaders = new Resource(this, (signal) => get(path('leaders'), null, signal), { on: ['leaders'], every: 10_000, slow: 20_000 });
  /** The API has no filter by node; the newest that run are enough for a look. */
  running = new Resource(this, (signal) => get(path('jobs'), [['status', 'running'], ['limit', 500]], signal), { every: 4_000, slow: 6_000 });

  render() {
    return show(this.node, (node) => html`
      <div class="head"><p class="crumb"><a href="#/nodes">Nodes</a></p><h1>${node.name ?? node.id}</h1>${status(node.apparent_status)}<span class="space"></span>
        ${session.may('admin') && node.apparent_status === 'active' ? html`<button type="button" class="button" data-test="drain" @click=${() => this.drain(node)}>Drain</button>` : nothing}</div>
      <div class="columns"><div class="stack">
        <section class="card"><header><h2>Executors</h2></header><div class="body">${executors(node)}</div></section>
        ${this.jobs(node)}
        <section class="card"><header><h2>Handlers</h2><span class="muted">${number(node.handlers.length)}</span></header><div class="body tags">${node.handlers.map((name) => html`<a class="tag" href=${listLink('jobs', { q: `name:${name}` })}>${name}</a>`)}</div>
          ${node.unrouted.length ? html`<div class="body"><p class="note warn">No executor takes ${node.unrouted.join(', ')}: this node does not run them.</p></div>` : nothing}</section>
      </div><div class="stack">
        <section class="card"><header><h2>Details</h2></header><div class="body"><dl class="facts">
          <dt>id</dt><dd class="mono">${node.id}</dd><dt>incarnation</dt><dd class="mono">${node.incarnation}</dd>
          <dt>roles</dt><dd>${node.roles.join(', ')}</dd>
          <dt>leads</dt><dd>${(this.leaders.data?.leaders ?? []).filter((one) => one.held && !one.expired && one.node === node.id).map((one) => `${one.role} (term ${one.term})`).join(', ') || '–'}</dd>
          <dt>version</dt><dd>${node.version ?? '–'}</dd><dt>address</dt><dd>${node.address ?? '–'}</dd>
          <dt>started</dt><dd>${time(node.started_at)}</dd>
          <dt>heartbeat</dt><dd class=${late(node) ? 'late' : ''}>${duration(node.heartbeat_age_ms)} ago, every ${duration(node.heartbeat_interval_ms)}</dd>
          <dt>jobs</dt><dd class="num">${number(node.current_jobs)}</dd><dt>CPU</dt><dd class="num">${percent(node.cpu_usage)}</dd><dt>memory</dt><dd class="num">${bytes(node.memory_usage)}</dd><dt>connections</dt><dd class="num">${number(node.current_connections)}</dd>
          <dt>capabilities</dt><dd>${node.capabilities.join(', ') || '–'}</dd>
          <dt>queues</dt><dd>${node.queues === null ? 'all' : json(node.queues, 1)}</dd>
          ${Object.entries(node.labels).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
        </dl></div></section></div></div>`);
  }

  jobs(node) {
    const jobs = (this.running.data?.jobs ?? []).filter((job) => job.node === node.id).slice(0, 50);
    if (!jobs.length) return nothing;
    return html`<section class="card"><header><h2>Running now</h2></header><div class="table-box"><table class="list cards-small"><tbody>
      ${jobs.map((job) => html`<tr data-row tabindex="-1" data-href=${link('jobs', job.id)}><td><a class="main" href=${link('jobs', job.id)}>${job.name}</a></td><td data-label="queue">${job.queue}</td><td class="tight" data-label="began">${time(job.started_at)}</td></tr>`)}
    </tbody></table></div></section>`;
  }

  async drain(node) {
    if ((await drainDialog(node)) !== undefined) this.node.reload();
  }
}

customElements.define('muster-node', NodeScreen);
