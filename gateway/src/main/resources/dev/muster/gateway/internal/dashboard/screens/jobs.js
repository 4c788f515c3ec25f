import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { live as liveValue } from 'lit/directives/live.js';
import { get, path, post } from '../api.js';
import { live } from '../events.js';
import { shortId } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { PageElement } from '../parts/element.js';
import { elapsed, number, plural, time } from '../parts/format.js';
import { icon } from '../parts/icons.js';
import { Pages, Selection, tabs } from '../parts/list.js';
import { QUALIFIERS, parseQuery, writeQuery } from '../parts/query.js';
import { nodeLink, queueLink } from '../parts/links.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { JOB_STATUSES, LIVE_STATUSES, status } from '../parts/status.js';
import { tell } from '../parts/toast.js';
import { headline } from '../parts/trace.js';
import { go, link, listLink } from '../address.js';
import { session } from '../session.js';

const PAGE = 50;
/** Ids in one request: more would not fit into the address. */
const CHUNK = 100;

/** The jobs, by status and search. */
class Jobs extends PageElement {
  static properties = { query: {}, text: { state: true }, help: { state: true }, suggestions: { state: true } };

  pages = new Pages(this, (before) => this.load(before));
  selection = new Selection(this);
  jobs = new Resource(this, (signal) => this.load(null, signal), { on: ['job', 'jobs'], every: 4_000, slow: 6_000, gap: 2_500, when: () => !this.pages.deep });
  counts = new Resource(this, (signal) => get(path('jobs', 'counts'), this.parameters(false), signal), { on: ['counts'], every: 5_000, slow: 8_000, gap: 2_500 });
  names = null;
  #undo = [];

  constructor() {
    super();
    this.query = new URLSearchParams();
    this.text = '';
    this.help = false;
    this.suggestions = [];
  }

  connectedCallback() {
    super.connectedCallback();
    // Figures of queues count runs of workflows too, and this is a list of jobs: so an event only says that there is something to count.
    this.#undo = [live.on(['job'], ({ detail }) => this.ended(detail))];
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#undo.forEach((undo) => undo());
  }

  /** A row that is shown changes at once; the list as a whole is reloaded a little later. */
  ended(job) {
    for (const rows of [this.jobs.data?.rows ?? [], this.pages.older]) {
      const row = rows.find((one) => one.id === job.id);
      if (row) {
        Object.assign(row, { status: job.status, attempt: job.attempt, finished_at: job.finished_at });
        this.requestUpdate();
      }
    }
  }

  get q() {
    return this.query.get('q') ?? '';
  }

  get status() {
    return this.query.get('status') ?? '';
  }

  willUpdate(changed) {
    if (!changed.has('query')) return;
    const before = changed.get('query');
    this.text = this.q;
    if (before && `${before}` !== `${this.query}`) {
      this.pages.clear();
      this.selection.clear();
      this.jobs.restart();
      if ((before.get('q') ?? '') !== this.q) this.counts.restart();
    }
  }

  /** The filters as the API takes them. */
  parameters(withStatus = true) {
    const { filters } = parseQuery(this.q);
    const list = filters.filter((one) => withStatus || one.name !== 'status').map(({ name, value }) => [name, value]);
    if (withStatus && this.status) return [...list.filter(([name]) => name !== 'status'), ['status', this.status]];
    return list;
  }

  async load(before, signal) {
    const query = [...this.parameters(), ['limit', PAGE], ...(before ? [['before', before]] : [])];
    const page = await get(path('jobs'), query, signal);
    return { rows: page.jobs, next: page.next, searchedBackTo: page.searched_back_to };
  }

  render() {
    const { filters, unknown } = parseQuery(this.q);
    return html`
      <div class="head"><h1>Jobs</h1><span class="space"></span>
        ${session.may('write') ? html`<button type="button" class="button" data-test="enqueue" @click=${() => this.enqueue()}>Enqueue a job</button>` : nothing}</div>
      ${this.searchbar()}
      ${unknown.length ? html`<p class="note warn" data-test="unknown-qualifier">${unknown.join(', ')}: there is no such qualifier, so this was left out.</p>` : nothing}
      ${filters.length ? this.chips(filters) : nothing}
      ${this.statusTabs()}
      <section class="card">${show(this.jobs, (first) => this.list(first))}</section>
      ${this.selectionBar()}`;
  }

