// What a rule says and we leave as it is. Each with the reason, which the report repeats; one that nothing needs any more
// is named at the end of a whole run.

/**
 * `rule`: of axe. `target`: matches one of the selectors of the element. `page`: matches the page of the state; everywhere
 * if absent.
 * @type {{rule: string, target?: RegExp, page?: RegExp, reason: string}[]}
 */
export const EXEMPTIONS = [];

/** The exemption of a violation at an element, or undefined. */
export function exemptionOf({ rule, target, page }, exemptions = EXEMPTIONS) {
  return exemptions.find(
    (one) => one.rule === rule && (!one.target || one.target.test(target)) && (!one.page || one.page.test(page)),
  );
}
