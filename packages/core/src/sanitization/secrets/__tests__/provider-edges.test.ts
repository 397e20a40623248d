import { expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { sampleOf } from './form-samples.ts';
import { PROVIDER_FORMS } from './provider-forms.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const SAMPLES_OF_A_FORM = 4;

/** One unit less, or one more, and it is something else. Written down here: a rule that loses an edge is noticed. */
const EXACT = [
  'AKIA{16:base32}', 'ASIA{16:base32}', 'AIza{35:word}', '{52:alnum}JQQJ99{26:alnum}', 'AKID{32:alnum}', 'bce-v3/ALTAK-{21:alnum}/{40:hex}',
  'v1.0-{24:hex}-{146:hex}', 'AVNS_{19:word}', 'dapi{32:hex}', '4b1d{38:alnum}', 'cio{32:alnum}', 'oy2{43:lower}', 'AKCp{69:alnum}',
  'cmVmdGtu{56:alnum}', 'ico-{32:alnum}', 'pul-{40:hex}', 'sqp_{40:hex}', 'squ_{40:hex}', 'sqa_{40:hex}', 'sgp_{16:hex}_{40:hex}', 'sgp_{40:hex}',
  'sdk-{uuid}', 'api-{uuid}', 'cu_{32:hex}', 's.{24:alnum}', 'nsec1{58:bech32}', '2{26:alnum}_{21:alnum}', 'NRJS-{19:hex}', '{36:hex}NRAL',
  'sgp_{64:alnum}', 'pa-{43:word}', 'fc-{32:hex}', 'ck-{44:alnum}', 'm0-{40:alnum}', 'KGAT_{32:hex}', 'sk_{48:hex}', 'key_{64:hex}', 'e2b_{40:hex}',
  'as-{22:alnum}', '{uuid}:{32:hex}', '{32:hex}.{16:alnum}', 'EAAA{60:word}', 'access_token$production${16:lower}${32:hex}', 'sandbox_{40:word}',
  'EZAK{54:alnum}', 'EZTK{54:alnum}', 'key-{32:hex}', '{32:hex}-{8:hex}-{8:hex}', 'md-{22:word}', 'mlsn.{64:hex}', 're_{8:alnum}_{24:alnum}',
  'pk_{34:hex}', 'kit_{32:hex}', 'SK{32:hex}', 'KEY0{31:upper}_{22:alnum}', '{10:digits}:AA{33:word}', 'o.{32:alnum}', '{16:digits}|{27:word}',
  'AAAA{7:word}:{140:word}', 'secret_{43:alnum}', '1/{16:digits}:{32:hex}', 'pk_{8:digits}_{32:upper}', 'p8e-{32:word}',
  '{10:lower}msh{15:lower}p1{5:lower}jsn{12:lower}', 'dub_{24:alnum}', '{24:hex}:{64:hex}',
];

/** No shorter one is given out; a longer one may be. */
const LEAST = [
  'GOCSPX-{28:word}', 'AQVN{35:word}', 'dop_v1_{64:hex}', 'nfp_{36:alnum}', 'rnd_{28:alnum}', 'ddp_{36:alnum}', 'tk-us-{48:word}',
  'CCDB1_{22:alnum}_{40:alnum}', 'mdb_sa_sk_{40:word}', 'ghp_{36:alnum}', 'gho_{36:alnum}', 'ghu_{36:alnum}', 'ghs_{36:alnum}', 'npm_{36:alnum}',
  'rubygems_{48:hex}', 'CLOJARS_{60:hex}', 'dckr_pat_{27:word}', 'bkua_{40:hex}', 'pat.{22:alnum}.{24:hex}.{20:alnum}', 'pnu_{36:alnum}',
  'depot_project_{64:hex}', 'sktsec_{40:word}_api', 'hawk.{20:word}.{20:word}', 'waka_{uuid}', 'rdme_{70:lower}', 'zpka_{32:hex}_{8:hex}',
  'kpat_{49:alnum}', 'signkey-prod-{64:hex}', 'A3-{6:upper}-{6:upper}-{5:upper}-{5:upper}-{5:upper}-{5:upper}', 'st.{24:hex}.{32:hex}.{32:hex}',
  'AGE-SECRET-KEY-1{58:BECH32}', 'nbp_{36:alnum}', 'dnkey-{26:lower}-{52:lower}', 'NRAK-{27:upper}', 'NRAA-{27:hex}',
  'dt0c01.{24:base32}.{64:base32}', 'xaat-{uuid}', 'sk-{32:hex}', 'sk-helicone-{7:lower}-{7:lower}-{7:lower}-{7:lower}', 'hf_{34:alnum}',
  'r8_{37:alnum}', 'fw_{22:alnum}', 'tvly-{32:alnum}', 'bb_live_{27:word}', 'whsec_{32:alnum}', 'rzp_live_{14:alnum}', 'live_{30:alnum}',
  'pdl_live_apikey_{26:lower}_{22:alnum}_{3:alnum}', 'access-production-{uuid}', 'xkeysib-{64:hex}-{16:alnum}', 'pat{14:alnum}.{64:hex}',
  'figd_{40:word}', 'figr_{40:word}', 'figp_{40:word}', 'fio-u-{64:word}', 'CFPAT-{43:word}', 'shpat_{32:hex}', 'pat-na1-{uuid}',
];

const known = new Set(PROVIDER_FORMS.map(([, form]) => form));
const secretsOf = (form: string) => Array.from({ length: SAMPLES_OF_A_FORM }, (_, number) => sampleOf(form, number).secret);

it('the forms below are forms of providers', () => expect([...EXACT, ...LEAST].filter((form) => !known.has(form))).toEqual([]));

it.each([...EXACT, ...LEAST])('%s: one unit less is none', (form) => {
  for (const secret of secretsOf(form)) expect(redact(`x ${secret.slice(0, -1)} y`)).toBe(`x ${secret.slice(0, -1)} y`);
});

it.each(EXACT)('%s: one unit more is none', (form) => {
  for (const secret of secretsOf(form)) expect(redact(`x ${secret}7 y`)).toBe(`x ${secret}7 y`);
});

it.each([...EXACT, ...LEAST].filter((form) => !/^[{0-9a-z.]+\}/.test(form)))('%s: as the end of a longer word it is none', (form) => {
  for (const secret of secretsOf(form)) expect(redact(`x Q${secret} y`)).not.toMatch(/^x Q\[/);
});
