//! What is known of programs by their names: tables, and nothing else.

/// A file that a name without its ending may mean: `require("./check")`, `python -m check`.
pub(super) const ENDINGS: [&str; 36] = [
    "sh", "bash", "zsh", "fish", "py", "pyc", "pyo", "pyz", "js", "mjs", "cjs", "jsx", "ts", "mts",
    "cts", "tsx", "json", "node", "wasm", "rb", "pl", "pm", "pmc", "php", "lua", "ps1", "psm1",
    "bat", "cmd", "exe", "com", "so", "dylib", "dll", "go", "mk",
];

/// What a folder runs when it is given to an interpreter.
pub(super) const ENTRIES: [&str; 9] = [
    "__main__", "__init__", "index", "main", "mod", "package", "default", "deno", "Makefile",
];

/// Run what they are given after `-c`.
pub(super) const SHELLS: [&str; 14] = [
    "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "su", "tcsh",
    "yash", "zsh",
];

/// Their argument is where the next commands are.
pub(super) const CHANGE_FOLDER: [&str; 3] = ["cd", "chdir", "pushd"];

/// The word behind one of these is where the program goes first.
pub(super) const FOLDER_OPTIONS: [&str; 8] = [
    "-C",
    "--chdir",
    "--cwd",
    "--directory",
    "--dir",
    "--prefix",
    "--working-directory",
    "--workdir",
];

/// And is so only for these: others run what is in such a folder (`vitest --dir tests`).
pub(super) const FOLDER_PROGRAMS: [&str; 10] = [
    "cargo", "env", "git", "gmake", "make", "ninja", "npm", "pnpm", "tar", "yarn",
];

/// `make check`: the word behind them is the name of a task.
pub(super) const TASK_RUNNERS: [&str; 19] = [
    "bundle", "cargo", "composer", "dotnet", "git", "gmake", "go", "gradle", "just", "make", "mvn",
    "ninja", "nox", "npm", "pnpm", "rake", "task", "tox", "yarn",
];

/// `npm run build`: the word behind `run` is the name of a script.
pub(super) const SCRIPT_RUNNERS: [&str; 3] = ["npm", "pnpm", "yarn"];

/// List names that something else may run.
pub(super) const LISTERS: [&str; 7] = ["fd", "fdfind", "find", "ls", "parallel", "tree", "xargs"];

/// The words behind these are patterns for names at any depth.
pub(super) const NAME_TESTS: [&str; 2] = ["-name", "-iname"];

