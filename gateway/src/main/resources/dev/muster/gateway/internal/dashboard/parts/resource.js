import { live } from '../events.js';

/**
 * Data of a screen: loads it, and loads it again when an event says that it has changed, or from time to time. While it reloads, and if
 * that fails, the screen keeps what it had.
 */
export class Resource {
  data = undefined;
  error = null;
  loading = false;
  #turn = 0;
  #abort = null;
  #timer = null;
  #due = null;
  #lastBegun = 0;
  #undo = [];

  /**
   * @param host the element that is rendered again after each change
   * @param {(signal: AbortSignal) => Promise<unknown>} load returns undefined to say that there is nothing to load
   * @param {{on?: string[], every?: number, slow?: number, when?: (event: CustomEvent) => boolean, gap?: number}} options `on`: events after which it
   *     reloads; `every`: how often in ms it loads without a live connection; `slow`: and with one; `when`: which events count; `gap`: the least time in ms between two loads
   */
  constructor(host, load, { on = [], every = 4_000, slow = 20_000, when = () => true, gap = 800 } = {}) {
    this.host = host;
    this.load = load;
    this.options = { on, every, slow, when, gap };
    host.addController(this);
  }

  hostConnected() {
    const { on, when } = this.options;
    this.#undo = [
      live.on(on, (event) => when(event) && this.soon()),
      live.on(['reset'], () => this.soon()),
      live.on(['state'], () => live.state === 'live' && this.error && this.soon()),
    ];
    this.#visible = () => document.hidden || this.soon();
    document.addEventListener('visibilitychange', this.#visible);
    this.reload();
  }

  #visible = null;

  hostDisconnected() {
    this.#undo.forEach((undo) => undo());
    document.removeEventListener('visibilitychange', this.#visible);
    clearTimeout(this.#timer);
    clearTimeout(this.#due);
    this.#abort?.abort();
    this.#turn++;
  }

  /** Whether the gateway has no such route, or not for this caller. */
  get absent() {
    return this.error && this.data === undefined && (this.error.status === 404 || this.error.status === 403);
  }

  /** Reloads, but not more than once in a while, however many events come. */
  soon() {
    if (this.#due || document.hidden) return;
    const wait = Math.max(30, this.#lastBegun + this.options.gap - Date.now());
    this.#due = setTimeout(() => {
      this.#due = null;
      this.reload();
    }, wait);
  }

  /** Forgets the data, for another thing of the same kind. */
  restart() {
    this.data = undefined;
    this.error = null;
    return this.reload();
  }

  async reload() {
    const turn = ++this.#turn;
    this.#abort?.abort();
    this.#abort = new AbortController();
    clearTimeout(this.#timer);
    this.#lastBegun = Date.now();
    this.loading = true;
    this.host.requestUpdate();
    try {
      const data = await this.load(this.#abort.signal);
      if (turn !== this.#turn) return;
      this.data = data;
      this.error = null;
    } catch (e) {
      if (turn !== this.#turn || e.name === 'AbortError') return;
      this.error = e;
      if (!('status' in e)) console.error(e);
    }
    this.loading = false;
    this.host.requestUpdate();
    this.#plan();
  }

  #plan() {
    const { every, slow } = this.options;
    const wait = live.state === 'live' ? slow : every;
    // After a 401 the page asks for a key first: repeated wrong keys would lock out the address.
    const hopeless = [401, 403, 404].includes(this.error?.status);
    if (!wait || hopeless) return;
    this.#timer = setTimeout(() => (document.hidden ? this.#plan() : this.reload()), wait);
  }
}
