import { startRunner } from '../client/start-runner.ts';
import { placesOf } from '../places.ts';
import { runnerVersion } from '../version.ts';

// Starts the runner of a data folder from within whatever surroundings this process was given, and ends.
startRunner(placesOf(process.argv[2] ?? ''), runnerVersion());
