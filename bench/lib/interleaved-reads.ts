import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { wrk } from './load.ts';

/** A read: the path of the request, and its bearer token. */
export interface Read {
  readonly path: string;
  readonly bearer: string;
}

/** The time of one turn of a list. */
export interface Turn {
  readonly seconds: number;
  /** Processor time of the measured process. */
  readonly processorSeconds: number;
}

export interface InterleavedReads {
  readonly url: string;
  /**
   * Lists of reads. Each list is read from its beginning to its end again and again, some reads in each of its turns.
   */
  readonly lists: readonly (readonly Read[])[];
  readonly readsInTurn: number;
  readonly pid: number;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Reads lists in short turns, so that disturbances of the machine, which change from second to second, meet all lists
 * alike. Returns the turns of each list, in their order.
 */
export async function readInterleaved({ lists, readsInTurn, pid, ...load }: InterleavedReads): Promise<Turn[][]> {
  let clocks = '';
  await wrk(
    load,
    (folder) => {
      const noted = path.join(folder, 'clocks');
      const files = lists.map((reads, index) => {
        const file = path.join(folder, `list-${index}`);
        writeFileSync(file, reads.map(({ path: at, bearer }) => `${at} ${bearer}\n`).join(''));
        return file;
      });
      return lua(files, noted, readsInTurn, pid);
    },
    (folder) => {
      clocks = readFileSync(path.join(folder, 'clocks'), 'utf8');
    },
  );
  const turns = lists.map((): Turn[] => []);
  const rows = clocks
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  for (const [index, [wall = NaN, processor = NaN]] of rows.slice(0, -1).entries()) {
    const [nextWall = NaN, nextProcessor = NaN] = rows[index + 1] ?? [];
    turns[index % lists.length]?.push({ seconds: nextWall - wall, processorSeconds: nextProcessor - processor });
  }
  return turns;
}

/** Reads the clocks before each turn: the machine's, and the process's (clock_getcpuclockid(3)). */
function lua(files: readonly string[], noted: string, readsInTurn: number, pid: number): string {
  return `
local ffi = require('ffi')
ffi.cdef[[
  typedef struct { long seconds, nanoseconds; } moment;
  int clock_getcpuclockid(int pid, int *clock);
  int clock_gettime(int clock, moment *now);
]]
local MONOTONIC, process, now = 1, ffi.new('int[1]'), ffi.new('moment[1]')
assert(ffi.C.clock_getcpuclockid(${pid}, process) == 0)
local function seconds(clock)
  assert(ffi.C.clock_gettime(clock, now) == 0)
  return tonumber(now[0].seconds) + tonumber(now[0].nanoseconds) / 1e9
end
local noted, lists, turn, left = assert(io.open('${noted}', 'w')), {}, 0, 0
noted:setvbuf('line')
init = function()
  for index, file in ipairs({${files.map((file) => `'${file}'`).join(',')}}) do
    local requests = {}
    for line in io.lines(file) do
      local path, bearer = line:match('^(%S+) (%S+)$')
      requests[#requests + 1] = wrk.format('GET', path, { authorization = 'Bearer ' .. bearer })
    end
    lists[index] = { requests = requests, at = 0 }
  end
end
request = function()
  if left == 0 then
    noted:write(string.format('%.9f %.9f\\n', seconds(MONOTONIC), seconds(process[0])))
    turn, left = turn % #lists + 1, ${readsInTurn}
  end
  left = left - 1
  local list = lists[turn]
  list.at = list.at % #list.requests + 1
  return list.requests[list.at]
end
`;
}
