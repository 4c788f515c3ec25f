import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { cronStatus, editCron, inWords, pauseCron, tickStrip, triggerCron, zoneName } from '../parts/cron.js';
import { PageElement } from '../parts/element.js';
import { time } from '../parts/format.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { tell, tellError } from '../parts/toast.js';
import { go, link } from '../address.js';
import { session } from '../session.js';

/** How many strips of ticks are loaded: each is a request. */
const STRIPS = 40;

/** All crons. */
class Crons extends PageElement {
  crons = new Resource(this, (signal) => get(path('crons'), null, signal), { on: ['crons'], every: 5_000, slow: 15_000 });
  history = new Resource(this, (signal) => this.loadHistory(signal), { on: ['crons'], every: 20_000, slow: 20_000, gap: 5_000 });

  async loadHistory(signal) {
    const { crons } = this.crons.data ?? (await get(path('crons'), null, signal));
    const all = new Map();
    const queue = crons.slice(0, STRIPS).map((cron) => cron.name);
    const worker = async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        all.set(name, (await get(path('crons', name, 'history'), [['limit', 20]], signal)).ticks);
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    return all;
  }

  render() {
    return html`<div class="head"><h1>Crons</h1><span class="space"></span>${session.may('admin') ? html`<button type="button" class="button primary" data-test="create-cron" @click=${() => this.create()}>Create a cron</button>` : nothing}</div>
      <section class="card">${show(this.crons, ({ crons }) => (crons.length ? this.table(crons) : empty('No crons', 'Declare one in code with @Cron, or create one here.')))}</section>`;
  }

  table(crons) {
    const strips = this.history.data;
    return html`<div class="table-box"><table class="list cards-small" data-test="crons">
      <thead><tr><th>Cron</th><th>Schedule</th><th>Next</th><th>Last</th>${strips ? html`<th>Last ticks</th>` : nothing}<th><span class="hidden-title">Actions</span></th></tr></thead>
      <tbody>${crons.map((cron) => html`<tr data-row data-test="cron" data-id=${cron.name} tabindex="-1" data-href=${link('crons', cron.name)}>
        <td><a class="main" href=${link('crons', cron.name)}>${cron.name}</a> ${cron.paused || cron.problem || cron.gone_at ? cronStatus(cron) : nothing}<span class="sub">${cron.job}</span>${cron.problem ? html`<span class="sub cut late" title=${cron.problem}>${cron.problem}</span>` : nothing}</td>
        <td data-label="schedule"><span>${inWords(cron.expression)}<span class="sub"><code>${cron.expression}</code> ${zoneName(cron.zone)}</span></span></td>
        <td class="tight" data-label="next">${cron.paused ? html`<span class="muted">paused</span>` : time(cron.next_tick)}</td>
        <td class="tight" data-label="last">${cron.last_job ? html`<a href=${link('jobs', cron.last_job)}>${time(cron.last_tick)}</a>` : time(cron.last_tick, html`<span class="muted">never</span>`)}</td>
        ${strips ? html`<td class="tight ${strips.get(cron.name)?.length ? '' : 'empty-cell'}" data-label="ticks">${tickStrip(strips.get(cron.name))}</td>` : nothing}
        <td class="tight right"><span class="row nowrap-row">${session.may('write') ? html`<button type="button" class="button small" data-test="trigger" @click=${() => this.trigger(cron)}>Trigger</button>` : nothing}
          ${session.may('admin') ? html`<button type="button" class="button small" data-test=${cron.paused ? 'resume' : 'pause'} @click=${() => this.act(pauseCron(cron))}>${cron.paused ? 'Resume' : 'Pause'}</button>` : nothing}</span></td>
      </tr>`)}</tbody></table></div>`;
  }

  async act(promise) {
    if ((await promise) !== undefined) this.crons.reload();
  }

  async trigger(cron) {
    const result = await triggerCron(cron);
    if (result !== undefined) {
      tell(`${cron.name} was triggered: job ${result.job}`);
      this.crons.reload();
    }
  }

  async create() {
    try {
      const created = await editCron(null);
      if (created) go(link('crons', created.name));
    } catch (e) {
      tellError(e);
    }
  }
}

customElements.define('muster-crons', Crons);
