import { describe, expect, it } from '@jest/globals';
import { secretsOf } from '../server-secrets.ts';

const WORDS = 'correct-horse-battery';
// Put together at run time: no scanner of sources shall find a token here.
const RANDOM = ['a8Kd02LmQz71', 'XyPvRt55WsNb'].join('');

const isTaken = (name: string, value: string) => secretsOf([{ env: { [name]: value } }]).includes(value);
const lines = (text: string) => text.trim().split(/\s+/);

/** Names of the environments of real programs. Whatever stands under these is a secret, also when it consists of words. */
const SECRETS = lines(`
  PGPASSWORD SSHPASS MYSQL_PWD MYSQL_PW DB_PW DB_PASS DB_PASSWORD DBPASSWORD MYSQL_ROOT_PASSWORD POSTGRES_PASSWORD REDISCLI_AUTH REDIS_PASSWORD RABBITMQ_DEFAULT_PASS
  SMTP_PASS SMTP_PASSWORD MONGO_INITDB_ROOT_PASSWORD RESTIC_PASSWORD BORG_PASSPHRASE ANSIBLE_VAULT_PASSWORD SSH_PASSPHRASE GH_PASSCODE DBPASS ADMINPASS
  API_KEY APIKEY API_KEYS API_KEY_PROD API_KEY_2 OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY API_KEY_OPENAI TAVILY_API_KEY STRIPE_SECRET_KEY ALGOLIA_ADMIN_KEY
  AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET AZURE_STORAGE_KEY COSMOS_PRIMARY_KEY GOOGLE_API_KEY CLOUDFLARE_API_TOKEN DIGITALOCEAN_ACCESS_TOKEN HCLOUD_TOKEN
  GITHUB_TOKEN GH_TOKEN GITHUB_PAT GITHUB_PERSONAL_ACCESS_TOKEN GITLAB_PRIVATE_TOKEN CI_JOB_TOKEN BITBUCKET_APP_PASSWORD NPM_TOKEN NODE_AUTH_TOKEN TWINE_PASSWORD CARGO_REGISTRY_TOKEN
  SLACK_BOT_TOKEN SLACK_SIGNING_SECRET DISCORD_TOKEN TELEGRAM_BOT_TOKEN TWILIO_AUTH_TOKEN SENDGRID_API_KEY NOTION_TOKEN LINEAR_API_KEY JIRA_API_TOKEN VAULT_TOKEN CONSUL_HTTP_TOKEN
  OP_SERVICE_ACCOUNT_TOKEN DOCKER_PASSWORD DOCKER_CREDS APITOKEN ACCESSTOKEN SECRETKEY ENCRYPTIONKEY ENCRYPTION_KEY APP_KEY APP_KEYS APP_SECRETS AUTH_TOKENS SECRET_KEY_BASE
  RAILS_MASTER_KEY DJANGO_SECRET_KEY NEXTAUTH_SECRET JWT JWT_SECRET SESSION_SECRET COOKIE_SECRET SIGNING_SALT SIGNING_KEY TOKEN_2 PASSWORD1 DB_PASS_STR BEARER SENTRY_DSN
  clientSecret GITHUBToken npm_config__authToken my-auth-token WALLET_MNEMONIC SEED_PHRASE RECOVERY_CODES OTP_SEED LDAP_BINDPW BINDPASS KEYSTOREPASS DEPLOYKEY DB_PASSWORD_READONLY KEY WEBHOOK_SECRET X_API_KEY SUPABASE_SERVICE_ROLE_KEY
`);

/** Of these only what looks random: some hold a token, others a word. */
const DOUBTFUL = lines(`
  STRIPE_SK BW_SESSION OP_SESSION_my LEETCODE_SESSION KEY_OPENAI PAT_GITHUB AUTH_GITHUB VAULT_SECRET_ID DESKTOP_SESSION XDG_SESSION_DESKTOP PRIVATE_SUBNETS WEBHOOK_EVENTS
  AUTH_USER SESSION_MANAGER API_TOKEN_SERVICE DB_PASSWORD_MAIL APP_SECRET_VERSION_2 SECRET_MANAGER_PROJECT PASSWORD_HASHER AUTH_PASSWORD_VALIDATORS CREDENTIAL_HELPER
  TOKEN_MODEL TOKEN_NETWORK SECRETS_MOUNT GITHUB_TOKEN_PERMISSIONS OAUTH_TOKEN_EXCHANGE PASSPHRASE_WORDLIST PASSWORD_PROMPT PRIMARY_KEY FEATURE_KEY SHORTCUT_KEYS BUILD_PASS
`);

