import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { get, path, post } from '../api.js';
import { shortId } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { PageElement } from '../parts/element.js';
import { elapsed, number, time } from '../parts/format.js';
import { Pages, tabs } from '../parts/list.js';
import { jsonProblem, parse } from '../parts/lossless.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { headline } from '../parts/trace.js';
import { go, link, listLink } from '../address.js';
import { session } from '../session.js';

/** Tabs, each with the statuses it shows. */
const TABS = {
  '': ['all', []],
  live: ['live', ['pending', 'running', 'sleeping', 'waiting', 'compensating']],
  blocked: ['blocked', ['blocked_missing_handler', 'blocked_missing_version', 'blocked_signature_mismatch']],
  completed: ['completed', ['completed']],
  failed: ['failed', ['failed']],
  compensated: ['compensated', ['compensated']],
  ended: ['cancelled or retired', ['cancelled_by_operator', 'retired_unresumable']],
};
const PAGE = 50;

/** Runs of workflows, and which versions nodes can run. */
class Workflows extends PageElement {
  static properties = { query: {} };

  pages = new Pages(this, (before) => this.load(before));
  runs = new Resource(this, (signal) => this.load(null, signal), { on: ['run'], every: 4_000, slow: 15_000, gap: 1_500, when: () => !this.pages.deep });
  definitions = new Resource(this, (signal) => get(path('workflows', 'definitions'), null, signal), { on: ['nodes'], every: 15_000, slow: 30_000 });

  constructor() {
    super();
    this.query = new URLSearchParams();
  }

  get tab() {
    const name = this.query.get('status') ?? '';
    return name in TABS ? name : '';
  }

  get name() {
    return this.query.get('name') ?? '';
  }

  willUpdate(changed) {
    const before = changed.get('query');
    if (before && `${before}` !== `${this.query}`) {
      this.pages.clear();
      this.runs.restart();
    }
  }

  async load(before, signal) {
    const query = [...TABS[this.tab][1].map((one) => ['status', one]), ['limit', PAGE]];
    if (this.name) query.push(['workflow_name', this.name]);
    if (before) query.push(['before', before]);
    const page = await get(path('workflows'), query, signal);
    return { rows: page.runs, next: page.next };
  }

  render() {
    const names = [...new Set((this.definitions.data?.definitions ?? []).map((one) => one.workflow_name))];
    return html`<div class="head"><h1>Workflows</h1><span class="space"></span>
        <select class="filter" aria-label="Workflow" data-search data-test="workflow-filter" @change=${(event) => go(listLink('workflows', { status: this.tab, name: event.target.value }))}>
          <option value="">All workflows</option>${names.map((one) => html`<option value=${one} ?selected=${one === this.name}>${one}</option>`)}</select>
        ${session.may('write') && names.length ? html`<button type="button" class="button" data-test="start-run" @click=${() => this.start(names)}>Start a run</button>` : nothing}</div>
      ${tabs(Object.entries(TABS).map(([name, [label]]) => ({ name, label, href: listLink('workflows', { status: name, name: this.name }) })), this.tab, 'Status')}
      <div class="stack"><section class="card">${show(this.runs, (first) => this.list(first))}</section>${this.versions()}</div>`;
  }

  list(first) {
    const rows = this.pages.rows(first);
    if (!rows.length) return empty(this.tab || this.name ? 'No runs match' : 'No runs yet', html`Start one: <code>muster workflows start NAME</code>`);
    return html`<div class="table-box"><table class="list cards-small compact" data-test="runs"><thead><tr><th>Run</th><th>Status</th><th>Waits for</th><th>Created</th><th>Changed</th><th class="right">Took</th></tr></thead>
      <tbody>${repeat(rows, (run) => run.id, (run) => html`<tr data-row data-test="run" data-id=${run.id} tabindex="-1" data-href=${link('workflows', run.id)}>
        <td><a class="main" href=${link('workflows', run.id)}>${run.workflow_name}</a> <span class="muted">${run.workflow_version}</span> <span class="muted">${shortId(run.id)}</span>${run.error ? html`<span class="sub cut" title=${run.error}>${headline(run.error)}</span>` : nothing}</td>
        <td class="tight" data-label="status">${status(run.status)}</td>
        <td class=${run.awaiting.length || run.wake_at ? '' : 'empty-cell'} data-label="waits for">${run.awaiting.length ? run.awaiting.join(', ') : run.wake_at && !run.finished_at ? html`wakes ${time(run.wake_at)}` : html`<span class="muted">–</span>`}</td>
        <td class="tight" data-label="created">${time(run.created_at)}</td><td class="tight" data-label="changed">${time(run.changed_at)}</td><td class="right tight" data-label="took">${elapsed(run.created_at, run.finished_at)}</td></tr>`)}</tbody></table></div>
      ${this.pages.footer(first, 'runs')}`;
  }

