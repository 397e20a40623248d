// Loaded before devs by `scripts/trace-call.mjs`: each function of devs tells when it is entered, while the parent asks for that.
import { registerHooks } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { walk } from '../checks/source.mjs';

const OWN = /\/packages\/[^/]+\/dist\/.*\.js$/;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ObjectMethod', 'ClassMethod', 'ClassPrivateMethod']);

/** Which functions are entered, by the number of their file. */
class EntryTrace {
  files = [];
  #entered;

  /** The loaded program, whose functions say that they are entered. */
  add(url, source) {
    this.files.push(fileURLToPath(url));
    return instrument(source, this.files.length - 1);
  }

  enter(index) {
    this.#entered?.push(index);
  }

  start() {
    this.#entered = [];
  }

  stop() {
    return { files: this.files, entered: this.#entered };
  }
}

function install(trace) {
  globalThis.devsTraceEnter = (index) => trace.enter(index);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!OWN.test(url) || loaded.source === null || loaded.source === undefined) return loaded;
      return { ...loaded, source: trace.add(url, String(loaded.source)) };
    },
  });
  process.on('message', (message) => {
    if (message === 'start') trace.start();
    process.send({ traced: message, ...(message === 'stop' && trace.stop()) });
  });
  process.channel.unref();
}

/** The same program, whose functions call `devsTraceEnter` first. */
function instrument(source, index) {
  const marks = [];
  const call = `devsTraceEnter(${String(index)})`;
  walk(parse(source, { sourceType: 'module' }).program, (node) => {
    if (!FUNCTIONS.has(node.type)) return;
    if (node.body.type === 'BlockStatement') marks.push([node.body.start + 1, `${call};`]);
    else marks.push([node.body.start, `(${call}, `], [node.body.end, ')']);
  });
  // An expression may end where another begins: what comes first in the text was found first.
  const sorted = marks.toSorted(([one], [other]) => one - other);
  let written = '';
  let at = 0;
  for (const [place, text] of sorted) {
    written += source.slice(at, place) + text;
    at = place;
  }
  return written + source.slice(at);
}

install(new EntryTrace());
