// Layout of a graph of tasks: columns by the longest way from a start, rows so that few lines cross, and lines that go around tasks.

const SWEEPS = 6;
export const TASK = { width: 172, height: 44 };
const GAP = { x: 56, y: 14 };
const MARGIN = 16;
/** The room that a line takes where it passes through a column. */
const LANE = 10;

/** The column of each task, by its id. */
function columnsOf(tasks, parents) {
  const column = new Map();
  for (const task of tasks) {
    // Without recursion: chains may be long. A task that is on the way to itself would be a cycle, which the API refuses.
    const way = column.has(task.id) ? [] : [task.id];
    const onWay = new Set(way);
    while (way.length) {
      const id = way.at(-1);
      const open = parents(id).find((parent) => !column.has(parent) && !onWay.has(parent));
      if (open === undefined) {
        column.set(id, Math.max(-1, ...parents(id).map((parent) => column.get(parent) ?? -1)) + 1);
        onWay.delete(way.pop());
      } else {
        way.push(open);
        onWay.add(open);
      }
    }
  }
  return column;
}

function parentsOf(tasks) {
  const known = new Map(tasks.map((task) => [task.id, task.parents]));
  return (id) => known.get(id).filter((parent) => known.has(parent));
}

/**
 * @param {{id: string, parents: string[]}[]} tasks
 * @returns {{positions: Map<string, {x: number, y: number}>, lines: {parent: string, child: string, path: string}[], width: number, height: number}}
 *     the upper left corner of each task, and each dependency as a path of SVG
 */
export function layout(tasks) {
  const parents = parentsOf(tasks);
  const column = columnsOf(tasks, parents);
  const columns = [];
  const put = (id, at) => (columns[at] ??= []).push(id);
  tasks.forEach((task) => put(task.id, column.get(task.id)));

  // A line over several columns gets a lane in each column between: `before` and `after` are the neighbours of tasks and lanes.
  const before = new Map(tasks.map((task) => [task.id, []]));
  const after = new Map(tasks.map((task) => [task.id, []]));
  const lanes = new Set();
  const connect = (from, to) => {
    after.get(from).push(to);
    before.get(to).push(from);
  };
  const lines = tasks.flatMap((task) => parents(task.id).map((parent) => {
    const way = [parent];
    for (let at = column.get(parent) + 1; at < column.get(task.id); at++) {
      const lane = `${parent}\u0000${task.id}\u0000${at}`;
      lanes.add(lane);
      before.set(lane, []);
      after.set(lane, []);
      put(lane, at);
      connect(way.at(-1), lane);
      way.push(lane);
    }
    connect(way.at(-1), task.id);
    return { parent, child: task.id, way: [...way, task.id] };
  }));

  order(columns, before, after);

  const tall = (id) => (lanes.has(id) ? LANE : TASK.height);
  const sizes = columns.map((ids) => ids.reduce((sum, id) => sum + tall(id) + GAP.y, -GAP.y));
  const height = Math.max(0, ...sizes);
  const positions = new Map();
  columns.forEach((ids, x) => {
    let y = MARGIN + (height - sizes[x]) / 2;
    for (const id of ids) {
      positions.set(id, { x: MARGIN + x * (TASK.width + GAP.x), y });
      y += tall(id) + GAP.y;
    }
  });
  const middle = (id) => positions.get(id).y + tall(id) / 2;
  const path = (way) => way.slice(1).map((id, index) => {
    const from = way[index];
    const [x1, y1, x2, y2] = [positions.get(from).x + TASK.width, middle(from), positions.get(id).x, middle(id)];
    const bend = (x2 - x1) / 2;
    const along = lanes.has(id) ? `H${x2 + TASK.width}` : '';
    return `${index ? '' : `M${x1} ${y1}`}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}${along}`;
  }).join('');
  return {
    positions,
    lines: lines.map(({ parent, child, way }) => ({ parent, child, path: path(way) })),
    width: 2 * MARGIN + columns.length * (TASK.width + GAP.x) - GAP.x,
    height: 2 * MARGIN + height,
  };
}

/** Sorts each column by the middle of its neighbours, forth and back. */
function order(columns, before, after) {
  const row = new Map();
  const number = (ids) => ids.forEach((id, index) => row.set(id, index - (ids.length - 1) / 2));
  columns.forEach(number);
  const sort = (ids, neighbours) => {
    const middle = new Map(ids.map((id) => {
      const near = neighbours.get(id);
      return [id, near.length ? near.reduce((sum, one) => sum + row.get(one), 0) / near.length : row.get(id)];
    }));
    ids.sort((a, b) => middle.get(a) - middle.get(b));
    number(ids);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    if (sweep % 2 === 0) columns.forEach((ids) => sort(ids, before));
    else [...columns].reverse().forEach((ids) => sort(ids, after));
  }
}

/**
 * The chain of tasks that decided how long the graph took, or takes so far.
 *
 * @param {{id: string, parents: string[], took: number}[]} tasks
 * @returns {string[]} its ids, from the first task; empty if it is no chain
 */
export function criticalPath(tasks) {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const column = columnsOf(tasks, parentsOf(tasks));
  const best = new Map();
  for (const { id, parents, took } of [...tasks].sort((a, b) => column.get(a.id) - column.get(b.id))) {
    let from = null;
    for (const parent of parents) {
      if (known.has(parent) && (from === null || best.get(parent).sum > best.get(from).sum)) from = parent;
    }
    best.set(id, { from, sum: took + (from === null ? 0 : best.get(from).sum) });
  }
  // Tasks that have not begun add nothing, but show where the chain leads: of equals the later one ends it.
  let at = null;
  for (const [id, { sum }] of best) if (sum > 0 && (at === null || sum >= best.get(at).sum)) at = id;
  const chain = [];
  for (; at !== null; at = best.get(at).from) chain.unshift(at);
  return chain.length > 1 ? chain : [];
}
