/** Something that is asked of the server from a menu. */
import { ApiError } from '../../api.ts';
import { toast } from '../../design/toasts.tsx';
import { t } from '../../i18n/index.ts';
import { said } from '../../i18n/said.ts';

/** Says what the server said, or that it did not answer. */
export async function attempt(action: Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action;
    if (done) toast(done);
    return true;
  } catch (problem) {
    toast((problem instanceof ApiError && said(problem, problem.message)) || t('chat.failed'));
    return false;
  }
}
