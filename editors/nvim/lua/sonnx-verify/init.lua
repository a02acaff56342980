-- Starts `sonnx-verify lsp` for formal texts and pages, and shows the verdict of each line as a sign. Neovim 0.7 or newer.
local M = {}

local defaults = {
  cmd = { "sonnx-verify", "lsp" },
  prove = true,
  signs = true,
  inlay_hints = false,
}
local signs = {
  proved = { "✓", "SonnxProved", "DiagnosticOk", "#22a054" },
  refuted = { "✗", "SonnxRefuted", "DiagnosticError", "#d13438" },
  undecided = { "?", "SonnxUndecided", "DiagnosticWarn", "#c98a00" },
  expected = { "✗", "SonnxExpected", "DiagnosticHint", "#8a8f98" },
  stale = { "○", "SonnxStale", "DiagnosticHint", "#8a8f98" },
}
local options = defaults
local space = vim.api.nvim_create_namespace("sonnx-verify")
local clients = {}
local verdicts = {}

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  for _, name in ipairs({ "spec", ".git" }) do
    local found = vim.fn.finddir(name, folder .. ";")
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:h:h")
    end
  end
  return folder
end

local function show_marks(_, result)
  local buffer = vim.uri_to_bufnr(result.uri)
  verdicts[buffer] = result.lines
  if not options.signs or not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for _, line in ipairs(result.lines) do
    local sign = signs[line.state]
    -- A line that was deleted meanwhile has a mark until the server hears of it.
    if sign and line.range.start.line <= last then
      vim.api.nvim_buf_set_extmark(buffer, space, line.range.start.line, 0, {
        sign_text = sign[1],
        sign_hl_group = sign[2],
        priority = 12,
      })
    end
  end
end

local function attached(client, buffer)
  if options.signs then
    -- A line that is refuted has a cross. Neovim would put the letter of its diagnostic there, and before 0.10 it does
    -- so whatever the priorities are.
    local letters = vim.fn.has("nvim-0.10") == 1 and { priority = 5 }
    vim.diagnostic.config({ signs = letters }, vim.lsp.diagnostic.get_namespace(client.id))
  end
  if options.inlay_hints and vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
end

local function start(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local config = {
    name = "sonnx-verify",
    cmd = options.cmd,
    root_dir = root,
    init_options = { prove = options.prove, inlayHints = options.inlay_hints, showsMarks = options.signs },
    handlers = { ["sonnx-verify/verdicts"] = show_marks },
    on_attach = attached,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  -- Neovim 0.7 does not know by itself that a server runs for a folder.
  if not (clients[root] and vim.lsp.get_client_by_id(clients[root])) then
    clients[root] = vim.lsp.start_client(config)
  end
  vim.lsp.buf_attach_client(buffer, clients[root])
end

-- The lines of a buffer that have obligations: for each its `range`, its `state`, such as "proved", and a `title`.
function M.verdicts(buffer)
  if buffer == nil or buffer == 0 then
    buffer = vim.api.nvim_get_current_buf()
  end
  return verdicts[buffer] or {}
end

function M.setup(given)
  options = vim.tbl_extend("force", defaults, given or {})
  for _, sign in pairs(signs) do
    if vim.fn.hlexists(sign[3]) == 1 then
      vim.api.nvim_set_hl(0, sign[2], { link = sign[3], default = true })
    else
      vim.api.nvim_set_hl(0, sign[2], { fg = sign[4], default = true })
    end
  end
  local group = vim.api.nvim_create_augroup("sonnx-verify", { clear = true })
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = "*.sonnx",
    callback = function()
      vim.bo.filetype = "sonnx"
      vim.bo.commentstring = "-- %s"
    end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = { "sonnx", "markdown" },
    callback = function(event)
      start(event.buf)
    end,
  })
end

return M
