/** Files by which programs are started for the user: a tool that wrote one would run what it likes, outside of every box. */
export interface ProtectedFiles {
  /** What starts programs by them. */
  readonly starts: string;
  /**
   * A name, or names with `/` between them: the last name below a folder of the others. `*` at the start stands for any
   * characters.
   */
  readonly patterns: readonly string[];
  /**
   * `anywhere`: at any depth. `home`: in the home folder of whoever runs devs. `path`: the pattern stands for the folders that
   * `PATH` leads to.
   */
  readonly at: 'anywhere' | 'home' | 'path';
  /**
   * `operator`: `files.writable` may lift it. `nobody`: devs itself rests on it. `everybody`: an ordinary task edits it, so
   * it stays writable, and `devs doctor` names it.
   */
  readonly liftedBy: 'operator' | 'nobody' | 'everybody';
}

/** The list in `docs/reference/protected-files.md`, in its order; a test compares the two. */
export const PROTECTED_FILES: readonly ProtectedFiles[] = Object.freeze([
  fixed('devs: servers, sandboxes and rules, once the file is trusted', 'devs.config.json'),
  fixed('git: hooks, filters, pagers and file monitors that its configuration names', '.git'),
  anywhere('other version control: hooks and programs that their configuration names', '.hg', '.jj', '.sl', '.pijul'),
  anywhere('git: hooks, in the folders that projects most often name for them', '.husky', '.githooks'),
  anywhere(
    'coding agents: MCP servers, hooks, commands and skills',
    '.mcp.json', '.claude', '.cursor', '.windsurf', '.gemini', '.codex', '.continue', '.kiro', '.opencode', 'opencode.json', 'opencode.jsonc',
    '.roo', '.cline', '.clinerules/hooks', '.amazonq', '.junie', '.qwen', '.trae', '.factory', '.crush', '.crush.json', 'crush.json', '.augment',
    '.amp', '.copilot', '.github/hooks', '.goose', '.openhands', '.tabnine', '.aider.conf.yml',
  ),
  anywhere(
    'editors: tasks, run configurations, language servers and debuggers',
    '.vscode', '.vs', '.idea', '.run', '.fleet', '.zed', '.nova', '.theia', '.helix', '*.code-workspace', '*.sublime-project',
  ),
  anywhere('editors: containers, and commands on the machine before them', '.devcontainer', '.devcontainer.json'),
  anywhere('Vim, Neovim, Emacs: code that they run when a file of the folder is opened', '.exrc', '.vimrc', '.nvimrc', '.nvim.lua', '.dir-locals.el', '.ycm_extra_conf.py'),
  anywhere(
    'debuggers and interpreters: code that they run when they start in the folder',
    '.gdbinit', '.lldbinit', '.pdbrc', '.irbrc', '.pryrc', '.Rprofile', '.Renviron', '.ghci', '.ocamlinit', '.iex.exs', '.octaverc',
  ),
  anywhere('direnv: code that the shell runs when it enters the folder', '.envrc', '.direnv'),
  anywhere(
    'package managers: registries, plugins, and the program that they run in their own place',
    '.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn/releases', '.yarn/plugins', '.yarn/sdks', '.pnpmfile.cjs', '.pnpmfile.mjs', '.cargo', '.mvn', '.bundle',
  ),
  ordinary('pre-commit, lefthook: hooks', '.pre-commit-config.yaml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml'),
  ordinary('mise: tasks, and hooks of the shell', 'mise.toml', '.mise.toml'),
  ordinary('git: filters and merge drivers of your own configuration, repositories that it clones', '.gitattributes', '.gitmodules'),
  Object.freeze({ starts: 'whoever calls a program by its name', patterns: Object.freeze(['$PATH']), at: 'path', liftedBy: 'operator' }),
  atHome(
    'shells: code that they run when they start or end',
    '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion', '.profile', '.zshrc', '.zshenv', '.zprofile',
    '.zlogin', '.zlogout', '.zsh', '.oh-my-zsh', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc', '.login', '.logout', '.inputrc', '.xonshrc', '.direnvrc',
    '.bashrc.d', '.bash_functions', '.bash_it', '.bash-it', '.oh-my-bash', '.blerc', '.profile.d', '.shrc', '.aliases', '.functions', '.exports', '.fzf', '.fzf.bash', '.fzf.zsh',
    '.p10k.zsh', '.zcompdump', '.zfunc', '.zinit', '.zplug', '.zgen', '.zgenom', '.zim', '.zimrc', '.zprezto', '.zpreztorc', '.antigen', '.antidote', '.zsh_plugins.txt',
    '.zsh_plugins.zsh', '.liquidpromptrc',
  ),
  atHome(
    'the session: programs that start with it',
    '.xinitrc', '.xsession', '.xsessionrc', '.xprofile', '.xserverrc', '.gnomerc', '.vnc', '.pam_environment', '.config/autostart',
    '.config/autostart-scripts', '.config/plasma-workspace', '.config/systemd', '.config/environment.d', 'Library/LaunchAgents', '.Xresources', '.Xdefaults', '.Xclients',
    '.xbindkeysrc', '.xmonad', '.xmobarrc', '.fluxbox', '.fvwm', '.i3', '.icewm', '.fehbg', '.xscreensaver', '.kde', '.kde4', '.gnome2', 'Library/Services', 'Library/Scripts',
  ),
  atHome('all programs: their settings, of which many start others', '.config', '.config/git', '.config/fish', '.config/nvim', '.config/direnv', '.config/mise', 'Library/Application Support'),
  atHome('whoever calls a program by its name, and Python at each start', 'bin', '.local/bin', '.local/lib', '.local/share', 'go/bin'),
  atHome(
    'packaged programs, and what they read when they start',
    '.nix-profile', '.nix-defexpr', '.nix-channels', '.local/state/nix', '.local/state/home-manager', '.guix-profile', '.guix-home', '.linuxbrew', '.var/app', 'snap',
    'Applications', '.wine', '.steam',
  ),
  atHome(
    'toolchains and package managers: the programs and settings of all projects',
    '.nvm', '.fnm', '.volta', '.bun', '.deno', '.npm', '.npm-global', '.pyenv', '.rye', '.pixi', '.conda', '.condarc', '.pip', '.rbenv', '.rvm', '.gem',
    '.asdf', '.sdkman', '.jenv', '.m2', '.gradle', '.sbt', '.ivy2', '.rustup', '.ghcup', '.cabal', '.stack', '.opam', '.dotnet', '.composer', '.cache',
    'miniconda3', 'miniforge3', 'mambaforge', 'anaconda3', 'micromamba', 'google-cloud-sdk', 'flutter', '.pub-cache', '.android', 'perl5', '.perlbrew', '.plenv', '.phpenv', '.goenv',
    '.gvm', '.nodenv', '.nodebrew', '.node_modules', '.node_libraries', '.yarn/bin', '.virtualenvs', '.local/pipx', '.poetry', '.gemrc', '.luarocks', '.swiftly', '.swiftpm', '.mix',
    '.hex', '.kerl', '.nimble', '.choosenim', '.elan', '.juliaup', '.jbang', '.proto', '.foundry', '.wasmtime', '.wasmer', '.pulumi', '.conan', '.conan2', '.bazelrc', '.bazeliskrc',
    '.ccache', '.distcc',
  ),
  atHome('git and other version control, in every repository', '.gitconfig', '.hgrc', '.jjconfig.toml', '.subversion', '.bazaar', '.gitk', '.tigrc'),
  atHome('SSH, GnuPG, remote logins: commands, programs for keys, who may log in', '.ssh', '.gnupg', '.rhosts', '.shosts', '.k5login'),
  atHome('editors, in every folder', '.vim', '.gvimrc', '.emacs', '.emacs.d', '.doom.d', '.spacemacs', '.nanorc', '.ideavimrc', '.vscode-server', '.vscode-oss', '.atom', '.vscode-insiders', '.vscode-remote', '.cursor-server', '.windsurf-server', '.vimrc.local', '.SpaceVim', '.SpaceVim.d', '.emacs.el', '.joerc', '.eclipse'),
  atHome('coding agents, in every folder', '.claude.json', '.codeium', '.lmstudio', '.warp'),
  atHome('terminals', '.tmux.conf', '.tmux', '.screenrc', '.wezterm.lua', '.hyper.js', '.byobu', '.urxvt', '.alacritty.yml', '.alacritty.toml', '.termux'),
  atHome('interpreters, in every folder', '.psqlrc', '.sqliterc', '.ipython', '.jupyter', '.pythonrc', '.pythonrc.py', '.julia', '.ghc', '.lein', '.sbclrc', '.guile', '.my.cnf', '.mongorc.js', '.mongoshrc.js', '.duckdbrc', '.perldb', '.byebugrc', '.tclshrc', '.wishrc', '.clojure', '.racketrc', '.utoprc', '.swiplrc', '.gnuplot', '.maxima', '.sage', '.matlab'),
  atHome('clients of clouds and containers: programs for credentials, plugins', '.aws', '.azure', '.kube', '.docker', '.terraformrc', '.terraform.d', '.oci', '.krew', '.helm', '.minikube', '.ansible', '.ansible.cfg', '.vagrant.d', '.packer.d', '.colima', '.lima'),
  atHome('browsers and mail programs: settings, add-ons, programs for what they open', '.mozilla', '.thunderbird', '.librewolf', '.w3m', '.elinks', '.lynxrc'),
  atHome('mail and downloads: filters, viewers, where files are written', '.forward', '.procmailrc', '.mailcap', '.muttrc', '.lessfilter', '.curlrc', '.wgetrc', '.mailrc', '.mutt', '.neomuttrc', '.pinerc', '.fetchmailrc', '.getmail', '.offlineimaprc', '.mbsyncrc', '.msmtprc', '.notmuch-config', '.urlview', '.netrc', '.lesskey', '.toprc', '.mpv'),
]);

function fixed(starts: string, ...patterns: readonly string[]): ProtectedFiles {
  return Object.freeze({ starts, patterns: Object.freeze(patterns), at: 'anywhere', liftedBy: 'nobody' });
}

function anywhere(starts: string, ...patterns: readonly string[]): ProtectedFiles {
  return Object.freeze({ starts, patterns: Object.freeze(patterns), at: 'anywhere', liftedBy: 'operator' });
}

function ordinary(starts: string, ...patterns: readonly string[]): ProtectedFiles {
  return Object.freeze({ starts, patterns: Object.freeze(patterns), at: 'anywhere', liftedBy: 'everybody' });
}

function atHome(starts: string, ...patterns: readonly string[]): ProtectedFiles {
  return Object.freeze({ starts, patterns: Object.freeze(patterns), at: 'home', liftedBy: 'operator' });
}
