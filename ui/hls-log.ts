/** Takes out of the sources of hls.js what it writes to its log. */
import { parseAst } from 'vite';

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const LOG_CALL = /^(?:this|(?:this\.)?(?:hls\??\.)?logger|defaultLogger)\??\.(?:trace|debug|log|info|warn|error)\(/;

/** Where statements are that only write to its log. */
function logStatements(node: unknown, code: string, found: Node[] = []): Node[] {
  if (Array.isArray(node)) {
    for (const one of node) logStatements(one, code, found);
    return found;
  }
  if (typeof node !== 'object' || node === null) return found;
  const one = node as Node;
  if (one.type === 'ExpressionStatement' && LOG_CALL.test(code.slice(one.start, one.end))) {
    const { expression } = one as unknown as { expression: Node };
    // `this.log(…) || more` is none.
    if (expression.type === 'CallExpression' || expression.type === 'ChainExpression') {
      found.push(one);
      return found;
    }
  }
  for (const value of Object.values(one)) logStatements(value, code, found);
  return found;
}

export function withoutLog(code: string): string {
  let shorter = code;
  for (const { start, end } of logStatements(parseAst(code), code).reverse()) {
    shorter = `${shorter.slice(0, start)};${shorter.slice(end)}`;
  }
  return shorter;
}
