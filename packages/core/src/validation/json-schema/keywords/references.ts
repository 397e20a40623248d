import { isList, isObject, type KeywordCompiler } from '../evaluation/node.ts';

export const reference: KeywordCompiler = ({ value, scope }) => {
  if (typeof value !== 'string') return scope.refuse('must be a string');
  const node = scope.follow(value);
  return (...seen) => node.evaluate(...seen);
};

export const dynamicReference: KeywordCompiler = ({ value, scope }) => {
  if (typeof value !== 'string') return scope.refuse('must be a string');
  const find = scope.followDynamic(value);
  return (data, run, marks) => {
    run.spend(run.scopes.length);
    return find(run.scopes).evaluate(data, run, marks);
  };
};

export const recursiveReference: KeywordCompiler = ({ value, scope }) => {
  if (value !== '#') return scope.refuse('must be "#"');
  const find = scope.followRecursive();
  return (data, run, marks) => {
    run.spend(run.scopes.length);
    return find(run.scopes).evaluate(data, run, marks);
  };
};

/** Schemas that are only looked at from elsewhere. They are compiled, so that one that cannot be used is found. */
export const definitions: KeywordCompiler = ({ keyword, value, scope }) => {
  if (keyword !== '$defs' && keyword !== 'definitions') {
    scope.compile(value);
    return undefined;
  }
  if (!isObject(value) || isList(value)) return scope.refuse('must be an object of schemas');
  for (const [name, schema] of Object.entries(value)) scope.compile(schema, name);
  return undefined;
};
