import type { Json } from '../../../json.ts';
import { evaluateEach, evaluateMember, isList, isObject, type KeywordCompiler } from '../evaluation/node.ts';
import { describeUnknown } from './properties.ts';

/** The names that nothing else in this schema, or in those it consists of, has looked at. */
export const unevaluatedProperties: KeywordCompiler = (source) => {
  const { value: schema, scope } = source;
  const node = scope.compile(schema);
  const describe = describeUnknown(source);
  return (value, run, marks) => {
    if (!isObject(value)) return true;
    const fits = schema === true || evaluateEach(run.namesOf(value), run, (name) => {
      run.spend(8);
      if (marks?.hasName(name) === true) return true;
      if (schema === false) return run.fail(value, () => describe(name, value));
      return evaluateMember(node, run, [name, value[name] ?? null]);
    });
    marks?.addEveryName();
    return fits;
  };
};

export const unevaluatedItems: KeywordCompiler = ({ keyword, value: schema, scope }) => {
  const node = scope.compile(schema);
  return (value, run, marks) => {
    if (!isList(value)) return true;
    const fits = schema === true || evaluateEach(value.entries(), run, ([index, item]: readonly [number, Json]) => {
      run.spend(4);
      if (marks?.hasItem(index) === true) return true;
      if (schema === false) return run.fail(value, () => ({ keyword, problem: `must NOT have an item at ${index}`, expected: 'fewer items' }));
      return evaluateMember(node, run, [index, item]);
    });
    marks?.addEveryItem();
    return fits;
  };
};
