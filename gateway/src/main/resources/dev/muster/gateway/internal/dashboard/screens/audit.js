import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { PageElement } from '../parts/element.js';
import { exact, time } from '../parts/format.js';
import { json } from '../parts/json.js';
import { Pages } from '../parts/list.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { go, listLink } from '../address.js';

/** What operators did. */
class Audit extends PageElement {
  static properties = { query: {} };

  pages = new Pages(this, (before) => this.load(before));
  entries = new Resource(this, (signal) => this.load(null, signal), { every: 8_000, slow: 15_000, on: ['queues', 'crons', 'nodes'], gap: 3_000 });
  #open = new Set();

  constructor() {
    super();
    this.query = new URLSearchParams();
  }

  willUpdate(changed) {
    const before = changed.get('query');
    if (before && `${before}` !== `${this.query}`) {
      this.pages.clear();
      this.entries.restart();
    }
  }

  async load(before, signal) {
    const filters = ['caller', 'action', 'target'].filter((name) => this.query.get(name)).map((name) => [name, this.query.get(name)]);
    const page = await get(path('audit'), [...filters, ['limit', 50], ...(before ? [['before', before]] : [])], signal);
    return { rows: page.entries, next: page.next };
  }

  render() {
    const filter = (event) => {
      event.preventDefault();
      const values = Object.fromEntries(['caller', 'action', 'target'].map((name) => [name, event.currentTarget.elements[name].value.trim()]));
      go(listLink('audit', values));
    };
    return html`<div class="head"><h1>Audit</h1></div>
      <form class="searchbar three" role="search" @submit=${filter}>${['action', 'caller', 'target'].map((name, index) => html`<input type="search" name=${name} aria-label=${name} placeholder=${{ action: 'Action, such as queues.pause', caller: 'Caller', target: 'Target' }[name]} ?data-search=${index === 0} .value=${this.query.get(name) ?? ''} autocomplete="off" spellcheck="false">`)}<button type="submit" class="button">Filter</button></form>
      <section class="card">${show(this.entries, (first) => this.list(first))}</section>`;
  }

  list(first) {
    const rows = this.pages.rows(first);
    if (!rows.length) return empty('No entries', 'Actions such as pausing a queue or draining a node are written here.');
    return html`<div class="table-box"><table class="list cards-small" data-test="audit"><thead><tr><th>When</th><th>Who</th><th>Action</th><th>Target</th><th>Outcome</th><th>Request</th></tr></thead><tbody>
      ${rows.map((one) => html`<tr data-row data-test="entry" data-id=${one.id} tabindex="-1"><td class="tight" data-label="when" title=${exact(one.at)}>${time(one.at)}</td>
        <td data-label="who"><span><a class="main" href=${listLink('audit', { caller: one.caller })}>${one.caller_name}</a>${one.caller === one.caller_name ? nothing : html`<span class="sub">${one.caller}</span>`}${one.address ? html`<span class="sub">${one.address}</span>` : nothing}</span></td>
        <td data-label="action"><a class="tag" href=${listLink('audit', { action: one.action })}>${one.action}</a></td><td class="wrap" data-label="target"><span>${one.target || html`<span class="muted">–</span>`}${one.details ? html`<div><button type="button" class="link" @click=${() => this.toggle(one.id)}>${this.#open.has(one.id) ? 'Hide details' : 'Details'}</button></div>${this.#open.has(one.id) ? json(one.details) : nothing}` : nothing}</span></td>
        <td class="tight" data-label="outcome">${outcome(one.outcome)}</td><td data-label="request"><code class="muted" title="on node ${one.node}">${one.request_id ?? '–'}</code></td></tr>`)}</tbody></table></div>${this.pages.footer(first, 'entries')}`;
  }

  toggle(id) {
    if (!this.#open.delete(id)) this.#open.add(id);
    this.requestUpdate();
  }
}

/** `done`, or a word and the reason behind a colon; null if the node ended before the action did. */
function outcome(text) {
  if (!text) return status('unknown', 'The node ended before the action did');
  const [word] = text.split(':', 1);
  return html`<span>${status(word, text)}${word === text ? nothing : html`<span class="sub cut" title=${text}>${text.slice(word.length + 1).trim()}</span>`}</span>`;
}

customElements.define('muster-audit', Audit);
