# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives a real Chromium through its DevTools protocol, with nothing but Python's own library.

    with Browser() as browser:
        page = browser.open('/tmp/report.html', width=1280)
        assert page.value('document.title') == 'title'
        page.press('/')
        assert page.complaints == []

Chromium reads commands from its file descriptor 3 and writes answers and events to 4 (option
--remote-debugging-pipe): JSON objects, each ended by a NUL byte. No port is opened.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ('chromium', 'chromium-browser', 'google-chrome', 'headless_shell')
OPTIONS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
           '--no-first-run', '--disable-extensions', '--disable-background-networking',
           '--hide-scrollbars', '--remote-debugging-pipe')
# Keys that are no characters: their code in Windows, and the text that they type.
KEYS = {'Enter': (13, '\r'), 'Escape': (27, None), 'Tab': (9, None), 'ArrowUp': (38, None),
        'ArrowDown': (40, None), 'ArrowLeft': (37, None), 'ArrowRight': (39, None),
        'Home': (36, None), 'End': (35, None), 'PageUp': (33, None), 'PageDown': (34, None),
        'Backspace': (8, None)}
DEADLINE_SECONDS = 60


class BrowserError(Exception):
    """The browser ended, did not answer, or a script in the page failed."""


def find_program():
    """Returns the path of a Chromium, or None."""
    for name in PROGRAMS:
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """A Chromium with an empty profile; it ends with the block."""

    def __init__(self, program=None):
        self.program = program or find_program()
        self.number = 0
        self.answers = {}
        self.pages = {}
        self.rest = b''

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix='browser-')
        commands_read, self.commands = os.pipe()
        self.events, events_write = os.pipe()

        def give_pipes():
            # Both are moved out of the way first: they may be 3 or 4 themselves.
            reads, writes = os.dup(commands_read), os.dup(events_write)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [self.program, *OPTIONS, f'--user-data-dir={self.profile}', 'about:blank'],
            preexec_fn=give_pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(commands_read)
        os.close(events_write)
        return self

    def __exit__(self, *_):
        try:
            self.command('Browser.close')
            self.process.wait(10)
        except (BrowserError, subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.events)
        shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, method, session=None, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        number = self.number
        message = {'id': number, 'method': method, 'params': parameters}
        if session:
            message['sessionId'] = session
        os.write(self.commands, json.dumps(message).encode() + b'\0')
        deadline = time.monotonic() + DEADLINE_SECONDS
        while number not in self.answers:
            self.read_events(deadline - time.monotonic())
            if time.monotonic() > deadline:
                raise BrowserError(f'no answer to {method}')
        answer = self.answers.pop(number)
        if 'error' in answer:
            raise BrowserError(f'{method}: {answer["error"]["message"]}')
        return answer['result']

    def read_events(self, seconds):
        """Takes what the browser has sent, and waits for it at most so long."""
        if not select.select([self.events], [], [], max(0, seconds))[0]:
            return
        data = os.read(self.events, 1 << 20)
        if not data:
            raise BrowserError('the browser ended')
        *messages, self.rest = (self.rest + data).split(b'\0')
        for message in map(json.loads, messages):
            if 'id' in message:
                self.answers[message['id']] = message
            elif message.get('sessionId') in self.pages:
                self.pages[message['sessionId']].event(message['method'], message['params'])

    def open(self, path, width=1280, height=900, dark=False, script=True):
        """Opens a file in a page of this size, and returns it when it is loaded."""
        target = self.command('Target.createTarget', url='about:blank')['targetId']
        session = self.command('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        page = Page(self, target, session)
        self.pages[session] = page
        page.prepare(width, height, dark, script)
        page.load(pathlib.Path(path).resolve().as_uri())
        return page


class Page:
    """A page of the browser. What it should never do is in complaints: messages and errors of
    scripts, requests other than for the page itself, and violations of its security policy."""

    def __init__(self, browser, target, session):
        self.browser = browser
        self.target = target
        self.session = session
        self.complaints = []
        self.loaded = False
        self.address = None

    def command(self, method, **parameters):
        return self.browser.command(method, self.session, **parameters)

    def prepare(self, width, height, dark, script):
        for domain in ('Page', 'Runtime', 'Log', 'Network', 'Audits'):
            self.command(f'{domain}.enable')
        self.resize(width, height)
        self.prefer(dark)
        if not script:
            self.command('Emulation.setScriptExecutionDisabled', value=True)

    def event(self, method, parameters):
        if method == 'Page.loadEventFired':
            self.loaded = True
        elif method == 'Runtime.exceptionThrown':
            self.complaints.append(f'exception: {parameters["exceptionDetails"]}')
        elif method == 'Runtime.consoleAPICalled':
            self.complaints.append(f'console: {parameters["args"]}')
        elif method == 'Log.entryAdded':
            self.complaints.append(f'log: {parameters["entry"]["text"]}')
        elif method == 'Audits.issueAdded':
            issue = parameters['issue']
            # What may be better about a form is no error.
            if issue['code'] != 'GenericIssue':
                self.complaints.append(f'issue: {issue}')
        elif method == 'Network.requestWillBeSent':
            if parameters['request']['url'] != self.address:
                self.complaints.append(f'request: {parameters["request"]["url"]}')
        elif method == 'Page.javascriptDialogOpening':
            self.complaints.append(f'dialog: {parameters["message"]}')

    def load(self, address):
        self.address = address.split('#')[0]
        self.loaded = False
        self.command('Page.navigate', url=address)
        self.wait(lambda: self.loaded, 'the page to load')

    def wait(self, condition, what, seconds=DEADLINE_SECONDS):
        """Waits until condition() is true."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise BrowserError(f'waited in vain for {what}')
            self.browser.read_events(0.02)

    def wait_for(self, expression, seconds=DEADLINE_SECONDS):
        """Waits until a JavaScript expression is true."""
        self.wait(lambda: self.value(expression), expression, seconds)

    def value(self, expression):
        """Returns the value of a JavaScript expression."""
        result = self.command('Runtime.evaluate', expression=expression, returnByValue=True,
                              awaitPromise=True)
        if 'exceptionDetails' in result:
            details = result['exceptionDetails']
            raise BrowserError(details.get('exception', {}).get('description', details['text']))
        return result['result'].get('value')

    def press(self, key, modifiers=0):
        """Presses a key: a name of KEYS, or a character."""
        code, typed = KEYS.get(key, (0, key))
        event = {'key': key, 'windowsVirtualKeyCode': code, 'modifiers': modifiers}
        if typed:
            event['text'] = typed
        self.command('Input.dispatchKeyEvent', type='keyDown', **event)
        self.command('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)

    def type(self, typed):
        """Enters a text at once: on a slow machine, the page would see parts of it."""
        self.command('Input.insertText', text=typed)

    def mouse(self, kind, x, y, **more):
        self.command('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, selector):
        """Clicks in the middle of the first element of a CSS selector."""
        place = self.value('(() => { const node = document.querySelector('
                           f'{json.dumps(selector)}); node.scrollIntoView({{block: "center"}});'
                           'const box = node.getBoundingClientRect();'
                           'return [box.x + box.width / 2, box.y + box.height / 2]; })()')
        self.click_at(*place)

    def click_at(self, x, y):
        self.mouse('mouseMoved', x, y)
        for kind in ('mousePressed', 'mouseReleased'):
            self.mouse(kind, x, y, button='left', clickCount=1)

    def resize(self, width, height):
        self.command('Emulation.setDeviceMetricsOverride', width=width, height=height,
                     deviceScaleFactor=1, mobile=False)

    def prefer(self, dark, media=''):
        """Sets what the device prefers, and the medium: 'print', or '' for a screen."""
        scheme = 'dark' if dark else 'light'
        self.command('Emulation.setEmulatedMedia', media=media,
                     features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def screenshot(self, path, whole=False):
        """Writes a PNG of what is seen, or of the whole page."""
        image = self.command('Page.captureScreenshot', captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(image['data']))

    def pdf(self, path):
        """Prints the page."""
        document = self.command('Page.printToPDF', printBackground=True)
        pathlib.Path(path).write_bytes(base64.b64decode(document['data']))

    def close(self):
        self.browser.pages.pop(self.session, None)
        self.browser.command('Target.closeTarget', targetId=self.target)
