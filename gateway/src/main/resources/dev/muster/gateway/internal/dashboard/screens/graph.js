import { html, nothing, svg } from 'lit';
import { get, now, path, post } from '../api.js';
import { copyButton } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { PageElement } from '../parts/element.js';
import { duration, elapsed, number, plural, time } from '../parts/format.js';
import { icon } from '../parts/icons.js';
import { json } from '../parts/json.js';
import { TASK, criticalPath, layout } from '../parts/layers.js';
import { nodeLink } from '../parts/links.js';
import { Resource } from '../parts/resource.js';
import { show } from '../parts/states.js';
import { status, tone } from '../parts/status.js';
import { headline, trace } from '../parts/trace.js';
import { link } from '../address.js';
import { session } from '../session.js';

/** Beyond this a drawing helps nobody; the list has all tasks. */
const MOST_DRAWN = 400;

/** One graph, drawn, with the details of the chosen task. */
class Graph extends PageElement {
  static properties = { thing: {}, chosen: { state: true } };

  graph = new Resource(this, (signal) => get(path('graphs', this.thing), null, signal), { on: ['job', 'jobs'], every: 1_500, slow: 4_000, gap: 700, when: (event) => this.concerns(event) });
  #laidOut = null;

  constructor() {
    super();
    this.chosen = null;
  }

  render() {
    return show(this.graph, (graph) => {
      const tasks = graph.tasks.map((task) => ({ ...task, parents: task.depends_on.map((parent) => parent.id), took: took(task) }));
      const critical = criticalPath(tasks);
      const chosen = tasks.find((task) => task.id === this.chosen);
      return html`<div class="head"><p class="crumb"><a href="#/graphs">Graphs</a></p><h1>${graph.name ?? '(no name)'}</h1>${status(graph.status)}<span class="muted row"><code>${graph.id}</code>${copyButton(graph.id, 'Copy the id')}</span><span class="space"></span>${this.actions(graph)}</div>
        <div class="stack">
          ${graph.waiting_reason ? html`<p class="why" data-test="why">${icon('crons')}<span><b>Why it waits:</b> ${graph.waiting_reason}</span></p>` : nothing}
          ${graph.reason ? html`<p class="note warn">${graph.reason}</p>` : nothing}
          <div class="card body-pad row"><span class="progress grow"><progress max="100" value=${Number(graph.progress)}></progress><span class="num nowrap">${number(graph.ended_count)} / ${number(graph.task_count)}</span></span>
            ${Object.entries(graph.counts ?? {}).map(([name, count]) => html`<span class="row">${status(name)}<span class="num">${number(count)}</span></span>`)}<span class="muted">created ${time(graph.created_at)}, ${graph.finished_at ? 'took' : 'runs for'} ${elapsed(graph.created_at, graph.finished_at)}</span></div>
          <div class=${chosen ? 'columns' : 'stack'}><div class="stack">
            ${tasks.length <= MOST_DRAWN ? html`<section class="card"><header><h2>Tasks</h2>${critical.length ? html`<span class="muted">the thick line is the chain that takes longest</span>` : nothing}</header><div class="dag-box">${this.drawing(tasks, critical)}</div></section>` : nothing}
            ${this.table(tasks, critical)}</div>
          ${chosen ? this.details(graph, chosen) : nothing}</div></div>`;
    });
  }

  /** Whether a job that ended is one of the tasks; what was only counted may be. */
  concerns({ type, detail }) {
    const { status: now, tasks = [] } = this.graph.data ?? {};
    return now === 'running' && (type === 'jobs' || tasks.some((task) => task.job_id === detail?.id));
  }

  /** The layout changes only with the tasks, not with their states. */
  layout(tasks) {
    const key = tasks.map((task) => `${task.id}<${task.parents}`).join();
    if (this.#laidOut?.key !== key) this.#laidOut = { key, ...layout(tasks) };
    return this.#laidOut;
  }

  drawing(tasks, critical) {
    const { positions, lines, width, height } = this.layout(tasks);
    const isCritical = (line) => critical.includes(line.parent) && critical[critical.indexOf(line.parent) + 1] === line.child;
    return html`<svg class="dag" width=${width} height=${height} role="group" aria-label="Tasks and what they depend on" data-test="dag">
      ${[...lines].sort((a, b) => isCritical(a) - isCritical(b)).map((line) => svg`<path class="edge ${isCritical(line) ? 'critical' : ''} ${line.parent === this.chosen || line.child === this.chosen ? 'near' : ''}" d=${line.path} />`)}
      ${tasks.map((task) => {
        const { x, y } = positions.get(task.id);
        const choose = () => { this.chosen = this.chosen === task.id ? null : task.id; };
        return svg`<g class="task ${tone(task.status)} ${task.id === this.chosen ? 'chosen' : ''}" data-test="task" data-id=${task.id} data-status=${task.status} tabindex="0" role="button" aria-label="${task.id}, ${task.status}"
          transform="translate(${x} ${y})" @click=${choose} @keydown=${(event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(); } }}>
          <title>${task.id}: ${task.name}, ${task.status}${task.waiting_reason ? `, ${task.waiting_reason}` : ''}</title>
          <rect class="box" width=${TASK.width} height=${TASK.height} rx="7" /><rect class="mark" x="0" y="0" width="5" height=${TASK.height} rx="2.5" />
          <text x="14" y="18">${cut(task.id, 22)}</text><text class="small" x="14" y="34">${task.status}${task.took > 0 ? ` · ${duration(task.took)}` : ''}</text></g>`;
      })}</svg>`;
  }

