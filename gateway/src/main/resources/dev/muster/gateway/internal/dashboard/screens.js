// The list of screens, and the address of each within the page.

/** A screen is loaded when somebody first goes there. `title` is in the navigation if `icon` is given. */
export const SCREENS = [
  { at: '', title: 'Overview', icon: 'overview', jump: 'o', tag: 'muster-overview', load: () => import('./screens/overview.js') },
  { at: 'jobs', title: 'Jobs', icon: 'jobs', jump: 'j', tag: 'muster-jobs', load: () => import('./screens/jobs.js'), forTenants: true },
  { at: 'jobs/*', title: 'Job', tag: 'muster-job', load: () => import('./screens/job.js'), forTenants: true },
  { at: 'queues', title: 'Queues', icon: 'queues', jump: 'q', tag: 'muster-queues', load: () => import('./screens/queues.js') },
  { at: 'queues/*', title: 'Queue', tag: 'muster-queue', load: () => import('./screens/queue.js') },
  { at: 'nodes', title: 'Nodes', icon: 'nodes', jump: 'n', tag: 'muster-nodes', load: () => import('./screens/nodes.js') },
  { at: 'nodes/*', title: 'Node', tag: 'muster-node', load: () => import('./screens/node.js') },
  { at: 'crons', title: 'Crons', icon: 'crons', jump: 'c', tag: 'muster-crons', load: () => import('./screens/crons.js') },
  { at: 'crons/*', title: 'Cron', tag: 'muster-cron', load: () => import('./screens/cron.js') },
  { at: 'workflows', title: 'Workflows', icon: 'workflows', jump: 'w', tag: 'muster-workflows', load: () => import('./screens/workflows.js') },
  { at: 'workflows/*', title: 'Run', tag: 'muster-run', load: () => import('./screens/run.js') },
  { at: 'graphs', title: 'Graphs', icon: 'graphs', jump: 'g', tag: 'muster-graphs', load: () => import('./screens/graphs.js') },
  { at: 'graphs/*', title: 'Graph', tag: 'muster-graph', load: () => import('./screens/graph.js') },
  { at: 'daemons', title: 'Daemons and locks', icon: 'daemons', jump: 'd', tag: 'muster-daemons', load: () => import('./screens/daemons.js') },
  { at: 'limits', title: 'Limits', icon: 'limits', jump: 'l', tag: 'muster-limits', load: () => import('./screens/limits.js') },
  { at: 'audit', title: 'Audit', icon: 'audit', jump: 'a', tag: 'muster-audit', load: () => import('./screens/audit.js'), scope: 'admin' },
];
