-- Run by test_neovim.py inside a real Neovim: a run that is measured, its hints, and its present tables.
local user = require('neovim_user')
local say, wait = user.say, user.wait
local source = vim.api.nvim_get_current_buf()
user.server('ompls', source)
vim.lsp.inlay_hint.enable(true, { bufnr = source })
vim.api.nvim_win_set_cursor(0, { 5, 4 })
vim.cmd('Ompls env')
vim.cmd('Ompls measure host')
local function hints()
  return vim.tbl_filter(function(hint)
    return hint.inlay_hint.label:match('to 8 B') ~= nil
  end, vim.lsp.inlay_hint.get({ bufnr = source }))
end
wait('hints', function()
  return #hints() == 1
end)
say('hint: ' .. hints()[1].inlay_hint.label:gsub('× [^;]*', '× T'))
local function env()
  return vim.api.nvim_buf_get_lines(vim.fn.bufnr('ompls://data-environment'), 0, -1, false)
end
local function row()
  for _, line in ipairs(env()) do
    if line:match('the run:') then
      return line
    end
  end
end
wait('what was measured', row)
say(env()[1])
say(vim.trim(row()))
vim.api.nvim_set_current_win(vim.fn.bufwinid('ompls://data-environment'))
vim.api.nvim_feedkeys('<', 'x', false)
wait('the time before', function()
  return env()[1]:match('1 of 2')
end)
say('earlier: ' .. env()[1])
say('earlier: ' .. row():match('begins with.*'))
vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
vim.api.nvim_buf_set_lines(source, 0, 0, false, { '// new' })
wait('no hints', function()
  return #hints() == 0
end)
say('after an edit: ' .. #hints() .. ' hints')
vim.cmd('qall!')