  statusTabs() {
    const counts = this.counts.data?.counts ?? {};
    return tabs(['', ...JOB_STATUSES].map((name) => ({
      name,
      label: name || 'all',
      href: listLink('jobs', { status: name, q: this.q }),
      count: name ? counts[name] : undefined,
    })), this.status, 'Status');
  }

  searchbar() {
    const submit = (event) => {
      event.preventDefault();
      this.suggestions = [];
      this.search(this.text);
    };
    return html`<form class="searchbar" role="search" @submit=${submit} @focusout=${(event) => this.leave(event)}>
      <div class="field-box">${icon('search')}
        <input type="search" data-search data-test="search" aria-label="Search jobs" placeholder="name:send_mail queue:orders tag:vip metadata.customer:42 or an id" autocomplete="off" spellcheck="false"
          .value=${liveValue(this.text)} @input=${(event) => { this.text = event.target.value; this.suggest(); }} @keydown=${(event) => this.pick(event)}>
        ${this.suggestions.length ? html`<div class="suggest" data-test="suggestions">${this.suggestions.map((one, index) => html`<button type="button" tabindex="-1" class=${index === this.chosen ? 'on' : ''} @mousedown=${(event) => event.preventDefault()} @click=${() => this.complete(one)}>${one}</button>`)}</div>` : nothing}
      </div>
      <button type="submit" class="button">Search</button>
      <button type="button" class="icon-button" aria-label="How to search" aria-expanded=${this.help} data-test="search-help" @click=${() => { this.help = !this.help; }}>${icon('help')}</button>
      ${this.help ? html`<div class="popover" data-test="search-help-text"><table><tbody>${QUALIFIERS.map(([example, what]) => html`<tr><td><code>${example}</code></td><td class="muted">${what}</td></tr>`)}</tbody></table>
        <p class="muted">Values with blanks stand in quotes: <code>tag:"big order"</code>. All filters must match.</p></div>` : nothing}
    </form>`;
  }

  leave(event) {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    this.suggestions = [];
    this.help = false;
  }

  search(text) {
    const { filters } = parseQuery(text);
    const statuses = filters.filter((one) => one.name === 'status');
    if (filters.length === 1 && filters[0].name === 'id') go(link('jobs', filters[0].value));
    else if (statuses.length === 1) go(listLink('jobs', { status: statuses[0].value, q: writeQuery(filters.filter((one) => one.name !== 'status')) }));
    else go(listLink('jobs', { status: statuses.length ? '' : this.status, q: text.trim() }));
  }

  /** Names of jobs and queues that occur, for the word at the end. */
  async suggest() {
    this.chosen = -1;
    const [, qualifier, begin] = /(?:^|\s)(name|queue|status):(\S*)$/.exec(this.text) ?? [];
    if (!qualifier) {
      this.suggestions = [];
      return;
    }
    if (qualifier !== 'status' && !this.names) {
      this.names = get(path('names')).catch(() => ({ jobs: [], queues: [], used_queues: [] }));
    }
    const names = await this.names;
    const all = qualifier === 'status' ? JOB_STATUSES : qualifier === 'name' ? names.jobs : [...new Set([...names.queues, ...names.used_queues])];
    this.suggestions = all.filter((one) => one.startsWith(begin) && one !== begin).slice(0, 12);
  }

  complete(value) {
    this.text = this.text.replace(/:(\S*)$/, () => `:${value} `);
    this.suggestions = [];
    this.querySelector('[data-search]').focus();
  }

