#!/usr/bin/env node
// Runs `ket` from the PATH, on any Node from 16 on, as every command of the project (see script/bootstrap.cjs).
'use strict';
process.argv.splice(2, 0, 'apps/cli/src/main.ts');
require('../../../script/bootstrap.cjs');
