"""The command on files of results, and files of rows."""

import json

import pytest

from plancheck import cli


@pytest.fixture
def compare(monkeypatch, capsys):
    """Runs the command; gives its exit status and what it printed."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["plancheck", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture
def figures(compare):
    def run(*arguments):
        status, out, err = compare(*arguments, "--json")
        assert status == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def results(tmp_path):
    """Writes rows as JSON Lines; gives the path."""

    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write
