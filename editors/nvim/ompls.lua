-- ompls in Neovim 0.11 or later: `luafile` this from init.lua, or put it into the plugin directory of the configuration.
-- Diagnostics, quick fixes, hovers and code lenses are Neovim's own; this adds previews (a split that follows the source)
-- and runs (in one terminal, which takes input). `find_server` says which `ompls` is taken.

local M = {}

--- The server that the buffer is open in, or any: it may have been started again since.
local function running(buffer)
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = buffer })[1] or vim.lsp.get_clients({ name = 'ompls' })[1]
  if not client then
    vim.notify('ompls: the server is not running', vim.log.levels.ERROR)
  end
  return client
end

--- Show the preview `made` (the answer to `ompls/preview`) in the buffer of its URI.
local function fill(made)
  local buffer = vim.fn.bufadd(made.uri)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(made.text, '\n'))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = made.languageId == 'c' and 'c' or 'cuda'
  return buffer
end

--- Ask for a preview; `wanted` has `uri` and `region` or nothing (then: the region at the cursor).
local function request(client, wanted, handle)
  local position = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local params = {
    textDocument = { uri = wanted.uri or position.textDocument.uri },
    region = wanted.region,
    device = wanted.device,
    position = not wanted.region and position.position or nil,
  }
  client:request('ompls/preview', params, function(problem, made)
    if problem then
      vim.notify(problem.message, vim.log.levels.ERROR)
    else
      handle(made)
    end
  end)
end

--- Open a preview in a split; it is made anew after each change of the source.
function M.preview(wanted)
  wanted = wanted or {}
  local source = wanted.uri and vim.uri_to_bufnr(wanted.uri) or vim.api.nvim_get_current_buf()
  local client = running(source)
  if not client then
    return
  end
  request(client, wanted, function(made)
    local buffer = fill(made)
    if vim.fn.bufwinid(buffer) == -1 then
      vim.cmd('vertical sbuffer ' .. buffer)
      vim.cmd('wincmd p')
    end
    local again = { uri = vim.uri_from_bufnr(source), region = made.region, device = made.device }
    vim.b[buffer].ompls_source = again.uri
    -- LspAttach: a server was started (again).
    vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'LspAttach' }, {
      group = vim.api.nvim_create_augroup('ompls-preview-' .. buffer, { clear = true }),
      buffer = source,
      callback = function()
        if not vim.api.nvim_buf_is_valid(buffer) or vim.fn.bufwinid(buffer) == -1 then
          return true -- the preview is closed: no more of this
        end
        local present = vim.lsp.get_clients({ name = 'ompls', bufnr = source })[1]
        if present then
          request(present, again, fill)
        end
      end,
    })
  end)
end

--- Run the program on a device, in a terminal: another run, or wiping its buffer out, ends it.
function M.run(wanted)
  wanted = wanted or {}
  local source = wanted.uri or vim.b.ompls_source or vim.uri_from_bufnr(0)
  local client = running(vim.uri_to_bufnr(source))
  if not client then
    return
  end
  local last = M.last_run
  if last and last.client and vim.lsp.get_client_by_id(last.client) then
    vim.lsp.get_client_by_id(last.client):cancel_request(last.request)
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  local window = last and vim.fn.bufwinid(last.buffer) or -1
  if window == -1 then
    window = vim.api.nvim_open_win(buffer, false, { split = 'below', win = -1, height = 10 })
  else
    vim.api.nvim_win_set_buf(window, buffer)
  end
  if last and vim.api.nvim_buf_is_valid(last.buffer) then
    vim.api.nvim_buf_delete(last.buffer, { force = true })
  end
  M.count = M.count + 1
  local run = 'nvim-' .. M.count
  local channel = vim.api.nvim_open_term(buffer, {
    on_input = function(_, _, _, text)
      client:notify('ompls/runInput', { run = run, text = text })
    end,
  })
  M.outputs[run] = function(text)
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_chan_send(channel, text)
    end
  end
  local size = { columns = vim.api.nvim_win_get_width(window), rows = vim.api.nvim_win_get_height(window) }
  local params = { textDocument = { uri = source }, device = wanted.device, run = run, terminal = size }
  local _, request_id = client:request('ompls/run', params, function(problem, ended)
    local show = M.outputs[run]
    M.outputs[run] = nil
    if M.last_run and M.last_run.run == run then
      M.last_run.client = nil
      show('\r\n' .. (problem and problem.message or ('exit code ' .. ended.exitCode)):gsub('\n', '\r\n') .. '\r\n')
    end
  end)
  M.last_run = { run = run, buffer = buffer, client = client.id, request = request_id }
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      client:cancel_request(request_id)
    end,
  })
