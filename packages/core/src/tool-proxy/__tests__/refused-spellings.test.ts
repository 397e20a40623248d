import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { SandboxExecutor } from '../call/types.ts';
import { codeOf, createScene, describeTool, request } from './scene.ts';

const SCHEMA: JsonObject = { type: 'object', properties: { path: { type: 'string', format: 'devs-path' } }, required: ['path'], additionalProperties: false };

describe('a path that whoever runs the tools refuses by its spelling', () => {
  const asked: (readonly [string, readonly string[]])[] = [];
  const refusePaths: NonNullable<SandboxExecutor['refusePaths']> = ({ name }, paths) => {
    asked.push([name, paths]);
    if (paths.includes('.git/config')) throw new DevsError('PATH_PROTECTED');
  };

  it('is refused before the log is told that anything begins', async () => {
    const tools = [{ ...describeTool({ authorship: 'own' }), definition: { name: 'ours', description: '', inputSchema: SCHEMA } }];
    const scene = createScene({ tools, refusePaths });
    const result = await scene.proxy.execute(request({ toolName: 'ours', args: { path: '.git/config' } }));
    expect(codeOf(result)).toBe('PATH_PROTECTED');
    expect([scene.executions, scene.intents]).toEqual([[], []]);
    expect(scene.records).toMatchObject([{ status: 'denied', code: 'PATH_PROTECTED', input: { path: '.git/config' } }]);
    await scene.proxy.execute(request({ toolName: 'ours', args: { path: 'f' } }));
    expect(scene.executions).toHaveLength(1);
    expect(asked).toEqual([['ours', ['.git/config']], ['ours', ['f']]]);
  });

  it('is not asked for tools of others, whose paths have a border of their own', async () => {
    asked.length = 0;
    const scene = createScene({ tools: [{ ...describeTool({ authorship: 'foreign' }), definition: { name: 'theirs', description: '', inputSchema: SCHEMA } }], refusePaths });
    await scene.proxy.execute(request({ toolName: 'theirs', args: { path: 'f' } }));
    expect(asked).toEqual([]);
  });
});
