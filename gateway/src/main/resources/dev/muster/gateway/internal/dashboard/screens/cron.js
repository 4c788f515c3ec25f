import { html, nothing } from 'lit';
import { get, path } from '../api.js';
import { cronStatus, deleteCron, editCron, inWords, pauseCron, tickStrip, triggerCron, zoneName } from '../parts/cron.js';
import { PageElement } from '../parts/element.js';
import { between, day, duration, exact, number, time } from '../parts/format.js';
import { json } from '../parts/json.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status } from '../parts/status.js';
import { tell, tellError } from '../parts/toast.js';
import { go, link } from '../address.js';
import { session } from '../session.js';

/** The strip shows more ticks than the table. */
const SHOWN = 20;

/** One cron: when it ticks, what its ticks led to. */
class Cron extends PageElement {
  static properties = { thing: {} };

  cron = new Resource(this, (signal) => get(path('crons', this.thing), null, signal), { on: ['crons'], every: 4_000, slow: 15_000 });
  next = new Resource(this, (signal) => get(path('crons', this.thing, 'next'), [['count', 8]], signal), { on: ['crons'], every: 20_000, slow: 30_000 });
  history = new Resource(this, (signal) => get(path('crons', this.thing, 'history'), [['limit', 50]], signal), { on: ['crons'], every: 8_000, slow: 15_000 });

  render() {
    return show(this.cron, (cron) => html`
      <div class="head"><p class="crumb"><a href="#/crons">Crons</a></p><h1>${cron.name}</h1>${cronStatus(cron)}<span class="space"></span>
        ${session.may('write') ? html`<button type="button" class="button" data-test="trigger" @click=${() => this.trigger(cron)}>Trigger now</button>` : nothing}
        ${session.may('admin') ? html`<button type="button" class="button" data-test=${cron.paused ? 'resume' : 'pause'} @click=${() => this.act(pauseCron(cron))}>${cron.paused ? 'Resume' : 'Pause'}</button>
          ${cron.source === 'dynamic' ? html`<button type="button" class="button" data-test="edit" @click=${() => this.edit(cron)}>Change</button><button type="button" class="button" data-test="delete" @click=${() => this.erase(cron)}>Delete</button>` : nothing}` : nothing}</div>
      <div class="stack">
        ${cron.problem ? html`<p class="note bad" data-test="problem">${cron.problem}</p>` : nothing}
        ${cron.gone_at ? html`<p class="note warn">No node has declared this cron since ${exact(cron.gone_at)}.</p>` : nothing}
        <div class="columns"><div class="stack">${this.ticks()}
          <section class="card"><header><h2>Args</h2></header><div class="body">${json(cron.args)}</div></section></div>
        <div class="stack"><section class="card"><header><h2>Schedule</h2></header><div class="body"><dl class="facts">
          <dt>in words</dt><dd>${inWords(cron.expression)}</dd><dt>expression</dt><dd><code>${cron.expression}</code></dd><dt>time zone</dt><dd>${zoneName(cron.zone)}</dd>
          <dt>job</dt><dd>${cron.job}</dd><dt>missed ticks</dt><dd>${cron.misfire.replaceAll('_', ' ')}${cron.catch_up_limit ? `, at most ${number(cron.catch_up_limit)}` : ''}</dd>
          <dt>overlap</dt><dd>${cron.overlap}</dd>${cron.jitter_ms ? html`<dt>jitter</dt><dd>${duration(cron.jitter_ms)}</dd>` : nothing}
          <dt>declared</dt><dd>${cron.source === 'dynamic' ? 'at run time' : 'in code'}</dd>
          ${Object.entries(cron.options ?? {}).filter(([, value]) => value !== null).map(([name, value]) => html`<dt>${name.replaceAll('_', ' ')}</dt><dd>${String(value)}</dd>`)}
          <dt>changed</dt><dd>${time(cron.updated_at)}</dd></dl></div></section>
        <section class="card"><header><h2>Next ticks</h2>${cron.paused ? html`<span class="muted">if it were not paused</span>` : nothing}</header>${show(this.next, ({ ticks }) => html`<div class="table-box"><table class="list"><tbody>${ticks.map((tick) => html`<tr><td title=${exact(tick)}>${day(tick, ticks.some((one) => new Date(one).getSeconds()))}</td><td class="right muted">${time(tick)}</td></tr>`)}</tbody></table></div>`)}</section>
        </div></div></div>`);
  }

  ticks() {
    if (this.history.absent) return nothing;
    return html`<section class="card"><header><h2>Ticks</h2><span class="space"></span>${tickStrip(this.history.data?.ticks)}</header>
      ${show(this.history, ({ ticks }) => (ticks.length ? html`<div class="table-box"><table class="list cards-small compact"><thead><tr><th>Tick</th><th>Job</th><th>Status</th><th class="right">Ended after</th></tr></thead><tbody>
        ${ticks.slice(0, SHOWN).map((tick) => html`<tr data-row tabindex="-1" data-href=${tick.job ? link('jobs', tick.job) : nothing}><td class="tight">${time(tick.at)}</td><td data-label="job">${tick.job ? html`<a class="mono" href=${link('jobs', tick.job)}>…${tick.job.slice(-12)}</a>` : html`<span class="muted">none</span>`}</td>
          <td class="tight" data-label="status">${tick.status ? status(tick.status) : html`<span class="muted">${tick.job ? 'no longer kept' : '–'}</span>`}</td><td class="right num" data-label="ended after">${tick.finished_at ? duration(Math.max(0, between(tick.at, tick.finished_at))) : '–'}</td></tr>`)}</tbody></table></div>` : empty('It has not ticked yet')))}</section>`;
  }

  async act(promise) {
    if ((await promise) === undefined) return;
    this.cron.reload();
    this.next.reload();
  }

  async trigger(cron) {
    const result = await triggerCron(cron);
    if (result === undefined) return;
    tell(`${cron.name} was triggered.`);
    go(link('jobs', result.job));
  }

  async edit(cron) {
    try {
      await this.act(editCron(cron));
    } catch (e) {
      tellError(e);
    }
  }

  async erase(cron) {
    if ((await deleteCron(cron)) !== undefined) go('#/crons');
  }
}

customElements.define('muster-cron', Cron);