/** They speak of secrets, or sound like one. */
const OTHERS = lines(`
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL KEYCLOAK_URL KEYCLOAK_REALM TOKENIZERS_PARALLELISM KEYBOARD_LAYOUT HOME PATH MONKEY PASSENGER NODE_ENV COMPASS_HOME BYPASS_CACHE
  AWS_ACCESS_KEY_ID AWS_PROFILE AWS_SECRET_NAME SECRET_ARN AUTH0_DOMAIN AUTH0_CLIENT_ID FIREBASE_AUTH_DOMAIN AUTH_PROVIDER AUTH_METHOD AUTH_AUDIENCE AUTH_ISSUER AUTH_SCOPE OAUTH_REDIRECT
  TOKEN_TYPE TOKEN_URL TOKEN_ENDPOINT TOKEN_LIMIT TOKEN_ALGORITHM JWT_ALGORITHM JWT_ISSUER JWT_AUDIENCE COOKIE_DOMAIN COOKIE_NAME CSRF_HEADER SESSION_DRIVER
  SESSION_STORE PASSWORD_STORE_DIR PASSWORD_POLICY PGPASSFILE DB_PASSWORD_FILE KEY_FILE KEY_PREFIX KEYRING S3_KEY_PREFIX SSH_KEY_PATH SSH_PUBLIC_KEY PARTITION_KEY CACHE_KEY
  VAPID_PUBLIC_KEY STRIPE_PUBLISHABLE_KEY GPG_KEY GPG_AGENT_INFO SSH_ASKPASS GIT_ASKPASS SUDO_ASKPASS CREDENTIALS_DIRECTORY
  PWD OLDPWD KEYTIMEOUT SECRETARY TOKENS_TABLE AUTHENTICATED AUTHORITY TURNKEY_MODE
`);

describe('by its name', () => {
  it.each(SECRETS)('%s is a secret', (name) => expect([isTaken(name, WORDS), isTaken(name, RANDOM)]).toEqual([true, true]));

  it.each(DOUBTFUL)('%s is one when it looks random', (name) => expect([isTaken(name, WORDS), isTaken(name, RANDOM)]).toEqual([false, true]));

  it.each(OTHERS)('%s is none', (name) => expect(secretsOf([{ env: { [name]: WORDS } }, { env: { [name]: RANDOM } }])).toEqual([]));
});

/** As they stand in the environment of a desktop, a container, a build. */
it.each([
  ['DESKTOP_SESSION', 'plasma-wayland'],
  ['GDMSESSION', 'ubuntu-wayland-session'],
  ['XDG_SESSION_ID', 'session-c2-of-seat0'],
  ['DBUS_SESSION_BUS_ADDRESS', 'unix:path=/run/user/1000/bus'],
  ['SESSION_MANAGER', 'local/host:@/tmp/.ICE-unix/1234,unix/host:/tmp/.ICE-unix/1234'],
  ['SSH_AUTH_SOCK', '/tmp/ssh-agent/agent.1'],
  ['SSH_ASKPASS', '/usr/libexec/openssh/gnome-ssh-askpass'],
  ['PWD', '/home/alice/project'],
  ['OLDPWD', '/home/alice/project/packages'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/alice/.config/gcloud/credentials.json'],
  ['SSL_KEY', 'certificates/server.key'],
  ['AUTHORIZED_KEYS', `ssh-ed25519 AAAA${RANDOM} me@laptop.example`],
  ['DEPLOY_KEY', `ecdsa-sha2-nistp256 AAAA${RANDOM} me@laptop.example`],
  ['PASSWORD_HASHER', 'django.contrib.auth.hashers.PBKDF2PasswordHasher'],
  ['GITHUB_TOKEN_PERMISSIONS', 'contents:read,packages:write'],
  ['OAUTH_TOKEN_EXCHANGE', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  ['PASSWORD_PROMPT', 'Please enter your password:'],
  ['TLS_KEY', '/certificates/server.key'],
  ['TOKEN', '~/tokens/a-file'],
  ['SESSION', '/home/alice/project'],
  ['AUTH', 'https://login.example.com/authorize'],
  ['AUTH', 'login.example.com:8443'],
  ['API_KEY', '${OTHER_API_KEY}'],
  ['API_KEY', '$OTHER_API_KEY'],
  ['BASH_FUNC_login%%', '() { local token="${1:-$(ask_for_a_token)}"; }'],
  ['API_KEY', '<your key, please>'],
  ['WEBHOOK_URL', 'https://host.invalid/hooks/of-a-project'],
  ['CREDENTIALS_URL', 'https://host.invalid/a?page=authorization'],
  ['LS_COLORS', 'rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:*.tar=01;31:*.key=00;36'],
  ['NODE_OPTIONS', '--max-old-space-size=4096 --enable-source-maps'],
  ['PS1', '\\[\\e]0;\\u@\\h: \\w\\a\\]${debian_chroot:+($debian_chroot)}\\u@\\h:\\w\\$ '],
])('what stands in many places is no secret: %s', (name, value) => expect(secretsOf([{ env: { [name]: value } }])).toEqual([]));
