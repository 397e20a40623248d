import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, findWeakenings, listConfigKeys, WEAKENINGS } from '../schema.ts';
import { parseOften } from './parse-often.ts';

describe('WEAKENINGS', () => {
  it('has an entry for every key of the schema, and for no other', () => {
    expect(Object.keys(WEAKENINGS)).toEqual(listConfigKeys());
  });

  it.each<[string, object, string]>([
    ['mcp.maxToolOutputBytes', { mcp: { maxToolOutputBytes: 10_485_761 } }, '10485761 bytes may stand in one tool result, where it was 10485760'],
    ['mcp.maxMessageBytes', { mcp: { maxMessageBytes: 33_554_433 } }, '33554433 bytes of one message are held in memory, where it was 33554432'],
    ['limits.toolTimeoutMs', { limits: { toolTimeoutMs: 60_001 } }, '60001 milliseconds may a tool go on, where it was 60000'],
    ['limits.principal.atOnce', { limits: { principal: { atOnce: 65 } } }, '65 calls of one principal may run at once, where it was 64'],
    ['limits.maxUserMessageLength', { limits: { maxUserMessageLength: 100_001 } }, '100001 characters of a task go to the model, where it was 100000'],
    ['limits.maxToolOutputLength', { limits: { maxToolOutputLength: 50_001 } }, '50001 characters of a tool result go to the model of the agent loop, where it was 50000'],
    ['limits.maxTotalContextTokens', { limits: { maxTotalContextTokens: 180_001 } }, '180001 tokens may one request to a model cost, where it was 180000'],
    ['limits.maxFileReadSize', { limits: { maxFileReadSize: 10_485_761 } }, '10485761 bytes may one read of a file return, where it was 10485760'],
    ['validation.mode', { validation: { mode: 'lenient' } }, 'arguments of another type are turned into the wanted one'],
    ['tools', { tools: { a: { validation: { mode: 'lenient' } }, b: {} } }, 'checks less, or opens more, for a'],
    ['sanitize.boundaries', { sanitize: { boundaries: 'on-request' } }, 'results of fewer tools stand inside a boundary'],
    ['sanitize.secrets', { sanitize: { secrets: false } }, 'secrets go to the model, and into the log, as they are'],
    ['sanitize.triggers', { sanitize: { triggers: ['__ot'] } }, '"mcp__onetool" is no trigger any more'],
    ['sanitize.maxSamplingTokens', { sanitize: { maxSamplingTokens: 8_193 } }, '8193 tokens may a server have the model of the client write at once, where it was 8192'],
    ['sanitize.allowedSecrets', { sanitize: { allowedSecrets: [{ rule: 'a' }] } }, 'what looks like a secret is let through: {"rule":"a"}'],
    ['tools', { tools: { a: { output: { maxSizeBytes: 102_401 } } } }, 'checks less, or opens more, for a'],
    ['tools', { tools: { a: { output: { truncationMessage: 'obey' } } } }, 'checks less, or opens more, for a'],
    ['tools', { tools: { a: { output: { onBinary: 'replace' } } } }, 'checks less, or opens more, for a'],
    ['tools', { tools: { web_fetch: { output: { links: 'keep' } } } }, 'checks less, or opens more, for web_fetch'],
    ['files.writable', { files: { writable: ['.vscode', '.run'] } }, 'tools may write ".vscode", ".run", by which programs are started'],
    ['audit.durability', { audit: { durability: 'process' } }, 'a power cut may take the last calls out of the log'],
    ['audit.mode', { audit: { mode: 'batch' } }, 'a tool may run, and an answer leave, before the log has the call'],
    ['audit.payloadDays', { audit: { payloadDays: 89 } }, 'inputs and outputs may be erased from the log after 89 days, where it was 90'],
    ['audit.minFreeBytes', { audit: { minFreeBytes: 0 } }, "calls go on until 0 bytes of the log's disk are free, where it was 268435456"],
    ['audit.heads.everyRecords', { audit: { heads: { everyRecords: 1_001 } } }, '1001 records may be lost from the log unnoticed, where it was 1000'],
    ['audit.heads.everySeconds', { audit: { heads: { everySeconds: 301 } } }, '301 seconds of the log may be lost unnoticed, where it was 300'],
    ['audit.heads.systemLog', { audit: { heads: { systemLog: false } } }, 'heads of the log do not go to the system log'],
    ['http.maxConnections', { http: { maxConnections: 257 } }, '257 connections may be open at once, where it was 256'],
    ['http.maxRequests', { http: { maxRequests: 1_025 } }, '1025 requests may be under way at once, where it was 1024'],
    ['http.requestTimeoutMs', { http: { requestTimeoutMs: 30_001 } }, '30001 milliseconds may a client take to send a request, where it was 30000'],
    ['http.maxSessions', { http: { maxSessions: 257 } }, '257 sessions may be kept at once, where it was 256'],
    ['http.sessionIdleMs', { http: { sessionIdleMs: 1_800_001 } }, '1800001 milliseconds is a session kept that nobody uses, where it was 1800000'],
    ['tools', { tools: { a: { limits: { toolTimeoutMs: 60_001 } } } }, 'checks less, or opens more, for a'],
    ['mcpServers', { mcpServers: { a: { command: 'x' }, b: { url: 'http://x' } } }, 'names servers for devs to start or reach: a, b'],
  ])('warns of %s', (key, input, sentence) => {
    expect(findWeakenings(parseOften(input), DEFAULT_CONFIG)).toEqual([{ key, sentence }]);
    expect(findWeakenings(DEFAULT_CONFIG, parseOften(input))).toEqual([]);
    expect(findWeakenings(parseOften(input), parseOften(input))).toEqual([]);
  });

  it('warns of a name that is protected no longer, not of one more', () => {
    const [one, two] = [parseOften({ files: { protected: ['a'] } }), parseOften({ files: { protected: ['a', 'b'] } })];
    expect(findWeakenings(one, two)).toEqual([{ key: 'files.protected', sentence: 'tools may write "b" again' }]);
    expect(findWeakenings(two, one)).toEqual([]);
  });

  it.each<[string, object, object, string]>([
    ['files.allowed', { files: { allowed: ['src', 'docs'] } }, { files: { allowed: ['src'] } }, 'tools may also reach "docs"'],
    ['files.allowed', {}, { files: { allowed: ['src'] } }, 'tools may reach the whole root'],
    ['files.blocked', {}, { files: { blocked: ['secrets'] } }, 'tools may reach "secrets" again'],
    ['files.maxDepth', { files: { maxDepth: 9 } }, { files: { maxDepth: 8 } }, '9 folders deep may a path lead, where it was 8'],
    ['files.symlinks', {}, { files: { symlinks: 'refuse' } }, 'symbolic links are followed again'],
    ['tools', {}, { tools: { a: { files: { allowed: ['src'] } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { files: { blocked: ['src'] } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { files: { maxDepth: 2 } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { files: { symlinks: 'refuse' } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { limits: { maxFileReadSize: 1_024 } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { limits: { atOnce: 1 } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { limits: { perMinute: 1 } } } }, 'checks less, or opens more, for a'],
    ['tools', { tools: { a: { limits: { perMinute: null } } } }, { tools: { a: { limits: { perMinute: 1 } } } }, 'checks less, or opens more, for a'],
    ['tools', {}, { tools: { a: { limits: { toolTimeoutMs: 59_999 } } } }, 'checks less, or opens more, for a'],
    ['limits.principal.perMinute', {}, { limits: { principal: { perMinute: 9 } } }, 'any number of calls of one principal may begin in a minute, where it was 9'],
    ['limits.principal.perMinute', { limits: { principal: { perMinute: 10 } } }, { limits: { principal: { perMinute: 9 } } }, '10 calls of one principal may begin in a minute, where it was 9'],
    ['audit.maxBytes', {}, { audit: { maxBytes: 9 } }, 'any number of bytes may the log take, where it was 9'],
    ['audit.maxBytes', { audit: { maxBytes: 10 } }, { audit: { maxBytes: 9 } }, '10 bytes may the log take, where it was 9'],
    ['sandbox.upstreams', {}, { sandbox: { upstreams: 'prefer' } }, 'servers run without a sandbox, or where there is none'],
    ['sandbox.upstreams', { sandbox: { upstreams: 'prefer' } }, { sandbox: { upstreams: 'require' } }, 'servers run without a sandbox, or where there is none'],
    ['tools', {}, { tools: { a: { output: { validateJson: true } } } }, 'checks less, or opens more, for a'],
    ['sanitize.structured', { sanitize: { structured: 'keep' } }, {}, 'the structured part of a result does not say that it is data from outside'],
    ['sanitize.structured', { sanitize: { structured: 'keep' } }, { sanitize: { structured: 'drop' } }, 'the structured part of a result does not say that it is data from outside'],
    ['labels.untrustedPaths', { labels: { untrustedPaths: ['node_modules'] } }, { labels: { untrustedPaths: ['node_modules', 'deps'] } }, 'what lies in "deps" is shown as your own'],
    ['tools', {}, { tools: { a: { output: { html: 'text' } } } }, 'checks less, or opens more, for a'],
  ])('warns of %s, and not of the way back', (key, after, before, sentence) => {
    expect(findWeakenings(parseOften(after), parseOften(before))).toEqual([{ key, sentence }]);
    expect(findWeakenings(parseOften(before), parseOften(after))).toEqual([]);
  });

  it.each<[object, object, string]>([
    [{ payloadDays: 1 }, { payloadDays: 0 }, 'inputs and outputs may be erased from the log after 1 days, where it was never'],
  ])('warns of what is erased sooner, not of what is erased later or never (%#)', (after, before, sentence) => {
    const [one, two] = [parseOften({ audit: after }), parseOften({ audit: before })];
    expect(findWeakenings(one, two)).toEqual([{ key: 'audit.payloadDays', sentence }]);
    expect(findWeakenings(two, one)).toEqual([]);
  });

  it.each<[string | null, string | null, string]>([
    ['/a', null, 'devs appends to the file "/a"'],
    [null, '/a', 'heads of the log do not go to "/a"'],
    ['/b', '/a', 'devs appends to the file "/b", and heads of the log do not go to "/a"'],
  ])('warns of a file of heads that comes, goes or changes: %j over %j', (after, before, sentence) => {
    const withFile = (file: string | null) => parseOften({ audit: { heads: { file } } });
    expect(findWeakenings(withFile(after), withFile(before))).toEqual([{ key: 'audit.heads.file', sentence }]);
    expect(findWeakenings(withFile(after), withFile(after))).toEqual([]);
  });

  it('names a few of many, each cut short, so that no warning pushes another off the screen', () => {
    const mcpServers = Object.fromEntries(Array.from({ length: 1_003 }, (_, index) => [`s${index}`, { command: 'x' }]));
    const [servers] = findWeakenings(parseOften({ mcpServers }), DEFAULT_CONFIG);
    expect(servers?.sentence).toBe('names servers for devs to start or reach: s0, s1, s2 and 1,000 more');
    const [gone] = findWeakenings(DEFAULT_CONFIG, parseOften({ files: { protected: ['x'.repeat(255)] } }));
    expect(gone?.sentence.length).toBeLessThan(120);
  });

  it('warns of a server that is another one under the same name', () => {
    const servers = (command: string) => parseOften({ mcpServers: { a: { command }, toString: { command: 'x' } } });
    expect(findWeakenings(servers('y'), servers('x'))).toEqual([{ key: 'mcpServers', sentence: 'names servers for devs to start or reach: a' }]);
    expect(findWeakenings(servers('x'), parseOften({ mcpServers: { a: { command: 'x' } } }))).toHaveLength(1);
  });
});
