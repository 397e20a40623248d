import { describe, expect, it } from '@jest/globals';
import { createConfigCheck } from '@devs/core';
import fc from 'fast-check';
import { expandVariables, variablesOf } from '../config/expand.ts';
import { readLayer } from '../config/layer.ts';
import { parseConfigText } from '../config/parse-text.ts';
import { findProject, isInProject, isOwnFolderInProject } from '../config/project.ts';
import { showEntries, showUrl } from '../config/show.ts';

/** The same JSON with every text emptied: what no variable may change. */
function structureOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? '' : inner)));
}

const hostileTexts = fc.oneof(
  fc.string(),
  fc.constantFrom('"', '"},"files":{', '\\', '\n', '${A}', '$${A}', '${B:-x}', 'a${A}b${B:-"}', '__proto__', '\u2028'),
);

describe('expandVariables', () => {
  it('never changes the structure, whatever a variable holds', () => {
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const texts = fc.dictionary(fc.string(), fc.oneof(hostileTexts, fc.array(hostileTexts), json));
    fc.assert(
      fc.property(texts, hostileTexts, hostileTexts, (value, A, B) => {
        expect(structureOf(expandVariables(value, { A, B }).value)).toEqual(structureOf(value));
      }),
    );
  });

  it('puts a value in as it is: what looks like a reference in it stays text', () => {
    fc.assert(fc.property(hostileTexts, (A) => expect(expandVariables('<${A}>', { A }).value).toBe(`<${A}>`)));
  });

  it('gives back any text whose references are written as $${', () => {
    fc.assert(
      fc.property(hostileTexts, (text) => {
        expect(expandVariables(text.replaceAll('${', () => '$${'), {})).toEqual({ value: text, problems: [] });
      }),
    );
  });

  it.each<[string, string]>([
    ['plain', 'plain'],
    ['${HOME_DIR}/x', '/home/x'],
    ['${NONE:-fallback}', 'fallback'],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${HOME_DIR:-fallback}', '/home'],
    ['${EMPTY}', ''],
    ['${NONE:-}', ''],
    ['${NONE:-a:-b}', 'a:-b'],
    ['$${HOME_DIR}', '${HOME_DIR}'],
    ['$HOME_DIR $ {x}', '$HOME_DIR $ {x}'],
    ['${HOME_DIR}${HOME_DIR}', '/home/home'],
  ])('%j becomes %j', (text, expected) => {
    expect(expandVariables({ a: [text] }, { HOME_DIR: '/home', EMPTY: '' })).toEqual({ value: { a: [expected] }, problems: [] });
  });

  it.each(['${NONE}', '${constructor}', '${__proto__}', '${toString}'])('%j names a variable that is not set', (text) => {
    const { problems } = expandVariables({ a: { b: text } }, { HOME_DIR: '/home' });
    expect(problems).toEqual([{ pointer: '/a/b', problem: expect.stringContaining(`needs the environment variable ${text.slice(2, -1)}, which is not set`) }]);
  });

  it.each(['${', '${}', '${A', '${a b}', '${A:x}', '${env:A}', '${1A}', '${A-x}'])('%j is refused, not passed on', (text) => {
    expect(expandVariables(text, { A: 'x' }).problems).toEqual([{ pointer: '', problem: expect.stringContaining('neither ${NAME} nor ${NAME:-default}') }]);
  });

  it('puts in 1 MiB, all texts together, and no byte more', () => {
    const BIG = 'x'.repeat(65_536);
    const texts = Array.from({ length: 16 }, () => '${BIG}');
    expect(expandVariables(texts, { BIG }).problems).toEqual([]);
    const { value, problems } = expandVariables([...texts, '${BIG}'.repeat(30_000)], { BIG });
    expect(problems).toEqual([{ pointer: '/16', problem: expect.stringContaining('beyond the 1048576 bytes') }]);
    expect(JSON.stringify(value).length).toBeLessThan(1_100_000);
  });

  it('names each variable once', () => {
    expect(variablesOf('${A} ${A:-x} ${B} ${A}')).toEqual(['A', 'B']);
  });

  it('leaves keys alone, and numbers are no texts', () => {
    const value = { '${A}': 1, b: true, c: null };
    expect(expandVariables(value, { A: 'x' })).toEqual({ value, problems: [] });
    expect(variablesOf('${A} $${B} ${C:-${D}}')).toEqual(['A', 'C']);
  });
});

