-- Run by test_neovim.py inside a real Neovim on a C file: what is asked where there is no C file.
local user = require('neovim_user')
local say, wait = user.say, user.wait
local source = vim.api.nvim_get_current_buf()
user.server('ompls', source)
vim.notify = function(text)
  say(text)
end

local function rows()
  local buffer = vim.fn.bufnr('ompls://data-environment')
  return buffer ~= -1 and vim.api.nvim_buf_get_lines(buffer, 0, -1, false) or { 'no window' }
end
vim.cmd('enew')
vim.cmd('Ompls env')
say('first: ' .. rows()[1])
vim.cmd('buffer ' .. source)
vim.cmd('Ompls env')
wait('rows', function()
  return rows()[1] ~= ''
end)
say('in the file: ' .. rows()[1])
vim.cmd('edit notes.txt')
for _, what in ipairs({ 'env', 'preview', 'explain', 'run', 'measure' }) do
  vim.cmd('Ompls ' .. what)
end
say('then: ' .. table.concat(rows(), ' | '))
require('ompls').preview({ choose = true })
vim.cmd('qall!')
