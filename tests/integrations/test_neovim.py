"""Neovim without a screen: a mistake is shown, the action fixes it, and the signs beside the lines turn green."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]
GOOD = """operator Foo version 1 user
types int = int8
input X : tensor of T
output Y : tensor of T
[C1] constraint "X has an axis" : rank(X) >= 1
[E1] error "X has none" : when C1 fails
shape Y = X.shape
value Y[i] = X[i]
"""
# What somebody does at the keyboard, with the time that a busy machine may take.
SCRIPT = """
local said = {}
local function wait_for(what, held)
  if not vim.wait(120000, held, 50) then
    io.stderr:write("not so after two minutes: " .. what .. "\\n" .. vim.inspect(vim.diagnostic.get(0)))
    vim.cmd("cquit")
  end
end
local function signs()
  return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()["sonnx-verify"], 0, -1, {})
end
local function states()
  local found = {}
  for _, line in ipairs(require("sonnx-verify").verdicts(0)) do
    found[tostring(line.range.start.line + 1)] = line.state
  end
  return found
end
local function all_proved()
  return vim.tbl_count(states()) == 5 and #vim.tbl_filter(function(s) return s ~= "proved" end, states()) == 0
end
vim.ui.select = function(items, _, choose)
  choose(items[1], 1)
end

vim.cmd("edit foo.sonnx")
wait_for("a diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
local first = vim.diagnostic.get(0)[1]
said.message, said.line = first.message, first.lnum + 1
vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
vim.lsp.buf.code_action()
wait_for("no diagnostic", function() return #vim.diagnostic.get(0) == 0 end)
said.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") .. "\\n"
wait_for("ticks at all lines", all_proved)
said.states = states()
said.signs = vim.tbl_map(function(mark) return mark[2] + 1 end, signs())
local position = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 7, character = 13 } }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/definition", position, 60000)) do
  said.definition = answer.result[1].range.start.line + 1
end
vim.fn.writefile({ vim.fn.json_encode(said) }, "said.json")
vim.cmd("qall!")
"""


def test_neovim(tmp_path: Path) -> None:
    """The diagnostic says what to write, the code action writes it, and every line with obligations has its tick."""
    nvim = shutil.which("nvim")
    assert nvim is not None, "Neovim is not installed: apt-get install neovim"
    (tmp_path / "foo.sonnx").write_text(GOOD.replace(">=", "≥"), "utf-8")
    (tmp_path / "script.lua").write_text(SCRIPT, "utf-8")
    commands = tmp_path / "bin"
    commands.mkdir()
    # The command that the configuration starts, with the code of this checkout.
    command = commands / "sonnx-verify"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sonnx_verify "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "SONNX_VERIFY_CACHE": str(tmp_path / "cache"),
    }
    started = [nvim, "--headless", "-u", str(ROOT / "editors" / "nvim" / "init.lua"), "-S", "script.lua"]
    done = subprocess.run(started, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280)

    assert (tmp_path / "said.json").exists(), done.stderr
    said = json.loads((tmp_path / "said.json").read_text("utf-8"))
    assert said["line"] == 5
    assert "to fix: write `>=`" in said["message"]
    assert said["text"] == GOOD
    assert said["states"] == dict.fromkeys("15678", "proved")
    assert said["signs"] == [1, 5, 6, 7, 8]
    assert said["definition"] == 3
