-- A configuration with nothing but this plugin, to try it: nvim -u editors/nvim/init.lua FILE
local here = vim.fn.fnamemodify(vim.fn.resolve(debug.getinfo(1, "S").source:sub(2)), ":p:h")
vim.opt.runtimepath:prepend(here)
vim.opt.signcolumn = "yes"
require("sonnx-verify").setup()