  versions() {
    const list = this.definitions.data?.definitions ?? [];
    if (!list.length) return nothing;
    return html`<section class="card"><header><h2>Versions</h2><span class="muted">what nodes have published</span></header><div class="table-box"><table class="list cards-small" data-test="definitions">
      <thead><tr><th>Workflow</th><th>Version</th><th>State</th><th>First seen</th><th><span class="hidden-title">Actions</span></th></tr></thead><tbody>${list.map((one) => html`<tr data-row tabindex="-1" data-href=${listLink('workflows', { name: one.workflow_name })}>
        <td class="main">${one.workflow_name}</td><td data-label="version">${one.workflow_version} <code class="muted">${one.signature.slice(0, 8)}</code></td>
        <td data-label="state"><span class="row">${one.paused ? status('paused') : status(one.live ? 'active' : 'gone', one.live ? 'Live nodes can run it' : 'No live node can run it')}${one.lifecycle === 'active' ? nothing : html`<span class="muted">${one.lifecycle}</span>`}</span></td><td class="tight" data-label="first seen">${time(one.first_seen)}</td>
        <td class="tight right">${session.may('admin') ? html`<span class="row nowrap-row"><button type="button" class="button small" data-test=${one.paused ? 'resume' : 'pause'} @click=${() => this.pause(one)}>${one.paused ? 'Resume' : 'Pause'}</button>${one.live ? nothing : html`<button type="button" class="button small" data-test="retire" @click=${() => this.retire(one)}>Retire</button>`}</span>` : nothing}</td></tr>`)}</tbody></table></div></section>`;
  }

  async pause(one) {
    const verb = one.paused ? 'resume' : 'pause';
    const done = await ask({
      title: `${one.paused ? 'Resume' : 'Pause'} ${one.workflow_name}?`,
      text: one.paused ? 'Its runs continue.' : 'No run of this workflow begins or continues until you resume it.',
      action: one.paused ? 'Resume' : 'Pause',
      run: () => post(path('workflows', 'definitions', one.workflow_name, verb)),
    });
    if (done !== undefined) this.definitions.reload();
  }

  async retire(one) {
    let count = null;
    try {
      count = (await get(path('workflows', 'definitions', one.workflow_name, one.workflow_version, 'live'))).live;
    } catch {
      // The question is asked without the number then.
    }
    const done = await ask({
      title: `Retire ${one.workflow_name} ${one.workflow_version}?`,
      text: `${count === null ? 'All live runs' : `${number(count)} live runs`} of this version are given up, because no code can resume them. This cannot be undone.`,
      action: 'Retire the version',
      danger: true,
      fields: [{ name: 'reason', label: 'Reason', value: '', required: true }],
      run: ({ reason }) => post(path('workflows', 'definitions', one.workflow_name, one.workflow_version, 'retire'), { reason }),
    });
    if (done !== undefined) this.runs.reload();
  }

  async start(names) {
    const run = await ask({
      title: 'Start a run',
      action: 'Start',
      wide: true,
      fields: [
        { name: 'workflow_name', label: 'Workflow', value: this.name || names[0], options: names },
        { name: 'input', label: 'Input', value: '', rows: 5, check: jsonProblem },
        { name: 'key', label: 'Key', value: '', hint: 'The same key starts the run once, however often you try.' },
      ],
      run: ({ workflow_name, input, key }) => {
        const body = { workflow_name };
        if (input.trim()) body.input = parse(input);
        if (key.trim()) body.key = key.trim();
        return post(path('workflows'), body);
      },
    });
    if (run) go(link('workflows', run.id));
  }
}

customElements.define('muster-workflows', Workflows);
