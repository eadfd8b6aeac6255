import { FeelSyntaxError } from '../errors.ts';
import { parseTemporal } from '../temporal/parse.ts';
import { negate, parseNumber } from '../values/number.ts';
import type { FeelNumber } from '../values/value.ts';
import { domainsOf } from './analysis.ts';
import type { BinaryOperator, Entry, Iterator, Node, Parameter, Relation } from './ast.ts';
import { Names, RESERVED } from './names.ts';
import { NameCursor } from './names-in-source.ts';
import { LONGEST_SOURCE, syntaxError } from './source.ts';

const RELATIONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=']);
/** Names of properties with spaces (DMN 1.5, tables 60 and 63). */
const PROPERTIES = ['time offset', 'start included', 'end included'];
/** Number of times that `[` after the end of a range is tried as a filter. Then it is taken as the range's bracket. */
const MOST_TRIES = 100;
const OPERATORS: readonly ReadonlySet<string>[] = [new Set(['+', '-']), new Set(['*', '/']), new Set(['**'])];

/** Names known from outside: those with spaces or signs in them, and the functions that can be called. */
export interface Known {
  names: Iterable<string>;
  functions: Iterable<string>;
  /** More of them, as they are the same for every expression. */
  base?: Names;
}

/** Parses an expression. Throws `FeelSyntaxError`. */
export function parseExpression(source: string, known: Known): Node {
  return parserOf(source, known).wholeExpression();
}

/** Parses the unary tests of a decision table: `-`, tests after commas, or `not(…)` around them. */
export function parseUnaryTests(source: string, known: Known): Node {
  return parserOf(source, known).wholeTests();
}

function parserOf(source: string, known: Known): Parser {
  if (source.length > LONGEST_SOURCE) {
    throw syntaxError(
      source,
      `The expression is longer than ${LONGEST_SOURCE} characters`,
      LONGEST_SOURCE,
      source.length,
    );
  }
  return new Parser(source, new Names([...PROPERTIES, ...known.names], known.functions, known.base));
}

/** A recursive descent, with the precedence of DMN 1.5, grammar rules 1 to 4, and Camunda's of `instance of`. */
class Parser extends NameCursor {
  #tries = 0;
  #atRangeEnd = false;

  wholeExpression(): Node {
    const node = this.#expression();
    this.#expectEnd();
    return node;
  }

  wholeTests(): Node {
    const from = this.token.from;
    if (this.isSymbol('-') && this.peek(1).kind === 'end') {
      this.take();
      return this.node({ kind: 'tests', tests: [], negated: false }, from, []);
    }
    const negated = this.isWord('not') && this.isSymbol('(', 1);
    if (negated) this.at += 2;
    const tests = this.#tests();
    if (negated) this.expectSymbol(')');
    this.#expectEnd();
    return this.node({ kind: 'tests', tests, negated }, from, tests);
  }

