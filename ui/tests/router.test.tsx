import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Link, navigate, pathname, routeBelow, useHistory } from '../src/router.tsx';

beforeEach(() => navigate('/admin/', 'replace'));
afterEach(cleanup);

describe('routes', () => {
  test.each([
    ['/admin', ''],
    ['/admin/', ''],
    ['/admin/logs', 'logs'],
    ['/admin/config/general/', 'config/general'],
  ])('%s is the page "%s"', (address, route) => {
    expect(routeBelow('/admin', address)).toBe(route);
  });
});

describe('a link', () => {
  const showLink = () => render(() => <Link href="/admin/logs">Logs</Link>);

  test('changes the address without loading a page and then marks itself as current', () => {
    showLink();
    const link = screen.getByText('Logs');
    expect(link.getAttribute('aria-current')).toBeNull();
    expect(fireEvent.click(link)).toBe(false);
    expect(location.pathname).toBe('/admin/logs');
    expect(pathname()).toBe('/admin/logs');
    expect(link.getAttribute('aria-current')).toBe('page');
  });

  test('leaves a click with a modifier to the browser', () => {
    showLink();
    const link = screen.getByText('Logs');
    // jsdom would try to follow it.
    link.addEventListener('click', (event) => event.preventDefault());
    fireEvent.click(link, { ctrlKey: true });
    expect(pathname()).toBe('/admin/');
  });
});

test('the back button is followed', async () => {
  render(() => {
    useHistory();
    return <p>{pathname()}</p>;
  });
  navigate('/admin/logs');
  expect(screen.getByText('/admin/logs')).toBeTruthy();
  history.back();
  expect(await screen.findByText('/admin/')).toBeTruthy();
});

test('replacing drops the fragment, so a token does not stay in the address', () => {
  history.replaceState(null, '', '/admin/setup#secret');
  navigate('/admin/', 'replace');
  expect(location.href).toBe('http://localhost/admin/');
});
