// Writes ui/src/api-types.d.ts from docs/openapi.json: one TypeScript type per named shape.
//
//   node scripts/api-types.mjs           write it
//   node scripts/api-types.mjs --check   fail when it is not in step
import { readFileSync, writeFileSync } from 'node:fs';

const SOURCE = new URL('../docs/openapi.json', import.meta.url);
const TARGET = new URL('../ui/src/api-types.d.ts', import.meta.url);

const HEAD = `/**
 * The shapes of the API's documents.
 *
 * Made from docs/openapi.json by scripts/api-types.mjs; a test keeps it in step.
 */
`;

/** What a schema is in TypeScript. */
function typeOf(schema, indent) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return union(alternatives.map((one) => typeOf(one, indent)));
  if (schema.allOf) return schema.allOf.map((one) => typeOf(one, indent)).join(' & ');
  if (schema.enum) return union(schema.enum.map(quoted));
  const names = [schema.type ?? 'any'].flat();
  return union(names.map((name) => named(name, schema, indent)));
}

function named(name, schema, indent) {
  switch (name) {
    case 'string':
    case 'boolean':
    case 'null':
      return name;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}, indent));
    case 'object':
      return object(schema, indent);
    default:
      return 'unknown';
  }
}

function arrayOf(type) {
  return /[|&]/.test(type) && !type.startsWith('{') ? `(${type})[]` : `${type}[]`;
}

/** `null` last, as people write it. */
function union(types) {
  const unique = [...new Set(types)];
  return [...unique.filter((type) => type !== 'null'), ...unique.filter((type) => type === 'null')].join(' | ');
}

function quoted(value) {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function object(schema, indent) {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) {
    const values = schema.additionalProperties;
    return values && values !== true ? `Record<string, ${typeOf(values, indent)}>` : 'Record<string, unknown>';
  }
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
    return `${comment(about(property), inner)}${inner}${key}${mark}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

/** Of a shape that may also be `null`, the description stands beside the reference. */
function about(schema) {
  return schema.description ?? schema.oneOf?.find((one) => one.description)?.description;
}

function comment(text, indent) {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** The whole file. */
export function typesFor(document) {
  const shapes = Object.entries(document.components.schemas);
  const types = shapes.map(([name, schema]) => {
    const type = typeOf(schema, '');
    const isInterface = schema.properties !== undefined && schema.type === 'object';
    const declared = isInterface ? `interface ${name} ${type}` : `type ${name} = ${type};`;
    return `\n${comment(schema.description, '')}export ${declared}\n`;
  });
  return HEAD + types.join('');
}

const made = typesFor(JSON.parse(readFileSync(SOURCE, 'utf8')));
if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== made) {
    console.error('ui/src/api-types.d.ts is not in step with docs/openapi.json; run: node scripts/api-types.mjs');
    process.exit(1);
  }
} else {
  writeFileSync(TARGET, made);
}
