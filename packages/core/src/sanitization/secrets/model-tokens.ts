import type { TokenRule } from './secret-rule.ts';
import { dense, denseLower, hasDigit, mixed } from './token-shapes.ts';

/** Behind a token whose length is exact. */
const END = '(?![A-Za-z0-9])';

/** Models, search for models, and where models run. */
export const MODEL_TOKENS: readonly TokenRule[] = [
  { id: 'anyscale-key', title: 'Anyscale key', prefixes: ['esecret_'], body: '[A-Za-z0-9]{20,64}', accepts: mixed },
  { id: 'apify-token', title: 'Apify token', prefixes: ['apify_api_', 'apify_proxy_'], body: '[A-Za-z0-9]{30,64}' },
  { id: 'brave-search-key', title: 'Brave Search key', prefixes: ['BSA'], body: `[A-Za-z0-9_-]{27,29}${END}`, accepts: dense },
  { id: 'browserbase-key', title: 'Browserbase key', prefixes: ['bb_live_', 'bb_test_'], body: '[A-Za-z0-9_-]{27,48}', accepts: mixed },
  { id: 'cartesia-key', title: 'Cartesia key', prefixes: ['sk_car_'], body: '[A-Za-z0-9_-]{20,64}', accepts: mixed },
  { id: 'cerebras-key', title: 'Cerebras key', prefixes: ['csk-'], body: '[a-z0-9]{40,64}', accepts: denseLower },
  { id: 'chroma-key', title: 'Chroma key', prefixes: ['ck-'], body: `[A-Za-z0-9]{44}${END}`, accepts: dense },
  { id: 'cursor-key', title: 'Cursor key', prefixes: ['key_'], body: `[a-f0-9]{64}${END}` },
  { id: 'e2b-key', title: 'E2B key', prefixes: ['e2b_'], body: `[a-f0-9]{40}${END}` },
  { id: 'elevenlabs-key', title: 'ElevenLabs key', prefixes: ['sk_'], body: `[a-f0-9]{48}${END}` },
  { id: 'firecrawl-key', title: 'Firecrawl key', prefixes: ['fc-'], body: `[a-f0-9]{32}${END}` },
  { id: 'fireworks-key', title: 'Fireworks AI key', prefixes: ['fw_'], body: `[A-Za-z0-9]{22,24}${END}`, accepts: dense },
  { id: 'helicone-key', title: 'Helicone key', prefixes: ['sk-helicone-'], body: '[a-z0-9]{7}(?:-[a-z0-9]{7}){3}', accepts: hasDigit },
  { id: 'jina-key', title: 'Jina AI key', prefixes: ['jina_'], body: '[A-Za-z0-9_-]{56,64}', accepts: hasDigit },
  { id: 'kaggle-token', title: 'Kaggle token', prefixes: ['KGAT_'], body: `[a-f0-9]{32}${END}` },
  { id: 'langsmith-key', title: 'LangSmith key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: '[a-f0-9]{32}(?:_[a-f0-9]{10})?' },
  { id: 'langsmith-key', title: 'LangSmith key', prefixes: ['ls__'], body: `[a-f0-9]{32}${END}` },
  { id: 'llamacloud-key', title: 'LlamaCloud key', prefixes: ['llx-'], body: '[A-Za-z0-9]{40,64}', accepts: hasDigit },
  { id: 'mem0-key', title: 'Mem0 key', prefixes: ['m0-'], body: `[A-Za-z0-9]{40}${END}`, accepts: dense },
  { id: 'modal-secret', title: 'Modal token secret', prefixes: ['as-'], body: `[A-Za-z0-9]{22}${END}`, accepts: dense },
  { id: 'nvidia-key', title: 'NVIDIA key', prefixes: ['nvapi-'], body: '[A-Za-z0-9_-]{60,70}', accepts: hasDigit },
  { id: 'pinecone-key', title: 'Pinecone key', prefixes: ['pcsk_'], body: '[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}', accepts: hasDigit },
  { id: 'runpod-key', title: 'RunPod key', prefixes: ['rpa_'], body: '[A-Za-z0-9]{40,64}', accepts: hasDigit },
  { id: 'tavily-key', title: 'Tavily key', prefixes: ['tvly-'], body: '(?:dev-|prod-)?[A-Za-z0-9_-]{32,64}', accepts: hasDigit },
  { id: 'together-key', title: 'Together AI key', prefixes: ['tgp_v1_'], body: '[A-Za-z0-9_-]{40,64}', accepts: hasDigit },
  { id: 'trigger-dev-key', title: 'Trigger.dev key', prefixes: ['tr_dev_', 'tr_prod_', 'tr_stg_', 'tr_pat_'], body: '[A-Za-z0-9]{20,64}', accepts: mixed },
  { id: 'voyage-key', title: 'Voyage AI key', prefixes: ['pa-', 'al-'], body: `[A-Za-z0-9_-]{43}${END}`, accepts: dense },
  { id: 'wandb-key', title: 'Weights & Biases key', prefixes: ['wandb_v1_'], body: '[A-Za-z0-9_]{40,100}', accepts: hasDigit },
];
