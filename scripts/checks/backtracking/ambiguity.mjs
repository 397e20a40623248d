import { components } from './components.mjs';
import { toAutomaton } from './positions.mjs';

/** How many states are looked at together: a pattern that takes more has to be written another way. */
const MOST_TOGETHER = 400_000;

/** The ways between the nodes that `isKept` keeps. */
function waysOf({ states, edges, accepting }, isKept = () => true) {
  const ways = states.map(() => []);
  // Where nothing can fail any more, nothing is read again.
  for (const edge of edges) if (!accepting.has(edge.from) && !accepting.has(edge.to) && isKept(edge)) ways[edge.from].push(edge);
  return ways;
}

/** The loops: components from which one comes back. @returns their states */
function loopsOf(ways) {
  const component = components(ways.length, (node) => ways[node].map(({ to }) => to));
  const members = new Map();
  for (const [node, number] of component.entries()) members.set(number, [...(members.get(number) ?? []), node]);
  const within = (node) => ways[node].filter(({ to }) => component[to] === component[node]);
  return [...members.values()].filter(([node]) => within(node).length > 0).map((nodes) => ({ nodes, within }));
}

/** The shortest text on a way from a node to one that `isEnd` accepts; undefined when there is none. At least one character. */
function textBetween({ start, next, isEnd }) {
  const seen = new Map([[start, undefined]]);
  const queue = [start];
  for (const node of queue) {
    if (seen.size > MOST_TOGETHER) throw new Error('the pattern has too many states to look at');
    for (const { to, set } of next(node)) {
      if (isEnd(to)) return toText(seen, node, set);
      if (seen.has(to)) continue;
      seen.set(to, { from: node, set });
      queue.push(to);
    }
  }
  return undefined;
}

function toText(seen, last, set) {
  const sets = [set];
  for (let step = seen.get(last); step !== undefined; step = seen.get(step.from)) sets.unshift(step.set);
  return sets;
}

/** Ways of two readings of one text, as one number each. Unordered: which of the two is which tells nothing. */
function pairsOf({ nodes, within }) {
  const order = new Map(nodes.map((node, index) => [node, index]));
  const toNumber = (a, b) => (a < b ? a * nodes.length + b : b * nodes.length + a);
  const outOf = nodes.map((node) => within(node).map(({ to, set }) => ({ to: order.get(to), set })));
  return (pair) => {
    const [left, right] = [outOf[Math.floor(pair / nodes.length)], outOf[pair % nodes.length]];
    return left.flatMap((a) => right.flatMap((b) => ((a.set & b.set) === 0n ? [] : [{ to: toNumber(a.to, b.to), set: a.set & b.set }])));
  };
}

function findTwice({ nodes, within }) {
  for (const node of nodes) {
    const ways = within(node);
    for (const [index, { to, set }] of ways.entries()) {
      const other = ways.slice(index + 1).find((way) => way.to === to && (way.set & set) !== 0n);
      if (other === undefined) continue;
      const back = to === node ? [] : textBetween({ start: to, next: within, isEnd: (each) => each === node });
      return { at: node, pump: [set & other.set, ...back] };
    }
  }
  return undefined;
}

/** A loop in which one text can be read in two ways that begin and end alike: each round doubles the work. */
function findExponential(loop) {
  const twice = findTwice(loop);
  if (twice !== undefined) return twice;
  const size = loop.nodes.length;
  if (size * size > MOST_TOGETHER) throw new Error('the pattern has too many states to look at');
  const next = pairsOf(loop);
  const component = components(size * size, (pair) => (Math.floor(pair / size) <= pair % size ? next(pair).map(({ to }) => to) : []));
  const of = (pair) => component[pair];
  const pairs = loop.nodes.flatMap((_, a) => loop.nodes.slice(a + 1).map((_other, b) => a * size + a + b + 1));
  const parted = new Map(pairs.map((pair) => [of(pair), pair]));
  const index = loop.nodes.findIndex((_, node) => parted.has(of(node * size + node)));
  if (index < 0) return undefined;
  const same = index * size + index;
  const there = parted.get(of(same));
  const inside = (pair) => next(pair).filter(({ to }) => of(to) === of(same));
  const pump = [...textBetween({ start: same, next: inside, isEnd: (to) => to === there }), ...textBetween({ start: there, next: inside, isEnd: (to) => to === same })];
  return { at: loop.nodes[index], pump };
}

/** Two loops that can both read a text, of which the second is behind the first: where it passes from one to the other is open. */
function findPolynomial(first, second, ways) {
  const size = ways.length;
  const outOf = [first.within, (node) => ways[node], second.within];
  const next = (triple) => {
    const nodes = [Math.floor(triple / size / size), Math.floor(triple / size) % size, triple % size];
    const [x, y, z] = nodes.map((node, index) => outOf[index](node));
    return x.flatMap((a) => y.flatMap((b) => ((a.set & b.set) === 0n ? [] : z.flatMap((c) => ((a.set & b.set & c.set) === 0n ? [] : [{ to: (a.to * size + b.to) * size + c.to, set: a.set & b.set & c.set }])))));
  };
  for (const p of first.nodes) {
    for (const q of second.nodes) {
      const end = (p * size + q) * size + q;
      const pump = textBetween({ start: (p * size + p) * size + q, next, isEnd: (to) => to === end });
      if (pump !== undefined) return { at: p, pump };
    }
  }
  return undefined;
}

function reachedFrom(nodes, ways) {
  const reached = new Set(nodes);
  for (const node of reached) for (const { to } of ways[node]) reached.add(to);
  return reached;
}

function polynomials(automaton) {
  const ways = waysOf(automaton);
  const loops = loopsOf(waysOf(automaton, ({ bounded }) => !bounded));
  return loops.flatMap((first) => {
    const reached = reachedFrom(first.nodes, ways);
    return loops.flatMap((second) => {
      if (second === first || !reached.has(second.nodes[0])) return [];
      const found = findPolynomial(first, second, ways);
      return found === undefined ? [] : [{ ...found, kind: automaton.search.has(first.nodes[0]) ? 'search' : 'polynomial' }];
    });
  });
}

/** The text that leads to a state. */
function textBefore({ first, edges, states }, at) {
  if (first.some(({ id }) => id === at)) return [first.find(({ id }) => id === at).set & states[at]];
  const from = (node) => (node === -1 ? first.map(({ id, set }) => ({ to: id, set: set & states[id] })) : edges.filter((edge) => edge.from === node));
  return textBetween({ start: -1, next: from, isEnd: (to) => to === at }) ?? [];
}

/**
 * The loops of a pattern that make it slow on a text that does not match. `exponential`: each repetition of `pump` behind `before` doubles the
 * work. `polynomial`: a text of n repetitions takes n² steps or more. `search`: so it does because the pattern is tried at each place.
 */
export function findSlowLoops(source, flags = '') {
  const automaton = toAutomaton(source, flags);
  const exponential = loopsOf(waysOf(automaton)).map(findExponential).filter((found) => found !== undefined);
  const { characters } = automaton;
  const toString = (sets) => sets.map((set) => characters.pick(set)).join('');
  const found = [...exponential.map((each) => ({ ...each, kind: 'exponential' })), ...polynomials(automaton)];
  return found.map(({ at, pump, kind }) => ({ kind, before: toString(textBefore(automaton, at)), pump: toString(pump) }));
}
