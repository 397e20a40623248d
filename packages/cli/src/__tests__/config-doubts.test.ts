import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseConfig } from '@devs/core';
import { describeDoubts } from '../config/doubts.ts';
import { createConfigPlace, type ConfigPlace } from './config-place.ts';
import { createProject } from './devs.ts';

let place: ConfigPlace;
beforeEach(async () => {
  place = await createConfigPlace();
});
afterEach(async () => place[Symbol.asyncDispose]());

const allowing = (...allowedSecrets: readonly object[]) => ({ sanitize: { allowedSecrets } });
const doubts = (...allowed: readonly object[]) => describeDoubts(parseConfig(allowing(...allowed)));

describe('a rule that there is none of', () => {
  it.each<[rule: string, ending: string]>([
    ['github-tokens', 'did you mean "github-token"'],
    ['github', 'did you mean "github-token"'],
    ['entropy', 'the rules are in docs/reference/secret-rules.md'],
  ])('%s', (rule, ending) => {
    expect(doubts({ rule: 'json-web-token' }, { rule, tool: 'read_file' })).toEqual([
      `sanitize.allowedSecrets.1.rule is "${rule}", an unknown rule, so it allows nothing; ${ending}`,
    ]);
  });

  it('nothing is said of rules that there are, of tools and of fingerprints', () => {
    expect(doubts({ rule: 'injected' }, { tool: 'their_tool' }, { fingerprint: '0123456789abcdef', rule: 'private-key' })).toEqual([]);
  });

  it('is said at the start, whoever wrote it', async () => {
    const said = expect.stringMatching(/^Configuration: sanitize\.allowedSecrets\.0\.rule is "jwt", an unknown rule/);
    const named = await place.write(path.join(place.outside, 'team.json'), allowing({ rule: 'jwt' }));
    expect(await place.notes({ named })).toEqual([`Configuration: ${named}`, said]);
    await place.write(place.userFile, allowing({ rule: 'jwt' }));
    expect(await place.notes()).toEqual([`Configuration: ${place.userFile}`, said]);
  });

  it('is said by `devs config print`', async () => {
    await using project = await createProject();
    const named = await place.write(path.join(place.outside, 'team.json'), allowing({ rule: 'jwt' }));
    const { stdout, code } = await project.run(['config', 'print', '--config', named]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('\n# note      sanitize.allowedSecrets.0.rule is "jwt", an unknown rule')]);
  });
});

it('a log in batches is said at the start, and no other', async () => {
  expect(describeDoubts(parseConfig({ audit: { mode: 'batch' } }))).toEqual([expect.stringMatching(/^audit\.mode is "batch": tools run/)]);
  expect(describeDoubts(parseConfig({ audit: { mode: 'strict' } }))).toEqual([]);
  await place.write(place.userFile, { audit: { mode: 'batch' } });
  expect(await place.notes()).toEqual([`Configuration: ${place.userFile}`, expect.stringContaining('Configuration: audit.mode is "batch"')]);
});

describe('a server whose namespace is another’s', () => {
  const doubt = (name: string, first: string) =>
    `the namespace of the server ${name} is that of ${first}, which stands first, so none of its tools and prompts are offered; give it another "namespace"`;

  it.each<[string, Record<string, object>, readonly string[]]>([
    ['as it is written', { notes: {}, evil: { namespace: 'notes' } }, [doubt('evil', 'notes')]],
    ['in other letters', { files: {}, FILES: {}, more: { namespace: 'Files' } }, [doubt('FILES', 'files'), doubt('more', 'files')]],
    ['as clients show it', { 'my.files': {}, my_files: {} }, [doubt('my_files', 'my.files')]],
    ['that has none of it where the other is disabled', { notes: { disabled: true }, other: { namespace: 'notes' } }, []],
    ['and is disabled', { notes: {}, other: { namespace: 'notes', disabled: true } }, []],
    ['where there is none', { one: { namespace: '' }, two: { namespace: '' } }, []],
  ])('%s', (_name, said, expected) => {
    const mcpServers = Object.fromEntries(Object.entries(said).map(([name, more]) => [name, { command: 'x', ...more }]));
    expect(describeDoubts(parseConfig({ mcpServers }))).toEqual(expected);
  });

  it('is said at the start', async () => {
    await place.write(place.userFile, { mcpServers: { notes: { command: 'x' }, evil: { command: 'x', namespace: 'notes' } } });
    expect(await place.notes()).toContain(`Configuration: ${doubt('evil', 'notes')}`);
  });
});