  pick(event) {
    if (!this.suggestions.length) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const count = this.suggestions.length;
      this.chosen = (this.chosen + (event.key === 'ArrowDown' ? 1 : -1) + count) % count;
      this.requestUpdate();
    } else if (event.key === 'Tab' || (event.key === 'Enter' && this.chosen >= 0)) {
      event.preventDefault();
      this.complete(this.suggestions[Math.max(0, this.chosen)]);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      this.suggestions = [];
    }
  }

  chips(filters) {
    const without = (index) => listLink('jobs', { status: this.status, q: writeQuery(filters.filter((_, at) => at !== index)) });
    return html`<div class="chips" data-test="chips">${filters.map((one, index) => html`<span class="chip">${one.name}: ${one.value}
      <button type="button" class="icon-button" aria-label="Remove ${one.name}: ${one.value}" @click=${() => go(without(index))}>${icon('close')}</button></span>`)}
      <a class="muted" href=${listLink('jobs', { status: this.status })}>Clear</a></div>`;
  }

  list(first) {
    const rows = this.pages.rows(first);
    this.selection.keep(rows);
    const { searchedBackTo } = this.pages.state(first);
    if (!rows.length && !searchedBackTo) {
      return this.q || this.status
        ? empty('No jobs match', html`<a href="#/jobs">Show all jobs</a>`)
        : empty('No jobs yet', html`Enqueue one: <code>muster jobs enqueue hello</code>`);
    }
    const may = session.may('write');
    const all = rows.length > 0 && rows.every((row) => this.selection.ids.has(row.id));
    return html`${rows.length ? html`<div class="table-box"><table class="list cards-small compact" data-test="jobs">
      <thead><tr>
        ${may ? html`<th class="tight"><input type="checkbox" aria-label="Select all that are shown" data-test="select-all" .checked=${all} @change=${(event) => this.selection.all(rows, event.target.checked)}></th>` : nothing}
        <th>Job</th><th>Status</th><th>Queue</th><th class="right">Attempt</th><th class="wide-only">Node</th><th>When</th><th class="right">Took</th></tr></thead>
      <tbody>${repeat(rows, (job) => job.id, (job) => this.row(job, rows, may))}</tbody></table></div>` : nothing}
      ${this.pages.footer(first, 'jobs')}`;
  }

  row(job, rows, may) {
    const selected = this.selection.ids.has(job.id);
    const problem = job.error ?? job.earlier_error;
    return html`<tr data-row data-test="job" data-id=${job.id} tabindex="-1" data-href=${link('jobs', job.id)} class=${selected ? 'selected' : ''}>
      ${may ? html`<td class="tight select-cell"><input type="checkbox" aria-label="Select job ${job.id}" .checked=${selected} @click=${(event) => this.selection.click(event, rows, job.id)}></td>` : nothing}
      <td><a class="main" href=${link('jobs', job.id)}>${job.name}</a> <span class="muted">${shortId(job.id)}</span>
        ${job.tags?.length ? html`<span class="tags">${job.tags.map((tag) => html`<a class="tag" href=${listLink('jobs', { status: this.status, q: writeQuery([{ name: 'tag', value: tag }]) })}>${tag}</a>`)}</span>` : nothing}
        ${problem && job.status !== 'completed' ? html`<span class="sub cut" title=${problem}>${headline(problem)}</span>` : nothing}</td>
      <td class="tight" data-label="status"><span>${status(job.status)}${job.progress && LIVE_STATUSES.includes(job.status) ? html` <span class="muted num">${job.progress.percent} %</span>` : nothing}</span></td>
      <td data-label="queue">${queueLink(job.queue, 'muted')}${job.priority === 'normal' ? nothing : html` <span class="tag">${job.priority}</span>`}</td>
      <td class="right num tight" data-label="attempt">${number(job.attempt)} / ${number(job.max_attempts)}</td>
      <td class="tight wide-only ${job.node ? '' : 'empty-cell'}" data-label="node">${job.node ? nodeLink(job.node, 'muted') : html`<span class="muted">–</span>`}</td>
      <td class="tight" data-label="when">${when(job)}</td>
      <td class="right tight ${job.started_at ? '' : 'empty-cell'}" data-label="took">${job.started_at ? elapsed(job.started_at, job.finished_at ?? null) : html`<span class="muted">–</span>`}</td>
    </tr>`;
  }

  selectionBar() {
    const { ids } = this.selection;
    if (!ids.size) return nothing;
    const rows = this.pages.rows(this.jobs.data ?? { rows: [] }).filter((job) => ids.has(job.id));
    const liveOnes = rows.filter((job) => LIVE_STATUSES.includes(job.status)).map((job) => job.id);
    const retryable = rows.filter((job) => ['failed', 'cancelled', 'expired'].includes(job.status)).map((job) => job.id);
    // A mistyped filter must not select everything.
    const canAll = this.parameters().length > 0 && !parseQuery(this.q).unknown.length;
    return html`<div class="selection" role="toolbar" aria-label="Selected jobs" data-test="selection">
      <b>${plural(ids.size, 'job')} selected</b>
      ${retryable.length ? html`<button type="button" class="button primary small" data-test="retry-selected" @click=${() => this.bulk('retry', retryable)}>Retry ${number(retryable.length)}</button>` : nothing}
      ${liveOnes.length ? html`<button type="button" class="button small" data-test="cancel-selected" @click=${() => this.bulk('cancel', liveOnes)}>Cancel ${number(liveOnes.length)}</button>` : nothing}
      ${canAll && retryable.length === ids.size ? html`<button type="button" class="link" data-test="retry-all" @click=${() => this.bulkAll('retry')}>Retry all that match the search</button>` : nothing}
      ${canAll && liveOnes.length === ids.size ? html`<button type="button" class="link" data-test="cancel-all" @click=${() => this.bulkAll('cancel')}>Cancel all that match the search</button>` : nothing}
      <button type="button" class="icon-button" aria-label="Select none" @click=${() => this.selection.clear()}>${icon('close')}</button></div>`;
  }

  async bulk(what, ids) {
    const verb = what === 'retry' ? 'Retry' : 'Cancel';
    const counted = plural(ids.length, 'job');
    const done = await ask({
      title: `${verb} ${counted}?`,
      text: what === 'retry' ? 'Their attempts count from zero again.' : 'Those that run are told to stop; the others end at once.',
      action: `${verb} ${counted}`,
      danger: what === 'cancel',
      stoppable: true,
      run: async (values, progress, signal) => {
        let changed = 0;
        let asked = 0;
        while (asked < ids.length && !signal.aborted) {
          if (ids.length > CHUNK) progress(`${number(asked)} of ${number(ids.length)}…`);
          const some = ids.slice(asked, asked + CHUNK);
          const result = await post(path('jobs', what), undefined, some.map((id) => ['id', id]));
          changed += result.retried ?? result.cancelled + result.requested;
          asked += some.length;
        }
        return { changed, asked };
      },
    });
    if (done !== undefined) this.finished(what, done.changed, done.asked);
  }

  async bulkAll(what) {
    const parameters = this.parameters();
    const verb = what === 'retry' ? 'Retry' : 'Cancel';
    let count = null;
    let more = false;
    try {
      if (what === 'retry') {
        const { jobs } = await get(path('jobs', 'retryable'), parameters);
        count = jobs.reduce((sum, one) => sum + one.jobs, 0);
      } else {
        const { counts } = await get(path('jobs', 'counts'), this.parameters(false));
        const statuses = this.status ? [this.status] : LIVE_STATUSES;
        count = statuses.reduce((sum, name) => sum + (counts[name]?.count ?? 0), 0);
        more = statuses.some((name) => !counts[name]?.exact);
      }
    } catch {
      // The question is asked without the number then.
    }
    // Counting stops at a bound, cancelling does not.
    const unknown = count === null || (more && count === 0);
    const counted = unknown ? 'all jobs that match' : `${more ? 'at least ' : ''}${plural(count, 'job')}`;
    const done = await ask({
      title: `${verb} ${counted}?`,
      text: html`<p>All jobs that match ${parameters.map(([name, value]) => html`<span class="tag">${name}: ${value}</span> `)}</p>
        <p>${what === 'retry' ? 'Their attempts count from zero again.' : 'Those that run are told to stop; the others end at once.'}</p>`,
      action: `${verb} ${counted}`,
      danger: what === 'cancel',
      run: async (values, progress) => {
        progress('Working… The gateway continues if you close this.');
        const result = await post(path('jobs', what), undefined, parameters);
        return result.retried ?? result.cancelled + result.requested;
      },
    });
    if (done !== undefined) this.finished(what, done);
  }

  finished(what, changed, asked = changed) {
    const done = what === 'retry' ? 'will run again' : changed === 1 ? 'was cancelled or told to stop' : 'were cancelled or told to stop';
    const rest = changed < asked ? ` ${number(asked - changed)} could not be: they have changed meanwhile, or belong to a graph or a workflow.` : '';
    tell(`${plural(changed, 'job')} ${done}.${rest}`);
    this.selection.clear();
    this.pages.clear();
    this.jobs.reload();
    this.counts.reload();
  }

  async enqueue() {
    const { enqueueDialog } = await import('./enqueue.js');
    const job = await enqueueDialog();
    if (job) go(link('jobs', job.id));
  }
}

/** The time that matters in the job's state. */
function when(job) {
  if (job.finished_at) return html`<span class="muted">ended</span> ${time(job.finished_at)}`;
  if (job.status === 'running' || job.status === 'claimed') return html`<span class="muted">began</span> ${time(job.started_at ?? job.created_at)}`;
  if (job.status === 'pending') return html`<span class="muted">due</span> ${time(job.run_at)}`;
  return html`<span class="muted">created</span> ${time(job.created_at)}`;
}

customElements.define('muster-jobs', Jobs);
