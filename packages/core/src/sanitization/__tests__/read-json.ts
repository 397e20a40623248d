import { scanJson } from '../json/json-scanner.ts';

interface OpenValue {
  readonly kind: 'object' | 'list';
  readonly members: [string, unknown][];
}

/**
 * What a JSON text says, read text by text. V8 14.6 (Node 26) takes the name `a\n` for the name `a\\` when an object before
 * had that one: `JSON.parse('{"k":0,"a\\\\":1}')`, and `JSON.parse('{"k":0,"a\\n":1}')` has it too.
 */
export function readJson(source: string): unknown {
  const root: OpenValue = { kind: 'list', members: [] };
  const open = [root];
  let name = '';
  const textAt = (start: number, end: number) => String(JSON.parse(source.slice(start, end)));
  const add = (value: unknown) => void open.at(-1)?.members.push([name, value]);
  const isJson = scanJson(source, {
    open: (kind) => {
      const members: [string, unknown][] = [];
      open.push({ kind, members });
      // Its name, before those within.
      open.at(-2)?.members.push([name, members]);
    },
    close: () => {
      const closed = open.pop();
      const named = open.at(-1)?.members.at(-1);
      if (closed !== undefined && named !== undefined) named[1] = toValue(closed);
    },
    key: (start, end) => {
      name = textAt(start, end);
    },
    text: (start, end) => add(textAt(start, end)),
    bare: (start, end) => add(JSON.parse(source.slice(start, end))),
  });
  if (!isJson || root.members.length !== 1) throw new SyntaxError('no JSON');
  return root.members[0]?.[1];
}

function toValue({ kind, members }: OpenValue): unknown {
  return kind === 'list' ? members.map(([, value]) => value) : Object.fromEntries(members);
}
