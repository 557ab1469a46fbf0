-- Run by test_neovim_previews.py inside a real Neovim: how a preview follows the cursor.  Prints what a user would see.
local user = require('neovim_user')
local say, wait = user.say, user.wait
local source = vim.api.nvim_get_current_buf()
user.server('ompls', source)

local function visit(line)
  vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = source })
end
--- The buffer that is shown beside the source, and its name's last part.
local function preview()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    local name = vim.api.nvim_buf_get_name(buffer)
    if name:match('^ompls%-preview://') then
      return name:match('[^/]*$'), buffer, window
    end
  end
end
local function follows(line, name)
  visit(line)
  wait('the preview of ' .. name, function()
    return preview() == name .. '.cu'
  end)
end
--- Do something, and wait until everything that is asked of the server then is answered.
local function answered(act)
  local asked, done = 0, 0
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = source })[1]
  local request = client.request
  client.request = function(self, method, params, handle)
    asked = asked + 1
    return request(self, method, params, function(...)
      handle(...)
      done = done + 1
    end)
  end
  act()
  wait('answers', function()
    return asked > 0 and asked == done
  end)
  client.request = request
end
local function stays(line)
  answered(function()
    visit(line)
  end)
  return (preview())
end

visit(8)
vim.cmd('Ompls preview')
wait('the preview', function()
  return preview() == 'two_0.cu'
end)
say('behind the regions: ' .. stays(12))
say('between the regions: ' .. stays(6))
say('above the regions: ' .. stays(1))
follows(3, 'one_0')
say('in another region: ' .. preview())

--- Go to a line, and do something before the answer arrives: what is shown then.
local function late(line, meanwhile)
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = source })[1]
  local request, held = client.request, {}
  client.request = function(self, method, params, handle)
    return request(self, method, params, function(...)
      local answer = { ... }
      table.insert(held, function()
        handle(unpack(answer))
      end)
    end)
  end
  visit(line)
  wait('an answer', function()
    return #held > 0
  end)
  client.request = request
  meanwhile()
  vim.iter(held):each(function(arrive)
    arrive()
  end)
  return (preview())
end
local function pin()
  local here = vim.api.nvim_get_current_win()
  vim.api.nvim_set_current_win(select(3, preview()))
  vim.cmd('Ompls pin')
  vim.api.nvim_set_current_win(here)
end
say('pinned before the answer: ' .. late(8, pin))
pin()
say('left before the answer: ' .. late(8, function()
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
end))

local function coloured(buffer)
  return #vim.api.nvim_buf_get_extmarks(buffer, vim.api.nvim_get_namespaces()['ompls-linked'], 0, -1, {})
end
local _, buffer, window = preview()
visit(3)
say('coloured: ' .. coloured(source) .. ', ' .. tostring(coloured(buffer) > 0))
vim.api.nvim_win_close(window, true)
vim.wait(200)
say('coloured in the source alone: ' .. coloured(source))
vim.cmd('Ompls preview')
wait('the preview to come back', preview)
_, buffer, window = preview()
visit(3)
say('coloured again: ' .. coloured(source) .. ', ' .. tostring(coloured(buffer) > 0))
vim.cmd('hide')
vim.wait(200)
say('coloured in the preview alone: ' .. coloured(buffer))
vim.api.nvim_win_set_buf(0, source)
vim.cmd('Ompls preview')
wait('the preview to come back', preview)

-- Another file, in the source's window; then the data environment, asked for in the preview.
local path = vim.fs.dirname(vim.api.nvim_buf_get_name(source)) .. '/b.c'
vim.fn.writefile({ 'void other(int n, int *x) {', '#pragma omp target map(x[0:n])', '  x[0] = n;', '}' }, path)
vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
vim.cmd.edit(path)
user.server('ompls', vim.api.nvim_get_current_buf())
vim.api.nvim_win_set_cursor(0, { 3, 0 })
vim.api.nvim_exec_autocmds('CursorMoved', { buffer = 0 })
wait('the preview of the other file', function()
  return preview() == 'other_0.cu'
end)
say('in another file: ' .. preview())
vim.api.nvim_set_current_win(select(3, preview()))
vim.cmd('Ompls env')
local view = vim.fn.bufnr('ompls://data-environment')
wait('the data environment', function()
  return vim.fn.getbufline(view, 2)[1] ~= nil
end)
say('env in the preview: ' .. vim.trim(vim.fn.getbufline(view, 2)[1]))
vim.api.nvim_win_close(vim.fn.bufwinid(view), true)
vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.fn.bufnr(path)))
vim.cmd.buffer(source)

--- What must not grow: autocommands and timers.
local function kept()
  local timers = 0
  vim.uv.walk(function(handle)
    timers = timers + (handle:get_type() == 'timer' and 1 or 0)
  end)
  local autocommands = 0
  for _, group in ipairs({ 'ompls-preview', 'ompls-environment' }) do
    autocommands = autocommands + #vim.api.nvim_get_autocmds({ group = group })
  end
  return ('%d autocommands, %d timers'):format(autocommands, timers)
end
local function there_and_back()
  follows(8, 'two_0')
  follows(3, 'one_0')
  answered(function()
    vim.cmd('Ompls preview')
    vim.cmd('Ompls env')
  end)
  vim.api.nvim_win_close(vim.fn.bufwinid('ompls://data-environment'), true)
end
there_and_back()
local before = kept()
for _ = 1, 4 do
  there_and_back()
end
vim.wait(5000, function()
  return kept() == before -- Neovim has timers of its own, for a moment
end)
say('kept: ' .. (kept() == before and 'the same' or before .. '; ' .. kept()))

-- A task graph: its text beside its source, which follows an edit; from a task to its line; from there to a kernel.
local graph_path = vim.fs.dirname(path) .. '/c.c'
vim.fn.writefile({
  'enum { N = 3 };',
  'void steps(int *x) {',
  '  for (int i = 0; i < N; i++) {',
  '#pragma omp target nowait depend(inout: x[0]) map(x[0:1])',
  '    x[0]++;',
  '  }',
  '}',
}, graph_path)
vim.cmd.only({ bang = true })
vim.cmd.edit(graph_path)
source = vim.api.nvim_get_current_buf()
user.server('ompls', source)
vim.api.nvim_win_set_cursor(0, { 5, 0 })
vim.cmd('Ompls graph')
wait('the graph', function()
  return preview() == 'steps_0.txt'
end)
local function lines()
  return vim.api.nvim_buf_get_lines(select(2, preview()), 0, -1, false)
end
say('graph: ' .. lines()[1])
vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
vim.api.nvim_buf_set_lines(source, 0, 1, false, { '', 'enum { N = 4 };' })
vim.api.nvim_exec_autocmds('TextChanged', { buffer = source })
wait('the graph after an edit', function()
  return vim.startswith(lines()[1], 'steps: 4 tasks')
end)
say('task: ' .. lines()[5])
vim.api.nvim_set_current_win(select(3, preview()))
vim.api.nvim_win_set_cursor(0, { 5, 0 })
vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)
say('its line: ' .. vim.api.nvim_get_current_line())
vim.api.nvim_set_current_win(select(3, preview()))
vim.cmd('Ompls preview')
wait('the kernel of the task', function()
  return vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
    return vim.endswith(vim.api.nvim_buf_get_name(buffer), 'cuda' .. graph_path .. '/steps_0.cu')
  end)
end)
vim.cmd('qall!')