  #expectEnd(): void {
    if (this.token.kind === 'end') return;
    const before = this.tokens[this.at - 1];
    if (before?.kind === 'name' && before.text === 'not') throw this.unexpected('"(" after not');
    if (before?.kind === 'name' && this.token.kind === 'name') {
      throw this.error(
        `"${before.text} ${this.token.text}" is not a known name; put a name with spaces into back-ticks`,
        before.from,
        this.token.to,
      );
    }
    throw this.unexpected('an operator or the end of the expression');
  }

  #expression(): Node {
    const outer = this.#atRangeEnd;
    this.#atRangeEnd = false;
    try {
      return this.nested(() => this.#disjunction());
    } finally {
      this.#atRangeEnd = outer;
    }
  }

  #disjunction(): Node {
    let left = this.#conjunction();
    while (this.skipWord('or')) {
      const right = this.#conjunction();
      left = this.node({ kind: 'or', left, right }, left.from, [left, right]);
    }
    return left;
  }

  #conjunction(): Node {
    let left = this.#comparison();
    while (this.skipWord('and')) {
      const right = this.#comparison();
      left = this.node({ kind: 'and', left, right }, left.from, [left, right]);
    }
    return left;
  }

  #comparison(): Node {
    let left = this.#arithmetic(0);
    for (;;) {
      const next = this.#comparisonWith(left);
      if (!next) return left;
      left = next;
    }
  }

  #comparisonWith(left: Node): Node | null {
    const relation = this.#relation();
    if (relation) {
      const right = this.#arithmetic(0);
      return this.node({ kind: 'binary', operator: relation, left, right }, left.from, [left, right]);
    }
    if (this.skipWord('between')) return this.#between(left);
    if (this.skipWord('in')) return this.#in(left);
    if (this.isWord('instance') && this.isWord('of', 1)) {
      this.at += 2;
      return this.node({ kind: 'instance', value: left, type: this.type() }, left.from, [left]);
    }
    return null;
  }

  #relation(): Relation | null {
    if (this.token.kind !== 'symbol' || !RELATIONS.has(this.token.text)) return null;
    return this.take().text as Relation;
  }

  #between(value: Node): Node {
    const low = this.#arithmetic(0);
    this.expectWord('and');
    const high = this.#arithmetic(0);
    return this.node({ kind: 'between', value, low, high }, value.from, [value, low, high]);
  }

  #in(value: Node): Node {
    const tests = this.isSymbol('(') ? this.#testsInParentheses() : [this.#test(() => this.#arithmetic(0))];
    return this.node({ kind: 'in', value, tests }, value.from, [value, ...tests]);
  }

  /** `(1, > 5)`, or a range that begins with a parenthesis. */
  #testsInParentheses(): Node[] {
    const from = this.take().from;
    const tests = this.#tests();
    const [first] = tests;
    if (tests.length === 1 && first && this.skipSymbol('..')) return [this.#rangeFrom(first, false, from)];
    this.expectSymbol(')');
    return tests;
  }

  #tests(): Node[] {
    const tests: Node[] = [];
    do tests.push(this.#test(() => this.#expression()));
    while (this.skipSymbol(','));
    return tests;
  }

  #test(rule: () => Node): Node {
    const from = this.token.from;
    const relation = this.#relation();
    if (!relation) return rule();
    const operand = this.#arithmetic(0);
    return this.node({ kind: 'test', relation, operand }, from, [operand]);
  }

  #arithmetic(level: number): Node {
    const operators = OPERATORS[level];
    if (!operators) return this.#unary();
    let left = this.#arithmetic(level + 1);
    while (this.token.kind === 'symbol' && operators.has(this.token.text)) {
      const operator = this.take().text as BinaryOperator;
      const right = this.#arithmetic(level + 1);
      left = this.node({ kind: 'binary', operator, left, right }, left.from, [left, right]);
    }
    return left;
  }

  #unary(): Node {
    const from = this.token.from;
    if (!this.skipSymbol('-')) return this.#postfix();
    return this.nested(() => {
      const operand = this.#unary();
      if (operand.kind === 'constant' && typeof operand.value === 'number') {
        return this.node({ kind: 'constant', value: negate(operand.value) }, from, []);
      }
      return this.node({ kind: 'negate', operand }, from, [operand]);
    });
  }

  #postfix(): Node {
    let of = this.#primary();
    for (;;) {
      if (this.skipSymbol('.')) of = this.node({ kind: 'path', of, name: this.property() }, of.from, [of]);
      else if (this.isSymbol('(')) of = this.#call(of);
      else if (this.isSymbol('[')) {
        const filtered = this.#atRangeEnd ? this.#tryFilter(of) : this.#filter(of);
        if (!filtered) return of;
        of = filtered;
      } else return of;
    }
  }

  #filter(of: Node): Node {
    this.expectSymbol('[');
    const by = this.#test(() => this.#expression());
    this.expectSymbol(']');
    return this.node({ kind: 'filter', of, by }, of.from, [of, by]);
  }

  /** In `[1..3[` the last bracket ends the range, in `[1..a[1]]` it does not. */
  #tryFilter(of: Node): Node | null {
    const at = this.at;
    if (++this.#tries > MOST_TRIES) throw this.unexpected('")" or "]" at the end of a range');
    try {
      return this.#filter(of);
    } catch (error) {
      if (!(error instanceof FeelSyntaxError)) throw error;
      this.at = at;
      return null;
    }
  }

  #call(callee: Node): Node {
    this.expectSymbol('(');
    const args: Node[] = [];
    const names: string[] = [];
    this.until(')', () => {
      const name = this.argumentName();
      if (name !== null) names.push(name);
      args.push(this.#expression());
    });
    if (names.length > 0 && names.length < args.length) {
      throw this.error('Either all arguments have names or none', callee.from, this.token.from);
    }
    const named = names.length > 0 ? names : null;
    return this.node({ kind: 'call', callee, args, names: named }, callee.from, [callee, ...args]);
  }

  #primary(): Node {
    const { kind, from, text } = this.token;
    if (kind === 'number') return this.#number();
    if (kind === 'string') return this.#constant(this.take().text, from);
    if (kind === 'quoted name') return this.node({ kind: 'name', name: this.take().text }, from, []);
    if (kind === 'name') return this.#word();
    if (kind === 'symbol') {
      if (text === '(') return this.#parenthesis();
      if (text === '[') return this.#bracket();
      if (text === ']') return this.#openRange();
      if (text === '{') return this.#context();
      if (text === '@') return this.#temporal();
      if (text === '?') return this.node({ kind: 'name', name: this.take().text }, from, []);
    }
    throw this.unexpected('a value');
  }

  #constant(value: FeelNumber | string | boolean | null, from: number): Node {
    return this.node({ kind: 'constant', value }, from, []);
  }

  #number(): Node {
    const { text, from, to } = this.take();
    const value = parseNumber(text);
    if (value === null) throw this.error('The number is out of range', from, to);
    if (this.token.kind === 'name' && this.token.from === to) throw this.unexpected('an operator after the number');
    return this.#constant(value, from);
  }

  #temporal(): Node {
    const { from } = this.take();
    if (this.token.kind !== 'string') throw this.unexpected('a text such as "2030-01-31" after "@"');
    const text = this.take().text;
    const value = parseTemporal(text);
    if (value) return this.node({ kind: 'constant', value }, from, []);
    const callee = this.node({ kind: 'name', name: '@' }, from, []);
    const args = [this.#constant(text, from)];
    return this.node({ kind: 'call', callee, args, names: null }, from, args);
  }

  #word(): Node {
    const { text, from } = this.token;
    const known = this.names.match(this.tokens, this.at);
    if (known) {
      this.at += known.length;
      return this.node({ kind: 'name', name: known.name }, from, []);
    }
    switch (text) {
      case 'true':
      case 'false':
        this.take();
        return this.#constant(text === 'true', from);
      case 'null':
        this.take();
        return this.#constant(null, from);
      case 'if':
        return this.#if();
      case 'for':
        return this.#for();
      case 'some':
      case 'every':
        if (this.peek(1).kind === 'symbol' || this.peek(1).kind === 'end') break;
        return this.#quantified(text);
      case 'function':
        return this.#function();
      default:
        break;
    }
    if (RESERVED.has(text) && !this.isSymbol('(', 1)) throw this.unexpected('a value');
    this.take();
    return this.node({ kind: 'name', name: text }, from, []);
  }

  #if(): Node {
    const { from } = this.take();
    const condition = this.#expression();
    this.expectWord('then');
    const consequence = this.#expression();
    this.expectWord('else');
    const otherwise = this.#expression();
    return this.node({ kind: 'if', condition, consequence, otherwise }, from, [condition, consequence, otherwise]);
  }

  #for(): Node {
    const { from } = this.take();
    const iterators = this.#iterators();
    this.expectWord('return');
    const body = this.#expression();
    return this.node({ kind: 'for', iterators, body }, from, [...domainsOf(iterators), body]);
  }

  #quantified(kind: 'some' | 'every'): Node {
    const { from } = this.take();
    const iterators = this.#iterators();
    this.expectWord('satisfies');
    const condition = this.#expression();
    return this.node({ kind, iterators, condition }, from, [...domainsOf(iterators), condition]);
  }

  #iterators(): Iterator[] {
    const iterators: Iterator[] = [];
    do {
      const name = this.boundName('in');
      this.expectWord('in');
      const domain = this.#expression();
      iterators.push({ name, domain, end: this.skipSymbol('..') ? this.#expression() : null });
    } while (this.skipSymbol(','));
    return iterators;
  }

  #function(): Node {
    const { from } = this.take();
    const parameters: Parameter[] = [];
    this.expectSymbol('(');
    this.until(')', () => {
      const name = this.boundName();
      parameters.push({ name, type: this.skipSymbol(':') ? this.type() : null });
    });
    if (this.isWord('external')) throw this.unexpected('an expression; external functions are not supported');
    const body = this.#expression();
    return this.node({ kind: 'function', parameters, body }, from, [body]);
  }

  #parenthesis(): Node {
    const { from } = this.take();
    const inner = this.#test(() => this.#expression());
    if (inner.kind !== 'test' && this.skipSymbol('..')) return this.#rangeFrom(inner, false, from);
    this.expectSymbol(')');
    return inner;
  }

  #bracket(): Node {
    const { from } = this.take();
    const items: Node[] = [];
    if (!this.isSymbol(']')) {
      const first = this.#expression();
      if (this.skipSymbol('..')) return this.#rangeFrom(first, true, from);
      items.push(first);
      while (this.skipSymbol(',')) items.push(this.#expression());
    }
    this.expectSymbol(']');
    return this.node({ kind: 'list', items }, from, items);
  }

  #openRange(): Node {
    const { from } = this.take();
    const start = this.#expression();
    this.expectSymbol('..');
    return this.#rangeFrom(start, false, from);
  }

  /** The rest of a range after its dots. */
  #rangeFrom(start: Node, startIncluded: boolean, from: number): Node {
    const outer = this.#atRangeEnd;
    this.#atRangeEnd = true;
    const end = this.nested(() => this.#arithmetic(0));
    this.#atRangeEnd = outer;
    const endIncluded = this.isSymbol(']');
    if (!endIncluded && !this.isSymbol(')') && !this.isSymbol('[')) throw this.unexpected('")" or "]"');
    this.take();
    return this.node({ kind: 'range', start, startIncluded, end, endIncluded }, from, [start, end]);
  }

  #context(): Node {
    const { from } = this.take();
    const entries: Entry[] = [];
    this.until('}', () => {
      const key = this.key();
      this.expectSymbol(':');
      entries.push({ key, value: this.#expression() });
    });
    return this.node(
      { kind: 'context', entries },
      from,
      entries.map((entry) => entry.value),
    );
  }
}
