-- Run by test_neovim.py in a Neovim where `ompls editor nvim --install` has put the plugin, and nothing else is set.
local user = require('neovim_user')
local say, wait = user.say, user.wait
local source = vim.api.nvim_get_current_buf()
local client = user.server('ompls', source)
say('root: ' .. vim.fs.basename(client.config.root_dir))
vim.cmd('checkhealth ompls')
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  if line:match('OK') or line:match('ERROR') then
    say((line:gsub('/.*/', ''):gsub('%d+%.%d+[%w.+]*', 'N')))
  end
end
vim.cmd('help :Ompls')
say('help: ' .. vim.fs.basename(vim.api.nvim_buf_get_name(0)) .. ' ' .. vim.api.nvim_get_current_line():match('%S+'))
vim.api.nvim_set_current_buf(source)
say('complete: ' .. table.concat(vim.fn.getcompletion('Ompls ', 'cmdline'), ' '))
say('complete a device: ' .. table.concat(vim.fn.getcompletion('Ompls preview cu', 'cmdline'), ' '))
vim.cmd('Ompls explain')
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, 1, false)[1]
    end
  end
end
wait('the page', floating)
say('explain: ' .. floating())
vim.cmd('qall!')
