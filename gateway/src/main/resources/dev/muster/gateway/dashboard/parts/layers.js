// Layout of a graph of tasks: columns by the longest way from a start, rows so that few lines cross.

const SWEEPS = 6;

/**
 * @param {{id: string, parents: string[]}[]} tasks
 * @returns {{columns: string[][], column: Map<string, number>}} ids by column, in the order from the top
 */
export function layers(tasks) {
  const known = new Map(tasks.map((task) => [task.id, task.parents]));
  const parents = (id) => known.get(id).filter((parent) => known.has(parent));
  const column = new Map();
  const depth = (start) => {
    // Without recursion: chains may be long. A task that is on the way to itself would be a cycle, which the API refuses.
    const stack = [start];
    while (stack.length) {
      const id = stack.at(-1);
      const open = parents(id).filter((parent) => !column.has(parent) && !stack.includes(parent));
      if (open.length) stack.push(open[0]);
      else {
        column.set(id, Math.max(-1, ...parents(id).map((parent) => column.get(parent) ?? -1)) + 1);
        stack.pop();
      }
    }
  };
  tasks.forEach((task) => column.has(task.id) || depth(task.id));

  const columns = [];
  tasks.forEach((task) => (columns[column.get(task.id)] ??= []).push(task.id));
  const children = new Map(tasks.map((task) => [task.id, []]));
  tasks.forEach((task) => parents(task.id).forEach((parent) => children.get(parent).push(task.id)));
  const row = new Map();
  const number = () => columns.forEach((ids) => ids.forEach((id, index) => row.set(id, index - (ids.length - 1) / 2)));
  number();
  const sort = (ids, neighbours) => {
    const middle = new Map(ids.map((id) => {
      const near = neighbours(id);
      return [id, near.length ? near.reduce((sum, one) => sum + row.get(one), 0) / near.length : row.get(id)];
    }));
    ids.sort((a, b) => middle.get(a) - middle.get(b));
    ids.forEach((id, index) => row.set(id, index - (ids.length - 1) / 2));
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    if (sweep % 2 === 0) columns.forEach((ids) => sort(ids, parents));
    else [...columns].reverse().forEach((ids) => sort(ids, (id) => children.get(id)));
  }
  return { columns, column };
}

/**
 * The chain of tasks that decided how long the graph took, or takes so far.
 *
 * @param {{id: string, parents: string[], took: number}[]} tasks
 * @returns {Set<string>} its ids
 */
export function criticalPath(tasks) {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const { columns } = layers(tasks);
  const best = new Map();
  for (const id of columns.flat()) {
    const { parents, took } = known.get(id);
    let from = null;
    for (const parent of parents) {
      if (best.has(parent) && (from === null || best.get(parent).sum > best.get(from).sum)) from = parent;
    }
    best.set(id, { from, sum: took + (from === null ? 0 : best.get(from).sum) });
  }
  let at = null;
  for (const [id, { sum }] of best) if (sum > 0 && (at === null || sum > best.get(at).sum)) at = id;
  const chain = new Set();
  for (; at !== null; at = best.get(at).from) chain.add(at);
  return chain;
}
