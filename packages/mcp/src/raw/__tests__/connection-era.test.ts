import { describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { ConnectionEra, type Judgement } from '../connection-era.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT = 'io.modelcontextprotocol/clientInfo';
const MODERN = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} };
const HANDSHAKE = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } };

type Step = readonly [method: string, params?: unknown];
const initialize: Step = ['initialize', HANDSHAKE];
const legacyCall: Step = ['tools/call', { name: 'x' }];
const modernCall: Step = ['tools/call', { name: 'x', _meta: MODERN }];
const discover: Step = ['server/discover', { _meta: MODERN }];

function judge(...steps: readonly Step[]): { readonly last: Judgement | undefined; readonly all: readonly Judgement[]; readonly era: ConnectionEra } {
  const era = new ConnectionEra();
  const all = steps.map(([method, params], index) => era.judge({ id: index, method, params }));
  return { last: all.at(-1), all, era };
}

const codeOf = (judgement: Judgement | undefined) => (judgement?.kind === 'refused' ? judgement.objection.code : judgement?.kind);
const meta = (changes: object): Step => ['tools/list', { _meta: { ...MODERN, ...changes } }];

describe('the generation of the protocol that a connection speaks', () => {
  it.each<[string, readonly Step[], string | number]>([
    ['a handshake', [initialize], 'admitted'],
    ['a call after the handshake', [initialize, legacyCall], 'admitted'],
    ['a call before the handshake', [legacyCall], -32600],
    ['a list before the handshake', [['tools/list']], -32600],
    ['a call after asking what there is', [discover, legacyCall], -32600],
    ['a handshake after asking what there is', [discover, initialize], 'admitted'],
    ['a second handshake', [initialize, initialize], -32600],
    ['a modern call', [modernCall], 'admitted'],
    ['a modern call after asking what there is', [discover, modernCall], 'admitted'],
    ['a modern call after a handshake', [initialize, modernCall], -32022],
    ['asking what there is after a handshake', [initialize, discover], -32022],
    ['a handshake in a modern request', [['initialize', { ...HANDSHAKE, _meta: MODERN }]], 'admitted'],
    ['a handshake after a modern call: the SDK names the versions', [modernCall, initialize], 'admitted'],
    ['a call without a version after a modern one', [modernCall, legacyCall], -32602],
    ['a version that does not exist, first', [meta({ [VERSION]: '1900-01-01' })], -32022],
    ['a version that does not exist, later', [modernCall, meta({ [VERSION]: '1900-01-01' })], -32022],
    ['a version of the older protocol, later', [modernCall, meta({ [VERSION]: '2025-11-25' })], -32022],
    ['a version that is a number', [meta({ [VERSION]: 20_260_728 })], -32022],
    ['a version that is null', [meta({ [VERSION]: null })], -32022],
    ['no capabilities', [['tools/list', { _meta: { [VERSION]: '2026-07-28' } }]], -32602],
    ['capabilities in a list', [meta({ [CAPABILITIES]: [] })], -32602],
    ['a capability that is a number', [meta({ [CAPABILITIES]: { sampling: 5 } })], -32602],
    ['a client without a name', [meta({ [CLIENT]: {} })], -32602],
    ['a level that does not exist', [meta({ 'io.modelcontextprotocol/logLevel': 'loud' })], -32602],
    ['a progress token that is an object', [meta({ progressToken: {} })], -32602],
    ['a handshake without a version', [['initialize', { ...HANDSHAKE, protocolVersion: 5 }]], -32602],
    ['a handshake with a capability that is a number', [['initialize', { ...HANDSHAKE, capabilities: { sampling: 5 } }]], -32602],
    ['a handshake with a client without a version', [['initialize', { ...HANDSHAKE, clientInfo: { name: 'c' } }]], -32602],
    ['a handshake without anything', [['initialize']], -32602],
    ['a call after a handshake that was refused', [['initialize', {}], legacyCall], -32600],
    ['a handshake after one that was refused', [['initialize', {}], initialize], 'admitted'],
    ['a handshake after a modern call that was refused', [meta({ [CLIENT]: {} }), initialize], 'admitted'],
    ['a list after that', [meta({ [CLIENT]: {} }), initialize, ['tools/list']], 'admitted'],
  ])('%s', (_name, steps, outcome) => {
    expect(codeOf(judge(...steps).last)).toBe(outcome);
  });

  it.each<[string, readonly Step[], boolean]>([
    ['nothing', [], false],
    ['asking what there is', [discover], false],
    ['what was refused', [legacyCall, meta({ [CLIENT]: {} }), ['initialize', {}]], false],
    ['a handshake', [initialize], true],
    ['a modern call', [modernCall], true],
  ])('is decided, or not, by %s', (_name, steps, isDecided) => {
    expect(judge(...steps).era.isDecided).toBe(isDecided);
  });

  it.each<[string, readonly Step[]]>([
    ['twice asking what there is', [discover, discover]],
    ['asking and calling', [discover, modernCall, modernCall]],
    ['asking and a handshake', [discover, initialize]],
  ])('greets once: %s', (_name, steps) => {
    expect(judge(...steps).all.map((each) => each.kind === 'admitted' && each.info !== undefined)).toEqual(steps.map((_, index) => index === 0));
  });

  it('tells what the client says of itself', () => {
    expect(judge(initialize).last).toMatchObject({ info: { era: 'legacy', protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } } });
    expect(judge(modernCall).last).toMatchObject({ info: { era: 'modern', clientInfo: { name: 'unknown', version: '0' } } });
    expect(judge(meta({ [CLIENT]: { name: 'c', version: '2' } })).last).toMatchObject({ info: { clientInfo: { name: 'c', version: '2' } } });
  });

  it('names what it speaks, and what was asked for, capped', () => {
    const { era } = judge(initialize);
    era.agreedOn('2025-06-18');
    const asked = era.judge({ id: 1, method: 'a', params: { _meta: { [VERSION]: '2025-11-25' } } });
    expect(asked).toMatchObject({ objection: { data: { supported: ['2025-06-18'], requested: '2025-11-25' } } });
    const long = judge(meta({ [VERSION]: 'v'.repeat(10_000) })).last;
    const data = long?.kind === 'refused' && isRecord(long.objection.data) ? long.objection.data : {};
    expect(data).toEqual({ supported: ['2026-07-28'], requested: 'v'.repeat(100) });
  });

  it('remembers nothing of what a client put into its requests', () => {
    const hostile = JSON.parse(`{"${VERSION}":"2026-07-28","${CAPABILITIES}":{},"__proto__":{"a":1},"more":"x"}`) as unknown;
    expect(judge(['tools/call', { _meta: hostile }]).era.envelope).toEqual(MODERN);
    expect(judge(initialize).era.envelope).toEqual({});
  });
});
