-- Run by test_neovim.py inside a real Neovim: a program that asks, and is answered in its terminal.
local user = require('neovim_user')
local say, wait = user.say, user.wait
user.server('ompls', vim.api.nvim_get_current_buf())
vim.cmd('Ompls run host')
local function terminal()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.bo[vim.api.nvim_win_get_buf(window)].buftype == 'terminal' then
      return window, table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
end
wait('the question', function()
  local _, text = terminal()
  return text and text:match('steps%?')
end)
vim.api.nvim_set_current_win((terminal()))
vim.cmd('startinsert')
vim.api.nvim_input('42<CR>')
-- what is typed is read when this script has ended
local tries = 0
assert(vim.uv.new_timer()):start(100, 100, vim.schedule_wrap(function()
  local _, text = terminal()
  tries = tries + 1
  if text:match('exit code') or tries > 600 then
    say(text:match('took %d+') or text)
    vim.cmd('qall!')
  end
end))
