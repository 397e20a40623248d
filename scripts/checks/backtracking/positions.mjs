import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { Characters } from './characters.mjs';

/** Repetitions of at most so many are written out; more are taken for a loop. */
const MOST_WRITTEN = 6;
/** The same of exactly so many. */
const MOST_EXACT = 40;
/** A repetition of at most so many costs a bounded factor, so it makes nothing polynomial. Exponential it can be all the same. */
export const MOST_BOUNDED = 256;

/**
 * Glushkov's automaton: a state is a character of the pattern that was just taken. Each way from one to the next is an edge of its own,
 * so that two equal ones say that the same text can be read in two ways.
 * A part: `first` and `last` are ways in and out, `empty` the ways through without a character. Of a way, `set` and `behind` are what the
 * next character and the last one may be, by what looks at them. `sure`: nothing on the way can fail.
 */
class Builder {
  states = [];
  edges = [];

  constructor(characters) {
    this.characters = characters;
  }

  state(set) {
    const id = this.states.push(set) - 1;
    const way = { id, ...this.free(true) };
    return { first: [way], last: [way], empty: [] };
  }

  free(sure) {
    return { set: this.characters.every, behind: this.characters.every, sure };
  }

  nothing(limits = this.free(true)) {
    return { first: [], last: [], empty: [limits] };
  }

  connect(last, first, bounded = false) {
    for (const from of last) {
      for (const to of first) {
        const set = from.set & to.set & this.states[to.id];
        const behind = from.behind & to.behind;
        if (set !== 0n && (behind & this.states[from.id]) !== 0n) this.edges.push({ from: from.id, to: to.id, set, behind, bounded });
      }
    }
  }

  inTurn(a, b) {
    this.connect(a.last, b.first);
    const through = (way, empties) => empties.map(({ set, behind, sure }) => ({ ...way, set: way.set & set, behind: way.behind & behind, sure: way.sure && sure }));
    return {
      first: [...a.first, ...b.first.flatMap((way) => through(way, a.empty))],
      last: [...b.last, ...a.last.flatMap((way) => through(way, b.empty))],
      empty: atMostTwice(a.empty.flatMap((way) => through(way, b.empty))),
    };
  }

  either(parts) {
    return { first: parts.flatMap(({ first }) => first), last: parts.flatMap(({ last }) => last), empty: atMostTwice(parts.flatMap(({ empty }) => empty)) };
  }

  loop(part, bounded) {
    this.connect(part.last, part.first, bounded);
    return part;
  }

  optional(part) {
    // What is empty is not taken a second time.
    return { ...part, empty: this.nothing().empty };
  }

  choice(alternatives, backwards) {
    return this.either(alternatives.map(({ elements }) => this.sequence(elements, backwards)));
  }

  sequence(elements, backwards = false) {
    const ordered = backwards ? elements.toReversed() : elements;
    return ordered.reduce((before, element) => this.inTurn(before, this.element(element, backwards)), this.nothing());
  }

