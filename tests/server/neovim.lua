-- Run by test_neovim.py inside a real Neovim on a file with one mistake in a clause and one target region.
-- Prints a line for each thing that a user would see; the test compares them.
local user = require('neovim_user')
local say, wait = user.say, user.wait
local source = vim.api.nvim_get_current_buf()
local client = user.server('ompls', source)
say('encoding ' .. client.offset_encoding)
say('commands left to the server: ' .. vim.inspect(client.server_capabilities.executeCommandProvider))

wait('a diagnostic', function()
  return #vim.diagnostic.get(source) == 1
end)
say('diagnostic ' .. vim.diagnostic.get(source)[1].code)

wait('code lenses', function()
  return #vim.lsp.codelens.get(source) == 4
end)
local lens = vim.lsp.codelens.get(source)[1]
say('lens ' .. lens.command.title:match('^Preview CUDA'))
client:exec_cmd(lens.command, { bufnr = source })

local function preview()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer):match('^ompls%-preview://cuda/.*/saxpy_0%.cu$') then
      return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
    end
  end
  return ''
end
wait('the preview', function()
  return preview():match('__global__') ~= nil
end)
say('preview shown')

vim.api.nvim_win_set_cursor(vim.fn.bufwinid(source), { 5, 0 })
vim.fn.setbufline(source, 5, '    y[i] = 7.5f * a * x[i] + y[i];')
vim.api.nvim_exec_autocmds('TextChanged', { buffer = source })
wait('the preview to follow', function()
  return preview():match('7%.5f') ~= nil
end)
say('preview follows')

local function coloured(buffer)
  local space = vim.api.nvim_get_namespaces()['ompls-linked']
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return table.concat(vim.tbl_map(function(mark)
    return vim.trim(lines[mark[2] + 1])
  end, vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})), ' | ')
end
local function shown(region)
  return vim.fn.bufnr('ompls-preview://cuda' .. vim.api.nvim_buf_get_name(source) .. '/' .. region .. '.cu')
end
local kernel = shown('saxpy_0')
vim.api.nvim_win_set_cursor(vim.fn.bufwinid(source), { 5, 0 })
vim.api.nvim_exec_autocmds('CursorMoved', { buffer = source })
say('linked: ' .. coloured(kernel))
local window = vim.fn.bufwinid(kernel)
local statement = vim.api.nvim_win_get_cursor(window)[1]
say('revealed: ' .. vim.trim(vim.fn.getbufline(kernel, statement)[1]))
vim.api.nvim_set_current_win(window)
vim.api.nvim_win_set_cursor(window, { 1, 0 })
vim.api.nvim_exec_autocmds('CursorMoved', { buffer = kernel })
vim.api.nvim_win_set_cursor(window, { statement, 0 })
vim.api.nvim_exec_autocmds('CursorMoved', { buffer = kernel })
say('linked back: ' .. coloured(source))

local function visit(line)
  vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = source })
end
vim.api.nvim_set_current_win(window)
vim.cmd('Ompls pin')
visit(10)
vim.wait(400)
say('pinned: ' .. tostring(vim.api.nvim_win_get_buf(window) == kernel))
vim.api.nvim_set_current_win(window)
vim.cmd('Ompls pin')
visit(10)
wait('the preview to follow the cursor', function()
  return vim.api.nvim_win_get_buf(window) == shown('other_0')
end)
visit(5)
wait('the preview to come back', function()
  return vim.api.nvim_win_get_buf(window) == kernel
end)
say('preview follows the cursor')

vim.lsp.stop_client(client.id)
wait('the server to end', function()
  return #vim.lsp.get_clients({ name = 'ompls', bufnr = source }) == 0
end)
vim.fn.setbufline(source, 5, '    y[i] = 8.5f * a * x[i] + y[i];')
vim.api.nvim_exec_autocmds('FileType', { buffer = source }) -- as `:edit` does
wait('the preview to follow another server', function()
  return preview():match('8%.5f') ~= nil
end)
say('preview follows another server')

local function terminals()
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].buftype == 'terminal' then
      table.insert(found, (table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)):gsub(' ', '')))
    end
  end
  return found
end
for _ = 1, 2 do
  vim.cmd('Ompls run')
  wait('the run', function()
    return #terminals() == 1 and terminals()[1]:match('savethefilefirst') ~= nil
  end)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.bo[vim.api.nvim_win_get_buf(window)].buftype == 'terminal' then
      vim.api.nvim_set_current_win(window) -- the second time it is run from there
    end
  end
end
say('runs share a terminal: ' .. #vim.api.nvim_list_wins() .. ' windows')

vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
local picked
vim.ui.select = function(choices, how, chosen)
  for _, choice in ipairs(choices) do
    if choice.device == 'host' then
      say(how.prompt .. ' ' .. how.format_item(choice))
      chosen(choice)
      picked = true
    end
  end
end
vim.cmd('Ompls runon')
wait('the run on what was chosen', function()
  return picked and #terminals() == 1 and terminals()[1]:match('savethefilefirst') ~= nil
end)
vim.ui.select = function(names, how, chosen)
  say(how.prompt .. ': ' .. table.concat(names, ' '))
  chosen('epiphany')
end
vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
require('ompls').preview({ uri = vim.uri_from_bufnr(source), region = 'other_0', choose = true })
local function asked_for()
  return vim.fn.bufwinid(vim.fn.bufnr('ompls-preview://epiphany'))
end
wait('the preview for the device that was chosen', function()
  return asked_for() ~= -1
end)
vim.api.nvim_win_close(asked_for(), true)
local function env()
  local buffer = vim.fn.bufnr('ompls://data-environment')
  return buffer == -1 and {} or vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end
vim.api.nvim_win_set_cursor(0, { 3, 0 })
vim.cmd('Ompls env')
wait('the data environment', function()
  return #env() == 1 and env()[1] ~= ''
end)
say('env before the pragma: ' .. env()[1])
vim.api.nvim_win_set_cursor(0, { 5, 0 })
vim.api.nvim_exec_autocmds('CursorMoved', {})
wait('the data environment to follow', function()
  return #env() > 1
end)
say('env follows:' .. env()[2]:gsub('^ ', ''))
vim.api.nvim_set_current_win(vim.fn.bufwinid('ompls://data-environment'))
vim.api.nvim_win_set_cursor(0, { 2, 0 })
vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'x', false)
say('env leads to: ' .. vim.api.nvim_win_get_cursor(vim.fn.bufwinid(source))[1])
vim.cmd('qall!')
