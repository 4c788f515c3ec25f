// Charts as SVG. Geometry is in attributes; colours are in the stylesheet.
import { html, nothing, svg } from 'lit';
import { PageElement } from './element.js';
import { clock, number } from './format.js';

/** The room for the texts of the axis: this, or as much as the longest of them needs. */
const LEFT = 44;
const PER_CHARACTER = 6.2;
const BOTTOM = 18;
const TOP = 8;

/** A round number that is not smaller. */
function ceiling(value) {
  if (value <= 4) return value <= 2 ? 2 : 4;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * magnitude).find((step) => step >= value - 1e-9);
}

/**
 * A chart over time, as wide as its box.
 *
 * - `points`: `[{ at, …values }]` in order
 * - `series`: `[{ name, label, of: (point) => number | null }]`
 * - `kind`: `bars`, which are stacked, or `lines`
 * - `format`: of values
 */
class Chart extends PageElement {
  static properties = { points: {}, series: {}, kind: {}, height: { type: Number }, format: {}, label: {}, width: { state: true }, at: { state: true } };

  constructor() {
    super();
    this.points = [];
    this.series = [];
    this.kind = 'bars';
    this.height = 150;
    this.width = 0;
    this.format = number;
    this.at = null;
    this.resized = new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
    });
  }

  connectedCallback() {
    super.connectedCallback();
    this.resized.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  render() {
    if (!this.width) return nothing;
    const { points, series, width, height } = this;
    const values = points.map((point) => series.map((one) => one.of(point)));
    const most = Math.max(0, ...values.map((row) =>
      this.kind === 'bars' ? row.reduce((sum, value) => sum + (value ?? 0), 0) : Math.max(0, ...row.map((value) => value ?? 0))));
    const top = ceiling(most);
    const marks = [0, 0.5, 1].map((part) => ({ value: top * part, text: String(this.format(top * part)) }));
    const left = Math.max(LEFT, Math.ceil(8 + PER_CHARACTER * Math.max(...marks.map((mark) => mark.text.length))));
    this.left = left;
    const step = (width - left) / Math.max(1, points.length);
    const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - value / top);
    return html`<figure class="chart">
      <figcaption class="legend">${series.map((one) => html`<span class="key s-${one.name}">${one.label}</span>`)}
        <span class="reading num">${this.at === null ? nothing : this.reading(points[this.at], values[this.at])}</span></figcaption>
      <svg width=${width} height=${height} role="img" aria-label=${this.label ?? ''} @pointermove=${(event) => this.point(event, step)} @pointerleave=${() => { this.at = null; }}>
        ${marks.map(({ value, text }) => svg`<line class="grid" x1=${left} x2=${width} y1=${y(value)} y2=${y(value)} />
          <text class="axis" x=${left - 6} y=${y(value) + 3.5} text-anchor="end">${text}</text>`)}
        ${this.at === null ? nothing : svg`<rect class="hover" x=${left + this.at * step} y=${TOP} width=${step} height=${height - TOP - BOTTOM} />`}
        ${this.kind === 'bars' ? this.bars(values, step, y) : this.lines(values, step, y)}
        ${this.times(points, step)}
      </svg></figure>`;
  }

  bars(values, step, y) {
    const gap = step > 6 ? 2 : step > 3 ? 1 : 0;
    return values.map((row, index) => {
      let below = 0;
      return row.map((value, which) => {
        if (!value) return nothing;
        const from = y(below);
        below += Number(value);
        const to = y(below);
        const tall = Math.max(1, from - to);
        return svg`<rect class="s-${this.series[which].name}" x=${this.left + index * step + gap / 2} y=${from - tall} width=${Math.max(0.5, step - gap)} height=${tall} />`;
      });
    });
  }

  lines(values, step, y) {
    return this.series.map((one, which) => {
      let path = '';
      let open = false;
      values.forEach((row, index) => {
        if (row[which] === null || row[which] === undefined) {
          open = false;
          return;
        }
        const x = (this.left + (index + 0.5) * step).toFixed(1);
        const alone = !open && (values[index + 1]?.[which] ?? null) === null;
        path += `${open ? 'L' : 'M'}${x} ${y(row[which]).toFixed(1)}${alone ? 'h0.01' : ''}`;
        open = true;
      });
      return svg`<path class="line s-${one.name}" d=${path} />`;
    });
  }

  times(points, step) {
    if (!points.length) return nothing;
    const every = Math.max(1, Math.ceil(70 / step / 5) * 5);
    return points.map((point, index) => {
      const last = points.length - 1 - index;
      if (last % every !== 0 || (index + 0.5) * step < 16) return nothing;
      const x = this.left + (index + 0.5) * step;
      return svg`<text class="axis" x=${x} y=${this.height - 4} text-anchor=${last === 0 ? 'end' : 'middle'} dx=${last === 0 ? step / 2 : 0}>${clock(point.at)}</text>`;
    });
  }

  reading(point, row) {
    return html`<b>${clock(point.at)}</b> ${this.series.map((one, which) =>
      row[which] === null || row[which] === undefined ? nothing : html`<span class="key s-${one.name}">${this.format(row[which])}</span>`)}`;
  }

  point(event, step) {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left - this.left) / step);
    this.at = index >= 0 && index < this.points.length ? index : null;
  }
}

customElements.define('muster-chart', Chart);

/** A small line without axes. Values may be null. */
export function sparkline(values, { width = 110, height = 24, label = '' } = {}) {
  if (!values.length) return nothing;
  const most = Math.max(1, ...values.map((value) => Number(value ?? 0)));
  const step = width / Math.max(1, values.length);
  return html`<svg class="spark" width=${width} height=${height} role="img" aria-label=${label}><title>${label}</title>
    ${values.map((value, index) => value
      ? svg`<rect x=${index * step} y=${height - Math.max(1.5, (value / most) * height)} width=${Math.max(0.8, step - 0.6)} height=${Math.max(1.5, (value / most) * height)} />`
      : nothing)}
    <line x1="0" x2=${width} y1=${height - 0.5} y2=${height - 0.5} /></svg>`;
}

/** How much of something is used. */
export function gauge(used, size, label, bad = 0) {
  const part = size > 0 ? Math.min(1, used / size) : 0;
  const stuck = size > 0 ? Math.min(1, bad / size) : 0;
  return html`<svg class="gauge ${part >= 1 ? 'full' : ''}" width="100%" height="8" role="img" aria-label=${label}><title>${label}</title>
    <rect class="rest" width="100%" height="8" rx="4" /><rect class="used" width="${part * 100}%" height="8" rx="4" />
    ${stuck ? svg`<rect class="stuck" width="${stuck * 100}%" height="8" rx="4" />` : nothing}</svg>`;
}