end

--- Why there is no answer at the cursor: a page in a floating window.
function M.why()
  local client = running(0)
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  client:request('ompls/whyNoAnswer', params, function(problem, answer)
    if problem then
      return vim.notify(problem.message, vim.log.levels.ERROR)
    end
    vim.lsp.util.open_floating_preview(vim.split(answer.markdown, '\n'), 'markdown', { focus_id = 'ompls-why' })
  end)
end

--- Dim the branches of `#if` that are not compiled, unless another server (clangd) does that.
function M.dim(buffer, regions)
  local space = vim.api.nvim_create_namespace('ompls-inactive')
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  if #vim.lsp.get_clients({ name = 'clangd', bufnr = buffer }) > 0 then
    return
  end
  for _, region in ipairs(regions) do
    local last = region['end'].character == 0 and region['end'].line or region['end'].line + 1
    local count = vim.api.nvim_buf_line_count(buffer)
    for line = region.start.line, math.min(last, count) - 1 do
      vim.api.nvim_buf_set_extmark(buffer, space, line, 0, { line_hl_group = 'Comment', hl_eol = true, end_row = line + 1 })
    end
  end
end

M.outputs = {} -- by run: what takes its output
M.count = 0 -- of runs

--- The server's command, by its absolute path; the first that there is:
--- 1. `vim.g.ompls_server`,
--- 2. `ompls` on the PATH (absolute directories only: the folder that is open must not slip one in).
local function find_server()
  if vim.g.ompls_server then
    return vim.fs.normalize(vim.g.ompls_server)
  end
  for _, directory in ipairs(vim.split(vim.env.PATH or '', ':')) do
    local file = directory .. '/ompls'
    if vim.startswith(directory, '/') and vim.fn.executable(file) == 1 then
      return file
    end
  end
  return 'ompls' -- for Neovim to say that it is not there
end

vim.lsp.config('ompls', {
  cmd = { find_server(), 'serve', '--stdio' },
  cmd_cwd = '/', -- a Python program must not find modules of the folder that is open where it starts
  filetypes = { 'c', 'cpp', 'cuda', 'fortran' }, -- Neovim calls headers C++; what is not C is only told so
  root_dir = function(buffer, found)
    if vim.bo[buffer].buftype == '' then -- previews are no files
      found(vim.fs.root(buffer, { 'compile_commands.json', 'compile_flags.txt', '.git' }))
    end
  end,
  capabilities = { experimental = { ompls = { commands = { 'ompls.preview', 'ompls.run', 'ompls.whyNoAnswer' }, inactiveRegions = true } } },
  commands = {
    ['ompls.preview'] = function(command)
      M.preview(command.arguments[1])
    end,
    ['ompls.run'] = function(command)
      M.run(command.arguments[1])
    end,
  },
  handlers = {
    ['ompls/inactiveRegions'] = function(_, inactive)
      M.dim(vim.uri_to_bufnr(inactive.textDocument.uri), inactive.regions)
    end,
    ['ompls/runOutput'] = function(_, output)
      local add = M.outputs[output.run]
      if add then
        add(output.text)
      end
    end,
  },
})
vim.lsp.enable('ompls')
vim.api.nvim_create_user_command('OmplsPreview', function()
  M.preview()
end, { desc = 'The kernel of the region at the cursor' })
vim.api.nvim_create_user_command('OmplsRun', function()
  M.run()
end, { desc = 'Run the program on a device, in a terminal' })
vim.api.nvim_create_user_command('OmplsWhy', function()
  M.why()
end, { desc = 'Why there is no answer at the cursor' })

return M
