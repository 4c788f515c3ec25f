import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { get, path } from '../api.js';
import { shortId } from '../parts/copy.js';
import { PageElement } from '../parts/element.js';
import { elapsed, number, time } from '../parts/format.js';
import { Pages, tabs } from '../parts/list.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { go, link, listLink } from '../address.js';

const STATUSES = ['', 'running', 'completed', 'failed', 'cancelled'];

/** Graphs of tasks. */
class Graphs extends PageElement {
  static properties = { query: {} };

  pages = new Pages(this, (before) => this.load(before));
  graphs = new Resource(this, (signal) => this.load(null, signal), { every: 4_000, slow: 5_000 });

  constructor() {
    super();
    this.query = new URLSearchParams();
  }

  get status() {
    return this.query.get('status') ?? '';
  }

  get name() {
    return this.query.get('name') ?? '';
  }

  willUpdate(changed) {
    const before = changed.get('query');
    if (before && `${before}` !== `${this.query}`) {
      this.pages.clear();
      this.graphs.restart();
    }
  }

  async load(before, signal) {
    const query = [['limit', 50], ...(this.status ? [['status', this.status]] : []), ...(this.name ? [['name', this.name]] : []), ...(before ? [['before', before]] : [])];
    const page = await get(path('graphs'), query, signal);
    return { rows: page.graphs, next: page.next };
  }

  render() {
    const search = (event) => {
      event.preventDefault();
      go(listLink('graphs', { status: this.status, name: event.target.elements.name.value.trim() }));
    };
    return html`<div class="head"><h1>Graphs</h1><span class="space"></span><form role="search" @submit=${search}><input class="filter" type="search" name="name" data-search aria-label="Name of a graph" placeholder="Name" .value=${this.name}></form></div>
      ${tabs(STATUSES.map((name) => ({ name, label: name || 'all', href: listLink('graphs', { status: name, name: this.name }) })), this.status, 'Status')}
      <section class="card">${show(this.graphs, (first) => this.list(first))}</section>`;
  }

  list(first) {
    const rows = this.pages.rows(first);
    if (!rows.length) return empty(this.status || this.name ? 'No graphs match' : 'No graphs yet', html`Submit one: <code>muster graphs submit FILE</code>`);
    return html`<div class="table-box"><table class="list cards-small compact" data-test="graphs"><thead><tr><th>Graph</th><th>Status</th><th>Progress</th><th>Created</th><th class="right">Took</th></tr></thead>
      <tbody>${repeat(rows, (graph) => graph.id, (graph) => html`<tr data-row data-test="graph" data-id=${graph.id} tabindex="-1" data-href=${link('graphs', graph.id)}>
        <td><a class="main" href=${link('graphs', graph.id)}>${graph.name ?? '(no name)'}</a> <span class="muted">${shortId(graph.id)}</span>${graph.reason ? html`<span class="sub cut" title=${graph.reason}>${graph.reason}</span>` : nothing}</td>
        <td class="tight" data-label="status">${status(graph.status)}</td>
        <td data-label="progress"><span class="progress"><progress max="100" value=${Number(graph.progress)}></progress><span class="muted num nowrap">${number(graph.ended_count)} / ${number(graph.task_count)}</span></span></td>
        <td class="tight" data-label="created">${time(graph.created_at)}</td><td class="right tight" data-label="took">${elapsed(graph.created_at, graph.finished_at)}</td></tr>`)}</tbody></table></div>${this.pages.footer(first, 'graphs')}`;
  }
}

customElements.define('muster-graphs', Graphs);
