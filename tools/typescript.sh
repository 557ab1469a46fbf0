#!/bin/bash
# Type-checks the VS Code extension.  Without node there is nothing to check it with: then the command to type is named.
set -eu
cd "$(dirname "$0")/../editors/vscode"
[ -f package.json ] || exit 0
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "ompls: warning: the extension was not type-checked: there is no node; type 'sudo apt-get install -y nodejs npm'" >&2
    exit 0
fi
# What packages the extension (devDependencies) has 230 of 250 packages: checking and testing do without.
[ -d node_modules ] && [ node_modules -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --omit=dev
npm run --silent check
