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
   * `PATH` leads to. `variable`: the first name, after its `$`, is a variable of the environment, and the pattern counts at
   * each path in its value.
   */
  readonly at: 'anywhere' | 'home' | 'path' | 'variable';
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
  anywhere('other version control: hooks and programs that their configuration names', '.hg', '.jj', '.sl', '.pijul', '.bzr', '.repo', '.fslckout', '_FOSSIL_', '.fossil-settings'),
  anywhere('git: hooks, in the folders that projects most often name for them', '.husky', '.githooks', '.git-hooks', '.hooks', '.lefthook', '.lefthook-local'),
  anywhere(
    'coding agents: MCP servers, hooks, commands and skills',
    '.mcp.json', '.claude', '.cursor', '.windsurf', '.gemini', '.codex', '.continue', '.kiro', '.opencode', 'opencode.json', 'opencode.jsonc',
    '.roo', '.cline', '.clinerules/hooks', '.amazonq', '.junie', '.qwen', '.trae', '.factory', '.crush', '.crush.json', 'crush.json', '.augment',
    '.amp', '.copilot', '.github/hooks', '.goose', '.openhands', '.tabnine', '.aider.conf.yml',
    '.agents', '.agent', '.antigravity', '.github/agents', '.github/skills', '.github/copilot', '.github/extensions', '.github/mcp.json', '.github/lsp.json',
    '.claude-plugin', '.opencode.json', '.kilocode', '.kilo', 'kilo.json', 'kilo.jsonc', '.roomodes', '.rovodev', '.zencoder', '.continuerc.json', '.iflow',
    '.codebuddy', '.codebuff', 'codebuff.json', '.qoder', '.lingma', '.vibe', '.pi', '.grok', '.llxprt', '.kimi', '.firebender', 'firebender.json', '.serena',
    '.ai/mcp', '.warp', 'gptme.toml', 'conductor.json',
  ),
  anywhere(
    'editors: tasks, run configurations, language servers and debuggers',
    '.vscode', '.vs', '.idea', '.run', '.fleet', '.zed', '.nova', '.theia', '.helix', '*.code-workspace', '*.sublime-project',
    '.project', '.externalToolBuilders', '.kateproject', '.kdev4', '*.pro.user', '*proj.user', 'CMakeLists.txt.user', '*.sublime-workspace', '.vimspector.json',
    '.vim/coc-settings.json', '.neoconf.json', '.lsp', '.bsp', '.sourcekit-lsp', 'buildServer.json', 'hie.yaml', '.hie-bios', '.merlin', 'rust-analyzer.toml',
    '.rust-analyzer.toml', '.phpactor.json', '.phpactor.yml', '.solargraph.yml', '.ruby-lsp',
  ),
  anywhere('editors: containers, and commands on the machine before them', '.devcontainer', '.devcontainer.json', '.gitpod.yml', '.gitpod', '.ona', '.codesandbox', '.stackblitzrc', '.replit', '.idx'),
  anywhere('Vim, Neovim, Emacs: code that they run when a file of the folder is opened', '.exrc', '.vimrc', '.nvimrc', '.nvim.lua', '.dir-locals.el', '.ycm_extra_conf.py', '_exrc', '_vimrc', '.lvimrc', '.lazy.lua', '.dir-locals-2.el'),
  anywhere(
    'debuggers and interpreters: code that they run when they start in the folder',
    '.gdbinit', '.lldbinit', '.pdbrc', '.irbrc', '.pryrc', '.Rprofile', '.Renviron', '.ghci', '.ocamlinit', '.iex.exs', '.octaverc',
    '.byebugrc', '.perldb', '.erlang', '.scilab',
  ),
  anywhere('direnv, autoenv, RVM: code that the shell runs when it enters the folder', '.envrc', '.direnv', '.envrc.local', '.autoenv', '.autoenv.zsh', '.autoenv_leave.zsh', '.autoenv.leave', '.shadowenv.d', '.rvmrc'),
  anywhere(
    'package managers: registries, plugins, and the program that they run in their own place',
    '.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn/releases', '.yarn/plugins', '.yarn/sdks', '.pnpmfile.cjs', '.pnpmfile.mjs', '.cargo', '.mvn', '.bundle',
  ),
  ordinary('pre-commit, lefthook and the like: hooks', '.pre-commit-config.yaml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml', 'lefthook.toml', '.lefthook.toml', 'lefthook.json', '.lefthook.json', 'lefthook-local.yml', 'lefthook-local.yaml', '.lefthook-local.yml', 'prek.toml', '.overcommit.yml', 'captainhook.json', 'grumphp.yml', '.huskyrc', '.huskyrc.json', '.huskyrc.js', '.simple-git-hooks.json', 'simple-git-hooks.json'),
  ordinary('mise, asdf: tasks, hooks of the shell, and which installation of a program runs', 'mise.toml', '.mise.toml', 'mise.local.toml', '.mise.local.toml', '.mise', '.tool-versions'),
  ordinary('git: filters and merge drivers of your own configuration, repositories that it clones', '.gitattributes', '.gitmodules'),
  Object.freeze({ starts: 'whoever calls a program by its name', patterns: Object.freeze(['$PATH']), at: 'path', liftedBy: 'operator' }),
  byVariable(
    'shells: code that they run when they start',
    '$ZDOTDIR', '$BASH_ENV', '$ENV', '$INPUTRC', '$FPATH', '$ZSH', '$ZSH_CUSTOM', '$OSH', '$BASH_IT', '$XONSHRC', '$XONSH_CONFIG_DIR', '$STARSHIP_CONFIG',
    '$DIRENV_CONFIG', '$FZF_DEFAULT_OPTS_FILE',
  ),
  byVariable('the session: settings and programs of all users', '$XDG_CONFIG_DIRS', '$XDG_DATA_DIRS'),
  byVariable('git and other version control: programs that their settings name', '$GIT_CONFIG_GLOBAL', '$GIT_CONFIG_SYSTEM', '$GIT_TEMPLATE_DIR', '$GIT_EXEC_PATH', '$HGRCPATH', '$JJ_CONFIG'),
  byVariable(
    'whoever starts an editor, a pager or a program for passwords: the program itself',
    '$EDITOR', '$VISUAL', '$PAGER', '$MANPAGER', '$BROWSER', '$SHELL', '$GIT_EDITOR', '$GIT_SEQUENCE_EDITOR', '$GIT_PAGER', '$GIT_EXTERNAL_DIFF', '$GIT_SSH',
    '$GIT_ASKPASS', '$SSH_ASKPASS', '$SUDO_ASKPASS',
  ),
  byVariable('every program: libraries that the loader takes', '$LD_LIBRARY_PATH', '$LD_PRELOAD', '$LD_AUDIT', '$DYLD_LIBRARY_PATH', '$DYLD_INSERT_LIBRARIES'),
  byVariable(
    'interpreters: code that they run when they start',
    '$PYTHONSTARTUP', '$PYTHONUSERBASE', '$PYTHONHOME', '$PYTHONPATH/sitecustomize*', '$PYTHONPATH/usercustomize*', '$PYTHONPATH/encodings', '$PYTHONPATH/site.py',
    '$PYTHONPATH/os.py', '$PYTHONPATH/io.py', '$PYTHONPATH/abc.py', '$PYTHONPATH/codecs.py', '$PYTHONPATH/stat.py', '$RUBYLIB/rubygems', '$RUBYLIB/rubygems.rb',
    '$RUBYLIB/monitor.rb', '$RUBYLIB/rbconfig.rb', '$RUBYLIB/error_highlight.rb', '$RUBYLIB/did_you_mean.rb', '$RUBYLIB/syntax_suggest', '$PERL5LIB/strict.pm',
    '$PERL5LIB/warnings.pm', '$IRBRC', '$PRYRC', '$R_PROFILE', '$R_PROFILE_USER', '$R_ENVIRON', '$R_ENVIRON_USER', '$PHPRC', '$PHP_INI_SCAN_DIR',
    '$JUPYTER_CONFIG_DIR', '$JUPYTER_CONFIG_PATH', '$JUPYTER_PATH', '$IPYTHONDIR', '$PSQLRC',
  ),
  byVariable(
    'toolchains and package managers: the programs and settings of all projects',
    '$CARGO_HOME', '$RUSTUP_HOME', '$NVM_DIR', '$FNM_DIR', '$VOLTA_HOME', '$N_PREFIX', '$NODENV_ROOT', '$PNPM_HOME', '$COREPACK_HOME', '$BUN_INSTALL', '$DENO_INSTALL',
    '$DENO_DIR', '$NPM_CONFIG_USERCONFIG', '$npm_config_userconfig', '$NPM_CONFIG_GLOBALCONFIG', '$npm_config_globalconfig', '$PYENV_ROOT', '$PIPX_HOME',
    '$PIPX_BIN_DIR', '$PIP_CONFIG_FILE', '$UV_CONFIG_FILE', '$CONDARC', '$MAMBA_ROOT_PREFIX', '$RBENV_ROOT', '$rvm_path', '$BUNDLE_USER_HOME', '$BUNDLE_USER_CONFIG',
    '$PERLBREW_ROOT', '$PLENV_ROOT', '$PHPENV_ROOT', '$COMPOSER_HOME', '$GOBIN', '$GOPATH/bin', '$GOROOT', '$GOENV', '$GOENV_ROOT', '$SDKMAN_DIR', '$JAVA_HOME',
    '$GRADLE_USER_HOME', '$DOTNET_ROOT', '$ANDROID_HOME', '$ANDROID_SDK_ROOT', '$FLUTTER_ROOT', '$STACK_ROOT', '$CABAL_DIR', '$OPAMROOT', '$ASDF_DIR',
    '$ASDF_DATA_DIR', '$ASDF_CONFIG_FILE', '$MISE_CONFIG_DIR', '$MISE_DATA_DIR', '$MISE_GLOBAL_CONFIG_FILE',
  ),
  byVariable('GnuPG, downloads and viewers: programs that their settings name', '$GNUPGHOME', '$CURL_HOME', '$WGETRC', '$RIPGREP_CONFIG_PATH', '$MAILCAPS', '$LESSKEY', '$LESSKEYIN', '$LESSKEY_SYSTEM'),
  byVariable('editors and terminals, in every folder', '$VIM', '$VIMRUNTIME', '$MYVIMRC', '$EMACSLOADPATH', '$SCREENRC'),
  byVariable('coding agents, in every folder', '$CLAUDE_CONFIG_DIR', '$CODEX_HOME', '$OPENCODE_CONFIG', '$OPENCODE_CONFIG_DIR'),
  byVariable(
    'clients of clouds and containers: programs for credentials, plugins',
    '$AWS_CONFIG_FILE', '$AWS_SHARED_CREDENTIALS_FILE', '$AZURE_CONFIG_DIR', '$CLOUDSDK_CONFIG', '$DOCKER_CONFIG', '$KUBECONFIG', '$KREW_ROOT', '$HELM_PLUGINS',
    '$HELM_CONFIG_HOME', '$HELM_DATA_HOME', '$MINIKUBE_HOME', '$TF_CLI_CONFIG_FILE', '$ANSIBLE_CONFIG', '$ANSIBLE_HOME', '$VAGRANT_HOME',
  ),
  atHome(
    'shells: code that they run when they start or end',
    '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion', '.profile', '.zshrc', '.zshenv', '.zprofile',
    '.zlogin', '.zlogout', '.zsh', '.oh-my-zsh', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc', '.login', '.logout', '.inputrc', '.xonshrc', '.direnvrc',
    '.bashrc.d', '.bash_functions', '.bash_it', '.bash-it', '.oh-my-bash', '.blerc', '.profile.d', '.shrc', '.aliases', '.functions', '.exports', '.fzf', '.fzf.bash', '.fzf.zsh',
    '.p10k.zsh', '.zcompdump', '.zfunc', '.zinit', '.zplug', '.zgen', '.zgenom', '.zim', '.zimrc', '.zprezto', '.zpreztorc', '.antigen', '.antidote', '.zsh_plugins.txt',
    '.zsh_plugins.zsh', '.liquidpromptrc',
    '.bashrc.local', '.bash_env', '.bash_prompt', '.bash_completion.d', '.bash_aliases.d', '.path', '.extra', '.shinit', '.ashrc', '.dashrc', '.zshrc.local',
    '.zshenv.local', '.zprofile.local', '.zshrc.d', '.zsh.d', '.zsh_aliases', '.zsh_functions', '.znap', '.zi', '.sheldon', '.iterm2_shell_integration.bash',
    '.iterm2_shell_integration.zsh', '.iterm2_shell_integration.fish', '.yashrc', '.yash_profile', '.elvish', '.murex_profile', '.murex_preload',
  ),
  atHome(
    'the session: programs that start with it',
    '.xinitrc', '.xsession', '.xsessionrc', '.xprofile', '.xserverrc', '.gnomerc', '.vnc', '.pam_environment', '.config/autostart',
    '.config/autostart-scripts', '.config/plasma-workspace', '.config/systemd', '.config/environment.d', 'Library/LaunchAgents', '.Xresources', '.Xdefaults', '.Xclients',
    '.xbindkeysrc', '.xmonad', '.xmobarrc', '.fluxbox', '.fvwm', '.i3', '.icewm', '.fehbg', '.xscreensaver', '.kde', '.kde4', '.gnome2', 'Library/Services', 'Library/Scripts',
    '.xinputrc', '.xsession.d', '.xbindkeysrc.scm', '.Xsession', '.dmrc', '.ratpoisonrc', '.stumpwmrc', '.stumpwm.d', '.sawfish', '.sawfishrc', '.jwmrc', '.pekwm',
    '.blackbox', '.ctwmrc', '.twmrc', '.mwmrc', '.cwmrc', '.spectrwm.conf', '.notion', '.ion3', '.wmii', '.e', '.e16', '.enlightenment', '.i3status.conf',
    '.i3blocks.conf', '.conkyrc', '.sxhkdrc', '.skhdrc', '.yabairc', '.aerospace.toml', '.hammerspoon', '.phoenix.js', '.slate', '.slate.js', '.qtile',
    '.devilspie', '.devilspie2', '.espanso', '.dbus-1', '.asoundrc', '.pulse', '.lircrc', 'GNUstep', 'Desktop/*.desktop', 'Library',
  ),
  atHome('whatever reads it: at the top of a home folder a name with a dot holds the settings of some program', '.*'),
  atHome('all programs: their settings, of which many start others', '.config', '.config/git', '.config/fish', '.config/nvim', '.config/direnv', '.config/mise', 'Library/Application Support', '.config/bash', '.config/zsh', '.config/elvish', '.config/nushell', '.config/xonsh', '.config/powershell', '.config/yash', '.config/tmux', '.config/zellij', '.config/kitty', '.config/alacritty', '.config/wezterm', '.config/ghostty', '.config/foot', '.config/i3', '.config/sway', '.config/hypr', '.config/niri', '.config/river', '.config/awesome', '.config/bspwm', '.config/sxhkd', '.config/openbox', '.config/qtile', '.config/waybar', '.config/polybar', '.config/helix', '.config/kak', '.config/emacs', '.config/vim', '.config/Code', '.config/zed', '.config/mpv', '.config/pip', '.config/gh', '.config/jj', '.config/hg', '.config/lazygit', '.config/starship.toml', '.config/user-dirs.dirs', '.config/mimeapps.list', '.config/home-manager', '.config/nix', '.config/nixpkgs', '.config/opencode', '.config/goose', '.config/crush', '.config/amp'),
  atHome('any Node program below the home folder that asks for a package by its name', 'node_modules'),
  atHome('whoever calls a program by its name, and Python at each start', 'bin', '.local/bin', '.local/lib', '.local/share', 'go/bin'),
  atHome(
    'packaged programs, and what they read when they start',
    '.nix-profile', '.nix-defexpr', '.nix-channels', '.local/state/nix', '.local/state/home-manager', '.guix-profile', '.guix-home', '.linuxbrew', '.var/app', 'snap',
    'Applications', '.wine', '.steam',
    '.nixpkgs', '.local/state/guix', 'homebrew', '.local/Applications',
  ),
  atHome(
    'toolchains and package managers: the programs and settings of all projects',
    '.nvm', '.fnm', '.volta', '.bun', '.deno', '.npm', '.npm-global', '.pyenv', '.rye', '.pixi', '.conda', '.condarc', '.pip', '.rbenv', '.rvm', '.gem',
    '.asdf', '.sdkman', '.jenv', '.m2', '.gradle', '.sbt', '.ivy2', '.rustup', '.ghcup', '.cabal', '.stack', '.opam', '.dotnet', '.composer', '.cache',
    'miniconda3', 'miniforge3', 'mambaforge', 'anaconda3', 'micromamba', 'google-cloud-sdk', 'flutter', '.pub-cache', '.android', 'perl5', '.perlbrew', '.plenv', '.phpenv', '.goenv',
    '.gvm', '.nodenv', '.nodebrew', '.node_modules', '.node_libraries', '.yarn/bin', '.virtualenvs', '.local/pipx', '.poetry', '.gemrc', '.luarocks', '.swiftly', '.swiftpm', '.mix',
    '.hex', '.kerl', '.nimble', '.choosenim', '.elan', '.juliaup', '.jbang', '.proto', '.foundry', '.wasmtime', '.wasmer', '.pulumi', '.conan', '.conan2', '.bazelrc', '.bazeliskrc',
    '.ccache', '.distcc',
    '.cpan', '.cpanm', '.cpanplus', '.pydistutils.cfg', '.mambarc', '.mamba', '.spack', '.uv', '.pdm', '.hatch', '.n', '.nvs', '.nodeenv', '.jsvu', '.esvu',
    '.pnpm', '.bunfig.toml', '.rubies', '.rakerc', '.rake', '.railsrc', '.rspec', '.cocoapods', '.fastlane', '.nuget', '.omnisharp', '.antrc', '.ant', '.mavenrc',
    '.coursier', '.ammonite', '.groovy', '.grails', '.konan', '.leiningen', '.boot', '.opamrc', '.asdfrc', '.vfox', '.version-fox', '.gobrew', '.g', '.zvm', '.dub',
    '.vmodules', '.phpbrew', '.pear', '.wp-cli', '.rakudobrew', '.zef', '.rpmmacros', '.quiltrc', '.devscripts', '.sbuildrc', '.pbuilderrc', '.gbp.conf',
    '.makepkg.conf', '.vcpkg', '.emscripten', '.platformio', '.arduino15', '.espressif', '.dartServer', '.fvm', '.buckconfig', '.buckconfig.local', '.pylintrc',
    '.proverc', '.eslintrc', '.eslintrc.js', '.babelrc', '.ackrc', '.ripgreprc', '.latexmkrc', '.texmf', '.roswell', '.quicklisp', 'R/*-library', 'quicklisp',
    'common-lisp', 'texmf', 'Documents/MATLAB', 'Documents/PowerShell', 'Documents/WindowsPowerShell', 'go/pkg', 'miniconda', 'anaconda', 'miniconda2', 'anaconda2',
    'emsdk', 'depot_tools', 'spack', 'Android/Sdk',
  ),
  atHome('git and other version control, in every repository', '.gitconfig', '.hgrc', '.jjconfig.toml', '.subversion', '.bazaar', '.gitk', '.tigrc', '.git-templates', '.git_template', '.git_templates', '.gitconfig.local', '.gitconfig.d', '.gitalias', '.hgext', '.mrconfig', '.mrtrust', '.vcsh', '.yadm', '.homesick', '.rcrc', '.p4config', '.p4enviro'),
  atHome('SSH, GnuPG, remote logins: commands, programs for keys, who may log in', '.ssh', '.gnupg', '.rhosts', '.shosts', '.k5login', '.klogin', '.sshrc', '.ssh2', '.password-store', '.keychain', '.pki', '.putty', '.telnetrc'),
  atHome('editors, in every folder', '.vim', '.gvimrc', '.emacs', '.emacs.d', '.doom.d', '.spacemacs', '.nanorc', '.ideavimrc', '.vscode-server', '.vscode-oss', '.atom', '.vscode-insiders', '.vscode-remote', '.cursor-server', '.windsurf-server', '.vimrc.local', '.SpaceVim', '.SpaceVim.d', '.emacs.el', '.joerc', '.eclipse', '.vim_runtime', '.vimrc.bundles', '.vimrc.before', '.vimrc.after', '.lvim', '.virc', '.elvisrc', '.vilerc', '.gnus', '.gnus.el', '.emacs.elc', '.xemacs', '.spacemacs.d', '.doom-emacs', '.eshell', '.mg', '.jed', '.jedrc', '.zile', '.jstarrc', '.jmacsrc', '.jpicorc', '.rjoerc', '.kakrc', '.visrc', '.selected_editor', '.vscode-server-insiders', '.vscode-oss-dev', '.positron', '.positron-server', '.trae-server', '.zed_server', '.netbeans', '.jdtls', '.spyder-py3', '.thonny', '.rstudio', '.SciTEUser.properties', '.geany'),
  atHome('coding agents, in every folder', '.claude.json', '.codeium', '.lmstudio', '.aider', '.gptme', '.mcp', '.mcp-auth', '.openclaw', '.clawdbot', '.antigravity-server', '.interpreter'),
  atHome('terminals', '.tmux.conf', '.tmux', '.screenrc', '.wezterm.lua', '.hyper.js', '.byobu', '.urxvt', '.alacritty.yml', '.alacritty.toml', '.termux', '.tmux.conf.local', '.tmuxinator', '.tmuxp', '.tmuxifier', '.teamocil', '.smug', '.dvtmrc', '.hyper_plugins', '.minirc.dfl', '.kermrc', '.Eterm', '.mlterm'),
  atHome('interpreters, in every folder', '.psqlrc', '.sqliterc', '.ipython', '.jupyter', '.pythonrc', '.pythonrc.py', '.julia', '.ghc', '.lein', '.sbclrc', '.guile', '.my.cnf', '.mongorc.js', '.mongoshrc.js', '.duckdbrc', '.tclshrc', '.wishrc', '.clojure', '.racketrc', '.utoprc', '.swiplrc', '.gnuplot', '.maxima', '.sage', '.matlab', '.rdbgrc', '.rdbgrc.rb', '.gdbearlyinit', '.gdbinit.d', '.gef.rc', '.pwndbg', '.peda', '.lldb', '.cgdb', '.dbxrc', '.radare2rc', '.radare2rc.d', '.rizinrc', '.idapro', '.pdbrc.py', '.pudbrc', '.pythonstartup', '.pythonstartup.py', '.bpython', '.ptpython', '.eclrc', '.clisprc', '.clisprc.lisp', '.ccl-init.lisp', '.cmucl-init.lisp', '.abclrc', '.gclrc', '.clinit.cl', '.mkclrc', '.swank.lisp', '.slime', '.mitscheme', '.scheme', '.csirc', '.gambini', '.chezrc', '.hyrc', '.newlisprc', '.init.lsp', '.iex', '.coqrc', '.evcxr', '.bshrc', '.amm', '.psysh', '.gprc', '.giac', '.Macaulay2', '.singularrc', '.Mathematica', '.gnuplotrc', '.rootlogon.C', '.rootrc', '.tkconrc', '.expect.rc', '.gforthrc', '.mycli', '.myclirc', '.mongodb', '.usqlrc', '.hiverc', '.visidatarc'),
  atHome('clients of clouds and containers: programs for credentials, plugins', '.aws', '.azure', '.kube', '.docker', '.terraformrc', '.terraform.d', '.oci', '.krew', '.helm', '.minikube', '.ansible', '.ansible.cfg', '.vagrant.d', '.packer.d', '.colima', '.lima', '.boto', '.opentofu', '.tofurc', '.tfenv', '.k9s', '.cdk.json', '.vault', '.rd', '.orbstack', '.chef', '.distroboxrc'),
  atHome('browsers and mail programs: settings, add-ons, programs for what they open', '.mozilla', '.thunderbird', '.librewolf', '.w3m', '.elinks', '.lynxrc', '.waterfox', '.links', '.qutebrowser', '.surf', '.vimb', '.vimprobable', '.pentadactylrc', '.pentadactyl', '.vimperatorrc', '.vimperator', '.tridactylrc', '.dillo', '.claws-mail'),
  atHome('mail and downloads: filters, viewers, where files are written', '.forward', '.procmailrc', '.mailcap', '.muttrc', '.lessfilter', '.curlrc', '.wgetrc', '.mailrc', '.mutt', '.neomuttrc', '.pinerc', '.fetchmailrc', '.getmail', '.offlineimaprc', '.mbsyncrc', '.msmtprc', '.notmuch-config', '.urlview', '.netrc', '.lesskey', '.toprc', '.mpv', '.qmail', '.maildrop', '.mailfilter', '.dovecot.sieve', '.slrnrc', '.tin', '.newsbeuter', '.newsboat', '.elm', '.mh_profile', '.exmh', '.alpine', '.alot', '.sup', '.lbdb', '.vdirsyncer', '.imapfilter', '.getmailrc', '.esmtprc', '.notmuch', '.irssi', '.weechat', '.ircrc', '.epicrc', '.bitchxrc', '.tfrc', '.xchat2', '.hexchat', '.purple', '.mcabber', '.profanity', '.ncmpcpp', '.cmus', '.moc', '.mplayer', '.aria2', '.lftp', '.lftprc', '.ncftp', '.youtube-dl.conf', '.yt-dlp', '.yt-dlp.conf', '.rtorrent.rc', '.mc', '.vifm', '.vifmrc', '.ranger', '.lfrc', '.taskrc', '.task', '.timewarrior', '.todo.actions.d', '.unisonrc', '.unison', '.sxiv', '.zathurarc', '.xpdfrc', '.gimp', '.inkscape', '.blender', '.FreeCAD', '.openoffice', '.openoffice.org', '.libreoffice', '.lv2', '.ladspa'),
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

function byVariable(starts: string, ...patterns: readonly string[]): ProtectedFiles {
  return Object.freeze({ starts, patterns: Object.freeze(patterns), at: 'variable', liftedBy: 'operator' });
}

/**
 * The variables of these rows, without their `$`, and whether names below their value are meant: then the value is a list of
 * folders of code.
 */
export function namingVariables(): ReadonlyMap<string, boolean> {
  const patterns = PROTECTED_FILES.filter(({ at }) => at === 'variable').flatMap((files) => files.patterns);
  return new Map(patterns.map((pattern) => [variableOf(pattern), pattern.includes('/')]));
}

/** Of `$GOPATH/bin`, `GOPATH`. */
export function variableOf(pattern: string): string {
  return pattern.split('/', 1).join().slice(1);
}