  element(element, backwards) {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.choice(element.alternatives, backwards);
      case 'Quantifier':
        return this.repetition(element, backwards);
      case 'Assertion':
        return this.assertion(element);
      case 'Backreference':
        return this.inTurn(this.either([element.resolved].flat().map((group) => this.choice(group.alternatives, backwards))), this.nothing(this.free(false)));
      default:
        return this.state(this.characters.setOf(element.raw));
    }
  }

  repetition({ element, min, max }, backwards) {
    const copy = () => this.element(element, backwards);
    const isWritten = max <= MOST_WRITTEN || (min === max && max <= MOST_EXACT);
    if (!isWritten) {
      const before = Array.from({ length: Math.max(0, Math.min(min, MOST_WRITTEN) - 1) }, copy);
      const loop = this.loop(copy(), max <= MOST_BOUNDED);
      return [...before, min === 0 ? this.optional(loop) : loop].reduce((a, b) => this.inTurn(a, b));
    }
    let rest = this.nothing();
    for (let copies = min; copies < max; copies += 1) rest = this.optional(this.inTurn(copy(), rest));
    for (let copies = 0; copies < min; copies += 1) rest = this.inTurn(copy(), rest);
    return rest;
  }

  assertion(element) {
    const limits = this.free(false);
    if (element.kind === 'end') return this.nothing({ ...limits, set: this.lineEnds() });
    if (element.kind === 'start') return this.nothing({ ...limits, behind: this.lineEnds() });
    if (element.kind === 'word') return this.nothing(limits);
    // Its text is read beside the text around it: a way in, and none out.
    const body = this.choice(element.alternatives, element.kind === 'lookbehind');
    const side = element.kind === 'lookahead' ? 'set' : 'behind';
    return { first: body.first, last: [], empty: [{ ...limits, [side]: this.seenBy(element, body) }] };
  }

  /** What stands beside the edge of a line; of a text nothing does. */
  lineEnds() {
    return this.multiline ? this.characters.setOf('[\\n\\r\\u2028\\u2029]') : 0n;
  }

  /** What the character beside it can be, where it was looked at. */
  seenBy({ negate, alternatives }, body) {
    const union = (ways) => ways.reduce((all, { id, set }) => all | (this.states[id] & set), 0n);
    if (!negate) return body.empty.length > 0 ? this.characters.every : union(body.first);
    const single = alternatives.filter(({ elements: [only, ...others] }) => others.length === 0 && ['Character', 'CharacterSet', 'CharacterClass'].includes(only?.type));
    return single.reduce((left, { elements: [only] }) => left & ~this.characters.setOf(only.raw), this.characters.every);
  }
}

/** States that are left by ways which look back at their character become one for each answer. */
function splitStates({ states, edges }) {
  const parts = states.map((set, id) => edges.filter(({ from }) => from === id).reduce((sets, { behind }) => sets.flatMap((each) => [each & behind, each & ~behind].filter((part) => part !== 0n)), [set]));
  let count = 0;
  const numbers = parts.map((sets) => sets.map(() => count++));
  const split = edges.flatMap((edge) =>
    parts[edge.from].flatMap((before, from) =>
      parts[edge.to].flatMap((set, to) =>
        (before & edge.behind) === 0n || (set & edge.set) === 0n ? [] : [{ from: numbers[edge.from][from], to: numbers[edge.to][to], set: edge.set & set, bounded: edge.bounded }])));
  return { states: parts.flat(), edges: split, numbers };
}

function atMostTwice(ways) {
  return ways.filter((way, index) => ways.slice(0, index).filter(({ set, behind, sure }) => set === way.set && behind === way.behind && sure === way.sure).length < 2);
}

function codePointsOf(pattern) {
  const points = new Set();
  visitRegExpAST(pattern, {
    onCharacterEnter: ({ value }) => points.add(value),
    onCharacterClassRangeEnter: ({ min, max }) => points.add(min.value).add(max.value),
  });
  return points;
}

function beginsAtStart({ elements: [first] }) {
  return first?.type === 'Assertion' && first.kind === 'start';
}

/** The automaton of a pattern. Where it is looked for in a text, that is a loop in front of it: `search` is its state. */
export function toAutomaton(source, flags) {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, undefined, undefined, { unicode: flags.includes('u'), unicodeSets: flags.includes('v') });
  const builder = new Builder(new Characters(codePointsOf(pattern), flags));
  builder.multiline = flags.includes('m');
  const isSearched = !flags.includes('y') && (builder.multiline || !pattern.alternatives.every(beginsAtStart));
  const search = isSearched ? builder.loop(builder.state(builder.characters.every), false) : undefined;
  const body = builder.choice(pattern.alternatives, false);
  const whole = search === undefined ? body : builder.inTurn(builder.optional(search), body);
  const { states, edges, numbers } = splitStates(builder);
  const isEnd = ({ sure, set, behind, id }) => sure && set === builder.characters.every && (builder.states[id] & ~behind) === 0n;
  return {
    states,
    edges,
    first: whole.first.flatMap(({ id, set }) => numbers[id].map((number) => ({ id: number, set }))),
    accepting: new Set(whole.last.filter(isEnd).flatMap(({ id }) => numbers[id])),
    characters: builder.characters,
    search: new Set(search === undefined ? [] : numbers[search.first[0].id]),
  };
}
