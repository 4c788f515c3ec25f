import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { get, path } from '../api.js';
import { PageElement } from '../parts/element.js';
import { bytes, duration, number, plural, time } from '../parts/format.js';
import { icon } from '../parts/icons.js';
import { drainDialog, executors, late, livingFirst, percent } from '../parts/node.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { link } from '../address.js';
import { session } from '../session.js';

/** All nodes, what they do and how busy they are. */
class Nodes extends PageElement {
  nodes = new Resource(this, (signal) => get(path('nodes'), null, signal), { on: ['nodes', 'leaders'], every: 3_000, slow: 5_000, gap: 1_000 });
  leaders = new Resource(this, (signal) => get(path('leaders'), null, signal), { on: ['leaders', 'nodes'], every: 8_000, slow: 20_000 });

  render() {
    return html`<div class="head"><h1>Nodes</h1></div>${show(this.nodes, ({ nodes }) => nodes.length
      ? html`<div class="cards" data-test="nodes">${repeat(livingFirst(nodes), (node) => node.id + node.incarnation, (node) => this.card(node))}</div>`
      : html`<section class="card">${empty('No nodes', html`Start one: <code>muster node</code>`)}</section>`)}`;
  }

  card(node) {
    const leads = (this.leaders.data?.leaders ?? []).filter((one) => one.held && !one.expired && one.node === node.id);
    return html`<section class="card ${node.apparent_status === 'active' ? '' : 'off'}" data-row data-test="node" data-id=${node.id} tabindex="-1" data-href=${link('nodes', node.id)}>
      <div class="row"><a class="main-name" href=${link('nodes', node.id)}>${node.name ?? node.id}</a>${node.name && node.name !== node.id ? html`<code class="muted" data-test="node-id">${node.id}</code>` : nothing}${status(node.apparent_status)}<span class="space"></span>
        ${session.may('admin') && node.apparent_status === 'active' ? html`<button type="button" class="button small" data-test="drain" @click=${() => this.drain(node)}>Drain</button>` : nothing}</div>
      <div class="tags">${node.roles.map((role) => html`<span class="tag">${role}</span>`)}${leads.map((one) => html`<span class="tag lead" title="Leads ${one.role}, term ${one.term}">${icon('leader')} ${one.role}</span>`)}</div>
      ${executors(node)}
      <dl class="facts">
        <dt>heartbeat</dt><dd class=${late(node) ? 'late' : ''}>${duration(node.heartbeat_age_ms)} ago <span class="muted">every ${duration(node.heartbeat_interval_ms)}</span></dd>
        <dt>jobs</dt><dd class="num">${number(node.current_jobs)} <span class="muted">· ${percent(node.cpu_usage)} CPU · ${bytes(node.memory_usage)} · ${plural(node.current_connections, 'connection')}</span></dd>
        <dt>version</dt><dd>${node.version ?? '–'} <span class="muted">· started ${time(node.started_at)}</span></dd>
        ${Object.keys(node.labels).length ? html`<dt>labels</dt><dd class="tags">${Object.entries(node.labels).map(([name, value]) => html`<span class="tag">${name}=${value}</span>`)}</dd>` : nothing}
        ${node.unrouted.length ? html`<dt>unrouted</dt><dd class="late">${node.unrouted.join(', ')}</dd>` : nothing}
      </dl></section>`;
  }

  async drain(node) {
    if ((await drainDialog(node)) !== undefined) this.nodes.reload();
  }
}

customElements.define('muster-nodes', Nodes);
