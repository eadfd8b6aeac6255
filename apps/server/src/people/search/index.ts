export { gramsToLookFor, readEntries, shortGramsOf, type SearchEntry } from './search-blocks.ts';
export { fillSearch, lockSearch, putIntoSearch, tokenOf } from './search-index.ts';
export { beginningOfName, foldCase, isInNoName, searchTextOf, wordsOf } from './search-text.ts';
