import type { Json } from '../../../json.ts';
import { chooseBranch, CollectingReporter } from '../evaluation/branches.ts';
import { Marks } from '../evaluation/marks.ts';
import { evaluateEach, keywordOf, type Evaluate, type KeywordCompiler, type SchemaNode } from '../evaluation/node.ts';
import type { Run } from '../evaluation/run.ts';
import { compileList } from './arrays.ts';

export const allOf: KeywordCompiler = (source) => {
  const nodes = compileList(source);
  return (value, run, marks) => evaluateEach(nodes, run, (node) => node.evaluate(value, run, marks));
};

/** How many of the branches fit. `most` ends the search early, unless what fits has to leave its marks. */
interface Count {
  readonly value: Json;
  readonly run: Run;
  readonly marks: Marks | undefined;
  readonly most: number;
}

function countFits(nodes: readonly SchemaNode[], { value, run, marks, most }: Count): number {
  let count = 0;
  for (const node of nodes) {
    const own = marks === undefined ? undefined : new Marks(run);
    // What a branch finds wrong is nobody's business as long as another one fits.
    if (!run.with(undefined, () => node.evaluate(value, run, own))) continue;
    count += 1;
    if (own !== undefined) marks?.merge(own);
    if (count === most) break;
  }
  return count;
}

export const anyOf: KeywordCompiler = (source) => {
  const nodes = compileList(source);
  return (value, run, marks) => {
    const most = marks !== undefined || source.scope.looksEverywhere() ? Infinity : 1;
    return countFits(nodes, { value, run, marks, most }) > 0 || failBranches(nodes, value, run);
  };
};

export const oneOf: KeywordCompiler = (source) => {
  const nodes = compileList(source);
  return (value, run, marks) => {
    const count = countFits(nodes, { value, run, marks, most: 2 });
    if (count === 1) return true;
    if (count === 0) return failBranches(nodes, value, run);
    return run.fail(value, () => ({ keyword: 'oneOf', problem: 'must fit exactly one of the forms of its schema, and fits more', expected: 'exactly one form' }));
  };
};

/** None fits. Said are the problems of the branch that was most likely meant: those of all would drown it. */
function failBranches(nodes: readonly SchemaNode[], value: Json, run: Run): false {
  const { reporter } = run;
  if (reporter === undefined || reporter.isFull) return false;
  const each = reporter.forBranches?.();
  if (each !== undefined) {
    for (const node of nodes) run.with(each, () => node.evaluate(value, run, undefined));
    return false;
  }
  const depth = run.path.length;
  const branches = nodes.map((node) => {
    const collected = new CollectingReporter();
    run.with(collected, () => node.evaluate(value, run, undefined));
    return collected.found;
  });
  for (const { path, finding, value: found } of chooseBranch(branches, { path: [...run.path], depth, value })) {
    reporter.add(path, finding, found);
  }
  return false;
}

export const not: KeywordCompiler = ({ value: schema, scope }) => {
  const node = scope.compile(schema);
  const finding = { keyword: 'not', problem: 'must NOT fit what its schema excludes', expected: 'something else' };
  return (value, run) => !run.with(undefined, () => node.evaluate(value, run, undefined)) || run.fail(value, () => finding);
};

export const conditional: KeywordCompiler = ({ value: schema, schema: outer, scope }) => {
  const node = scope.compile(schema);
  const [thenNode, elseNode] = ['then', 'else'].map((keyword) => {
    const branch = keywordOf(outer, keyword);
    return branch === undefined ? undefined : scope.compileBeside(keyword, branch);
  });
  const evaluate: Evaluate = (value, run, marks) => {
    const own = marks === undefined ? undefined : new Marks(run);
    const holds = run.with(undefined, () => node.evaluate(value, run, own));
    if (holds && own !== undefined) marks?.merge(own);
    const branch = holds ? thenNode : elseNode;
    return branch === undefined || branch.evaluate(value, run, marks);
  };
  return evaluate;
};
