import { describe, expect, it } from '@jest/globals';
import type { Layer } from '../config/loaded-config.ts';
import { refuseWeakBoxes } from '../config/weak-boxes.ts';

function refusalOf(own: object | undefined, project: object, role: Layer['role'] = 'project'): string {
  const layer = (values: object, of: Layer['role']) => ({ role: of, path: `/${of}.json`, written: { ...values }, values: { ...values } });
  try {
    refuseWeakBoxes([...(own === undefined ? [] : [layer(own, 'user')]), layer(project, role)]);
    return '';
  } catch (cause) {
    return cause instanceof Error ? cause.message : '';
  }
}

const upstreams = (mode: string) => ({ sandbox: { upstreams: mode } });
const server = (mode: string) => ({ mcpServers: { toString: { command: 'x', sandbox: { mode } } } });

describe('the file of a project', () => {
  it.each<[string, object | undefined, object, string]>([
    ['without the box of commands', undefined, { sandbox: { tools: 'off' } }, '"sandbox": {"tools": "off"}, which counts in your own file alone'],
    ['with protected files that tools may write', undefined, { files: { writable: ['.vscode'] } }, '"files": {"writable": …}, which counts in your own file alone'],
    ['with protected files, even none', undefined, { files: { writable: [] } }, '"files": {"writable": …}, which counts in your own file alone'],
    ['with less than the operator for servers', upstreams('prefer'), upstreams('none'), '"sandbox": {"upstreams": "none"}, where your own file says "prefer"'],
    ['with a box that may be missing', upstreams('require'), upstreams('prefer'), '"sandbox": {"upstreams": "prefer"}, where your own file says "require"'],
    ['with a server that has less', upstreams('require'), server('none'), '"sandbox": {"mode": "none"} of the server "toString", where your own file says "require"'],
  ])('is refused %s, whoever has trusted it', (_, own, project, what) => {
    expect(refusalOf(own, project)).toBe(`CONFIG_INVALID: "/project.json" says ${what}. Take it out, or say it in a file outside of the project.`);
    expect([refusalOf(own, project, 'user'), refusalOf(own, project, '--config')]).toEqual(['', '']);
  });

  it.each<[string, object | undefined, object]>([
    ['as much', upstreams('prefer'), { ...upstreams('prefer'), ...server('prefer') }],
    ['more', upstreams('prefer'), { ...upstreams('require'), ...server('require') }],
    ['what is so by itself', undefined, { ...upstreams('none'), ...server('none') }],
    ['nothing', upstreams('require'), { mcpServers: { a: { command: 'x' }, b: 7 } }],
  ])('may say %s', (_, own, project) => {
    expect(refusalOf(own, project)).toBe('');
  });
});