/// What a program reads by itself and runs, in the folder where it is or in one above. A name that
/// ends in `/` is a folder with all that is in it.
pub(super) const OWN_FILES: [(&[&str], &[&str]); 23] = [
    (
        &["make", "gmake", "nmake", "bmake"],
        &["GNUmakefile", "makefile", "Makefile", "BSDmakefile"],
    ),
    (&["just"], &["justfile", "Justfile", ".justfile", ".env"]),
    (
        &[
            "npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "corepack", "node", "nodejs", "tsx",
            "ts-node",
        ],
        &[
            "package.json",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".pnpmfile.cjs",
            "pnpm-workspace.yaml",
            ".pnp.cjs",
            ".pnp.loader.mjs",
            "tsconfig.json",
        ],
    ),
    (
        &["bun", "bunx"],
        &[
            "package.json",
            "bunfig.toml",
            "tsconfig.json",
            ".env",
            ".env.local",
        ],
    ),
    (
        &["deno"],
        &["deno.json", "deno.jsonc", "import_map.json", "package.json"],
    ),
    (
        &["cargo"],
        &[
            "Cargo.toml",
            "Cargo.lock",
            "build.rs",
            "src/",
            ".cargo/config",
            ".cargo/config.toml",
            "rust-toolchain",
            "rust-toolchain.toml",
        ],
    ),
    (
        &["rustc", "rustup", "rustfmt", "clippy-driver"],
        &[
            "rust-toolchain",
            "rust-toolchain.toml",
            ".cargo/config.toml",
        ],
    ),
    (
        &["go"],
        &["go.mod", "go.sum", "go.work", "vendor/modules.txt"],
    ),
    (
        &["rake", "bundle", "bundler", "ruby"],
        &[
            "Rakefile",
            "rakefile",
            "Rakefile.rb",
            "Gemfile",
            "Gemfile.lock",
            ".bundle/config",
            ".rspec",
        ],
    ),
    (
        &[
            "pytest",
            "py.test",
            "tox",
            "nox",
            "poetry",
            "pdm",
            "hatch",
            "uv",
            "uvx",
            "pipenv",
            "invoke",
            "inv",
            "fab",
            "pre-commit",
        ],
        &[
            "pyproject.toml",
            "pytest.ini",
            "tox.ini",
            "setup.cfg",
            "setup.py",
            "conftest.py",
            "noxfile.py",
            "tasks.py",
            "fabfile.py",
            "uv.toml",
            "Pipfile",
            ".pre-commit-config.yaml",
            ".env",
        ],
    ),
    (
        &[
            "eslint",
            "prettier",
            "jest",
            "vitest",
            "mocha",
            "vite",
            "webpack",
            "rollup",
            "tsc",
            "biome",
            "stylelint",
            "gulp",
            "grunt",
        ],
        &[
            "package.json",
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
            ".eslintrc",
            ".eslintrc.js",
            ".eslintrc.cjs",
            ".eslintrc.json",
            ".prettierrc",
            "prettier.config.js",
            "jest.config.js",
            "jest.config.ts",
            "vitest.config.ts",
            "vite.config.ts",
            "vite.config.js",
            ".mocharc.js",
            "webpack.config.js",
            "rollup.config.js",
            "biome.json",
            "gulpfile.js",
            "Gruntfile.js",
        ],
    ),
    (
        &["git"],
        &[
            ".git",
            ".git/config",
            ".git/hooks/",
            ".gitattributes",
            ".gitmodules",
        ],
    ),
    (&["direnv"], &[".envrc", ".env"]),
    (
        &["mise", "rtx", "asdf"],
        &["mise.toml", ".mise.toml", ".tool-versions"],
    ),
    (
        &["gradle", "gradlew"],
        &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gradle.properties",
            "gradle/wrapper/gradle-wrapper.properties",
            "gradle/wrapper/gradle-wrapper.jar",
        ],
    ),
    (&["mvn", "mvnw"], &["pom.xml", ".mvn/"]),
    (&["ant"], &["build.xml"]),
    (
        &["task"],
        &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"],
    ),
    (
        &["lefthook", "husky", "lint-staged", "overcommit"],
        &[
            "lefthook.yml",
            ".lefthook.yml",
            ".husky/",
            ".lintstagedrc",
            "package.json",
            ".overcommit.yml",
        ],
    ),
    (
        &["docker", "docker-compose", "podman"],
        &[
            "Dockerfile",
            "docker-compose.yml",
            "compose.yaml",
            "compose.yml",
            ".env",
        ],
    ),
    (
        &["cmake", "ninja", "meson", "scons", "bazel", "buck2"],
        &[
            "CMakeLists.txt",
            "CMakePresets.json",
            "build.ninja",
            "meson.build",
            "SConstruct",
            "BUILD",
            "WORKSPACE",
            ".bazelrc",
        ],
    ),
    (
        &["nix", "nix-shell", "nix-build"],
        &["flake.nix", "flake.lock", "shell.nix", "default.nix"],
    ),
    (
        &[
            "composer", "mix", "rebar3", "stack", "cabal", "dune", "sbt", "lein", "dotnet",
            "swift", "zig",
        ],
        &[
            "composer.json",
            "mix.exs",
            "rebar.config",
            "stack.yaml",
            "cabal.project",
            "dune-project",
            "build.sbt",
            "project.clj",
            "global.json",
            "Package.swift",
            "build.zig",
        ],
    ),
];

/// Programs that look for other programs in these folders of a project.
pub(super) const OWN_FOLDERS: [(&[&str], &[&str]); 2] = [
    (
        &["npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx"],
        &["node_modules/.bin"],
    ),
    (&["node", "nodejs", "tsx", "ts-node"], &["node_modules"]),
];

/// Read from the home folder by a shell that starts; they matter where the project holds it.
pub(super) const HOME_FILES: [&str; 12] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshenv",
    ".zshrc",
    ".zprofile",
    ".npmrc",
    ".gitconfig",
    ".config/fish/config.fish",
    ".pythonrc",
    ".cargo/config.toml",
];

/// Belong to the system: changed by its updates, and by nobody without its rights.
pub(super) const SYSTEM_FOLDERS: [&str; 11] = [
    "/bin",
    "/dev",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/System",
];
/// Not of the system, though it lies there.
pub(super) const USER_FOLDERS: [&str; 4] =
    ["/dev/mqueue", "/dev/shm", "/System/Volumes", "/usr/local"];

/// What a program is called, wherever it stands and whatever its version: `/usr/bin/python3.11`.
pub(super) fn program(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let short = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    if short.is_empty() {
        name.to_owned()
    } else {
        short.to_owned()
    }
}
