-- Run by test_neovim.py inside a real Neovim on a C file, whose server takes its time to answer.
local user = require('neovim_user')
local say = user.say
user.wait('a server that was started', require('ompls.server').starting)
vim.notify = function(text)
  say(text)
end
vim.cmd('Ompls env')
vim.cmd('checkhealth ompls')
local last = vim.api.nvim_buf_get_lines(0, 0, -1, false)
say(vim.trim(vim.iter(last):rfind(function(line)
  return line:match('%S') ~= nil
end)))
vim.cmd('qall!')
