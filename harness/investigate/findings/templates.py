"""The ends of `repro.py`, by what the finding shows: they call `ask`, compare, and set the exit status."""

HEAD = """
EXPECTED_NAMES = {names}
EXPECTED = {lines}
"""
COMPARE = """

def main():
    say(*ABOUT)
    say("expected:", *(f"  {line}" for line in (EXPECTED_NAMES, *EXPECTED)))
    try:
        names, kinds, lines = ask()
    except Exception as error:
        say("actual:", f"  {type(error).__name__}: {error}")
        {verdict}return {raised}
    say("actual:", *(f"  {line}" for line in (names, *lines)))
    say("types:", *(f"  {kind}" for kind in kinds))
    {aggregate}shows = {shows}
    print("the bug shows" if shows else "the bug does not show")
    return 1 if shows else 0


if __name__ == "__main__":
    sys.exit(main())
"""
ACCEPTS = """

def main():
    say(*ABOUT)
    print("expected: an error that says what is wrong in the file")
    try:
        names, kinds, lines = ask()
    except Exception as error:
        say("actual:", f"  {type(error).__name__}: {error}", "the bug does not show")
        return 0
    say("actual:", *(f"  {line}" for line in (names, *lines)))
    print("the bug shows")
    return 1


if __name__ == "__main__":
    sys.exit(main())
"""
ALONE_MAIN = """
SECONDS = {seconds}
MEGABYTES = {megabytes}  # of memory, from which on it is too much; 0: as much as there is
CPU = {cpu}  # seconds of CPU time, from which on it is too much; 0: any


def end(child):  # and all that it started
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def main():
    say(*ABOUT)
    print("expected: an answer or an error, within {seconds} s and bounds of memory")
    command = [sys.executable, os.path.abspath(__file__), "ask", *sys.argv[1:]]
    child = subprocess.Popen(command, start_new_session=True)
    try:
        status = child.wait(SECONDS)
    except subprocess.TimeoutExpired:
        end(child)
        print(f"actual: no answer within {SECONDS} s\\nthe bug shows")
        return 1
    except KeyboardInterrupt:
        end(child)
        raise
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    used, cpu = usage.ru_maxrss // 1024, usage.ru_utime + usage.ru_stime
    print(f"actual: exit status {status} (a signal if below 0), {used} MB of memory, {cpu:.1f} s of CPU time")
    shows = status not in (0, CLEAN) or 0 < MEGABYTES < used or 0 < CPU < cpu
    print("the bug shows" if shows else "the bug does not show")
    return 1 if shows else 0


CLEAN = 3  # an error that was raised

if __name__ == "__main__":
    if sys.argv[1:2] != ["ask"]:
        sys.exit(main())
    try:
        ask()
    except MemoryError:
        sys.exit(4)
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
        sys.exit(CLEAN)
"""
PANICS = """

def main():
    say(*ABOUT)
    print("expected: the values of the file, or an error that says what is wrong in it")
    try:
        ask()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        text = f"{type(error).__name__}: {error}"
        say("actual:", f"  {text}")
        shows = PANIC in text
        print("the bug shows" if shows else "the bug does not show")
        return 1 if shows else 0
    print("actual: an answer\\nthe bug does not show")
    return 0


PANIC = {name}

if __name__ == "__main__":
    sys.exit(main())
"""
UNSTABLE = """

def once():
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main():
    say(*ABOUT)
    print("expected: the same answer, whenever one asks")
    answers = [once() for _ in range({times})]
    different = [one for one in answers if one != answers[0]]
    say("actual:", *(f"  {answer}" for answer in (answers[0], *different[:1])))
    print("the bug shows" if different else "the bug does not show")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
"""