  table(tasks, critical) {
    return html`<section class="card"><div class="table-box"><table class="list cards-small compact" data-test="tasks"><thead><tr><th>Task</th><th>Status</th><th>Depends on</th><th class="right">Took</th></tr></thead><tbody>
      ${tasks.map((task) => html`<tr data-row tabindex="-1" data-href=${link('jobs', task.job_id)}><td><button type="button" class="link main" @click=${() => { this.chosen = task.id; }}>${task.id}</button> <span class="muted">${task.name}</span>${critical.includes(task.id) ? html` <span class="tag lead">longest chain</span>` : nothing}
          ${task.waiting_reason ? html`<span class="sub">${task.waiting_reason}</span>` : nothing}${task.error ? html`<span class="sub cut" title=${task.error}>${headline(task.error)}</span>` : nothing}</td>
        <td class="tight" data-label="status">${status(task.status)}</td><td class=${task.parents.length ? 'muted' : 'muted empty-cell'} data-label="depends on">${task.parents.join(', ') || '–'}</td><td class="right num tight ${task.started_at ? '' : 'empty-cell'}" data-label="took">${task.started_at ? elapsed(task.started_at, task.finished_at) : '–'}</td></tr>`)}</tbody></table></div></section>`;
  }

  details(graph, task) {
    const may = session.may('write');
    return html`<section class="card sticky" data-test="task-details"><header><h2>${task.id}</h2>${status(task.status)}<span class="space"></span><button type="button" class="icon-button" aria-label="Close" @click=${() => { this.chosen = null; }}>${icon('close')}</button></header>
      <div class="body stack">
        <div class="row"><a class="button small" href=${link('jobs', task.job_id)}>Open its job</a>
          ${may && ['failed', 'cancelled'].includes(task.status) ? html`<button type="button" class="button small" data-test="retry-task" @click=${() => this.taskAction(graph, task, 'retry')}>Retry</button>` : nothing}
          ${may && ['waiting', 'pending', 'running'].includes(task.status) ? html`<button type="button" class="button small" data-test="cancel-task" @click=${() => this.taskAction(graph, task, 'cancel')}>Cancel</button>` : nothing}</div>
        ${task.waiting_reason ? html`<p class="why">${task.waiting_reason}</p>` : nothing}${task.reason ? html`<p class="note">${task.reason}</p>` : nothing}${trace(task.error)}
        <dl class="facts"><dt>job</dt><dd>${task.name}</dd><dt>trigger</dt><dd>${task.trigger.replaceAll('_', ' ')}</dd><dt>depends on</dt><dd>${task.parents.join(', ') || '–'}</dd><dt>queue</dt><dd>${task.queue}</dd><dt>attempt</dt><dd class="num">${number(task.attempt)}${task.max_attempts ? ` / ${number(task.max_attempts)}` : ''}</dd>
          ${task.node ? html`<dt>node</dt><dd>${nodeLink(task.node)}</dd>` : nothing}${task.started_at ? html`<dt>started</dt><dd>${time(task.started_at)}</dd><dt>took</dt><dd>${elapsed(task.started_at, task.finished_at)}</dd>` : nothing}</dl>
        <div><h3>Inputs</h3>${json(task.inputs)}</div>${task.result === null || task.result === undefined ? nothing : html`<div><h3>Result</h3>${json(task.result)}</div>`}
      </div></section>`;
  }

  actions(graph) {
    if (!session.may('write')) return nothing;
    const failed = graph.tasks.filter((task) => ['failed', 'cancelled'].includes(task.status)).length;
    return html`<span class="row">${graph.status === 'running' ? html`<button type="button" class="button" data-test="cancel" @click=${() => this.cancel(graph)}>Cancel</button>` : nothing}
      ${failed ? html`<button type="button" class="button primary" data-test="retry" @click=${() => this.retry(graph, failed)}>Retry ${plural(failed, 'task')}</button>` : nothing}</span>`;
  }

  async done(promise) {
    if ((await promise) !== undefined) this.graph.reload();
  }

  cancel(graph) {
    const open = graph.task_count - graph.ended_count;
    this.done(ask({
      title: `Cancel ${plural(open, 'task')}?`, text: 'Tasks that wait end at once; those that run are told to stop.', action: 'Cancel the graph', danger: true,
      fields: [{ name: 'reason', label: 'Reason', value: '' }],
      run: ({ reason }) => post(path('graphs', graph.id, 'cancel'), reason.trim() ? { reason } : undefined),
    }));
  }

  retry(graph, failed) {
    this.done(ask({ title: `Retry ${plural(failed, 'task')}?`, text: 'All failed and cancelled tasks run again, and what depends on them.', action: `Retry ${plural(failed, 'task')}`, run: () => post(path('graphs', graph.id, 'retry')) }));
  }

  taskAction(graph, task, what) {
    this.done(ask({
      title: `${what === 'retry' ? 'Retry' : 'Cancel'} task ${task.id}?`,
      text: what === 'retry' ? 'It runs again.' : 'All tasks below it are cancelled, too.',
      action: what === 'retry' ? 'Retry the task' : 'Cancel the task',
      danger: what === 'cancel',
      run: () => post(path('graphs', graph.id, 'tasks', task.id, what)),
    }));
  }
}

function took(task) {
  return task.started_at ? Math.max(0, (task.finished_at ? Date.parse(task.finished_at) : now()) - Date.parse(task.started_at)) : 0;
}

function cut(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

customElements.define('muster-graph', Graph);