describe('parseConfigText', () => {
  it.each<[string, string, string]>([
    ['nothing', '', '1:1 is not JSON: a value is missing here'],
    ['an end too early', '{\n  "a": 1', '2:9 is not JSON: a closing } is missing'],
    ['a trailing comma', '{"a": 1,}', '1:9 is not JSON: a key in double quotes is missing here (JSON has no trailing commas)'],
    ['a comment', '{\n// x\n}', '2:1 is not JSON: JSON has no comments'],
    ['a second object', '{}\n{}', '2:1 is not JSON: nothing may follow the object'],
    ['a line break in a text', '{"a":"\n"}', '1:6 is not JSON: a text is not closed'],
    ['a control character', '{"a":"\u0001"}', '1:6 is not JSON: a text holds a control character'],
    ['single quotes', "{'a':1}", '1:2 is not JSON: this is not understood'],
    ['a key twice', '{"a":1,\n "a":2}', '2:2 the key "a" appears here a second time'],
    ['a key twice, once in disguise', '{"a":1,"\\u0061":2}', '1:8 the key "a" appears here a second time'],
    ['a key twice, deeper', '{"a":[{"b":1,"b":1}]}', '1:14 the key "b" appears here a second time'],
    ['a prototype twice', '{"__proto__":1,"__proto__":2}', '1:16 the key "__proto__" appears here a second time'],
  ])('says where %s is', async (_name, text, expected) => {
    const parsed = await parseConfigText(Buffer.from(text));
    expect(parsed.ok || parsed.problems.map(({ position, problem }) => `${position} ${problem}`)).toEqual([expected]);
  });

  it.each<[string, string]>([
    ['lists', '['.repeat(100_000)],
    ['objects', '{"a":'.repeat(40_000)],
    ['brackets behind a comment', `/* " */${'['.repeat(100_000)}"`],
    ['brackets that do not pair', '[}}},'.repeat(40_000)],
    ['brackets after an escaped line break', `{"a":"\\\n${'['.repeat(100_000)}`],
  ])('is not brought down by endless %s', async (_name, text) => {
    expect(await parseConfigText(Buffer.from(text))).toMatchObject({ ok: false });
  });

  it('names twenty doubled keys of any number', async () => {
    const parsed = await parseConfigText(Buffer.from(`{${'"a":1,'.repeat(2_000)}"a":1}`));
    expect(parsed.ok || parsed.problems).toHaveLength(20);
  });

  it('takes 32 levels, and says where the next one begins', async () => {
    expect(await parseConfigText(Buffer.from('['.repeat(32) + ']'.repeat(32)))).toMatchObject({ ok: true });
    const problems = [{ position: '1:33', problem: 'is nested deeper than 32' }];
    expect(await parseConfigText(Buffer.from('['.repeat(33) + ']'.repeat(33)))).toEqual({ ok: false, problems });
  });

  it('takes a byte order mark, and no other encoding', async () => {
    expect(await parseConfigText(Buffer.from('\ufeff{"a":1}'))).toMatchObject({ ok: true, value: { a: 1 } });
    for (const bytes of [Buffer.from('{"a":"\u00e9"}', 'latin1'), Buffer.from('\ufeff{}', 'utf16le')]) {
      expect(await parseConfigText(bytes)).toEqual({ ok: false, problems: [{ position: '1:1', problem: 'is not UTF-8' }] });
    }
  });

  it('takes what JSON.parse takes, with the same value, and nothing else', async () => {
    const texts = fc.oneof(fc.json({ maxDepth: 4 }), fc.string(), fc.json().map((text) => text.replace(/["{,:]/, '')));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        let expected: { readonly value: unknown } | undefined;
        try {
          expected = { value: JSON.parse(text.toWellFormed()) };
        } catch {
          expected = undefined;
        }
        const parsed = await parseConfigText(Buffer.from(text.toWellFormed()));
        if (expected === undefined) expect(parsed.ok).toBe(false);
        else if (parsed.ok) expect(parsed.value).toEqual(expected.value);
        else expect(parsed.problems[0]?.problem).toMatch(/second time/);
      }),
    );
  });
});

describe('readLayer', () => {
  async function problemsOf(text: string, variables: Record<string, string> = {}): Promise<readonly string[]> {
    const reading = await readLayer({ path: '/x/devs.config.json', bytes: Buffer.from(text) }, { variables, check: createConfigCheck() });
    return reading.ok ? [] : reading.problems;
  }

  it('names file, line, column, key, value and what would be right, for each problem', async () => {
    expect(await problemsOf('{\n  "limits": {\n    "toolTimeoutMs": 0\n  },\n  "mpc": {}, "files": {"protected": ["a", ""]}\n}')).toEqual([
      expect.stringMatching(/^\/x\/devs\.config\.json:5:3: mpc is an unknown key; did you mean "mcp"; .*\.$/),
      '/x/devs.config.json:3:5: limits.toolTimeoutMs is 0, and must be a whole number from 1 to 86400000.',
      '/x/devs.config.json:5:43: files.protected.1 is "", and must be a name of 1 to 255 characters without /.',
    ]);
  });

  it('never repeats what the environment holds', async () => {
    const variables = { SECRET: 'hunter2' };
    expect(await problemsOf('{"audit":{"durability":"x${SECRET}"}}', variables)).toEqual([
      '/x/devs.config.json:1:11: audit.durability is "x${SECRET}" with what the environment says, and must be one of "power", "process".',
    ]);
    expect(await problemsOf('{"files":{"protected":["${SECRET}/"]}}', variables)).not.toEqual(expect.arrayContaining([expect.stringContaining('hunter2')]));
  });

  it('says everything on one line that steers no terminal', async () => {
    for (const line of await problemsOf('{"a\\u001b[2J\\n\\u202e":1}')) expect(line).not.toMatch(/[\u001b\u202e\n]/);
  });
});

describe('isOwnFolderInProject', () => {
  it.each<[string, string, string, boolean]>([
    ['a home that is kept in git, and a project in it without a repository of its own', '/home/me/code', '/home/me', false],
    ['a root that holds the folder', '/home/me', '/home/me', true],
    ['a root that is the folder', '/home/me/.config', '/home/me/.config', true],
  ])('knows %s', (_name, root, workTree, expected) => {
    expect(isOwnFolderInProject('/home/me/.config/devs', '/home/me/.config', { root, folders: [workTree] })).toBe(expected);
  });

  it('knows no account by a name that begins like it, and none without a home', () => {
    const project = { root: '/home/me/code', folders: ['/home/me'] };
    expect(isOwnFolderInProject('/home/me/.config-evil/devs', '/home/me/.config', project)).toBe(true);
    expect(isOwnFolderInProject('/home/me/.config/devs', undefined, project)).toBe(true);
  });

  it.each<[string, string, string]>([
    ['/home/me/.config/nvim/xdg/devs', '/home/me/.config/nvim', '/home/me/.config'],
    ['/home/me/.local/state/clone/st', '/home/me/.local/state/clone', '/home/me/.local/state'],
  ])('takes %s for the project of the repository that was cloned to %s', (place, clone, own) => {
    expect(isOwnFolderInProject(place, own, { root: `${clone}/packages/web`, folders: [clone] })).toBe(true);
  });
});

describe('findProject', () => {
  it.each(['/home/me', '/'])('does not take %s, where clients start servers, for a project', async (startedIn) => {
    const project = await findProject({ root: '/srv/shop', startedIn, named: undefined, accountHome: '/home/me' });
    expect(isInProject('/home/me/team.json', project)).toBe(false);
  });
});

describe('what is shown', () => {
  const written = {
    $schema: 'x',
    limits: { toolTimeoutMs: 1 },
    tools: { write_file: { files: { blocked: ['a'] }, validation: { mode: 'lenient' } } },
    mcpServers: {
      'a.b': { command: 'npx', args: ['x'], env: { A: 'secret', B: '${B}', C: 'Bearer ${C:-secret}', NODE_OPTIONS: '--require ./x', NODE_AUTH_TOKEN: 'secret' } },
      r: { url: 'https://user:secret@good.example\\@evil.example/p?secret#secret', headers: { 'x\n': 'secret' }, oauth: { secret: 'secret' }, disabled: true },
      v: { url: 'https://user:secret@${HOST}/p?secret', labels: [], namespace: '', limits: { atOnce: 2 }, sandbox: { mode: 'none', mounts: { readWrite: ['/'] } } },
    },
  };

  it('holds no secret, and every key', () => {
    const entries = showEntries(written).map(({ key, shown }) => `${key} ${shown}`);
    expect(entries.join('\n')).not.toContain('secret"');
    expect(entries).toEqual(
      expect.arrayContaining([
        'limits.toolTimeoutMs 1',
        'tools.write_file.files.blocked ["a"]',
        'tools.write_file.validation.mode "lenient"',
        'mcpServers["a.b"].command "npx"',
        'mcpServers["a.b"].args ["x"]',
        'mcpServers["a.b"].env.A (hidden)',
        'mcpServers["a.b"].env.B "${B}"',
        'mcpServers["a.b"].env.C "(hidden) ${C}"',
        'mcpServers["a.b"].env.NODE_OPTIONS (hidden)',
        'mcpServers.r.headers["x\\n"] (hidden)',
        'mcpServers.r.oauth (hidden)',
        'mcpServers.r.disabled true',
        'mcpServers.v.labels []',
        'mcpServers.v.namespace ""',
        'mcpServers.v.limits.atOnce 2',
        'mcpServers.v.sandbox.mode "none"',
        'mcpServers.v.sandbox.mounts.readWrite ["/"]',
      ]),
    );
    expect(entries).toHaveLength(20);
  });

  it('shows a URL as a client reads it', () => {
    expect(showUrl(written.mcpServers.r.url)).toBe('https://(hidden)@good.example/@evil.example/p?(hidden)');
    expect(showUrl(written.mcpServers.v.url)).toBe('https://(hidden)@${HOST}/p?(hidden)');
    expect(showUrl('http://x/p')).toBe('http://x/p');
  });
});
