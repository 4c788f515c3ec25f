// What the lists of the page have in common: pages, tabs, selection.
import { html, nothing } from 'lit';
import { bounded, clock } from './format.js';

/**
 * Pages that are loaded one after the other. The first one is a {@link Resource}; older ones are appended until the filters change.
 */
export class Pages {
  older = [];
  next = null;
  searchedBackTo = null;
  loading = false;
  error = null;

  /**
   * @param host is rendered again after each change
   * @param {(before: string) => Promise<{rows: object[], next: string | null, searchedBackTo?: string}>} load
   */
  constructor(host, load) {
    this.host = host;
    this.load = load;
  }

  clear() {
    Object.assign(this, { older: [], next: null, searchedBackTo: null, loading: false, error: null, deep: false });
  }

  /** All rows: those of the first page, which may be newer than when the older ones were loaded, then the older ones. */
  rows(first) {
    if (!this.deep) return first.rows;
    const seen = new Set(first.rows.map((row) => row.id));
    return [...first.rows, ...this.older.filter((row) => !seen.has(row.id))];
  }

  state(first) {
    return this.deep ? this : first;
  }

  async more(first) {
    const from = this.state(first).next;
    this.loading = true;
    this.error = null;
    this.host.requestUpdate();
    try {
      const page = await this.load(from);
      this.older = [...this.older, ...page.rows];
      this.next = page.next;
      this.searchedBackTo = page.searchedBackTo ?? null;
      this.deep = true;
    } catch (e) {
      this.error = e;
    }
    this.loading = false;
    this.host.requestUpdate();
  }

  footer(first, what) {
    const { next, searchedBackTo } = this.state(first);
    if (!next && !this.error) return nothing;
    return html`<div class="more">
      ${this.error ? html`<span class="note bad">${this.error.message}</span>` : nothing}
      ${searchedBackTo ? html`<span data-test="searched-back">Searched back to ${clock(searchedBackTo, true)}.</span>` : nothing}
      ${next ? html`<button type="button" class="button" data-test="more" ?disabled=${this.loading} @click=${() => this.more(first)}>${this.loading ? 'Loading…' : searchedBackTo ? 'Go on' : `Show more ${what}`}</button>` : nothing}
    </div>`;
  }
}

/**
 * @param {{name: string, label: string, href: string, count?: object}[]} tabs
 * @param {string} current
 */
export function tabs(list, current, label) {
  return html`<nav class="tabs" aria-label=${label}>${list.map((tab) => html`<a href=${tab.href} data-test="tab-${tab.name || 'all'}" aria-current=${tab.name === current ? 'page' : nothing}>
    ${tab.label}${bounded(tab.count) ? html`<span class="count">${bounded(tab.count)}</span>` : nothing}</a>`)}</nav>`;
}

/** Which rows are selected; shift-click selects all between two. */
export class Selection {
  ids = new Set();
  #last = null;

  constructor(host) {
    this.host = host;
  }

  clear() {
    this.ids = new Set();
    this.#last = null;
    this.host.requestUpdate();
  }

  /** Drops what is no longer shown. */
  keep(rows) {
    const shown = new Set(rows.map((row) => row.id));
    for (const id of this.ids) if (!shown.has(id)) this.ids.delete(id);
  }

  click(event, rows, id) {
    event.stopPropagation();
    const on = event.target.checked;
    const at = rows.findIndex((row) => row.id === id);
    const from = event.shiftKey && this.#last !== null ? rows.findIndex((row) => row.id === this.#last) : at;
    const [low, high] = from < 0 ? [at, at] : [Math.min(at, from), Math.max(at, from)];
    for (const row of rows.slice(low, high + 1)) {
      if (on) this.ids.add(row.id);
      else this.ids.delete(row.id);
    }
    this.#last = id;
    this.host.requestUpdate();
  }

  all(rows, on) {
    this.ids = new Set(on ? rows.map((row) => row.id) : []);
    this.host.requestUpdate();
  }
}
