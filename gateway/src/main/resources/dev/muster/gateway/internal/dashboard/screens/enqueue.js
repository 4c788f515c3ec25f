import { path, post } from '../api.js';
import { ask } from '../parts/dialog.js';
import { jsonProblem, parse } from '../parts/lossless.js';

/** Asks for a job and enqueues it; resolves to the job, or to undefined. */
export function enqueueDialog(values = {}) {
  return ask({
    title: 'Enqueue a job',
    action: 'Enqueue',
    wide: true,
    fields: [
      { name: 'name', label: 'Name', value: values.name ?? '', required: true, placeholder: 'hello' },
      { name: 'args', label: 'Args', value: values.args ?? '', rows: 5, placeholder: '{"name": "Ada"}', check: jsonProblem },
      { name: 'queue', label: 'Queue', value: values.queue ?? '', hint: 'Left empty: the one of the handler, or default.' },
      { name: 'priority', label: 'Priority', value: values.priority ?? '', options: ['', 'background', 'low', 'normal', 'high', 'critical'] },
      { name: 'delay', label: 'Delay', value: '', placeholder: '30s, 15m, 2h' },
      { name: 'key', label: 'Key', value: '', hint: 'The same key enqueues the job once, however often you try.' },
    ],
    run: (given) => {
      const body = { name: given.name.trim() };
      if (given.args.trim()) body.args = parse(given.args);
      for (const name of ['queue', 'priority', 'delay', 'key']) if (given[name].trim()) body[name] = given[name].trim();
      return post(path('jobs'), body);
    },
  });
}
