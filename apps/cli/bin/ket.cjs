#!/usr/bin/env node
// `ket` for the PATH: runs on any Node from 16 on, like every command of the project (see script/bootstrap.cjs).
'use strict';
process.argv.splice(2, 0, 'apps/cli/src/main.ts');
require('../../../script/bootstrap.cjs');
