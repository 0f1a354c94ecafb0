// What a rule says and we leave as it is. Each with the reason, which the report repeats; a whole run fails because of one
// that nothing needs any more.

/**
 * `rule`: of axe. `target`: matches the selector of the element. `page`: matches the page of the state. Absent ones match
 * everything.
 * @type {{rule: string, target?: RegExp, page?: RegExp, reason: string}[]}
 */
export const EXEMPTIONS = [];

/** The exemption of a violation at an element, or undefined. */
export function exemptionOf({ rule, target, page }, exemptions = EXEMPTIONS) {
  return exemptions.find(
    (one) => one.rule === rule && (!one.target || one.target.test(target)) && (!one.page || one.page.test(page)),
  );
}
