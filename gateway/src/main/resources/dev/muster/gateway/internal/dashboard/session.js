// Who uses the page, and what they may do.
import { get, path } from './api.js';

const ORDER = ['read', 'write', 'admin'];

/** Changes by `load`; every element reads it when it renders. */
export const session = {
  me: null,

  /** Asks the gateway who the caller is; gateways that cannot tell yet let the actions decide. */
  async load() {
    try {
      this.me = await get(path('me'));
    } catch (e) {
      if (e.status !== 404) throw e;
      this.me = { id: null, scope: 'admin', tenant: null, observer: false, auth: null, node: null, version: null };
    }
    return this.me;
  },

  /** Whether actions that need this scope are offered. */
  may(scope) {
    const me = this.me;
    return Boolean(me) && !me.observer && ORDER.indexOf(me.scope) >= ORDER.indexOf(scope);
  },

  /** Whether the caller belongs to a tenant, and so sees nothing but its jobs. */
  get confined() {
    return Boolean(this.me?.tenant);
  },

  /** Why actions are not offered, in a sentence; null if they all are. */
  get restriction() {
    const me = this.me;
    if (!me) return null;
    if (me.observer) return 'This node is an observer: it only reads. Open the dashboard of another gateway to change something.';
    if (me.scope === 'read') return 'Your key has the scope read: you see everything and change nothing.';
    if (me.scope === 'write') return null;
    return null;
  },
};
